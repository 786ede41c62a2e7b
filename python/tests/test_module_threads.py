"""Calls from several Python threads at once, and the layers that the functions keep."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from definitions import conv2d, integers

brickwork = pytest.importorskip("brickwork", exc_type=ModuleNotFoundError)
functions = pytest.importorskip("brickwork.functions", exc_type=ModuleNotFoundError)


@pytest.fixture(autouse=True)
def no_layers():
    functions.layers.forget()
    yield
    brickwork.keep_layers(32)


def test_threads_that_share_a_kept_layer_get_their_own_results():
    src, weights = integers(2, 8, 6, 6), integers(4, 8, 3, 3, seed=1)
    expected = conv2d(src, weights)

    def results_are_right(factor):
        return all((brickwork.conv2d(src, factor * weights) == factor * expected).all() for _ in range(50))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(results_are_right, [1, 2, 3, 4]))
    assert len(functions.layers) == 1


def test_threads_compute_on_layers_of_their_own_at_once():
    src, weights = integers(2, 8, 6, 6), integers(4, 8, 3, 3, seed=1)

    def result(factor):
        layer = brickwork.Conv2d(2, 8, 4, 6, 6, 3, 3)
        layer.set_weights(factor * weights)
        return layer.forward(src)

    with ThreadPoolExecutor(4) as pool:
        for factor, dst in enumerate(pool.map(result, range(20))):
            np.testing.assert_array_equal(dst, factor * conv2d(src, weights))


def test_other_threads_run_while_a_layer_computes():
    layer = brickwork.Conv2d(16, 128, 128, 56, 56, 3, 3, padding=1)
    layer.set_weights(integers(128, 128, 3, 3))
    src = integers(16, 128, 56, 56)
    out = np.empty_like(src)
    finished = []
    worker = threading.Thread(target=lambda: finished.append(layer.forward(src, out)))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # no thread is made to wait for another: the worker goes on until it lets others run
    try:
        worker.start()
        assert not finished
    finally:
        sys.setswitchinterval(interval)
        worker.join()
    assert finished


def test_the_number_of_threads_is_fixed_with_the_first_layer():
    brickwork.Conv2d(1, 1, 1, 1, 1, 1, 1)
    brickwork.set_threads(brickwork.threads())
    with pytest.raises(brickwork.BadArgument, match="before the first one is made"):
        brickwork.set_threads(brickwork.threads() + 1)
    with pytest.raises(brickwork.BadArgument, match="expected 1 or more"):
        brickwork.set_threads(0)


def test_functions_keep_the_layers_that_were_used_last():
    weights = integers(4, 1, 1, 1)

    def use(height):
        brickwork.conv2d(integers(1, 1, height, 3), weights)
        return [key for key in functions.layers._kept]

    brickwork.keep_layers(2)
    first, second = use(3)[-1], use(4)[-1]
    assert use(3) == [second, first]
    assert use(5)[0] == first
    brickwork.keep_layers(0)
    assert use(3) == []
    with pytest.raises(brickwork.BadArgument, match="'count' is -1"):
        brickwork.keep_layers(-1)


def test_another_tuning_makes_new_layers():
    brickwork.linear(integers(2, 3), integers(4, 3))
    assert len(functions.layers) == 1
    brickwork.tune("default")
    assert len(functions.layers) == 0

"""LSTMs beside their definition, and their gradients beside differences of it."""

import numpy as np
import pytest
from definitions import lstm

brickwork = pytest.importorskip("brickwork", exc_type=ModuleNotFoundError)

SIZES = [(3, 4, 9, 17, 2, 2), (1, 1, 1, 1, 1, 1), (5, 2, 33, 16, 3, 1)]  # T N C K L D


def arrays(T, N, C, K, L, D):
    random = np.random.default_rng(0)
    draw = lambda *shape: random.uniform(-0.5, 0.5, shape).astype(np.float32)  # noqa: E731
    weights = [(draw(D, D * K if layer else C, 4, K), draw(D, K, 4, K), draw(D, 4, K)) for layer in range(L)]
    return draw(T, N, C), weights, draw(L * D, N, K), draw(L * D, N, K)


@pytest.mark.parametrize("sizes", SIZES)
def test_an_lstm_is_its_definition(sizes):
    x, weights, h0, c0 = arrays(*sizes)
    for result, expected in zip(brickwork.lstm(x, weights, h0, c0), lstm(x, weights, h0, c0), strict=True):
        np.testing.assert_allclose(result, expected, atol=1e-5)
    zero = np.zeros_like(h0)
    np.testing.assert_array_equal(brickwork.lstm(x, weights)[0], brickwork.lstm(x, weights, zero, zero)[0])


@pytest.mark.parametrize("sizes", SIZES)
def test_the_gradients_are_those_of_the_definition(sizes):
    x, weights, h0, c0 = arrays(*sizes)
    random = np.random.default_rng(1)
    heads = [random.uniform(-1, 1, state.shape).astype(np.float32) for state in lstm(x, weights, h0, c0)]
    dx, dh0, dc0, dweights = brickwork.lstm_backward(x, weights, *heads, h0, c0)

    # Along random directions of all arguments at once, the loss changes by the gradients' product with the direction.
    for _ in range(3):
        step = lambda array: random.uniform(-1, 1, array.shape)  # noqa: E731
        steps = step(x), [tuple(map(step, of_layer)) for of_layer in weights], step(h0), step(c0)

        def loss(size, steps=steps):
            moved = [tuple(w + size * d for w, d in zip(*pair, strict=True)) for pair in zip(weights, steps[1], strict=True)]
            results = lstm(x + size * steps[0], moved, h0 + size * steps[2], c0 + size * steps[3])
            return sum((head * result).sum() for head, result in zip(heads, results, strict=True))

        gradients = [dx, dh0, dc0, *(g for of_layer in dweights for g in of_layer)]
        directions = [steps[0], steps[2], steps[3], *(d for of_layer in steps[1] for d in of_layer)]
        slope = sum((g * d).sum() for g, d in zip(gradients, directions, strict=True))
        assert slope == pytest.approx((loss(1e-5) - loss(-1e-5)) / 2e-5, rel=1e-3, abs=1e-3)


def test_an_lstm_object_keeps_its_weights_and_goes_back_without_another_forward():
    sizes = SIZES[0]
    x, weights, h0, c0 = arrays(*sizes)
    layer = brickwork.Lstm(*sizes[:5], bidirectional=True, training=True)
    for number, of_layer in enumerate(weights):
        layer.set_weights(number, *of_layer)
    y, hT, cT = layer.forward(x, h0, c0)
    dx, dh0, dc0 = layer.backward(y, hT, cT)
    expected = brickwork.lstm_backward(x, weights, y, hT, cT, h0, c0)
    for result, right in zip((dx, dh0, dc0), expected, strict=False):
        np.testing.assert_array_equal(result, right)
    for number in range(sizes[4]):
        for result, right in zip(layer.weight_gradients(number), expected[3][number], strict=True):
            np.testing.assert_array_equal(result, right)


def test_calls_out_of_order_are_refused():
    layer = brickwork.Lstm(1, 1, 2, 3, training=True)
    with pytest.raises(brickwork.BadArgument, match="layer 0 has no weights yet"):
        layer.forward(np.zeros((1, 1, 2), np.float32))
    with pytest.raises(brickwork.BadArgument, match="no forward to go back through"):
        layer.backward(np.zeros((1, 1, 3), np.float32))
    with pytest.raises(brickwork.BadArgument, match="expected 0 to 0"):
        layer.weight_gradients(7)
    with pytest.raises(brickwork.BadArgument, match="no list of layers"):
        brickwork.lstm(np.zeros((1, 1, 2), np.float32), [])

"""brgemm, conv2d and linear beside their definitions: exact on small integers."""

import numpy as np
import pytest
from definitions import conv2d, conv2d_dsrc, conv2d_dweights, integers

brickwork = pytest.importorskip("brickwork", exc_type=ModuleNotFoundError)

CONVOLUTIONS = [  # N C K H W R S, stride, padding
    ((2, 3, 5, 8, 8, 3, 3), 1, 1),
    ((1, 16, 32, 9, 7, 1, 1), 2, 0),
    ((3, 17, 19, 6, 11, 3, 5), (2, 1), (1, 2)),
    ((1, 1, 1, 4, 4, 4, 4), 1, 0),
]


def nhwc(array):
    return np.ascontiguousarray(np.moveaxis(array, 1, -1))


def tensors(sizes, stride, padding):
    N, C, K, H, W, R, S = sizes
    src, weights = integers(N, C, H, W), integers(K, C, R, S, seed=1)
    return src, weights, integers(K, seed=2), integers(*conv2d(src, weights, stride, padding).shape, seed=3)


@pytest.mark.parametrize(("batch", "beta", "bias", "activation"), [(4, 0, False, None), (1, 1, True, "relu"), (0, 0, True, None)])
def test_brgemm_sums_products(batch, beta, bias, activation):
    a, b, c, row = integers(batch, 5, 7), integers(batch, 7, 33, seed=1), integers(5, 33, seed=2), integers(33, seed=3)
    expected = np.einsum("imk,ikn->mn", a, b) + beta * c + (row if bias else 0)
    if activation == "relu":
        expected = np.maximum(expected, 0)
    result = brickwork.brgemm(a, b, c if beta else None, row if bias else None, activation, beta)
    assert (result is c) == bool(beta)
    np.testing.assert_array_equal(result, expected)


def test_brgemm_takes_one_pair_without_a_batch():
    a, b = integers(6, 4), integers(4, 16, seed=1)
    np.testing.assert_array_equal(brickwork.brgemm(a, b), a @ b)


@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
@pytest.mark.parametrize(("sizes", "stride", "padding"), CONVOLUTIONS)
def test_a_convolution_is_its_definition(sizes, stride, padding, layout):
    src, weights, bias, ddst = tensors(sizes, stride, padding)
    to = nhwc if layout == "nhwc" else np.asarray
    expected = np.maximum(conv2d(src, weights, stride, padding) + bias[:, None, None], 0)
    np.testing.assert_array_equal(brickwork.conv2d(to(src), weights, bias, stride, padding, "relu", layout), to(expected))
    dsrc, dweights, dbias = brickwork.conv2d_backward(to(src), weights, to(ddst), True, stride, padding, layout)
    np.testing.assert_array_equal(dsrc, to(conv2d_dsrc(ddst, weights, src.shape, stride, padding)))
    np.testing.assert_array_equal(dweights, conv2d_dweights(src, ddst, weights.shape[2:], stride, padding))
    np.testing.assert_array_equal(dbias, ddst.sum((0, 2, 3)))


@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
@pytest.mark.parametrize(("sizes", "stride", "padding"), CONVOLUTIONS)
def test_a_layer_computes_on_tensors_that_are_packed_once(sizes, stride, padding, layout):
    src, weights, bias, ddst = tensors(sizes, stride, padding)
    to = nhwc if layout == "nhwc" else np.asarray
    layer = brickwork.Conv2d(*sizes, stride, padding, bias=True, layout="packed", training=True)
    layer.set_weights(weights, bias)
    packed = {name: layer.pack(name, to(src if name.endswith("_src") else ddst), layout)
              for name in ("forward_src", "backward_data_ddst", "backward_weights_src", "backward_weights_ddst")}
    assert all(array.shape == (layer.packed_size(name),) for name, array in packed.items())
    dst = layer.unpack("forward_dst", layer.forward(packed["forward_src"]), layout)
    np.testing.assert_array_equal(dst, to(conv2d(src, weights, stride, padding) + bias[:, None, None]))
    dsrc = layer.unpack("backward_data_dsrc", layer.backward_data(packed["backward_data_ddst"]), layout)
    np.testing.assert_array_equal(dsrc, to(conv2d_dsrc(ddst, weights, src.shape, stride, padding)))
    dweights, dbias = layer.backward_weights(packed["backward_weights_src"], packed["backward_weights_ddst"])
    np.testing.assert_array_equal(dweights, conv2d_dweights(src, ddst, weights.shape[2:], stride, padding))
    np.testing.assert_array_equal(dbias, ddst.sum((0, 2, 3)))


def test_a_layer_keeps_its_weights():
    sizes, stride, padding = CONVOLUTIONS[0]
    src, weights, _, _ = tensors(sizes, stride, padding)
    layer = brickwork.Conv2d(*sizes, stride, padding)
    copy = weights.copy()
    layer.set_weights(copy)
    copy[:] = np.nan
    for factor in (1, 2):
        np.testing.assert_array_equal(layer.forward(factor * src), factor * conv2d(src, weights, stride, padding))


def test_a_fully_connected_layer_is_its_definition():
    src, weights, bias, ddst = integers(5, 37), integers(19, 37, seed=1), integers(19, seed=2), integers(5, 19, seed=3)
    product = src @ weights.T
    np.testing.assert_array_equal(brickwork.linear(src, weights), product)
    np.testing.assert_array_equal(brickwork.linear(src, weights, bias, "relu"), np.maximum(product + bias, 0))
    dsrc, dweights, dbias = brickwork.linear_backward(src, weights, ddst, bias=True)
    np.testing.assert_array_equal(dsrc, ddst @ weights)
    np.testing.assert_array_equal(dweights, ddst.T @ src)
    np.testing.assert_array_equal(dbias, ddst.sum(0))
    assert brickwork.linear_backward(src, weights, ddst)[2] is None

    layer = brickwork.Linear(5, 37, 19, packed=True)
    layer.set_weights(weights)
    dst = layer.forward(layer.pack("forward_src", src))
    np.testing.assert_array_equal(layer.unpack("forward_dst", dst), product)


@pytest.mark.parametrize(("activation", "definition"), [
    ("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    ("tanh", np.tanh),
    ("gelu", lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
])
def test_activations_are_their_definitions(activation, definition):
    src, weights = integers(4, 3) / 4, integers(18, 3, seed=1)
    np.testing.assert_allclose(brickwork.linear(src, weights, activation=activation), definition(src @ weights.T), atol=1e-5)

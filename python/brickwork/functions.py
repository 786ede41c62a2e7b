"""One call for one result. Behind them are layers that are kept by their sizes (cache.py).

Each call copies the weights into the layer: nobody can tell whether they have changed since the last one. That costs little
beside the computation; a layer object avoids it, and lets activations stay packed. The rules for arrays are those of
layers.py.
"""

import functools

from . import _native as native
from ._native import BadArgument
from .arguments import ACTIVATIONS, PLAIN_LAYOUTS, choice, pair
from .cache import LayerCache
from .layers import Conv2d, Linear, Lstm
from .results import empty

layers = LayerCache(32)
_kernel = functools.lru_cache(maxsize=256)(native.Brgemm)


def tune(text=""):
    """The tuning of layers that are made from now on: "default", or "" for what an earlier calibration of this processor
    found; without one, this calibrates in some seconds."""
    native.tune(text)
    layers.forget()
    _kernel.cache_clear()


def brgemm(a, b, c=None, bias=None, activation=None, beta=0):
    """c = activation(beta * c + bias + sum of a[i] @ b[i]) on one thread, with a [batch][m][k], b [batch][k][n], c [m][n],
    bias [n]; one pair may come without the batch. With beta = 1 c is added to; where c is given it holds the result."""
    if beta not in (0, 1):
        raise BadArgument(f"'beta' is {beta!r}: expected 0 or 1")
    if beta and c is None:
        raise BadArgument("'beta' is 1 and 'c' is None: expected the array to add to")
    a, b = _batch(a), _batch(b)
    _, m, k = native.shape_of(a, "a", 3)
    n = native.shape_of(b, "b", 3)[2]
    kernel = _kernel(m, n, k, bool(beta), bias is not None, choice("activation", activation, ACTIVATIONS))
    if c is None:
        c = empty(a, (m, n))
    kernel.run(a, b, bias, c)
    return c


def _batch(array):
    return array[None] if getattr(array, "ndim", 0) == 2 else array


def conv2d_layer(src, weights, *, layout, stride, padding, **options):
    """A kept layer that fits these arrays, as a context."""
    choice("layout", layout, PLAIN_LAYOUTS)
    N, *image = native.shape_of(src, "src", 4)
    C, H, W = image if layout != "nhwc" else (image[2], *image[:2])
    K, _, R, S = native.shape_of(weights, "weights", 4)
    stride, padding = pair("stride", stride), pair("padding", padding)
    return layers.layer(Conv2d, N, C, K, H, W, R, S, stride, padding, layout=layout, **options)


def conv2d(src, weights, bias=None, stride=1, padding=0, activation=None, layout="nchw", out=None):
    """activation(convolution + bias) of src [N][C][H][W], or [N][H][W][C] with layout="nhwc", and weights [K][C][R][S]."""
    options = {"bias": bias is not None, "activation": activation}
    with conv2d_layer(src, weights, layout=layout, stride=stride, padding=padding, **options) as layer:
        layer.set_weights(weights, bias)
        return layer.forward(src, out)


def conv2d_backward(src, weights, ddst, bias=False, stride=1, padding=0, layout="nchw"):
    """(dsrc, dweights, dbias) from the gradient of the convolution, before an activation; dbias is None without a bias."""
    options = {"training": True, "bias": bias}
    with conv2d_layer(src, weights, layout=layout, stride=stride, padding=padding, **options) as layer:
        layer.set_weights(weights, empty(src, (len(weights),)) if bias else None)
        return layer.backward_data(ddst), *layer.backward_weights(src, ddst)


def _linear_layer(src, weights, **options):
    N, C = native.shape_of(src, "src", 2)
    K, _ = native.shape_of(weights, "weights", 2)
    return layers.layer(Linear, N, C, K, **options)


def linear(src, weights, bias=None, activation=None, out=None):
    """activation(src @ weights.T + bias) of src [N][C], weights [K][C], bias [K]."""
    with _linear_layer(src, weights, bias=bias is not None, activation=activation) as layer:
        layer.set_weights(weights, bias)
        return layer.forward(src, out)


def linear_backward(src, weights, ddst, bias=False):
    """(dsrc, dweights, dbias) from the gradient of the product, before an activation; dbias is None without a bias."""
    with _linear_layer(src, weights, training=True, bias=bias) as layer:
        layer.set_weights(weights, empty(src, (len(weights),)) if bias else None)
        return layer.backward_data(ddst), *layer.backward_weights(src, ddst)


def _lstm_layer(x, weights, training):
    """Weights are a triple (input, state, bias) for each layer, each as Lstm describes it."""
    if len(weights) == 0 or any(len(of_layer) != 3 for of_layer in weights):
        raise BadArgument("'weights' is no list of layers: expected (input, state, bias) for each, and at least one layer")
    T, N, C = native.shape_of(x, "x", 3)
    D, K, *_ = native.shape_of(weights[0][1], "state", 4)
    if D not in (1, 2):
        raise BadArgument(f"'state' is for {D} directions: expected 1 or 2")
    return layers.layer(Lstm, T, N, C, K, len(weights), bidirectional=D == 2, training=training)


def _forward(layer, x, weights, h0, c0):
    for number, of_layer in enumerate(weights):
        layer.set_weights(number, *of_layer)
    return layer.forward(x, h0, c0)


def lstm(x, weights, h0=None, c0=None):
    """(y, hT, cT) of x [T][N][C] and, for each layer, (input, state, bias) as Lstm describes them."""
    with _lstm_layer(x, weights, training=False) as layer:
        return _forward(layer, x, weights, h0, c0)


def lstm_backward(x, weights, dy, dhT=None, dcT=None, h0=None, c0=None):
    """(dx, dh0, dc0, [(dinput, dstate, dbias) of each layer]). It computes forward again; an Lstm object need not."""
    with _lstm_layer(x, weights, training=True) as layer:
        _forward(layer, x, weights, h0, c0)
        gradients = layer.backward(dy, dhT, dcT)
        return *gradients, [layer.weight_gradients(number, like=x) for number in range(len(weights))]

"""Layers as objects: they keep packed weights, plans and scratch memory between calls.

Arrays are float32 in C order: NumPy's, PyTorch's on the CPU, or any other with DLPack. They are read and written where
they lie; one that does not fit is refused. Results are of the kind of the first argument, or `out` itself, whose memory is then used.
"""

from . import _native as native
from .arguments import ACTIVATIONS, LAYOUTS, PLAIN_LAYOUTS, TENSORS, choice, pair, sizes, switch
from .results import empty, zeros


class _Layer:
    """What convolutions and fully connected layers have in common."""

    def __init__(self, layer, layout):
        self._native = layer
        # The library never writes the padding inside a packed tensor, which must be zero.
        self._new = zeros if layout == "packed" else empty

    def set_weights(self, weights, bias=None):
        """Copies and packs the weights; bias where the layer has one."""
        self._native.set_weights(weights, bias)

    def forward(self, src, out=None):
        """activation(src * weights + bias)"""
        out = self._out(src, out, "forward_dst")
        self._native.forward(src, out)
        return out

    def backward_data(self, ddst, out=None):
        """The gradient of src. ddst is the gradient of the product, before an activation."""
        out = self._out(ddst, out, "backward_data_dsrc")
        self._native.backward_data(ddst, out)
        return out

    def backward_weights(self, src, ddst):
        """The gradients of the weights and of the bias, or None where the layer has no bias."""
        dweights = empty(src, self._native.weights_shape())
        dbias = empty(src, dweights.shape[:1]) if self._native.bias else None
        self._native.backward_weights(src, ddst, dweights, dbias)
        return dweights, dbias

    def packed_size(self, tensor):
        """Floats of a packed tensor: forward_src, forward_dst, backward_data_ddst, backward_data_dsrc, backward_weights_src or
        backward_weights_ddst."""
        return self._native.packed_size(choice("tensor", tensor, TENSORS))

    def _pack(self, tensor, plain, layout, out):
        tensor, layout = choice("tensor", tensor, TENSORS), choice("layout", layout, PLAIN_LAYOUTS)
        if out is None:
            out = zeros(plain, (self._native.packed_size(tensor),))
        self._native.pack(tensor, layout, plain, out)
        return out

    def _unpack(self, tensor, packed, layout, out):
        tensor, layout = choice("tensor", tensor, TENSORS), choice("layout", layout, PLAIN_LAYOUTS)
        if out is None:
            out = empty(packed, self._native.plain_shape(tensor, layout))
        self._native.unpack(tensor, layout, packed, out)
        return out

    def _out(self, like, out, tensor):
        return self._new(like, self._native.shape(TENSORS[tensor])) if out is None else out


class Conv2d(_Layer):
    """A convolution: src [N][C][H][W], weights [K][C][R][S], bias [K], dst [N][K][P][Q].

    Stride and padding are a number or a pair of height and width. With layout="nhwc" activations are [N][H][W][C]; with
    "packed" they are those of pack(), which a caller may keep between calls. training=True adds the backward passes.
    """

    def __init__(self, N, C, K, H, W, R, S, stride=1, padding=0, *, bias=False, activation=None, layout="nchw", training=False):
        (stride_h, stride_w), (pad_h, pad_w) = pair("stride", stride), pair("padding", padding)
        layer = native.conv2d(
            **sizes(N=N, C=C, K=K, H=H, W=W, R=R, S=S),
            stride_h=stride_h,
            stride_w=stride_w,
            pad_h=pad_h,
            pad_w=pad_w,
            bias=switch("bias", bias),
            training=switch("training", training),
            activation=choice("activation", activation, ACTIVATIONS),
            layout=choice("layout", layout, LAYOUTS),
        )
        super().__init__(layer, layout)

    def pack(self, tensor, plain, layout="nchw", out=None):
        """A plain tensor as one pass of this layer wants it. `tensor` is a name of packed_size()."""
        return self._pack(tensor, plain, layout, out)

    def unpack(self, tensor, packed, layout="nchw", out=None):
        """A packed tensor as a plain one; tensor as in packed_size()."""
        return self._unpack(tensor, packed, layout, out)


class Linear(_Layer):
    """A fully connected layer: dst [N][K] = activation(src [N][C] times the transposed weights [K][C], + bias [K])."""

    def __init__(self, N, C, K, *, bias=False, activation=None, packed=False, training=False):
        layout = "packed" if switch("packed", packed) else "nhwc"
        layer = native.linear(
            **sizes(N=N, C=C, K=K),
            bias=switch("bias", bias),
            training=switch("training", training),
            activation=choice("activation", activation, ACTIVATIONS),
            layout=LAYOUTS[layout],
        )
        super().__init__(layer, layout)

    def pack(self, tensor, plain, out=None):
        """A plain tensor as one pass of this layer wants it. `tensor` is a name of packed_size()."""
        return self._pack(tensor, plain, "nhwc", out)

    def unpack(self, tensor, packed, out=None):
        """A packed tensor as a plain one; tensor as in packed_size()."""
        return self._unpack(tensor, packed, "nhwc", out)


class Lstm:
    """L layers of LSTM cells, one upon the other; D = 2 directions if bidirectional, else 1.

    Gates lie in the order i f g o. Weights of layer l, with C_0 = C and C_l = D * K: input [D][C_l][4][K], state
    [D][K][4][K], bias [D][4][K]. x [T][N][C], y [T][N][D * K]; h and c [L * D][N][K].
    """

    def __init__(self, T, N, C, K, L=1, *, bidirectional=False, training=False):
        self._native = native.Lstm(
            **sizes(T=T, N=N, C=C, K=K, L=L),
            bidirectional=switch("bidirectional", bidirectional),
            training=switch("training", training),
        )

    def set_weights(self, layer, input, state, bias):
        """Copies and packs the weights of one layer, counted from 0."""
        self._native.set_weights(*sizes(layer=layer).values(), input, state, bias)

    def forward(self, x, h0=None, c0=None):
        """(y, hT, cT). States that are not given are zero."""
        states = self._native.states_shape()
        y, hT, cT = empty(x, self._native.y_shape()), empty(x, states), empty(x, states)
        self._native.forward(x, _or_zeros(h0, x, states), _or_zeros(c0, x, states), y, hT, cT)
        return y, hT, cT

    def backward(self, dy, dhT=None, dcT=None):
        """(dx, dh0, dc0) of the last forward. Gradients that are not given are zero."""
        states = self._native.states_shape()
        dx, dh0, dc0 = empty(dy, self._native.x_shape()), empty(dy, states), empty(dy, states)
        self._native.backward(dy, _or_zeros(dhT, dy, states), _or_zeros(dcT, dy, states), dx, dh0, dc0)
        return dx, dh0, dc0

    def weight_gradients(self, layer, like=None):
        """(input, state, bias) of the last backward, of the kind of `like`: NumPy's, unless that is a tensor."""
        (layer,) = sizes(layer=layer).values()
        shapes = self._native.input_shape(layer), self._native.state_shape(), self._native.bias_shape()
        gradients = tuple(empty(like, shape) for shape in shapes)
        self._native.weight_gradients(layer, *gradients)
        return gradients


def _or_zeros(array, like, shape):
    return zeros(like, shape) if array is None else array

"""Brickwork for Python: the batch-reduce GEMM, and convolution, fully connected and LSTM layers on the CPU, in float32.

Functions (brgemm, conv2d, linear, lstm and their *_backward) compute with one call. Layers (Conv2d, Linear, Lstm) keep packed
weights between calls. brickwork.torch has convolutions with gradients for PyTorch.
"""

from ._native import BadArgument, Unsupported, set_threads, threads
from ._native import version as _version
from .functions import brgemm, conv2d, conv2d_backward, layers, linear, linear_backward, lstm, lstm_backward, tune
from .layers import Conv2d, Linear, Lstm

__version__ = _version()
keep_layers = layers.keep

__all__ = [
    "BadArgument",
    "Conv2d",
    "Linear",
    "Lstm",
    "Unsupported",
    "brgemm",
    "conv2d",
    "conv2d_backward",
    "keep_layers",
    "linear",
    "linear_backward",
    "lstm",
    "lstm_backward",
    "set_threads",
    "threads",
    "tune",
]

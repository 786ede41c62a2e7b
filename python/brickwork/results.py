"""New arrays for results: of NumPy, or of PyTorch where the argument is a tensor."""

import math
import sys

import numpy

_LINE, _HUGE_PAGE, _HUGE_FROM = 64, 2 << 20, 256 << 10  # bytes


def _torch_of(like):
    """PyTorch if the array is one of its tensors. Nobody has a tensor before torch is imported."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(like, getattr(torch, "Tensor", ())) else None


def empty(like, shape):
    torch = _torch_of(like)
    return torch.empty(shape, dtype=torch.float32, device="cpu") if torch else numpy.empty(shape, numpy.float32)


def zeros(like, shape):
    """Memory for packed tensors. Kernels read whole cache lines of them, so it begins at a line, and if it is large at a huge page, as
    the library's own memory does: a 1x1 layer of ResNet-50 took up to 6 % less time (28 images, Zen 4)."""
    count = math.prod(shape)
    align = _HUGE_PAGE if 4 * count >= _HUGE_FROM else _LINE
    memory = numpy.zeros(count + align // 4, numpy.float32)
    first = -memory.ctypes.data % align // 4
    array = memory[first : first + count].reshape(shape)
    torch = _torch_of(like)
    return torch.from_numpy(array) if torch else array

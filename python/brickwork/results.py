"""New arrays for results: of NumPy, or of PyTorch where the argument is a tensor."""

import sys

import numpy


def _torch_of(like):
    """PyTorch if the array is one of its tensors. Nobody has a tensor before torch is imported."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(like, getattr(torch, "Tensor", ())) else None


def empty(like, shape):
    torch = _torch_of(like)
    return torch.empty(shape, dtype=torch.float32, device="cpu") if torch else numpy.empty(shape, numpy.float32)


def zeros(like, shape):
    torch = _torch_of(like)
    return torch.zeros(shape, dtype=torch.float32, device="cpu") if torch else numpy.zeros(shape, numpy.float32)

"""PyTorch's convolutions on the CPU by brickwork, with gradients.

Tensors are float32, contiguous as NCHW or as channels_last, and results are as the input is. Weights may have any strides, as
each call copies them into the layer anyway; so may gradients, which PyTorch makes. Everything else that does not fit is refused.
"""

import torch

from . import Unsupported
from .functions import conv2d_layer

_NHWC = (0, 2, 3, 1)
_NCHW = (0, 3, 1, 2)


class _Conv2d(torch.autograd.Function):
    @staticmethod
    def forward(ctx, src, weight, bias, stride, padding, recorded):
        channels_last = src.dim() == 4 and not src.is_contiguous() and src.is_contiguous(memory_format=torch.channels_last)
        ctx.save_for_backward(src, weight)
        ctx.options = {"layout": "nhwc" if channels_last else "nchw", "stride": stride, "padding": padding, "bias": bias is not None}
        weight = weight.detach().contiguous()
        # A layer with backward passes serves both: forward alone would need another one, with its own memory.
        with conv2d_layer(_as(src, ctx.options), weight, training=recorded and any(ctx.needs_input_grad), **ctx.options) as layer:
            layer.set_weights(weight, None if bias is None else bias.detach())
            return _back(layer.forward(_as(src, ctx.options)), ctx.options)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, ddst):
        src, weight = ctx.saved_tensors
        src, weight = _as(src, ctx.options), weight.detach().contiguous()
        ddst = _as(ddst, ctx.options).contiguous()
        dsrc = dweight = dbias = None
        with conv2d_layer(src, weight, training=True, **ctx.options) as layer:
            if ctx.needs_input_grad[0]:
                layer.set_weights(weight, weight.new_zeros(len(weight)) if ctx.options["bias"] else None)
                dsrc = _back(layer.backward_data(ddst), ctx.options)
            if any(ctx.needs_input_grad[1:3]):
                dweight, dbias = layer.backward_weights(src, ddst)
        return dsrc, dweight, dbias, None, None, None


def _as(tensor, options):
    """As the layer reads it; not a copy."""
    return tensor.detach().permute(_NHWC) if options["layout"] == "nhwc" else tensor.detach()


def _back(tensor, options):
    return tensor.permute(_NCHW) if options["layout"] == "nhwc" else tensor


def conv2d(src, weight, bias=None, stride=1, padding=0):
    """torch.nn.functional.conv2d with gradients, without groups and dilation."""
    return _Conv2d.apply(src, weight, bias, stride, padding, torch.is_grad_enabled())


def _unsupported(conv):
    """Why a torch.nn.Conv2d cannot run on brickwork, or nothing."""
    if conv.groups != 1 or conv.dilation != (1, 1):
        return f"groups={conv.groups} and dilation={conv.dilation}: expected 1 and (1, 1)"
    if isinstance(conv.padding, str) or conv.padding_mode != "zeros":
        return f"padding={conv.padding!r} with {conv.padding_mode}: expected numbers and zeros"
    if conv.weight.dtype != torch.float32 or conv.weight.device.type != "cpu":
        return f"weights of {conv.weight.dtype} on {conv.weight.device}: expected float32 on the CPU"
    return ""


class Conv2d(torch.nn.Conv2d):
    """torch.nn.Conv2d by brickwork."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if reason := _unsupported(self):
            raise Unsupported(reason)

    def forward(self, input):
        return conv2d(input, self.weight, self.bias, self.stride, self.padding)


def replace_convolutions(model):
    """Turns each torch.nn.Conv2d of a model that brickwork supports into a Conv2d in place, with its parameters and hooks. The
    others stay. Returns how many it turned."""
    supported = [module for module in model.modules() if type(module) is torch.nn.Conv2d and not _unsupported(module)]
    for module in supported:
        module.__class__ = Conv2d
    return len(supported)

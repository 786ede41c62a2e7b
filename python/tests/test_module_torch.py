"""Tensors of PyTorch, without copies, and gradients beside PyTorch's own."""

import copy

import numpy as np
import pytest
from definitions import integers

brickwork = pytest.importorskip("brickwork", exc_type=ModuleNotFoundError)
torch = pytest.importorskip("torch", exc_type=ImportError)
ours = pytest.importorskip("brickwork.torch")


def tensor(*shape, seed=0, grad=False):
    return torch.from_numpy(integers(*shape, seed=seed)).requires_grad_(grad)


def gradients(function, *inputs):
    result = function(*inputs)
    heads = tensor(*result.shape, seed=9)
    return result, torch.autograd.grad((result * heads).sum(), inputs)


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize(("stride", "padding", "bias"), [(1, 1, True), (2, 0, False), ((2, 1), (0, 2), True)])
def test_a_convolution_and_its_gradients_are_those_of_torch(stride, padding, bias, channels_last):
    src = tensor(2, 16, 10, 9)
    if channels_last:
        src = src.to(memory_format=torch.channels_last)
    inputs = [src.requires_grad_(), tensor(8, 16, 3, 3, seed=1, grad=True)]
    if bias:
        inputs.append(tensor(8, seed=2, grad=True))
    options = {"stride": stride, "padding": padding}
    result, mine = gradients(lambda *tensors: ours.conv2d(*tensors, **options), *inputs)
    right, theirs = gradients(lambda *tensors: torch.nn.functional.conv2d(*tensors, **options), *inputs)
    torch.testing.assert_close(result, right, rtol=0, atol=0)
    assert result.is_contiguous(memory_format=torch.channels_last if channels_last else torch.contiguous_format)
    for my, their in zip(mine, theirs, strict=True):
        torch.testing.assert_close(my, their, rtol=0, atol=0)


def test_only_the_gradients_that_are_needed_are_computed():
    src, weight = tensor(1, 2, 4, 4), tensor(3, 2, 1, 1, seed=1, grad=True)
    ours.conv2d(src, weight).sum().backward()
    assert src.grad is None and weight.grad is not None
    assert not ours.conv2d(src, weight.detach()).requires_grad


def test_linear_and_its_gradients_are_those_of_torch():
    inputs = tensor(5, 37, grad=True), tensor(19, 37, seed=1, grad=True), tensor(19, seed=2, grad=True)
    right, theirs = gradients(torch.nn.functional.linear, *inputs)
    plain = [each.detach() for each in inputs]
    torch.testing.assert_close(brickwork.linear(*plain), right.detach(), rtol=0, atol=0)
    for my, their in zip(brickwork.linear_backward(*plain[:2], tensor(5, 19, seed=9), bias=True), theirs, strict=True):
        torch.testing.assert_close(my, their, rtol=0, atol=0)


def our_weights(lstm, L, D):
    """torch's [4K][C], of which it has two biases, as ours."""

    def of_layer(layer, name):
        K = lstm.hidden_size
        parts = [getattr(lstm, f"{name}_l{layer}{'_reverse' if d else ''}").detach() for d in range(D)]
        return torch.stack([part.reshape(4, K, -1).permute(2, 0, 1).reshape(*part.shape[1:], 4, K) for part in parts])

    names = "weight_ih", "weight_hh", "bias_ih", "bias_hh"
    parts = [[of_layer(layer, name) for name in names] for layer in range(L)]
    return [(input, state, of_input + of_state) for input, state, of_input, of_state in parts]


@pytest.mark.parametrize(("L", "D"), [(1, 1), (2, 2)])
def test_an_lstm_and_its_gradients_are_those_of_torch(L, D):
    torch.manual_seed(0)
    T, N, C, K = 4, 3, 9, 16
    lstm = torch.nn.LSTM(C, K, L, bidirectional=D == 2)
    x, h0, c0 = torch.randn(T, N, C, requires_grad=True), torch.randn(L * D, N, K), torch.randn(L * D, N, K)
    y, (hT, cT) = lstm(x, (h0, c0))
    weights = our_weights(lstm, L, D)
    for mine, right in zip(brickwork.lstm(x.detach(), weights, h0, c0), (y, hT, cT), strict=True):
        torch.testing.assert_close(mine, right.detach(), rtol=1e-5, atol=1e-5)
    heads = [torch.randn_like(result) for result in (y, hT, cT)]
    sum((head * result).sum() for head, result in zip(heads, (y, hT, cT), strict=True)).backward()
    dx, _, _, dweights = brickwork.lstm_backward(x.detach(), weights, *heads, h0, c0)
    torch.testing.assert_close(dx, x.grad, rtol=1e-4, atol=1e-4)
    for parameter in lstm.parameters():  # our_weights() then reads gradients
        parameter.data = parameter.grad
    for mine, (d_input, d_state, d_biases) in zip(dweights, our_weights(lstm, L, D), strict=True):
        for my, their in zip(mine, (d_input, d_state, d_biases / 2), strict=True):
            torch.testing.assert_close(my, their, rtol=1e-4, atol=1e-4)


def test_results_are_tensors_and_their_memory_may_be_given():
    a, b = tensor(6, 4), tensor(4, 16, seed=1)
    assert torch.equal(brickwork.brgemm(a, b), a @ b)
    memory = np.zeros((6, 16), np.float32)
    out = torch.from_numpy(memory)
    assert brickwork.brgemm(a, b, out) is out
    np.testing.assert_array_equal(memory, (a @ b).numpy())
    layer = brickwork.Linear(6, 4, 16)
    layer.set_weights(b.T.contiguous())
    address = out.data_ptr()
    assert layer.forward(a, out) is out and out.data_ptr() == address
    assert torch.equal(out, a @ b)
    assert isinstance(layer.forward(a.numpy()), np.ndarray)


def test_wrong_tensors_are_refused():
    src, weight = tensor(2, 4, 6, 6), tensor(3, 4, 3, 3, seed=1)
    for wrong, sentence in [
        (src.clone().requires_grad_(), "'src' requires a gradient, .* brickwork.torch"),
        (src.double(), "'src' is float64"),
        (src.bfloat16(), "'src' is bfloat16"),
        (src.transpose(2, 3), "'src' is not contiguous"),
        (src.to("meta"), "'src' is of type .*Tensor"),
    ]:
        with pytest.raises(brickwork.BadArgument, match=sentence):
            brickwork.conv2d(wrong, weight)
    with pytest.raises(brickwork.BadArgument, match="'src' is not contiguous"):
        ours.conv2d(src.transpose(2, 3), weight)
    if torch.cuda.is_available():
        with pytest.raises(brickwork.BadArgument, match="'src' lies on a CUDA device"):
            brickwork.conv2d(src.cuda(), weight)


class Block(torch.nn.Module):
    """A bottleneck of a ResNet, with a convolution in groups."""

    def __init__(self, channels):
        super().__init__()
        conv, norm = torch.nn.Conv2d, torch.nn.BatchNorm2d
        self.path = torch.nn.Sequential(
            conv(channels, 16, 1, bias=False), norm(16), torch.nn.ReLU(),
            conv(16, 16, 3, stride=2, padding=1, groups=4), torch.nn.ReLU(),
            conv(16, 32, 3, padding=1, bias=False), norm(32))
        self.shortcut = conv(channels, 32, 1, stride=2, bias=False)

    def forward(self, x):
        return torch.relu(self.path(x) + self.shortcut(x))


@pytest.mark.parametrize("memory_format", [torch.contiguous_format, torch.channels_last])
def test_a_residual_network_learns_the_same_on_brickwork(memory_format):
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 7, 2, 3), torch.nn.MaxPool2d(2), Block(8), Block(32),
                                  torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(32, 10))
    network = network.to(memory_format=memory_format)
    mine = copy.deepcopy(network)
    assert ours.replace_convolutions(mine) == 7
    assert ours.replace_convolutions(mine) == 0
    assert {type(module) for module in mine.modules() if isinstance(module, torch.nn.Conv2d)} == {ours.Conv2d, torch.nn.Conv2d}
    images, labels = torch.randn(4, 3, 32, 32).to(memory_format=memory_format), torch.arange(4)
    for net in (network, mine):
        steps = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            steps.zero_grad()
            torch.nn.functional.cross_entropy(net(images), labels).backward()
            steps.step()
    for my, their in zip(mine.parameters(), network.parameters(), strict=True):
        torch.testing.assert_close(my, their, rtol=1e-3, atol=1e-4)
    mine.eval()
    network.eval()
    with torch.inference_mode():
        torch.testing.assert_close(mine(images), network(images), rtol=1e-3, atol=1e-3)


def test_a_convolution_that_brickwork_lacks_is_refused():
    for options in ({"groups": 2}, {"dilation": 2}, {"padding": "same"}, {"padding_mode": "reflect"}, {"dtype": torch.float64}):
        with pytest.raises(brickwork.Unsupported, match="expected"):
            ours.Conv2d(4, 4, 3, **options)
    conv = ours.Conv2d(4, 8, 3, padding=1)
    x = tensor(1, 4, 5, 5)
    torch.testing.assert_close(conv(x), torch.nn.functional.conv2d(x, conv.weight, conv.bias, padding=1))

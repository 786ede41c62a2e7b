"""Which arrays the module takes, that it does not copy them, and the sentence for each that it refuses."""

import os
import subprocess
import sys
import types

import numpy as np
import pytest
from definitions import integers

brickwork = pytest.importorskip("brickwork", exc_type=ModuleNotFoundError)

SRC, WEIGHTS = integers(2, 8, 6, 6), integers(4, 8, 3, 3, seed=1)
DST = brickwork.conv2d(SRC, WEIGHTS)


class Exported:
    """An array that only DLPack can read, as it could be another framework's; it may pretend to lie elsewhere."""

    def __init__(self, array):
        self._array = array
        self.exports = 0

    def __dlpack__(self, **options):
        self.exports += 1
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def layer(**options):
    made = brickwork.Conv2d(2, 8, 4, 6, 6, 3, 3, **options)
    made.set_weights(WEIGHTS)
    return made


def test_results_go_into_the_memory_that_the_caller_gives():
    out = np.full_like(DST, np.nan)
    assert layer().forward(SRC, out) is out
    np.testing.assert_array_equal(out, DST)
    packed = layer(layout="packed")
    src = packed.pack("forward_src", SRC, out=np.zeros(packed.packed_size("forward_src"), np.float32))
    dst = np.zeros(packed.packed_size("forward_dst"), np.float32)
    assert packed.forward(src, dst) is dst
    assert packed.unpack("forward_dst", dst, out=out) is out
    np.testing.assert_array_equal(out, DST)


def test_an_array_that_speaks_dlpack_is_read_and_written_where_it_lies():
    src, out = Exported(SRC.copy()), Exported(np.zeros_like(DST))
    layer().forward(src, out)
    assert src.exports and out.exports
    np.testing.assert_array_equal(out._array, DST)
    src._array[:] = 0  # nobody kept a copy
    layer().forward(src, out)
    assert not out._array.any()
    assert isinstance(layer().forward(src), np.ndarray)


def test_an_array_that_may_not_be_written_can_be_read():
    src = SRC.copy()
    src.flags.writeable = False
    np.testing.assert_array_equal(layer().forward(src), DST)


def test_a_view_in_c_order_is_taken_as_it_is():
    batch = np.stack([SRC[0], SRC[1], SRC[0]])
    np.testing.assert_array_equal(layer().forward(batch[:2]), DST)


def refused(sentence):
    return pytest.raises(brickwork.BadArgument, match=sentence)


@pytest.mark.parametrize(("src", "sentence"), [
    ([1.0, 2.0], "'src' is of type list: expected a NumPy array or a CPU tensor"),
    (None, "'src' is of type NoneType"),
    (SRC.astype(np.float64), "'src' is float64: expected float32"),
    (SRC.astype(np.int32), "'src' is int32: expected float32"),
    (SRC.astype(">f4"), "'src' is of type .*ndarray: expected .* of native byte order"),
    (SRC[0], r"'src' has shape \(8, 6, 6\): expected 4 dimensions"),
    (SRC[:, :, ::2], r"'src' is not contiguous, its strides are \(288, 36, 12, 1\) elements"),
    (np.broadcast_to(SRC[:1], SRC.shape), "'src' is not contiguous"),
    (np.asfortranarray(SRC), "'src' is not contiguous"),
    (SRC[:, :, :2], "R is 3: it must not exceed the padded input"),
    (SRC[:0], "N"),
])
def test_a_convolution_refuses_what_it_cannot_read(src, sentence):
    with refused(sentence):
        brickwork.conv2d(src, WEIGHTS)


def test_a_layer_refuses_tensors_of_other_sizes():
    with refused(r"'src' has shape \(1, 8, 6, 6\): expected \(2, 8, 6, 6\)"):
        layer().forward(SRC[:1])
    with refused(r"'weights' has shape \(3, 8, 3, 3\): expected \(4, 8, 3, 3\)"):
        layer().set_weights(WEIGHTS[:3])
    with refused(r"'out' has shape .*: expected \(2, 4, 4, 4\)"):
        layer().forward(SRC, np.zeros((2, 4, 4, 5), np.float32))
    with refused(r"'src' has shape .*: expected \(\d+,\)"):
        layer(layout="packed").forward(SRC)


def test_a_result_must_be_writable_and_apart_from_the_input():
    out = np.zeros_like(DST)
    out.flags.writeable = False
    with refused("'out' is read-only"):
        layer().forward(SRC, out)
    memory = np.zeros(SRC.size + DST.size, np.float32)
    overlapping = memory[SRC.size - 1 :][: DST.size].reshape(DST.shape)
    with refused("'out' shares memory with 'src'"):
        layer().forward(memory[: SRC.size].reshape(SRC.shape), overlapping)
    layer().forward(memory[: SRC.size].reshape(SRC.shape), memory[SRC.size :].reshape(DST.shape))


def test_a_bias_is_there_if_and_only_if_the_layer_has_one():
    with refused("'bias' is given, but the layer was made without it"):
        layer().set_weights(WEIGHTS, integers(4))
    with refused("'bias' is of type NoneType"):
        brickwork.Conv2d(2, 8, 4, 6, 6, 3, 3, bias=True).set_weights(WEIGHTS)


def test_a_product_refuses_operands_that_do_not_fit():
    a, b = integers(3, 4, 5), integers(3, 5, 6, seed=1)
    with refused(r"'b' has shape \(2, 5, 6\): expected \(3, 5, 6\)"):
        brickwork.brgemm(a, b[:2])
    with refused("'beta' is 1 and 'c' is None"):
        brickwork.brgemm(a, b, beta=1)
    with refused("'beta' is 0.5: expected 0 or 1"):
        brickwork.brgemm(a, b, beta=0.5)
    with refused("'c' shares memory with 'a'"):
        square = integers(5, 5)
        brickwork.brgemm(square, square, square)


@pytest.mark.parametrize(("options", "sentence"), [
    ({"stride": 0}, "sh is 0: it must be from 1"),
    ({"stride": 1.5}, "'stride' is 1.5: expected a whole number"),
    ({"stride": (1, 2, 3)}, r"'stride' is \(1, 2, 3\): expected a whole number or a pair"),
    ({"padding": (0, -1)}, "pw is -1: it must be from 0"),
    ({"activation": "swish"}, "'activation' is 'swish': expected one of None, 'relu'"),
    ({"layout": "chwn"}, "'layout' is 'chwn': expected one of 'nchw', 'nhwc', 'packed'"),
    ({"training": "no"}, "'training' is 'no': expected True or False"),
    ({"padding": 2**70}, "expected a number of 64 bits"),
])
def test_a_layer_refuses_options_that_do_not_exist(options, sentence):
    with refused(sentence):
        brickwork.Conv2d(2, 8, 4, 6, 6, 3, 3, **options)


def test_the_librarys_own_sentences_arrive():
    made = brickwork.Conv2d(2, 8, 4, 6, 6, 3, 3)
    with refused("the layer has no weights yet"):
        made.forward(SRC)
    with refused("create it with training = 1"):
        made.backward_data(DST)
    with refused("'tensor' is 'src': expected one of 'forward_src'"):
        made.packed_size("src")
    with refused("no tuning|sideways"):
        brickwork.tune("sideways")
    assert issubclass(brickwork.BadArgument, ValueError) and issubclass(brickwork.Unsupported, NotImplementedError)


def test_a_tensor_that_requires_a_gradient_is_refused():
    recorded = types.SimpleNamespace(requires_grad=True)
    with refused("'src' requires a gradient"):
        brickwork.conv2d(recorded, WEIGHTS)


def test_the_module_does_not_import_torch():
    imports = "import sys, brickwork; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", imports], env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, check=True)


def test_packed_tensors_begin_at_a_cache_line_and_large_ones_at_a_huge_page():
    for pixels, align in ((4, 64), (64, 2 << 20)):
        layer = brickwork.Conv2d(1, 16, 16, pixels, pixels, 1, 1, layout="packed")
        layer.set_weights(np.ones((16, 16, 1, 1), np.float32))
        packed = layer.pack("forward_src", np.ones((1, 16, pixels, pixels), np.float32))
        assert packed.ctypes.data % align == 0 and not layer.forward(packed).ctypes.data % align

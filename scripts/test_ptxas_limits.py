import os
import shutil
import subprocess

import pytest

import ptxas_limits
from ptxas_limits import Limit, Needs, read_limits, read_log, violations

# Output of ptxas of CUDA 13.0.
CLEAN = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4cleanPf' for 'sm_90'
ptxas info    : Function properties for _Z4cleanPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 34 registers, used 1 barriers, 2048 bytes smem
ptxas info    : Compile time = 3.2 ms
"""
SPILLING = """\
ptxas info    : Compiling entry function '_Z8spillingPf' for 'sm_90'
ptxas info    : Function properties for _Z8spillingPf
    48 bytes stack frame, 64 bytes spill stores, 80 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 48 bytes cumulative stack size
"""
SERIALISED = (
    "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma "
    "instructions defining accumulator registers of a wgmma in the function '_Z4cleanPf'\n"
)
LIMITS = [Limit("clean", Needs(registers=34, shared=2048)), Limit("spilling", Needs(registers=255, stack=48))]

KERNEL = """\
extern "C" __global__ void __launch_bounds__(1024, 2) many_sums(float *x) {
  float sums[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) sums[i] = x[i * 1024 + threadIdx.x];
  for (int k = 0; k < 100; ++k)
#pragma unroll
    for (int i = 0; i < 64; ++i) sums[i] = sums[i] * sums[(i + 1) % 64] + x[k];
#pragma unroll
  for (int i = 0; i < 64; ++i) x[i * 1024 + threadIdx.x] = sums[i];
}
"""
NVCC = shutil.which("nvcc", path=f"{os.environ['PATH']}:/usr/local/cuda/bin")


def test_reads_what_a_kernel_needs():
    kernels, warnings = read_log(CLEAN + SPILLING)
    assert kernels == {
        "_Z4cleanPf": Needs(registers=34, shared=2048),
        "_Z8spillingPf": Needs(registers=32, stack=48, spills=144),
    }
    assert warnings == []


def test_a_kernel_within_its_limits_passes():
    assert violations(CLEAN, LIMITS) == ([], {"clean"})


@pytest.mark.parametrize("what", ["registers 34", "shared 2048"])
def test_a_kernel_beyond_a_limit_fails(what):
    field, needed = what.split()
    tight = Needs(registers=34, shared=2048)
    setattr(tight, field, int(needed) - 1)
    (text,), _ = violations(CLEAN, [Limit("clean", tight)])
    assert f"{what}, but at most {int(needed) - 1}" in text


def test_spills_fail_where_a_stack_is_allowed():
    (text,), _ = violations(SPILLING, LIMITS)
    assert "_Z8spillingPf: spills 144, but at most 0 are allowed" in text


def test_a_stack_fails():
    wrong, _ = violations(SPILLING, [Limit("spilling", Needs(registers=255, spills=144))])
    assert wrong == ["_Z8spillingPf: stack 48, but at most 0 are allowed"]


def test_a_serialisation_fails():
    (text,), _ = violations(SERIALISED + CLEAN, LIMITS)
    assert "C7510" in text


def test_a_kernel_without_a_row_fails():
    (text,), _ = violations(CLEAN, LIMITS[1:])
    assert "no row" in text


@pytest.fixture
def limits_file(tmp_path):
    def write(*rows):
        path = tmp_path / "limits.csv"
        path.write_text("\n".join(["kernel,registers,stack,spills,shared,reason", *rows]) + "\n")
        return path

    return write


def test_the_table_is_read(limits_file):
    assert read_limits(limits_file("clean,34,0,0,2048,why")) == LIMITS[:1]


@pytest.mark.skipif(NVCC is None, reason="nvcc is not here")
def test_a_kernel_that_spills_fails_as_assembled(limits_file, tmp_path, capsys):
    source, ptx = tmp_path / "many_sums.cu", tmp_path / "many_sums.ptx"
    source.write_text(KERNEL)
    subprocess.run([NVCC, "-ptx", "-arch=compute_80", "-o", ptx, source], check=True)
    ptxas = shutil.which("ptxas", path=os.path.dirname(NVCC))

    def run(*rows, some=False):
        options = ["--limits", str(limits_file(*rows)), "--ptxas", ptxas, "--ptx", str(tmp_path), *["--some"] * some]
        status = ptxas_limits.main(options)
        return status, capsys.readouterr().out

    status, out = run("many_sums,255,4096,0,0,")
    assert status == 1
    assert "FAILED sm_80 many_sums: spills" in out and "FAILED sm_90 many_sums: spills" in out
    status, out = run("many_sums,255,4096,65536,0,")
    assert (status, "sm_90: 1 kernels" in out) == (0, True)
    status, out = run("many_sums,255,4096,65536,0,", "of_old,255,0,0,0,")
    assert status == 1 and "no kernel matches 'of_old'" in out
    status, out = run("many_sums,255,4096,65536,0,", "of_others,255,0,0,0,", some=True)
    assert status == 0
    status, out = run("many_sums,255,4096,0,0,", some=True)
    assert status == 1


def test_a_folder_without_ptx_fails(limits_file, tmp_path):
    with pytest.raises(SystemExit, match=r"no \.ptx in .*: is it built\?"):
        ptxas_limits.main(["--limits", str(limits_file()), "--ptx", str(tmp_path)])

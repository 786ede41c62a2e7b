"""The lines of code that cmake/SourceInfo.cmake counts."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "cmake" / "SourceInfo.cmake"
CODE = "// A comment.\n\nint a;  // counts\n   // does not\nint b;\n"


def lines_of(tree, path):
    out = tree / "source_info.hpp"
    subprocess.run(["cmake", f"-DSOURCE={tree}", f"-DOUTPUT={out}", "-P", SCRIPT], check=True, env={"PATH": path})
    return int(re.search(r"lines_of_primitives = (\d+);", out.read_text()).group(1))


@pytest.fixture
def tree(tmp_path):
    for path in ("conv/conv.cpp", "conv/conv.hpp", "conv/rows-inl.h", "conv/op/conv_op.cpp", "loop.hpp", "on_cuda.cu",
                 "conv/conv_test.cpp", "conv/testing/check.cpp", "testing/all.hpp", "CMakeLists.txt", "README.md", "../kernels/brgemm.cpp"):
        (tmp_path / "primitives" / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / "primitives" / path).write_text(CODE.replace("b;", f"{path.replace('/', '_')};"))  # cloc skips copies
    return tmp_path


@pytest.mark.skipif(not shutil.which("cloc"), reason="cloc is not here")
def test_code_of_the_primitives_is_counted_without_tests(tree):
    assert lines_of(tree, "/usr/bin:/bin") == 12


def test_without_cloc_nothing_is_counted(tree, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cmake").symlink_to(shutil.which("cmake"))
    assert lines_of(tree, str(tmp_path / "bin")) == 0

"""What cmake/LinesOfCode.cmake counts."""

import re
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "cmake" / "LinesOfCode.cmake"
CODE = "// A comment.\n\nint a;  // counts\n   // does not\nint b;\n"


def counted(tree):
    out = tree / "lines.hpp"
    subprocess.run(["cmake", f"-DSOURCE={tree}", f"-DOUTPUT={out}", "-P", SCRIPT], check=True)
    return {folder: int(lines) for folder, lines in re.findall(r'\{"(\w+)", (\d+)\}', out.read_text())}


def test_code_alone_is_counted(tmp_path):
    for path in ("conv/conv.cpp", "conv/conv.hpp", "conv/rows-inl.h", "add/add.cpp", "loop.hpp"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(CODE)
    assert counted(tmp_path) == {"conv": 6, "add": 2, "shared": 2}


def test_tests_references_and_the_machine_are_not(tmp_path):
    for path in ("conv/conv_test.cpp", "conv/conv_benchmark.cpp", "conv/op/op.cpp", "conv/testing/t.cpp", "op/op.hpp", "machine/m.cpp",
                 "tuning/t.cpp", "testing/t.hpp", "CMakeLists.txt", "add/add.cpp"):
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(CODE)
    assert counted(tmp_path) == {"add": 2}

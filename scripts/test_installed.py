"""The installed tree: moved, it measures, draws, and serves other programs; without its data it says so."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
EXAMPLES = ROOT / "library" / "examples"
CONSUMER = """\
cmake_minimum_required(VERSION 3.25)
project(consumer C CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(brickwork 0.1 REQUIRED COMPONENTS library program)
foreach(example brgemm.c convolution.c lstm.c layer.cpp)
  add_executable(${example}.x ${example})
  target_link_libraries(${example}.x brickwork::brickwork m)
endforeach()
# Each header alone, that of C in both languages.
set(alone)
foreach(source brickwork.h.c brickwork.h.cpp brickwork.hpp.cpp)
  cmake_path(REMOVE_EXTENSION source LAST_ONLY OUTPUT_VARIABLE header)
  file(WRITE ${CMAKE_BINARY_DIR}/${source} "#include <brickwork/${header}>\\n")
  list(APPEND alone ${CMAKE_BINARY_DIR}/${source})
endforeach()
add_library(alone OBJECT ${alone})
set_target_properties(alone PROPERTIES CXX_STANDARD 17)
target_link_libraries(alone brickwork::brickwork)
"""


def called(*command, **how) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **how)


def worked(*command, **how) -> str:
    ended = called(*command, **how)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def moved(tmp_path_factory) -> Path:
    if not all((BUILD / path).exists() for path in ("experiments/learn", "library/libbrickwork.so")):
        pytest.skip("build/release is not built whole")
    top = tmp_path_factory.mktemp("installed")
    worked("cmake", "--install", BUILD, "--prefix", top / "here")
    (top / "here").rename(top / "moved")
    return top / "moved"


def library_folder(prefix: Path) -> Path:
    """lib, or on some systems lib64."""
    (library,) = prefix.glob("lib*/libbrickwork.so")
    return library.parent


@pytest.fixture
def alone(tmp_path) -> dict[str, str]:
    """The environment of a user who has nothing of the checkout."""
    hidden = ("LD_LIBRARY_PATH", "PYTHONPATH", "CMAKE_PREFIX_PATH")
    return {name: value for name, value in os.environ.items() if name not in hidden} | {"PYTHON": sys.executable}


def test_a_moved_tree_measures_and_draws(moved, tmp_path, alone):
    few = ("--layer", "fc256", "--samples", "5", "--contenders", "brickwork-simd,onednn", "--tuning", "default")
    worked(moved / "bin" / "brickwork", "--experiment", "fc-forward", *few, "--out", "run", cwd=tmp_path, env=alone)
    assert "fc256" in (tmp_path / "run" / "samples.csv").read_text()
    worked(moved / "bin" / "brickwork-report", "run", "--out", "report", cwd=tmp_path, env=alone)
    assert "conv-onednn" in (tmp_path / "report" / "claims.csv").read_text() and (tmp_path / "report" / "report.html").exists()


def test_a_moved_tree_reproduces(moved, tmp_path, alone):
    said = worked(moved / "bin" / "brickwork-reproduce", "--only", "adding-rnn-1", "--out", "run", cwd=tmp_path, env=alone)
    assert (tmp_path / "run" / "report.html").exists() and "Next: open run/report.html" in said


def test_its_programs_need_no_library_of_the_checkout(moved):
    for path in (moved / "bin" / "brickwork", moved / "bin" / "learn", library_folder(moved) / "libbrickwork.so"):
        found = worked("ldd", path)
        assert "not found" not in found and "/.deps/" not in found and f"{BUILD}/" not in found, found


def test_it_has_its_own_shape_sets(moved, tmp_path, alone):
    shutil.copytree(moved, tmp_path / "tree", symlinks=True)
    sets = tmp_path / "tree" / "share" / "brickwork" / "experiments" / "shapes"
    (sets / "mine.csv").write_text((sets / "fc.csv").read_text())
    assert re.search(r"^ *mine\b", worked(tmp_path / "tree" / "bin" / "brickwork", "--list", env=alone), re.MULTILINE)


def test_other_programs_build_and_run_with_it(moved, tmp_path, alone):
    for path in EXAMPLES.iterdir():
        shutil.copy(path, tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(CONSUMER)
    worked("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={moved}", env=alone)
    worked("cmake", "--build", tmp_path / "build", env=alone)
    for path in EXAMPLES.iterdir():
        worked(tmp_path / "build" / f"{path.name}.x", env=alone)


def test_pkg_config_finds_it(moved, tmp_path, alone):
    folder = library_folder(moved)
    settings = alone | {"PKG_CONFIG_PATH": str(folder / "pkgconfig")}
    flags = worked("pkg-config", "--cflags", "--libs", "brickwork", env=settings).split()
    worked("cc", EXAMPLES / "brgemm.c", *flags, "-o", tmp_path / "brgemm", f"-Wl,-rpath,{folder}")
    assert worked(tmp_path / "brgemm", env=alone)


def test_the_shared_library_shows_its_c_api_alone(moved):
    symbols = worked("nm", "-D", "--defined-only", library_folder(moved) / "libbrickwork.so")
    names = [line.split()[-1] for line in symbols.splitlines()]
    assert "brickwork_brgemm_run" in names and [name for name in names if not name.startswith("brickwork_")] == []


def test_an_unfit_version_is_refused(moved, tmp_path, alone):
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(x C)\nfind_package(brickwork 7 REQUIRED)\n")
    ended = called("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={moved}", env=alone)
    assert ended.returncode != 0 and 'compatible with requested version "7"' in ended.stderr


def test_a_tree_without_its_python_packages_says_so(moved, tmp_path, alone):
    bare = tmp_path / "bare"
    bare.write_text('#!/bin/sh\necho "pandas"\n')
    bare.chmod(0o755)
    ended = called(moved / "bin" / "brickwork-report", "x", "--out", "y", cwd=tmp_path, env=alone | {"PYTHON": str(bare)})
    assert ended.returncode == 126 and "lacks pandas: install these" in ended.stderr

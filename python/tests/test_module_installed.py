"""The module in an installed tree and from wheels: the first example of README.md runs with each."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "release"
WHEEL = ROOT / "build" / "wheel"  # kept, so that a second run compiles only what has changed
EXAMPLE = re.search(r"^```python\n(.*?)^```", (ROOT / "python" / "README.md").read_text(), re.M | re.S)[1]
long = pytest.mark.skipif("BRICKWORK_TEST_ALL" not in os.environ, reason="it builds the module once more: scripts/test --all does so")


def run(*command, **environment):
    ended = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"{command}:\n{ended.stdout}{ended.stderr}"
    return ended.stdout


def the_example_runs(packages):
    loaded = run(sys.executable, "-c", f"{EXAMPLE}\nprint(brickwork.__file__)", PYTHONPATH=str(packages))
    assert loaded.strip() == str(packages / "brickwork" / "__init__.py")


def installed(prefix):
    if not any((BUILT / "library").glob("libbrickwork.so*")) or not any((BUILT / "python" / "brickwork").glob("_native*")):
        pytest.skip("the preset release has not built the shared library and the module")
    run("cmake", "--install", str(BUILT), "--prefix", str(prefix))
    return prefix


def wheel_works(tmp_path, name, *options):
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    settings = [word for option in (f"build-dir={WHEEL / name}", *options) for word in ("-C", option)]
    run(*pip, "wheel", ".", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), *settings)
    (wheel,) = tmp_path.glob("brickwork-*.whl")
    run(*pip, "install", "--no-deps", "--target", str(tmp_path / "packages"), str(wheel))
    the_example_runs(tmp_path / "packages")


def test_the_module_of_an_installed_tree_works_after_the_tree_has_moved(tmp_path):
    moved = installed(tmp_path / "first").rename(tmp_path / "second")
    (packages,) = moved.glob("lib*/python3*/site-packages")
    the_example_runs(packages)


@long
def test_a_wheel_uses_an_installed_library(tmp_path):
    prefix = installed(WHEEL / "installed")
    wheel_works(tmp_path, "module", "cmake.source-dir=python", f"cmake.define.brickwork_ROOT={prefix}")


@long
def test_a_wheel_brings_the_library(tmp_path):
    pytest.importorskip("scikit_build_core")
    wheel_works(tmp_path, "whole")

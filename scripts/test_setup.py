"""scripts/setup with a python that installs nothing: what it asks pip to install, and when."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# The option, the python whose pip is called, and the arguments of pip.
OPTIONAL = [
    ("--with-onednn-latest", ".deps/onednn-latest/bin/python", "", "-r scripts/requirements-onednn-latest.txt"),
    ("--with-pytorch", ".deps/venv/bin/python", "--no-deps --target .deps/pytorch ", "-r scripts/requirements-pytorch.txt"),
    ("--with-dynet", ".deps/venv/bin/python", "--no-deps --target .deps/dynet ", "-r scripts/requirements-dynet.txt"),
    ("--with-tvm", ".deps/venv/bin/python", "--no-deps --target .deps/tvm ", "-r scripts/requirements-tvm.txt"),
    ("--with-cudnn", ".deps/venv/bin/python", "--no-deps --target .deps/cudnn-frontend ", "-r scripts/requirements-cudnn.txt"),
]
# Succeeds at every question, copies itself as the python of a new environment, and logs the calls of pip.
PYTHON = """#!/usr/bin/env bash
case "$1 $2" in
  "-m venv") mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
  "-m pip")
    echo "$0 $*" >> "$PIP_LOG"
    while [[ $# != 0 && $1 != --target ]]; do shift; done
    mkdir -p "${2:-.}" ;;
esac
"""


@pytest.fixture
def setup(tmp_path):
    """setup(options): the exit code and the calls of pip."""
    tree, log = tmp_path / "tree", tmp_path / "pip"
    shutil.copytree(ROOT / "scripts", tree / "scripts", ignore=shutil.ignore_patterns("__pycache__", "mutations"))
    for name, text in {"python3": PYTHON, "cmake": "#!/bin/sh\n", "patchelf": "#!/bin/sh\n"}.items():
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)

    def run(*options: str) -> tuple[int, list[str]]:
        log.write_text("")
        surroundings = {"PATH": f"{program.parent}:{os.environ['PATH']}", "PIP_LOG": str(log), "SPACK_ENV": "no Debian packages"}
        ended = subprocess.run([tree / "scripts" / "setup", *options], env=os.environ | surroundings, capture_output=True, check=False)
        return ended.returncode, log.read_text().splitlines()

    return run


@pytest.mark.parametrize(("option", "python", "where", "packages"), OPTIONAL)
def test_an_optional_package_is_installed_only_on_request(setup, option, python, where, packages):
    code, asked = setup()
    assert code == 0 and asked and not any(packages in line for line in asked)
    assert setup("--check")[0] == 0 and setup("--check", option)[0] == 1
    code, asked = setup(option)
    assert code == 0 and len(asked) == 1
    assert asked[0].startswith(f"{python} ") and asked[0].endswith(f" {where}{packages}")
    assert setup("--check", option)[0] == 0


def test_a_second_run_installs_nothing(setup):
    options = [option for option, *_ in OPTIONAL]
    setup(*options)
    assert setup(*options) == (0, [])
    assert setup() == (0, [])


def test_an_unknown_option_is_refused(setup):
    assert setup("--with-onednn-newest") == (2, [])

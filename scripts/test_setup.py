"""scripts/setup around a python that installs nothing: what it asks pip for, and when."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LATEST = "-r scripts/requirements-onednn-latest.txt"
PYTORCH = "-r scripts/requirements-pytorch.txt"
CUDNN = "-r scripts/requirements-cudnn.txt"
# Answers every question with yes, makes itself the python of a new environment and writes down what pip is to do.
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
    """setup(options): exit code, and what pip was asked for."""
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


def test_the_newest_onednn_is_installed_where_it_is_asked_for_alone(setup):
    code, asked = setup()
    assert code == 0 and asked and not any(LATEST in line for line in asked)
    assert setup("--check")[0] == 0 and setup("--check", "--with-onednn-latest")[0] == 1
    code, asked = setup("--with-onednn-latest")
    assert code == 0 and len(asked) == 1
    assert asked[0].startswith(".deps/onednn-latest/bin/python ") and asked[0].endswith(LATEST)
    assert setup("--check", "--with-onednn-latest")[0] == 0


def test_pytorch_is_installed_where_it_is_asked_for_alone_and_without_what_it_would_bring(setup):
    code, asked = setup()
    assert code == 0 and not any(PYTORCH in line for line in asked)
    assert setup("--check", "--with-pytorch")[0] == 1
    code, asked = setup("--with-pytorch")
    assert code == 0 and len(asked) == 1
    assert asked[0].startswith(".deps/venv/bin/python ") and asked[0].endswith(f"--no-deps --target .deps/pytorch {PYTORCH}")
    assert setup("--check", "--with-pytorch")[0] == 0


def test_the_frontend_of_cudnn_is_installed_where_it_is_asked_for_alone(setup):
    code, asked = setup()
    assert code == 0 and not any(CUDNN in line for line in asked)
    assert setup("--check", "--with-cudnn")[0] == 1
    code, asked = setup("--with-cudnn")
    assert code == 0 and len(asked) == 1
    assert asked[0].startswith(".deps/venv/bin/python ") and asked[0].endswith(f"--no-deps --target .deps/cudnn-frontend {CUDNN}")
    assert setup("--check", "--with-cudnn")[0] == 0


def test_a_second_run_installs_nothing(setup):
    setup("--with-onednn-latest", "--with-pytorch", "--with-cudnn")
    assert setup("--with-onednn-latest", "--with-pytorch", "--with-cudnn") == (0, [])
    assert setup() == (0, [])


def test_an_unknown_option_is_refused(setup):
    assert setup("--with-onednn-newest") == (2, [])

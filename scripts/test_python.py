"""scripts/python, which chooses the Python of the scripts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent / "python"


@pytest.fixture
def ended(tmp_path):
    """ended(checkout): how the script of a tree ends, which is a checkout or installed."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts")

    def run(checkout: bool, python: str = sys.executable) -> subprocess.CompletedProcess:
        if checkout:
            (tmp_path / "CMakeLists.txt").touch()
        command = [tmp_path / "scripts" / "python", "-c", "print('ran')"]
        return subprocess.run(command, env=os.environ | {"PYTHON": python}, capture_output=True, text=True, check=False)

    return run


def test_an_installed_tree_uses_the_python_that_is_named(ended):
    assert ended(checkout=False).stdout == "ran\n"


def test_a_python_that_lacks_packages_is_refused_with_their_names(ended, tmp_path):
    fake = tmp_path / "fake-python"
    fake.write_text('#!/bin/sh\n[ "$1" = - ] && echo "pandas scipy"\n')
    fake.chmod(0o755)
    refused = ended(checkout=False, python=str(fake))
    assert refused.returncode == 126 and "fake-python lacks pandas scipy: install these" in refused.stderr


def test_a_python_that_is_not_there_is_refused(ended):
    refused = ended(checkout=False, python="/missing/python")
    assert refused.returncode == 126 and "/missing/python cannot run: set PYTHON" in refused.stderr


def test_a_checkout_without_set_up_is_told_to_run_it(ended):
    refused = ended(checkout=True)
    assert refused.returncode == 126 and refused.stderr.endswith("is missing: run scripts/setup first\n")

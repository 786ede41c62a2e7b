"""All files of a library compile as one unit.

Presets compile several files of a library as one unit. Which files are joined depends on the list of files, and so on what
a build has (a Kokkos for GPUs, another library). If no two files give one name to different things, no build can fail.
"""

import json
import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

BUILD = Path(__file__).resolve().parent.parent / "build" / "release"


def joined(build):
    """The compile commands of the units of each target that has several units."""
    commands = json.loads((build / "compile_commands.json").read_text()) if build.is_dir() else []
    units = defaultdict(list)
    for command in commands:
        if target := re.search(r"/([\w-]+)\.dir/Unity/", command["file"]):
            units[target[1]].append(command)
    return {target: found for target, found in units.items() if len(found) > 1}


def errors(units, folder):
    """The compiler's errors for all these units as one."""
    whole = folder / "whole.cxx"
    whole.write_text("".join(f'#include "{unit["file"]}"\n' for unit in units))
    flags = units[0]["command"].partition(" -o ")[0]
    ended = subprocess.run(
        f"{flags} -fsyntax-only {whole}", shell=True, cwd=units[0]["directory"], capture_output=True, text=True, check=False
    )
    return ended.stderr if ended.returncode else ""


@pytest.mark.skipif("BRICKWORK_TEST_ALL" not in os.environ, reason="takes a minute: scripts/test --all runs it")
@pytest.mark.parametrize(("target", "units"), joined(BUILD).items())
def test_all_files_of_a_library_compile_as_one(target, units, tmp_path):
    assert errors(units, tmp_path) == ""


def test_a_name_for_two_things_is_found(tmp_path):
    files = {"a.cxx": "namespace { constexpr int kRows = 2; }", "b.cxx": "namespace { constexpr long kRows = 3; }"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    units = [{"file": str(tmp_path / f), "directory": str(tmp_path), "command": f"c++ -o {f}.o -c {f}"} for f in files]
    assert "kRows" in errors(units, tmp_path)
    assert errors(units[:1], tmp_path) == ""

"""Presets compile several files of a library as one unit. Which ones meet moves with the list of files, and that with
what a build has (a Kokkos for GPUs, a library more): so that none fails by a name which two files give to different
things, all files of a library must compile as one.
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
    """For each target whose files are in several units: these, and the command that compiles the first."""
    commands = json.loads((build / "compile_commands.json").read_text()) if build.is_dir() else []
    units = defaultdict(list)
    for command in commands:
        if target := re.search(r"/([\w-]+)\.dir/Unity/", command["file"]):
            units[target[1]].append(command)
    return {target: found for target, found in units.items() if len(found) > 1}


def errors(units, folder):
    """What the compiler says of all these units as one."""
    whole = folder / "whole.cxx"
    whole.write_text("".join(f'#include "{unit["file"]}"\n' for unit in units))
    flags = units[0]["command"].partition(" -o ")[0]
    ended = subprocess.run(
        f"{flags} -fsyntax-only {whole}", shell=True, cwd=units[0]["directory"], capture_output=True, text=True, check=False
    )
    return ended.stderr if ended.returncode else ""


@pytest.mark.skipif("BRICKWORK_TEST_ALL" not in os.environ, reason="takes a minute: scripts/test --all runs it")
@pytest.mark.parametrize(("target", "units"), joined(BUILD).items())
def test_no_name_is_given_to_two_things(target, units, tmp_path):
    assert errors(units, tmp_path) == ""


def test_a_name_of_two_things_is_found(tmp_path):
    files = {"a.cxx": "namespace { constexpr int kRows = 2; }", "b.cxx": "namespace { constexpr long kRows = 3; }"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    units = [{"file": str(tmp_path / f), "directory": str(tmp_path), "command": f"c++ -o {f}.o -c {f}"} for f in files]
    assert "kRows" in errors(units, tmp_path)
    assert errors(units[:1], tmp_path) == ""

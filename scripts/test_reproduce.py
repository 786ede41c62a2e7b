"""scripts/reproduce around a program that measures nothing: what it draws of what, and how it ends."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "plots" / "testdata"


def script(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/usr/bin/env bash", *lines, ""]))
    path.chmod(0o755)


@pytest.fixture
def reproduce(tmp_path):
    """reproduce(lines): the script where brickwork is these lines, which find the place of their results in $out."""

    def run(*brickwork: str) -> subprocess.CompletedProcess:
        tree = tmp_path / "tree"
        (tree / "scripts").mkdir(parents=True)
        shutil.copy(ROOT / "scripts" / "reproduce", tree / "scripts")
        for name in ("plots", "experiments"):
            (tree / name).symlink_to(ROOT / name)
        script(tree / "scripts" / "setup")
        script(tree / "bin" / "cmake")
        script(tree / ".deps" / "venv" / "bin" / "python", f'exec "{sys.executable}" "$@"')
        script(tree / "build" / "release" / "experiments" / "brickwork", 'out=${!#} stored=' + str(STORED), 'mkdir -p "$out"', *brickwork)
        path = {"PATH": f"{tree / 'bin'}:{os.environ['PATH']}"}
        command = [tree / "scripts" / "reproduce", "--out", tmp_path / "out"]
        return subprocess.run(command, env=os.environ | path, capture_output=True, text=True, check=False)

    return run


HEADER_ALONE = 'head -n 1 "$stored/conv/samples.csv" > "$out/samples.csv"; cp "$stored/conv/environment.json" "$out"'


def test_a_run_that_was_ended_before_its_first_row_does_not_take_the_report_away(reproduce, tmp_path):
    first = '[[ $out == *brgemm ]] && { cp "$stored"/brgemm/* "$out"; exit 0; }'
    ended = reproduce(first, HEADER_ALONE, "exit 130")
    assert ended.returncode == 130 and (tmp_path / "out" / "report.html").exists()
    assert "conv-forward-N4/samples.csv has a header but no rows: the run measured nothing." in ended.stderr
    assert ended.stderr.endswith("reproduce: interrupted: the report shows what was finished before\n")


def test_where_nothing_was_measured_no_report_is_promised(reproduce, tmp_path):
    ended = reproduce(HEADER_ALONE, "exit 130")
    assert ended.returncode == 130 and not (tmp_path / "out" / "report.html").exists()
    assert "reproduce: failed: plots/report.py (exit code 2)" in ended.stderr and "the report shows" not in ended.stderr


def test_a_failed_run_is_named_after_the_report(reproduce, tmp_path):
    ended = reproduce('[[ $out == *brgemm ]] && { cp "$stored"/brgemm/* "$out"; exit 0; }', "exit 1")
    assert ended.returncode == 1 and (tmp_path / "out" / "report.html").exists()
    failed = ["conv-forward-N4", "conv-forward-N1", "conv-backward-N4", "conv-update-N4"]
    failed += ["fc-forward", "fc-backward", "fc-update", "fc-inference"]
    failed += ["add", "add-backward", "sgd", "softmax-loss", "softmax-loss-backward"]
    failed += ["batch-norm-forward", "batch-norm-inference", "batch-norm-backward", "pool-forward", "pool-backward"]
    assert ended.stderr.splitlines()[-len(failed):] == [f"reproduce: failed: {run} (exit code 1)" for run in failed]

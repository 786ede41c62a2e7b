"""scripts/gpu-check with programs that measure nothing: its steps, what it reports about them, and how it ends."""

import csv
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = {
    "device": "baselines/contender/contender_test",
    "driver": "kernels/kernels_test",
    "brick": "kernels/brgemm_device_test",
    "conv": "primitives/conv_cuda_test",
    "libraries": "baselines/baselines_test",
}
PASSED = 'echo "[  PASSED  ] 2 tests."'
NO_DEVICE = "this machine has no CUDA device: it lacks a driver"
SKIPPED = f'echo "/somewhere/test.cpp:33: Skipped"; echo "{NO_DEVICE}"; echo "[  SKIPPED ] OnDevice.Works (0 ms)"'
FAILED = 'echo "[  FAILED  ] OnDevice.Works (1 ms)"; exit 1'
MEASURED = 'for out; do :; done; mkdir -p "$out"; echo "$*" > "$out/samples.csv"; echo "{}" > "$out/environment.json"'
SANITIZER = 'echo "$*" >> "$LOG"; shift 4; "$@"'


def script(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/usr/bin/env bash", *lines, ""]))
    path.chmod(0o755)


@pytest.fixture
def gpu_check(tmp_path):
    """gpu_check(options, programs): the ended process, and the rows of its steps.csv by their names."""

    def run(*options: str, brickwork: str = MEASURED, sanitizer: str = SANITIZER, **tests: str):
        tree, out = tmp_path / "tree", tmp_path / "out"
        (tree / "scripts").mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "scripts" / "gpu-check", tree / "scripts")
        build = tree / "build" / "release"
        for name, program in TESTS.items():
            if tests.get(name, PASSED):
                script(build / program, tests.get(name, PASSED))
        script(build / "experiments" / "brickwork", brickwork)
        if sanitizer:
            script(tree / "bin" / "compute-sanitizer", sanitizer)
        surroundings = {"PATH": f"{tree / 'bin'}:/usr/bin:/bin", "LOG": str(tmp_path / "log")}
        command = [tree / "scripts" / "gpu-check", *options]
        if "--list" not in options:
            command += ["--out", out]
        ended = subprocess.run(command, env=os.environ | surroundings, capture_output=True, text=True, check=False)
        steps = out / "steps.csv"
        rows = {row["step"]: row for row in csv.DictReader(steps.open())} if steps.exists() else {}
        return ended, rows

    return run


def test_all_steps_run_and_are_brought_back(gpu_check, tmp_path):
    ended, steps = gpu_check()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert {row["status"] for row in steps.values()} == {"ok"}
    listed, _ = gpu_check("--list")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(steps)
    for tool in ("memcheck", "racecheck", "initcheck"):
        assert {f"{tool}-brgemm_device", f"{tool}-conv_cuda"} <= set(steps)
        assert f"--tool {tool} --error-exitcode 9" in (tmp_path / "log").read_text()
    with tarfile.open(tmp_path / "out.tar.gz") as archive:
        names = archive.getnames()
    assert {"out/steps.csv", "out/device.log", "out/conv-forward-N256-bf16/samples.csv"} <= set(names)
    assert {"out/conv-forward-N28-f32-cold/environment.json", "out/fc-update-tf32/samples.csv"} <= set(names)


def test_only_the_steps_that_are_asked_for_join_those_before(gpu_check, tmp_path):
    gpu_check("--only", "device")
    ended, steps = gpu_check("--only", "conv-backward-N32-tf32*")
    assert ended.returncode == 0
    assert list(steps) == ["device", "conv-backward-N32-tf32", "conv-backward-N32-tf32-cold"]
    options = (tmp_path / "out" / "conv-backward-N32-tf32-cold" / "samples.csv").read_text()
    assert options.startswith("--experiment gpu-conv-backward --dtype tf32 --minibatch 32 --time-budget 120 --cache cold --out ")


def test_without_a_device_each_step_says_so(gpu_check):
    ended, steps = gpu_check(device=SKIPPED)
    assert ended.returncode == 1 and ended.stderr == f"gpu-check: nothing ran: {NO_DEVICE}\n"
    assert {(row["status"], row["reason"]) for row in steps.values()} == {("absent", NO_DEVICE)}


def test_missing_programs_are_named_and_the_other_steps_go_on(gpu_check):
    ended, steps = gpu_check(brick="", conv="", libraries="", sanitizer="")
    assert ended.returncode == 0
    assert steps["test-libraries"]["reason"] == "build/release/baselines/baselines_test is not built"
    assert steps["test-kernels"]["reason"] == "build/release/kernels/*_device_test is not built"
    assert steps["device"]["status"] == "ok" and "test-conv_cuda" not in steps
    ended, steps = gpu_check("--only", "*-conv_cuda", sanitizer="")
    assert steps["test-conv_cuda"]["status"] == "ok"
    assert steps["memcheck-conv_cuda"]["reason"] == "compute-sanitizer, a part of CUDA's toolkit, is not on PATH"
    assert steps["fc-forward-f32"]["status"] == "ok"


def test_failures_have_a_reason_and_the_others_go_on(gpu_check):
    racy = 'shift 4; [[ $1 == *conv* ]] && { echo "========= ERROR SUMMARY: 2 errors"; exit 9; }; "$@"'
    ended, steps = gpu_check(brick=FAILED, sanitizer=racy, brickwork='echo "brickwork: no contender could run, \\"none\\""; exit 1')
    assert ended.returncode == 1
    assert (steps["test-brgemm_device"]["status"], steps["test-brgemm_device"]["reason"]) == ("failed", "1 tests failed")
    assert (steps["racecheck-conv_cuda"]["status"], steps["racecheck-conv_cuda"]["reason"].strip()) == ("failed", "ERROR SUMMARY: 2 errors")
    assert steps["conv-update-N28-f32"]["reason"] == 'brickwork: no contender could run, "none"'
    assert steps["test-conv_cuda"]["status"] == "ok"


def test_a_program_that_does_not_start_is_named_with_its_words(gpu_check):
    ended, steps = gpu_check("--only", "test-conv_cuda", conv='echo "conv_cuda_test: no libcuda.so.1" >&2; exit 127')
    assert ended.returncode == 1
    assert (steps["test-conv_cuda"]["status"], steps["test-conv_cuda"]["reason"]) == ("failed", "conv_cuda_test: no libcuda.so.1")


def test_a_wrong_option_or_pattern_is_refused(gpu_check):
    for options in (("--onyl", "device"), ("--only", "nothing-*"), ("--only",)):
        ended, steps = gpu_check(*options) if options != ("--only",) else gpu_check("--list", "--only")
        assert ended.returncode == 2 and ended.stderr.startswith("gpu-check: ") and not steps

"""scripts/reproduce around a program that measures nothing: what it draws of what, and how it ends."""

import os
import re
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


# What of the tree is a text to learn from.
TEXT = ["README.md", "CONTRIBUTING.md", "kernels/brgemm/brgemm.hpp", "primitives/nest/league.hpp"]
TEXT += ["primitives/rnn/op/rnn_ops.hpp", "primitives/rnn/rnn.hpp"]


# Without the figures of what was timed, and of the three formats of the others the quickest.
REPORT = f"""\
import sys
sys.path.insert(0, {str(ROOT / "plots")!r})
import output, report, style
output.DRAWERS = dict.fromkeys(output.DRAWERS, ())
style.FORMATS = {{"svg": style.FORMATS["svg"]}}
sys.exit(report.main())
"""


@pytest.fixture
def reproduce(tmp_path):
    """reproduce(lines): the script where brickwork is these lines, which find the place of their results in $out. So are export and
    learn: where they say nothing, nothing is learned."""

    def run(
        *brickwork: str, cores: int = 2, most: int = 0, options: tuple = (), export: str = "exit 0", learn: str = "exit 0",
        text: bool = True,
    ) -> subprocess.CompletedProcess:
        tree = tmp_path / "tree"
        (tree / "scripts").mkdir(parents=True)
        shutil.copy(ROOT / "scripts" / "reproduce", tree / "scripts")
        (tree / "experiments").symlink_to(ROOT / "experiments")
        (tree / "plots").mkdir()
        (tree / "plots" / "report.py").write_text(REPORT)
        for name in TEXT if text else ():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(f"{name}\n")
        script(tree / "scripts" / "setup")
        script(tree / "bin" / "cmake")
        script(tree / "bin" / "nproc", f"echo {most or cores}")
        script(tree / "scripts" / "cpus", f"echo {cores}")
        script(tree / ".deps" / "venv" / "bin" / "python", f'exec "{sys.executable}" "$@"')
        script(tree / "build" / "release" / "experiments" / "brickwork", 'out=${!#} stored=' + str(STORED), 'mkdir -p "$out"', *brickwork)
        script(tree / "build" / "release" / "experiments" / "learn", 'out=${!#} stored=' + str(STORED), 'mkdir -p "$out"', learn)
        (tree / "scripts" / "export_digits.py").write_text(f"import subprocess, sys; sys.exit(subprocess.call({export!r}, shell=True))")
        path = {"PATH": f"{tree / 'bin'}:{os.environ['PATH']}"}
        command = [tree / "scripts" / "reproduce", "--out", tmp_path / "out", *options]
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
    failed = ["conv-forward-N4", "conv-forward-N4-one-thread", "conv-forward-N1", "conv-backward-N4", "conv-backward-N4-one-thread"]
    failed += ["conv-update-N4", "conv-update-N4-one-thread", "fc-forward", "fc-forward-one-thread"]
    failed += ["fc-backward", "fc-update", "fc-update-minibatch", "fc-inference"]
    failed += ["rnn-inference", "rnn-forward", "rnn-forward-one-thread", "rnn-backward"]
    failed += ["rnn-cells-forward", "rnn-cells-backward", "rnn-latency", "attention-forward", "attention-backward"]
    failed += ["add", "add-backward", "sgd", "softmax-loss", "softmax-loss-backward"]
    failed += ["batch-norm-forward", "batch-norm-inference", "batch-norm-backward", "pool-forward", "pool-backward"]
    failed += ["resnet50-step-N4", "mlp", "gnmt-stack-T10"]
    assert ended.stderr.splitlines()[-len(failed):] == [f"reproduce: failed: {run} (exit code 1)" for run in failed]


# Writes what it was called with, a line a run, and measures nothing.
LISTED = 'echo "$(basename "$out") ${*:1:$#-4}" >> "$(dirname "$out")/runs"; exit 1'
ALONE = " --contenders brickwork-simd,onednn --threads 1"


def runs(out: Path) -> dict[str, str]:
    return dict(line.partition(" ")[::2] for line in (out / "runs").read_text().splitlines())


@pytest.mark.parametrize("mode", ["--quick", "--full"])
def test_runs_on_one_thread_differ_from_those_before_them_in_threads_and_contenders_alone(reproduce, tmp_path, mode):
    reproduce(LISTED, options=(mode, "--threads", "2"))
    found = runs(tmp_path / "out")
    alone = {name: options for name, options in found.items() if name.endswith("-one-thread")}
    several = {name: next(other for other in found if name == f"{other}-one-thread") for name in alone}
    experiments = [other.split("-N")[0] for other in several.values()]
    assert experiments == ["conv-forward", "conv-backward", "conv-update", "fc-forward", "rnn-forward"]
    for name, other in several.items():
        searched = found[other].split(" --plan")[0].split(" --samples")[0]
        assert alone[name] == searched.removesuffix(" --threads 2") + ALONE
        assert found[other].endswith(" --threads 2") and list(found).index(name) == list(found).index(other) + 1


@pytest.mark.parametrize(("cores", "most", "options"), [(1, 1, ()), (2, 2, ("--threads", "1")), (1, 2, ())])
def test_where_all_runs_have_one_thread_there_is_no_second_one(reproduce, tmp_path, cores, most, options):
    ended = reproduce(LISTED, cores=cores, most=most, options=options)
    assert "reproduce: all runs have one thread, so those that show what more threads bring are left out\n" in ended.stdout
    found = runs(tmp_path / "out")
    assert {"conv-forward-N4", "fc-forward", "brgemm"} <= set(found) and not any(name.endswith("-one-thread") for name in found)


# brickwork refuses a search of more than half of its time: so much for each problem, simd's and LIBXSMM's plan.
def test_searches_leave_half_of_the_time_to_measuring(reproduce, tmp_path):
    ended = reproduce(LISTED, options=("--full",))
    budget = {name: int(seconds) for name, seconds in re.findall(r"^  (\S+) +up to +(\d+) s ", ended.stdout, re.MULTILINE)}
    usual = {"conv-forward": "resnet50", "fc-forward": "fc"}
    searches = {name: options for name, options in runs(tmp_path / "out").items() if "--plan search" in options}
    assert len(searches) > 3
    for name, options in searches.items():
        value = dict(re.findall(r"--(\S+) (\S+)", options))
        shapes = value.get("shapes", usual[value["experiment"]])
        problems = len((ROOT / "experiments" / "shapes" / f"{shapes}.csv").read_text().splitlines()) - 1
        searched = len(value.get("contenders", "simd,libxsmm").split(","))
        assert 2 * problems * searched * int(value["plan"].removeprefix("search:")) <= budget[name], name


@pytest.mark.parametrize(("only", "names"), [
    ("brgemm", ["brgemm"]),
    ("mlp,conv-forward-N?,fc-*-one-thread", ["conv-forward-N4", "conv-forward-N1", "fc-forward-one-thread", "mlp"]),
    ("digits-*-2", []),
])
def test_what_is_asked_for_alone_is_run(reproduce, tmp_path, only, names):
    ended = reproduce(LISTED, options=("--only", only), learn='echo "asked: $2"; exit 1')
    assert list(runs(tmp_path / "out") if names else {}) == names
    assert asked(ended) == (["digits-mlp", "digits-conv"] if "digits" in only else [])
    listed = re.findall(r"^  (\S+) +up to +\d+ s ", ended.stdout, re.MULTILINE)
    assert listed == names + (["digits-mlp-2", "digits-conv-2"] if "digits" in only else [])


@pytest.mark.parametrize("only", ["conv-forward-N28", "brgemm,conv", "*-N7", ""])
def test_a_run_that_there_is_not_is_refused_before_anything_is_made(reproduce, tmp_path, only):
    ended = reproduce(LISTED, options=("--only", only))
    assert ended.returncode == 2 and not (tmp_path / "out").exists()
    wrong = {"": "--only needs names of runs", "brgemm,conv": "--only conv is no run of --quick: there are brgemm conv-forward-N4 "}
    assert wrong.get(only, f"--only {only} is no run of --quick: there are brgemm conv-forward-N4 ") in ended.stderr


@pytest.mark.parametrize(("mode", "minutes"), [("quick", 30), ("full", 120)])
def test_the_help_promises_the_minutes_of_the_list(reproduce, tmp_path, mode, minutes):
    ended = reproduce(LISTED, options=(f"--{mode}",))
    (promised,) = re.findall(r"together up to about (\d+) minutes", ended.stdout)
    assert int(promised) <= minutes
    text = subprocess.run([ROOT / "scripts" / "reproduce", "--help"], capture_output=True, text=True, check=True).stdout
    assert re.search(rf"--{mode} .*: up to {minutes} minutes on two cores", text)


# Of the task and the threads that it is asked for.
LEARN = """cp "$stored"/learning/environment.json "$out"
sed "s/^digits-mlp/$2/; s/simd,1/simd,$4/" "$stored"/learning/learning.csv > "$out"/learning.csv"""
DATA = {"digits-mlp": "digits.csv", "digits-conv": "digits.csv", "adding-lstm": None, "adding-rnn": None, "characters": "text.txt"}


def asked(ended: subprocess.CompletedProcess) -> list[str]:
    return [line.removeprefix("asked: ") for line in ended.stdout.splitlines() if line.startswith("asked: ")]


@pytest.mark.parametrize(("cores", "counts"), [(1, [1]), (2, [1, 2])])
def test_every_network_is_trained_on_one_thread_and_on_all(reproduce, tmp_path, cores, counts):
    ended = reproduce("exit 0", cores=cores, learn=f'echo "asked: ${{*:1:$#-2}}"; {LEARN}')
    trainings = [(task, count) for count in counts for task in DATA]
    data = {task: f" --data {tmp_path}/out/{file}" if file else "" for task, file in DATA.items()}
    assert asked(ended) == [f"--task {task} --threads {count}{data[task]}" for task, count in trainings]
    assert all(f"  {task}-{count} " in ended.stdout for task, count in trainings)
    text = (tmp_path / "out" / "report.html").read_text()
    assert ended.returncode == 0 and all(f"Learning {task}" in text for task in DATA)
    assert (tmp_path / "out" / "text.txt").read_text().splitlines() == TEXT


def test_a_training_that_failed_is_named_after_the_report(reproduce, tmp_path):
    ended = reproduce("exit 0", learn=f"[[ $out == *digits-conv-1 ]] && exit 3\n{LEARN}")
    assert ended.returncode == 1 and ended.stderr.splitlines()[-1] == "reproduce: failed: digits-conv-1 (exit code 3)"
    assert "Learning digits-mlp" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(("export", "text", "failed"), [
    ("exit 1", True, "scripts/export_digits.py"), ("exit 0", False, "cat"),
])
def test_what_has_no_data_is_not_trained(reproduce, export, text, failed):
    brickwork = '[[ $out == *brgemm ]] && cp "$stored"/brgemm/* "$out"; exit 0'
    ended = reproduce(brickwork, cores=1, export=export, text=text, learn='echo "asked: $2"')
    left = [task for task in DATA if DATA[task] != ("digits.csv" if export == "exit 1" else "text.txt")]
    assert ended.returncode == 1 and asked(ended) == left
    assert ended.stderr.splitlines()[-1] == f"reproduce: failed: {failed} (exit code 1)"


def test_an_interrupted_training_ends_the_measuring(reproduce, tmp_path):
    ended = reproduce("exit 0", learn=f"echo asked; {LEARN}\nexit 130")
    assert ended.returncode == 130 and ended.stdout.count("asked") == 1 and (tmp_path / "out" / "report.html").exists()

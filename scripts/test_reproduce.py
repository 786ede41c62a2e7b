"""scripts/reproduce with a program in brickwork's place that measures nothing: what it runs and draws, and how it ends."""

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


# The files of the tree whose text is learned.
TEXT = ["README.md", "CONTRIBUTING.md", "kernels/brgemm/brgemm.hpp", "primitives/nest/league.hpp"]
TEXT += ["primitives/rnn/op/rnn_ops.hpp", "primitives/rnn/rnn.hpp"]


# In the report's place: lists the runs. The report takes 4 s.
LIST = """\
import sys
from pathlib import Path
*runs, _, out = sys.argv[1:]
Path(out).mkdir(exist_ok=True)
Path(out, "report.html").write_text("\\n".join(Path(run).name for run in runs))
"""
# The report, without figures of timed runs.
REPORT = f"""\
import sys
sys.path.insert(0, {str(ROOT / "plots")!r})
import output, report
output.DRAWERS = dict.fromkeys(output.DRAWERS, ())
sys.exit(report.main())
"""


@pytest.fixture
def reproduce(tmp_path):
    """reproduce(lines): runs the script with these lines as brickwork; $out is the folder of their results. export and learn likewise
    stand for these programs; by default they do nothing. drawn: the report is the real one."""

    def run(
        *brickwork: str, cores: int = 2, most: int = 0, options: tuple = (), export: str = "exit 0", learn: str = "exit 0",
        text: bool = True, again: bool = False, cmake: str = "", installed: bool = False, failing: str = "",
        drawn: bool = False,
    ) -> subprocess.CompletedProcess:
        top = tmp_path / "tree"
        tree, programs = (top / "share" / "brickwork", top / "bin") if installed else (top, top / "build" / "release" / "experiments")
        if again:
            shutil.rmtree(top)
        (tree / "scripts").mkdir(parents=True)
        if not installed:
            (tree / "CMakeLists.txt").touch()
        for name in ("reproduce", "report", "python", "training-text", "run_warnings.py"):
            shutil.copy(ROOT / "scripts" / name, tree / "scripts")
        (tree / "experiments").symlink_to(ROOT / "experiments")
        (tree / "plots").mkdir()
        (tree / "plots" / "report.py").write_text(REPORT if drawn else LIST)
        (tree / "plots" / "failing.py").write_text(f"for name in {failing.split()}: print(name)\n")
        for name in TEXT if text else ():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(f"{name}\n")
        script(tree / "scripts" / "setup")
        script(tmp_path / "path" / "cmake", cmake)
        script(tmp_path / "path" / "nproc", f"echo {most or cores}")
        script(tree / "scripts" / "cpus", f"echo {cores}")
        script(tree / ".deps" / "venv" / "bin" / "python", f'exec "{sys.executable}" "$@"')
        script(programs / "brickwork", 'out=${!#} stored=' + str(STORED), 'mkdir -p "$out"', *brickwork)
        script(programs / "learn", 'out=${!#} stored=' + str(STORED), 'mkdir -p "$out"', learn)
        (tree / "scripts" / "export_digits.py").write_text(f"import subprocess, sys; sys.exit(subprocess.call({export!r}, shell=True))")
        environment = {"PATH": f"{tmp_path / 'path'}:{os.environ['PATH']}", "PYTHON": sys.executable}
        where = () if again else ("--out", tmp_path / "out")
        command = [tree / "scripts" / "reproduce", *where, *options]
        return subprocess.run(command, env=os.environ | environment, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


HEADER_ALONE = 'head -n 1 "$stored/conv/samples.csv" > "$out/samples.csv"; cp "$stored/conv/environment.json" "$out"'


def test_a_run_interrupted_before_its_first_row_does_not_prevent_the_report(reproduce, tmp_path):
    first = '[[ $out == *brgemm ]] && { cp "$stored"/brgemm/* "$out"; exit 0; }'
    ended = reproduce(first, HEADER_ALONE, "exit 130", drawn=True)
    assert ended.returncode == 130 and (tmp_path / "out" / "report.html").exists()
    assert "conv-forward-N4/samples.csv has a header but no rows: the run measured nothing." in ended.stderr
    assert ended.stderr.endswith(
        "reproduce: interrupted: the report shows what was finished before\n"
        f"reproduce: to go on: scripts/reproduce --resume {tmp_path / 'out'}\n"
    )


def test_without_any_measurement_there_is_no_report(reproduce, tmp_path):
    ended = reproduce(HEADER_ALONE, "exit 130", drawn=True)
    assert ended.returncode == 130 and not (tmp_path / "out" / "report.html").exists()
    assert "reproduce: failed: scripts/report (exit code 2)" in ended.stderr and "the report shows" not in ended.stderr


def test_a_failed_run_is_named_after_the_report(reproduce, tmp_path):
    ended = reproduce('[[ $out == *brgemm ]] && { cp "$stored"/brgemm/* "$out"; exit 0; }', "exit 1")
    assert ended.returncode == 1 and (tmp_path / "out" / "report.html").exists()
    failed = ["conv-forward-N4", "conv-forward-N4-one-thread", "conv-forward-N1", "conv-backward-N4", "conv-backward-N4-one-thread"]
    failed += ["conv-update-N4", "conv-update-N4-one-thread", "fc-forward", "fc-forward-one-thread"]
    failed += ["fc-backward", "fc-update", "fc-update-minibatch", "fc-inference"]
    failed += ["rnn-inference", "rnn-forward", "rnn-forward-one-thread", "rnn-backward"]
    failed += ["rnn-cells-forward", "rnn-cells-backward", "rnn-latency", "recursive-inference", "recursive-training", "recursive-ablation"]
    failed += ["attention-forward", "attention-backward"]
    failed += ["add", "add-backward", "sgd", "softmax-loss", "softmax-loss-backward"]
    failed += ["batch-norm-forward", "batch-norm-inference", "batch-norm-backward", "pool-forward", "pool-backward"]
    failed += ["resnet50-step-N4", "mlp", "gnmt-stack-T10", "plans-rank-forward", "plans-rank-backward", "plans-rank-update"]
    assert ended.stderr.splitlines()[-len(failed):] == [f"reproduce: failed: {run} (exit code 1)" for run in failed]


# Writes its arguments but the last five (--brief, the time and the folder), one line for each run, and measures nothing.
LISTED = 'echo "$(basename "$out") ${*:1:$#-5}" >> "$(dirname "$out")/runs"; exit 1'
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
def test_runs_on_one_thread_are_not_repeated_on_one_thread(reproduce, tmp_path, cores, most, options):
    ended = reproduce(LISTED, cores=cores, most=most, options=options)
    assert "reproduce: all runs have one thread, so those that show what more threads bring are left out\n" in ended.stdout
    found = runs(tmp_path / "out")
    assert {"conv-forward-N4", "fc-forward", "brgemm"} <= set(found) and not any(name.endswith("-one-thread") for name in found)


# brickwork refuses a search that takes more than half of its time. It searches simd's and LIBXSMM's plan for each problem. For
# rankings of simd's plans it searches so long from the default plan, at random, and among the first plans of each of the five.
@pytest.mark.parametrize("mode", ["--quick", "--full"])
def test_searches_and_rankings_leave_half_of_the_time_to_measuring(reproduce, tmp_path, mode):
    ended = reproduce(LISTED, options=(mode,))
    budget = {name: int(seconds) for name, seconds in re.findall(r"^  (\S+) +up to +(\d+) s ", ended.stdout, re.MULTILINE)}
    usual = {"conv-forward": "resnet50", "conv-backward": "resnet50", "conv-update": "resnet50", "fc-forward": "fc"}
    searches = {name: options for name, options in runs(tmp_path / "out").items() if "--plan " in options}
    assert len(searches) > 2
    for name, options in searches.items():
        value = dict(re.findall(r"--(\S+) (\S+)", options))
        shapes = value.get("shapes", usual[value["experiment"]])
        named = value["layer"].count(",") + 1 if "layer" in value else 0
        problems = named or len((ROOT / "experiments" / "shapes" / f"{shapes}.csv").read_text().splitlines()) - 1
        how, _, seconds = value["plan"].partition(":")
        each = {"search": len(value.get("contenders", "simd,libxsmm").split(",")), "rank": 2 + 5}[how]
        assert 2 * problems * each * float(seconds) <= budget[name], name


def test_plans_are_ranked_for_every_pass(reproduce, tmp_path):
    reproduce(LISTED, options=("--quick",))
    reproduce(LISTED, options=("--full", "--out", tmp_path / "full"), again=True)
    for out, least in ((tmp_path / "out", 1), (tmp_path / "full", 4)):
        ranked = [dict(re.findall(r"--(\S+) (\S+)", options)) for options in runs(out).values() if "--plan rank" in options]
        experiments = [of["experiment"] for of in ranked]
        assert all(experiments.count(f"conv-{which}") >= least for which in ("forward", "backward", "update"))
        assert all("brickwork-simd" in of["contenders"].split(",") for of in ranked)


@pytest.mark.parametrize(("only", "names"), [
    ("brgemm", ["brgemm"]),
    ("mlp,conv-forward-N?,fc-*-one-thread", ["conv-forward-N4", "conv-forward-N1", "fc-forward-one-thread", "mlp"]),
    ("digits-*-2", []),
])
def test_only_the_named_runs_are_run(reproduce, tmp_path, only, names):
    ended = reproduce(LISTED, options=("--only", only), learn='echo "asked: $2"; exit 1')
    assert list(runs(tmp_path / "out") if names else {}) == names
    assert asked(ended) == (["digits-mlp", "digits-conv"] if "digits" in only else [])
    listed = re.findall(r"^  (\S+) +up to +\d+ s ", ended.stdout, re.MULTILINE)
    assert listed == names + (["digits-mlp-2", "digits-conv-2"] if "digits" in only else [])


@pytest.mark.parametrize("only", ["conv-forward-N28", "brgemm,conv", "*-N7", ""])
def test_an_unknown_run_is_refused_before_anything_is_written(reproduce, tmp_path, only):
    ended = reproduce(LISTED, options=("--only", only))
    assert ended.returncode == 2 and not (tmp_path / "out").exists()
    wrong = {"": "--only needs names of runs", "brgemm,conv": "--only conv is no run of --quick: there are brgemm conv-forward-N4 "}
    assert wrong.get(only, f"--only {only} is no run of --quick: there are brgemm conv-forward-N4 ") in ended.stderr


@pytest.mark.parametrize(("mode", "minutes"), [("quick", 41), ("full", 280)])
def test_the_help_promises_the_minutes_of_the_list(reproduce, tmp_path, mode, minutes):
    ended = reproduce(LISTED, options=(f"--{mode}",))
    (promised,) = re.findall(r"together up to about (\d+) minutes", ended.stdout)
    assert int(promised) <= minutes
    text = subprocess.run([ROOT / "scripts" / "reproduce", "--help"], capture_output=True, text=True, check=True).stdout
    assert re.search(rf"--{mode} .*: up to {minutes} minutes on two cores", text)


# Writes a training of the task and the threads that it is asked for.
LEARN = """cp "$stored"/learning/environment.json "$out"
sed "s/^digits-mlp/$2/; s/simd,1/simd,$4/" "$stored"/learning/learning.csv > "$out"/learning.csv"""
DATA = {
    "digits-mlp": "digits.csv", "digits-conv": "digits.csv", "adding-lstm": None, "adding-rnn": None, "characters": "text.txt",
    "listops-tree-lstm": None, "listops-lstm": None,
}
LONGEST = ("listops-tree-lstm", "listops-lstm")


def asked(ended: subprocess.CompletedProcess) -> list[str]:
    return [line.removeprefix("asked: ") for line in ended.stdout.splitlines() if line.startswith("asked: ")]


@pytest.mark.parametrize(("cores", "counts"), [(1, [1]), (2, [1, 2])])
def test_networks_are_trained_on_one_thread_and_on_all_and_the_longest_on_all_alone(reproduce, tmp_path, cores, counts):
    ended = reproduce("exit 0", cores=cores, learn=f'echo "asked: ${{*:1:$#-2}}"; {LEARN}')
    trainings = [(task, count) for count in counts for task in DATA if task not in LONGEST] + [(task, cores) for task in LONGEST]
    data = {task: f" --data {tmp_path}/out/{file}" if file else "" for task, file in DATA.items()}
    assert asked(ended) == [f"--task {task} --threads {count} --brief{data[task]}" for task, count in trainings]
    assert all(f"  {task}-{count} " in ended.stdout for task, count in trainings)
    reported = (tmp_path / "out" / "report.html").read_text().split()
    assert ended.returncode == 0 and reported == [f"{task}-{count}" for task, count in trainings]
    assert (tmp_path / "out" / "text.txt").read_text().splitlines() == TEXT


def test_a_training_that_failed_is_named_after_the_report(reproduce, tmp_path):
    ended = reproduce("exit 0", learn=f"[[ $out == *digits-conv-1 ]] && exit 3\n{LEARN}", drawn=True)
    assert ended.returncode == 1 and ended.stderr.splitlines()[-1] == "reproduce: failed: digits-conv-1 (exit code 3)"
    titles = re.findall(r'<h2 id="learned\d+">Learning (.*?): seed 1</h2>', (tmp_path / "out" / "report.html").read_text())
    assert set(" and ".join(titles).split(" and ")) == set(DATA)


@pytest.mark.parametrize(("export", "text", "failed"), [
    ("exit 1", True, "scripts/export_digits.py"), ("exit 0", False, "scripts/training-text"),
])
def test_a_training_without_data_is_left_out(reproduce, export, text, failed):
    brickwork = '[[ $out == *brgemm ]] && cp "$stored"/brgemm/* "$out"; exit 0'
    ended = reproduce(brickwork, cores=1, export=export, text=text, learn='echo "asked: $2"')
    left = [task for task in DATA if DATA[task] != ("digits.csv" if export == "exit 1" else "text.txt")]
    assert ended.returncode == 1 and asked(ended) == left
    assert ended.stderr.splitlines()[-1] == f"reproduce: failed: {failed} (exit code 1)"


def test_an_interrupted_training_ends_the_measuring(reproduce, tmp_path):
    ended = reproduce("exit 0", learn=f"echo asked; {LEARN}\nexit 130")
    assert ended.returncode == 130 and ended.stdout.count("asked") == 1 and (tmp_path / "out" / "report.html").exists()


# --- the screen


ONE_LINE = '''echo "one line"
[[ $* == *" --brief --time-budget "* ]] || echo "a long screen"
[[ $out != *brgemm ]] || cp "$stored"/brgemm/* "$out"'''


def test_a_whole_run_prints_few_lines_for_each_run(reproduce):
    ended = reproduce(ONE_LINE, learn=f'{LEARN}\n[[ $* == *" --brief "* ]] && echo "in brief" || {{ echo epoch 1; echo more; }}')
    assert ended.returncode == 0
    before, _, report = ended.stdout.partition("\n\n")
    assert "a long screen" not in before and before.count("one line") == 42 and before.count("in brief") == 12
    assert "epoch" not in before and "more" not in before
    assert re.findall(r"^\[(\d+)/54\] \S+, up to \d+ s$", before, re.MULTILINE) == [str(place) for place in range(1, 55)]
    assert len(before.splitlines()) <= 3 * 54 + 5
    assert report.rstrip().splitlines()[-1].startswith("Next: open ")


def test_a_warning_of_several_runs_is_shown_once(reproduce):
    warned = 'cp "$stored"/brgemm/* "$out"; sed -i "s/\\"warnings\\": \\[/&\\"a core is shared\\"/" "$out/environment.json"'
    warned += '; [[ $out == *brgemm ]] || cp "$stored"/conv/samples.csv "$out"'
    ended = reproduce(warned, options=("--only", "brgemm,conv-forward-N4"))
    assert ended.stdout.count("a core is shared") == 1 and "warning in 2 runs: a core is shared" in ended.stdout


def test_all_that_the_programs_print_is_shown_if_asked_for(reproduce):
    learn = f'{LEARN}\n[[ $* == *" --brief "* ]] || {{ echo epoch 1; echo more; }}'
    ended = reproduce(ONE_LINE, options=("--verbose", "--only", "brgemm,digits-mlp-1"), learn=learn)
    assert "a long screen" in ended.stdout and "epoch 1\nmore\n" in ended.stdout


def test_the_help_says_what_the_exit_codes_mean():
    text = subprocess.run([ROOT / "scripts" / "reproduce", "--help"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"Exit code: 0 .*; 1 .*; 2 .*; 130 interrupted\.", text, re.DOTALL)


# --- after an interruption


# The third run is interrupted after its first row; the second one failed.
CUT_SHORT = '''echo "$(basename "$out")" >> "$(dirname "$out")/asked"
if [[ $out == *one-thread ]]; then
  cp "$stored"/conv/* "$out"
  sed -i 's/"exit_code": 0/"exit_code": 130/' "$out/environment.json"
  exit 130
fi
[[ $out != *conv-forward-N4 ]] || exit 1
cp "$stored"/brgemm/* "$out"'''
ASKED = 'echo "$(basename "$out") $*" >> "$(dirname "$out")/asked"'


def test_an_interrupted_reproduce_goes_on_with_its_unfinished_runs(reproduce, tmp_path):
    options = ("--only", "brgemm,conv-forward-N4*,mlp", "--threads", "2")
    assert reproduce(CUT_SHORT, options=options).returncode == 130
    out = tmp_path / "out"
    assert (out / "asked").read_text().split() == ["brgemm", "conv-forward-N4", "conv-forward-N4-one-thread"]
    (out / "asked").unlink()
    left = out / "conv-forward-N4-one-thread" / "left"
    left.touch()
    ended = reproduce(f"{ASKED}; exit 1", options=("--resume", out), again=True)
    again = (out / "asked").read_text()
    assert [line.split()[0] for line in again.splitlines()] == ["conv-forward-N4", "conv-forward-N4-one-thread", "mlp"]
    assert "--threads 2 --brief" in again and not left.exists()
    assert re.search(r"^  brgemm +finished before$", ended.stdout, re.MULTILINE) and "[3/3] mlp" in ended.stdout
    assert ended.returncode == 1 and (out / "report.html").exists()


def test_nothing_is_left_to_do_for_a_reproduce_that_came_to_its_end(reproduce, tmp_path):
    stored = 'cp "$stored"/brgemm/* "$out"'
    assert reproduce(stored, options=("--only", "brgemm")).returncode == 0
    ended = reproduce("exit 1", options=("--resume", tmp_path / "out"), again=True)
    assert ended.returncode == 0 and "[1/" not in ended.stdout


@pytest.mark.parametrize(("options", "said"), [
    (("--resume",), "--resume needs the folder of an interrupted reproduce"),
    (("--resume", "missing"), "missing/reproduce.options is missing"),
    (("--resume", "missing", "--full"), "--resume takes the options of the interrupted reproduce: leave out --full"),
])
def test_a_folder_that_cannot_be_resumed_is_refused(options, said):
    ended = subprocess.run([ROOT / "scripts" / "reproduce", *options], capture_output=True, text=True, check=False)
    assert ended.returncode == 2 and said in ended.stderr


def test_a_build_that_fails_shows_its_end(reproduce, tmp_path):
    ended = reproduce("exit 0", cmake='[[ $1 != --build ]] || { echo "a wrong line"; exit 1; }')
    assert ended.returncode == 1 and "a wrong line\nreproduce: the build failed; " in ended.stderr
    assert not (tmp_path / "out").exists()


# --- after a claim that fails


TWICE = '''echo "$(basename "$out")" >> "$(dirname "$out")/measured"
[[ $out == *brgemm ]] && cp "$stored"/brgemm/* "$out" || cp "$stored"/conv/* "$out"
echo "$BASHPID" > "$out/by"'''


def test_runs_by_which_a_claim_fails_are_measured_once_more_and_the_second_result_counts(reproduce, tmp_path):
    ended = reproduce(TWICE, options=("--only", "brgemm,mlp"), failing="mlp")
    out = tmp_path / "out"
    assert (out / "measured").read_text().split() == ["brgemm", "mlp", "again"] and ended.returncode == 0
    assert "measured once more: mlp\nmlp again, up to " in ended.stdout
    assert (out / "mlp" / "by").read_text() != (out / "mlp" / "first" / "by").read_text()
    assert not (out / "again").exists() and not (out / "brgemm" / "first").exists()


def test_the_first_result_counts_where_the_second_measurement_breaks(reproduce, tmp_path):
    ended = reproduce(f"{TWICE}; [[ $out != *again ]]", options=("--only", "mlp"), failing="mlp")
    assert ended.returncode == 0 and (tmp_path / "out" / "report.html").exists()
    assert not (tmp_path / "out" / "again").exists() and not (tmp_path / "out" / "mlp" / "first").exists()


def test_a_run_with_a_wrong_result_is_not_excused_by_a_second_measurement(reproduce, tmp_path):
    ended = reproduce(f"{TWICE}; [[ $out != *mlp ]]", options=("--only", "mlp"), failing="mlp")
    assert ended.returncode == 1 and (tmp_path / "out" / "measured").read_text().split() == ["mlp"]


# --- an installed tree


def test_an_installed_tree_measures_with_its_own_programs_and_writes_where_it_is_called(reproduce, tmp_path):
    measured = 'echo "$0" > "$out/program"; cp "$stored"/brgemm/* "$out"'
    ended = reproduce(measured, installed=True, options=("--only", "brgemm", "--out", "here"), cmake="echo built; exit 1")
    assert ended.returncode == 0 and (tmp_path / "here" / "report.html").exists()
    assert (tmp_path / "here" / "brgemm" / "program").read_text() == f"{tmp_path}/tree/bin/brickwork\n"
    assert "built" not in ended.stdout and "set-up and build" not in ended.stdout


def test_an_installed_tree_learns_the_text_that_was_installed_with_it(reproduce, tmp_path):
    ended = reproduce("exit 0", cores=1, installed=True, options=("--only", "characters-1"), learn='echo "data: ${*: -3:1}"; exit 1')
    assert f"data: {tmp_path}/tree/share/brickwork/text.txt\n" in ended.stdout


# --- figures of runs that were measured before


def test_figures_are_drawn_from_stored_runs_without_a_build_and_are_the_same_each_time(reproduce, tmp_path):
    for name in ("first", "second"):
        asked_for = ("--figures-from", STORED / "brgemm", "--out", tmp_path / name)
        ended = reproduce("exit 1", again=name == "second", cmake="exit 1", options=asked_for, drawn=True)
        assert ended.returncode == 0
    drawn, again = (tmp_path / name for name in ("first", "second"))
    assert (drawn / "claims.csv").read_bytes() == (again / "claims.csv").read_bytes()
    assert (drawn / "report.html").read_text() == (again / "report.html").read_text().replace("/second", "/first")


@pytest.mark.parametrize(("options", "said"), [
    (("--figures-from",), "--figures-from needs a folder with runs"),
    (("--figures-from", "missing"), "--figures-from: there is no folder missing"),
    (("--figures-from", ".", "--full"), "--figures-from measures nothing: leave out --full"),
])
def test_figures_from_no_folder_or_with_options_of_a_measurement_are_refused(options, said):
    ended = subprocess.run([ROOT / "scripts" / "reproduce", *options], capture_output=True, text=True, check=False)
    assert ended.returncode == 2 and said in ended.stderr

"""scripts/compare-builds with programs in brickwork's place that print times without measuring."""

import csv
import json
import re
from pathlib import Path

import pytest

import compare_builds
from compare_builds import BAD_INPUT, CANNOT_TELL, INTERRUPTED, NO_REGRESSION, REGRESSION, RUNS, merged

# Prints the rows of two problems. Each call draws other times.
PROGRAM = """\
#!/bin/sh
calls=0 seed=@SEED@ out= problems= layers= winograd= status=ok folder=${0%/*}
[ ! -f "$folder/calls" ] || read -r calls <"$folder/calls"
slower=@SLOWER@
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2 ;;
    --problem) problems="$problems $2" ;;
    --layer) layers=$2 ;;
  esac
  shift
done
if [ "$problems" ] && [ "$layers" ]; then echo "brickwork: --layer cannot go with --problem" >&2; exit 2; fi
@BEFORE@
echo $((calls + 1)) >"$folder/calls"
if [ "$out" != none ]; then mkdir -p "$out"; echo '@FACTS@' >"$out/environment.json"; fi
disturbed=$(((calls + seed) % 2 * @NOISE@ * 1000))
seed=$((seed + calls * 7919))
draw() { seed=$(((seed * 1103515245 + 12345) % 2147483648)); drawn=$((seed / 65536 % 1000)); }
rows() { # problem, name, time in percent
  case " $problems " in "  " | *" $1 "*) ;; *) return ;; esac
  for sample in 0 1 2 3 4 5 6 7 8; do
    draw
    echo "$1,$2,onednn,no,run,ok,,$sample,1e-9"
    [ ! "$winograd" ] || echo "$1,$2,brickwork-winograd,yes,run,unsupported,needs a 3 x 3 kernel,,"
    echo "$1,$2,brickwork-simd,yes,pack,ok,,$sample,1e-9"
    if [ "$status$2" = failedsecond ]; then echo "$1,$2,brickwork-simd,yes,run,failed,is wrong,,"; return; fi
    echo "$1,$2,brickwork-simd,yes,run,ok,,$sample,$(($3 * (1000 + disturbed) * (1000 + drawn / 50)))e-11"
  done
}
echo problem,name,contender,ours,phase,status,reason,sample,seconds
echo stream,stream,stream,,run,ok,,0,1e-9
rows N1 first 100
rows N2 second $slower
"""

FACTS = {
    "compiler": "GNU 12.2.0", "compiler_flags": "-O3", "build_type": "Release", "cpu": {"name": "AMD EPYC", "usable_cores": 2},
    "git": {"commit": "0123456789abcdef", "dirty": False}, "warnings": [],
}


@pytest.fixture
def build(tmp_path):
    """build(name): the folder of a build. `slower` is the time of the second problem in percent, `noise` how many times longer every
    other call takes, and `before` what its program does first."""

    def make(name: str, slower: int = 100, noise: int = 0, before: str = "", **facts) -> str:
        program = tmp_path / name / "experiments" / "brickwork"
        program.parent.mkdir(parents=True)
        words = {"SEED": sum(map(ord, name)), "SLOWER": slower, "NOISE": noise, "BEFORE": before, "FACTS": json.dumps(FACTS | facts)}
        program.write_text(re.sub("@([A-Z]+)@", lambda word: str(words[word[1]]), PROGRAM))
        program.chmod(0o755)
        return str(tmp_path / name)

    return make


@pytest.fixture
def gate(tmp_path, capsys):
    """gate(arguments): the exit code, what is printed, and what is written to standard error."""

    def run(*given: str, only: str = "brgemm") -> tuple[int, str, str]:
        code = compare_builds.main(["--only", only, "--out", str(tmp_path / "out"), *map(str, given)])
        return code, *capsys.readouterr()

    return run


def rows(tmp_path: Path) -> list[dict]:
    with (tmp_path / "out" / "pairs.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def calls(folder: str) -> int:
    return int((Path(folder) / "experiments" / "calls").read_text())


def test_the_same_build_twice_is_not_slower(build, gate, tmp_path):
    a = build("a")
    code, said, _ = gate(a, a)
    assert code == NO_REGRESSION and "0 SLOWER, 0 UNDECIDED, 0 FASTER, 2 SAME" in said
    assert len(rows(tmp_path)) == 2 * 12 and calls(a) == 2 * (1 + 12)


def test_what_neither_build_can_do_is_no_regression(build, gate):
    a, b = (build(name, before="winograd=yes") for name in "ab")
    assert gate(a, b)[0] == NO_REGRESSION


def test_options_may_have_an_equals_sign(build):
    a = build("a")
    assert compare_builds.arguments([a, a, "--", "--layer=first", "--csv", "a=b"]).of_program == ["--layer", "first", "--csv", "a=b"]


def test_an_installed_tree_is_a_build(build, gate):
    a, b = build("a"), build("b")
    (Path(b) / "experiments").rename(Path(b) / "bin")
    assert gate(a, b)[0] == NO_REGRESSION


def test_a_slower_build_is_a_regression_and_is_measured_again(build, gate, tmp_path):
    code, said, _ = gate(build("a"), build("b", slower=110))
    assert code == REGRESSION and re.search(r"SLOWER +brgemm second brickwork-simd: 1\.[01]\d\d \[1\.\d+, 1\.\d+\], 22 pairs", said)
    again = [row for row in rows(tmp_path) if row["round"] == "2"]
    assert len(again) == 22 and {row["name"] for row in again} == {"second"}
    assert [row["first"] for row in again[:4]] == ["A", "B", "A", "B"]


def test_a_faster_build_is_no_regression(build, gate):
    code, said, _ = gate(build("a", slower=120), build("b"))
    assert code == NO_REGRESSION and re.search("FASTER +brgemm second", said)


def test_a_build_that_is_slower_only_at_first_is_not_slower(build, gate, tmp_path):
    a = build("a")
    code, said, _ = gate(a, build("b", before="[ $calls -ge 13 ] || slower=110"))
    assert code == NO_REGRESSION and "2 SAME" in said and len(rows(tmp_path)) == 24 + 22


def test_what_scatters_too_much_cannot_be_told(build, gate, tmp_path):
    code, said, _ = gate(build("a", noise=1), build("b", noise=1))
    assert (code, said.splitlines()[-2]) == (CANNOT_TELL, "0 SLOWER, 2 UNDECIDED, 0 FASTER, 0 SAME")
    assert len(rows(tmp_path)) == 24 + 2 * 98


@pytest.mark.parametrize("when", ["status=failed", "[ $calls != 3 ] || status=failed"])
def test_a_problem_that_only_the_second_build_fails_is_a_regression(build, gate, tmp_path, when):
    code, said, _ = gate(build("a"), build("b", before=when))
    assert code == REGRESSION and "FAILED    brgemm second brickwork-simd: failed: is wrong" in said
    assert "- FAILED: brgemm second brickwork-simd: failed: is wrong" in (tmp_path / "out" / "summary.md").read_text()


def test_a_problem_that_the_first_build_fails_is_left_out(build, gate):
    code, said, _ = gate(build("a", before="status=failed"), build("b"))
    assert code == NO_REGRESSION and "1 SAME, 1 that A has no time of or only one build knows" in said


def test_the_summary_names_the_worst_the_builds_and_the_rows(build, gate, tmp_path):
    a, b = build("a"), build("b", slower=110, git={"commit": "fedcba9876543210", "dirty": True}, warnings=["the CPU is shared"])
    gate(a, b, "--summary", tmp_path / "summary.md")
    text = (tmp_path / "summary.md").read_text()
    assert text.startswith("## B is slower than A.\n\n1 SLOWER, 0 UNDECIDED, 0 FASTER, 1 SAME.\n")
    assert re.search(r"\| brgemm second brickwork-simd \| SLOWER \| 1\.\d{3} \[1\.\d{3}, 1\.\d{3}\] \| 22 \|\n\| brgemm first", text)
    assert re.search(r"\| brgemm \| 2 \| 1\.0[345]\d \|", text)
    assert f"[pairs.csv]({tmp_path / 'out' / 'pairs.csv'})" in text and "Machine: AMD EPYC, 2 cores." in text
    assert f"- A: `{a}`, commit 0123456789ab, GNU 12.2.0, `-O3`" in text
    assert f"- B: `{b}`, commit fedcba987654 with changes, GNU 12.2.0, `-O3`\n  - warning: the CPU is shared" in text


# --- wrong input -----------------------------------------------------------------------------------------------------


def refused(ended: tuple[int, str, str]) -> str:
    code, _, error = ended
    assert code == BAD_INPUT and error.startswith("compare-builds: error: ") and error.count("\n") == 1
    return error


def test_a_folder_without_the_program_is_refused(build, gate, tmp_path):
    (tmp_path / "empty").mkdir()
    said = "empty holds no experiments/brickwork or bin/brickwork; name the folder of a build"
    assert said in refused(gate(build("a"), tmp_path / "empty"))


def test_an_unknown_revision_is_refused(build, gate):
    assert "'no-such-revision' is neither a folder nor a commit" in refused(gate(build("a"), "no-such-revision"))


@pytest.mark.parametrize(("fact", "word"), [("compiler", "compiler"), ("compiler_flags", "flags"), ("build_type", "build type")])
def test_builds_that_are_built_differently_are_refused_unless_allowed(build, gate, fact, word):
    a, b = build("a"), build("b", **{fact: "another"})
    assert f"the builds differ in {word} '{FACTS[fact]}' and 'another'" in refused(gate(a, b))


def test_builds_that_are_built_differently_may_be_compared_on_request(build, gate):
    assert gate(build("a"), build("b", compiler="Clang 14"), "--allow-different-flags")[0] == NO_REGRESSION


def test_a_build_with_sanitizers_is_refused(build, gate):
    assert "is built with sanitizers" in refused(gate(build("a"), build("b", before="# __asan_init")))


def test_a_run_that_a_build_does_not_have_is_refused_in_the_programs_words(build, gate):
    unknown = """echo "brickwork: unknown experiment 'brgemm'; there are: add" >&2; exit 2"""
    assert "b cannot measure brgemm: unknown experiment 'brgemm'; there are: add" in refused(gate(build("a"), build("b", before=unknown)))


def test_a_program_that_dies_is_refused(build, gate):
    assert "b cannot measure brgemm: exit code -11" in refused(gate(build("a"), build("b", before="kill -11 $$")))


def test_a_program_that_cannot_be_started_is_refused(build, gate):
    a, b = build("a"), build("b")
    (Path(b) / "experiments" / "brickwork").chmod(0o644)
    assert "cannot be started" in refused(gate(a, b))


def test_a_program_without_an_environment_is_refused(build, gate):
    assert "left no environment.json" in refused(gate(build("a"), build("b", before="out=none")))


def test_a_program_that_prints_other_rows_is_refused(build, gate):
    assert "b prints other rows than samples.csv has" in refused(gate(build("a"), build("b", before="echo a,b; echo 1,2; exit 0")))


def test_a_pattern_that_fits_no_run_is_refused(build, gate):
    a = build("a")
    assert "--only 'conv-sideways' fits no run; there are: brgemm, conv-forward-N1" in refused(gate(a, a, only="brgemm,conv-sideways"))


def test_a_folder_that_holds_something_is_refused(build, gate, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    a = build("a")
    assert "is not empty; give --out a new folder" in refused(gate(a, a))


def test_a_full_disk_is_told(build, gate):
    a = build("a")
    assert "/dev/full cannot be written to (No space left on device)" in refused(gate(a, a, "--summary", "/dev/full"))


@pytest.mark.parametrize("wrong", [["--effect", "0"], ["--effect", "x"], ["--pairs", "10"], ["--pairs", "many"], ["--nonsense"], []])
def test_wrong_options_are_refused(wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        compare_builds.main(["a", "b", *wrong] if wrong else [])
    assert ended.value.code == BAD_INPUT and capsys.readouterr().err.endswith("; try --help\n")


def test_an_interrupted_comparison_keeps_its_pairs(build, gate, tmp_path):
    code, _, error = gate(build("a"), build("b", before="[ $calls != 5 ] || exit 130"))
    assert code == INTERRUPTED and error.endswith(f"there is no verdict; {tmp_path / 'out'} keeps the pairs so far.\n")
    assert len(rows(tmp_path)) == 2 * 4


# --- what is measured ------------------------------------------------------------------------------------------------


def test_options_of_the_program_replace_those_of_the_table():
    assert merged(["--experiment", "add", "--threads", "1"], ["--threads", "2"]) == ("--experiment", "add", "--threads", "2")


@pytest.mark.parametrize("option", ["--layer", "--problem", "--shapes"])
def test_problems_that_the_user_names_replace_the_layers_of_the_table(option):
    assert merged(["--layer", "fc256", "--threads", "1"], [option, "x"]) == ("--threads", "1", option, "x")


def test_several_patterns_choose_several_runs():
    assert [run.name for run in compare_builds.chosen("conv-*-N1,add*", [])] == [
        "conv-forward-N1", "conv-backward-N1", "conv-update-N1", "add-N4",
    ]
    assert [run.name for run in compare_builds.chosen(None, [])] == list(RUNS)

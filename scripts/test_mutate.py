"""scripts/mutate on a tree of three files, where CMake only copies and a GoogleTest program is a shell script."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

CODE = """\
def larger(a, b):
    return a if a > b else b


def doubled(x):
    hint = 8
    return 2 * x if hint else 0
"""
TEST = """\
import code_under_test as code


def test_larger():
    assert code.larger(1, 2) == 2 and code.larger(2, 1) == 2


def test_doubled():
    assert code.doubled(3) == 6
"""
# Says what GoogleTest would; "cmake" takes it for a program.
PROGRAM = """\
#!/bin/sh
[ "$2" = --gtest_filter=None ] && { echo "[  PASSED  ] 0 tests."; exit 0; }
[ "$2" = --gtest_filter=Gpu ] && { echo "[  PASSED  ] 0 tests."; echo "[  SKIPPED ] 1 test, listed below:"; exit 0; }
echo "[ RUN      ] Toy.AddsUp"
sum=$((1 + 2))
[ "$sum" = 3 ] && { echo "[       OK ] Toy.AddsUp (0 ms)"; echo "[  PASSED  ] 1 test."; exit 0; }
echo "[  FAILED  ] Toy.AddsUp (0 ms)"
exit 1
"""
CMAKE = """\
#!/bin/sh
[ "$1" = --preset ] && exec mkdir -p build/release
[ "$1" = --build ] || exit 1
grep -q WRONG toy.sh && { echo "toy.sh:5: error: WRONG is no command"; exit 1; }
case "$*" in *--target\\ toy_test\\ *) cp toy.sh build/release/toy_test ;; *) exit 1 ;; esac
"""

LARGER = dict(name="larger", file="code_under_test.py", old="a > b", new="a < b", tests=["test_code.py"])
HINT = dict(name="hint", file="code_under_test.py", old="hint = 8", new="hint = 4", tests=["test_code.py"])
SUM = dict(name="sum", file="toy.sh", old="1 + 2", new="1 + 3", tests=["toy_test:Toy.*"])


class Tree:
    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "scripts" / "mutations").mkdir(parents=True)
        (folder / "bin").mkdir()
        (folder / ".deps").mkdir()
        (folder / ".deps" / "venv").symlink_to(sys.prefix)
        for name, text in {
            "scripts/mutate": (ROOT / "scripts" / "mutate").read_text(),
            "scripts/mutation_list.py": (ROOT / "scripts" / "mutation_list.py").read_text(),
            "code_under_test.py": CODE,
            "test_code.py": TEST,
            "toy.sh": PROGRAM,
            "bin/cmake": CMAKE,
            ".gitignore": "/build/\n/.deps/\n__pycache__/\n",
        }.items():
            (folder / name).write_text(text)
        for name in ("toy.sh", "bin/cmake"):
            (folder / name).chmod(0o755)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)

    def keep(self, *mutations: dict) -> None:
        lines = []
        for mutation in mutations:
            lines.append("[[mutation]]")
            lines += [f"{key} = '''{value}'''" if isinstance(value, str) else f"{key} = {value}" for key, value in mutation.items()]
        (self.folder / "scripts" / "mutations" / "toy.toml").write_text("\n".join(lines) + "\n")

    def start(self, *options: str) -> subprocess.Popen:
        heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731 - a shell's background jobs ignore it
        return subprocess.Popen(
            [sys.executable, "scripts/mutate", *options],
            cwd=self.folder,
            env=os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heard,
        )

    def mutate(self, *options: str) -> tuple[int, list[str], str]:
        """Exit code, lines about mutations with the counts behind them, and errors."""
        process = self.start(*options)
        out, err = process.communicate()
        assert "Traceback" not in err, err
        return process.returncode, [line for line in out.splitlines() if not line.startswith("unmutated")], err

    def files(self) -> dict[Path, bytes]:
        return {
            path: path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file() and not {"build", ".git", ".deps"} & {*path.relative_to(self.folder).parts}
        }


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def test_says_what_became_of_every_mutation(tree):
    unseen = HINT | {"name": "unseen"}
    compiler = SUM | {"name": "compiler", "new": "WRONG"}
    tree.keep(LARGER, HINT | {"survives": "it is only fast"}, unseen, SUM, compiler)
    before = tree.files()
    code, lines, err = tree.mutate()
    assert (code, err) == (1, "")
    for line, expected in zip(
        lines,
        [
            ("caught", "larger", "by test_code.py::test_larger"),
            ("lives as expected", "hint", "it is only fast"),
            ("LIVED", "unseen", "unseen by test_code.py"),
            ("caught", "sum", "by Toy.AddsUp"),
            ("not compiled", "compiler", "error: WRONG is no command"),
            ("5 of 5 mutations: 2 caught, 1 lives as expected, 1 LIVED, 1 not compiled",),
        ],
        strict=True,
    ):
        assert line.startswith(expected[0]) and line.endswith(expected[-1]) and all(part in line for part in expected), line
    assert tree.files() == before


def test_only_expected_survivors_are_a_success(tree):
    tree.keep(LARGER, HINT | {"survives": "it is only fast"})
    assert tree.mutate()[0] == 0


def test_an_expected_survivor_that_is_caught_is_reported(tree):
    tree.keep(LARGER | {"survives": "it is only fast"})
    code, lines, _ = tree.mutate()
    assert code == 0 and lines[-1] == "1 of 1 mutations: 1 caught after all"
    assert lines[0].startswith("caught after all") and "by test_code.py::test_larger, though listed as: it is only fast" in lines[0]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"old": "a >= b"}, "its old text is 0 times in code_under_test.py, not once"),
        ({"old": "return"}, "its old text is 2 times in code_under_test.py, not once"),
        ({"file": "gone.py"}, "there is no gone.py"),
    ],
)
def test_a_mutation_that_does_not_apply_is_an_error(tree, change, why):
    tree.keep(LARGER | change, LARGER | {"name": "other"})
    code, lines, _ = tree.mutate()
    assert code == 1 and lines[0].startswith("does not apply") and lines[0].endswith(why)
    assert lines[1].startswith("caught")
    code, lines, _ = tree.mutate("--list")
    assert code == 1 and lines[1].strip() == f"does not apply: {why}"


def test_nothing_is_concluded_where_the_unmutated_tests_fail(tree):
    tree.keep(LARGER)
    (tree.folder / "test_code.py").write_text("def test_wrong():\n    assert False\n")
    code, lines, err = tree.mutate()
    assert (code, lines) == (2, [])
    assert err == "mutate: test_code.py fails without any mutation, so nothing can be concluded; see build/mutate/build/output.txt\n"


def test_nothing_is_concluded_from_a_filter_that_selects_nothing(tree):
    tree.keep(SUM | {"tests": ["toy_test:None"]})
    assert tree.mutate()[2].startswith("mutate: toy_test:None runs no test, so nothing can be concluded")


def test_what_no_test_of_this_machine_could_see_is_skipped(tree):
    tree.keep(SUM | {"tests": ["toy_test:Gpu"]}, SUM | {"name": "seen", "tests": ["toy_test:Gpu", "toy_test:Toy.*"]})
    code, lines, _ = tree.mutate()
    assert code == 0
    assert lines[0].startswith("skipped") and lines[0].endswith("here toy_test:Gpu skip")
    assert lines[1].startswith("caught")


def test_nothing_is_concluded_where_the_tree_does_not_build(tree):
    tree.keep(SUM | {"tests": ["no_such_target"]})
    assert tree.mutate()[2] == "mutate: the unmutated tree cannot be built; see build/mutate/build/output.txt\n"


def test_a_mutation_that_hangs_is_caught(tree):
    mutate = tree.folder / "scripts" / "mutate"
    mutate.write_text(mutate.read_text().replace("30 + 5 * seconds", "1"))
    tree.keep(SUM | {"old": "sum=", "new": "sleep 99; sum="})
    code, lines, _ = tree.mutate()
    assert code == 0 and lines[0].startswith("caught") and lines[0].endswith("by Toy.AddsUp, not done in 1 s")


def test_a_mutation_that_crashes_is_caught_by_the_test_that_ran(tree):
    crash = SUM | {"old": "sum=", "new": "kill -SEGV $$; sum="}
    exit_early = SUM | {"name": "exit", "old": "sum=", "new": "exit 7; sum="}
    tree.keep(crash, SUM | {"name": "kill", "old": "sum=", "new": "kill -KILL $$; sum="}, exit_early)
    lines = tree.mutate()[1]
    assert [line.rpartition("  ")[2] for line in lines[:3]] == [
        "by Toy.AddsUp, killed by SIGSEGV",
        "by Toy.AddsUp, killed by SIGKILL",
        "by Toy.AddsUp, which ended with status 7",
    ]


def test_a_mutation_for_another_processor_is_skipped(tree):
    tree.keep(LARGER | {"cpu": "abacus"})
    code, lines, _ = tree.mutate()
    assert code == 0 and lines[0].startswith("skipped") and lines[0].endswith("this processor has no abacus")


def test_only_selects_by_name_or_file(tree):
    tree.keep(LARGER, HINT, SUM)
    names = lambda *options: [line.split()[0] for line in tree.mutate("--list", *options)[1]]  # noqa: E731
    assert names() == ["larger", "hint", "sum"]
    assert names("--only", "l*") == ["larger"]
    assert names("--only", "code_*.py") == ["larger", "hint"]
    assert names("--only", "s?m", "--only", "hint") == ["hint", "sum"]


def test_the_copy_follows_the_tree(tree):
    tree.keep(HINT)
    (tree.folder / "stale.py").write_text("")
    assert tree.mutate()[0] == 1
    copy = tree.folder / "build" / "mutate"
    assert (copy / "stale.py").exists()
    (copy / "code_under_test.py").write_text("what a killed run left")
    (tree.folder / "stale.py").unlink()
    with (tree.folder / "test_code.py").open("a") as test:
        test.write("\n\ndef test_hint():\n    assert 'hint = 8' in open(code.__file__).read()\n")
    code, lines, _ = tree.mutate()
    assert code == 0 and lines[0].endswith("by test_code.py::test_hint")
    assert not (copy / "stale.py").exists()


def waiting(tree):
    """Started, and at work on a mutation whose test waits for build/done."""
    wait = "while [ ! -e ../done ]; do sleep 0.02; done; sum="
    tree.keep(SUM | {"old": "sum=", "new": wait})
    process = tree.start()
    copy = tree.folder / "build" / "mutate" / "build" / "release" / "toy_test"
    while not (copy.exists() and wait in copy.read_text()):
        assert process.poll() is None
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_so_and_leaves_nothing_behind(tree, how):
    process = waiting(tree)
    before = tree.files()
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert out.splitlines()[-1] == "0 of 1 mutations, interrupted: nothing found"
    assert tree.files() == before
    (tree.folder / "build" / "done").touch()
    assert tree.mutate()[1][-1] == "1 of 1 mutations: 1 LIVED"


def test_what_a_killed_run_left_running_meets_no_other_one(tree):
    process = waiting(tree)
    before = tree.files()
    busy = "mutate: another mutate, or what a killed one left running, is still at work in build/mutate; wait for its end\n"
    assert tree.mutate() == (2, [], busy)
    process.kill()
    process.communicate()
    assert tree.mutate() == (2, [], busy)
    (tree.folder / "build" / "done").touch()
    deadline = time.monotonic() + 60
    while (ended := tree.mutate()) == (2, [], busy):
        assert time.monotonic() < deadline
    assert ended[1][-1] == "1 of 1 mutations: 1 LIVED"
    assert tree.files() == before


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"nmae": "x"}, "toy.toml, 'larger': unknown key 'nmae'; known are name, file, old, new, tests, survives, cpu"),
        ({"tests": []}, "toy.toml, 'larger': it needs a list of texts as 'tests'"),
        ({"tests": [1]}, "toy.toml, 'larger': it needs a list of texts as 'tests'"),
        ({"tests": 1}, "toy.toml, 'larger': it needs a list of texts as 'tests'"),
        ({"old": 1}, "toy.toml, 'larger': it needs a text as 'old'"),
        ({"old": ""}, "toy.toml, 'larger': 'old' must be a text that 'new' differs from"),
        ({"old": "a < b"}, "toy.toml, 'larger': 'old' must be a text that 'new' differs from"),
        ({"file": "../x"}, "toy.toml, 'larger': 'file' must be a path within the tree"),
    ],
)
def test_a_wrong_entry_is_refused_in_one_sentence(tree, change, complaint):
    tree.keep(LARGER | change)
    assert tree.mutate() == (2, [], f"mutate: {complaint}\n")


def test_a_name_is_given_once(tree):
    tree.keep(LARGER, LARGER)
    assert tree.mutate()[2] == "mutate: toy.toml: a second mutation has the name 'larger'\n"


def test_a_list_that_is_no_toml_is_refused(tree):
    (tree.folder / "scripts" / "mutations" / "toy.toml").write_text("[[mutation]\n")
    assert tree.mutate()[2].startswith("mutate: toy.toml cannot be read: ")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--jobs", "0"], "argument --jobs: '0' is not a whole number from 1; try --help"),
        (["--speed"], "unrecognized arguments: --speed; try --help"),
        (["--only", "x*"], "no mutation and no file of one matches 'x*'; --list shows them"),
    ],
)
def test_wrong_usage_is_one_sentence(tree, options, complaint):
    tree.keep(LARGER)
    assert tree.mutate(*options) == (2, [], f"mutate: {complaint}\n")


def test_the_kept_list_applies_to_the_tree():
    """Whoever changes a line that a mutation stands on changes the mutation, too."""
    listing = subprocess.run([sys.executable, ROOT / "scripts" / "mutate", "--list"], capture_output=True, text=True, check=False)
    assert listing.returncode == 0, listing.stdout + listing.stderr

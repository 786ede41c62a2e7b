"""scripts/mutate on a tree of a few files, where CMake only copies and a GoogleTest program is a shell script."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import changed_mutants
import mutation_list

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("mutate", "mutation_list.py", "changed_mutants.py")

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
TOY_TEST = "TEST(Toy, AddsUp) {}\n"
# Takes WRONG and break for errors. Where it is asked to, it says which sources its one target has.
CMAKE = """\
#!/bin/sh
reply=build/release/.cmake/api/v1/reply
[ "$1" = --preset ] && {
  mkdir -p $reply
  [ -e build/release/.cmake/api/v1/query/codemodel-v2 ] || exit 1
  echo '{"name": "toy_test", "sources": [{"path": "toy/toy_test.cpp"}]}' > $reply/target-toy_test-Release.json
  exit 0
}
[ "$1" = --build ] || exit 1
grep -q -e WRONG -e 'break;' toy/toy.cpp && { echo "toy/toy.cpp:5: error: WRONG is no command"; exit 1; }
case "$*" in *--target\\ toy_test\\ *) cp toy/toy.cpp build/release/toy_test ;; *) exit 1 ;; esac
"""

LARGER = dict(name="larger", file="plain/code_under_test.py", old="a > b", new="a < b", tests=["plain/test_code.py"])
HINT = dict(name="hint", file="plain/code_under_test.py", old="hint = 8", new="hint = 4", tests=["plain/test_code.py"])
SUM = dict(name="sum", file="toy/toy.cpp", old="1 + 2", new="1 + 3", tests=["toy_test:Toy.*"])


class Tree:
    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "scripts" / "mutations").mkdir(parents=True)
        (folder / "bin").mkdir()
        (folder / ".deps").mkdir()
        (folder / ".deps" / "venv").symlink_to(sys.prefix)
        for name, text in {
            **{f"scripts/{name}": (ROOT / "scripts" / name).read_text() for name in PROGRAMS},
            "plain/code_under_test.py": CODE,
            "plain/test_code.py": TEST,
            "toy/toy.cpp": PROGRAM,
            "toy/toy_test.cpp": TOY_TEST,
            "bin/cmake": CMAKE,
            ".gitignore": "/build/\n/.deps/\n__pycache__/\n",
        }.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        for name in ("toy/toy.cpp", "bin/cmake"):
            (folder / name).chmod(0o755)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)

    def commit(self) -> None:
        name = ["-c", "user.name=nobody", "-c", "user.email=nobody"]
        for command in (["add", "--all"], [*name, "commit", "--quiet", "--allow-empty", "--message=now"]):
            subprocess.run(["git", *command], cwd=self.folder, check=True)

    def change(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        assert path.read_text().count(old) == 1
        path.write_text(path.read_text().replace(old, new))

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
            env=os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
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
    tree.keep(LARGER, unseen, SUM, compiler)
    before = tree.files()
    code, lines, err = tree.mutate()
    assert (code, err) == (1, "")
    for line, expected in zip(
        lines,
        [
            ("caught", "larger", "by plain/test_code.py::test_larger"),
            ("LIVED", "unseen", "unseen by plain/test_code.py"),
            ("caught", "sum", "by Toy.AddsUp"),
            ("not compiled", "compiler", "error: WRONG is no command"),
            ("4 of 4 mutations: 2 caught, 1 LIVED, 1 not compiled",),
        ],
        strict=True,
    ):
        assert line.startswith(expected[0]) and line.endswith(expected[-1]) and all(part in line for part in expected), line
    assert tree.files() == before


def test_only_what_is_caught_is_a_success(tree):
    tree.keep(SUM)
    assert tree.mutate()[0] == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"old": "1 * 2"}, "its old text is 0 times in toy/toy.cpp, not once"),
        ({"old": "echo"}, "its old text is 7 times in toy/toy.cpp, not once"),
        ({"file": "gone.cpp"}, "there is no gone.cpp"),
    ],
)
def test_a_mutation_that_does_not_apply_is_an_error(tree, change, why):
    tree.keep(SUM | change, SUM | {"name": "other"})
    code, lines, _ = tree.mutate()
    assert code == 1 and lines[0].startswith("does not apply") and lines[0].endswith(why)
    assert lines[1].startswith("caught")
    code, lines, _ = tree.mutate("--list")
    assert code == 1 and lines[1].strip() == f"does not apply: {why}"


def test_nothing_is_concluded_where_the_unmutated_tests_fail(tree):
    tree.keep(LARGER)
    (tree.folder / "plain/test_code.py").write_text("def test_wrong():\n    assert False\n")
    code, lines, err = tree.mutate()
    assert (code, lines) == (2, [])
    assert err == "mutate: plain/test_code.py fails without any mutation, so nothing can be concluded; see build/mutate/build/output.txt\n"


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


def test_only_selects_by_name_or_file(tree):
    tree.keep(LARGER, HINT, SUM)
    names = lambda *options: [line.split()[0] for line in tree.mutate("--list", *options)[1]]  # noqa: E731
    assert names() == ["larger", "hint", "sum"]
    assert names("--only", "l*") == ["larger"]
    assert names("--only", "plain/*.py") == ["larger", "hint"]
    assert names("--only", "s?m", "--only", "hint") == ["hint", "sum"]


def test_the_copy_follows_the_tree(tree):
    tree.keep(SUM | {"new": "2 + 1"})
    (tree.folder / "stale.py").write_text("")
    assert tree.mutate()[0] == 1
    copy = tree.folder / "build" / "mutate"
    assert (copy / "stale.py").exists()
    (copy / "toy" / "toy.cpp").write_text("what a killed run left")
    (tree.folder / "stale.py").unlink()
    tree.change("toy/toy.cpp", "sum=", "grep -q '2 + [1]' $0 && exit 9\nsum=")
    code, lines, _ = tree.mutate()
    assert code == 0 and lines[0].endswith("by Toy.AddsUp, which ended with status 9")
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


# --- mutants of a change


def test_a_mutant_that_no_test_of_the_folder_sees_is_reported(tree):
    tree.commit()
    tree.change("plain/code_under_test.py", "hint = 8", "hint = 16")
    before = tree.files()
    code, lines, err = tree.mutate("--changed", "HEAD", "--at-most", "2", "--jobs", "1")
    assert (code, err, tree.files()) == (1, "", before)
    for told, mutant in (lines[0:2], lines[2:4]):
        assert told.startswith("LIVED") and "plain/code_under_test.py:6 " in told and told.endswith("unseen by plain/")
        assert mutant.startswith("    hint = 16  ==>  hint = ")
    assert lines[4].endswith(" mutations: 2 LIVED")


def test_a_mutant_that_the_tests_of_the_folder_see_is_caught(tree):
    tree.commit()
    tree.change("plain/code_under_test.py", "if a > b", "if b < a")
    code, lines, _ = tree.mutate("--changed", "HEAD", "--at-most", "1", "--jobs", "1", "--only", "plain/*")
    assert code == 0 and lines[0].startswith("caught") and lines[0].endswith("by plain/test_code.py::test_larger")
    assert "plain/code_under_test.py:2 " in lines[0] and lines[-1].endswith("mutations: 1 caught")


def test_the_tests_of_the_folder_are_run_where_those_of_the_file_let_a_mutant_live(tree):
    (tree.folder / "plain/test_code.py").rename(tree.folder / "plain/test_code_under_test.py")
    (tree.folder / "plain/test_other.py").write_text("def test_wrong():\n    assert False\n")
    tree.commit()
    tree.change("plain/code_under_test.py", "if a > b", "if b < a")
    code, lines, err = tree.mutate("--changed", "HEAD", "--at-most", "1", "--jobs", "1")
    assert (code, err) == (0, "") and lines[0].endswith("by plain/test_code_under_test.py::test_larger")
    tree.commit()
    tree.change("plain/code_under_test.py", "hint = 8", "hint = 16")
    code, _, err = tree.mutate("--changed", "HEAD", "--at-most", "1", "--jobs", "1")
    assert code == 2 and err.startswith("mutate: plain/ fails without any mutation, so nothing can be concluded")


def test_mutants_that_do_not_compile_are_counted_apart(tree):
    tree.commit()
    tree.change("toy/toy.cpp", "sum=$((1 + 2))", "sum=$((2 + 1))")
    code, lines, _ = tree.mutate("--changed", "HEAD", "--at-most", "99")
    assert any(line.startswith("caught") and line.endswith("by Toy.AddsUp") for line in lines), lines
    assert not any(line.startswith("not compiled") for line in lines) and " not compiled" in lines[-1]
    assert code == int("LIVED" in lines[-1])


def test_nothing_changed_is_a_success(tree):
    tree.commit()
    tree.commit()
    assert tree.mutate("--changed") == (0, ["0 of 0 mutations: nothing found"], "")


def test_what_is_mutated_are_the_lines_of_sources_that_differ(tree):
    tree.commit()
    tree.change("plain/code_under_test.py", "hint = 8", "hint = 9")
    tree.change("plain/test_code.py", "== 6", "== 2 * 3")
    subprocess.run(["git", "mv", "toy/toy.cpp", "toy/moved.cpp"], cwd=tree.folder, check=True)
    tree.change("toy/moved.cpp", "exit 1", "exit 2\nexit 3")
    for name in ("plain/new.py", "toy/new_benchmark.cpp", "toy/conftest.py", "toy/words.txt"):
        (tree.folder / name).write_text("a = 1\nb = 2\n")
    expected = {"plain/code_under_test.py": {6}, "toy/moved.cpp": {8, 9}, "plain/new.py": {1, 2}}
    assert changed_mutants.changed_lines(tree.folder, "HEAD") == expected


def test_the_tests_of_a_file_are_those_of_its_folder_its_namesake_first(tmp_path):
    programs = {}
    for file, text in {
        "a/add_test.cpp": "TEST(Add, One) {}\nTEST_P(Adds, Two) {}\n",
        "a/sub_test.cpp": "TYPED_TEST(Sub, One) {}\n",
        "a/op/op_test.cpp": "TEST_F(Op, One) {}\n",
        "a/op/op_cuda_test.cpp": "TEST(OnGpu, One) {}\n",
        "b/deep/far_test.cpp": "TEST(Far, One) {}\n",
        "a/add-inl.h": "",
        "a/op/other.hpp": "",
        "a/op/testing/tool.cpp": "",
        "b/near.cpp": "",
        "c/alone.cpp": "",
        "p/x.py": "",
        "p/test_x.py": "",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
        if file.endswith("_test.cpp") and "cuda" not in file:
            programs[file] = "op_test" if "/op/" in file else "all_test"

    def tests(file):
        return [test.text for test in changed_mutants.tests_of(tmp_path, file, programs)]

    of = "{0}.*:{0}/*:*/{0}.*".format
    add = f"all_test:{of('Add')}:{of('Adds')}"
    assert tests("a/add-inl.h") == [add, f"{add}:{of('Sub')}"]
    assert tests("a/op/other.hpp") == tests("a/op/testing/tool.cpp") == [f"op_test:{of('Op')}"]
    assert tests("b/near.cpp") == [f"all_test:{of('Far')}"]
    assert tests("c/alone.cpp") == []
    assert tests("p/x.py") == ["p/test_x.py", "p/"]


def mutant(file: str, line: int, old: str = "old\n", new: str = "new\n"):
    return changed_mutants.Mutant(file, line, old, new, (mutation_list.Test("test.py"),))


def test_the_first_mutants_are_of_all_files_and_of_different_lines():
    many = [mutant("a", line) for line in (1, 2) for _ in range(50)] + [mutant("b", 1), mutant("c", 1)]
    turns = changed_mutants.in_turns(changed_mutants.in_turns(many, lambda m: m.name), lambda m: m.file)
    assert [m.name for m in turns[:5]] == ["a:1", "b:1", "c:1", "a:2", "a:1"]
    assert len(turns) == len(many)


@pytest.mark.parametrize(
    ("file", "line", "new", "changes"),
    [
        ("x.py", 2, '    """Of b."""\n', False),
        ("x.py", 3, "    # words\n", False),
        ("x.py", 4, "    return a -\n", False),  # no Python
        ("x.py", 4, "    return a - 1\n", True),
        ("x.cpp", 1, "/*// words*/\n", False),
        ("x.cpp", 2, "int a = 2;\n", True),
    ],
)
def test_a_comment_is_no_code(tmp_path, file, line, new, changes):
    texts = {"x.py": 'def f(a):\n    """Of a."""\n    # word\n    return a + 1\n', "x.cpp": "// word\nint a = 1;\n"}
    (tmp_path / file).write_text(texts[file])
    old = texts[file].splitlines(keepends=True)[line - 1]
    assert changed_mutants.changes_code(tmp_path, mutant(file, line, old, new)) == changes


# --- lists and options


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"nmae": "x"}, "toy.toml, 'larger': unknown key 'nmae'; known are name, file, old, new, tests"),
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
    with pytest.raises(mutation_list.Refused) as refused:
        mutation_list.mutation_of(LARGER | change, "toy.toml")
    assert str(refused.value) == complaint


def test_a_name_is_given_once(tree):
    tree.keep(LARGER, LARGER)
    assert tree.mutate() == (2, [], "mutate: toy.toml: a second mutation has the name 'larger'\n")


def test_a_list_that_is_no_toml_is_refused(tree):
    path = tree.folder / "scripts" / "mutations" / "toy.toml"
    path.write_text("[[mutation]\n")
    with pytest.raises(mutation_list.Refused, match=r"^toy\.toml cannot be read: "):
        mutation_list.load(path.parent)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--jobs", "0"], "argument --jobs: '0' is not a whole number from 1; try --help"),
        (["--speed"], "unrecognized arguments: --speed; try --help"),
        (["--only", "x*"], "no mutation and no file of one matches 'x*'; --list shows them"),
        (["--at-most", "0"], "argument --at-most: '0' is not a whole number from 1; try --help"),
        (["--list", "--changed"], "--list shows what is kept, --changed makes what is not; try --help"),
        (["--changed", "elsewhere"], "git tells no change since 'elsewhere': fatal: bad revision 'elsewhere'"),
    ],
)
def test_wrong_usage_is_one_sentence(tree, options, complaint):
    tree.keep(LARGER)
    assert tree.mutate(*options) == (2, [], f"mutate: {complaint}\n")


def test_the_kept_list_applies_to_the_tree():
    """Whoever changes a line that a mutation stands on changes the mutation, too."""
    listing = subprocess.run([sys.executable, ROOT / "scripts" / "mutate", "--list"], capture_output=True, text=True, check=False)
    assert listing.returncode == 0, listing.stdout + listing.stderr

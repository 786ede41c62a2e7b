"""scripts/mutate on a tree of a few files: the kept mutations."""

import signal
import subprocess
import sys
import time

import pytest

import mutation_list
from toy_tree import HINT, LARGER, ROOT, SUM, Tree


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
        ({"old": "1 * 2"}, "its old text occurs 0 times in toy/toy.cpp instead of once"),
        ({"old": "echo"}, "its old text occurs 7 times in toy/toy.cpp instead of once"),
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


def test_a_mutation_is_skipped_if_all_its_tests_skip(tree):
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
    """Starts mutate on a mutation whose test waits for build/done, and returns once that test is built."""
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


def test_a_run_is_refused_while_children_of_a_killed_one_are_running(tree):
    process = waiting(tree)
    before = tree.files()
    busy = "mutate: another mutate, or a child of a killed one, is still running in build/mutate; wait until it ends\n"
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
        ({"nmae": "x"}, "toy.toml, 'larger': unknown key 'nmae'; known are name, file, old, new, tests"),
        ({"tests": []}, "toy.toml, 'larger': 'tests' must be a list of texts"),
        ({"tests": [1]}, "toy.toml, 'larger': 'tests' must be a list of texts"),
        ({"tests": 1}, "toy.toml, 'larger': 'tests' must be a list of texts"),
        ({"old": 1}, "toy.toml, 'larger': 'old' must be a text"),
        ({"old": ""}, "toy.toml, 'larger': 'old' must not be empty or equal to 'new'"),
        ({"old": "a < b"}, "toy.toml, 'larger': 'old' must not be empty or equal to 'new'"),
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
        (["--only", "x*"], "no mutation has a name or a file that matches 'x*'; --list shows them"),
        (["--at-most", "0"], "argument --at-most: '0' is not a whole number from 1; try --help"),
        (["--list", "--changed"], "--list shows the mutations of scripts/mutations, so it cannot be combined with --changed; try --help"),
        (["--changed", "elsewhere"], "git cannot list the changes since 'elsewhere': fatal: bad revision 'elsewhere'"),
    ],
)
def test_wrong_usage_is_one_sentence(tree, options, complaint):
    tree.keep(LARGER)
    assert tree.mutate(*options) == (2, [], f"mutate: {complaint}\n")


def test_the_kept_list_applies_to_the_tree():
    """A change of a mutated line must change the mutation, too."""
    listing = subprocess.run([sys.executable, ROOT / "scripts" / "mutate", "--list"], capture_output=True, text=True, check=False)
    assert listing.returncode == 0, listing.stdout + listing.stderr

"""scripts/mutate --changed on a tree of a few files."""

import subprocess

import pytest

import changed_mutants
import mutation_list
from toy_tree import Tree


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


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


def test_only_changed_lines_of_sources_are_mutated(tree):
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

"""Which program a folder or a git revision stands for. A program in cmake's place "builds" a file of the worktree."""

import os
import subprocess
from pathlib import Path

import pytest

import builds
from program import InputError

CMAKE = """\
#!/bin/sh
echo "$*" >>"$CALLS"
[ "$1" = --build ] || exit 0
if grep -q broken source; then echo "source:1: error: broken"; exit 1; fi
mkdir -p build/release/experiments
cp source build/release/experiments/brickwork
"""


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    return subprocess.run(["git", "-C", str(folder), *who, *arguments], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Its first commit is tagged before, its second is broken."""
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "-q")
    for text in ("first", "broken"):
        (root / "source").write_text(text)
        (root / "CMakePresets.json").write_text("{}")
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", text)
    git(root, "tag", "before", "HEAD~1")
    (root / ".deps").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cmake").write_text(CMAKE)
    (tmp_path / "bin" / "cmake").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setattr(builds, "ROOT", root)
    monkeypatch.setattr(builds, "WORKTREES", root / "build" / "compare")
    return root


def test_a_revision_is_built_in_a_worktree_that_has_the_dependencies(repository, tmp_path):
    build = builds.find("before")
    tree = repository / "build" / "compare" / git(repository, "rev-parse", "before")
    assert build.label == "before" and build.program == tree / "build" / "release" / "experiments" / "brickwork"
    assert build.program.read_text() == "first" and (tree / ".deps").resolve() == repository / ".deps"
    assert (tmp_path / "calls").read_text() == "--preset release\n--build --preset release --target brickwork\n"


def test_a_worktree_is_kept_for_the_next_time(repository):
    first = builds.find("before")
    (first.program.parents[3] / "mine").touch()
    assert builds.find("HEAD~1").program == first.program and (first.program.parents[3] / "mine").exists()


def test_a_worktree_that_was_deleted_is_made_again(repository):
    first = builds.find("before")
    subprocess.run(["rm", "-r", str(first.program.parents[3])], check=True)
    assert builds.find("before").program.read_text() == "first"


def test_a_revision_that_cannot_be_built_is_refused_with_the_compilers_last_line(repository):
    with pytest.raises(InputError, match=r"^commit [0-9a-f]{12} cannot be built: cmake --build failed in .*: source:1: error: broken$"):
        builds.find("HEAD")


def test_without_cmake_no_revision_is_built(repository, tmp_path, monkeypatch):
    (tmp_path / "bin" / "cmake").unlink()
    (tmp_path / "bin" / "git").symlink_to(subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip())
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(InputError, match="cmake cannot be started"):
        builds.find("before")


@pytest.mark.parametrize("name", ["no-such-revision", "", "--all", "before:source"])
def test_a_name_of_neither_a_folder_nor_a_commit_is_refused(repository, name):
    with pytest.raises(InputError, match="is neither a folder nor a commit"):
        builds.find(name)


def test_without_git_no_name_is_a_commit(repository, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(InputError, match="is neither a folder nor a commit"):
        builds.find("before")


def test_a_folder_stands_for_the_program_in_it(tmp_path):
    program = tmp_path / "experiments" / "brickwork"
    program.parent.mkdir()
    program.write_text("a program")
    assert builds.find(str(tmp_path)) == builds.Build(str(tmp_path), program)


def test_builds_differ_by_compiler_flags_and_build_type_alone():
    facts = {"compiler": "GNU 12", "compiler_flags": "-O3", "build_type": "Release", "date": "1"}
    assert builds.differences(facts, facts | {"date": "2"}) == ""
    assert builds.differences(facts, facts | {"compiler": "GNU 13", "compiler_flags": "-O2"}) == (
        "compiler 'GNU 12' and 'GNU 13', flags '-O3' and '-O2'"
    )

"""The two builds that are compared: folders of builds, or git revisions that are built in worktrees of their own."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from program import InputError, writing

ROOT = Path(__file__).resolve().parent.parent
WORKTREES = ROOT / "build" / "compare"
PROGRAMS = ("experiments/brickwork", "bin/brickwork")  # in a build folder; in an installed tree


@dataclass(frozen=True)
class Build:
    label: str  # as the user named it
    program: Path


def find(name: str) -> Build:
    folder = Path(name)
    if name and folder.is_dir():
        return Build(name, _program_in(folder))
    commit = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if not commit:
        raise InputError(f"'{name}' is neither a folder nor a commit of this repository; name a build's folder or a git revision.")
    return Build(name, _program_in(_built(commit)))


def _program_in(folder: Path) -> Path:
    program = next((found for path in PROGRAMS if (found := (folder / path).resolve()).is_file()), None)
    if not program:
        raise InputError(f"{folder} holds no {' or '.join(PROGRAMS)}; name the folder of a build, such as build/release.")
    content = program.read_bytes()
    if any(mark in content for mark in (b"__asan_init", b"__tsan_init", b"__ubsan_handle")):
        raise InputError(f"{folder} is built with sanitizers, which change all times; build the preset release.")
    return program


def _git(*arguments: str) -> str:
    """Empty where git refuses."""
    try:
        ended = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    except OSError:  # without git no name is a commit
        return ""
    return ended.stdout.strip() if ended.returncode == 0 else ""


def _built(commit: str) -> Path:
    """The build of a commit in a worktree, which is kept for the next time."""
    tree = WORKTREES / commit
    with writing(tree):
        WORKTREES.mkdir(parents=True, exist_ok=True)
        if not (tree / "CMakePresets.json").exists():
            _do(commit, "git", "-C", str(ROOT), "worktree", "add", "--force", "--detach", str(tree), commit)
        if not (tree / ".deps").exists():
            (tree / ".deps").symlink_to(ROOT / ".deps")
    print(f"building {commit[:12]} in {tree}", flush=True)
    for command in (["cmake", "--preset", "release"], ["cmake", "--build", "--preset", "release", "--target", "brickwork"]):
        _do(commit, *command, folder=tree)
    return tree / "build" / "release"


def _do(commit: str, *command: str, folder: Path = ROOT) -> None:
    try:
        ended = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except OSError as error:
        raise InputError(f"{command[0]} cannot be started ({error.strerror}); install it.") from error
    if ended.returncode:
        last = (ended.stdout.strip().splitlines() or ["it said nothing"])[-1]
        raise InputError(f"commit {commit[:12]} cannot be built: {' '.join(command[:2])} failed in {folder}: {last[:300]}")


def facts(folder: Path, build: Build) -> dict:
    """The environment that a call of the program left in a folder."""
    try:
        return json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"build {build.label} left no environment.json that can be read ({error}); it is no program of ours.") from error


def differences(a: dict, b: dict) -> str:
    """How the compilers and flags differ, in words; empty if they do not."""
    keys = {"compiler": "compiler", "compiler_flags": "flags", "build_type": "build type"}
    return ", ".join(f"{word} '{a.get(key)}' and '{b.get(key)}'" for key, word in keys.items() if a.get(key) != b.get(key))

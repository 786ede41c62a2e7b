"""Mutants of the lines that a change wrote, made by universalmutator, and which tests have to notice them."""

import ast
import contextlib
import io
import json
import random
import re
import subprocess
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mutation_list import Refused, Test

CPP = (".cpp", ".hpp", ".h")
RULES = {"cpp": ("universal.rules", "cpp.rules", "c_like.rules"), "python": ("universal.rules", "python.rules")}
SUITE = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+),", re.MULTILINE)
QUERY = Path(".cmake/api/v1/query/codemodel-v2")  # in a build folder: asks CMake which target has which sources


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    old: str  # the line
    new: str
    tests: tuple[Test, ...]

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def what(self) -> str:
        new = self.new.rstrip("\n").split("\n")
        return f"{self.old.strip()}  ==>  {' '.join(line.strip() for line in new) or '(nothing)'}"

    def stale(self, tree: Path) -> str:
        return ""

    def applied(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        lines[self.line - 1] = self.new
        return "".join(lines)


# --- what has changed ------------------------------------------------------------------------------------------------


def changed_lines(tree: Path, base: str) -> dict[str, set[int]]:
    """Of each file, those that differ from a commit, by their numbers in the working tree."""

    def git(*command: str) -> str:
        result = subprocess.run(["git", *command], cwd=tree, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise Refused(f"git tells no change since '{base}': {result.stderr.strip().splitlines()[0]}")
        return result.stdout

    lines: dict[str, set[int]] = defaultdict(set)
    for line in git("diff", "-U0", "-M", "--no-color", "--no-ext-diff", "--dst-prefix=b/", base, "--").splitlines():
        if line.startswith("+++ "):
            file = line.removeprefix("+++ b/")
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            lines[file].update(range(start, start + count))
    for file in git("ls-files", "-z", "--others", "--exclude-standard").split("\0"):
        if language_of(tree / file):
            lines[file].update(range(1, 1 + len((tree / file).read_text().splitlines())))
    return {file: numbers for file, numbers in lines.items() if numbers and language_of(tree / file)}


def language_of(path: Path) -> str | None:
    """Nothing of what is no source, of tests and of benchmarks, which no test runs."""
    if not path.is_file() or is_test(path) or path.name.endswith("_benchmark.cpp") or path.name == "conftest.py":
        return None
    if path.suffix in CPP:
        return "cpp"
    if path.suffix == ".py":
        return "python"
    return "python" if not path.suffix and path.read_bytes().startswith(b"#!/usr/bin/env python3") else None


def is_test(path: Path) -> bool:
    return path.name.endswith("_test.cpp") or (path.name.startswith("test_") and path.suffix == ".py")


# --- who has to notice -----------------------------------------------------------------------------------------------


def programs_of(build: Path) -> dict[str, str]:
    """The test program that CMake makes of each test file, by the file's path. One that needs a GPU is for gpu-check."""
    programs = {}
    for reply in (build / QUERY.parents[1] / "reply").glob("target-*.json"):
        target = json.loads(reply.read_text())
        for source in target.get("sources", []):
            if source["path"].endswith("_test.cpp") and not source["path"].endswith("_cuda_test.cpp"):
                programs[source["path"]] = target["name"]
    return programs


def tests_of(tree: Path, file: str, programs: dict[str, str]) -> tuple[Test, ...]:
    """The tests of the file's folder, before them those that have its name; where it has none, those of the folder around it."""
    path = tree / file
    cpp = language_of(path) == "cpp"
    pattern = "*_test.cpp" if cpp else "test_*.py"
    namesake = f"{path.stem.removesuffix('-inl')}_test.cpp" if cpp else f"test_{path.stem.replace('-', '_')}.py"
    for folder in path.parents:
        if folder == tree:
            break
        for found in (folder.glob(pattern), folder.rglob(pattern)):
            files = sorted(str(test.relative_to(tree)) for test in found)
            files = [test for test in files if not cpp or test in programs]
            if files:
                where = f"{folder.relative_to(tree)}/"
                first = [test for test in files if Path(test).name == namesake]
                if not cpp:
                    return *map(Test, first), Test(where)
                return *filtered(tree, first, programs, namesake), *filtered(tree, files, programs, where)
    return ()


def filtered(tree: Path, files: Iterable[str], programs: dict[str, str], name: str) -> list[Test]:
    """A run of each program, of what these files say of it."""
    suites: dict[str, set[str]] = defaultdict(set)
    for file in files:
        suites[programs[file]].update(SUITE.findall((tree / file).read_text()))
    return [
        Test(f"{program}:{':'.join(f'{suite}.*:{suite}/*:*/{suite}.*' for suite in sorted(names))}", f"{name} in {program}")
        for program, names in sorted(suites.items())
        if names
    ]


# --- the mutants -----------------------------------------------------------------------------------------------------


def mutants_of(tree: Path, file: str, lines: set[int], tests: tuple[Test, ...]) -> list[Mutant]:
    """Those that the rules make, some of which are none: they do not compile, or change a comment."""
    sys.path += map(str, (tree / ".deps" / "venv" / "lib").glob("python3*/site-packages"))
    try:
        from universalmutator.mutator import mutants_regexp
    except ImportError as error:
        raise Refused("universalmutator is not here: run scripts/setup") from error
    source = (tree / file).read_text().splitlines(keepends=True)
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutants_regexp(source, RULES[language_of(tree / file)], ignorePatterns=(), ignoreStringOnly=True)
    return [Mutant(file, line, source[line - 1], new, tests) for line, new, *_ in made if line in lines]


def drawn(tree: Path, mutants: list[Mutant]) -> Iterator[Mutant]:
    """In an order of chance, always the same one: one of each file, then another of each, as different lines as there are."""
    mutants = list(mutants)
    random.Random(1).shuffle(mutants)
    order = in_turns(in_turns(mutants, lambda mutant: mutant.name), lambda mutant: mutant.file)
    return (mutant for mutant in order if changes_code(tree, mutant))


def in_turns(mutants: list[Mutant], kind: Callable[[Mutant], str]) -> list[Mutant]:
    """The first of every kind, then the second ones, and so on."""
    seen: Counter[str] = Counter()
    turns = []
    for mutant in mutants:
        turns.append(seen[kind(mutant)])
        seen[kind(mutant)] += 1
    return [mutants[i] for i in sorted(range(len(mutants)), key=turns.__getitem__)]


def changes_code(tree: Path, mutant: Mutant) -> bool:
    """Not a comment or a docstring alone. What is no Python has no code, what is no C++ the compiler says."""
    if language_of(tree / mutant.file) == "cpp":
        return not mutant.old.lstrip().startswith("//")
    text = (tree / mutant.file).read_text()
    return python_code(mutant.applied(text)) not in (None, python_code(text))


def python_code(text: str) -> str | None:
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
            compile(tree, "", "exec")  # refuses what stands outside its loop
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = None
    return ast.dump(tree)

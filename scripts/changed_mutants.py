"""Mutants of changed lines, made by universalmutator, and the tests that must fail for them."""

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
QUERY = Path(".cmake/api/v1/query/codemodel-v2")  # in a build folder: makes CMake write which target has which sources


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    old: str  # the whole line
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
    """The numbers of the lines, per file of the working tree, that differ from the commit `base`."""

    def git(*command: str) -> str:
        result = subprocess.run(["git", *command], cwd=tree, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise Refused(f"git cannot list the changes since '{base}': {result.stderr.strip().splitlines()[0]}")
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
    """The language of a source. None for other files, for tests, and for benchmarks, which no test runs."""
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
    """Maps the path of each test file to its test program. Tests that need a GPU are left out: scripts/gpu-check runs them."""
    programs = {}
    for reply in (build / QUERY.parents[1] / "reply").glob("target-*.json"):
        target = json.loads(reply.read_text())
        for source in target.get("sources", []):
            if source["path"].endswith("_test.cpp") and not source["path"].endswith("_cuda_test.cpp"):
                programs[source["path"]] = target["name"]
    return programs


def tests_of(tree: Path, file: str, programs: dict[str, str]) -> tuple[Test, ...]:
    """The tests of the file's folder, or of the nearest folder around it that has tests. Tests named after the file come first."""
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
    """One run per test program, of the suites that these files define."""
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
    """All mutants that the rules make of these lines. Some do not compile or change only a comment."""
    sys.path += map(str, (tree / ".deps" / "venv" / "lib").glob("python3*/site-packages"))
    try:
        from universalmutator.mutator import mutants_regexp
    except ImportError as error:
        raise Refused("universalmutator is not installed: run scripts/setup") from error
    source = (tree / file).read_text().splitlines(keepends=True)
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutants_regexp(source, RULES[language_of(tree / file)], ignorePatterns=(), ignoreStringOnly=True)
    return [Mutant(file, line, source[line - 1], new, tests) for line, new, *_ in made if line in lines]


def drawn(tree: Path, mutants: list[Mutant]) -> Iterator[Mutant]:
    """The mutants in a fixed random order: one of each file, then another one of each, on different lines as far as possible."""
    mutants = list(mutants)
    random.Random(1).shuffle(mutants)
    order = in_turns(in_turns(mutants, lambda mutant: mutant.name), lambda mutant: mutant.file)
    return (mutant for mutant in order if changes_code(tree, mutant))


def in_turns(mutants: list[Mutant], kind: Callable[[Mutant], str]) -> list[Mutant]:
    """The first mutant of every kind, then the second of every kind, and so on."""
    seen: Counter[str] = Counter()
    turns = []
    for mutant in mutants:
        turns.append(seen[kind(mutant)])
        seen[kind(mutant)] += 1
    return [mutants[i] for i in sorted(range(len(mutants)), key=turns.__getitem__)]


def changes_code(tree: Path, mutant: Mutant) -> bool:
    """False if only a comment or a docstring changes, or if the result is not Python. For C++ the compiler decides that."""
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

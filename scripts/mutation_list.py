"""The mutations of scripts/mutations: which text becomes which, and which tests must fail."""

import fnmatch
import tomllib
from dataclasses import dataclass
from pathlib import Path

TEXTS = ("name", "file", "old", "new")


class Refused(Exception):
    """One sentence: what is wrong, and what would be right."""


@dataclass(frozen=True)
class Test:
    text: str  # "target", "target:GoogleTest filter", a file for pytest, or a folder for pytest, which ends in "/"
    name: str = ""  # shown instead of the text

    @property
    def target(self) -> str | None:
        """The target that CMake builds for it; None for pytest."""
        return None if ".py" in self.text or self.text.endswith("/") else self.text.partition(":")[0]

    @property
    def filter(self) -> str:
        return self.text.partition(":")[2] or "*"

    def __str__(self) -> str:
        return self.name or self.text


@dataclass(frozen=True)
class Mutation:
    name: str
    file: str
    old: str  # occurs once in the file
    new: str
    tests: tuple[Test, ...]  # one of them fails
    what = ""  # the name says what changes

    def stale(self, tree: Path) -> str:
        """Why it does not apply to a tree; empty if it does."""
        path = tree / self.file
        if not path.is_file():
            return f"there is no {self.file}"
        count = path.read_text().count(self.old)
        return "" if count == 1 else f"its old text occurs {count} times in {self.file} instead of once"

    def applied(self, text: str) -> str:
        return text.replace(self.old, self.new)


def mutation_of(entry: dict, where: str) -> Mutation:
    where += f", '{entry.get('name', 'without a name')}'"
    known = (*TEXTS, "tests")
    for key in entry:
        if key not in known:
            raise Refused(f"{where}: unknown key '{key}'; known are {', '.join(known)}")
    for key in TEXTS:
        if not isinstance(entry.get(key), str):
            raise Refused(f"{where}: '{key}' must be a text")
    tests = entry.get("tests")
    if not isinstance(tests, list) or not tests or not all(isinstance(test, str) and test for test in tests):
        raise Refused(f"{where}: 'tests' must be a list of texts")
    if not entry["old"] or entry["old"] == entry["new"]:
        raise Refused(f"{where}: 'old' must not be empty or equal to 'new'")
    if Path(entry["file"]).is_absolute() or ".." in Path(entry["file"]).parts:
        raise Refused(f"{where}: 'file' must be a path within the tree")
    return Mutation(**entry | {"tests": tuple(map(Test, tests))})


def load(folder: Path) -> list[Mutation]:
    """The mutations of all files, in the order of the files' names."""
    mutations: dict[str, Mutation] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Refused(f"{path.name} cannot be read: {error}") from error
        if set(table) != {"mutation"}:
            raise Refused(f"{path.name} must hold [[mutation]] tables and nothing else")
        for entry in table["mutation"]:
            mutation = mutation_of(entry, path.name)
            if mutation.name in mutations:
                raise Refused(f"{path.name}: a second mutation has the name '{mutation.name}'")
            mutations[mutation.name] = mutation
    return list(mutations.values())


def chosen(mutations: list, patterns: list[str]) -> list:
    """The mutations whose name or file matches one of the patterns; all of them without patterns."""

    def matches(mutation, pattern: str) -> bool:
        return any(fnmatch.fnmatchcase(text, pattern) for text in (mutation.name, mutation.file))

    for pattern in patterns:
        if not any(matches(mutation, pattern) for mutation in mutations):
            raise Refused(f"no mutation has a name or a file that matches '{pattern}'; --list shows them")
    return [mutation for mutation in mutations if not patterns or any(matches(mutation, pattern) for pattern in patterns)]

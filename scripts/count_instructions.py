"""Counts the instructions of a dozen passes under callgrind and compares them with stored counts.

A time depends on the machine and on what else runs there; a count does not. A change that adds instructions to a hot loop is
seen even where no time can be trusted. It says nothing about caches.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from program import InputError, writing

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "scripts" / "instruction_counts.json"
COUNTED = "brickwork_counted"  # the function of instruction_counts.cpp that is counted
TOLERANCE = 0.01
SAME, MORE, REFUSED, INCOMPARABLE = 0, 1, 2, 3


class Incomparable(InputError):
    """Nothing is broken, but this machine or this compiler cannot compare."""


@dataclass(frozen=True)
class Change:
    name: str
    before: int
    now: int

    @property
    def ratio(self) -> float:
        return self.now / self.before

    @property
    def status(self) -> str:
        if self.ratio > 1 + TOLERANCE:
            return "MORE"
        return "FEWER" if self.ratio < 1 - TOLERANCE else "SAME"


def count(program: Path, name: str) -> int:
    """The instructions of one pass."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        callgrind = ["valgrind", "--tool=callgrind", f"--toggle-collect={COUNTED}*", f"--callgrind-out-file={out}"]
        settings = os.environ | {"OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false", "KOKKOS_DISABLE_WARNINGS": "1"}
        ended = subprocess.run([*callgrind, program, name], capture_output=True, text=True, check=False, env=settings)
        if ended.returncode:
            raise InputError(f"{name} failed under callgrind: {ended.stderr.strip().splitlines()[-1]}")
        collected = re.search(r"^==\d+== Collected : (\d+)", ended.stderr, re.MULTILINE)
        if not collected or int(collected[1]) == 0:
            raise InputError(f"callgrind counted nothing of {name}: was {COUNTED} inlined or renamed?")
        return int(collected[1])


def count_all(program: Path) -> dict[str, int]:
    if not program.exists():
        raise InputError(f"{program} is missing: build the target instruction_counts")
    if not shutil.which("valgrind"):
        raise Incomparable("valgrind is not installed: apt-get install valgrind")
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(names, pool.map(lambda name: count(program, name), names), strict=True))


def compiler_of(build: Path) -> str:
    """The compiler and its flags, on which counts depend."""
    header = build / "experiments" / "build_info.hpp"
    if not header.exists():
        raise InputError(f"{header} is missing: {build} is no build folder of this project")
    text = header.read_text()
    return ", ".join(re.search(rf'{name} = "([^"]*)"', text)[1] for name in ("compiler", "compiler_flags"))


def compared(stored: dict, counts: dict[str, int], compiler: str) -> list[Change]:
    if stored["compiler"] != compiler:
        raise Incomparable(f"the stored counts are of {stored['compiler']}, this build is of {compiler}: store your own with --write")
    if set(stored["counts"]) != set(counts):
        differing = ", ".join(sorted(set(stored["counts"]) ^ set(counts)))
        raise InputError(f"the stored counts and the program differ in {differing}: store the counts again with --write")
    return [Change(name, stored["counts"][name], now) for name, now in counts.items()]


def table(changes: list[Change]) -> str:
    width = max(len(change.name) for change in changes)
    lines = [f"{change.name:{width}}  {change.before:>12,}  {change.now:>12,}  {change.ratio:6.3f}  {change.status}" for change in changes]
    return "\n".join([f"{'pass':{width}}  {'stored':>12}  {'now':>12}  {'ratio':>6}", *lines])


def main(arguments: list[str] | None = None) -> int:
    about = (
        "Counts instructions under callgrind (valgrind) and compares them with the stored counts. Exit code: 0 no count is more than "
        "1 % above the stored one; 1 at least one is; 2 wrong input, or a count that failed; 3 no comparison: there is no valgrind, or "
        "the compiler differs."
    )
    parser = argparse.ArgumentParser(prog="count-instructions", description=about)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", metavar="FOLDER", help="default: build/release")
    parser.add_argument("--stored", type=Path, default=STORED, metavar="FILE", help="default: scripts/instruction_counts.json")
    parser.add_argument("--write", action="store_true", help="store these counts instead of comparing")
    options = parser.parse_args(arguments)
    try:
        return run(options)
    except InputError as error:
        print(f"count-instructions: error: {error}", file=sys.stderr)
        return INCOMPARABLE if isinstance(error, Incomparable) else REFUSED


def run(options: argparse.Namespace) -> int:
    compiler = compiler_of(options.build)
    stored = None if options.write else read(options.stored)
    counts = count_all(options.build / "experiments" / "instruction_counts")
    if options.write:
        with writing(options.stored):
            options.stored.write_text(json.dumps({"compiler": compiler, "counts": counts}, indent=2) + "\n")
        print(f"{len(counts)} counts are in {options.stored}")
        return SAME
    changes = compared(stored, counts, compiler)
    print(table(changes))
    return MORE if any(change.status == "MORE" for change in changes) else SAME


def read(path: Path) -> dict:
    try:
        stored = json.loads(path.read_text())
        return {"compiler": str(stored["compiler"]), "counts": {str(name): int(count) for name, count in stored["counts"].items()}}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"{path} holds no counts ({error}): store counts with --write.") from error


if __name__ == "__main__":
    sys.exit(main())

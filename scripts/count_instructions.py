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

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "scripts" / "instruction_counts.json"
COUNTED = "brickwork_counted"  # the function of instruction_counts.cpp that is counted
TOLERANCE = 0.01
SAME, MORE, REFUSED = 0, 1, 2


class Refusal(Exception):
    """One sentence: what is wrong and what would be right."""


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
            raise Refusal(f"{name} failed under callgrind: {ended.stderr.strip().splitlines()[-1]}")
        collected = re.search(r"^==\d+== Collected : (\d+)", ended.stderr, re.MULTILINE)
        if not collected or int(collected[1]) == 0:
            raise Refusal(f"callgrind counted nothing of {name}: was {COUNTED} inlined or renamed?")
        return int(collected[1])


def count_all(program: Path) -> dict[str, int]:
    if not program.exists():
        raise Refusal(f"{program} is missing: build the target instruction_counts")
    if not shutil.which("valgrind"):
        raise Refusal("valgrind is not installed: apt-get install valgrind")
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(names, pool.map(lambda name: count(program, name), names), strict=True))


def compiler_of(build: Path) -> str:
    """The compiler and its flags, on which counts depend."""
    header = build / "experiments" / "build_info.hpp"
    if not header.exists():
        raise Refusal(f"{header} is missing: {build} is no build folder of this project")
    text = header.read_text()
    return ", ".join(re.search(rf'{name} = "([^"]*)"', text)[1] for name in ("compiler", "compiler_flags"))


def compared(stored: dict, counts: dict[str, int], compiler: str) -> list[Change]:
    if stored["compiler"] != compiler:
        raise Refusal(f"the stored counts are of {stored['compiler']}, this build is of {compiler}: store counts of your own with --write")
    if set(stored["counts"]) != set(counts):
        differing = ", ".join(sorted(set(stored["counts"]) ^ set(counts)))
        raise Refusal(f"the stored counts and the program differ in {differing}: store the counts again with --write")
    return [Change(name, stored["counts"][name], now) for name, now in counts.items()]


def table(changes: list[Change]) -> str:
    width = max(len(change.name) for change in changes)
    lines = [f"{change.name:{width}}  {change.before:>12,}  {change.now:>12,}  {change.ratio:6.3f}  {change.status}" for change in changes]
    return "\n".join([f"{'pass':{width}}  {'stored':>12}  {'now':>12}  {'ratio':>6}", *lines])


def main(arguments: list[str] | None = None) -> int:
    about = (
        "Counts instructions under callgrind (valgrind) and compares them with the stored counts. Exit code: 0 none is more than 1 % "
        "above; 1 one is; 2 they cannot be compared."
    )
    parser = argparse.ArgumentParser(prog="count-instructions", description=about)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", metavar="FOLDER", help="default: build/release")
    parser.add_argument("--stored", type=Path, default=STORED, metavar="FILE", help="default: scripts/instruction_counts.json")
    parser.add_argument("--write", action="store_true", help="store these counts instead of comparing")
    options = parser.parse_args(arguments)
    try:
        compiler = compiler_of(options.build)
        counts = count_all(options.build / "experiments" / "instruction_counts")
        if options.write:
            options.stored.write_text(json.dumps({"compiler": compiler, "counts": counts}, indent=2) + "\n")
            print(f"{len(counts)} counts are in {options.stored}")
            return SAME
        if not options.stored.exists():
            raise Refusal(f"{options.stored} is missing: store counts with --write")
        changes = compared(json.loads(options.stored.read_text()), counts, compiler)
    except Refusal as refusal:
        print(f"count-instructions: {refusal}", file=sys.stderr)
        return REFUSED
    print(table(changes))
    return MORE if any(change.status == "MORE" for change in changes) else SAME


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks the limits of device code: assembles PTX for each architecture and reads what ptxas reports for every kernel.

The check fails for a kernel that spills, needs more of a resource than its row of the table allows, has no row, or gets a
warning from ptxas, such as serialised instructions. It also fails for a row that no kernel matches. The row of a kernel is the
first one whose pattern, a regular expression, is found in the kernel's mangled name.
"""

import argparse
import csv
import re
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path


@dataclass
class Needs:
    """Registers of a thread, and bytes: stack and spills of a thread, shared memory of static size."""

    registers: int = 0
    stack: int = 0
    spills: int = 0
    shared: int = 0


@dataclass
class Limit:
    pattern: str
    most: Needs


def read_limits(path: Path) -> list[Limit]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [Limit(row["kernel"], Needs(**{f.name: int(row[f.name]) for f in fields(Needs)})) for row in rows]


def read_log(log: str) -> tuple[dict[str, Needs], list[str]]:
    """The kernels in the output of ptxas -v, and its warnings."""
    kernels, warnings, kernel = {}, [], None

    def number(pattern: str, line: str) -> int:
        found = re.search(pattern, line)
        return int(found[1]) if found else 0

    for line in log.splitlines():
        if found := re.search(r"Compiling entry function '(\S+)'", line):
            kernel = kernels[found[1]] = Needs()
        elif re.search(r"warning|\(C\d+\)|[Pp]erformance [Ll]oss", line):
            warnings.append(line.strip())
        elif kernel and "bytes stack frame" in line:
            # Functions that were not inlined have such lines, too, between the kernel's name and its registers.
            kernel.stack = max(kernel.stack, number(r"(\d+) bytes stack frame", line))
            kernel.spills += number(r"(\d+) bytes spill stores", line) + number(r"(\d+) bytes spill loads", line)
        elif kernel and "Used" in line:
            kernel.registers = number(r"Used (\d+) registers", line)
            kernel.stack = max(kernel.stack, number(r"(\d+) bytes cumulative stack size", line))
            kernel.shared = number(r"(\d+) bytes smem", line)
    return kernels, warnings


def violations(log: str, limits: list[Limit]) -> tuple[list[str], set[str]]:
    """The violations, and the patterns of the rows that kernels match."""
    kernels, wrong = read_log(log)
    met = set()
    for name, needs in kernels.items():
        limit = next((limit for limit in limits if re.search(limit.pattern, name)), None)
        if limit is None:
            wrong.append(f"{name}: no row of the table matches this kernel")
            continue
        met.add(limit.pattern)
        for field in fields(Needs):
            needed, most = getattr(needs, field.name), getattr(limit.most, field.name)
            if needed > most:
                wrong.append(f"{name}: {field.name} {needed}, but at most {most} are allowed")
    return wrong, met


def assemble(ptxas: str, arch: str, ptx: Path) -> str:
    command = [ptxas, "-v", f"-arch={arch}", "-o", "/dev/null", str(ptx)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def ptx_in(folder: Path) -> list[Path]:
    if not (files := sorted(folder.glob("*.ptx"))):
        raise SystemExit(f"there is no .ptx in {folder}: is it built?")
    return files


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limits", type=Path, required=True, help="a CSV: kernel, registers, stack, spills, shared, reason")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--arch", nargs="+", default=["sm_80", "sm_90"])
    parser.add_argument("--ptx", type=Path, nargs="+", required=True, help="folders of .ptx files")
    parser.add_argument("--some", action="store_true", help="these are not all kernels of the table: a row may match none")
    args = parser.parse_args(arguments)
    limits = read_limits(args.limits)
    files = [file for folder in args.ptx for file in ptx_in(folder)]
    failed = False
    for arch in args.arch:
        met, kernels = set(), 0
        for ptx in files:
            log = assemble(args.ptxas, arch, ptx)
            found, rows = violations(log, limits)
            for name, needs in read_log(log)[0].items():
                kernels += 1
                print(f"{arch} {name}: {needs.registers} registers, stack {needs.stack}, spills {needs.spills}")
            for text in found:
                failed = True
                print(f"FAILED {arch} {text}")
            met |= rows
        for limit in limits:
            if limit.pattern not in met and not args.some:
                failed = True
                print(f"FAILED {arch}: no kernel matches '{limit.pattern}'")
        print(f"{arch}: {kernels} kernels")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Prints README's table of the references: python plots/machines.py

It has a row for each run on a CPU and a column for each machine (a folder of experiments/references): how many times as fast
ours is as the best peer, and its share of what the machine can do.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import program

REFERENCES = Path(__file__).resolve().parent.parent / "experiments" / "references"
# For peers whose labels begin so; what follows says which version it was.
LETTERS = {"oneDNN": "", "newest oneDNN": "N", "OpenBLAS": "B", "LIBXSMM": "L"}
WAYS = {"Brickwork, Winograd": "W"}  # likewise of ours, where it is not the direct algorithm's


@dataclass(frozen=True)
class Machine:
    name: str
    cells: dict[str, str]  # by the run's name


def main(arguments: list[str] | None = None) -> int:
    argparse.ArgumentParser(prog="machines.py", description="Prints README's table of the references.").parse_args(arguments)
    return program.run("machines.py", lambda: program.say(table(all_machines())))


def all_machines() -> list[Machine]:
    machines = [machine_of(folder) for folder in sorted(REFERENCES.iterdir()) if folder.is_dir()]
    return [machine for machine in machines if any(machine.cells.values())]


def machine_of(folder: Path) -> Machine:
    from data import load_run  # with pandas it takes seconds, in which Ctrl-C must be heard
    from overview import overview
    from sweeps import sweeps_of

    runs = sorted(path.parent for path in folder.glob("*/summary.csv"))
    rows = {run.name: [row for row in overview(sweeps_of(load_run(run))) if not row.sweep.on_device] for run in runs}
    return Machine(folder.name, {name: " ".join(map(cell, of_run)) for name, of_run in rows.items()})


def cell(row) -> str:
    letter = next((letter for start, letter in LETTERS.items() if row.peer.startswith(start)), row.peer)
    ratio = f"{row.ratio.value:.2f} {letter}".strip() if row.ratio else ""
    return " ".join(filter(None, [WAYS.get(row.ours, ""), ratio, f"({row.share:.2f})" if row.share else ""]))


def table(machines: list[Machine]) -> str:
    names = sorted({name for machine in machines for name, text in machine.cells.items() if text})
    heads = [f"[{machine.name}](experiments/references/{machine.name})" for machine in machines]
    lines = [["run", *heads], ["---"] * (len(machines) + 1)]
    lines += [[f"`{name}`", *(machine.cells.get(name, "") for machine in machines)] for name in names]
    return "\n".join(re.sub(r" +", " ", f"| {' | '.join(line)} |") for line in lines)


if __name__ == "__main__":
    sys.exit(main())

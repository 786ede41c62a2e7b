"""Prints the tables of the references: python plots/machines.py [--headline]

The table of experiments/references/README.md has a row for each run on a CPU and a column for each machine. With --headline
it is README.md's: a row for each machine and a column for each of a few passes. A cell says how many times as fast ours is
as the best peer and, in brackets, its share of the machine's limit.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import program

REFERENCES = Path(__file__).resolve().parent.parent / "experiments" / "references"
# A letter for each kind of peer, by the first words of its label; the rest of a label is the version.
LETTERS = {"oneDNN": "", "newest oneDNN": "N", "OpenBLAS": "B", "LIBXSMM": "L"}
WAYS = {"Brickwork, Winograd": "W"}  # a letter for ours, where it is not the direct algorithm
# The columns of the headline. Each shows the first of these runs that a machine has.
HEADLINE = {
    "kernel": ("brgemm",),
    "conv forward": ("conv-forward-N28", "conv-forward-N4"),
    "conv backward by data": ("conv-backward-N28", "conv-backward-N4"),
    "conv update": ("conv-update-N28", "conv-update-N4"),
    "fc forward": ("fc-forward",),
    "LSTM forward": ("rnn-forward",),
    "LSTM backward": ("rnn-backward",),
    "ResNet-50 step": ("resnet50-step-N28", "resnet50-step-N4"),
}


@dataclass(frozen=True)
class Machine:
    name: str
    cells: dict[str, str]  # by the run's name


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="machines.py", description="Prints the table of the references.")
    parser.add_argument("--headline", action="store_true", help="the short table of README.md instead")
    chosen = headline if parser.parse_args(arguments).headline else table
    return program.run("machines.py", lambda: program.say(chosen(all_machines())))


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
    heads = [f"[{machine.name}]({machine.name})" for machine in machines]
    return markdown(["run", *heads], [[f"`{name}`", *(machine.cells.get(name, "") for machine in machines)] for name in names])


def headline(machines: list[Machine]) -> str:
    def first(machine: Machine, runs: tuple[str, ...]) -> str:
        return next((text for run in runs if (text := machine.cells.get(run))), "")

    return markdown(
        ["machine", *HEADLINE],
        [
            [f"[{machine.name}](experiments/references/{machine.name})", *(first(machine, runs) for runs in HEADLINE.values())]
            for machine in machines
        ],
    )


def markdown(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(re.sub(r" +", " ", f"| {' | '.join(line)} |") for line in lines)


if __name__ == "__main__":
    sys.exit(main())

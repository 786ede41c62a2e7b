"""Runs the programs of two builds in turn and reads their times.

A call of a program measures some problems, each with a few samples. The least of them is the time of that call, because a
disturbance makes a sample longer, never shorter. Many short calls tell more than a long one: each process has its memory
elsewhere, which alone may change a time by a percent.
"""

import csv
import io
import math
import os
import signal
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from builds import Build
from program import InputError, writing

SAMPLES = 9
PROBLEMS_BY = ("--shapes", "--layer", "--problem")  # options of the program that choose problems
COLUMNS = ("round", "pair", "first", "run", "problem", "name", "contender", "seconds_a", "seconds_b")


@dataclass(frozen=True)
class Run:
    """What is measured: a name and the program's options."""

    name: str
    options: tuple[str, ...]

    def of(self, problems: Iterable[str]) -> "Run":
        """The run of these problems alone. The program takes either layers of a shape file or problems."""
        options = list(self.options)
        for place in reversed([place for place, word in enumerate(options) if word in PROBLEMS_BY]):
            del options[place : place + 2]
        return replace(self, options=(*options, *(word for text in problems for word in ("--problem", text))))


@dataclass(frozen=True)
class Problem:
    run: str
    text: str
    name: str = field(compare=False)
    contender: str

    @property
    def label(self) -> str:
        return f"{self.run} {self.name or self.text} {self.contender}"


@dataclass
class Call:
    """What one call of a program found."""

    seconds: dict[Problem, float]
    failures: dict[Problem, str]  # why there is no time


def call(build: Build, run: Run, out: str = "none") -> Call:
    command = [str(build.program), *run.options, "--samples", str(SAMPLES), "--brief", "--csv", "-", "--out", out]
    # Threads are bound alike, whatever the builds themselves would do.
    environment = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"} | os.environ
    try:
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        raise InputError(f"{build.program} cannot be started ({error.strerror}); build it anew.") from error
    if ended.returncode == 128 + signal.SIGINT:
        raise KeyboardInterrupt
    try:
        found = read(run, ended.stdout)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"build {build.label} prints other rows than samples.csv has ({error!r}); is it a build of ours?") from error
    if ended.returncode not in (0, 1) or not (found.seconds or found.failures):
        said = (ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"])[-1].removeprefix("brickwork: ")
        raise InputError(f"build {build.label} cannot measure {run.name}: {said[:300]}")
    return found


def read(run: Run, text: str) -> Call:
    """The least time of each problem and contender of ours, packing aside."""
    found = Call({}, {})
    for row in csv.DictReader(io.StringIO(text)):
        if row["ours"] != "yes" or row["phase"] != "run":
            continue
        problem = Problem(run.name, row["problem"], row["name"], row["contender"])
        if row["status"] == "ok":
            found.seconds[problem] = min(float(row["seconds"]), found.seconds.get(problem, float("inf")))
        else:
            found.failures[problem] = f"{row['status']}: {row['reason']}"
    return found


class Pairs:
    """Measures pairs in the order A B, B A, A B, ... so that a slow drift of the machine favours neither, and keeps them in a file."""

    def __init__(self, a: Build, b: Build, runs: list[Run], file: Path):
        self.builds = a, b
        self.runs = runs
        self.failures: dict[Problem, str] = {}  # of B: a wrong result may come only now and then
        self.path = file
        with writing(file):
            self._file = file.open("w", newline="", encoding="utf-8")
            self._table = csv.writer(self._file, lineterminator="\n")
            self._keep([COLUMNS])

    def measure(self, round_: int, wanted: dict[Problem, int]) -> dict[Problem, list[float]]:
        """Values log(B / A): as many of each problem as are wanted, fewer where a build gave no time."""
        values: dict[Problem, list[float]] = {problem: [] for problem in wanted}
        for run in self.runs:
            counts = {problem: count for problem, count in wanted.items() if problem.run == run.name}
            if not counts:
                continue
            print(f"round {round_}: {run.name}, problems: {len(counts)}, pairs: {max(counts.values())}", flush=True)
            for pair in range(max(counts.values())):
                problems = [problem for problem, count in counts.items() if count > pair]
                for problem, a, b in self._pair(round_, pair, run, problems):
                    values[problem].append(math.log(b / a))
        return values

    def _pair(self, round_: int, pair: int, run: Run, problems: list[Problem]) -> list[tuple[Problem, float, float]]:
        these = run.of(dict.fromkeys(problem.text for problem in problems))
        order = (0, 1) if pair % 2 == 0 else (1, 0)
        calls = {which: call(self.builds[which], these) for which in order}
        self.failures |= {problem: why for problem, why in calls[1].failures.items() if problem in calls[0].seconds}
        seconds = [calls[which].seconds for which in (0, 1)]
        timed = [problem for problem in problems if problem in seconds[0] and problem in seconds[1]]
        both = [(problem, seconds[0][problem], seconds[1][problem]) for problem in timed]
        first = "AB"[order[0]]
        self._keep((round_, pair, first, run.name, of.text, of.name, of.contender, a, b) for of, a, b in both)
        return both

    def _keep(self, rows: Iterable[Sequence]) -> None:
        with writing(self.path):
            self._table.writerows(rows)
            self._file.flush()

"""What was measured, in the order of what the figures show.

A Sweep is one experiment under one setting; its problems hold one Cell for each contender.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from data import ELSEWHERE, LIMITS, Run

RESAMPLES = 2000
QUARTILES_APART = 1.349  # standard deviations between the quartiles of a normal distribution
MEDIAN_TO_MEAN = 1.2533  # the standard error of its median over that of its mean
TRAINING = "training"  # the passes of an operation together: this sweep's figure, and its pass
BASE_THREADS = "base_threads"  # what a sweep's attributes call the threads of its base
SEARCHED = "-searched"  # how a contender is called that runs the best plan that was found in place of the rule's


@dataclass
class Times:
    """Seconds of one phase. A summary knows their quartiles and how many they were, but not the samples."""

    low: float
    median: float
    high: float
    count: int
    samples: np.ndarray | None

    @classmethod
    def of(cls, rows: list[dict]) -> "Times | None":
        if not rows:
            return None
        if "samples" in rows[0]:
            first = rows[0]
            return cls(first["seconds_low"], first["seconds"], first["seconds_high"], int(first["samples"]), None)
        return cls.of_samples([row["seconds"] for row in rows])

    @classmethod
    def of_samples(cls, samples) -> "Times":
        samples = np.asarray(samples, dtype=float)
        return cls(*map(float, np.percentile(samples, [25, 50, 75])), samples.size, samples)


@dataclass
class Cell:
    """One contender on one problem. Only status `ok` has numbers."""

    identity: str
    status: str
    reason: str = ""
    times: Times | None = None
    packing: Times | None = None
    bound: str = "flops"  # or "bytes": which of the two its speed counts
    flop: float = float("nan")
    least_flop: float = float("nan")  # without what an algorithm may leave out, as the products with padding
    bytes: float = float("nan")
    implementation: str = ""
    plan: str = ""
    tuning: str = ""
    version: str = ""
    isa: str = ""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def seconds(self) -> float:
        assert self.ok, f"{self.identity} is {self.status} and has no time"
        return self.times.median

    @property
    def work(self) -> float:
        return self.bytes if self.bound == "bytes" else self.flop

    @property
    def speed(self) -> float:
        """GFLOP/s or GB/s"""
        return self.work / self.seconds / 1e9

    @property
    def least_speed(self) -> float:
        return (self.bytes if self.bound == "bytes" else self.least_flop) / self.seconds / 1e9

    @property
    def speed_quartiles(self) -> tuple[float, float]:
        """The speeds at the quartiles of the times, so that a summary of the samples gives the same."""
        return self.work / self.times.high / 1e9, self.work / self.times.low / 1e9

    @cached_property
    def resampled_seconds(self) -> np.ndarray:
        """Medians of bootstrap resamples; the seed is the cell's identity, so a report repeats exactly. A summary has no samples:
        medians are drawn as if their logarithms were normal, with the width that the quartiles and the number of samples imply."""
        if self.times.count < 2:
            return np.full(RESAMPLES, np.nan)
        draw = np.random.default_rng(zlib.crc32(self.identity.encode()))
        if self.times.samples is None:
            spread = np.log(self.times.high / self.times.low) / QUARTILES_APART * MEDIAN_TO_MEAN / np.sqrt(self.times.count)
            return self.times.median * np.exp(spread * draw.standard_normal(RESAMPLES))
        picks = draw.integers(self.times.count, size=(RESAMPLES, self.times.count))
        return np.median(self.times.samples[picks], axis=1)


@dataclass
class SummedCell(Cell):
    """One contender's work that was measured in parts, one after the other."""

    parts: tuple[Cell, ...] = ()

    @cached_property
    def resampled_seconds(self) -> np.ndarray:
        return sum(part.resampled_seconds for part in self.parts)


@dataclass
class Problem:
    text: str
    name: str
    count: int
    sizes: dict
    flop: float  # nan where no row knows it
    bytes: float
    cells: dict[str, Cell]
    bound: str = "flops"
    peak: Cell | None = None  # the FMA peak measured among this problem's contenders
    roof: Cell | None = None  # the same with a register tile's loads from L1
    read: Cell | None = None  # where its flops are few: what it would reach if it did nothing but read its tensors
    stream: Cell | None = None  # where the memory is the limit: its bandwidth
    traffic: Cell | None = None  # and what it would reach if it did nothing but read and write as much
    elsewhere: dict[str, dict[str, Cell]] = field(default_factory=dict)  # the same of processes that measured one contender each

    def limit(self, limit: str, contender: str = "") -> Cell | None:
        """As the process reached it that measured the contender."""
        return self.elsewhere[contender].get(limit) if contender in self.elsewhere else getattr(self, limit)

    @property
    def work(self) -> float:
        return self.bytes if self.bound == "bytes" else self.flop

    @property
    def limits(self) -> tuple[str, ...]:
        """The limits of the machine that it is judged by; shares in the figures are of the first."""
        return ("stream",) if self.bound == "bytes" else ("peak", "roof")

    @property
    def label(self) -> str:
        return self.name or self.text

    @property
    def lowest_limit(self) -> str | None:
        return next((limit for limit in ("roof", "peak") if getattr(self, limit)), None)

    @property
    def intensity(self) -> float:
        """flop a byte of compulsory traffic"""
        return self.flop / self.bytes

    def status(self, contender: str) -> str:
        return self.cells[contender].status if contender in self.cells else "missing"

    def ok(self, contender: str) -> bool:
        return self.status(contender) == "ok"


def slugify(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")


@dataclass
class Sweep:
    run: Run
    experiment: str
    setting: str
    figure: str
    ours: frozenset[str]
    attributes: dict  # the value of every column that is the same throughout
    problems: list[Problem]
    stream: Cell | None
    passes: tuple["Sweep", ...] = ()  # that it is the sum of
    base: "Sweep | None" = None  # the same on fewer threads

    @property
    def runs(self) -> list[Run]:
        return [run for of in self.passes for run in of.runs] or [self.run]

    @property
    def run_names(self) -> str:
        return ", ".join(dict.fromkeys(run.name for run in self.runs))

    @property
    def conditions(self) -> tuple:
        """What sweeps must share to be added up or divided by each other, besides their problems."""
        cpu = self.run.environment.get("cpu", {}).get("name")
        return cpu, self.bound, *(self.attributes.get(column) for column in ("primitive", "shapes", "device", "dtype", "cache"))

    @property
    def weighted(self) -> bool:
        """Whether a problem counts as often as a network uses it; the shapes of other sweeps count all alike."""
        return self.figure in ("layers", TRAINING)

    @property
    def operation(self) -> str:
        primitive, which = (str(self.attributes.get(column, "")) for column in ("primitive", "pass"))
        return (primitive if which in primitive else f"{primitive} {which}").strip() or self.experiment

    @property
    def bound(self) -> str:
        """What limits the operation: "flops", or the memory's "bytes"."""
        return self.problems[0].bound

    @property
    def limits(self) -> tuple[str, ...]:
        return self.problems[0].limits

    @property
    def unit(self) -> str:
        return "GB/s" if self.bound == "bytes" else "GFLOP/s"

    @property
    def cache_bytes(self) -> float:
        """What the caches hold together in which its threads compute; where the run does not know it, everything fits."""
        return self.run.environment.get("cpu", {}).get("cache_bytes") or float("inf")

    @property
    def full_setting(self) -> str:
        """The shape set, if there is one, and the setting: LSTMs and other cells are measured under the same one."""
        return ", ".join(filter(None, (str(self.attributes.get("shapes", "")), self.setting)))

    @property
    def slug(self) -> str:
        return slugify(f"{self.experiment}-{self.setting}".replace("=", ""))

    @cached_property
    def contenders(self) -> list[str]:
        """Those that are compared with each other: without the searched, who are there to judge a rule."""
        return [name for name in self._all if name not in self.searched.values()]

    @cached_property
    def searched(self) -> dict[str, str]:
        """Contenders with a rule's plans, and who ran beside them with the best plans that were found."""
        return {name: name + SEARCHED for name in self._all if name + SEARCHED in self._all}

    @cached_property
    def _all(self) -> list[str]:
        return list(dict.fromkeys(name for problem in self.problems for name in problem.cells))

    @property
    def on_device(self) -> bool:
        """Whose limits nobody measures: what is shown beside them on the host is the fastest library there."""
        return self.attributes.get("device", "cpu") != "cpu"

    @property
    def peers(self) -> list[str]:
        return [name for name in self.contenders if name not in self.ours]

    @property
    def bandwidth(self) -> float | None:
        """bytes per second, measured by the stream kernel"""
        return self.stream.bytes / self.stream.seconds if self.stream else None

    def common(self, *contenders: str) -> list[Problem]:
        """The problems on which each of the contenders has a number: the only set on which they may be compared."""
        return [problem for problem in self.problems if all(problem.ok(name) for name in contenders)]

    def scaled(self, *contenders: str) -> list[tuple[Problem, Problem]]:
        """The problems on which each of the contenders has a number on both thread counts, those on fewer first."""
        before = {problem.text: problem for problem in self.base.common(*contenders)} if self.base else {}
        return [(before[problem.text], problem) for problem in self.common(*contenders) if problem.text in before]

    def version(self, contender: str) -> str:
        seen = Counter(p.cells[contender].version for p in self.problems if contender in p.cells)
        return seen.most_common(1)[0][0] if seen else ""


def sweeps_of(run: Run) -> list[Sweep]:
    is_machine = run.samples["primitive"] == "machine"
    machine = run.samples[is_machine].to_dict("records")
    return [_sweep(run, rows, machine) for _, rows in run.samples[~is_machine].groupby(["experiment", "setting"], sort=False)]


def _sweep(run: Run, rows: pd.DataFrame, machine: list[dict]) -> Sweep:
    # From here on rows are dictionaries: of a frame pandas makes some hundred a second, and a run has many cells.
    work = rows.to_dict("records")
    first = work[0]
    attributes = _attributes(rows)
    # A run over several thread counts is one over a size more.
    sizes = run.sizes + (["threads"] if rows["threads"].nunique() > 1 else [])
    group = ("problem", "threads")
    beside = [row for row in machine if (row["experiment"], row["setting"]) == (first["experiment"], first["setting"])]
    limits = {name: _grouped((row for row in beside if row["contender"] == who), *group) for name, who in LIMITS.items()}
    apart = _grouped((row for row in beside if ELSEWHERE in row["contender"]), *group)
    elsewhere = {key: _limits_elsewhere(found) for key, found in apart.items()}
    stream = _cell([row for row in machine if row["contender"] == "stream" and row["threads"] == attributes.get("threads")])
    problems = [
        _problem(cells, sizes, {name: _cell(found[key]) for name, found in limits.items() if key in found}, elsewhere.get(key, {}))
        for key, cells in _grouped(work, *group).items()
    ]
    return Sweep(
        run, first["experiment"], first["setting"], first["figure"], frozenset(rows["contender"][rows["ours"] == "yes"]), attributes,
        problems, stream if stream and stream.ok else None,
    )


def _grouped(rows: Iterable[dict], *columns: str) -> dict[tuple, list[dict]]:
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def _attributes(rows: pd.DataFrame) -> dict:
    """Judged by the timed rows where there are some: rows without a time may not know everything, the dtype for one."""
    timed = rows[(rows["status"] == "ok") & (rows["phase"] == "run")]
    rows = rows if timed.empty else timed
    return {column: rows[column].iloc[0] for column in rows if rows[column].nunique(dropna=False) == 1}


def _limits_elsewhere(rows: list[dict]) -> dict[str, dict[str, Cell]]:
    found: dict[str, dict[str, Cell]] = {}
    for (name,), group in _grouped(rows, "contender").items():
        contender, _, who = name.rpartition(ELSEWHERE)
        found.setdefault(contender, {}).update({limit: _cell(group) for limit, known in LIMITS.items() if known == who})
    return found


def _problem(rows: list[dict], sizes: list[str], limits: dict[str, Cell], elsewhere: dict) -> Problem:
    first = rows[0]
    filled = {size: first[size] for size in sizes if pd.notna(first[size]) and first[size] != ""}
    known = [row for row in rows if row["phase"] == "run"]  # packing does no work that counts
    flop, data = (next((row[column] for row in known if pd.notna(row[column])), float("nan")) for column in ("flop", "bytes"))
    return Problem(
        first["problem"], first["name"], int(first["count"]),
        {size: value if isinstance(value, str) else int(value) for size, value in filled.items()}, flop, data,
        {name: _cell(group) for (name,), group in _grouped(rows, "contender").items()}, first["bound"],
        **{name: cell for name, cell in limits.items() if cell.ok}, elsewhere=elsewhere,
    )


def _cell(rows: list[dict]) -> Cell | None:
    if not rows:
        return None
    run = [row for row in rows if row["phase"] == "run"]
    # One failed check spoils the contender on this problem: whatever it was timed at, the work was not done.
    bad = [*(row for row in rows if row["status"] == "failed"), *(row for row in run if row["status"] != "ok")]
    if bad:
        return Cell(_identity(bad[0]), bad[0]["status"], bad[0]["reason"] or "no reason was written")
    if not run:
        return Cell(_identity(rows[0]), "missing", "it was packed but never run")
    first, packed = run[0], [row for row in rows if (row["phase"], row["status"]) == ("pack", "ok")]
    return Cell(
        _identity(first), "ok", "", Times.of(run), Times.of(packed), first["bound"], first["flop"], first["least_flop"], first["bytes"],
        first["implementation"], first["plan"], first["tuning"], first["version"], first["isa"],
    )


def _identity(row: dict) -> str:
    return "|".join(str(row[key]) for key in ("run", "setting", "problem", "contender", "threads"))

"""What was measured, in the order in which the figures show it.

A Sweep is one experiment under one setting. It has problems, and each problem has one Cell per contender.
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
from plan_names import ENDINGS, FIRST_ENDINGS

RESAMPLES = 2000
QUARTILES_APART = 1.349  # standard deviations between the quartiles of a normal distribution
MEDIAN_TO_MEAN = 1.2533  # the standard error of its median over that of its mean
ABLATION = "ablation"  # the figure of a sweep over variants of one contender
TRAINING = "training"  # the passes of an operation together: this sweep's figure, and its pass
BASE_THREADS = "base_threads"  # what a sweep's attributes call the threads of its base
OWN = "own"  # the limit that a problem is judged by, see Problem.own_limit


@dataclass
class Times:
    """Seconds of one phase. A summary keeps their quartiles and their count, but not the samples."""

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
    bound: str = "flops"  # or "bytes": what its speed counts
    flop: float = float("nan")
    least_flop: float = float("nan")  # without the operations that an algorithm may skip, such as products with padding
    bytes: float = float("nan")
    implementation: str = ""
    plan: str = ""
    tuning: str = ""
    version: str = ""
    isa: str = ""
    peak_bytes: float = float("nan")  # memory that the process gained for it; nan where that is not known
    plan_seconds: float = float("nan")  # how long choosing its plan took; nan where that is not known

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
        """The speeds at the quartiles of the times. A summary gives the same numbers as the samples."""
        return self.work / self.times.high / 1e9, self.work / self.times.low / 1e9

    @cached_property
    def resampled_seconds(self) -> np.ndarray:
        """Medians of bootstrap resamples. The seed is the cell's identity, so a report repeats exactly. A summary has no samples: its
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
    """The sum of several measured parts of one contender's work."""

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
    roof: Cell | None = None  # the loaded roof: the FMA peak with a register tile's loads from L1
    read: Cell | None = None  # where its flops are few: the speed at which its tensors alone can be read
    stream: Cell | None = None  # where the memory is the limit: the memory's bandwidth
    traffic: Cell | None = None  # where the memory is the limit: the speed of as many reads and writes alone
    elsewhere: dict[str, dict[str, Cell]] = field(default_factory=dict)  # by contender: the limits measured in its own process

    def limit(self, limit: str, contender: str = "") -> Cell | None:
        """The limit as it was measured in the process that measured the contender."""
        if limit == OWN:
            return self.own_limit(contender)
        return self.elsewhere[contender].get(limit) if contender in self.elsewhere else getattr(self, limit)

    def own_limit(self, contender: str = "") -> Cell | None:
        """The limit that this problem is judged by. It has to compute and to read, so it is the lower one of the loaded roof (without
        one, of the FMA peak) and of the speed of reading alone; where the memory is the limit it is the stream bandwidth."""
        if self.bound == "bytes":
            return self.limit("stream", contender)
        compute = self.limit("roof", contender) or self.limit("peak", contender)
        read = self.limit("read", contender)
        return read if compute and read and read.speed < compute.speed else compute

    @property
    def waits_for_memory(self) -> bool:
        """Whether reading alone takes longer than computing alone."""
        return self.bound == "flops" and self.read is not None and self.own_limit() is self.read

    @property
    def work(self) -> float:
        return self.bytes if self.bound == "bytes" else self.flop

    @property
    def limits(self) -> tuple[str, ...]:
        """The limits of the machine that are shown beside it."""
        return ("stream",) if self.bound == "bytes" else ("peak", "roof")

    @property
    def label(self) -> str:
        return self.name or self.text

    @property
    def lowest_limit(self) -> str | None:
        return next((limit for limit in ("roof", "peak") if getattr(self, limit)), None)

    @property
    def intensity(self) -> float:
        """flop per byte, each tensor moved once"""
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
    attributes: dict  # the columns that have the same value in all rows
    problems: list[Problem]
    stream: Cell | None
    passes: tuple["Sweep", ...] = ()  # where it is a sum of passes
    base: "Sweep | None" = None  # the same problems on the fewest threads
    between: tuple["Sweep", ...] = ()  # the same problems on thread counts between the base's and its own

    @property
    def runs(self) -> list[Run]:
        return [run for of in self.passes for run in of.runs] or [self.run]

    @property
    def run_names(self) -> str:
        return ", ".join(dict.fromkeys(run.name for run in self.runs))

    @property
    def conditions(self) -> tuple:
        """What two sweeps must have in common, besides their problems, to be added up or compared."""
        cpu = self.run.environment.get("cpu", {}).get("name")
        return cpu, self.bound, *(self.attributes.get(column) for column in ("primitive", "shapes", "device", "dtype", "cache"))

    @property
    def weighted(self) -> bool:
        """Whether each problem is weighted by how often a network uses it. In other sweeps all problems weigh the same."""
        return self.figure in ("layers", TRAINING)

    @property
    def operation(self) -> str:
        primitive, which = (str(self.attributes.get(column, "")) for column in ("primitive", "pass"))
        return (primitive if which in primitive else f"{primitive} {which}").strip() or self.experiment

    @property
    def bound(self) -> str:
        """What limits the operation: "flops" or the memory's "bytes"."""
        return self.problems[0].bound

    @property
    def limits(self) -> tuple[str, ...]:
        return self.problems[0].limits

    @property
    def unit(self) -> str:
        return "GB/s" if self.bound == "bytes" else "GFLOP/s"

    @property
    def cache_bytes(self) -> float:
        """The size of all caches that its threads use. Infinite where the run does not say it."""
        return self.run.environment.get("cpu", {}).get("cache_bytes") or float("inf")

    @property
    def full_setting(self) -> str:
        """The shape set, if there is one, and the setting."""
        return ", ".join(filter(None, (str(self.attributes.get("shapes", "")), self.setting)))

    @property
    def slug(self) -> str:
        return slugify(f"{self.experiment}-{self.setting}{'-plans' if self.ranked else ''}".replace("=", ""))

    @cached_property
    def contenders(self) -> list[str]:
        """The contenders that are compared with each other: all but those that run another plan than the default one."""
        others = {name for names in self.other_plans.values() for name in names}
        return [name for name in self._all if name not in others]

    @cached_property
    def other_plans(self) -> dict[str, list[str]]:
        """For each contender with default plans those that run the same program with other plans, in the order of their endings."""
        others = {name: [name + ending for ending in ENDINGS if name + ending in self._all] for name in self._all}
        return {name: found for name, found in others.items() if found}

    @property
    def ranked(self) -> str | None:
        """The contender whose plans were ranked, if any were."""
        return next((name for name in self.other_plans if any(name + ending in self._all for ending in FIRST_ENDINGS)), None)

    @cached_property
    def _all(self) -> list[str]:
        return list(dict.fromkeys(name for problem in self.problems for name in problem.cells))

    @property
    def on_device(self) -> bool:
        """Whether it ran on a GPU. No limits are measured there, so the fastest library takes their place."""
        return self.attributes.get("device", "cpu") != "cpu"

    @property
    def peers(self) -> list[str]:
        return [name for name in self.contenders if name not in self.ours]

    def shown(self, contender: str) -> bool:
        """Whether the figures show it: a contender without any number takes no place, unless its result was wrong."""
        return any(problem.status(contender) in ("ok", "failed") for problem in self.problems)

    @property
    def bandwidth(self) -> float | None:
        """Bytes per second of the stream kernel."""
        return self.stream.bytes / self.stream.seconds if self.stream else None

    def common(self, *contenders: str) -> list[Problem]:
        """The problems on which all these contenders have a number. Only on these may they be compared."""
        return [problem for problem in self.problems if all(problem.ok(name) for name in contenders)]

    def scaled(self, *contenders: str) -> list[tuple[Problem, Problem]]:
        """Pairs of the same problem on the base's threads and on these, where all these contenders have a number on both."""
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
    # From here on rows are dictionaries: a run has thousands of cells, and building that many data frames takes seconds.
    work = rows.to_dict("records")
    first = work[0]
    attributes = _attributes(rows)
    # In a run over several thread counts the threads are one more size.
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
    """Taken from the timed rows where there are any: rows without a time may lack some columns, such as the dtype."""
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
    # One failed check spoils the contender on this problem: its times are not those of the right work.
    bad = [*(row for row in rows if row["status"] == "failed"), *(row for row in run if row["status"] != "ok")]
    if bad:
        return Cell(_identity(bad[0]), bad[0]["status"], bad[0]["reason"] or "no reason was written")
    if not run:
        return Cell(_identity(rows[0]), "missing", "it was packed but never run")
    first, packed = run[0], [row for row in rows if (row["phase"], row["status"]) == ("pack", "ok")]
    return Cell(
        _identity(first), "ok", "", Times.of(run), Times.of(packed), first["bound"], first["flop"], first["least_flop"], first["bytes"],
        first["implementation"], first["plan"], first["tuning"], first["version"], first["isa"],
        first["peak_bytes"], first["plan_seconds"],
    )


def _identity(row: dict) -> str:
    return "|".join(str(row[key]) for key in ("run", "setting", "problem", "contender", "threads"))

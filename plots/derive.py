"""What the figures show, derived from the samples: medians, spread, ratios, whole-network figures.

A Sweep is one experiment under one setting; its problems hold one Cell for each contender.
"""

import zlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from data import SIZES, Run

RESAMPLES = 2000
ABOVE_PEAK_TOLERANCE = 1.02  # a point this far above the measured FMA peak is an error to find, not noise


@dataclass(frozen=True)
class Estimate:
    """A number and its bootstrap 95 % interval; the interval is nan where a median had a single sample."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        interval = f" [{self.low:.3f}, {self.high:.3f}]" if np.isfinite(self.low) else ""
        return f"{self.value:.3f}{interval}"


def estimate(value: float, resampled: np.ndarray) -> Estimate:
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Estimate(float(value), float(low), float(high))


@dataclass
class Cell:
    """One contender on one problem. Only status `ok` has numbers."""

    identity: str
    status: str
    reason: str = ""
    samples: np.ndarray = field(default_factory=lambda: np.empty(0))  # seconds
    pack_samples: np.ndarray = field(default_factory=lambda: np.empty(0))
    flop: float = float("nan")
    least_flop: float = float("nan")  # without the taps that fall into the padding
    bytes: float = float("nan")
    implementation: str = ""
    plan: str = ""
    version: str = ""
    isa: str = ""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @cached_property
    def seconds(self) -> float:
        assert self.ok, f"{self.identity} is {self.status} and has no time"
        return float(np.median(self.samples))

    @property
    def gflops(self) -> float:
        return self.flop / self.seconds / 1e9

    @property
    def least_gflops(self) -> float:
        return self.least_flop / self.seconds / 1e9

    @cached_property
    def gflops_quartiles(self) -> tuple[float, float]:
        low, high = np.percentile(self.flop / self.samples / 1e9, [25, 75])
        return float(low), float(high)

    @cached_property
    def resampled_seconds(self) -> np.ndarray:
        """Medians of bootstrap resamples; the seed is the cell's identity, so a report repeats exactly."""
        if self.samples.size < 2:
            return np.full(RESAMPLES, np.nan)
        draw = np.random.default_rng(zlib.crc32(self.identity.encode()))
        picks = draw.integers(self.samples.size, size=(RESAMPLES, self.samples.size))
        return np.median(self.samples[picks], axis=1)


@dataclass
class Problem:
    text: str
    name: str
    count: int
    sizes: dict
    cells: dict[str, Cell]
    peak: Cell | None  # the FMA peak measured among this problem's contenders

    @property
    def label(self) -> str:
        return self.name or self.text

    @cached_property
    def flop(self) -> float:
        return next((cell.flop for cell in self.cells.values() if cell.ok), float("nan"))

    @cached_property
    def intensity(self) -> float:
        """flop a byte of compulsory traffic"""
        return next((cell.flop / cell.bytes for cell in self.cells.values() if cell.ok), float("nan"))

    def status(self, contender: str) -> str:
        return self.cells[contender].status if contender in self.cells else "missing"

    def ok(self, contender: str) -> bool:
        return self.status(contender) == "ok"


@dataclass
class Sweep:
    run: Run
    experiment: str
    threads: int
    cache: str
    dtype: str
    minibatch: int | None  # N, convolutions only
    epilogue: str
    problems: list[Problem]
    stream: Cell | None

    @property
    def setting(self) -> str:
        parts = [f"N={self.minibatch}"] if self.minibatch is not None else []
        parts += [f"{self.threads} thread{'s' * (self.threads > 1)}", f"{self.cache} cache", self.dtype]
        return ", ".join(parts + ([f"epilogue {self.epilogue}"] if self.epilogue not in ("", "none") else []))

    @property
    def slug(self) -> str:
        parts = [self.experiment] + ([f"N{self.minibatch}"] if self.minibatch is not None else [])
        parts += [f"{self.threads}thread{'s' * (self.threads > 1)}", self.cache, self.dtype]
        return "-".join(parts + ([self.epilogue] if self.epilogue not in ("", "none") else []))

    @cached_property
    def contenders(self) -> list[str]:
        return list(dict.fromkeys(name for problem in self.problems for name in problem.cells))

    @property
    def bandwidth(self) -> float | None:
        """bytes per second, measured by the stream kernel"""
        return self.stream.bytes / self.stream.seconds if self.stream else None

    def common(self, *contenders: str) -> list[Problem]:
        """The problems on which each of the contenders has a number: the only set on which they may be compared."""
        return [problem for problem in self.problems if all(problem.ok(name) for name in contenders)]

    def version(self, contender: str) -> str:
        seen = Counter(p.cells[contender].version for p in self.problems if contender in p.cells)
        return seen.most_common(1)[0][0] if seen else ""


def sweeps_of(run: Run) -> list[Sweep]:
    machine = run.samples[run.samples["primitive"] == "machine"]
    work = run.samples[run.samples["primitive"] != "machine"]
    axes = ["experiment", "threads", "cache", "dtype"] + [size for size in ("N", "epilogue") if size in work]
    # Skipped rows may not know their dtype; they belong to the run's only one where there is one.
    if work["dtype"].replace("", np.nan).nunique() == 1:
        work = work.assign(dtype=work["dtype"].max())
    return [
        _sweep(run, dict(zip(axes, values)), rows, machine)
        for values, rows in work.groupby(axes, sort=False, dropna=False)
    ]


def _sweep(run: Run, setting: dict, rows: pd.DataFrame, machine: pd.DataFrame) -> Sweep:
    machine = machine[machine["threads"] == setting["threads"]]
    peaks = machine[machine["contender"] == "fma-peak"]
    stream = _cell(machine[machine["contender"] == "stream"])
    problems = [
        _problem(text, group, _cell(peaks[peaks["problem"] == text])) for text, group in rows.groupby("problem", sort=False)
    ]
    minibatch = setting.get("N", float("nan"))
    return Sweep(
        run, setting["experiment"], int(setting["threads"]), setting["cache"], setting["dtype"],
        None if pd.isna(minibatch) else int(minibatch), setting.get("epilogue", ""), problems,
        stream if stream and stream.ok else None,
    )


def _problem(text: str, rows: pd.DataFrame, peak: Cell | None) -> Problem:
    first = rows.iloc[0]
    sizes = {size: first[size] for size in SIZES[first["experiment"]]}
    sizes = {size: value if isinstance(value, str) else int(value) for size, value in sizes.items() if pd.notna(value)}
    cells = {name: _cell(group) for name, group in rows.groupby("contender", sort=False)}
    return Problem(text, first["name"], int(first["count"]), sizes, cells, peak if peak and peak.ok else None)


def _cell(rows: pd.DataFrame) -> Cell | None:
    if rows.empty:
        return None
    run, pack = rows[rows["phase"] == "run"], rows[rows["phase"] == "pack"]
    # One failed check spoils the contender on this problem: whatever it was timed at, the work was not done.
    for status, where in (("failed", rows), ("skipped", run)):
        bad = where[where["status"] == status]
        if not bad.empty:
            return Cell(_identity(bad.iloc[0]), status, bad["reason"].iloc[0] or "no reason was written")
    if run.empty:
        return Cell(_identity(rows.iloc[0]), "skipped", "it was packed but never run")
    first = run.iloc[0]
    return Cell(
        _identity(first), "ok", "", run["seconds"].to_numpy(copy=True), pack["seconds"].to_numpy(copy=True), first["flop"], first["least_flop"],
        first["bytes"],
        first["implementation"], first["plan"], first["version"], first["isa"],
    )


def _identity(row: pd.Series) -> str:
    return "|".join(str(row[key]) for key in ("run", "problem", "contender", "cache", "threads"))


# --- one problem ---------------------------------------------------------------------------------------------------


def ratio(problem: Problem, ours: str, other: str) -> Estimate:
    """How many times faster ours is: the quotient of the medians of one problem of one run."""
    a, b = problem.cells[ours], problem.cells[other]
    return estimate(b.seconds / a.seconds, b.resampled_seconds / a.resampled_seconds)


def fraction_of_peak(problem: Problem, contender: str) -> Estimate:
    cell, peak = problem.cells[contender], problem.peak
    value = cell.gflops / peak.gflops
    return estimate(value, (cell.flop / cell.resampled_seconds) / (peak.flop / peak.resampled_seconds))


# --- a whole network: layers weighted by how often it uses them ------------------------------------------------------


def weighted_seconds(problems: list[Problem], contender: str) -> float:
    return sum(p.count * p.cells[contender].seconds for p in problems)


def weighted_gflops(problems: list[Problem], contender: str) -> float:
    return sum(p.count * p.flop for p in problems) / weighted_seconds(problems, contender) / 1e9


def weighted_ratio(problems: list[Problem], ours: str, other: str) -> Estimate:
    value = weighted_seconds(problems, other) / weighted_seconds(problems, ours)
    return estimate(value, _resampled_seconds(problems, other) / _resampled_seconds(problems, ours))


def weighted_peak_gflops(problems: list[Problem]) -> float:
    """What a machine that stays at the peak measured in each layer would reach."""
    return sum(p.count * p.flop for p in problems) / sum(p.count * p.flop / p.peak.gflops for p in problems)


def weighted_fraction_of_peak(problems: list[Problem], contender: str) -> Estimate:
    """The share of its time that a machine at peak would need."""
    value = weighted_gflops(problems, contender) / weighted_peak_gflops(problems)
    ideal = sum(p.count * p.flop / p.peak.flop * p.peak.resampled_seconds for p in problems)
    return estimate(value, ideal / _resampled_seconds(problems, contender))


def _resampled_seconds(problems: list[Problem], contender: str) -> np.ndarray:
    return sum(p.count * p.cells[contender].resampled_seconds for p in problems)


# --- many shapes -----------------------------------------------------------------------------------------------------


def geometric_mean_ratio(problems: list[Problem], ours: str, other) -> Estimate:
    """other is a contender, or a function from the problem to one."""
    pick = other if callable(other) else lambda problem: other
    pairs = [(p.cells[ours], p.cells[pick(p)]) for p in problems]
    value = np.exp(np.mean([np.log(b.seconds / a.seconds) for a, b in pairs]))
    return estimate(value, np.exp(np.mean([np.log(b.resampled_seconds / a.resampled_seconds) for a, b in pairs], axis=0)))


def commonest_reduction(problems: list[Problem]) -> tuple[int, int]:
    """The (k, batch) that most brgemm problems share: that of the sweep over m and n."""
    return Counter((p.sizes["k"], p.sizes["batch"]) for p in problems).most_common(1)[0][0]


def fastest(problem: Problem, contenders: list[str]) -> str | None:
    timed = [name for name in contenders if problem.ok(name)]
    return min(timed, key=lambda name: problem.cells[name].seconds) if timed else None


def above_peak(sweep: Sweep) -> list[tuple[Problem, str, float]]:
    """(problem, contender, fraction of peak) of every point that no correct measurement can reach: those that would have
    to be faster than the machine even if they left out all taps in the padding."""
    return [
        (problem, name, cell.least_gflops / problem.peak.gflops)
        for problem in sweep.problems if problem.peak
        for name, cell in problem.cells.items()
        if cell.ok and cell.least_gflops > ABOVE_PEAK_TOLERANCE * problem.peak.gflops
    ]


def peak_range(sweep: Sweep) -> tuple[float, float] | None:
    peaks = [problem.peak.gflops for problem in sweep.problems if problem.peak]
    return (min(peaks), max(peaks)) if peaks else None

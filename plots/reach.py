"""How far the machine's own limits let anybody go."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

import derive
from sweeps import Cell, Problem, Times

# A limit that no operation of this kind gets past, which is measured beside another limit: reads and writes as the operation has them
# beside STREAM's triad, and multiply-adds with a register tile's loads beside those without.
TIGHTER = {"stream": "traffic", "peak": "roof"}


def within(limit: str, problems: list[Problem], contender: str) -> float | None:
    """The share of the limit that the tighter one allows; None if there is no such limit."""
    tighter = TIGHTER.get(limit)
    if not tighter or not derive.known(tighter, problems, contender):
        return None
    return derive.weighted_limit_speed(tighter, problems, contender) / derive.weighted_limit_speed(limit, problems, contender)


@dataclass
class Capped(Cell):
    """A rival that needs at least so many times the seconds of the loaded roof."""

    rival: Cell | None = None
    roof: Cell | None = None
    times_roof: float = 0

    @property
    def is_capped(self) -> bool:
        return self.seconds > self.rival.seconds

    @cached_property
    def resampled_seconds(self) -> np.ndarray:
        return np.maximum(self.rival.resampled_seconds, self.times_roof * self.roof.resampled_seconds)


def capped(problem: Problem, ours: str, rival: str, most: float) -> Problem:
    """The problem with the rival at no more than this share of the loaded roof. Without a roof it stays as it is."""
    roof, cell = problem.limit("roof", ours), problem.cells[rival]
    if not roof:
        return problem
    times_roof = cell.work / roof.work / most
    slowest = times_roof * roof.seconds
    times = cell.times if slowest <= cell.seconds else Times(slowest, slowest, slowest, cell.times.count, None)
    numbers = {name: getattr(cell, name) for name in ("bound", "flop", "least_flop", "bytes", "version", "isa")}
    slowed = Capped(cell.identity, "ok", times=times, rival=cell, roof=roof, times_roof=times_roof, **numbers)
    return replace(problem, cells=problem.cells | {rival: slowed})


def at_the_limit(problems: list[Problem], ours: Callable, pick: Callable, summed: Callable) -> float | None:
    """The ratio of a contender at the machine's limit to the rival; None if no limit is known, or if ours computes less than the rival."""
    at_limit = [derive.with_limit(p, pick(p)) for p in problems]
    if not all(at_limit) or any(p.cells[ours(p)].least_flop < p.cells[pick(p)].least_flop for p in problems):
        return None
    return summed(at_limit, derive.AT_THE_LIMIT, pick).value

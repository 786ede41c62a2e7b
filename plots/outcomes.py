"""What a claim comes to by one run: its status, the reason, and the number that was measured.

HOLDS         the whole 95 % interval reaches the bound
FAILS         the whole 95 % interval is below the bound, or a result of ours is wrong
UNDECIDED     the 95 % interval holds the bound
OUT OF REACH  the machine's own limit, measured in the same run, is below the bound: nobody can reach it here
NOT RUN       no run was given that can judge the claim
"""

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from claims_file import Claim
from derive import LIMIT_WORDS, Estimate
from sweeps import Problem, Sweep

STATUSES = HOLDS, FAILS, UNDECIDED, OUT_OF_REACH, NOT_RUN = "HOLDS", "FAILS", "UNDECIDED", "OUT OF REACH", "NOT RUN"


@dataclass(frozen=True)
class Outcome:
    status: str
    reason: str
    measured: Estimate | None = None


def at_least(claim: Claim, measured: Estimate, reason: str, most: float | None = None) -> Outcome:
    """most: what the machine's own limit would give, where that is known."""
    status = status_of(measured, claim.bound)
    if status != HOLDS and most is not None and most < claim.bound:
        return Outcome(OUT_OF_REACH, f"{reason}; the machine's own limit gives {most:.3f}", measured)
    return Outcome(status, reason, measured)


def status_of(measured: Estimate, bound: float) -> str:
    low, high = (measured.low, measured.high) if np.isfinite(measured.low) else (measured.value, measured.value)
    if low >= bound:
        return HOLDS
    return FAILS if high < bound else UNDECIDED


def every_one(claim: Claim, values: list[Estimate], problems: list[Problem], beside: str = "", most: list | None = None) -> Outcome:
    """The outcome of a claim about each problem: the lowest one judges it. Problems that miss the bound because the machine's own
    limit (most) is below it are set apart."""
    limits = most or [None] * len(problems)
    unreachable = [
        limit is not None and limit < claim.bound and status_of(value, claim.bound) != HOLDS
        for value, limit in zip(values, limits, strict=True)
    ]
    measured, reason = lowest_of(claim, values, problems)
    reason += beside
    if not any(unreachable):
        return Outcome(status_of(measured, claim.bound), reason, measured)
    said = ", ".join(f"{p.label} {limit:.3f}" for p, limit, far in zip(problems, limits, unreachable, strict=True) if far)
    said = f"the machine's own limit is below the bound on {said}"
    rest = [pair for pair, far in zip(zip(values, problems, strict=True), unreachable, strict=True) if not far]
    if rest:
        of_rest, where = lowest_of(claim, *map(list, zip(*rest, strict=True)))
        if (status := status_of(of_rest, claim.bound)) != HOLDS:
            return Outcome(status, f"{where}{beside}; {said}", of_rest)
    return Outcome(OUT_OF_REACH, f"{reason}; {said}", measured)


def lacking(sweep: Sweep, problems: list[Problem], *contenders: str, limit: str | None = None) -> Outcome | None:
    """The outcome if a contender has no number on one of the problems; None if all have. A wrong result of ours breaks the claim."""
    for name in contenders:
        absent = [p for p in problems if not p.ok(name)]
        if not absent:
            continue
        wrong = [p for p in absent if name in sweep.ours and p.status(name) == "failed"]
        first = (wrong or absent)[0]
        reason = first.cells[name].reason if name in first.cells else "it was not part of the run"
        where = first.label + (f" and {len(absent) - 1} more" if len(absent) > 1 else "")
        return Outcome(FAILS if wrong else NOT_RUN, f"{name} has no number on {where}: {reason}")
    if limit and (unpaired := [p for p in problems if not p.limit(limit, contenders[0])]):
        return Outcome(NOT_RUN, f"no {LIMIT_WORDS[limit]} was measured beside {unpaired[0].label}")
    return None


def lowest_of(claim: Claim, values: list[Estimate], problems: list[Problem]) -> tuple[Estimate, str]:
    """The lowest value with the 95 % interval of the lowest of all: with many problems one looks slow by chance, so that the upper end
    is that of an interval which all problems keep together."""
    lowest, where = min(zip(values, problems, strict=True), key=lambda pair: pair[0].value)
    enough = sum(value.value >= claim.bound for value in values)
    low, high = np.min([value.low for value in values]), np.min([of_all(value, len(values)) for value in values])  # nan if one is
    interval = replace(lowest, low=float(low), high=float(high))
    return interval, f"lowest at {where.label}; {enough} of {len(problems)} problems reach the bound"


def of_all(value: Estimate, count: int) -> float:
    """The upper end of its interval if count intervals are to hold at once with 95 %, by the normal distribution of the logarithm."""
    normal = NormalDist()
    return value.value * (value.high / value.value) ** (normal.inv_cdf(1 - 0.025 / count) / normal.inv_cdf(1 - 0.025))

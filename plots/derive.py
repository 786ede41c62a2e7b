"""Computes the numbers of the figures from the measured times: ratios, shares of a limit, and numbers of whole networks."""

from dataclasses import dataclass, replace

import numpy as np

from sweeps import OWN, Cell, Problem, Sweep, Times

ABOVE_LIMIT_TOLERANCE = 1.02  # a point this far above the measured limit is an error to find, not noise
LIMIT_WORDS = {"peak": "FMA peak", "roof": "loaded roof", "read": "speed of reading alone", "stream": "stream bandwidth",
               "traffic": "speed of as many reads and writes alone"}


@dataclass(frozen=True)
class Estimate:
    """A number and its bootstrap 95 % interval; the interval is nan if a median had a single sample."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        interval = f" [{self.low:.3f}, {self.high:.3f}]" if np.isfinite(self.low) else ""
        return f"{self.value:.3f}{interval}"


def estimate(value: float, resampled: np.ndarray) -> Estimate:
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Estimate(float(value), float(low), float(high))


# --- one problem ---------------------------------------------------------------------------------------------------


def ratio(problem: Problem, ours: str, other: str) -> Estimate:
    """How many times as fast ours is as the other: the quotient of their median times on one problem of one run."""
    return estimate(*_quotients(problem.cells[ours], problem.cells[other]))


def _quotients(a: Cell, b: Cell) -> tuple[float, np.ndarray]:
    """b's time divided by a's: of the medians, and of the resampled medians. For the same program it is 1: if a search found no
    plan other than the default one, two measurements of that plan differ by noise alone."""
    if _same_program(a, b):
        return 1.0, np.ones_like(a.resampled_seconds)
    return b.seconds / a.seconds, b.resampled_seconds / a.resampled_seconds


def _same_program(a: Cell, b: Cell) -> bool:
    def program(cell: Cell) -> tuple:
        what, *_ = cell.implementation.split(", ")  # behind it stands how the plan was found
        return what, cell.version, cell.isa, cell.tuning, cell.plan

    return a.ok and b.ok and a.plan != "" and program(a) == program(b)


def fraction_of(limit: str, problem: Problem, contender: str) -> Estimate:
    """The contender's share of a limit of the machine: "peak", "roof", "read", "stream" or "traffic"."""
    return estimate(*_fraction(limit, problem, contender))


def _fraction(limit: str, problem: Problem, contender: str) -> tuple[float, np.ndarray]:
    cell, most = problem.cells[contender], problem.limit(limit, contender)
    return cell.speed / most.speed, (cell.work / cell.resampled_seconds) / (most.work / most.resampled_seconds)


AT_THE_LIMIT = "the machine's limit"  # an invented contender


def with_limit(problem: Problem, contender: str) -> Problem | None:
    """The problem with one contender more: it does only the work that nobody can leave out, at the speed of the machine's limit that
    was measured beside this contender. None if no such limit was measured."""
    most = problem.limit(problem.lowest_limit, contender) if problem.lowest_limit else None
    if not most:
        return None
    cell = problem.cells[contender]
    seconds = cell.seconds * cell.least_speed / most.speed
    limit = replace(cell, identity=AT_THE_LIMIT, plan="", times=Times.of_samples([seconds]))
    return replace(problem, cells=problem.cells | {AT_THE_LIMIT: limit})


def quotient_of_fractions(limit: str, problem: Problem, other: Problem, contender: str) -> Estimate:
    """The contender's share of the limit on one problem divided by that on another. The two were not measured interleaved."""
    (value, resampled), (others, others_resampled) = (_fraction(limit, p, contender) for p in (problem, other))
    return estimate(value / others, resampled / others_resampled)


def judged_by(sweep: Sweep, problem: Problem, contender: str) -> Cell | None:
    """The speed that is 100 % in the figures: the problem's own limit, or on a GPU the fastest library."""
    if not sweep.on_device:
        return problem.limit(OWN, contender)
    best = fastest(problem, sweep.peers)
    return problem.cells[best] if best else None


def weighted_share(sweep: Sweep, contender: str) -> float:
    """The contender's share of judged_by() over all problems, weighted by count; nan unless each problem has one."""
    judges = [judged_by(sweep, problem, contender) for problem in sweep.problems]
    if not all(judges):
        return float("nan")
    ideal = sum(p.count * p.work / judge.speed for p, judge in zip(sweep.problems, judges, strict=True)) / 1e9
    return ideal / weighted_seconds(sweep.problems, contender)


def percent_a_unit(limit: str, problem: Problem, contender: str) -> float:
    """The factor from the contender's speed to per cent of the limit; nan if the limit was not measured."""
    most = problem.limit(limit, contender)
    return 100 / most.speed if most else float("nan")


# --- many problems: a network's weighted by how often it uses them, shapes by their geometric mean -------------------
# "Ours" and "another" are a contender's name each, or a function from the problem to one.


def weighted_seconds(problems: list[Problem], another) -> float:
    return sum(p.count * cell.seconds for p, cell in _cells(problems, another))


def weighted_speed(problems: list[Problem], contender: str) -> float:
    return sum(p.count * p.work for p in problems) / weighted_seconds(problems, contender) / 1e9


def weighted_ratio(problems: list[Problem], ours, another) -> Estimate:
    value = weighted_seconds(problems, another) / weighted_seconds(problems, ours)
    return estimate(value, _resampled_seconds(problems, another) / _resampled_seconds(problems, ours))


def known(limit: str, problems: list[Problem], contender: str = "") -> bool:
    """Whether the limit was measured beside each problem, or for the contender if that was measured elsewhere."""
    return all(problem.limit(limit, contender) for problem in problems)


def weighted_limit_speed(limit: str, problems: list[Problem], contender: str = "") -> float:
    """The speed over all problems of a machine that is always at the limit measured beside each problem, or for the contender."""
    return sum(p.count * p.work for p in problems) / sum(p.count * p.work / p.limit(limit, contender).speed for p in problems)


def weighted_fraction_of(limit: str, problems: list[Problem], contender: str) -> Estimate:
    """The time that a machine at the limit would need, divided by the contender's."""
    value = weighted_speed(problems, contender) / weighted_limit_speed(limit, problems, contender)
    ideal = sum(p.count * p.work / most.work * most.resampled_seconds for p in problems for most in [p.limit(limit, contender)])
    return estimate(value, ideal / _resampled_seconds(problems, contender))


def geometric_mean_ratio(problems: list[Problem], ours, another) -> Estimate:
    pairs = [_quotients(a, b) for (_, a), (_, b) in zip(_cells(problems, ours), _cells(problems, another), strict=True)]
    value = np.exp(np.mean([np.log(quotient) for quotient, _ in pairs]))
    return estimate(value, np.exp(np.mean([np.log(resampled) for _, resampled in pairs], axis=0)))


# --- strong scaling: pairs of one problem on fewer and on more threads -------------------------------------------------


def speedup(pair: tuple[Problem, Problem], contender: str) -> Estimate:
    return weighted_speedup([pair], contender)


def weighted_speedup(pairs: list[tuple[Problem, Problem]], contender: str) -> Estimate:
    few, many = zip(*pairs, strict=True)
    value = weighted_seconds(few, contender) / weighted_seconds(many, contender)
    return estimate(value, _resampled_seconds(few, contender) / _resampled_seconds(many, contender))


def geometric_mean_speedup(pairs: list[tuple[Problem, Problem]], contender: str, limit: str = "") -> Estimate:
    """If a limit is named: divided by the speed-up of this limit of the machine, as it was measured beside each problem."""
    if limit:
        shares = [(_fraction(limit, few, contender), _fraction(limit, many, contender)) for few, many in pairs]
        value = np.exp(np.mean([np.log(after / before) for (before, _), (after, _) in shares]))
        return estimate(value, np.exp(np.mean([np.log(after / before) for (_, before), (_, after) in shares], axis=0)))
    cells = [(few.cells[contender], many.cells[contender]) for few, many in pairs]
    value = np.exp(np.mean([np.log(few.seconds / many.seconds) for few, many in cells]))
    return estimate(value, np.exp(np.mean([np.log(few.resampled_seconds / many.resampled_seconds) for few, many in cells], axis=0)))


def _cells(problems: list[Problem], another) -> list[tuple[Problem, Cell]]:
    return [(p, p.cells[another(p) if callable(another) else another]) for p in problems]


def _resampled_seconds(problems: list[Problem], another) -> np.ndarray:
    return sum(p.count * cell.resampled_seconds for p, cell in _cells(problems, another))


def fastest(problem: Problem, contenders: list[str]) -> str | None:
    timed = [name for name in contenders if problem.ok(name)]
    return min(timed, key=lambda name: problem.cells[name].seconds) if timed else None


def fastest_overall(problems: list[Problem], contenders: list[str]) -> str | None:
    return min(contenders, key=lambda name: weighted_seconds(problems, name), default=None)


def doing_less(sweep: Sweep) -> dict[str, float]:
    """The contenders whose algorithm needs fewer flops than another one for the same problem, and the largest such factor."""
    found = {}
    for problem in sweep.problems:
        timed = {name: cell.least_flop for name, cell in problem.cells.items() if cell.ok}
        most = max(timed.values(), default=0)
        for name, flop in timed.items():
            if flop < most:
                found[name] = max(found.get(name, 1), most / flop)
    return found


def above_limit(sweep: Sweep) -> list[tuple[Problem, str, float]]:
    """(problem, contender, share of the problem's lowest limit) of every point that no correct measurement can reach: it is
    faster than the machine even if it left out all flops that may be left out."""
    return [
        (problem, name, cell.least_speed / lowest.speed)
        for problem in sweep.problems if problem.lowest_limit
        for name, cell in problem.cells.items()
        if cell.ok and (lowest := problem.limit(problem.lowest_limit, name)) and cell.least_speed > ABOVE_LIMIT_TOLERANCE * lowest.speed
    ]


def elsewhere_over_here(sweep: Sweep, contender: str) -> tuple[float, float] | None:
    """The sweep's first limit, as measured by the contender's own process, divided by ours on the same problem: the lowest and
    the highest quotient."""
    limit = sweep.limits[0]
    pairs = [(p.elsewhere[contender].get(limit), getattr(p, limit)) for p in sweep.problems if contender in p.elsewhere]
    ratios = [there.speed / here.speed for there, here in pairs if there and here]
    return (min(ratios), max(ratios)) if ratios else None


def limit_range(limit: str, sweep: Sweep) -> tuple[float, float] | None:
    measured = [most.speed for problem in sweep.problems if (most := getattr(problem, limit))]
    return (min(measured), max(measured)) if measured else None

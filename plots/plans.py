"""How good the plans are that each way of choosing them finds: the speed with a plan as a share of that with the best plan measured."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from derive import Estimate, fastest, geometric_mean_ratio, ratio
from plan_names import FIRST_ENDINGS, MEASURED_ENDINGS, METASCHEDULE, TOP
from sweeps import Problem, Sweep

# In claims: the ranking whose first plans are the fastest ones in geometric mean, and the best of its first 5 %; whom they meet.
BEST_RANKING, ITS_TOP = "the best ranking", "the best ranking, best of its first 5 %"
BEST_PLAN, DEFAULT_PLAN = "the best plan measured", "the default plan"


@dataclass(frozen=True)
class Quality:
    """The speed of one contender as shares of that with the best plan of each problem."""

    contender: str
    mean: Estimate  # geometric, over the problems
    worst: Estimate
    where: Problem  # is the worst one
    seconds: float  # to choose a plan, in the mean of the problems; nan where a problem does not know it


def chosen_at_once(sweep: Sweep, rule: str) -> dict[str, str]:
    """The contenders whose plan was chosen without measuring, with words for the way: the default first."""
    return {rule: "the default"} | _with(sweep, rule, FIRST_ENDINGS)


def found_by_measuring(sweep: Sweep, rule: str) -> dict[str, str]:
    """The contenders whose plan was found by measuring several ones, with words for the way."""
    others = {METASCHEDULE: "TVM MetaSchedule"} if METASCHEDULE in sweep.contenders else {}
    return _with(sweep, rule, MEASURED_ENDINGS) | others


def _with(sweep: Sweep, rule: str, endings: dict[str, str]) -> dict[str, str]:
    return {rule + ending: words for ending, words in endings.items() if rule + ending in sweep.other_plans[rule]}


def best_plan(sweep: Sweep, rule: str) -> Callable[[Problem], str | None]:
    """The contender with the fastest plan of each problem: the default or another one of the same program."""
    return lambda problem: fastest(problem, [rule, *sweep.other_plans[rule]])


def rival(sweep: Sweep, against: str) -> Callable[[Problem], str | None]:
    """BEST_PLAN or DEFAULT_PLAN of the contender whose plans were ranked."""
    return best_plan(sweep, sweep.ranked) if against == BEST_PLAN else lambda _: sweep.ranked


def share(sweep: Sweep, rule: str, problem: Problem, contender: str) -> Estimate:
    return ratio(problem, contender, best_plan(sweep, rule)(problem))


def quality(sweep: Sweep, rule: str, contender: str) -> Quality | None:
    """None if the contender lacks a number on a problem on which the default plan has one."""
    problems = sweep.common(rule)
    if not problems or not all(problem.ok(contender) for problem in problems):
        return None
    shares = [share(sweep, rule, problem, contender) for problem in problems]
    worst, where = min(zip(shares, problems, strict=True), key=lambda pair: pair[0].value)
    seconds = float(np.mean([problem.cells[contender].plan_seconds for problem in problems]))
    return Quality(contender, geometric_mean_ratio(problems, contender, best_plan(sweep, rule)), worst, where, seconds)


def best_ranking(sweep: Sweep) -> str | None:
    """The contender with the first plans of the best ranking; None if no ranking has a number on all problems."""
    rule = sweep.ranked
    found = [quality(sweep, rule, contender) for contender in _with(sweep, rule, FIRST_ENDINGS)] if rule else []
    return max(filter(None, found), key=lambda of: of.mean.value).contender if any(found) else None


def of_rankings(sweep: Sweep) -> list[str]:
    """All contenders with plans of rankings: a wrong result of one of them must not be passed over."""
    firsts = _with(sweep, sweep.ranked, FIRST_ENDINGS)
    return [name for first in firsts for name in (first, first + TOP) if name in sweep.other_plans[sweep.ranked]]


# --- the report's table ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    label: str
    first: Quality | None  # with the plan that was chosen
    top: Quality | None  # with the best of a ranking's first 5 %


def rows(sweep: Sweep) -> list[Row]:
    """A row for each way of choosing plans; none if no plans were ranked."""
    rule = sweep.ranked
    if not rule:
        return []
    at_once, measured = chosen_at_once(sweep, rule), found_by_measuring(sweep, rule)
    tops = {name.removesuffix(TOP) for name in measured if name.endswith(TOP)}
    ways = at_once | {name: words for name, words in measured.items() if not name.endswith(TOP)}
    return [
        Row(words, quality(sweep, rule, name), quality(sweep, rule, name + TOP) if name in tops else None)
        for name, words in ways.items()
    ]

"""What pairs of times say about two builds.

A pair is a time of build A and a time of build B, measured one after the other. Its value is log(B / A): 0 is equal, above 0
B is slower. Nothing is assumed of the values of a problem but that they are independent and that their median is the true
change. Spikes, which are frequent on a shared machine, move a median little.

First every problem is measured in a few pairs. Only the verdict SAME stands then. Everything else is measured again, in more
pairs where the first ones scatter more, and the new pairs alone are judged: the chance that made a problem look slower at
first is not in them. So the correction for many tests counts only the problems that were measured again.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats

SLOWER, FASTER, SAME, UNDECIDED = "SLOWER", "FASTER", "SAME", "UNDECIDED"
ALARM = 0.02  # the chance of any SLOWER or FASTER among all problems of builds that are equal
CHANCE = 0.05  # that an interval lies beside the truth, and that a SAME is wrong; of each problem

# Takes the number of the round and how many pairs each problem needs; returns each problem's values log(B / A).
Source = Callable[[int, dict[Hashable, int]], dict[Hashable, Sequence[float]]]


@dataclass(frozen=True)
class Limits:
    effect: float = 0.03  # a change of up to this share counts as none
    # Even numbers: each build is the first of a pair as often as the other.
    pairs: int = 12  # of each problem at first
    again: int = 22  # at least, where a problem is measured again
    most: int = 98  # at most, where a problem is measured again


@dataclass(frozen=True)
class Verdict:
    problem: Hashable
    status: str
    ratio: float  # time of B / time of A: the median of the pairs
    low: float  # the 95 % interval of that median
    high: float
    pairs: int  # that were judged

    def may_be_slower(self, effect: float) -> bool:
        return self.status == UNDECIDED and self.high > 1 + effect


def decide(problems: Sequence[Hashable], source: Source, limits: Limits) -> list[Verdict]:
    effect = math.log1p(limits.effect)
    judged = source(1, dict.fromkeys(problems, limits.pairs))
    again = {problem: pairs_needed(judged[problem], limits) for problem in problems if not is_same(judged[problem], effect)}
    if again:
        judged = {**judged, **source(2, again)}
    chances = dict(zip(again, corrected([chance_if_equal(judged[problem]) for problem in again]), strict=True))
    return [verdict(problem, judged[problem], chances.get(problem, 1.0), effect) for problem in problems]


def verdict(problem: Hashable, values: Sequence[float], chance: float, effect: float) -> Verdict:
    """SLOWER and FASTER need both: a median beyond the effect, and values that equal builds would rarely give."""
    if not len(values):
        return Verdict(problem, UNDECIDED, math.nan, 0, math.inf, 0)
    median = float(np.median(values))
    if abs(median) > effect and chance < ALARM:
        status = SLOWER if median > 0 else FASTER
    else:
        status = SAME if is_same(values, effect) else UNDECIDED
    low, high = interval(values, 1 - CHANCE)
    return Verdict(problem, status, math.exp(median), math.exp(low), math.exp(high), len(values))


def is_same(values: Sequence[float], effect: float) -> bool:
    """The test of equivalence by two one-sided tests: an interval of 1 - 2 * CHANCE lies within the effect."""
    low, high = interval(values, 1 - 2 * CHANCE)
    return -effect < low and high < effect


def interval(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """The interval of the median between two of the ordered values, which holds whatever the distribution."""
    below = _outside(len(values), confidence)
    if below < 0:
        return -math.inf, math.inf
    ordered = np.sort(values)
    return float(ordered[below]), float(ordered[-1 - below])


@cache
def _outside(count: int, confidence: float) -> int:
    """How many values may lie on each side of the interval; -1: too few values for such an interval."""
    return int(stats.binom.ppf((1 - confidence) / 2, count, 0.5)) - 1 if count else -1


def chance_if_equal(values: Sequence[float]) -> float:
    """The sign test: how rarely equal builds would give so unequal numbers of pairs in which A and in which B is faster."""
    slower, faster = sum(value > 0 for value in values), sum(value < 0 for value in values)
    return min(1.0, 2 * float(stats.binom.cdf(min(slower, faster), slower + faster, 0.5)))


def corrected(chances: list[float]) -> list[float]:
    """Holm's correction for several tests."""
    result, largest = [1.0] * len(chances), 0.0
    for rank, place in enumerate(np.argsort(chances)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        result[place] = largest
    return result


def pairs_needed(values: Sequence[float], limits: Limits) -> int:
    """An even number that makes the median's standard error a quarter of the effect. It depends on the spread of the values alone: if
    large medians got more pairs, chance would be found more often."""
    if not len(values):
        return limits.again
    deviation = stats.iqr(values) / 1.35  # of a normal distribution with these quartiles; a spike does not change it
    needed = (4 * 1.25 * deviation / math.log1p(limits.effect)) ** 2
    return 2 * math.ceil(min(max(needed, limits.again), limits.most) / 2)

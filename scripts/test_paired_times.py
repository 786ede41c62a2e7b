"""The judgement of the gate, on synthetic clocks that scatter as recorded pairs of equal builds do."""

import csv
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import paired_times
from paired_times import FASTER, SAME, SLOWER, UNDECIDED, Limits, Verdict, corrected, decide, interval, is_same, pairs_needed, verdict

LIMITS = Limits()
EFFECT = math.log1p(LIMITS.effect)
RUNS, PROBLEMS = 200, 50


def recorded() -> dict[str, list[np.ndarray]]:
    """Values log(B / A) of one program as A and as B, by threads: an array for each problem. They were recorded on two cores that
    other programs kept busy, too. On one thread most pairs agree within 1 %; two threads wait for each other, and a pair may
    differ by a factor of two."""
    series = defaultdict(list)
    with (Path(__file__).parent / "testdata" / "paired_noise.csv").open() as file:
        for row in csv.DictReader(file):
            series[row["threads"], row["experiment"], row["problem"]].append(float(row["log_ratio"]))
    found = defaultdict(list)
    for (threads, _, _), values in series.items():
        found[threads].append(np.array(values))
    return found


NOISE = recorded()


def clock(random: np.random.Generator, noise: list[np.ndarray], slower: float = 1.0):
    """A source of pairs: each problem scatters as one of the recorded ones, and A and B change places by chance, because they were
    the same program. So the clock has no drift that favours one build; comparing a build with itself shows that of a machine. Build B
    takes `slower` times as long on p0."""
    like = random.integers(len(noise), size=PROBLEMS)

    def source(_round: int, wanted: dict[str, int]) -> dict[str, np.ndarray]:
        values = {}
        for problem, count in wanted.items():
            place = int(problem[1:])
            scatter = random.choice(noise[like[place]], count) * random.choice([-1, 1], count)
            values[problem] = scatter + (math.log(slower) if place == 0 else 0)
        return values

    return source


def found(noise: list[np.ndarray], slower: float = 1.0, limits: Limits = LIMITS, runs: int = RUNS) -> list[set[str]]:
    """Which problems are SLOWER in each of many runs of the gate."""
    random = np.random.default_rng(1)
    problems = [f"p{place}" for place in range(PROBLEMS)]
    decided = [decide(problems, clock(random, noise, slower), limits) for _ in range(runs)]
    return [{of.problem for of in verdicts if of.status == SLOWER} for verdicts in decided]


@pytest.mark.parametrize("threads", ["1", "2"])
def test_at_most_2_percent_of_the_runs_raise_a_false_alarm(threads):
    assert sum(map(bool, found(NOISE[threads]))) <= 0.02 * RUNS


@pytest.mark.parametrize(("slower", "share"), [(1.10, 0.99), (1.05, 0.90)])
def test_a_slowdown_of_one_problem_is_found(slower, share):
    runs = found(NOISE["1"], slower)
    assert sum("p0" in run for run in runs) >= share * RUNS
    assert sum(bool(run - {"p0"}) for run in runs) <= 0.02 * RUNS


def test_a_slowdown_is_not_found_by_too_few_pairs():
    """The test above can fail: three pairs say nothing."""
    assert not any(found(NOISE["1"], 1.10, Limits(pairs=3, again=3, most=3), runs=10))


def test_without_a_test_for_chance_there_are_false_alarms(monkeypatch):
    """The test of false alarms can fail: times that scatter by a fifth have large medians by chance."""
    noise = [np.random.default_rng(2).normal(0, 0.2, 1000)]
    assert sum(map(bool, found(noise, runs=10))) == 0
    monkeypatch.setattr(paired_times, "ALARM", 1.1)
    assert sum(map(bool, found(noise, runs=10))) == 10


# --- a verdict -------------------------------------------------------------------------------------------------------

STEADY = np.linspace(-0.001, 0.001, 22)


@pytest.mark.parametrize(
    ("values", "chance", "status"),
    [
        (STEADY, 1.0, SAME),
        (STEADY + 0.1, 1e-6, SLOWER),
        (STEADY - 0.1, 1e-6, FASTER),
        (STEADY + 0.1, 0.5, UNDECIDED),  # may be chance
        (STEADY + 0.02, 1e-6, SAME),  # no chance, but less than the effect
        (STEADY * 100, 1.0, UNDECIDED),
        ([], 1.0, UNDECIDED),
    ],
)
def test_statuses(values, chance, status):
    assert verdict("p", values, chance, EFFECT).status == status


def test_a_verdict_says_the_ratio_of_the_times_and_its_interval():
    of = verdict("p", STEADY + math.log(1.1), 1e-6, EFFECT)
    assert of.ratio == pytest.approx(1.1) and 1.099 < of.low < 1.1 < of.high < 1.101 and of.pairs == 22


@pytest.mark.parametrize(("status", "high", "may"), [(UNDECIDED, 1.04, True), (UNDECIDED, 1.02, False), (SAME, 1.04, False)])
def test_an_undecided_problem_may_be_slower_if_its_interval_reaches_beyond_the_effect(status, high, may):
    assert Verdict("p", status, 1.0, 0.9, high, 22).may_be_slower(LIMITS.effect) == may


def test_only_what_is_not_the_same_is_measured_again_and_the_new_pairs_alone_are_judged():
    asked = []

    def source(round_, wanted):
        asked.append((round_, wanted))
        return {problem: STEADY + (0.1 if (problem, round_) in (("slow", 1), ("slow", 2), ("by chance", 1)) else 0) for problem in wanted}

    verdicts = decide(["same", "slow", "by chance"], source, LIMITS)
    assert asked == [(1, {"same": 12, "slow": 12, "by chance": 12}), (2, {"slow": 22, "by chance": 22})]
    assert [of.status for of in verdicts] == [SAME, SLOWER, SAME]


# --- the statistics --------------------------------------------------------------------------------------------------


def test_what_scatters_more_gets_more_pairs_whatever_its_median():
    scattered = np.random.default_rng(2).normal(0, 0.03, 12)
    assert pairs_needed(STEADY, LIMITS) == LIMITS.again
    assert LIMITS.again < pairs_needed(scattered, LIMITS) == pairs_needed(scattered + 0.1, LIMITS) < LIMITS.most
    assert pairs_needed(scattered * 100, LIMITS) == LIMITS.most


@pytest.mark.parametrize("confidence", [0.90, 0.95])
def test_the_interval_holds_the_median_as_often_as_it_says(confidence):
    random = np.random.default_rng(4)
    intervals = [interval(random.exponential(1, 15), confidence) for _ in range(2000)]
    assert np.mean([low <= math.log(2) <= high for low, high in intervals]) >= confidence


def test_too_few_values_have_no_interval():
    assert interval([0.1] * 5, 0.95) == (-math.inf, math.inf) and interval([0.1] * 6, 0.95) == (0.1, 0.1)
    assert not is_same([0.0] * 4, EFFECT)


def test_holms_correction():
    assert corrected([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert corrected([0.9, 0.8]) == [1.0, 1.0] and corrected([]) == []


def test_the_sign_test_leaves_out_pairs_without_a_difference():
    assert paired_times.chance_if_equal([1, 2, 3, 4, 5, 0, 0]) == pytest.approx(2 / 32)
    assert paired_times.chance_if_equal([1, -1, 2, -2]) == 1.0 and paired_times.chance_if_equal([0, 0]) == 1.0

"""Numbers that lie exactly on the bound that they are compared with, and just beside it."""

from dataclasses import replace
from math import inf, nan, nextafter

import pytest

import scales
from claims import judge
from claims_file import BEST_OF_OTHERS, Claim, Condition
from conftest import bandwidth_bound
from data import load_run
from derive import (
    AT_THE_LIMIT,
    Estimate,
    above_limit,
    doing_less,
    ratio,
    weighted_fraction_of,
    weighted_ratio,
    with_limit,
)
from outcomes import FAILS, HOLDS, NOT_RUN, OUT_OF_REACH, UNDECIDED, at_least
from overview import overview
from regression import FASTER, REGRESSED, beyond
from scaling import disturbed
from style import plt
from sweeps import Times, sweeps_of

SIMD = "brickwork-simd"


def claim(statistic: str, bound: float, against: str = "", shapes: str = "") -> Claim:
    nothing = Condition("")
    return Claim("c", "A sentence.", "ours", "conv-forward", shapes, statistic, SIMD, against, bound, nothing, {}, nothing)


def outcome(sweep, *about, **more):
    (verdict,) = judge(claim(*about, **more), [sweep])
    return verdict.outcome


# --- claims ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "value", "high", "status"),
    [
        (1.05, 1.1, 1.2, HOLDS),
        (1.049, 1.1, 1.2, UNDECIDED),
        (1.0, 1.02, 1.05, UNDECIDED),
        (1.0, 1.02, 1.049, FAILS),
        (1.05, 1.05, 1.05, HOLDS),
        (1.049, 1.049, 1.049, FAILS),
        (nan, 1.05, nan, HOLDS),  # without an interval the value alone decides
        (nan, 1.049, nan, FAILS),
    ],
)
def test_an_interval_that_ends_at_the_bound(low, value, high, status):
    found = at_least(claim("lowest ratio", 1.05), Estimate(value, low, high), "why")
    assert (found.status, found.reason) == (status, "why")


@pytest.mark.parametrize(
    ("high", "most", "status"), [(1.04, 1.05, FAILS), (1.04, 1.049, OUT_OF_REACH), (1.06, 1.049, OUT_OF_REACH), (1.06, None, UNDECIDED)]
)
def test_a_limit_that_just_reaches_the_bound_is_in_reach(high, most, status):
    assert at_least(claim("lowest ratio", 1.05), Estimate(1.0, 0.9, high), "why", most).status == status


def test_a_bound_that_is_reached_is_not_out_of_reach():
    assert at_least(claim("lowest ratio", 1.05), Estimate(1.1, 1.06, 1.2), "why", 1.0).status == HOLDS


def even(sweep):
    """Without noise, so that the interval is the value."""
    for problem in sweep.problems:
        for cell in (*problem.cells.values(), problem.roof):
            if cell.ok:
                cell.times = Times.of_samples([cell.seconds] * 3)
    return sweep


def test_a_problem_at_the_bound_reaches_it(conv):
    lowest = min(ratio(problem, SIMD, "onednn").value for problem in even(conv).problems)
    found = outcome(conv, "lowest ratio", lowest, "onednn")
    assert found.status == HOLDS and "; 3 of 3 problems reach the bound" in found.reason
    found = outcome(conv, "lowest ratio", nextafter(lowest, inf), "onednn")
    assert found.status != HOLDS and "; 2 of 3 problems reach the bound" in found.reason


# Ours is far from the bound, which is the ratio of the machine's limit to oneDNN.
def test_a_bound_that_the_machines_limit_just_reaches_is_in_reach(conv):
    even(conv).problems = conv.problems[:1]
    conv.problems[0].cells[SIMD].times = Times.of_samples([10.0] * 3)
    most = weighted_ratio([with_limit(conv.problems[0], "onednn")], AT_THE_LIMIT, "onednn").value
    for statistic in ("lowest ratio", "weighted ratio"):
        assert outcome(conv, statistic, most, "onednn").status == FAILS
        assert outcome(conv, statistic, nextafter(most, inf), "onednn").status == OUT_OF_REACH


def test_a_set_is_judged_if_other_contenders_have_a_number_on_every_shape(conv):
    conv.attributes["problems"] = 3
    about = ("weighted ratio", 0.5, BEST_OF_OTHERS, "resnet50")
    assert outcome(conv, *about).status == HOLDS
    for name in conv.peers:
        conv.problems[1].cells[name].status = "unsupported"
    found = outcome(conv, *about)
    assert (found.status, found.reason) == (NOT_RUN, "no contender but ours has a number on 1 of the problems")


# --- the memory's limit ----------------------------------------------------------------------------------------------


@pytest.fixture
def stream(variation):
    """stream(gigabytes): the stored run as if the memory were the limit, where reads and writes alone reach this many GB/s."""

    def make(gigabytes: float):
        (sweep,) = sweeps_of(load_run(variation("conv", bandwidth_bound, str(gigabytes))))
        for problem in sweep.problems:
            problem.traffic = replace(problem.stream, bytes=gigabytes * 1e6, times=Times.of_samples([1e-3] * 3))
        return sweep

    return make


# The memory gives as many reads and writes 0.6 of the stream.
def test_a_share_of_the_stream_that_holds_is_in_reach(stream):
    sweep = stream(3)
    whole = weighted_fraction_of("stream", sweep.problems, SIMD).low
    assert outcome(sweep, "weighted share of stream", whole).status == HOLDS
    assert outcome(sweep, "weighted share of stream", nextafter(whole, inf)).status == UNDECIDED


def test_a_share_that_the_memory_just_gives_is_in_reach(stream):
    sweep = stream(3)
    for statistic in ("lowest share of stream", "weighted share of stream"):
        assert outcome(sweep, statistic, 0.5999).status == UNDECIDED
        assert outcome(sweep, statistic, 0.6001).status == OUT_OF_REACH
    found = outcome(sweep, "lowest share of reads and writes alone", 0.5)
    assert found.reason.endswith("; of the stream bandwidth 0.500")
    assert found.measured.value == pytest.approx(2.5 / 3)


@pytest.mark.parametrize("cache_bytes", [20_000_000, 19_999_999])
def test_what_is_as_large_as_the_caches_fits(stream, figures_of, cache_bytes):
    sweep = stream(3)  # of 40, 20 and 80 MB
    sweep.run.environment["cpu"]["cache_bytes"] = cache_bytes
    fits = cache_bytes == 20_000_000
    assert ("(1 of 3 problems fit in the caches)" in overview([sweep])[0].sentence) == fits
    assert ("Problems that fit in the caches may be faster than the memory: layer02. " in figures_of(sweep)["x-layers"][1].caption) == fits


# --- the limits of the machine ---------------------------------------------------------------------------------------


# A limit of 1 GFLOP/s, and a contender that must do as much in a second. 2 % more is noise.
@pytest.mark.parametrize(("gflop", "found"), [(1.0, False), (1.02, False), (1.0200001, True)])
def test_a_point_above_the_roof(conv, gflop, found):
    conv.problems = conv.problems[:1]
    (problem,) = conv.problems
    for cell in (*problem.cells.values(), problem.roof):
        cell.flop = cell.least_flop = 1e9
        cell.times = Times.of_samples([1.0] * 3)
    problem.cells[SIMD].least_flop = gflop * 1e9
    assert [name for _, name, _ in above_limit(conv)] == ([SIMD] if found else [])


@pytest.mark.parametrize(("times_as_much", "found"), [(2.0, False), (2.04, False), (2.0400001, True)])
def test_a_machine_that_gives_more_than_its_threads(conv, times_as_much, found):
    fewer = replace(conv, attributes=conv.attributes | {"threads": 1})
    assert disturbed(replace(conv, base=fewer), times_as_much) == found


def test_who_does_as_much_as_the_others_does_not_less(conv):
    assert doing_less(conv) == {}


@pytest.mark.parametrize(("percent", "marked"), [(130, 0), (130.001, 1)])
def test_a_share_at_the_end_of_the_axis_is_drawn(percent, marked):
    figure, axes = plt.subplots()
    scales.mark_beyond(axes, 0, percent, 130)
    assert len(axes.lines) == marked
    plt.close(figure)


# --- other runs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [
        (0.5, 0.75, HOLDS), (0.5, 0.749, REGRESSED), (1.25, 1.5, HOLDS), (1.251, 1.5, FASTER), (0.749, 1.251, HOLDS),
    ],
)  # fmt: skip
def test_a_change_by_the_tolerance_is_none(low, high, status):
    assert beyond(0.25, {"onednn": Estimate((low + high) / 2, low, high)}) == status

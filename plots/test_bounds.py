"""Numbers that lie exactly on the bound that they are compared with, and just beside it."""

from dataclasses import replace
from math import inf, nextafter

import pytest

import style
from claims import FAILS, HOLDS, UNCHECKED, at_least, judge
from claims_file import BEST_OF_OTHERS, Claim, Condition
from conftest import bandwidth_bound
from data import load_run
from derive import (
    ABOVE_LIMIT_TOLERANCE,
    AT_THE_LIMIT,
    Estimate,
    above_limit,
    doing_less,
    fraction_of,
    ratio,
    weighted_fraction_of,
    weighted_ratio,
    with_limit,
)
from overview import overview
from regression import FASTER, REGRESSED, beyond
from scaling import disturbed
from style import plt
from sweeps import Times, sweeps_of

SIMD = "brickwork-simd"


def claim(statistic: str, bound: float, against: str = "", shapes: str = "") -> Claim:
    nothing = Condition("")
    return Claim("c", "A sentence.", "ours", "conv-forward", shapes, statistic, SIMD, against, bound, nothing, {}, nothing, None)


def outcome(sweep, *about, **more):
    (verdict,) = judge(claim(*about, **more), [sweep])
    return verdict.outcome


# --- claims ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "value", "high", "status", "doubtful"),
    [
        (1.05, 1.1, 1.2, HOLDS, False),  # all that the interval has reaches the bound
        (1.049, 1.1, 1.2, HOLDS, True),
        (1.0, 1.02, 1.05, FAILS, True),  # and here its end alone
        (1.0, 1.02, 1.049, FAILS, False),
        (1.0, 1.05, 1.05, HOLDS, True),
        (1.05, 1.05, 1.05, HOLDS, False),
        (1.049, 1.049, 1.049, FAILS, False),
    ],
)
def test_an_interval_that_ends_at_the_bound(low, value, high, status, doubtful):
    found = at_least(claim("lowest ratio", 1.05), Estimate(value, low, high), "why")
    assert found.status == status
    assert found.reason == "why" + ("; the 95 % interval holds the bound, so another run may judge otherwise" if doubtful else "")


def test_what_lies_at_the_bound_counts_among_those_that_reach_it(conv):
    lowest = min(ratio(problem, SIMD, "onednn").value for problem in conv.problems)
    found = outcome(conv, "lowest ratio", lowest, "onednn")
    assert found.status == HOLDS and "; 3 of 3 problems reach the bound" in found.reason
    found = outcome(conv, "lowest ratio", nextafter(lowest, inf), "onednn")
    assert found.status == FAILS and "; 2 of 3 problems reach the bound" in found.reason


# The bound is the ratio of a contender at the machine's limit to oneDNN. Ours is far below it.
def test_a_bound_that_the_machines_limit_just_reaches_is_in_reach(conv):
    for problem in conv.problems:
        problem.cells[SIMD].times = Times.of_samples([10.0] * 3)
    conv.problems = conv.problems[:1]
    most = weighted_ratio([with_limit(conv.problems[0], "onednn")], AT_THE_LIMIT, "onednn").value
    for statistic in ("lowest ratio", "weighted ratio"):
        found = outcome(conv, statistic, most, "onednn")
        assert found.status == FAILS and "nobody" not in found.reason
        assert "; nobody could reach it" in outcome(conv, statistic, nextafter(most, inf), "onednn").reason


# The machine was disturbed: ours is above its limit.
@pytest.mark.parametrize("statistic", ["lowest ratio", "weighted ratio"])
def test_a_bound_that_is_reached_is_not_out_of_reach(conv, statistic):
    conv.problems = conv.problems[:1]
    conv.problems[0].cells[SIMD].times = Times.of_samples([1e-3] * 3)
    bound = ratio(conv.problems[0], SIMD, "onednn").value
    found = outcome(conv, statistic, bound, "onednn")
    assert found.status == HOLDS and "nobody" not in found.reason
    assert "; nobody could reach it" in outcome(conv, statistic, nextafter(bound, inf), "onednn").reason


def test_a_set_of_shapes_whose_others_all_have_a_number_is_judged(conv):
    conv.attributes["problems"] = 3
    about = ("weighted ratio", 0.5, BEST_OF_OTHERS, "resnet50")
    assert outcome(conv, *about).status == HOLDS
    for name in conv.peers:
        conv.problems[1].cells[name].status = "unsupported"
    found = outcome(conv, *about)
    assert (found.status, found.reason) == (UNCHECKED, "no contender but ours has a number on 1 of the problems")


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


GIVES_NO_MORE = "; the memory gives no more"


def test_a_share_of_the_stream_that_holds_is_not_excused(stream):
    sweep = stream(3)
    whole = weighted_fraction_of("stream", sweep.problems, SIMD).value
    assert GIVES_NO_MORE not in outcome(sweep, "weighted share of stream", whole).reason
    assert GIVES_NO_MORE in outcome(sweep, "weighted share of stream", nextafter(whole, inf)).reason
    best = fraction_of("stream", sweep.problems[0], SIMD).value  # layer02 has less
    assert outcome(sweep, "lowest share of stream", best).reason.endswith("have of the stream: layer02 0.600")


def test_what_the_memory_just_gives_it_gives(stream):
    sweep = stream(3)
    just = ABOVE_LIMIT_TOLERANCE * 0.6
    assert GIVES_NO_MORE not in outcome(sweep, "lowest share of stream", just).reason
    assert GIVES_NO_MORE in outcome(sweep, "lowest share of stream", just * 1.001).reason


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
    style.mark_beyond(axes, 0, percent, 130)
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

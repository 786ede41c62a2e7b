"""A rival at no more than a share of the loaded roof, and the limits that nobody gets past."""

from dataclasses import fields

import numpy as np
import pytest
from pytest import approx

from derive import ratio, weighted_ratio
from reach import capped, within
from sweeps import SummedCell, Times

SIMD, ONEDNN = "brickwork-simd", "onednn"


@pytest.fixture
def layer03(conv):
    """4e9 flop, a roof of 236 GFLOP/s, oneDNN 16 ms, ours 20 ms, in some runs more or less."""
    return next(problem for problem in conv.problems if problem.name == "layer03")


def test_a_rival_below_the_share_stays_as_fast_as_it_is(layer03):
    share = 4 / 0.016 / 236 + 0.01
    cell = capped(layer03, SIMD, ONEDNN, share).cells[ONEDNN]
    assert cell.seconds == layer03.cells[ONEDNN].seconds and not cell.is_capped


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_a_rival_above_the_share_is_slowed_down_to_it(layer03, share):
    slowed = capped(layer03, SIMD, ONEDNN, share)
    assert slowed.cells[ONEDNN].speed == approx(share * 236) and slowed.cells[ONEDNN].is_capped
    assert ratio(slowed, SIMD, ONEDNN).value == approx(4 / 0.02 / (share * 236))
    assert layer03.cells[ONEDNN].speed == approx(250)  # the problem itself is as it was


def test_the_samples_are_slowed_down_one_by_one(layer03):
    layer03.cells[ONEDNN].times = Times.of_samples(np.linspace(0.010, 0.030, 101))
    limit = 4 / (0.95 * 236)
    resampled = capped(layer03, SIMD, ONEDNN, 0.95).cells[ONEDNN].resampled_seconds
    plain = layer03.cells[ONEDNN].resampled_seconds
    assert resampled == approx(np.maximum(plain, limit)) and (plain < limit).any() and (plain > limit).any()


def test_the_roof_may_be_a_sum_of_passes(layer03):
    roof = layer03.roof
    layer03.roof = SummedCell(**{field.name: getattr(roof, field.name) for field in fields(roof)}, parts=(roof,))
    slowed = capped(layer03, SIMD, ONEDNN, 0.5)
    assert weighted_ratio([slowed], SIMD, ONEDNN).high >= 4 / 0.02 / (0.5 * 236)
    assert slowed.cells[ONEDNN].resampled_seconds == approx(np.full(2000, 4 / (0.5 * 236)))


def test_without_a_roof_nothing_changes(layer03):
    layer03.roof = None
    assert capped(layer03, SIMD, ONEDNN, 0.5) is layer03


def test_the_roof_is_the_limit_of_shares_of_the_peak(conv):
    conv.problems = conv.problems[-1:]
    assert within("peak", conv.problems, SIMD) == approx(236 / 240)
    assert within("roof", conv.problems, SIMD) is None and within("stream", conv.problems, SIMD) is None

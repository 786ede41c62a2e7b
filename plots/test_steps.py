"""Whether a step of a long sequence takes the time of one of a short sequence."""

import pandas as pd
import pytest
from pytest import approx

from claims import judge
from claims_file import STORED, load_claims
from outcomes import FAILS, HOLDS, NOT_RUN

(CLAIM,) = (claim for claim in load_claims(STORED) if claim.id == "lstm-steps")
SIMD = "brickwork-simd"


@pytest.fixture
def outcome(resnet50):
    """outcome(steps, slower): what is said of two widths, each with these steps, where the steps of some problems are so many times as
    slow as those of others, by width and steps; so is the machine beside them where it is said to be."""

    def judged(steps, slower, machine=()):
        def change(rows: pd.DataFrame) -> pd.DataFrame:
            layer, parts = rows[rows["name"] == "layer01"], []
            for width in (256, 512):
                for t in steps:
                    part = layer.assign(name=f"T{t}", problem=f"T{t}_K{width}", T=str(t), K=str(width), shapes="rnn-steps")
                    parts.append(part.assign(experiment="rnn-forward", problems=str(2 * len(steps))))
                    by = pd.Series(1.0, part.index).mask(part["contender"].isin([SIMD, *machine]), slower.get((width, t), 1))
                    parts[-1]["seconds"] = (part["seconds"].astype(float) * by).map(repr)
            return pd.concat(parts)

        (verdict,) = judge(CLAIM, [resnet50(minibatch=168, change=change, brickwork_simd=0.02)])
        return verdict.outcome

    return judged


def test_the_longest_is_compared_with_the_shortest_of_its_width(outcome):
    found = outcome((10, 50, 200, 1000), {(512, 10): 9, (256, 200): 9})
    assert (found.status, found.measured.value) == (HOLDS, approx(1))
    assert "2 of 2 problems reach the bound" in found.reason


def test_one_width_that_slows_down_breaks_the_claim(outcome):
    found = outcome((50, 1000), {(512, 50): 1.5, (512, 1000): 2})
    assert (found.status, found.measured.value) == (FAILS, approx(0.75)) and "lowest at T1000; 1 of 2" in found.reason


def test_a_machine_that_has_slowed_down_is_no_growth(outcome):
    assert outcome((50, 1000), {(512, 1000): 2}, ("loaded-roof",)).measured.value == approx(1)


def test_without_a_longer_one_nothing_is_said(outcome):
    found = outcome((50,), {})
    assert (found.status, found.reason) == (NOT_RUN, "the run holds no two of these problems that differ in T alone")

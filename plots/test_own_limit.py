"""The limit that a problem is judged by. Tables, figures and the screen show the same share of it."""

import re

import pandas as pd
import pytest
from pytest import approx

import output
from conftest import STORED
from data import load_run
from derive import fraction_of, known, weighted_fraction_of
from labels import in_full, short_limit
from overview import overview
from sweeps import OWN, sweeps_of
from testing import artists

SIMD = "brickwork-simd"


def with_reading(samples, layers=("layer02",), factor: float = 2):
    """Adds reading the tensors alone on these layers, with the time at the loaded roof multiplied by the factor."""
    rows = samples[samples["contender"].eq("loaded-roof") & samples["name"].isin(layers)]
    seconds = rows["seconds"].astype(float) * factor
    return pd.concat([samples, rows.assign(contender="read", seconds=seconds.map(repr), **{"pass": "read"})])


@pytest.fixture
def waiting(variation):
    return variation("conv", with_reading)


def test_it_is_the_loaded_roof_or_reading_alone_whichever_is_lower(conv, waiting):
    assert [problem.own_limit() is problem.roof for problem in conv.problems] == [True] * 3
    (sweep,) = sweeps_of(load_run(waiting))
    assert [problem.waits_for_memory for problem in sweep.problems] == [False, True, False]
    assert fraction_of(OWN, sweep.problems[1], SIMD).value == approx(125 / 100)
    whole = 14 / (2 / 225 + 4 / 100 + 8 / 236)
    assert weighted_fraction_of(OWN, sweep.problems, SIMD).value == approx(14 / 0.082 / whole)


def test_reading_that_is_faster_than_computing_is_no_limit(variation):
    (sweep,) = sweeps_of(load_run(variation("conv", lambda samples: with_reading(samples, factor=0.9))))
    assert not any(problem.waits_for_memory for problem in sweep.problems) and short_limit(sweep) == "the loaded roof"


def test_without_a_loaded_roof_it_is_the_peak_and_without_any_there_is_none(before_the_roof, variation):
    (sweep,) = sweeps_of(load_run(before_the_roof("conv")))
    assert all(problem.own_limit() is problem.peak for problem in sweep.problems) and short_limit(sweep) == "the FMA peak"
    (sweep,) = sweeps_of(load_run(variation("conv", lambda samples: samples[samples["primitive"].ne("machine")], "limitless")))
    assert not known(OWN, sweep.problems, SIMD)


def test_the_words_say_which_limit_it_is(waiting):
    (sweep,) = sweeps_of(load_run(waiting))
    assert short_limit(sweep) == "the machine's limit"
    assert in_full(sweep) == "the machine's limit, which is the loaded roof or, where that is lower, the speed of reading alone"
    (row,) = overview([sweep])
    assert row.limit == "machine's limit" and row.sentence.endswith(
        f"; {row.share:.2f} of the machine's limit (1 of 3 problems wait for their tensors to be read)"
    )


def test_reading_is_drawn_where_it_is_the_limit(figures_of, waiting):
    (sweep,) = sweeps_of(load_run(waiting))
    figure, drawn = figures_of(sweep)["x-layers"]
    speed, share = figure.axes
    assert artists.limits(speed, ":") == [approx((0.5, 1.5, 100))]
    assert "reading the tensors alone" in artists.legend(figure) and share.get_ylabel() == "% of machine's limit"
    assert "Reading the tensors alone takes longer than the multiply-adds on layer02." in drawn.caption


@pytest.mark.usefixtures("only_svg")
def test_screen_table_and_figure_have_the_same_share(tmp_path, capsys):
    output.write_report([str(STORED / "conv")], tmp_path, "a command")
    share = weighted_fraction_of(OWN, sweeps_of(load_run(STORED / "conv"))[0].problems, SIMD).value
    text = (tmp_path / "report.html").read_text()
    assert f"{share:.2f} loaded roof" in capsys.readouterr().out
    assert f"{share:.2f} <small>loaded roof</small>" in text
    assert f"Brickwork, simd brick: {100 * share:.1f} %</text>" in text  # the figure's legend
    assert re.search(rf"{14 / 0.082:.1f} GFLOP/s, {100 * share:.1f} %", text)  # the table of the whole network

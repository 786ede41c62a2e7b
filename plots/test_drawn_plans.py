"""The figure of the rule's plans, read back and compared with values computed by hand from testdata/conv/samples.csv. Contenders
with searched plans are in no other figure."""

import pandas as pd
import pytest
from pytest import approx

import page
import style
from conftest import STORED, with_searched
from data import load_run
from sweeps import sweeps_of
from test_drawn_layers import SIMD, named
from testing import artists

SEARCHED = "brickwork-simd-searched"


def faster(rows: pd.DataFrame) -> pd.DataFrame:
    """Searched plans that take 0.8 of the rule's time on layer02 and the same time elsewhere."""
    rows = with_searched(rows)
    better = rows["contender"].eq(SEARCHED) & rows["name"].eq("layer02") & rows["phase"].eq("run")
    rows.loc[better, "seconds"] = (rows.loc[better, "seconds"].astype(float) * 0.8).map(str)
    return rows


@pytest.fixture
def run(variation):
    return variation("conv", faster)


def test_shares_stand_where_they_are(figures, run):
    figure = figures(run)["x-plan-quality"]
    (axes,) = figure.axes
    found = named(artists.by_group(axes, artists.points(figure, axes)))
    assert found == {SIMD: approx({"layer01": 1, "layer02": 0.8, "layer03": 1, "mean": 0.8 ** (1 / 3)})}
    assert artists.true(axes, "y") and axes.get_ylabel() == "time: searched / rule"
    assert artists.across(axes) == [1]
    assert list(artists.legend(figure)) == [f"{SIMD}: 0.928"] and not artists.notes(axes)
    assert artists.groups(axes)["geometric mean"] == 3 + 0.9


def test_intervals_are_those_of_the_quotient(figures, run):
    (axes,) = figures(run)["x-plan-quality"].axes
    # layer02: samples of 0.8 * (6, 8, 10) ms against 6, 8, 10 ms
    intervals = {round(x): (low, high) for x, low, high in artists.whiskers(axes) if low != high}
    assert intervals[1] == (approx(0.8 * 6 / 10), approx(0.8 * 10 / 6))
    low, high = axes.get_ylim()
    assert low < 0.48 and high > 8 / 6


@pytest.mark.parametrize("who", ["brickwork-simd", SEARCHED])
def test_a_letter_stands_where_one_of_the_two_has_no_number(figures, variation, who):
    def change(rows):
        rows = with_searched(rows)
        gone = rows["contender"].eq(who) & rows["name"].eq("layer03")
        rows.loc[gone, ["status", "reason", "seconds"]] = ["misfit", "it does not fit", ""]
        return rows

    figure = figures(variation("conv", change))["x-plan-quality"]
    (axes,) = figure.axes
    assert {letter: [round(x) for x in places] for letter, places in artists.letters(axes).items()} == {"m": [2]}
    assert list(artists.legend(figure)) == [SIMD, "the given plan does not fit"]
    assert set(named(artists.by_group(axes, artists.points(figure, axes)))[SIMD]) == {"layer01", "layer02"}


def test_without_a_search_there_is_no_such_figure(figures):
    assert "x-plan-quality" not in figures(STORED / "conv")


def test_the_other_figures_do_not_change(figures, run):
    found, expected = figures(run), figures(STORED / "conv")
    assert set(found) == {*expected, "x-plan-quality"}
    for name, figure in expected.items():
        assert list(artists.legend(found[name])) == list(artists.legend(figure)), name
        for axes, same in zip(found[name].axes, figure.axes, strict=True):
            assert artists.points(found[name], axes) == artists.points(figure, same)


def test_the_report_names_both_plans_and_compares_none_but_the_rules(run):
    (sweep,) = sweeps_of(load_run(run))
    plans = [(row["key"][0], row["key"][3]) for row in page._plans(sweep)]
    searched = plans.index((SEARCHED, "another"))
    assert searched > 0 and {name for name, _ in plans[:searched]} == {"brickwork-simd"}
    assert [row["label"] for row in page._weighted(sweep)][:2] == [SIMD, "oneDNN 3.2"]
    assert style.label_of(sweep, SEARCHED) == f"{SIMD}, searched plan"
    assert style.label_of(sweep, "brickwork-simd") == SIMD

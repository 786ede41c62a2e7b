"""The figures of plans, read back and compared with values computed by hand from testdata/conv/samples.csv. Contenders with other plans
than the default one are in no other figure."""

import re

import pandas as pd
import pytest
from pytest import approx

import page
import plans
import report
import style
from conftest import RANKED, STORED, times, with_rankings, with_searched
from data import load_run
from plan_names import PAPERS
from sweeps import sweeps_of
from test_drawn_layers import SIMD, named
from testing import artists

RULE, SEARCHED = "brickwork-simd", "brickwork-simd-searched"


def faster(rows: pd.DataFrame) -> pd.DataFrame:
    """Searched plans that take 0.8 of the default time on layer02 and the same time elsewhere."""
    rows = with_searched(rows)
    better = rows["contender"].eq(SEARCHED) & rows["name"].eq("layer02") & rows["phase"].eq("run")
    rows.loc[better, "seconds"] = (rows.loc[better, "seconds"].astype(float) * 0.8).map(str)
    return rows


@pytest.fixture
def run(variation):
    return variation("conv", faster)


@pytest.fixture
def ranked(variation):
    return variation("conv", with_rankings)


# --- layer by layer


def test_shares_stand_where_they_are(figures, run):
    figure = figures(run)["x-plan-quality"]
    (axes,) = figure.axes
    found = named(artists.by_group(axes, artists.points(figure, axes)))
    assert found == {
        "the default": approx({"layer01": 1, "layer02": 0.8, "layer03": 1, "mean": 0.8 ** (1 / 3)}),
        "search": approx({"layer01": 1, "layer02": 1, "layer03": 1, "mean": 1}),
    }
    assert artists.true(axes, "y") and axes.get_ylabel() == "share of the best\nplan's speed"
    assert artists.across(axes) == [1]
    assert list(artists.legend(figure)) == ["the default: 0.928", "search: 1.000"] and not artists.notes(axes)
    assert artists.groups(axes)["geometric mean"] == 3 + 0.9


def test_intervals_are_those_of_the_quotient(figures, run):
    (axes,) = figures(run)["x-plan-quality"].axes
    # layer02: samples of 0.8 * (6, 8, 10) ms against 6, 8, 10 ms
    intervals = {round(x): (low, high) for x, low, high in artists.whiskers(axes) if low != high}
    assert intervals[1] == (approx(0.8 * 6 / 10), approx(0.8 * 10 / 6))
    low, high = axes.get_ylim()
    assert low < 0.48 and high > 8 / 6


@pytest.mark.parametrize("who", [RULE, SEARCHED])
def test_a_letter_stands_where_one_has_no_number(figures, variation, who):
    def change(rows):
        rows = with_searched(rows)
        gone = rows["contender"].eq(who) & rows["name"].eq("layer03")
        rows.loc[gone, ["status", "reason", "seconds"]] = ["misfit", "it does not fit", ""]
        return rows

    figure = figures(variation("conv", change))["x-plan-quality"]
    (axes,) = figure.axes
    found = {letter: [round(x) for x in places] for letter, places in artists.letters(axes).items()}
    lacks_the_mean = who == SEARCHED  # the mean is over the problems that the default has
    assert found == {"m": [2]} | ({"i": [4]} if lacks_the_mean else {})
    shown = named(artists.by_group(axes, artists.points(figure, axes)))
    assert "layer03" not in shown["search" if lacks_the_mean else "the default"]


def test_without_other_plans_there_is_no_such_figure(figures):
    assert not {"x-plan-quality", "x-rank-efficiency"} & set(figures(STORED / "conv"))


def test_each_ranking_stands_in_both_panels(figures, ranked):
    figure = figures(ranked)["x-plan-quality"]
    shares = {name.removeprefix(RULE): share for name, (share, _) in RANKED.items()}
    ways = [("", "-latency", "-measured"), ("-latency-top", "-measured-top", "-searched", "-random", "tvm-metaschedule")]
    for axes, shown in zip(figure.axes, ways, strict=True):
        found = artists.by_group(axes, artists.points(figure, axes))
        for group in ("layer02", "mean"):
            assert [of[group] for of in named(found).values()] == approx([shares[way] for way in shown]), group
    first, second = "latencies as in the paper", "measured latencies and bandwidths"
    assert list(artists.legend(figure)) == [
        "the default: 0.950", f"{first}: 0.800; first 5 %: 0.900", f"{second}: 0.980; first 5 %: 0.995", "search: 1.000",
        "random plans: 0.970", "TVM MetaSchedule: 0.500",
    ]


def test_a_peer_has_no_share_where_no_plan_of_ours_has_a_number(figures, variation):
    def change(rows):
        rows = with_rankings(rows)
        gone = rows["contender"].str.startswith(RULE) & rows["name"].eq("layer03")
        rows.loc[gone, ["status", "reason", "seconds"]] = ["unsupported", "not here", ""]
        return rows

    figure = figures(variation("conv", change))["x-plan-quality"]
    found = named(artists.by_group(figure.axes[1], artists.points(figure, figure.axes[1])))
    assert set(found["TVM MetaSchedule"]) == {"layer01", "layer02", "mean"}


def test_a_figure_for_each_contender_with_several_plans(figures, variation):
    def change(rows):
        rows = with_searched(rows)
        other = rows[rows["contender"].isin([RULE, SEARCHED])]
        return pd.concat([rows, other.assign(contender=other["contender"].str.replace("simd", "libxsmm"))])

    found = [name for name in figures(variation("conv", change)) if name.endswith("-plan-quality")]
    assert found == ["x-brickwork-simd-plan-quality", "x-brickwork-libxsmm-plan-quality"]


# --- all layers together


def marked(axes, marker: str) -> list[float]:
    """Where the marks of this kind stand, from the first row on."""
    found = [(line.get_ydata()[0], line.get_xdata()[0]) for line in axes.lines if line.get_marker() == marker]
    return [x for _, x in sorted(found)]


def test_rank_efficiency_shows_means_worst_problems_and_seconds(figures, variation):
    def change(rows):  # layer02 takes twice the time with the plan by the paper's latencies
        rows = with_rankings(rows)
        slow = rows["contender"].eq("brickwork-simd-latency") & rows["name"].eq("layer02") & rows["phase"].eq("run")
        return times(rows, slow, 2)

    figure = figures(variation("conv", change))["x-rank-efficiency"]
    shares, seconds = figure.axes
    rankings = ["latencies as in the paper", "measured latencies and bandwidths"]
    labels = [label.get_text() for label in shares.get_yticklabels()]
    assert labels == ["the default", *rankings, "search", "random plans", "TVM MetaSchedule"]
    assert marked(shares, "o") == approx([0.95, 0.8 * 0.5 ** (1 / 3), 0.98, 1, 0.97, 0.5])
    assert marked(shares, "D") == approx([0.9, 0.995])
    assert marked(shares, "|") == approx([0.95, 0.4, 0.9, 0.98, 0.995, 1, 0.97, 0.5])
    assert marked(seconds, "o") == approx([0.01, 0.02, 3, 3.25, 60]) and marked(seconds, "D") == approx([5, 6])
    assert seconds.get_xscale() == "log"
    lines = sorted(line.get_xdata()[0] for line in shares.lines if list(line.get_ydata()) == [0, 1])
    assert lines == approx([PAPERS["first"], PAPERS["top"], 1])
    assert {"the paper's neural ranking, first plan: 0.958", "the paper's neural ranking, best of the first 5 %: 0.974"} <= set(
        artists.legend(figure)
    )


def test_a_run_that_does_not_know_the_seconds_has_shares_alone(figures, variation):
    def change(rows):
        return with_rankings(rows).drop(columns="plan_seconds")

    assert len(figures(variation("conv", change))["x-rank-efficiency"].axes) == 1


# --- elsewhere


@pytest.mark.parametrize(("which", "more"), [("run", {"x-plan-quality"}), ("ours", {"x-plan-quality", "x-rank-efficiency"})])
def test_the_other_figures_do_not_change(figures, variation, which, more):
    def of_ours(rows):
        rows = with_rankings(rows)
        rule = rows["contender"].eq(RULE) & rows["phase"].eq("run")  # as it was
        rows.loc[rule, "seconds"] = (rows.loc[rule, "seconds"].astype(float) * RANKED[RULE][0]).map(lambda value: f"{value:.12g}")
        return rows[rows["contender"] != "tvm-metaschedule"]

    found, expected = figures(variation("conv", faster if which == "run" else of_ours)), figures(STORED / "conv")
    assert set(found) == {*expected, *more}
    for name, figure in expected.items():
        assert list(artists.legend(found[name])) == list(artists.legend(figure)), name
        for axes, same in zip(found[name].axes, figure.axes, strict=True):
            shown, before = artists.points(found[name], axes), artists.points(figure, same)
            assert list(shown) == list(before)
            for label, of in before.items():
                assert [place for point in shown[label] for place in point] == approx([place for point in of for place in point]), label


def test_the_report_names_both_plans_and_compares_none_but_the_rules(run):
    (sweep,) = sweeps_of(load_run(run))
    plans_run = [(row["key"][0], row["key"][3]) for row in page._plans(sweep)]
    searched = plans_run.index((SEARCHED, "another"))
    assert searched > 0 and {name for name, _ in plans_run[:searched]} == {RULE}
    assert [row["label"] for row in page._weighted(sweep)][:2] == [SIMD, "oneDNN 3.2"]
    assert style.label_of(sweep, SEARCHED) == f"{SIMD}, plan by search"
    assert style.label_of(sweep, RULE) == SIMD


def test_the_reports_table_has_a_row_for_each_way(ranked):
    (sweep,) = sweeps_of(load_run(ranked))
    found = {row.label: row for row in plans.rows(sweep)}
    row = found["measured latencies and bandwidths"]
    assert (row.first.mean.value, row.first.worst.value, row.first.seconds) == approx((0.98, 0.98, 0.02))
    assert (row.top.mean.value, row.top.seconds) == approx((0.995, 6)) and row.first.where.name == "layer01"
    assert found["the default"].top is None and found["TVM MetaSchedule"].first.mean.value == approx(0.5)
    sweep.problems[1].cells["brickwork-simd-measured"].status = "absent"
    row = next(row for row in plans.rows(sweep) if row.label == "measured latencies and bandwidths")
    assert row.first is None and row.top is not None


def test_a_run_without_rankings_has_no_table(run, conv):
    assert plans.rows(*sweeps_of(load_run(run))) == plans.rows(conv) == []


def test_the_report_has_the_table_beside_the_papers_ranking(ranked, tmp_path, draw_only):
    draw_only(layers=())
    assert report.main([str(ranked), "--out", str(tmp_path / "report")]) == 0
    text = (tmp_path / "report" / "report.html").read_text()
    _, _, table = text.partition("<h3>Plans by rankings</h3>")
    lines = re.findall(r'<th scope="row">([^<]+)</th>(.*?)</tr>', table, re.DOTALL)
    rows = {head: re.findall(r"<td>([\d.]+|\N{EN DASH})", cells) for head, cells in lines}
    assert rows["measured latencies and bandwidths"] == ["0.980", "0.980", "0.995", "0.02", "6"]
    assert rows["the default"] == ["0.950", "0.950", *["\N{EN DASH}"] * 3]
    (papers,) = (cells for head, cells in rows.items() if head.startswith("PolyDL's neural ranking"))
    assert papers == ["0.958", "0.787", "0.974", *["\N{EN DASH}"] * 2]

"""The figures of latency and memory, read back."""

import numpy as np
import pytest
from pytest import approx

from data import load_run
from figures_latency import fastest_of_ours
from sweeps import sweeps_of
from testing import artists

SIMD, ONEDNN, LIBXSMM = "Brickwork, simd brick", "oneDNN 3.2", "LIBXSMM primitives 1.17"


@pytest.fixture
def drawn(variation, figures_of):
    """The stored run with its layers as problems of latency: the figures by the ends of their names."""

    def draw(change=lambda samples: samples):
        run = variation("conv", lambda samples: change(samples.assign(figure="latency", shapes="", problems="")))
        return {stem.removeprefix("x-"): figure for stem, figure in figures_of(*sweeps_of(load_run(run))).items()}

    return draw


def with_memory(samples, **megabytes):
    """The samples with these peaks; the rows of other contenders do not know theirs."""
    bytes_of = {name.replace("_", "-"): f"{1e6 * value:.0f}" for name, value in megabytes.items()}
    run = samples["phase"].eq("run") & samples["status"].eq("ok")
    return samples.assign(peak_bytes=samples["contender"].map(bytes_of).where(run).fillna(""))


def of_group(axes, found, group):
    """The height of each contender's mark in the group."""
    return {label: heights[group] for label, heights in artists.by_group(axes, found).items() if group in heights}


def test_the_upper_panel_has_the_times_in_milliseconds(drawn):
    figure, _ = drawn()["latency"]
    upper, lower = figure.axes
    artists.true(upper, "y", scale="log")
    lower.figure.canvas.draw()
    names = dict(zip((tick.get_text() for tick in lower.get_xticklabels()), lower.get_xticks(), strict=True))
    assert list(names) == ["layer01", "layer02", "layer03", "geometric mean"]
    at = {label: dict(places) for label, places in artists.points(figure, upper).items()}
    near = {label: {round(x): y for x, y in places.items()} for label, places in at.items()}
    assert near[SIMD][1] == approx(8) and near[ONEDNN][1] == approx(10)
    assert 1 not in near[LIBXSMM]  # it failed there
    assert artists.letters(upper).keys() == {"F", "u"}


def test_the_lower_panel_has_our_ratio_to_each_peer_and_its_mean(drawn):
    figure, said = drawn()["latency"]
    lower = figure.axes[1]
    last = max(lower.get_xticks())
    ratios = {
        label: {round(x): y for x, y in places if x < last - 0.5} for label, places in artists.points(figure, lower).items()
    }
    assert ratios[ONEDNN][1] == approx(10 / 8) and SIMD not in ratios
    means = {label: y for label, places in artists.points(figure, lower).items() for x, y in places if x > last - 0.5}
    for label, mean in means.items():
        assert mean == approx(np.exp(np.mean(np.log(list(ratios[label].values())))))
        assert f"{label}: {mean:.2f}" in artists.legend(figure)
    assert 1 in artists.across(lower)
    assert "how many times as fast as each peer Brickwork, simd brick is" in said.caption


def test_without_peers_there_are_times_alone(drawn):
    figure, said = drawn(lambda samples: samples[samples["ours"].ne("no")])["latency"]
    (axes,) = figure.axes
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["layer01", "layer02", "layer03"]
    assert "each peer" not in said.caption


def test_memory_is_drawn_where_it_is_known(drawn):
    found = drawn(lambda samples: with_memory(samples, brickwork_simd=3, onednn=12))
    figure, said = found["memory"]
    heights = artists.points(figure, figure.axes[0])
    assert {y for _, y in heights[SIMD]} == {3} and {y for _, y in heights[ONEDNN]} == {12}
    assert set(heights) == {SIMD, ONEDNN} and "at its peak" in said.caption


def test_runs_that_do_not_know_their_memory_have_no_figure_of_it(drawn):
    assert set(drawn()) == {"latency"}


def test_the_fastest_of_ours_is_the_one_with_numbers_on_the_most_problems(conv):
    assert fastest_of_ours(conv) == "brickwork-simd"
    for problem in conv.problems[1:]:
        problem.cells["onednn"].times.median = 1e-9
    conv.ours = frozenset({"brickwork-simd", "onednn"})
    assert fastest_of_ours(conv) == "onednn"
    del conv.problems[0].cells["onednn"]
    assert fastest_of_ours(conv) == "brickwork-simd"
    conv.ours = frozenset()
    assert fastest_of_ours(conv) is None

"""The figures of a sweep over sizes and of a curve, read back and compared with the shares that testdata/brgemm was made from."""

import numpy as np
import pytest
from pytest import approx

from conftest import STORED, on_device
from testing import artists
from testing.artists import PEAK_LABEL, ROOF_LABEL

SIMD, LIBXSMM = "Brickwork, simd brick", "Brickwork, LIBXSMM brick"
GEMM, MATMUL = "LIBXSMM GEMM loop 1", "oneDNN batched matmul 1"
M = [6, 7, 28, 64]


def shares(n: int) -> dict[str, list[float]]:
    """% of the FMA peak of 100 GFLOP/s, for each m."""
    return {
        SIMD: [98, 90, 98, 98] if n == 64 else [96 if n == 16 else 98] * 4,
        LIBXSMM: [88 if n == 16 else 98] * 4,
        GEMM: [49] * 4,
        MATMUL: [24.5] * 4,
    }


def panels(figure) -> dict:
    return {axes.get_title(loc="left"): axes for axes in figure.axes if axes.get_visible()}


def test_a_panel_shows_the_shares_over_the_size(figures):
    figure = figures(STORED / "brgemm")["x-over-m-by-n"]
    assert list(panels(figure)) == [f"n = {n}" for n in (16, 32, 48, 64)]
    for n, axes in zip((16, 32, 48, 64), panels(figure).values(), strict=True):
        expected = {label: [approx((m, share / 0.98)) for m, share in zip(M, of, strict=True)] for label, of in shares(n).items()}
        assert artists.points(figure, axes) == expected
        assert artists.true(axes, "x", "y") and artists.across(axes) == [100] and axes.get_ylim() == (0, 102.5)
        assert axes.get_xlim()[0] < 6 and axes.get_xlim()[1] > 64
        assert not artists.notes(axes) and not artists.black_lines(axes, "--")
    assert list(artists.legend(figure)) == [SIMD, LIBXSMM, GEMM, MATMUL, "the loaded roof (100 %)"]


def test_the_axis_of_shares_begins_where_the_data_does(figures, variation):
    figure = figures(variation("brgemm", lambda s: s[~s["contender"].isin(["onednn-matmul", "libxsmm-gemm"])]))["x-over-m-by-n"]
    assert {axes.get_ylim() for axes in panels(figure).values()} == {(80, 102.5)}  # 88 / 0.98 is the lowest


def test_the_caption_names_those_without_any_number(figures_of, brgemm):
    for stem, (_, said) in figures_of(brgemm).items():
        assert said.caption.endswith("Without any number here, and therefore not drawn: OpenBLAS GEMM loop."), stem


def test_on_a_device_shares_are_of_the_fastest_library(figures, variation):
    drawn = figures(variation("brgemm", on_device))
    figure = drawn["x-over-m-by-n"]
    for n, axes in zip((16, 32, 48, 64), panels(figure).values(), strict=True):
        expected = {label: [approx((m, 100 * share / 49)) for m, share in zip(M, of, strict=True)] for label, of in shares(n).items()}
        assert artists.points(figure, axes) == expected and not artists.black_lines(axes, "--")
    assert figure.axes[0].get_ylabel() == "% of fastest library"
    assert PEAK_LABEL not in artists.legend(figure) and PEAK_LABEL not in artists.legend(drawn["x-bars"])


def test_a_sweep_without_a_loaded_roof_has_the_peak_alone(figures, before_the_roof):
    drawn = figures(before_the_roof("brgemm"))
    for figure in (drawn["x-over-m-by-n"], drawn["x-bars"]):
        assert not any(artists.black_lines(axes, "--") for axes in figure.axes)
        assert ROOF_LABEL not in artists.legend(figure)
    assert "the FMA peak (100 %)" in artists.legend(drawn["x-over-m-by-n"]) and PEAK_LABEL in artists.legend(drawn["x-bars"])


def test_the_outer_panels_name_the_axes(figures):
    figure = figures(STORED / "brgemm")["x-over-m-by-n"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["% of loaded roof", "", "% of loaded roof", ""]
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "m", "m"]
    assert list(artists.contenders(figure).values()) == [SIMD, LIBXSMM, GEMM, MATMUL]


def lose(samples, contender="onednn-matmul", **sizes):
    gone = samples["contender"].eq(contender)
    for size, value in sizes.items():
        gone &= samples[size].eq(str(value))
    samples.loc[gone, ["status", "reason", "seconds"]] = ["misfit", "the plan does not fit", ""]
    return samples


def test_a_line_is_broken_and_a_letter_stands_where_there_is_no_number(figures, variation):
    figure = figures(variation("brgemm", lambda samples: lose(samples, m=28, n=32)))["x-over-m-by-n"]
    axes = panels(figure)["n = 32"]
    assert artists.points(figure, axes)[MATMUL] == [approx((m, np.nan if m == 28 else 25), nan_ok=True) for m in M]
    assert artists.letters(axes) == {"m": [28]}
    assert not any(artists.letters(axes) for title, axes in panels(figure).items() if title != "n = 32")


@pytest.mark.parametrize(("percent", "above"), [(147, [28]), (127, []), (110, [])])
def test_shares_above_the_limit_lie_within_the_axis_or_have_a_triangle(figures, variation, percent, above):
    def change(samples):
        fast = samples["contender"].eq("brickwork-simd") & samples["m"].eq("28") & samples["n"].eq("48")
        samples.loc[fast, "seconds"] = (samples.loc[fast, "seconds"].astype(float) / percent * 100).map(str)  # of 98 GFLOP/s
        return samples

    found = panels(figures(variation("brgemm", change))["x-over-m-by-n"])
    assert {n: artists.triangles(axes) for n, axes in found.items()} == {"n = 16": [], "n = 32": [], "n = 48": above, "n = 64": []}
    ((low, high),) = {axes.get_ylim() for axes in found.values()}
    assert low == 0 and (high == 130 if above else percent < high <= 130)


# --- bars ------------------------------------------------------------------------------------------------------------


def test_bars_are_as_high_as_the_speeds_and_stand_over_their_sizes(figures, variation):
    def change(samples):  # n in place of 16 is 100, so that the names under the two parts differ
        return samples.replace({"n": {"64": "100"}})

    figure = figures(variation("brgemm", change))["x-bars"]
    (axes,) = figure.axes
    under = ["6", "7", "28", "64", "32", "48", "100"]
    assert list(artists.groups(axes)) == under
    for label, heights in artists.bars(figure, axes).items():
        expected = [*shares(16)[label], *(shares(n)[label][3] for n in (32, 48, 64))]
        assert heights == approx(dict(zip(under, expected, strict=True)))
    assert set(artists.bars(figure, axes)) == set(shares(16))
    assert artists.true(axes, "y") and axes.get_ylim()[0] == 0 and axes.get_ylim()[1] >= 100 and axes.get_ylabel() == "GFLOP/s"
    places = list(artists.groups(axes).values())
    assert artists.limits(axes, "-") == [approx((x - 0.5, x + 0.5, 100)) for x in places]
    assert artists.limits(axes, "--") == [approx((x - 0.5, x + 0.5, 98)) for x in places]
    assert not artists.letters(axes)
    assert [(text, x) for text, x, _ in artists.notes(axes) if len(text) > 1 or text == "m"] == [
        ("m", approx(sum(places[:4]) / 4)), ("n at m = 64", approx(sum(places[4:]) / 3)),
    ]  # fmt: skip


def test_bars_have_whiskers_over_the_quartiles_and_the_order_of_the_legend(figures, variation):
    def change(samples):
        second = samples["contender"].eq("brickwork-simd") & samples["sample"].eq("1")
        samples.loc[second, "seconds"] = (samples.loc[second, "seconds"].astype(float) * 2).map(str)
        return samples

    figure = figures(variation("brgemm", change))["x-bars"]
    (axes,) = figure.axes
    low, high = {(low, high) for x, low, high in artists.whiskers(axes) if x < 0.5 and low != approx(high)}.pop()
    assert (low, high) == approx((96 / 1.75, 96 / 1.25))  # seconds of 1 and 2 have their quartiles at 1.25 and 1.75
    first = sorted((patch for patch in axes.patches if patch.get_x() < 0.4), key=lambda patch: patch.get_x())
    assert [artists.contenders(figure)[artists.colour_of(patch)] for patch in first] == [SIMD, LIBXSMM, GEMM, MATMUL]


# --- curve -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def speeds(curve):
    """A curve with a different speed at each point: ours 100 + N GFLOP/s, oneDNN 50 + N, loaded roof 150 + N, FMA peak 200 + N."""

    def make(change=lambda rows: rows, **kwargs):
        def spread(rows):
            base = rows["contender"].map({"brickwork-simd": 100, "onednn": 50, "loaded-roof": 150, "fma-peak": 200})
            rows = rows[base.notna()]
            seconds = rows["flop"].astype(float) / (base[base.notna()] + rows["N"].astype(float)) / 1e9
            return change(rows.assign(seconds=seconds.where(rows["seconds"] != "").map(str)))

        return curve(change=spread, **kwargs)

    return make


def test_a_curve_shows_speeds_and_shares_over_the_size(figures, speeds):
    figure = figures(speeds())["x-over-N"]
    speed, share = figure.axes
    sizes = [1, 2, 4, 8, 16]
    ours, other = [(n, 100 + n) for n in sizes], [(n, 50 + n) for n in sizes]
    percent = [[(n, 100 * y / (150 + n)) for n, y in line] for line in (ours, other)]
    assert artists.points(figure, speed) == {"Brickwork, simd brick": approx_all(ours), "oneDNN 3.2": approx_all(other)}
    assert artists.points(figure, share) == {"Brickwork, simd brick": approx_all(percent[0]), "oneDNN 3.2": approx_all(percent[1])}
    for axes in (speed, share):
        assert artists.true(axes, "y") and artists.true(axes, "x", scale="log")
        assert axes.get_xlabel() == "N"
        assert axes.get_xlim()[0] < 1 and axes.get_xlim()[1] > 16
    assert speed.get_ylim()[0] == 0
    assert (speed.get_ylabel(), share.get_ylabel()) == ("GFLOP/s", "% of loaded roof")
    assert artists.across(share) == [100]
    assert artists.black_lines(speed, "-") == [approx_all([(n, 200 + n) for n in sizes])]
    assert artists.black_lines(speed, "--") == [approx_all([(n, 150 + n) for n in sizes])]
    assert not artists.black_lines(share, "--")


def test_a_curve_without_a_loaded_roof_has_the_peak_alone(figures, speeds):
    figure = figures(speeds(lambda rows: rows[rows["contender"] != "loaded-roof"]))["x-over-N"]
    speed, share = figure.axes
    assert len(artists.black_lines(speed, "-")) == 1
    assert not artists.black_lines(speed, "--") and not artists.black_lines(share, "--")
    assert PEAK_LABEL in artists.legend(figure) and ROOF_LABEL not in artists.legend(figure)


def approx_all(places: list) -> list:
    return [approx(place) for place in places]


def test_a_curve_has_whiskers_over_the_quartiles(figures, speeds):
    def change(rows):
        slow = rows["contender"].eq("onednn") & rows["N"].eq("4") & rows["sample"].eq("1")
        rows.loc[slow, "seconds"] = (rows.loc[slow, "seconds"].astype(float) * 2).map(str)
        return rows

    speed, share = figures(speeds(change))["x-over-N"].axes
    for axes, scale in ((speed, 1), (share, 100 / 154)):  # of seconds of 1, 1 and 2 the quartiles are 1 and 1.5
        assert [w for w in artists.whiskers(axes) if w[1] != approx(w[2])] == [approx((4, scale * 54 / 1.5, scale * 54))]


def test_a_curve_over_even_steps_has_a_plain_axis(figures, speeds):
    speed, share = figures(speeds(minibatches=(4, 5, 6, 7)))["x-over-N"].axes
    assert artists.true(speed, "x") and artists.true(share, "x")
    assert list(speed.get_xticks()) == [4, 5, 6, 7]


def test_letters_of_a_curve_stand_above_each_other(figures, speeds):
    def change(rows):
        gone = rows["N"].eq("4") & rows["contender"].isin(["onednn", "brickwork-simd"])
        rows.loc[gone, ["status", "reason", "seconds"]] = ["misfit", "the plan does not fit", ""]
        return rows

    figure = figures(speeds(change))["x-over-N"]
    for axes in figure.axes:
        assert artists.letters(axes) == {"m": [4, 4]}
        notes = [note for note in axes.texts if note.get_text() == "m"]
        assert len({note.get_position()[1] for note in notes}) == len({note.get_color() for note in notes}) == 2

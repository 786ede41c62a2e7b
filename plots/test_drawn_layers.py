"""The figures of a network, read back and compared with values computed by hand from testdata/conv/samples.csv."""

import pandas as pd
import pytest
from pytest import approx

from conftest import STORED, on_device
from scales import FROM_ZERO
from testing import artists
from testing.artists import PEAK_LABEL, ROOF_LABEL

SIMD, ONEDNN, DNN, IM2COL = "Brickwork, simd brick", "oneDNN 3.2", "LIBXSMM primitives 1.17", "im2col + SGEMM 0.3.21"
# GFLOP/s: flop by the median of the seconds, and for all problems the sum of count*flop by that of count*seconds.
SPEEDS = {
    SIMD: {"layer01": 200, "layer02": 125, "layer03": 200, "all": 14 / 0.082},
    ONEDNN: {"layer01": 160, "layer02": 100, "layer03": 250, "all": 14 / 0.0845},
    DNN: {"layer01": 160, "layer03": 200},
    IM2COL: {"layer02": 50, "layer03": 100},
}
PEAKS = {"layer01": 250, "layer02": 250, "layer03": 240, "all": 14 / (6 / 250 + 8 / 240)}
ROOFS = {"layer01": 225, "layer02": 200, "layer03": 236, "all": 14 / (2 / 225 + 4 / 200 + 8 / 236)}
QUARTILES = [(2000 / 15, 200), (1000 / 9, 1000 / 7), (1000 / 10.5, 1000 / 9.5), (4000 / 22, 4000 / 18)]  # where the samples differ


@pytest.fixture
def layers(figures):
    figure = figures(STORED / "conv")["x-layers"]
    return figure, *figure.axes


def short(group: str) -> str:
    """ "layer01" of "C3 K64 H224  layer01", and "all" of "all (weighted)"."""
    return group.removesuffix(" (weighted)").split(" ")[-1]


def named(found: dict) -> dict:
    return {label: {short(group): value for group, value in values.items()} for label, values in found.items()}


def close(values: dict) -> dict:
    return {label: approx(numbers) for label, numbers in values.items()}


def uneven(whiskers: list) -> list[tuple]:
    return [(low, high) for _, low, high in whiskers if low != approx(high)]


def test_bars_are_as_high_as_the_speeds(layers):
    figure, speed, _ = layers
    assert named(artists.bars(figure, speed)) == close(SPEEDS)
    assert artists.true(speed, "y") and speed.get_ylim()[0] == 0 and speed.get_ylabel() == "GFLOP/s"
    assert speed.get_ylim()[1] >= 250


def test_points_are_as_high_as_the_shares_of_the_loaded_roof(layers):
    figure, _, share = layers
    expected = {label: {group: 100 * value / ROOFS[group] for group, value in speeds.items()} for label, speeds in SPEEDS.items()}
    assert named(artists.by_group(share, artists.points(figure, share))) == close(expected)
    assert artists.true(share, "y") and share.get_ylabel() == "% of loaded roof"
    assert artists.across(share) == [100] and not artists.triangles(share)


def test_the_legend_has_the_shares_of_the_whole_network_and_no_number_stands_among_the_points(layers):
    figure, speed, share = layers
    assert list(artists.legend(figure))[:4] == [f"{SIMD}: 76.6 %", f"{ONEDNN}: 74.3 %", DNN, IM2COL]
    assert all(len(text) == 1 for axes in (speed, share) for text, *_ in artists.notes(axes))


def test_the_axis_of_shares_begins_where_the_data_does(figures, variation):
    _, share = figures(variation("conv", lambda s: s[s["contender"].ne("im2col")]))["x-layers"].axes
    lowest = 100 * 6.25 * 8.8 / 100  # oneDNN and ours on layer02: 100 and 6, 8, 10 ms for 1e9 flop, of 200 GFLOP/s
    assert FROM_ZERO < share.get_ylim()[0] < lowest


def test_whiskers_span_the_quartiles(layers):
    _, speed, share = layers
    assert uneven(artists.whiskers(speed)) == [approx(ends) for ends in QUARTILES]
    scales = [100 / 225, 100 / 200, 100 / 200, 100 / 236]
    assert uneven(artists.whiskers(share)) == [approx((s * low, s * high)) for s, (low, high) in zip(scales, QUARTILES, strict=True)]


def test_whiskers_and_points_stand_at_their_bars(layers):
    figure, speed, share = layers
    centres = sorted(patch.get_x() + patch.get_width() / 2 for patch in speed.patches if patch.get_height() > 1)
    marks = sorted(x for places in artists.points(figure, share).values() for x, _ in places)
    assert marks == approx(centres)
    assert [x for x, *_ in artists.whiskers(speed)] == approx([x for x in centres if x < 3])


def over_groups(axes, heights: dict) -> list:
    places = {short(group): x for group, x in artists.groups(axes).items()}
    return [approx((places[group] - 0.5, places[group] + 0.5, height)) for group, height in heights.items()]


def test_peaks_and_loaded_roofs_lie_over_their_groups(layers):
    figure, speed, _ = layers
    assert artists.limits(speed, "-") == over_groups(speed, PEAKS)
    assert artists.limits(speed, "--") == over_groups(speed, ROOFS)
    handles = artists.legend(figure)
    assert [(label, handles[label].get_linestyle()) for label in (PEAK_LABEL, ROOF_LABEL)] == [(PEAK_LABEL, "-"), (ROOF_LABEL, "--")]


def test_a_run_without_a_loaded_roof_has_the_peaks_alone(figures, before_the_roof):
    figure = figures(before_the_roof("conv"))["x-layers"]
    speed, share = figure.axes
    assert artists.limits(speed, "-") == over_groups(speed, PEAKS)
    assert not artists.limits(speed, "--") and not artists.limits(share, "--")
    assert PEAK_LABEL in artists.legend(figure) and ROOF_LABEL not in artists.legend(figure)


def test_where_one_layer_has_no_loaded_roof_the_network_has_none(figures, variation):
    change = lambda s: s[~(s["contender"].eq("loaded-roof") & s["name"].eq("layer02"))]  # noqa: E731
    speed, _ = figures(variation("conv", change))["x-layers"].axes
    assert artists.limits(speed, "--") == over_groups(speed, {layer: ROOFS[layer] for layer in ("layer01", "layer03")})


def test_on_a_device_shares_are_of_the_fastest_library(figures, variation):
    figure = figures(variation("conv", on_device))["x-layers"]
    speed, share = figure.axes
    best = {"layer01": 160, "layer02": 100, "layer03": 250}
    best["all"] = 14 / (2 / 160 + 4 / 100 + 8 / 250)
    expected = {label: {group: 100 * value / best[group] for group, value in speeds.items()} for label, speeds in SPEEDS.items()}
    assert named(artists.by_group(share, artists.points(figure, share))) == close(expected)
    assert share.get_ylabel() == "% of fastest library" and not artists.limits(speed, "-") and not artists.limits(speed, "--")
    assert PEAK_LABEL not in artists.legend(figure)


def test_groups_have_the_order_of_the_file_and_contenders_that_of_the_legend_ours_first(layers):
    figure, speed, share = layers
    assert [short(group) for group in artists.groups(share)] == ["layer01", "layer02", "layer03", "all"]
    assert list(artists.groups(share)) == [
        "C3 K64 H224 R7 s2 p3  layer01", "C64 K256 H56 R1 s1 p0  layer02", "C64 K64 H56 R3 s1 p1  layer03",
        "all (weighted)",
    ]  # fmt: skip
    assert list(artists.contenders(figure).values()) == [SIMD, ONEDNN, DNN, IM2COL]
    third = [patch for patch in sorted(speed.patches, key=lambda p: p.get_x()) if 1.5 < patch.get_x() < 2.5 and patch.get_height() > 1]
    assert [artists.contenders(figure)[artists.colour_of(patch)] for patch in third] == [SIMD, ONEDNN, DNN, IM2COL]


def test_a_letter_stands_where_there_is_no_number(layers):
    figure, *both = layers
    for axes in both:
        found = {letter: sorted(round(x) for x in places) for letter, places in artists.letters(axes).items()}
        assert found == {"u": [0], "F": [1], "i": [4, 4]}
    words = list(artists.legend(figure))
    assert words[-4:] == [
        ROOF_LABEL, "failed: wrong result or refused", "unsupported here", "has no number on some problems",
    ]  # fmt: skip


def faster(contender: str, name: str, factor: float):
    def change(samples):
        rows = samples["contender"].eq(contender) & samples["name"].eq(name) & samples["phase"].eq("run")
        samples.loc[rows, "seconds"] = (samples.loc[rows, "seconds"].astype(float) / factor).map(str)
        return samples

    return change


def test_a_triangle_points_at_what_lies_above_the_axis(figures, variation):
    _, share = figures(variation("conv", faster("onednn", "layer01", 2.1)))["x-layers"].axes  # 336 of 250 GFLOP/s
    assert [round(x) for x in artists.triangles(share)] == [0] and share.get_ylim() == (0, 130)


@pytest.mark.parametrize(("factor", "cut"), [(1.98, 0), (2.02, 1)])  # 250 and more of 236 GFLOP/s, the highest limit
def test_bars_far_above_every_limit_are_cut(figures, variation, factor, cut):
    speed, _ = figures(variation("conv", faster("onednn", "layer03", factor * 236 / 250)))["x-layers"].axes
    assert len(artists.triangles(speed)) == cut
    assert (speed.get_ylim()[1] == approx(1.3 * 236)) == bool(cut)


def test_who_needs_fewer_operations_has_a_panel_of_its_own(figures, variation):
    def change(samples):
        samples = faster("brickwork-simd", "layer01", 2)(samples)  # 448 of 250 GFLOP/s
        rows = samples["contender"].eq("brickwork-simd") & samples["least_flop"].ne("")
        return samples.assign(least_flop=samples["least_flop"].mask(rows, (pd.to_numeric(samples["least_flop"]) * 16 / 36).map(str)))

    figure = figures(variation("conv", change))["x-layers"]
    speed, share, apart = figure.axes
    assert not artists.triangles(apart) and 130 < apart.get_ylim()[1] < 130 * 36 / 16
    assert set(artists.points(figure, apart)) == {SIMD}
    assert SIMD not in artists.points(figure, share) and SIMD not in artists.bars(figure, speed)
    assert share.get_ylim()[1] < 130


def test_a_share_of_100_percent_lies_within_the_axis(figures, variation):
    _, share = figures(variation("conv", faster("onednn", "layer03", 0.5)))["x-layers"].axes
    assert share.get_ylim()[1] == 102.5


def test_a_contender_without_any_number_takes_no_place(figures, variation):
    def change(samples):
        gone = samples["contender"].eq("im2col")
        samples.loc[gone, ["status", "reason", "seconds"]] = ["absent", "this build has no OpenBLAS", ""]
        return samples.drop_duplicates(["problem", "contender", "phase", "sample"])

    figure = figures(variation("conv", change))["x-layers"]
    speed, share = figure.axes
    assert not any("im2col" in label or "absent" in label for label in artists.legend(figure))
    assert "a" not in artists.letters(speed) and "a" not in artists.letters(share)
    assert len(artists.bars(figure, speed)[SIMD]) == 4 and speed.patches[0].get_width() == approx(0.94 * 0.86 / 3)


# --- ratio -----------------------------------------------------------------------------------------------------------


def test_ratios_stand_where_they_are(figures):
    figure = figures(STORED / "conv")["x-ratio"]
    (axes,) = figure.axes
    expected = {SIMD: {"layer01": 12.5 / 10, "layer02": 10 / 8, "layer03": 16 / 20, "all": 84.5 / 82}}
    assert named(artists.by_group(axes, artists.points(figure, axes))) == close(expected)
    assert artists.true(axes, "y") and axes.get_ylabel() == "ours / best peer\n(above 1: ours is faster)"
    assert artists.across(axes) == [1]
    assert next(iter(artists.legend(figure))) == f"{SIMD}: 1.030" and not artists.notes(axes)
    # layer02: samples of 6, 8, 10 ms against 9, 10, 11 ms; layer03: 16, 20, 24 ms against 16 ms
    intervals = {round(x): (low, high) for x, low, high in artists.whiskers(axes) if low != high}
    assert (intervals[1], intervals[2]) == (approx((9 / 10, 11 / 6)), approx((16 / 24, 16 / 16)))
    low, high = axes.get_ylim()
    assert low < 16 / 24 and high > 11 / 6


def test_each_problem_is_compared_with_its_own_best_peer(figures, variation):
    figure = figures(variation("conv", faster("libxsmm-dnn", "layer01", 2)))["x-ratio"]
    (axes,) = figure.axes
    (ours,) = named(artists.by_group(axes, artists.points(figure, axes))).values()
    assert ours == approx({"layer01": 6.25 / 10, "layer02": 10 / 8, "layer03": 16 / 20, "all": 84.5 / 82})
    labels = artists.contenders(figure)
    above = [(round(line.get_xdata()[0]), labels[artists.colour_of(line)]) for line in axes.lines if line.get_ydata()[0] == 1.04]
    assert sorted(above) == [(place, f"best peer: {name}") for place, name in enumerate([DNN, ONEDNN, ONEDNN])] + [
        (4, f"best peer: {ONEDNN}")
    ]


def test_the_whole_network_is_compared_with_the_best_of_those_that_ran_all_of_it(figures, variation):
    def change(samples):
        slower = samples[samples["contender"].eq("onednn") & samples["phase"].eq("run")].assign(contender="libxsmm-dnn", version="1.17")
        slower["seconds"] = (slower["seconds"].astype(float) * 1.2).map(str)
        return pd.concat([slower, samples[samples["contender"] != "libxsmm-dnn"]])

    figure = figures(variation("conv", change))["x-ratio"]
    (axes,) = figure.axes
    (ours,) = named(artists.by_group(axes, artists.points(figure, axes))).values()
    assert ours["all"] == approx(84.5 / 82)
    assert list(artists.contenders(figure).values()) == [SIMD, f"best peer: {ONEDNN}"]

"""The roofline, read back and compared with values computed by hand from testdata/conv/samples.csv."""

import pytest
from pytest import approx

from testing import artists

# Bytes of the three layers, from their flop per byte. Their order on the axis differs from that in the file.
BYTES = {"layer01": 2e9 / 50, "layer02": 1e9 / 100, "layer03": 4e9 / 4}
SPEEDS = {
    "Brickwork, simd brick": [(50, 200), (100, 125), (4, 200)],
    "oneDNN 3.2": [(50, 160), (100, 100), (4, 250)],
    "LIBXSMM primitives 1.17": [(50, 160), (4, 200)],
    "im2col + SGEMM 0.3.21": [(100, 50), (4, 100)],
}
PEAK, BANDWIDTH = 250, 40  # GFLOP/s, the median of 250, 250 and 240; GB/s, 1e9 bytes in 25 ms
ROOF = 225  # of 225, 200 and 236
RING = "above the roof: an error to find"
RIDGE = PEAK / BANDWIDTH


@pytest.fixture
def roofline(figures, variation):
    def draw(change=lambda samples: samples):
        def spread(samples):
            known = samples["bytes"].ne("") & samples["name"].isin(list(BYTES))
            samples.loc[known, "bytes"] = samples.loc[known, "name"].map(BYTES).map(str)
            return change(samples)

        figure = figures(variation("conv", spread))["x-roofline"]
        (axes,) = figure.axes
        return figure, axes

    return draw


def roofs(axes, style: str = "-") -> list[list[tuple]]:
    return [line for line in artists.black_lines(axes, style) if len(line) == 2]


def test_points_stand_at_their_intensity_and_speed(roofline):
    figure, axes = roofline()
    found = artists.points(figure, axes)
    found.pop(RING)
    assert set(found) == set(SPEEDS)
    for label, places in found.items():
        assert sorted(places) == [approx(place) for place in sorted(SPEEDS[label])]
    left, right, low, high = *axes.get_xlim(), *axes.get_ylim()
    assert all(left < x < right and low < y < high for places in SPEEDS.values() for x, y in places)


def test_both_axes_double_at_equal_distance_and_name_their_units(roofline):
    _, axes = roofline()
    axes.figure.canvas.draw()
    assert artists.true(axes, "x", "y", scale="log")
    assert all(line.get_visible() for axis in (axes.xaxis, axes.yaxis) for line in axis.get_gridlines())
    assert axes.get_ylabel() == "GFLOP/s" and axes.get_xlabel().startswith("arithmetic intensity: flop per byte ")


def test_the_roofs_meet_at_the_ridge(roofline):
    _, axes = roofline()
    slanted, flat = roofs(axes)
    left, right = axes.get_xlim()
    assert slanted == [approx((left, left * BANDWIDTH)), approx((RIDGE, PEAK))]
    assert flat == [approx((RIDGE, PEAK)), approx((right, PEAK))]
    assert left < RIDGE < right and axes.get_ylim()[1] > PEAK
    assert roofs(axes, "--") == [[approx((ROOF / BANDWIDTH, ROOF)), approx((right, ROOF))]]
    (band,) = axes.patches
    assert (band.get_y(), band.get_y() + band.get_height()) == approx((240, 250))


def test_the_legend_says_the_height_of_the_roofs(roofline):
    figure, axes = roofline()
    assert list(artists.legend(figure))[-4:] == [
        "slanted: memory bandwidth, 40 GB/s", "measured FMA peak: 250 GFLOP/s", "measured loaded roof: 225 GFLOP/s", RING,
    ]  # fmt: skip
    assert not any(" " in text for text, *_ in artists.notes(axes))


# The axis begins at 1 / 1.35 of the lowest intensity, 4 times as much, or at the ridge where that is less than half of it.
@pytest.mark.parametrize(("times", "shown"), [(4.2, True), (4.3, False)])
def test_the_axis_begins_where_the_data_does(roofline, times, shown):
    def change(samples):
        known = samples["bytes"].ne("") & samples["name"].eq("layer03")
        samples.loc[known, "bytes"] = str(BYTES["layer03"] / times)
        return samples

    figure, axes = roofline(change)
    assert (axes.get_xlim()[0] < RIDGE) == shown
    assert any(label.startswith("slanted") for label in artists.legend(figure)) == shown


def test_without_a_bandwidth_there_are_the_flat_roofs_alone(roofline):
    _, axes = roofline(lambda samples: samples[samples["contender"] != "stream"])
    left, right = axes.get_xlim()
    assert roofs(axes) == [[approx((left, PEAK)), approx((right, PEAK))]]
    assert roofs(axes, "--") == [[approx((left, ROOF)), approx((right, ROOF))]]


def test_a_run_without_a_loaded_roof_has_the_peak_alone(roofline):
    figure, axes = roofline(lambda samples: samples[samples["contender"] != "loaded-roof"])
    assert len(roofs(axes)) == 2 and not roofs(axes, "--")
    assert not any("loaded" in label for label in artists.legend(figure))
    assert artists.points(figure, axes)[RING] == [approx((4, 250))]  # 250 of 240 GFLOP/s


def test_what_lies_above_the_loaded_roof_is_ringed(roofline):
    figure, axes = roofline()
    assert artists.points(figure, axes)[RING] == [approx((4, 250))]  # 250 of 236 GFLOP/s


def test_the_problems_are_named_at_their_intensities(roofline):
    _, axes = roofline()
    to_data = axes.transAxes + axes.transData.inverted()
    tags = {text: to_data.transform((x, y))[0] for text, x, y in artists.notes(axes) if text.isdigit()}
    assert tags == approx({"3": 4, "1": 50, "2": 100})
    assert [text for text, *_ in artists.notes(axes)][-1] == "layer"
    uprights = [line.get_xdata()[0] for line in axes.lines if line.get_transform() == axes.transAxes]
    assert sorted(to_data.transform((x, 0))[0] for x in uprights) == approx([4, 50, 100])
    shown = {note.get_text(): note.get_position()[0] for note in axes.texts if note.get_text().isdigit()}
    assert shown["3"] < shown["1"] < shown["2"]

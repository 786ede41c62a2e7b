"""Reads a drawn figure as a reader does: by the colours of the legend, the positions of the marks and the words at the axes.

Positions are data coordinates. true() checks that the numbers at the axes are the same.
"""

import re
from collections import defaultdict

from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Annotation
from pytest import approx

PEAK_LABEL, ROOF_LABEL = "measured FMA peak", "measured loaded roof"
STREAM_LABEL = "measured stream bandwidth"


def legend(figure: Figure) -> dict[str, object]:
    """Each label with its handle, in the order of the legend."""
    (found,) = figure.legends
    return {text.get_text(): handle for handle, text in zip(found.legend_handles, found.get_texts(), strict=True)}


def contenders(figure: Figure) -> dict[str, str]:
    """Colours and the labels that the legend gives them, without numbers. Limits, whiskers and letters are black."""
    labels = {colour_of(handle): without_number(label) for label, handle in legend(figure).items() if colour_of(handle) != "#000000"}
    assert len(labels) == sum(colour_of(handle) != "#000000" for handle in legend(figure).values()), "two have the same colour"
    return labels


def without_number(label: str) -> str:
    """ "oneDNN 3.2" of "oneDNN 3.2: 69.5 %"."""
    return re.sub(r": [\d.]+( %)?( on .*)?$", "", label)


def colour_of(artist) -> str:
    return to_hex(artist.get_facecolor() if isinstance(artist, Patch) else artist.get_color())


def true(axes: Axes, *directions: str, scale: str = "linear") -> bool:
    """Whether the numbers at the axis are the positions and grow upwards or to the right."""
    for direction in directions:
        axis = getattr(axes, f"{direction}axis")
        low, high = axis.get_view_interval()
        ticks = [place for place in axis.get_ticklocs() if low <= place <= high]
        shown = [float(text.replace("\N{MINUS SIGN}", "-")) for text in axis.get_major_formatter().format_ticks(ticks)]
        assert len(ticks) > 1 and shown == approx(ticks) and not axis.get_offset_text().get_text(), f"{direction}: {shown} at {ticks}"
        assert not axis.get_inverted() and axis.get_scale() == scale, f"{direction}: {axis.get_scale()}"
    return True


def groups(axes: Axes) -> dict[str, float]:
    """Maps the names under the axis to their places, from left to right."""
    assert not axes.xaxis_inverted()
    places = sorted(axes.get_xticks())
    return dict(zip(axes.xaxis.get_major_formatter().format_ticks(places), places, strict=True))


def bars(figure: Figure, axes: Axes) -> dict[str, dict[str, float]]:
    """The height of each contender's bar in each group."""
    heights = defaultdict(dict)
    hatches = {without_number(label): handle.get_hatch() for label, handle in legend(figure).items() if isinstance(handle, Patch)}
    for patch, label in _theirs(figure, [patch for patch in axes.patches if isinstance(patch, Rectangle)]):
        assert patch.get_y() == 0 and patch.get_hatch() == hatches[label]
        heights[label][_group(axes, patch.get_x() + patch.get_width() / 2)] = patch.get_height()
    return dict(heights)


def points(figure: Figure, axes: Axes) -> dict[str, list[tuple[float, float]]]:
    """The positions of each contender's marks, on lines as well. nan where a line is broken."""
    found = defaultdict(list)
    for line, label in _theirs(figure, data_lines(axes)):
        if line.get_marker() not in ("None", "", None):
            found[label] += zip(map(float, line.get_xdata()), map(float, line.get_ydata()), strict=True)
    return dict(found)


def by_group(axes: Axes, found: dict[str, list[tuple[float, float]]]) -> dict[str, dict[str, float]]:
    return {label: {_group(axes, x): y for x, y in places} for label, places in found.items()}


def whiskers(axes: Axes) -> list[tuple[float, float, float]]:
    """(x, lower end, upper end) of each upright line between two points."""
    ends = [(line.get_xdata(), line.get_ydata()) for line in data_lines(axes) if len(line.get_xdata()) == 2]
    return sorted((float(x[0]), float(min(y)), float(max(y))) for x, y in ends if x[0] == x[1])


def limits(axes: Axes, style: str) -> list[tuple[float, float, float]]:
    """(left, right, height) of each horizontal black line: "-" for measured peaks, "--" for loaded roofs."""
    ends = [list(zip(*line, strict=True)) for line in black_lines(axes, style) if len(line) == 2]
    return sorted((x[0], x[1], y[0]) for x, y in ends if y[0] == y[1] and x[0] != x[1])


def black_lines(axes: Axes, style: str) -> list[list[tuple[float, float]]]:
    """The points of each black line of the style: limits of the machine, and whiskers."""
    lines = [line for line in data_lines(axes) if colour_of(line) == "#000000" and line.get_linestyle() == style]
    return [list(zip(map(float, line.get_xdata()), map(float, line.get_ydata()), strict=True)) for line in lines]


def across(axes: Axes) -> list[float]:
    """The heights of the lines that span the whole axes."""
    return [float(line.get_ydata()[0]) for line in axes.lines if line.get_transform() == axes.get_yaxis_transform(which="grid")]


def notes(axes: Axes) -> list[tuple[str, float, float]]:
    """Each text in the axes with its position."""
    return [(note.get_text(), *map(float, note.xy)) for note in axes.texts if isinstance(note, Annotation)]


def letters(axes: Axes) -> dict[str, list[float]]:
    """The positions of the letters that stand in place of numbers."""
    found = defaultdict(list)
    for note in axes.texts:
        if len(note.get_text()) == 1 and note.xy[1] == 0 < note.get_position()[1]:
            found[note.get_text()].append(float(note.xy[0]))
    return dict(found)


def triangles(axes: Axes) -> list[float]:
    """The positions of the red triangles, which stand for values above the axes."""
    return [float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "^" and line.get_color() == "red"]


def data_lines(axes: Axes) -> list[Line2D]:
    return [line for line in axes.lines if line.get_transform() == axes.transData]


def _theirs(figure: Figure, artists: list) -> list[tuple]:
    labels = contenders(figure)
    return [(artist, labels[colour_of(artist)]) for artist in artists if colour_of(artist) in labels]


def _group(axes: Axes, x: float) -> str:
    name, place = min(groups(axes).items(), key=lambda item: abs(item[1] - x))
    assert abs(place - x) < 0.5, f"{x} stands between the groups"
    return name

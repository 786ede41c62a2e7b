"""The axes of the figures: where they begin and end, and their ticks."""

from itertools import pairwise

import numpy as np
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from derive import doing_less
from sizes import grows_by_factors, thinned
from style import HUNDRED, STATUSES
from sweeps import Sweep

SHARE_LIMIT = 130  # % of the limit; a triangle and the report's list of errors stand for a point above it
FROM_ZERO = 25  # %: an axis of shares that would begin below this begins at zero
MOST_TICKS = 12
FINE = (1, 1.5, 2, 3, 5, 7)  # ticks in a power of ten


def speed_axis(axes, sweep: Sweep) -> None:
    axes.set_ylabel(sweep.unit)
    axes.set_ylim(bottom=0)


def share_axis(axes, words: str, reach: float) -> None:
    """An axis of percent from the lowest value that was drawn up to at most the reach, with a line at 100. Axes that share it are
    finished by one call for each, after all of them are drawn."""
    axes.set_ylabel(f"% of {words}")
    sharing = axes.get_shared_y_axes().get_siblings(axes)
    heights = [y for each in sharing for line in each.lines if line.get_transform() == each.transData for y in line.get_ydata()]
    heights = np.array(heights, dtype=float)[np.isfinite(np.array(heights, dtype=float))]
    lowest, highest = (heights.min(), heights.max()) if heights.size else (0, 100)
    begin = 10 * np.floor((lowest - 0.06 * (max(highest, 100) - lowest)) / 10)
    axes.axhline(100, **HUNDRED)
    axes.set_ylim(begin if begin >= FROM_ZERO else 0, min(max(102.5, highest * 1.025), reach))
    if begin >= FROM_ZERO:
        make_room_for_letters(axes)


def share_limit(sweep: Sweep, contenders) -> float:
    """How far an axis of shares may reach for these contenders, in percent."""
    less = doing_less(sweep)
    return SHARE_LIMIT * max((less.get(name, 1) for name in contenders), default=1)


def mark_beyond(axes, x: float, percent: float, limit: float) -> None:
    """A red triangle on the upper edge for a share beyond share_limit(), which the axis does not show."""
    if percent > limit:
        axes.plot(x, 0.985, transform=axes.get_xaxis_transform(), marker="^", color="red", markersize=6, clip_on=False, zorder=5)


def logarithmic(axes, *directions: str) -> None:
    """A logarithm along "x", "y" or both, with plain numbers at the doublings."""
    for direction in directions:
        getattr(axes, f"set_{direction}scale")("log", base=2)
        getattr(axes, f"{direction}axis").set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()


def logarithmic_upwards(axes) -> None:
    """A logarithm along y with plain numbers."""
    axes.set_yscale("log")
    tick_upwards(axes)


def tick_upwards(axes) -> None:
    """Plain numbers along a logarithmic y: even steps, steps in each power of ten, or powers of ten, by the height of the axis."""
    low, high = axes.get_ylim()
    narrow, wide = high < 2.5 * low, high > 30 * low
    axes.yaxis.set_major_locator(MaxNLocator(7) if narrow else LogLocator(subs=(1,) if wide else FINE))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_locator(NullLocator())


def scale_axis(axes, values: list) -> None:
    """Ticks at the measured values where there is room for all. A logarithmic axis where the values grow by factors."""
    if grows_by_factors(values):
        logarithmic(axes, "x")
        axes.set_xlim(values[0] / 2**0.25, values[-1] * 2**0.25)
        axes.set_xticks(thinned(values, MOST_TICKS))
        return
    length = values[-1] - values[0]
    room = 0.02 * length + 0.5
    axes.set_xlim(values[0] - room, values[-1] + room)
    if all(b - a >= length / MOST_TICKS / 2 for a, b in pairwise(values)):
        axes.set_xticks(values)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 4, 8, 10], integer=True))


def make_room_for_letters(axes) -> None:
    """Moves the lower end of the axis down by the height of a letter, where there are letters."""
    letters = {letter for letter, _ in STATUSES.values()}
    if any(note.get_text() in letters for note in axes.texts):
        low, high = axes.get_ylim()
        points = 72 * axes.figure.get_figheight() * axes.get_subplotspec().get_position(axes.figure).height
        axes.set_ylim(low - 13 / points * (high - low), high)

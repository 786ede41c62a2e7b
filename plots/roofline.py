"""Draws the roofline: the machine's limit at each problem's arithmetic intensity, and the speed of each contender."""

from pathlib import Path

import numpy as np
from matplotlib.lines import Line2D

import scales
import style
from derive import above_limit, doing_less
from labels import about_absent, about_other_algorithms, tags
from style import Drawn, plt
from sweeps import Sweep

NEAR = 2  # the figure shows the ridge if the lowest intensity is at most so many times as high
FLAG = {"marker": "o", "markersize": 12, "markerfacecolor": "none", "markeredgecolor": "red", "linestyle": "none"}


def draw_roofline(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    less = doing_less(sweep)
    shown = {name: look for name, look in style.shown_looks(sweep).items() if name not in less}
    looks = shown or style.shown_looks(sweep)
    points = [
        (problem, name, problem.cells[name]) for problem in sweep.problems for name in reversed(list(looks))  # ours on top
        if problem.ok(name)
    ]
    peaks = [problem.peak.speed for problem in sweep.problems if problem.peak]
    if not points or not peaks:
        return None
    roofs = [problem.roof.speed for problem in sweep.problems if problem.roof]
    heights = {limit: float(np.median(measured)) for limit, measured in (("peak", peaks), ("roof", roofs)) if measured}
    peak = heights["peak"]
    figure, axes = plt.subplots(figsize=(style.WIDE, 4.8))
    scales.logarithmic(axes, "x", "y")
    axes.grid(True, axis="both")
    intensities = [problem.intensity for problem, _, _ in points]
    left, right = min(intensities) / 1.35, max(intensities) * 1.25
    speeds = [cell.speed for _, _, cell in points]
    low, high = min(speeds) / 1.2, max(*speeds, peak) * 1.12

    handles = []
    if sweep.bandwidth:
        ridge = peak * 1e9 / sweep.bandwidth
        if ridge < left < NEAR * ridge:
            left = ridge / 2
        line = style.LIMITS["stream"].line
        if left < ridge:
            slope = np.array([left, ridge])
            axes.plot(slope, slope * sweep.bandwidth / 1e9, **line)
            handles.append(Line2D([], [], **line, label=f"slanted: memory bandwidth, {sweep.bandwidth / 1e9:.0f} GB/s"))
    for limit, height in heights.items():
        start = max(left, height * 1e9 / sweep.bandwidth) if sweep.bandwidth else left
        axes.plot([start, right], [height, height], **style.LIMITS[limit].line)
        handles.append(Line2D([], [], **style.LIMITS[limit].line, label=f"{style.LIMITS[limit].label}: {height:.0f} GFLOP/s"))
    axes.axhspan(min(peaks), max(peaks), color="#DDDDDD", linewidth=0, zorder=0)
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    scales.tick_upwards(axes)

    flagged = {(problem.text, name) for problem, name, _ in above_limit(sweep) if name in looks}
    for problem, name, cell in points:
        axes.plot(problem.intensity, cell.speed, **looks[name].point)
        if (problem.text, name) in flagged:
            axes.plot(problem.intensity, cell.speed, **FLAG)
    named = _name_problems(axes, sweep, np.log2(left), np.log2(right))

    axes.set_xlabel("arithmetic intensity: flop per byte (each tensor moved once)")
    axes.set_ylabel("GFLOP/s")
    handles = [*style.point_legend(looks[name] for name in looks if sweep.common(name)), *handles]
    if flagged:
        handles.append(Line2D([], [], **FLAG, label="above the roof: an error to find"))
    caption = (
        f"A point for each contender and problem{'; the problems are named at the top' if named else ''}. The flat line is the FMA peak "
        "measured in this run (grey band: its lowest and highest value over the problems)"
        + (", the dashed one the loaded roof: the speed of multiply-adds that load their operands from L1 as a register tile does. "
           if roofs else ". ")
        + (about_other_algorithms(sweep, ", and so has no points here") if shown else "")
        + "Problems with padding may lie above the roofs, because the count of flop includes products with padding, which a program may "
        + (f"skip. Points that are too high even without them are ringed ({len(flagged)}), see “Errors to find”. " if flagged
           else "skip. No point is higher than that explains. ")
        + (f"The memory's bandwidth meets the FMA peak at {ridge:.3g} flop per byte; below that, only tensors that stay in the caches "
           "reach the flat roofs." if sweep.bandwidth else "This run measured no bandwidth, so there is no slanted roof.")
        + about_absent(sweep)
    )
    return style.finish(figure, folder, f"{stem}-roofline", f"Roofline: {sweep.operation}, {sweep.full_setting}", handles, caption)


def _name_problems(axes, sweep: Sweep, left: float, right: float) -> bool:
    """Names the problems above the axes, those of equal intensity together. Overlapping names are pushed apart and tied to their
    places by lines. False where there is no room for all names."""
    kind, names = tags(sweep.problems)
    together: dict[float, list[str]] = {}
    for problem, name in zip(sweep.problems, names, strict=True):
        if any(map(problem.ok, problem.cells)):
            place = np.log2(problem.intensity)
            near = next((known for known in together if abs(known - place) < 0.01), place)
            together.setdefault(near, []).append(name)
    places = sorted(together)
    wanted = np.array([(place - left) / (right - left) for place in places])
    texts = [",".join(together[place]) for place in places]
    room = np.array([0.012 + 0.0075 * len(text) for text in texts])
    if room.sum() > 1:
        return False
    tag_at = wanted.copy()
    for _ in range(400):  # neighbours that overlap move apart by half the overlap each
        for i in range(len(tag_at) - 1):
            overlap = (room[i] + room[i + 1]) / 2 - (tag_at[i + 1] - tag_at[i])
            if overlap > 0:
                tag_at[i] -= overlap / 2
                tag_at[i + 1] += overlap / 2
        tag_at = np.clip(tag_at, room / 2, 1 - room / 2)
    for place, at, text in zip(wanted, tag_at, texts, strict=True):
        axes.plot([place, place], [0, 1], transform=axes.transAxes, color="#BBBBBB", linewidth=0.5, zorder=0)
        axes.annotate(
            text, (place, 1), xycoords="axes fraction", xytext=(at, 1.045), textcoords="axes fraction", ha="center", va="bottom",
            fontsize=8, arrowprops={"arrowstyle": "-", "color": "#BBBBBB", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0},
        )
    axes.annotate(kind, (0, 1.045), xycoords="axes fraction", xytext=(-6, 0), textcoords="offset points", ha="right", va="bottom")
    return True

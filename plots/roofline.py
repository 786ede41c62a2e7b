"""Draws the roofline: the machine's limit at each problem's arithmetic intensity, and the speed of each contender."""

from pathlib import Path

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

import style
from derive import above_limit
from labels import about_other_algorithms, tags
from style import Drawn, plt
from sweeps import Sweep

FLAG = {"marker": "o", "markersize": 12, "markerfacecolor": "none", "markeredgecolor": "red", "linestyle": "none"}


def draw_roofline(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    looks = style.looks_of(sweep)
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
    figure, axes = plt.subplots(figsize=(style.WIDE, 5.4))
    style.logarithmic(axes, "x", "y")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))  # powers of two are too few if speeds are close together
    axes.grid(True, axis="both")
    intensities = [problem.intensity for problem, _, _ in points]
    left, right = min(intensities) / 1.35, max(intensities) * 1.25
    speeds = [cell.speed for _, _, cell in points]
    low, high = min(speeds) / 1.3, max(*speeds, peak) * 1.18

    if sweep.bandwidth:
        ridge = peak * 1e9 / sweep.bandwidth
        left = min(left, ridge / 4)
        slope = np.array([left, ridge])
        axes.plot(slope, slope * sweep.bandwidth / 1e9, **style.LIMITS["peak"].line)
    for limit, height in heights.items():
        start = height * 1e9 / sweep.bandwidth if sweep.bandwidth else left
        axes.plot([start, right], [height, height], **style.LIMITS[limit].line)
    axes.axhspan(min(peaks), max(peaks), color="#DDDDDD", linewidth=0, zorder=0)
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    # At the left, because points above the peak have high intensities.
    knee = ridge if sweep.bandwidth else left
    axes.annotate(f"measured FMA peak {peak:.0f} GFLOP/s", (knee, max(peaks)), xytext=(4, 4), textcoords="offset points")
    if roofs:
        below = {"xytext": (4, -4), "textcoords": "offset points", "va": "top"}
        axes.annotate(f"loaded roof {heights['roof']:.0f} GFLOP/s", (knee, heights["roof"]), **below)
    if sweep.bandwidth:
        # Above the slope there are only points of tensors that stay in the caches.
        middle = np.sqrt(max(left, low * 1e9 / sweep.bandwidth) * ridge)
        axes.annotate(
            f"DRAM bandwidth\n{sweep.bandwidth / 1e9:.0f} GB/s", (middle, middle * sweep.bandwidth / 1e9), xytext=(-6, 2),
            textcoords="offset points", ha="right", va="bottom",
        )

    flagged = {(problem.text, name) for problem, name, _ in above_limit(sweep)}
    for problem, name, cell in points:
        axes.plot(problem.intensity, cell.speed, **looks[name].point)
        if (problem.text, name) in flagged:
            axes.plot(problem.intensity, cell.speed, **FLAG)
    _name_problems(axes, sweep, np.log2(left), np.log2(right))

    axes.set_xlabel("arithmetic intensity: flop a byte of compulsory traffic (each tensor moved once)")
    axes.set_ylabel("GFLOP/s")
    handles = style.point_legend(looks[name] for name in looks if sweep.common(name))
    if flagged:
        handles.append(Line2D([], [], **FLAG, label="above the roof: an error to find"))
    caption = (
        "One point for each contender and problem; the problems are named at the top. The flat roof is the FMA peak measured in this "
        "run (grey band: from its lowest to its highest value over the problems)"
        + (", the dashed one its rate with a register tile's loads from L1. " if roofs else ". ")
        + about_other_algorithms(sweep)
        + "Padded problems may rise above it, as flops count the products with padding by convention and an algorithm may leave them out; "
        + (f"what is too high even without them is ringed ({len(flagged)}), see “Errors to find”. " if flagged
           else "no point is higher than that explains. ")
        + ("The slanted roof is DRAM bandwidth; tensors that stay in the caches may rise above it." if sweep.bandwidth
           else "This run measured no stream bandwidth, so there is no slanted roof.")
    )
    return style.finish(figure, folder, f"{stem}-roofline", f"Roofline: {sweep.operation}, {sweep.full_setting}", handles, caption)


def _name_problems(axes, sweep: Sweep, left: float, right: float) -> None:
    """Writes the problems' names above the axes. Problems of nearly equal intensity share a tag; tags are pushed apart, and a line
    leads from each to its place on the axis."""
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
    tag_at = wanted.copy()
    for _ in range(400):  # neighbours that overlap each move by half of the overlap
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

"""Problems that are judged by their latency: the time of each contender, ours beside each peer, and the memory that they take."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import scales
import style
from derive import fastest, geometric_mean_ratio, ratio
from figures_layers import interval, name_groups, places
from labels import about_absent
from style import Drawn, Look, plt
from sweeps import Cell, Sweep

WIDTH = 0.8  # of a group: its marks stand beside each other in it
WHOLE = "geometric mean"


def draw_latency(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    looks = style.shown_looks(sweep)
    if not looks:
        return None
    ours = fastest_of_ours(sweep)
    peers = [name for name in looks if ours and name in sweep.peers and sweep.common(ours, name)]
    figure, grid = plt.subplots(1 + bool(peers), 1, figsize=(style.WIDE, 4.2 + 2.6 * bool(peers)), sharex=True, squeeze=False)
    grid = list(grid.flat)
    seen = _draw_values(grid[0], sweep, looks, lambda cell: 1e3 * cell.seconds, lambda cell: (1e3 * cell.times.low, 1e3 * cell.times.high))
    grid[0].set_ylabel("median time, ms")
    means = _draw_ratios(grid[1], sweep, ours, {name: looks[name] for name in peers}) if peers else {}
    named = [replace(look, label=f"{look.label}: {means[name]:.2f}") if name in means else look for name, look in looks.items()]
    _name_problems(sweep, grid, mean=bool(peers))
    caption = (
        f"{'Above: the' if peers else 'The'} median time of each contender on each problem, with whiskers from the lower to the upper "
        "quartile of the samples. "
        + (
            f"Below: how many times as fast as each peer {style.label_of(sweep, ours)} is, with the 95 % interval; above the line at 1 "
            "ours is faster. The last group is the geometric mean over the problems that both have, which the legend has as a number. "
            if peers else ""
        )
        + f"A letter stands where a contender has no number.{about_absent(sweep)}"
    )
    handles = style.point_legend(named) + style.status_legend(seen)
    return style.finish(figure, folder, f"{stem}-latency", f"Latency: {sweep.operation}, {sweep.full_setting}", handles, caption)


def draw_memory(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    looks = {
        name: look for name, look in style.shown_looks(sweep).items()
        if any(problem.cells[name].peak_bytes > 0 for problem in sweep.common(name))
    }  # fmt: skip
    if not looks:
        return None
    figure, axes = plt.subplots(figsize=(style.WIDE, 4.6))
    seen = _draw_values(axes, sweep, looks, lambda cell: 1e-6 * cell.peak_bytes if cell.peak_bytes > 0 else np.nan)
    axes.set_ylabel("memory at the peak, MB")
    _name_problems(sweep, [axes], mean=False)
    caption = (
        "The memory that the process gained at its peak while the contender was prepared, packed and run: its own copies of the tensors, "
        "what it keeps between its steps, and code that it generates. Huge pages count whole. The plain tensors, which all contenders "
        "share, do not count."
    )
    handles = style.point_legend(looks.values()) + style.status_legend(seen)
    return style.finish(figure, folder, f"{stem}-memory", f"Memory: {sweep.operation}, {sweep.full_setting}", handles, caption)


def fastest_of_ours(sweep: Sweep) -> str | None:
    """The one of ours that has numbers on the most problems and is the fastest on most of these."""
    ours = [name for name in sweep.contenders if name in sweep.ours]
    wins = [fastest(problem, ours) for problem in sweep.problems]
    best = max(ours, key=lambda name: (len(sweep.common(name)), wins.count(name)), default=None)
    return best if best and sweep.common(best) else None


def _draw_values(axes, sweep: Sweep, looks: dict[str, Look], value: Callable[[Cell], float], ends: Callable | None = None) -> set[str]:
    """Returns the statuses of which there is a letter."""
    seen = set()
    for name, look in looks.items():
        for x, problem in zip(places(sweep) + _shift(looks, name), sweep.problems, strict=False):
            if not problem.ok(name):
                seen.add(problem.status(name))
                style.mark_status(axes, x, problem.status(name), look.colour)
                continue
            if ends:
                axes.plot([x, x], ends(problem.cells[name]), color="black", linewidth=0.9, solid_capstyle="butt", zorder=2)
            axes.plot(x, value(problem.cells[name]), **look.point)
    scales.logarithmic_upwards(axes)
    return seen


def _draw_ratios(axes, sweep: Sweep, ours: str, looks: dict[str, Look]) -> dict[str, float]:
    """Returns the geometric mean for each peer."""
    means, groups = {}, places(sweep)
    for name, look in looks.items():
        shift, common = _shift(looks, name), sweep.common(ours, name)
        for x, problem in zip(groups, sweep.problems, strict=False):
            if problem in common:
                interval(axes, x + shift, ratio(problem, ours, name), look)
        means[name] = interval(axes, groups[-1] + shift, geometric_mean_ratio(common, ours, name), look).value
    axes.axhline(1, color="black", linewidth=1.2)
    axes.set_ylabel("times as fast\n(above 1: ours is faster)")
    scales.logarithmic_upwards(axes)
    return means


def _shift(looks: dict[str, Look], name: str) -> float:
    return (list(looks).index(name) - (len(looks) - 1) / 2) * WIDTH / len(looks)


def _name_problems(sweep: Sweep, grid: list, mean: bool) -> None:
    """The names of the problems below the lowest axes, and if there is one that of the mean's group."""
    names, groups = [problem.label for problem in sweep.problems], places(sweep)
    if mean:
        name_groups(sweep, groups, *grid, whole=WHOLE, names=names)
    else:
        groups = groups[:-1]
        grid[-1].set_xticks(groups, names, rotation=90)
    for axes in grid:
        for x in groups[::2]:
            axes.axvspan(x - 0.5, x + 0.5, color="#F5F5F5", zorder=0, linewidth=0)
    grid[-1].set_xlim(groups[0] - 0.55, groups[-1] + 0.55)

"""A network layer by layer: speed, share of the machine's limit, and ratio to the best peer."""

from dataclasses import replace
from pathlib import Path

import numpy as np

import scales
import style
from derive import (
    Estimate,
    doing_less,
    fastest,
    fastest_overall,
    judged_by,
    known,
    ratio,
    weighted_limit_speed,
    weighted_ratio,
    weighted_share,
    weighted_speed,
)
from labels import about_absent, about_limits, about_other_algorithms, in_full, problem_labels, short_limit, sizes_in_words
from style import Drawn, Look, plt
from sweeps import Sweep

GAP = 0.9  # between the layers and the whole network
MOST_COMPARED = 2  # of our contenders with one algorithm; a third, slower one would flatten the scale for the others
MOST_INTERVAL, LEAST_INTERVAL = 1.5, 0.5  # how far an interval may extend an axis: times the span of the values, and at least
FAR = 2  # times the highest limit: bars that reach this height are cut
OWN_PANEL = ": see the panel at the bottom"


def draw_layers(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    looks = style.shown_looks(sweep)
    if not looks:
        return None
    main, apart = _by_algorithm(sweep, looks)
    heights = [3.1, 2.7, *[1.5] * bool(apart)]
    figure, (speed, *shares) = plt.subplots(
        len(heights), 1, figsize=(style.WIDE, sum(heights) + 1.6), sharex=True, height_ratios=heights,
    )
    groups = places(sweep)
    seen = _draw_speeds(speed, sweep, groups, main)
    for axes, shown in zip(shares, (main, apart), strict=False):
        reach = scales.share_limit(sweep, shown)
        seen |= _draw_shares(axes, sweep, groups, shown, reach)
        scales.share_axis(axes, short_limit(sweep).removeprefix("the "), reach)
    for axes in (speed, *shares):
        for x in groups[:-1:2]:
            axes.axvspan(x - 0.5, x + 0.5, color="#F5F5F5", zorder=0, linewidth=0)
    shares[-1].set_xlim(groups[0] - 0.55, groups[-1] + 0.55)
    name_groups(sweep, groups, speed, *shares)
    named, named_apart = ([_with_share(sweep, name, look) for name, look in of.items()] for of in (main, apart))
    marks = list(zip(style.bar_legend(named), style.point_legend(named), strict=True))
    handles = [*marks, *style.point_legend(named_apart), *style.limit_legend(sweep.problems), *style.status_legend(seen)]
    sizes = sizes_in_words(sweep)
    caption = (
        "Above: the median speed of each contender on each problem, with whiskers from the lower to the upper quartile of the samples. "
        f"Below: the same as a share of {in_full(sweep)}, measured among the samples of the same problem (a red triangle: above the axis). "
        f"{about_limits(sweep)}{about_other_algorithms(sweep, OWN_PANEL if apart else '')}The last group is the whole network, with each "
        "problem weighted by how often the network uses it; the percentages in the legend are its shares. A letter stands where a "
        "contender has no number."
        + (f" Below each group, from the axis down: the name, and the sizes that differ, written upwards: {sizes}." if sizes else "")
        + about_absent(sweep)
    )
    title = f"Speed and share of {short_limit(sweep)}: {sweep.operation}, {sweep.full_setting}"
    return style.finish(figure, folder, f"{stem}-layers", title, handles, caption)


def _by_algorithm(sweep: Sweep, looks: dict[str, Look]) -> tuple[dict[str, Look], dict[str, Look]]:
    """Contenders of the direct algorithm, and those that need fewer operations: on one axis these would flatten the others."""
    less = doing_less(sweep)
    main = {name: look for name, look in looks.items() if name not in less}
    return (main, {name: look for name, look in looks.items() if name in less}) if main else (looks, {})


def _with_share(sweep: Sweep, name: str, look: Look) -> Look:
    """The look with the share of the whole network behind its label, where that is known."""
    share = weighted_share(sweep, name) if len(sweep.common(name)) == len(sweep.problems) else np.nan
    return replace(look, label=f"{look.label}: {100 * share:.1f} %") if np.isfinite(share) else look


def _draw_speeds(axes, sweep: Sweep, groups: np.ndarray, looks: dict[str, Look]) -> set[str]:
    """Returns the statuses of which there is a letter."""
    seen, whole, width, reach = set(), _whole_network(sweep), 0.86 / len(looks), _speed_reach(sweep, looks)
    for index, (name, look) in enumerate(looks.items()):
        offset = (index - (len(looks) - 1) / 2) * width
        for x, problem in zip(groups, sweep.problems, strict=False):
            if problem.ok(name):
                cell = problem.cells[name]
                style.draw_bar(axes, x + offset, width, look, cell.speed, cell.speed_quartiles)
                scales.mark_beyond(axes, x + offset, cell.speed, reach)
            else:
                seen.add(problem.status(name))
                style.mark_status(axes, x + offset, problem.status(name))
        if name in whole:
            style.draw_bar(axes, groups[-1] + offset, width, look, whole[name])
        else:
            seen.add("incomplete")
            style.mark_status(axes, groups[-1] + offset, "incomplete")
    for x, problem in zip(groups, sweep.problems, strict=False):
        for limit, height in style.limits_beside(problem).items():
            style.draw_limit(axes, limit, x, height)
    for limit in style.LIMITS:
        if limit != "read" and known(limit, sweep.problems):
            style.draw_limit(axes, limit, groups[-1], weighted_limit_speed(limit, sweep.problems))
    scales.speed_axis(axes, sweep)
    if np.isfinite(reach):
        axes.set_ylim(top=reach)
    return seen


def _speed_reach(sweep: Sweep, looks: dict[str, Look]) -> float:
    """The end of the axis of speeds. Bars far above every limit, of problems on which padding is skipped, would flatten all others."""
    limits = [limit.speed for problem in sweep.problems if (limit := problem.own_limit())]
    speeds = [problem.cells[name].speed for problem in sweep.problems for name in looks if problem.ok(name)]
    far = sweep.bound == "flops" and limits and speeds and max(speeds) > FAR * max(limits)
    return scales.SHARE_LIMIT / 100 * max(limits) if far else np.inf


def _draw_shares(axes, sweep: Sweep, groups: np.ndarray, looks: dict[str, Look], reach: float) -> set[str]:
    """Returns the statuses of which there is a letter."""
    seen, width = set(), 0.86 / len(looks)
    for index, (name, look) in enumerate(looks.items()):
        offset = (index - (len(looks) - 1) / 2) * width
        for x, problem in zip(groups, sweep.problems, strict=False):
            if not problem.ok(name):
                seen.add(problem.status(name))
                style.mark_status(axes, x + offset, problem.status(name))
            elif most := judged_by(sweep, problem, name):
                cell, scale = problem.cells[name], 100 / most.speed
                _point(axes, x + offset, cell.speed * scale, look, [scale * quartile for quartile in cell.speed_quartiles])
                scales.mark_beyond(axes, x + offset, cell.speed * scale, reach)
        if len(sweep.common(name)) < len(sweep.problems):
            seen.add("incomplete")
            style.mark_status(axes, groups[-1] + offset, "incomplete")
        elif np.isfinite(share := weighted_share(sweep, name)):
            _point(axes, groups[-1] + offset, 100 * share, look)
    return seen


def draw_ratio(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    """How many times as fast as the fastest peer of each problem ours is."""
    looks = style.looks_of(sweep)
    peers = [name for name in looks if name not in sweep.ours]
    compared = [name for name in looks if name in sweep.ours and any(fastest(p, peers) and p.ok(name) for p in sweep.problems)]
    main, apart = _by_algorithm(sweep, {name: looks[name] for name in compared})
    panels = [list(main)[:MOST_COMPARED], *[list(apart)] * bool(apart)]
    if not compared:
        return None
    heights = [3.2, *[1.4] * bool(apart)]
    figure, grid = plt.subplots(
        len(panels), 1, figsize=(style.WIDE, sum(heights) + 1.8), sharex=True, squeeze=False, height_ratios=heights,
    )
    grid = list(grid.flat)
    groups = places(sweep)
    bests = [fastest(problem, peers) for problem in sweep.problems]
    rivals = [name for name in peers if len(sweep.common(name)) == len(sweep.problems)]
    best_overall = fastest_overall(sweep.problems, rivals)

    seen, named = set(), []
    for axes, names in zip(grid, panels, strict=True):
        values: list[Estimate] = []
        for index, name in enumerate(names):
            shift = (index - (len(names) - 1) / 2) * 0.26
            for x, problem, best in zip(groups, sweep.problems, bests, strict=False):
                if best and problem.ok(name):
                    values.append(interval(axes, x + shift, ratio(problem, name, best), looks[name]))
                elif not problem.ok(name):
                    seen.add(problem.status(name))
                    style.mark_status(axes, x + shift, problem.status(name))
            said = ""
            if best_overall and len(sweep.common(name)) == len(sweep.problems):
                whole = weighted_ratio(sweep.problems, name, best_overall)
                values.append(interval(axes, groups[-1] + shift, whole, looks[name]))
                said = f": {whole.value:.3f}"
            named.append(replace(looks[name], label=looks[name].label + said))
        _draw_one(axes, groups, values, 0.05)
        axes.set_ylabel("ours / best peer\n(above 1: ours is faster)" if axes is grid[0] else "ours / best peer")
    # The mark above each group shows the peer that was the fastest there.
    for x, best in zip(groups, [*bests, best_overall], strict=True):
        if best:
            grid[0].plot(x, 1.04, transform=grid[0].get_xaxis_transform(), clip_on=False, **looks[best].point)
    name_groups(sweep, groups, *grid)
    best_peers = [replace(looks[name], label=f"best peer: {looks[name].label}") for name in peers if name in [*bests, best_overall]]
    handles = style.point_legend([*named, *best_peers]) + style.status_legend(seen)
    caption = (
        "Our speed over the speed of the fastest peer of the problem, by the medians of this run, with its 95 % interval, which may "
        "reach beyond the axis. Above the line at 1 ours is faster. The marks at the top show which peer was the fastest. In the last "
        "group the peer is the fastest one on the whole network; the numbers in the legend are its ratios."
        + (f" {about_other_algorithms(sweep, OWN_PANEL)}".rstrip() if apart else "")
        + (f" The first {MOST_COMPARED} of our contenders are shown." if len(main) > MOST_COMPARED else "")
    )
    title = f"Ours beside the best peer of each problem: {sweep.operation}, {sweep.full_setting}"
    return style.finish(figure, folder, f"{stem}-ratio", title, handles, caption)


def _whole_network(sweep: Sweep) -> dict[str, float]:
    complete = [name for name in sweep.contenders if len(sweep.common(name)) == len(sweep.problems)]
    return {name: weighted_speed(sweep.problems, name) for name in complete}


def places(sweep: Sweep) -> np.ndarray:
    return np.append(np.arange(len(sweep.problems)), len(sweep.problems) + GAP)


def _draw_one(axes, groups: np.ndarray, values: list[Estimate], least: float) -> None:
    """The line at 1, with room for all values and for at least `least` on both sides."""
    axes.axhline(1, color="black", linewidth=1.2)
    end_at_values(axes, [*values, *(Estimate(1 + side, np.nan, np.nan) for side in (-least, least))])
    axes.set_xlim(groups[0] - 0.6, groups[-1] + 0.7)
    scales.make_room_for_letters(axes)


def end_at_values(axes, values: list[Estimate]) -> None:
    """Room for all values and for their intervals, but for an interval that is far wider than the values are apart only for a part."""
    lowest, highest = min(value.value for value in values), max(value.value for value in values)
    most = max(MOST_INTERVAL * (highest - lowest), LEAST_INTERVAL)
    ends = [end for value in values for end in (value.low, value.high) if np.isfinite(end)]
    low, high = max(min([lowest, *ends]), lowest - most), min(max([highest, *ends]), highest + most)
    room = max(0.06 * (high - low), 0.005)
    axes.set_ylim(low - room, high + room)


def name_groups(sweep: Sweep, groups: np.ndarray, *stacked, whole: str = "all (weighted)", names: list[str] | None = None) -> None:
    """Names below the lowest axes, by default with the sizes that differ, and in each a line between the problems and the whole
    network."""
    for axes in stacked:
        axes.axvline(groups[-1] - 0.5 - GAP / 2 - 0.3, color="#888888", linewidth=0.8, linestyle=":")
        axes.tick_params(axis="x", length=0)
    room = 72 * 0.93 * style.WIDE / (groups[-1] + 2)  # points from one group to the next
    size = min(plt.rcParams["xtick.labelsize"], 0.82 * room)
    stacked[-1].set_xticks(groups, [*(names or problem_labels(sweep)), whole], rotation=90, fontsize=size)
    stacked[-1].get_xticklabels()[-1].set_fontweight("bold")


def _point(axes, x: float, y: float, look: Look, quartiles=None) -> None:
    if quartiles:
        axes.plot([x, x], quartiles, color="black", linewidth=0.9, solid_capstyle="butt", zorder=2)
    axes.plot(x, y, **look.point)


def interval(axes, x: float, value: Estimate, look: Look) -> Estimate:
    """Draws the estimate and returns it."""
    if np.isfinite(value.low):
        axes.plot([x, x], [value.low, value.high], color=look.colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
    axes.plot(x, value.value, **look.point)
    return value

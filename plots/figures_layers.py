"""A network layer by layer: speed, share of what the machine could do, ratio to the best peer, and of a rule's plans to the best found."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.lines import Line2D

import style
from derive import (
    LIMIT_WORDS,
    Estimate,
    doing_less,
    fastest,
    fastest_overall,
    geometric_mean_ratio,
    judged_by,
    known,
    ratio,
    roof_of_peak,
    speedup,
    weighted_limit_speed,
    weighted_ratio,
    weighted_share,
    weighted_speed,
    weighted_speedup,
)
from labels import about_limits, in_full, problem_labels, short_limit, sizes_in_words
from scaling import machine_speedup
from style import Drawn, Look, plt
from sweeps import Sweep

GAP = 0.9  # between the layers and the whole network
IDEAL = {"color": "#888888", "linewidth": 1.2, "linestyle": "-."}
MOST_COMPARED = 2  # of ours by one algorithm: a third, slower one would flatten the scale for the others


def draw_layers(sweep: Sweep, folder: Path, stem: str) -> Drawn:
    looks = style.looks_of(sweep)
    headline = next((name for name in looks if name in sweep.ours), None)
    whole = _whole_network(sweep)
    figure, (speed, share) = plt.subplots(2, 1, figsize=(style.WIDE, 7.4), sharex=True, height_ratios=[1.15, 1])
    groups = _places(sweep)
    width = 0.86 / len(looks)
    seen, reach = set(), style.share_limit(sweep)

    for index, (name, look) in enumerate(looks.items()):
        offset = (index - (len(looks) - 1) / 2) * width
        for x, problem in zip(groups, sweep.problems, strict=False):
            status = problem.status(name)
            if status != "ok":
                seen.add(status)
                style.mark_status(speed, x + offset, status)
                style.mark_status(share, x + offset, status)
                continue
            cell = problem.cells[name]
            style.draw_bar(speed, x + offset, width, look, cell.speed, cell.speed_quartiles)
            if most := judged_by(sweep, problem, name):
                scale = 100 / most.speed
                _point(share, x + offset, cell.speed * scale, look, [scale * quartile for quartile in cell.speed_quartiles])
                style.mark_beyond(share, x + offset, cell.speed * scale, reach)
        if name in whole:
            style.draw_bar(speed, groups[-1] + offset, width, look, whole[name])
            percent = 100 * weighted_share(sweep, name)
            if np.isfinite(percent):
                _point(share, groups[-1] + offset, percent, look)
                if name == headline:
                    _name_value(share, groups[-1] + offset, percent, f"{percent:.1f}", "left", 100)
        else:
            seen.add("incomplete")
            style.mark_status(speed, groups[-1] + offset, "incomplete")
            style.mark_status(share, groups[-1] + offset, "incomplete")
    _draw_limits(speed, share, sweep, groups)

    style.speed_axis(speed, sweep)
    style.share_axis(share, sweep)
    for axes in (speed, share):
        for x in groups[:-1:2]:
            axes.axvspan(x - 0.5, x + 0.5, color="#F5F5F5", zorder=0, linewidth=0)
    share.set_xlim(groups[0] - 0.55, groups[-1] + 0.55)
    _name_groups(sweep, groups, speed, share)
    marks = list(zip(style.bar_legend(looks.values()), style.point_legend(looks.values()), strict=True))
    handles = [*marks, *style.limit_legend(sweep.problems), *style.status_legend(seen)]
    named = sizes_in_words(sweep)
    caption = (
        "Median speed of each contender on each problem, whiskers from the lower to the upper quartile of the samples; below, the same "
        f"as a share of {in_full(sweep)} measured among the samples of that very problem (a red triangle: above the axis). "
        f"{about_limits(sweep)}The last group is "
        "the whole network, each problem weighted by how often the network uses it. A letter stands where a contender has no number."
        + (f" Under each group, from the axis down: the name, and the sizes that differ, read upwards: {named}." if named else "")
    )
    title = f"Speed and share of {short_limit(sweep)}: {sweep.operation}, {sweep.full_setting}"
    return style.finish(figure, folder, f"{stem}-layers", title, handles, caption)


def draw_ratio(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    """How many times faster ours is than the fastest peer of each problem."""
    looks = style.looks_of(sweep)
    peers = [name for name in looks if name not in sweep.ours]
    compared = [name for name in looks if name in sweep.ours and any(fastest(p, peers) and p.ok(name) for p in sweep.problems)]
    less = doing_less(sweep)
    first = [name for name in compared if name not in less][:MOST_COMPARED]
    ours = [name for name in compared if name in first or name in less]
    if not ours:
        return None
    figure, axes = plt.subplots(figsize=(style.WIDE, 5.0))
    groups = _places(sweep)
    bests = [fastest(problem, peers) for problem in sweep.problems]
    rivals = [name for name in peers if len(sweep.common(name)) == len(sweep.problems)]
    best_overall = fastest_overall(sweep.problems, rivals)

    values: list[float] = []
    seen = set()
    for index, name in enumerate(ours):
        shift = (index - (len(ours) - 1) / 2) * 0.26
        for x, problem, best in zip(groups, sweep.problems, bests, strict=False):
            if best and problem.ok(name):
                values.extend(_interval(axes, x + shift, ratio(problem, name, best), looks[name]))
            elif not problem.ok(name):
                seen.add(problem.status(name))
                style.mark_status(axes, x + shift, problem.status(name))
        if best_overall and len(sweep.common(name)) == len(sweep.problems):
            whole = weighted_ratio(sweep.problems, name, best_overall)
            values.extend(_interval(axes, groups[-1] + shift, whole, looks[name]))
            _name_value(axes, groups[-1] + shift, whole.value, f"{whole.value:.3f}", "right" if index else "left", 1)

    _draw_one(axes, groups, values, 0.05)
    for text, y, va in (("ours\nfaster", 4, "bottom"), ("ours\nslower", -4, "top")):
        axes.annotate(
            text, (1, 1), xycoords=("axes fraction", "data"), xytext=(4, y), textcoords="offset points", va=va, annotation_clip=False
        )
    # The mark above each group is that of the peer that was the fastest there.
    for x, best in zip(groups, [*bests, best_overall], strict=True):
        if best:
            axes.plot(x, 1.04, transform=axes.get_xaxis_transform(), clip_on=False, **looks[best].point)
    axes.set_ylabel("speed, ours / best peer")
    _name_groups(sweep, groups, axes)
    best_peers = [replace(looks[name], label=f"best peer: {looks[name].label}") for name in peers if name in [*bests, best_overall]]
    handles = style.point_legend([*(looks[name] for name in ours), *best_peers]) + style.status_legend(seen)
    caption = (
        "Quotient of the median speeds within this run, ours over the fastest peer of the problem, with its bootstrap 95 % interval "
        "where the samples are kept: above the line at 1 ours is faster. The top row shows which peer was the fastest. In the last "
        "group the peer is the one with the best weighted whole-network speed."
        + (f" Of ours by one algorithm the first {MOST_COMPARED} are shown." if len(compared) > len(ours) else "")
    )
    title = f"Ours against the best peer of each problem: {sweep.operation}, {sweep.full_setting}"
    return style.finish(figure, folder, f"{stem}-ratio", title, handles, caption)


def draw_plan_quality(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    """How fast the rule's plans are beside the best that a search found."""
    looks = {name: look for name, look in style.looks_of(sweep).items() if name in sweep.searched}
    if not looks:
        return None
    figure, axes = plt.subplots(figsize=(style.WIDE, 5.0))
    groups = _places(sweep)
    values: list[float] = []
    seen = set()
    for index, (name, look) in enumerate(looks.items()):
        shift = (index - (len(looks) - 1) / 2) * 0.26
        searched = sweep.searched[name]
        for x, problem in zip(groups, sweep.problems, strict=False):
            if lacking := next((who for who in (name, searched) if not problem.ok(who)), None):
                seen.add(problem.status(lacking))
                style.mark_status(axes, x + shift, problem.status(lacking))
            else:
                values.extend(_interval(axes, x + shift, ratio(problem, name, searched), look))
        if len(sweep.common(name, searched)) == len(sweep.problems):
            mean = geometric_mean_ratio(sweep.problems, name, searched)
            values.extend(_interval(axes, groups[-1] + shift, mean, look))
            _name_value(axes, groups[-1] + shift, mean.value, f"{mean.value:.3f}", "right" if index else "left", 1)
    _draw_one(axes, groups, values, 0.02)
    axes.set_ylabel("time: searched / rule")
    _name_groups(sweep, groups, axes, whole="geometric mean")
    caption = (
        "Quotient of the median times of two plans within this run, the best one that a search found over the rule's choice, with its "
        "bootstrap 95 % interval where the samples are kept: at 1 the rule is as good as the best that was found, below it so much time "
        "could be saved. The last group is the geometric mean. A letter stands where one of the two has no number."
    )
    title = f"The rule's plans against the best that were found: {sweep.operation}, {sweep.full_setting}"
    handles = style.point_legend(looks.values()) + style.status_legend(seen)
    return style.finish(figure, folder, f"{stem}-plan-quality", title, handles, caption)


def draw_scaling(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    """How many times faster each contender is on more threads than on fewer, and how many times more the machine itself gives."""
    looks = {name: look for name, look in style.looks_of(sweep).items() if sweep.scaled(name)}
    if not looks:
        return None
    figure, axes = plt.subplots(figsize=(style.WIDE, 5.0))
    groups = _places(sweep)
    few, many = (int(of.attributes["threads"]) for of in (sweep.base, sweep))
    handles, values, seen = [], [many / few], set()
    for index, (name, look) in enumerate(looks.items()):
        shift = (index - (len(looks) - 1) / 2) * 0.7 / len(looks)
        pairs = {after.text: (before, after) for before, after in sweep.scaled(name)}
        for x, problem in zip(groups, sweep.problems, strict=False):
            if pair := pairs.get(problem.text):
                values.extend(_interval(axes, x + shift, speedup(pair, name), look))
            else:
                status = problem.status(name) if not problem.ok(name) else "unpaired"
                seen.add(status)
                style.mark_status(axes, x + shift, status)
        whole = weighted_speedup(list(pairs.values()), name)
        part = "" if len(pairs) == len(sweep.problems) else f" on {len(pairs)} of {len(sweep.problems)}"
        handles += style.point_legend([replace(look, label=f"{look.label}: {whole.value:.3f}{part}")])
        if not part:
            values.extend(_interval(axes, groups[-1] + shift, whole, look))
    handles += _draw_machine(axes, sweep, groups, values)
    axes.axhline(many / few, **IDEAL)
    handles.append(Line2D([], [], **IDEAL, label=f"ideal: {many / few:g}"))
    room = 0.06 * (max(values) - min(*values, 1))
    axes.set_ylim(min(*values, 1) - room, max(values) + room)
    axes.set_xlim(groups[0] - 0.6, groups[-1] + 0.7)
    axes.set_ylabel(f"speed on {many} threads / on {few}")
    _name_groups(sweep, groups, axes)
    caption = (
        f"Quotient of the median times on {few} and on {many} threads, with its bootstrap 95 % interval where the samples are kept. The "
        f"numbers in the legend, and the last group, weigh each problem by how often the network uses it. The two thread counts were "
        f"measured in runs of their own (on fewer: {sweep.base.run_names}), one after the other and not interleaved: what the machine did "
        f"meanwhile shows. The black marks are therefore the same quotient of what it gave at most beside each problem: where they lie "
        f"below the ideal, its cores are slower together than alone, and no program could have reached the ideal. A letter stands where "
        f"a contender has no number."
    )
    title = f"From {few} to {many} threads: {sweep.operation}, {sweep.full_setting}"
    return style.finish(figure, folder, f"{stem}-scaling", title, handles + style.status_legend(seen), caption)


def _draw_machine(axes, sweep: Sweep, groups: np.ndarray, values: list[float]) -> list:
    """The quotients of the limit that both runs measured, added to the values; its handle for the legend."""
    limit, whole = machine_speedup(sweep, sweep.scaled())
    if not limit:
        return []
    before = {problem.text: problem for problem in sweep.base.problems}
    for x, problem in zip(groups, sweep.problems, strict=False):
        if problem.text in before:
            _, quotient = machine_speedup(sweep, [(before[problem.text], problem)])
            style.draw_limit(axes, limit, x, quotient)
            values.append(quotient)
    style.draw_limit(axes, limit, groups[-1], whole)
    return [Line2D([], [], **style.LIMITS[limit].line, label=f"the machine's own {LIMIT_WORDS[limit]}: {whole:.3f}")]


def _whole_network(sweep: Sweep) -> dict[str, float]:
    complete = [name for name in sweep.contenders if len(sweep.common(name)) == len(sweep.problems)]
    return {name: weighted_speed(sweep.problems, name) for name in complete}


def _places(sweep: Sweep) -> np.ndarray:
    return np.append(np.arange(len(sweep.problems)), len(sweep.problems) + GAP)


def _draw_one(axes, groups: np.ndarray, values: list[float], least: float) -> None:
    """The line at 1, and room for all values and for at least so much on both sides of it."""
    axes.axhline(1, color="black", linewidth=1.2)
    lowest, highest = min([*values, 1 - least]), max([*values, 1 + least])
    room = 0.06 * (highest - lowest)
    axes.set_ylim(lowest - room, highest + room)
    axes.set_xlim(groups[0] - 0.6, groups[-1] + 1.1)


def _name_groups(sweep: Sweep, groups: np.ndarray, *stacked, whole: str = "all (weighted)") -> None:
    """Names under the lowest of the axes, and in each a line between the problems and the whole network."""
    for axes in stacked:
        axes.axvline(groups[-1] - 0.5 - GAP / 2 - 0.3, color="#888888", linewidth=0.8, linestyle=":")
        axes.tick_params(axis="x", length=0)
    stacked[-1].set_xticks(groups, [*problem_labels(sweep), whole], rotation=90)
    stacked[-1].get_xticklabels()[-1].set_fontweight("bold")


def _name_value(axes, x: float, y: float, text: str, side: str, line: float) -> None:
    """The number beside its point, on the side that is turned away from the line, which would strike it through."""
    shift, align = (-5, "right") if side == "left" else (5, "left")
    axes.annotate(
        text, (x, y), xytext=(shift, 0), textcoords="offset points", ha=align, va="top" if y < line else "bottom", fontsize=8,
        fontweight="bold", color=style.EMPHASIS, annotation_clip=False,
    )


def _point(axes, x: float, y: float, look: Look, quartiles=None) -> None:
    if quartiles:
        axes.plot([x, x], quartiles, color="black", linewidth=0.9, solid_capstyle="butt", zorder=2)
    axes.plot(x, y, **look.point)


def _interval(axes, x: float, value: Estimate, look: Look) -> list[float]:
    """Draws the estimate and returns what of it must stay inside the axes."""
    if np.isfinite(value.low):
        axes.plot([x, x], [value.low, value.high], color=look.colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
    axes.plot(x, value.value, **look.point)
    return [number for number in (value.value, value.low, value.high) if np.isfinite(number)]


def _draw_limits(speed, share, sweep: Sweep, groups: np.ndarray) -> None:
    for limit in style.LIMITS:
        for x, problem in zip(groups, sweep.problems, strict=False):
            if most := getattr(problem, limit):
                style.draw_limit(speed, limit, x, most.speed)
        if known(limit, sweep.problems):
            style.draw_limit(speed, limit, groups[-1], weighted_limit_speed(limit, sweep.problems))
    percents = [100 * roof_of_peak(problem) for problem in sweep.problems]
    if known("peak", sweep.problems) and known("roof", sweep.problems):
        percents.append(100 * weighted_limit_speed("roof", sweep.problems) / weighted_limit_speed("peak", sweep.problems))
    for x, percent in zip(groups, percents, strict=False):
        if np.isfinite(percent):
            style.draw_limit(share, "roof", x, percent)

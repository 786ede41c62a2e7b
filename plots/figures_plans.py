"""The plans that the default, rankings and searches choose, beside the best plan of all that were measured."""

from dataclasses import replace
from pathlib import Path

import numpy as np

import plans
import scales
import style
from derive import Estimate
from figures_layers import end_at_values, interval, name_groups, places
from plan_names import PAPERS, RANDOM, RANKINGS, SEARCHED, TOP
from style import Drawn, Look, plt
from sweeps import Sweep, slugify

SPREAD = 0.8  # of a group: its marks stand beside each other in it
FEW = 4  # marks in a group share a panel
APART = 0.34  # of a row: two marks in it
CHOSEN = {"first": Look("the plan chosen", "#0072B2", "", "o", True), "top": Look("best of the first 5 %", "#E69F00", "", "D", True)}
WORST = Look("the worst problem of each", "#555555", "", "|", False)
LINES = {"first": ("--", "first plan"), "top": (":", "best of the first 5 %")}  # of the paper
# Colour and marker of each way; a ranking's first plan and the best of its first 5 % look alike in different panels.
WAYS = {
    **dict(zip((f"-{name}" for name in RANKINGS), [
        ("#E69F00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#D55E00", "v"), ("#56B4E9", "P"),
    ], strict=True)),
    SEARCHED: ("#333333", "*"), RANDOM: ("#8C8C8C", "X"),
}  # fmt: skip


def _looks(sweep: Sweep, rule: str, ways: dict[str, str]) -> dict[str, Look]:
    usual, looks = style.looks_of(sweep), {}
    for name, words in ways.items():
        ending = name.removeprefix(rule).removesuffix(TOP)
        colour, marker = WAYS.get(ending, (None, None))
        looks[name] = Look(words, colour, "", marker, True) if colour else replace(usual[name], label=words)
    return looks


# --- layer by layer ----------------------------------------------------------------------------------------------------


def draw_plan_quality(sweep: Sweep, folder: Path, stem: str) -> list[Drawn]:
    """A figure for each contender that ran with other plans than the default one."""
    several = len(sweep.other_plans) > 1
    return [_draw_quality(sweep, rule, folder, f"{stem}-{slugify(rule)}" if several else stem) for rule in sweep.other_plans]


def _draw_quality(sweep: Sweep, rule: str, folder: Path, stem: str) -> Drawn:
    at_once, measured = (
        {name: words for name, words in of(sweep, rule).items() if sweep.shown(name)}
        for of in (plans.chosen_at_once, plans.found_by_measuring)
    )
    panels = [at_once | measured] if len(at_once) + len(measured) <= FEW else [at_once, measured]
    figure, grid = plt.subplots(len(panels), 1, figsize=(style.WIDE, 2.0 + 2.7 * len(panels)), sharex=True, squeeze=False)
    grid, groups = list(grid.flat), places(sweep)
    seen, shown = set(), {}
    for axes, ways in zip(grid, panels, strict=True):
        looks = _looks(sweep, rule, ways)
        shown |= looks
        seen |= _draw_shares(axes, sweep, rule, groups, looks)
        axes.set_ylabel("share of the best\nplan's speed")
    if len(panels) > 1:
        for axes, title in zip(grid, ("chosen without measuring", "found by measuring several plans"), strict=True):
            axes.set_title(title, loc="left")
    name_groups(sweep, groups, *grid, whole="geometric mean")
    caption = (
        "Speed with the plan that each way of choosing found, over the speed with the best plan that any of them found, by the medians of "
        "this run, with 95 % intervals. At 1 the plan is the best one. A ranking orders all variants of the loops by an analysis; shown "
        "are its first plan and, where its first 5 % were measured, the fastest of these. The last group is the geometric mean, which the "
        "legend has as a number. A letter stands where a contender has no number."
    )
    title = f"Plans beside the best plan measured: {style.label_of(sweep, rule)}, {sweep.operation}, {sweep.full_setting}"
    return style.finish(figure, folder, f"{stem}-plan-quality", title, _legend(sweep, rule, shown) + style.status_legend(seen), caption)


def _legend(sweep: Sweep, rule: str, looks: dict[str, Look]) -> list:
    """An entry for each way, with the geometric means; a ranking's first plan and the best of its first 5 % share one."""
    named: dict[str, Look] = {}
    for name, look in looks.items():
        found, way = plans.quality(sweep, rule, name), name.removesuffix(TOP)
        label = f"{named[way].label}; first 5 %" if way in named else look.label
        named[way] = replace(look, label=f"{label}: {found.mean.value:.3f}" if found else label)
    return style.point_legend(named.values())


def _draw_shares(axes, sweep: Sweep, rule: str, groups: np.ndarray, looks: dict[str, Look]) -> set[str]:
    """Returns the statuses of which there is a letter."""
    seen, values, width = set(), [Estimate(1, np.nan, np.nan)], SPREAD / len(looks)
    best = plans.best_plan(sweep, rule)
    for index, (name, look) in enumerate(looks.items()):
        shift = (index - (len(looks) - 1) / 2) * width
        for x, problem in zip(groups, sweep.problems, strict=False):
            if problem.ok(name) and best(problem):
                values.append(interval(axes, x + shift, plans.share(sweep, rule, problem, name), look))
            elif not problem.ok(name):
                seen.add(problem.status(name))
                style.mark_status(axes, x + shift, problem.status(name))
        if found := plans.quality(sweep, rule, name):
            values.append(interval(axes, groups[-1] + shift, found.mean, look))
        else:
            seen.add("incomplete")
            style.mark_status(axes, groups[-1] + shift, "incomplete")
    axes.axhline(1, color="black", linewidth=1.2)
    end_at_values(axes, values)
    axes.set_xlim(groups[0] - 0.6, groups[-1] + 0.7)
    scales.make_room_for_letters(axes)
    return seen


# --- all layers together -----------------------------------------------------------------------------------------------


def draw_rank_efficiency(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    """For each way of choosing plans: the shares over all problems, and the seconds that choosing took."""
    rows = [row for row in plans.rows(sweep) if row.first or row.top]
    if not rows:
        return None
    timed = any(of and np.isfinite(of.seconds) for row in rows for of in (row.first, row.top))
    figure, grid = plt.subplots(
        1, 1 + timed, figsize=(style.WIDE, 1.8 + 0.42 * len(rows)), sharey=True, squeeze=False, width_ratios=[2.2, 1][: 1 + timed],
    )
    grid = list(grid.flat)
    _draw_efficiency(grid[0], rows)
    if timed:
        _draw_seconds(grid[1], rows)
    grid[0].set_yticks(range(len(rows)), [row.label for row in rows])
    grid[0].set_ylim(len(rows) - 0.4, -0.6)
    for axes in grid:
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        axes.tick_params(axis="y", length=0)
    papers = [
        plt.Line2D([], [], color="black", linestyle=line, linewidth=1.1, label=f"the paper's neural ranking, {words}: {PAPERS[which]}")
        for which, (line, words) in LINES.items()
    ]
    caption = (
        "Left: speed with the plan of each way over that with the best plan measured, in geometric mean over the problems with its 95 % "
        "interval; strokes show the worst problem. The lines are what PolyDL's authors measured with their neural ranking, of matrix "
        "products on 28 threads, so they are no bound for these problems."
        + (" Right: seconds that choosing took, in the mean of the problems; measuring the first 5 % is part of the time." if timed else "")
        + " A contender that lacks a number on some problem has no mark."
    )
    title = f"Rank efficiency: {sweep.operation}, {sweep.full_setting}"
    handles = [*style.point_legend([*CHOSEN.values(), WORST]), *papers]
    return style.finish(figure, folder, f"{stem}-rank-efficiency", title, handles, caption)


def _draw_efficiency(axes, rows: list[plans.Row]) -> None:
    for y, look, found in _marks(rows):
        axes.plot([found.worst.value, found.mean.value], [y, y], color=look.colour, linewidth=0.8, zorder=2)
        axes.plot(found.worst.value, y, **WORST.point | {"color": look.colour})
        axes.plot([found.mean.low, found.mean.high], [y, y], color=look.colour, linewidth=2.2, zorder=3)
        axes.plot(found.mean.value, y, **look.point)
    for which, (line, _) in LINES.items():
        axes.axvline(PAPERS[which], color="black", linestyle=line, linewidth=1.1)
    axes.axvline(1, color="black", linewidth=1.2)
    axes.set_xlabel("share of the best plan's speed")


def _draw_seconds(axes, rows: list[plans.Row]) -> None:
    for y, look, found in _marks(rows):
        if found.seconds > 0:
            axes.plot(found.seconds, y, **look.point)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("seconds to choose a plan")


def _marks(rows: list[plans.Row]) -> list[tuple[float, Look, plans.Quality]]:
    """The place of each mark; two marks of a row stand above each other."""
    marks = []
    for y, row in enumerate(rows):
        found = [(CHOSEN[which], of) for which in CHOSEN if (of := getattr(row, which))]
        marks += [(y + APART * (place - (len(found) - 1) / 2), look, of) for place, (look, of) in enumerate(found)]
    return marks

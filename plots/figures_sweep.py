"""One operation over many sizes: its share of the machine's limit, a panel for each value of a size, and its speed at some sizes."""

from collections import Counter
from pathlib import Path

import numpy as np

import scales
import style
from derive import judged_by
from labels import about_absent, about_limits, about_other_algorithms, figure_title, in_full, short_limit
from sizes import along, commonest, longest, thinned, values_of, varying, where
from style import Drawn, Look, plt
from sweeps import Problem, Sweep

FEWEST_POINTS = 4  # fewer do not make a line
MOST_PANELS = 12
LANDMARKS = 10  # groups of bars for the size with the most values
MOST_OTHERS = 4  # groups of bars for each other size


def draw_panels(sweep: Sweep, folder: Path, stem: str) -> list[Drawn]:
    """A figure for each other size that varies. The remaining sizes have the values that most problems share."""
    free = varying(sweep.problems)
    x = longest(sweep.problems, free)
    if not x:
        return []
    others = [size for size in free if size != x]
    if not others:
        alone = {"": along(sweep.problems, x)}
        return [_draw_panels(sweep, folder, f"{stem}-over-{x}", x, {}, alone)] if len(sweep.problems) >= FEWEST_POINTS else []
    figures = [(size, *_panels(sweep.problems, x, size, [other for other in others if other != size])) for size in others]
    several = [figure for figure in figures if len(figure[2]) > 1]
    # A figure with a single panel repeats a panel of another figure.
    chosen = several or [figure for figure in figures if figure[2]][:1]
    return [_draw_panels(sweep, folder, f"{stem}-over-{x}-by-{size}", x, held, panels) for size, held, panels in chosen]


def _panels(problems: list[Problem], x: str, size: str, rest: list[str]) -> tuple[dict, dict[str, list[Problem]]]:
    held = commonest(problems, rest)
    chosen = where(problems, held)
    panels = {f"{size} = {value}": along(where(chosen, {size: value}), x) for value in values_of(chosen, size)}
    long_enough = [item for item in panels.items() if len(item[1]) >= FEWEST_POINTS]
    return held, dict(thinned(long_enough, MOST_PANELS))


def _draw_panels(sweep: Sweep, folder: Path, stem: str, x: str, held: dict, panels: dict[str, list[Problem]]) -> Drawn:
    looks = style.shown_looks(sweep)
    columns = 1 if len(panels) == 1 else 2
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(style.WIDE, 1.0 + 2.8 * rows), sharex=True, sharey=True, squeeze=False)
    seen = set()
    for axes, problems in zip(grid.flat, panels.values(), strict=False):
        seen |= _draw_lines(axes, sweep, problems, x, looks)
    words, reach = short_limit(sweep), scales.share_limit(sweep, looks)
    for axes, title in zip(grid.flat, panels, strict=False):  # after all of them are drawn, as they share their limits
        scales.share_axis(axes, words.removeprefix("the "), reach)
        axes.label_outer(remove_inner_ticks=False)
        axes.set_title(title, loc="left")
        axes.tick_params(labelbottom=True)
    for axes in list(grid.flat)[len(panels):]:
        axes.set_visible(False)
    scales.scale_axis(grid[0, 0], sorted({p.sizes[x] for problems in panels.values() for p in problems}))
    for axes in list(grid.flat)[:len(panels)][-columns:]:  # the lowest of each column
        axes.set_xlabel(x)
    drawn = [problem for problems in panels.values() for problem in problems]
    handles = [*style.line_legend(looks.values()), *[style.hundred_legend(words)] * bool(drawn), *style.status_legend(seen)]
    caption = (
        f"Share of {in_full(sweep)} measured beside each problem, by the median times, over {x}"
        f"{', with a panel for each value of another size' if len(panels) > 1 else ''}. {about_limits(sweep)}"
        f"{about_other_algorithms(sweep)}A letter at the bottom stands where a contender has no number, a red triangle at the top where a "
        f"share lies above the axis.{about_absent(sweep)}"
    )
    return style.finish(figure, folder, stem, f"Share of {words} over {x}: {figure_title(sweep, held)}", handles, caption)


def _draw_lines(axes, sweep: Sweep, problems: list[Problem], x: str, looks: dict[str, Look]) -> set[str]:
    seen, letters, reach = set(), Counter(), scales.share_limit(sweep, looks)
    every = 1 if len(problems) <= 24 else len(looks)
    for index, (name, look) in reversed(list(enumerate(looks.items()))):  # ours on top
        judges = [judged_by(sweep, p, name) for p in problems]
        # A nan breaks the line where there is no number.
        percent = [
            100 * p.cells[name].speed / judge.speed if p.ok(name) and judge else np.nan for p, judge in zip(problems, judges, strict=True)
        ]
        axes.plot([p.sizes[x] for p in problems], percent, **look.line | {"markevery": (index % every, every)})
        for p, share in zip(problems, percent, strict=True):
            scales.mark_beyond(axes, p.sizes[x], share, reach)
            if not p.ok(name):
                seen.add(p.status(name))
                style.mark_status(axes, p.sizes[x], p.status(name), look.colour, letters[p.text])
                letters[p.text] += 1
    return seen


def draw_bars(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    held, segments = _segments(sweep.problems)
    problems = [problem for _, shown in segments for _, problem in shown]
    if not problems:
        return None
    looks = style.shown_looks(sweep)
    if not looks:
        return None
    figure, axes = plt.subplots(figsize=(style.WIDE, 4.2))
    width = 0.86 / len(looks)
    places = _places(segments)
    seen = set()
    for index, (name, look) in enumerate(looks.items()):
        offset = (index - (len(looks) - 1) / 2) * width
        for x, problem in zip(places, problems, strict=True):
            if not problem.ok(name):
                seen.add(problem.status(name))
                style.mark_status(axes, x + offset, problem.status(name))
                continue
            style.draw_bar(axes, x + offset, width, look, problem.cells[name].speed, problem.cells[name].speed_quartiles)
    for x, problem in zip(places, problems, strict=True):
        for limit, height in style.limits_beside(problem).items():
            style.draw_limit(axes, limit, x, height)
    _name_segments(axes, segments, places)
    scales.speed_axis(axes, sweep)
    handles = [*style.bar_legend(looks.values()), *style.limit_legend(problems), *style.status_legend(seen)]
    limits = "" if sweep.on_device else ", and the measured limits"
    caption = (
        "The speed of each contender at some sizes of the sweep: one size varies, the others have the values in the title. Medians, with "
        f"whiskers from the lower to the upper quartile{limits}. A letter stands where a contender has no number.{about_absent(sweep)}"
    )
    return style.finish(figure, folder, f"{stem}-bars", f"Speed at some sizes: {figure_title(sweep, held)}", handles, caption)


Segment = tuple[str, list[tuple[object, Problem]]]  # the axis below it, and a problem for each of its values


def _segments(problems: list[Problem]) -> tuple[dict, list[Segment]]:
    """The sizes that are held, and the bars: first over the size with the most values, then over each other size at one value of it."""
    free = varying(problems)
    x = longest(problems, free)
    if not x:
        return {}, [("", [(problem.label, problem) for problem in thinned(problems, LANDMARKS)])]
    others = [size for size in free if size != x]
    held = commonest(problems, others)
    segments = [(x, _over(x, where(problems, held), LANDMARKS))]
    for size in others:
        rest = {other: value for other, value in held.items() if other != size}
        elsewhere = [p for p in where(problems, rest) if p.sizes.get(size) != held[size]]
        if elsewhere:
            # The value of x that most of the other problems have; of several the largest.
            at = max(values_of(elsewhere, x), key=lambda value, found=elsewhere: (len(where(found, {x: value})), value))
            segments.append((f"{size} at {x} = {at}", _over(size, where(elsewhere, {x: at}), MOST_OTHERS)))
    return held, segments


def _over(size: str, problems: list[Problem], most: int) -> list[tuple[object, Problem]]:
    by_value = {value: where(problems, {size: value})[0] for value in values_of(problems, size)}
    return thinned(list(by_value.items()), most)


def _places(segments: list[Segment]) -> list[float]:
    places, start = [], 0.0
    for _, shown in segments:
        places += [start + index for index in range(len(shown))]
        start += len(shown) + 0.4
    return places


def _name_segments(axes, segments: list[Segment], places: list[float]) -> None:
    axes.set_xticks(places, [str(value) for _, shown in segments for value, _ in shown])
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.6, places[-1] + 0.6)
    start = 0
    for title, shown in segments:
        middle = (places[start] + places[start + len(shown) - 1]) / 2
        axes.annotate(
            title, (middle, 0), xycoords=axes.get_xaxis_transform(), xytext=(0, -20), textcoords="offset points", ha="center", va="top",
            fontsize=9,
        )
        if start:
            axes.axvline(places[start] - 0.7, color="#888888", linewidth=0.8, linestyle=":")
        start += len(shown)

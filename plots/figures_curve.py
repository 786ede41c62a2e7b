"""Speed over one size: a line for each contender, and the same as a share of the machine's limit."""

from collections import Counter
from pathlib import Path

import numpy as np

import scales
import style
from derive import percent_a_unit
from labels import about_absent, about_limits, about_other_algorithms, figure_title, in_full, short_limit
from sizes import along, longest, varying, where
from style import Drawn, Look, plt
from sweeps import OWN, Problem, Sweep


def draw_curves(sweep: Sweep, folder: Path, stem: str) -> list[Drawn]:
    """A figure for each combination of the other sizes that has at least two points."""
    free = varying(sweep.problems)
    x = longest(sweep.problems, free)
    if not x:
        return []
    others = [size for size in free if size != x]
    combinations = list({tuple(p.sizes.get(size) for size in others): None for p in sweep.problems})
    drawn = []
    for combination in combinations:
        held = dict(zip(others, combination, strict=True))
        problems = along(where(sweep.problems, held), x)
        suffix = "".join(f"-{size}{value}" for size, value in held.items())
        if len(problems) > 1:
            drawn.append(_draw_curve(sweep, folder, f"{stem}-over-{x}{suffix}", x, held, problems))
    return drawn


def _draw_curve(sweep: Sweep, folder: Path, stem: str, x: str, held: dict, problems: list[Problem]) -> Drawn:
    looks = style.shown_looks(sweep)
    figure, (speed, share) = plt.subplots(1, 2, figsize=(style.WIDE, 4.2))
    seen, letters, reach = set(), Counter(), scales.share_limit(sweep, looks)
    for name, look in reversed(looks.items()):  # ours on top
        _draw_line(speed, problems, x, name, look, lambda problem: 1)
        _draw_line(share, problems, x, name, look, lambda problem, name=name: percent_a_unit(OWN, problem, name))
        for problem in problems:
            if not problem.ok(name):
                seen.add(problem.status(name))
                for axes in (speed, share):
                    style.mark_status(axes, problem.sizes[x], problem.status(name), look.colour, letters[problem.text, problem.sizes[x]])
                letters[problem.text, problem.sizes[x]] += 1
            else:
                percent = percent_a_unit(OWN, problem, name) * problem.cells[name].speed
                scales.mark_beyond(share, problem.sizes[x], percent, reach)
    limits = [(problem.sizes[x], style.limits_beside(problem)) for problem in problems]
    for limit, look in style.LIMITS.items():
        if any(limit in beside for _, beside in limits):
            speed.plot([at for at, _ in limits], [beside.get(limit, np.nan) for _, beside in limits], **look.line)
    scales.speed_axis(speed, sweep)
    scales.share_axis(share, short_limit(sweep).removeprefix("the "), reach)
    for axes in (speed, share):
        scales.scale_axis(axes, sorted({problem.sizes[x] for problem in problems}))
        axes.set_xlabel(x)
    handles = [*style.line_legend(looks.values()), *style.limit_legend(problems), *style.status_legend(seen)]
    caption = (
        f"Left: the median speed of each contender over {x}, with whiskers from the lower to the upper quartile of the samples. Right: the "
        f"same as a share of {in_full(sweep)}, measured beside each problem (a red triangle: above the axis). {about_limits(sweep)}"
        f"{about_other_algorithms(sweep)}A letter stands where a contender has no number.{about_absent(sweep)}"
    )
    return style.finish(figure, folder, stem, f"Speed over {x}: {figure_title(sweep, held)}", handles, caption)


def _draw_line(axes, problems: list[Problem], x: str, name: str, look: Look, scale) -> None:
    # A nan breaks the line where there is no number.
    heights = [scale(p) * p.cells[name].speed if p.ok(name) else np.nan for p in problems]
    axes.plot([p.sizes[x] for p in problems], heights, **look.line)
    for p in filter(lambda problem: problem.ok(name), problems):
        low, high = p.cells[name].speed_quartiles
        axes.plot([p.sizes[x]] * 2, [scale(p) * low, scale(p) * high], color=look.colour, linewidth=0.9, zorder=2)

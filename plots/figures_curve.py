"""How speed follows one size: a line for each contender, and as a share of what the machine could do."""

from collections import Counter
from pathlib import Path

import numpy as np

import style
from derive import LIMIT_WORDS, percent_a_unit
from labels import about_limits, figure_title
from sizes import along, longest, varying, where
from style import Drawn, Look, plt
from sweeps import Problem, Sweep


def draw_curves(sweep: Sweep, folder: Path, stem: str) -> list[Drawn]:
    """One figure, or where other sizes vary too one for each of their combinations that has a second point."""
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
    looks = style.looks_of(sweep)
    figure, (speed, share) = plt.subplots(1, 2, figsize=(style.WIDE, 4.2))
    seen, letters, reach = set(), Counter(), style.share_limit(sweep)
    for name, look in reversed(looks.items()):  # ours on top
        _draw_line(speed, problems, x, name, look, lambda problem: 1)
        _draw_line(share, problems, x, name, look, lambda problem, name=name: percent_a_unit(problem.limits[0], problem, name))
        for problem in problems:
            if not problem.ok(name):
                seen.add(problem.status(name))
                for axes in (speed, share):
                    style.mark_status(axes, problem.sizes[x], problem.status(name), look.colour, letters[problem.text, problem.sizes[x]])
                letters[problem.text, problem.sizes[x]] += 1
            else:
                percent = percent_a_unit(problem.limits[0], problem, name) * problem.cells[name].speed
                style.mark_beyond(share, problem.sizes[x], percent, reach)
    for limit, look in style.LIMITS.items():
        if limited := [problem for problem in problems if getattr(problem, limit)]:
            speed.plot([p.sizes[x] for p in limited], [getattr(p, limit).speed for p in limited], **look.line)
    style.draw_roof_of_peak(share, x, problems)
    style.speed_axis(speed, sweep)
    style.share_axis(share, sweep)
    for axes in (speed, share):
        style.scale_axis(axes, sorted({problem.sizes[x] for problem in problems}))
        axes.set_xlabel(x)
    handles = [*style.line_legend(looks.values()), *style.limit_legend(problems), *style.status_legend(seen)]
    caption = (
        f"Median speed of each contender over {x}, whiskers from the lower to the upper quartile of the samples; at the right the same as "
        f"a share of the {LIMIT_WORDS[sweep.limits[0]]} measured beside each problem (a red triangle: above the axis). "
        f"{about_limits(sweep)}A letter stands where a contender has no number."
    )
    return style.finish(figure, folder, stem, f"Speed over {x}: {figure_title(sweep, held)}", handles, caption)


def _draw_line(axes, problems: list[Problem], x: str, name: str, look: Look, scale) -> None:
    # nan breaks the line where there is no number.
    heights = [scale(p) * p.cells[name].speed if p.ok(name) else np.nan for p in problems]
    axes.plot([p.sizes[x] for p in problems], heights, **look.line)
    for p in filter(lambda problem: problem.ok(name), problems):
        low, high = p.cells[name].speed_quartiles
        axes.plot([p.sizes[x]] * 2, [scale(p) * low, scale(p) * high], color=look.colour, linewidth=0.9, zorder=2)

"""The time that a network's layers need in a step of training: a bar for each contender, with its passes end to end."""

from pathlib import Path

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

import style
from derive import fastest_overall, known, weighted_limit_speed, weighted_ratio, weighted_seconds
from labels import complete_sets, name_set
from style import Drawn, Look
from sweeps import Problem, Sweep
from training import PASSES

TINTS = (0, 0.35, 0.65)  # how much white the colour of a pass has


def draw_training(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    """A panel for each set of problems on which some contender has all numbers. Only bars of one panel may be compared."""
    looks = style.shown_looks(sweep)
    panels = [(problems, [name for name in looks if all(p.ok(name) for p in problems)]) for problems in complete_sets(sweep)]
    if not panels:
        return None
    longest = max(1e3 * weighted_seconds(problems, name) for problems, names in panels for name in names)
    titles = [name_set(sweep, problems) for problems, _ in panels]
    figure, grid = style.bar_panels([names for _, names in panels], titles, looks, 0.42, 2.1 * longest)
    for axes, (problems, names) in zip(grid, panels, strict=True):
        ours = fastest_overall(problems, [name for name in names if name in sweep.ours])
        for y, name in enumerate(names):
            lengths = _draw_stack(axes, y, problems, name, looks[name])
            total = sum(lengths)
            beside = f"{' + '.join(f'{length:.4g}' for length in lengths)} = {total:.4g} ms"
            if ours and name not in sweep.ours:
                beside += f": ours is {weighted_ratio(problems, ours, name)} times as fast"
            style.say_beside(axes, total, y, beside)
        for limit in sweep.limits:
            if known(limit, problems):
                ideal = 1e3 * sum(p.count * p.work for p in problems) / weighted_limit_speed(limit, problems) / 1e9
                axes.plot([ideal, ideal], [-0.5, len(names) - 0.5], **style.LIMITS[limit].line, zorder=4)
    grid[-1].set_xlabel("ms per step: sum of count * median time")
    passes = [Patch(facecolor=_tinted("#555555", tint), label=which) for which, tint in zip(PASSES, TINTS, strict=True)]
    handles = [*passes, *style.limit_legend([p for problems, _ in panels for p in problems])]
    title = f"All passes together: {sweep.operation}, {sweep.full_setting}"
    return style.finish(figure, folder, f"{stem}-passes", title, handles, _caption(sweep))


def _draw_stack(axes, y: int, problems: list[Problem], name: str, look: Look) -> list[float]:
    """Returns the lengths of the parts."""
    lengths = [1e3 * sum(p.count * p.cells[name].parts[index].seconds for p in problems) for index in range(len(TINTS))]
    start = 0.0
    for length, tint in zip(lengths, TINTS, strict=True):
        axes.barh(y, length, 0.72, start, **look.bar | {"facecolor": _tinted(look.colour, tint)})
        start += length
    return lengths


def _tinted(colour: str, tint: float) -> tuple:
    return tuple(1 - (1 - np.array(to_rgb(colour))) * (1 - tint))


def _caption(sweep: Sweep) -> str:
    without = {
        name: which for of, which in zip(sweep.passes, PASSES, strict=True) for other in sweep.passes for name in other.contenders
        if name not in of.contenders
    }
    said = ", ".join(f"{name} has no {which}" for name, which in without.items())
    return (
        "The time of the passes in one step of training: the sum of the median times of all problems, each as often as the network uses "
        f"it. The times are those of the runs {sweep.run_names}, added up on the problems that all of them have. Training needs no "
        "backward pass by data for a network's first layer. The runs do not say which layer that is, so it is counted for every layer. "
        "The lines are the times that the machine needs at its limits."
        + (f" Contenders without one of the passes have no bar: {said}." if said else "")
    )

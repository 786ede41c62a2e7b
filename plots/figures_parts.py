"""The time of one piece of work and of its parts: a panel for each, in it a bar for each contender."""

from pathlib import Path

import style
from derive import ratio
from labels import figure_title
from style import Drawn, plt
from sweeps import Problem, Sweep


def draw_parts(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    looks = style.looks_of(sweep)
    panels = [(problem, [name for name in looks if problem.ok(name)]) for problem in sweep.problems]
    panels = [(problem, names) for problem, names in panels if names]
    if not panels:
        return None
    counts = [len(names) for _, names in panels]
    figure, grid = plt.subplots(
        len(panels), 1, figsize=(style.WIDE, 1.2 + sum(0.34 * count + 0.5 for count in counts)), sharex=True, squeeze=False,
        height_ratios=[count + 0.6 for count in counts],
    )
    longest = max(1e3 * problem.cells[name].seconds for problem, names in panels for name in names)
    for axes, (problem, names) in zip(grid.flat, panels, strict=True):
        ours = min((name for name in names if name in sweep.ours), key=lambda name, p=problem: p.cells[name].seconds, default=None)
        for y, name in enumerate(names):
            length = 1e3 * problem.cells[name].seconds
            axes.barh(y, length, 0.72, **looks[name].bar)
            axes.annotate(
                _beside(sweep, problem, name, ours), (length, y), xytext=(6, 0), textcoords="offset points", va="center",
                annotation_clip=False,
            )
        axes.set_yticks(range(len(names)), [looks[name].label for name in names])
        axes.set_ylim(len(names) - 0.45, -0.55)
        axes.set_title(problem.label, loc="left")
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        axes.tick_params(axis="y", length=0)
    grid[-1, 0].set_xlim(0, 2.1 * longest)  # room for the words behind the bars
    grid[-1, 0].set_xlabel("median time, ms")
    caption = f"The median time of each piece of work, all of it measured by itself in the run {sweep.run_names}, and images a second."
    return style.finish(figure, folder, f"{stem}-parts", figure_title(sweep, {}), [], caption)


def _beside(sweep: Sweep, problem: Problem, name: str, ours: str | None) -> str:
    seconds = problem.cells[name].seconds
    images = problem.sizes.get("N", sweep.attributes.get("N"))
    said = f"{1e3 * seconds:.4g} ms" + (f", {float(images) / seconds:.4g} images/s" if images else "")
    return said + (f": ours is {ratio(problem, ours, name)} times as fast" if ours and name not in sweep.ours else "")

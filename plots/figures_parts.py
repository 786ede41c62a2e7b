"""The time of one piece of work and of its parts: a panel for each, in it a bar for each contender."""

from pathlib import Path

import style
from derive import fastest, ratio
from labels import about_absent, figure_title
from style import Drawn
from sweeps import Problem, Sweep


def draw_parts(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    looks = style.shown_looks(sweep)
    panels = [(problem, names) for problem in sweep.problems if (names := [name for name in looks if problem.ok(name)])]
    if not panels:
        return None
    longest = max(1e3 * problem.cells[name].seconds for problem, names in panels for name in names)
    titles = [problem.label for problem, _ in panels]
    figure, grid = style.bar_panels([names for _, names in panels], titles, looks, 0.34, 2.1 * longest)
    for axes, (problem, names) in zip(grid, panels, strict=True):
        ours = fastest(problem, [name for name in names if name in sweep.ours])
        for y, name in enumerate(names):
            length = 1e3 * problem.cells[name].seconds
            axes.barh(y, length, 0.72, **looks[name].bar)
            style.say_beside(axes, length, y, _beside(sweep, problem, name, ours))
    grid[-1].set_xlabel("median time, ms")
    kind = "words per second, source and target together" if _counts_words(panels[0][0]) else "images per second"
    caption = f"The median time of each piece of work, measured as a whole in the run {sweep.run_names}, and {kind}.{about_absent(sweep)}"
    return style.finish(figure, folder, f"{stem}-parts", figure_title(sweep, {}), [], caption)


def _beside(sweep: Sweep, problem: Problem, name: str, ours: str | None) -> str:
    seconds = problem.cells[name].seconds
    items = _items(sweep, problem)
    said = f"{1e3 * seconds:.4g} ms" + (f", {_in_words(items[0] / seconds)} {items[1]}/s" if items else "")
    return said + (f": ours is {ratio(problem, ours, name)} times as fast" if ours and name not in sweep.ours else "")


def _counts_words(problem: Problem) -> bool:
    """Whether it works on sentences, with sources of S words and targets of T words."""
    return {"S", "T"} <= set(problem.sizes)


def _items(sweep: Sweep, problem: Problem) -> tuple[float, str] | None:
    """How many items the work is done on, and their name."""
    together = problem.sizes.get("N", sweep.attributes.get("N"))
    if not together:
        return None
    if _counts_words(problem):
        return float(together) * (float(problem.sizes["S"]) + float(problem.sizes["T"])), "words"
    return float(together), "images"


def _in_words(speed: float) -> str:
    return f"{speed:,.0f}" if speed >= 1000 else f"{speed:.4g}"

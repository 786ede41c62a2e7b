"""The brick alone: its share of the peak over m and n, and against loops of small GEMMs and batched matmul."""

from pathlib import Path

from matplotlib.lines import Line2D

import style
from derive import Problem, Sweep, commonest_reduction
from style import Drawn, plt

WIDTHS = (16, 32, 48, 64)
LANDMARKS = (1, 4, 6, 7, 14, 24, 28, 32, 48, 64)  # the bars' rows, where a run holds more of them
FEWEST_ROWS = 4  # fewer values of m do not make a line


def draw_shapes(sweep: Sweep, folder: Path, stem: str) -> list[Drawn]:
    """Over m: a panel for each width, and where a run holds several batches a panel for each of them at n = 64."""
    k, batch = commonest_reduction(sweep.problems)
    widths = {f"n = {n}": _column(sweep, n, k, batch) for n in WIDTHS}
    batches = sorted({p.sizes["batch"] for p in sweep.problems if (p.sizes["n"], p.sizes["k"]) == (64, 64)})
    over_batch = {f"batch = {b}": _column(sweep, 64, 64, b) for b in batches}
    drawn = [
        _draw_panels(sweep, folder, f"{stem}-shapes", f"k = {k}, batch = {batch}", "width n", _long_enough(widths)),
        _draw_panels(sweep, folder, f"{stem}-batches", "n = k = 64", "batch", _long_enough(over_batch), fewest=2),
    ]
    return [figure for figure in drawn if figure]


def _column(sweep: Sweep, n: int, k: int, batch: int) -> list[Problem]:
    shapes = [p for p in sweep.problems if (p.sizes["n"], p.sizes["k"], p.sizes["batch"]) == (n, k, batch)]
    return sorted(shapes, key=lambda p: p.sizes["m"])


def _long_enough(panels: dict[str, list[Problem]]) -> dict[str, list[Problem]]:
    return {title: shapes for title, shapes in panels.items() if len(shapes) >= FEWEST_ROWS}


def _draw_panels(sweep: Sweep, folder: Path, stem: str, what: str, axis: str, panels: dict, fewest: int = 1) -> Drawn | None:
    if len(panels) < fewest:
        return None
    contenders = style.in_order(sweep.contenders)
    columns = 1 if len(panels) == 1 else 2
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(style.WIDE, 1.0 + 2.8 * rows), sharex=True, sharey=True, squeeze=False)
    seen = set()
    for axes, (title, shapes) in zip(grid.flat, panels.items()):
        seen |= _draw_lines(axes, shapes, contenders)
        style.limit_share(axes)
        axes.set_title(title, loc="left")
        axes.tick_params(labelbottom=True)
    for axes in list(grid.flat)[len(panels):]:
        axes.set_visible(False)
    tallest = max(p.sizes["m"] for shapes in panels.values() for p in shapes)
    grid[0, 0].set_xlim(0, tallest + 1)
    grid[0, 0].set_xticks([1, *range(8, tallest + 1, max(8, tallest // 64 * 8))])
    for axes in grid[-1]:
        axes.set_xlabel("m (rows of C)")
    for axes in grid[:, 0]:
        axes.set_ylabel("% of measured FMA peak")
    figure.suptitle(f"Batch-reduce GEMM, {what}, {sweep.setting}", x=0.01, ha="left", fontsize=10)
    handles = [
        Line2D([], [], **style.marker_style(name) | {"linestyle": "-"}, label=style.label(name, sweep.version(name))) for name in contenders
    ]
    figure.legend(handles=handles + style.status_legend(seen), loc="outside lower left", ncols=4)
    style.save(figure, folder, stem)
    caption = (
        f"Median share of the FMA peak measured beside each shape, over the rows m of C, one panel for each {axis}. Dips show the "
        "heights at which a register block is left partly idle. A letter at the bottom stands where a contender has no number, a "
        "red triangle for a point above the axis."
    )
    return Drawn(stem, f"The brick over its shapes, {what}, {sweep.setting}", caption)


def _draw_lines(axes, shapes: list[Problem], contenders: list[str]) -> set[str]:
    absent, seen = [], set()
    every = 1 if len(shapes) <= 24 else len(contenders)
    for index, name in reversed(list(enumerate(contenders))):  # ours on top
        timed = [p for p in shapes if p.ok(name) and p.peak]
        if not timed:
            absent.append(f"{style.look(name).label} ({shapes[0].status(name)})")
            continue
        percent = [100 * p.cells[name].gflops / p.peak.gflops for p in timed]
        line = {"linestyle": "-", "linewidth": 1.7 if name in style.OURS else 1.1, "markevery": (index % every, every)}
        axes.plot([p.sizes["m"] for p in timed], percent, **style.marker_style(name) | line)
        for p, share in zip(timed, percent):
            style.mark_beyond(axes, p.sizes["m"], share)
        for p in shapes:
            if not p.ok(name):
                seen.add(p.status(name))
                style.mark_status(axes, p.sizes["m"], p.status(name))
    if absent:
        text = "no numbers: " + ", ".join(reversed(absent))
        axes.annotate(text, (1, 0), xycoords="axes fraction", xytext=(-3, 3), textcoords="offset points", ha="right", va="bottom")
    return seen


def draw_bars(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    over_rows, over_batch = _bar_shapes(sweep)
    shapes = over_rows + over_batch
    if not shapes:
        return None
    contenders = style.in_order(sweep.contenders)
    figure, axes = plt.subplots(figsize=(style.WIDE, 4.2))
    width = 0.86 / len(contenders)
    places = [index + 0.4 * (index >= len(over_rows)) for index in range(len(shapes))]
    seen = set()
    for index, name in enumerate(contenders):
        offset = (index - (len(contenders) - 1) / 2) * width
        for x, problem in zip(places, shapes):
            if not problem.ok(name):
                seen.add(problem.status(name))
                style.mark_status(axes, x + offset, problem.status(name))
                continue
            style.draw_bar(axes, x + offset, width, name, problem.cells[name].gflops, problem.cells[name].gflops_quartiles)
    for x, problem in zip(places, shapes):
        if problem.peak:
            style.draw_limit(axes, x, problem.peak.gflops)
    if over_rows and over_batch:
        axes.axvline(len(over_rows) - 0.3, color="#888888", linewidth=0.8, linestyle=":")
    axes.set_xticks(places, [f"{p.sizes['m']}\n×{p.sizes['batch']}" for p in shapes])
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.6, places[-1] + 0.6)
    axes.set_xlabel("rows m of C, and × the batch that is reduced")
    axes.set_ylabel("GFLOP/s")
    axes.set_title(f"Batch-reduce against loops of small GEMMs and batched matmul, n = k = 64, {sweep.setting}", loc="left")
    handles = [*style.bar_legend(contenders, sweep.version), style.limit_legend(), *style.status_legend(seen)]
    figure.legend(handles=handles, loc="outside upper left", ncols=4)

    stem = f"{stem}-small-gemm"
    style.save(figure, folder, stem)
    caption = (
        "The paper's motivation: summing a batch of small products in one call, with C in registers, against calling a GEMM for each "
        "member and against a batched matmul followed by the sum. Medians, whiskers over the quartiles, the measured FMA peak above."
    )
    return Drawn(stem, f"Against small GEMMs, {sweep.setting}", caption)


def _bar_shapes(sweep: Sweep) -> tuple[list[Problem], list[Problem]]:
    """64-wide shapes: over m at the commonest batch, then over the other batches at one m."""
    square = [p for p in sweep.problems if p.sizes["n"] == p.sizes["k"] == 64]
    if not square:
        return [], []
    _, batch = commonest_reduction(square)
    over_rows = _column(sweep, 64, 64, batch)
    if len(over_rows) > len(LANDMARKS):
        over_rows = [p for p in over_rows if p.sizes["m"] in LANDMARKS]
    others = [p for p in square if p.sizes["batch"] != batch]
    rows = {p.sizes["m"] for p in others}
    row = 28 if 28 in rows else max(rows, default=0)
    return over_rows, sorted((p for p in others if p.sizes["m"] == row), key=lambda p: p.sizes["batch"])

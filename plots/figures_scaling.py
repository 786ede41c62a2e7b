"""Strong scaling: the same problems on fewer and on more threads, problem by problem and as a curve over the threads."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.lines import Line2D

import scales
import style
from derive import LIMIT_WORDS, Estimate, speedup, weighted_speedup
from figures_layers import end_at_values, interval, name_groups, places
from scaling import machine_speedup
from style import Drawn, Look, plt
from sweeps import Problem, Sweep

IDEAL = {"color": "#888888", "linewidth": 1.2, "linestyle": "-."}


def draw_scaling(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    """How many times as fast each contender is on more threads, problem by problem, beside the machine itself."""
    looks = _scaled_looks(sweep)
    if not looks:
        return None
    figure, axes = plt.subplots(figsize=(style.WIDE, 5.0))
    groups = places(sweep)
    few, many = (int(of.attributes["threads"]) for of in (sweep.base, sweep))
    handles, values, seen = [], [Estimate(many / few, np.nan, np.nan)], set()
    for index, (name, look) in enumerate(looks.items()):
        shift = (index - (len(looks) - 1) / 2) * 0.7 / len(looks)
        pairs = {after.text: (before, after) for before, after in sweep.scaled(name)}
        for x, problem in zip(groups, sweep.problems, strict=False):
            if pair := pairs.get(problem.text):
                values.append(interval(axes, x + shift, speedup(pair, name), look))
            else:
                status = problem.status(name) if not problem.ok(name) else "unpaired"
                seen.add(status)
                style.mark_status(axes, x + shift, status)
        whole = weighted_speedup(list(pairs.values()), name)
        part = "" if len(pairs) == len(sweep.problems) else f" on {len(pairs)} of {len(sweep.problems)}"
        handles += style.point_legend([replace(look, label=f"{look.label}: {whole.value:.3f}{part}")])
        if not part:
            values.append(interval(axes, groups[-1] + shift, whole, look))
    handles += _draw_machine(axes, sweep, groups, values)
    axes.axhline(many / few, **IDEAL)
    handles.append(Line2D([], [], **IDEAL, label=f"ideal: {many / few:g}"))
    end_at_values(axes, values)
    axes.set_xlim(groups[0] - 0.6, groups[-1] + 0.7)
    scales.make_room_for_letters(axes)
    axes.set_ylabel(f"speed on {many} threads / on {few}")
    name_groups(sweep, groups, axes)
    caption = (
        f"Median time on {few} over median time on {many} threads, with its 95 % interval. The last group and the numbers in the legend "
        "are the whole network, each problem weighted by how often the network uses it. "
        f"{_about_runs(sweep)} The black marks are the same quotient of the machine's own limit beside each problem. Where they lie below "
        "the ideal, the cores are slower together than alone, and no program can reach the ideal. A letter stands where a contender has no "
        "number."
    )
    title = f"From {few} to {many} threads: {sweep.operation}, {sweep.full_setting}"
    return style.finish(figure, folder, f"{stem}-scaling", title, handles + style.status_legend(seen), caption)


def _scaled_looks(sweep: Sweep) -> dict[str, Look]:
    return {name: look for name, look in style.looks_of(sweep).items() if sweep.scaled(name)}


def _about_runs(sweep: Sweep) -> str:
    names = ", ".join(of.run_names for of in (sweep.base, *sweep.between))
    return (
        f"The thread counts were measured in separate runs, one after the other (on fewer: {names}), so changes of the machine between "
        "them show."
    )


def _draw_machine(axes, sweep: Sweep, groups: np.ndarray, values: list[Estimate]) -> list:
    """Draws the quotients of the limit that both runs measured and adds them to the values. Returns the legend's handle."""
    limit, whole = machine_speedup(sweep, sweep.scaled())
    if not limit:
        return []
    before = {problem.text: problem for problem in sweep.base.problems}
    for x, problem in zip(groups, sweep.problems, strict=False):
        if problem.text in before:
            _, quotient = machine_speedup(sweep, [(before[problem.text], problem)])
            style.draw_limit(axes, limit, x, quotient)
            values.append(Estimate(quotient, np.nan, np.nan))
    style.draw_limit(axes, limit, groups[-1], whole)
    return [Line2D([], [], **style.LIMITS[limit].line, label=f"the machine's own {LIMIT_WORDS[limit]}: {whole:.3f}")]


# --- the curve -------------------------------------------------------------------------------------------------------


def draw_scaling_curve(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    """The whole network's speed-up and efficiency from the fewest threads to the most."""
    if not sweep.base:
        return None
    steps = [sweep.base, *sweep.between, sweep]
    threads = [int(of.attributes["threads"]) for of in steps]
    figure, (faster, efficiency) = plt.subplots(1, 2, figsize=(style.WIDE, 3.9))
    handles = []
    for name, look in _scaled_looks(sweep).items():
        pairs = _pairs(steps, name)
        if pairs[0]:
            values = [weighted_speedup(of_step, name) for of_step in pairs]
            _draw_curve(faster, efficiency, threads, [value.value for value in values], look.line)
            for x, value in zip(threads, values, strict=True):
                faster.plot([x, x], [value.low, value.high], color=look.colour, linewidth=0.9, zorder=2)
            part = "" if len(pairs[0]) == len(sweep.problems) else f" on {len(pairs[0])} of {len(sweep.problems)} problems"
            handles += style.line_legend([replace(look, label=f"{look.label}: {values[-1].value:.2f}{part}")])
    if not handles:
        return None
    machine = [machine_speedup(of, of_step) for of, of_step in zip(steps, _pairs(steps), strict=True)]
    if all(value for _, value in machine):
        limit, line = machine[-1][0], style.LIMITS[machine[-1][0]].line
        _draw_curve(faster, efficiency, threads, [value for _, value in machine], line)
        handles.append(Line2D([], [], **line, label=f"the machine's own {LIMIT_WORDS[limit]}: {machine[-1][1]:.2f}"))
    _draw_curve(faster, efficiency, threads, [count / threads[0] for count in threads], IDEAL)
    handles.append(Line2D([], [], **IDEAL, label=f"ideal: {threads[-1] / threads[0]:g}"))
    faster.set_ylabel(f"times as fast as on {_in_words(threads[0])}")
    efficiency.set_ylabel("% of the ideal")
    for axes in (faster, efficiency):
        scales.scale_axis(axes, threads)
        axes.set_xlabel("threads")
    caption = (
        "The whole network, each problem weighted by how often the network uses it. Left: median time on the fewest threads over median "
        "time on more, with the 95 % interval. Right: the same divided by the ideal, at which twice "
        f"the threads take half the time. {_about_runs(sweep)} The black line is the same quotient of the machine's own limit."
    )
    title = f"Speed over threads: {sweep.operation}, {sweep.full_setting}"
    return style.finish(figure, folder, f"{stem}-threads", title, handles, caption)


def _pairs(steps: list[Sweep], *contenders: str) -> list[list[tuple[Problem, Problem]]]:
    """For each step the pairs with the first step, of the problems that have a number on all steps."""
    by_text = [{problem.text: problem for problem in of.common(*contenders)} for of in steps]
    everywhere = [text for text in by_text[0] if all(text in problems for problems in by_text)]
    return [[(by_text[0][text], problems[text]) for text in everywhere] for problems in by_text]


def _draw_curve(faster, efficiency, threads: list[int], values: list[float], line: dict) -> None:
    faster.plot(threads, values, **line)
    efficiency.plot(threads, [100 * value * threads[0] / count for value, count in zip(values, threads, strict=True)], **line)


def _in_words(threads: int) -> str:
    return f"{threads} thread{'s' * (threads != 1)}"

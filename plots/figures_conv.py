"""Convolution, layer by layer: speed, share of the measured peak, and ratio to the best peer."""

import re
from pathlib import Path

import numpy as np
from matplotlib.lines import Line2D

import style
from derive import (
    Estimate,
    Problem,
    Sweep,
    fastest,
    ratio,
    weighted_fraction_of_peak,
    weighted_gflops,
    weighted_peak_gflops,
    weighted_ratio,
)
from style import Drawn, plt

GAP = 0.9  # between the layers and the whole network


def layer_label(problem: Problem) -> str:
    """ "7  1×1 /2  256→128  56²": which layer, its kernel and stride, its features, its input. """
    size = problem.sizes
    number = re.fullmatch(r"layer0*(\d+)", problem.label)
    kernel = f"{size['R']}×{size['S']}"
    stride = f" /{size['stride_h']}" if size["stride_h"] > 1 or size["stride_w"] > 1 else ""
    image = f"{size['H']}²" if size["H"] == size["W"] else f"{size['H']}×{size['W']}"
    name = number[1] if number else problem.name
    return f"{kernel}{stride}  {size['C']}→{size['K']}  {image}   {name}".rstrip()


def draw_layers(sweep: Sweep, folder: Path, stem: str) -> Drawn:
    contenders = style.in_order(sweep.contenders)
    whole = _whole_network(sweep, contenders)
    figure, (speed, share) = plt.subplots(2, 1, figsize=(style.WIDE, 7.0), sharex=True, height_ratios=[1.15, 1])
    groups = _places(sweep)
    width = 0.86 / len(contenders)
    seen = set()

    for index, name in enumerate(contenders):
        offset = (index - (len(contenders) - 1) / 2) * width
        for x, problem in zip(groups, sweep.problems):
            status = problem.status(name)
            if status != "ok":
                seen.add(status)
                style.mark_status(speed, x + offset, status)
                style.mark_status(share, x + offset, status)
                continue
            cell = problem.cells[name]
            style.draw_bar(speed, x + offset, width, name, cell.gflops, cell.gflops_quartiles)
            if problem.peak:
                scale = 100 / problem.peak.gflops
                _point(share, x + offset, cell.gflops * scale, name, [scale * quartile for quartile in cell.gflops_quartiles])
                style.mark_beyond(share, x + offset, cell.gflops * scale)
        if name in whole:
            style.draw_bar(speed, groups[-1] + offset, width, name, whole[name])
            if all(problem.peak for problem in sweep.problems):
                percent = 100 * weighted_fraction_of_peak(sweep.problems, name).value
                _point(share, groups[-1] + offset, percent, name)
                if name == style.HEADLINE:
                    _name_value(share, groups[-1] + offset, percent, f"{percent:.1f}", name, "left")
        else:
            seen.add("incomplete")
            style.mark_status(speed, groups[-1] + offset, "incomplete")
            style.mark_status(share, groups[-1] + offset, "incomplete")
    _draw_peak(speed, sweep, groups)

    speed.set_ylabel("GFLOP/s")
    speed.set_ylim(bottom=0)
    share.set_ylabel("% of measured FMA peak")
    style.limit_share(share)
    for axes in (speed, share):
        for x in groups[:-1:2]:
            axes.axvspan(x - 0.5, x + 0.5, color="#F5F5F5", zorder=0, linewidth=0)
        axes.axvline(groups[-1] - 0.5 - GAP / 2 - 0.15, color="#888888", linewidth=0.8, linestyle=":")
    share.set_xlim(groups[0] - 0.55, groups[-1] + 0.55)
    share.set_xticks(groups, [layer_label(problem) for problem in sweep.problems] + ["all (weighted)"], rotation=90)
    share.get_xticklabels()[-1].set_fontweight("bold")
    share.tick_params(axis="x", length=0)
    speed.tick_params(axis="x", length=0)
    speed.set_title(f"Convolution forward, {sweep.setting}", loc="left")

    handles = [*style.bar_legend(contenders, sweep.version), style.limit_legend(), *style.status_legend(seen)]
    figure.legend(handles=handles, loc="outside upper left", ncols=4)

    stem = f"{stem}-layers"
    style.save(figure, folder, stem)
    caption = (
        "Median speed of each contender on each layer, whiskers from the lower to the upper quartile of the samples; below, the same "
        "as a share of the FMA peak measured among the samples of that very layer (a red triangle: above the axis). The last group is "
        "the whole network, each layer weighted by how often the network uses it. A letter stands where a contender has no number. "
        "Under each group, from the axis down: layer, input height and width, features in → out, kernel / stride."
    )
    return Drawn(stem, f"Speed and share of peak, {sweep.setting}", caption)


def draw_ratio(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    """How many times faster ours is than the fastest peer of each layer."""
    peers = style.peers(sweep.contenders)
    ours = [name for name in ("simd", "libxsmm") if any(fastest(p, peers) and p.ok(name) for p in sweep.problems)]
    if not ours:
        return None
    figure, axes = plt.subplots(figsize=(style.WIDE, 4.2))
    groups = _places(sweep)
    bests = [fastest(problem, peers) for problem in sweep.problems]
    rivals = [name for name in peers if len(sweep.common(name)) == len(sweep.problems)]
    best_overall = max(rivals, key=lambda name: weighted_gflops(sweep.problems, name), default=None)

    values: list[float] = []
    for index, name in enumerate(ours):
        shift = (index - (len(ours) - 1) / 2) * 0.26
        for x, problem, best in zip(groups, sweep.problems, bests):
            if best and problem.ok(name):
                values.extend(_interval(axes, x + shift, ratio(problem, name, best), name))
            elif not problem.ok(name):
                style.mark_status(axes, x + shift, problem.status(name))
        if best_overall and len(sweep.common(name)) == len(sweep.problems):
            whole = weighted_ratio(sweep.problems, name, best_overall)
            values.extend(_interval(axes, groups[-1] + shift, whole, name))
            _name_value(axes, groups[-1] + shift, whole.value, f"{whole.value:.3f}", name, "right" if index else "left")

    axes.axhline(1, color="black", linewidth=1.2)
    lowest, highest = min(values + [0.95]), max(values + [1.05])
    room = 0.06 * (highest - lowest)
    axes.set_ylim(lowest - room, highest + room)
    axes.set_xlim(groups[0] - 0.6, groups[-1] + 1.1)
    axes.axvline(groups[-1] - 0.5 - GAP / 2 - 0.15, color="#888888", linewidth=0.8, linestyle=":")
    for text, y, va in (("ours\nfaster", 4, "bottom"), ("ours\nslower", -4, "top")):
        axes.annotate(
            text, (1, 1), xycoords=("axes fraction", "data"), xytext=(4, y), textcoords="offset points", va=va, annotation_clip=False
        )
    # The mark above each group is that of the peer that was the fastest there.
    for x, best in zip(groups, bests + [best_overall]):
        if best:
            axes.plot(x, 1.04, transform=axes.get_xaxis_transform(), clip_on=False, **style.marker_style(best))
    axes.set_ylabel("speed, ours / best peer")
    axes.set_xticks(groups, [layer_label(problem) for problem in sweep.problems] + ["all (weighted)"], rotation=90)
    axes.get_xticklabels()[-1].set_fontweight("bold")
    axes.tick_params(axis="x", length=0)
    axes.set_title(f"Ours against the best peer of each layer, {sweep.setting}", loc="left", pad=20)
    handles = [Line2D([], [], **style.marker_style(name), label=style.label(name)) for name in ours]
    handles += [
        Line2D([], [], **style.marker_style(name), label=f"best peer: {style.label(name, sweep.version(name))}")
        for name in peers if name in bests + [best_overall]
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=3)

    stem = f"{stem}-ratio"
    style.save(figure, folder, stem)
    caption = (
        "Quotient of the median speeds within this run, ours over the fastest peer of the layer, with its bootstrap 95 % interval: "
        "above the line at 1 ours is faster. The top row shows which peer was the fastest. In the last group the peer is the one "
        "with the best weighted whole-network speed."
    )
    return Drawn(stem, f"Ratio to the best peer, {sweep.setting}", caption)


def _whole_network(sweep: Sweep, contenders: list[str]) -> dict[str, float]:
    complete = [name for name in contenders if len(sweep.common(name)) == len(sweep.problems)]
    return {name: weighted_gflops(sweep.problems, name) for name in complete}


def _places(sweep: Sweep) -> np.ndarray:
    return np.append(np.arange(len(sweep.problems)), len(sweep.problems) + GAP)


def _name_value(axes, x: float, y: float, text: str, contender: str, side: str) -> None:
    shift, align = (-5, "right") if side == "left" else (5, "left")
    axes.annotate(
        text, (x, y), xytext=(shift, 0), textcoords="offset points", ha=align, va="center", fontsize=8, fontweight="bold",
        color=style.look(style.HEADLINE).colour if contender in style.OURS else "black", annotation_clip=False,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},  # or the line at 100 % strikes it through
    )


def _point(axes, x: float, y: float, contender: str, quartiles=None) -> None:
    if quartiles:
        axes.plot([x, x], quartiles, color="black", linewidth=0.9, solid_capstyle="butt", zorder=2)
    axes.plot(x, y, **style.marker_style(contender))


def _interval(axes, x: float, value: Estimate, contender: str) -> list[float]:
    """Draws the estimate and returns what of it must stay inside the axes."""
    if np.isfinite(value.low):
        axes.plot([x, x], [value.low, value.high], color=style.look(contender).colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
    axes.plot(x, value.value, **style.marker_style(contender))
    return [number for number in (value.value, value.low, value.high) if np.isfinite(number)]


def _draw_peak(axes, sweep: Sweep, groups: np.ndarray) -> None:
    for x, problem in zip(groups, sweep.problems):
        if problem.peak:
            style.draw_limit(axes, x, problem.peak.gflops)
    if all(problem.peak for problem in sweep.problems):
        style.draw_limit(axes, groups[-1], weighted_peak_gflops(sweep.problems))

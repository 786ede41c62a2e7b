"""How everything looks: one colour, hatch and marker a contender, and files that repeat byte for byte.

Colours are Okabe and Ito's, which the colour-blind tell apart. Ours are solid blues; the others are hatched, so the
two camps stay apart in grey print too.
"""

import textwrap
from dataclasses import dataclass
from io import BytesIO
from itertools import cycle, pairwise
from pathlib import Path

import matplotlib
import numpy as np

from derive import LIMIT_WORDS, doing_less, roof_of_peak
from sizes import grows_by_factors, thinned

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from sweeps import Problem, Sweep

SHARE_LIMIT = 130  # % of what must be done; above it a triangle and the report's list of errors stand for the point
MOST_TICKS = 12
EMPHASIS = "#0072B2"
TITLE_WIDTH = 130  # characters
WIDE = 10.6  # inches: the text width of a landscape page, at which the fonts below are true size


@dataclass(frozen=True)
class Look:
    label: str
    colour: str
    hatch: str
    marker: str
    ours: bool

    @property
    def bar(self) -> dict:
        return {"facecolor": self.colour, "hatch": self.hatch, "edgecolor": "white" if self.hatch else self.colour, "linewidth": 0}

    @property
    def point(self) -> dict:
        return {
            "marker": self.marker, "color": self.colour, "markersize": 5.2 if self.ours else 4.6, "linestyle": "none",
            "markerfacecolor": self.colour if self.ours else "white", "markeredgecolor": "black" if self.ours else self.colour,
            "markeredgewidth": 0.5 if self.ours else 1.2, "zorder": 4 if self.ours else 3,
        }

    @property
    def line(self) -> dict:
        return self.point | {"linestyle": "-", "linewidth": 1.7 if self.ours else 1.1}


# Label, colour, hatch, marker. Whose a contender is, the run says.
LISTED = {
    "brickwork": ("Brickwork", "#0072B2", "", "o"),
    "brickwork-simd": ("Brickwork, simd brick", "#0072B2", "", "o"),
    "brickwork-libxsmm": ("Brickwork, LIBXSMM brick", "#56B4E9", "", "s"),
    "brickwork-winograd": ("Brickwork, Winograd", "#004D80", "", "*"),
    "brickwork-fma": ("Brickwork, multiply-adds", "#3F8FC4", "", "p"),
    "brickwork-mma": ("Brickwork, tensor cores", "#1F4E79", "", "h"),
    "brickwork-wgmma": ("Brickwork, tensor cores by wgmma", "#0B2239", "", "X"),
    "brickwork-portable": ("Brickwork, portable brick", "#B9DDF1", "", "^"),
    "brickwork-portable-kokkos": ("Brickwork, portable brick by Kokkos' teams", "#7BAFD4", "", "v"),
    "onednn": ("oneDNN", "#D55E00", "//////", "D"),
    "onednn-latest": ("newest oneDNN", "#8C3A00", "........", "d"),
    "pytorch": ("PyTorch", "#009E73", "++++++", "<"),
    "libxsmm-dnn": ("LIBXSMM primitives", "#E69F00", "\\\\\\\\\\\\", "v"),
    "im2col": ("im2col + SGEMM", "#8C8C8C", "------", "P"),
    "col2im": ("SGEMM + col2im", "#8C8C8C", "------", "P"),
    "openblas": ("OpenBLAS SGEMM", "#8C8C8C", "------", "P"),
    "small-gemm": ("loops of small GEMMs", "#CC79A7", "xxxxxx", "X"),
    "libxsmm-gemm": ("LIBXSMM GEMM loop", "#E69F00", "\\\\\\\\\\\\", "v"),
    "openblas-gemm": ("OpenBLAS GEMM loop", "#8C8C8C", "------", "P"),
    "onednn-matmul": ("oneDNN batched matmul", "#D55E00", "//////", "D"),
    "onednn-matmul-latest": ("newest oneDNN, batched matmul", "#8C3A00", "........", "d"),
    "cudnn": ("cuDNN", "#5A8F00", "//////", "D"),
    "cudnn-transforms": ("cuDNN, Winograd and Fourier", "#A3C957", "........", "d"),
    "cublaslt": ("cuBLASLt", "#5A8F00", "//////", "D"),
}
# For contenders that were added without a look of their own.
SPARE_OURS = [("#004C77", "", "h"), ("#3A6EA5", "", "d"), ("#8FA8D0", "", "8")]
SPARE = [("#F0E442", "||||||", ">"), ("#555555", "//////", "p"), ("#7F3C8D", "++++++", "8")]


@dataclass(frozen=True)
class LimitLook:
    label: str
    line: dict


LIMITS = {
    "peak": LimitLook("measured FMA peak", {"color": "black", "linewidth": 1.4}),
    "roof": LimitLook("loaded roof: with a tile's loads from L1", {"color": "black", "linewidth": 1.1, "linestyle": "--"}),
    "stream": LimitLook("measured stream bandwidth", {"color": "black", "linewidth": 1.4}),
}

STATUSES = {  # a letter and what it stands for
    "failed": ("F", "failed: wrong result or refused"),
    "unsupported": ("u", "unsupported here"),
    "absent": ("a", "absent from this build"),
    "misfit": ("m", "the given plan does not fit"),
    "missing": ("?", "no row in this run"),
    "unpaired": ("o", "not timed on fewer threads"),
    "incomplete": ("i", "lacks problems, not comparable"),
}

plt.rcParams.update({
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica", "sans-serif"],
    "font.size": 8.5,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid.axis": "y",
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.5,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "brickwork",
    "pdf.fonttype": 42,
})


@dataclass(frozen=True)
class Drawn:
    """A figure on disk: figures/<stem>.svg, .png and .pdf."""

    stem: str
    title: str
    caption: str


def looks_of(sweep: Sweep) -> dict[str, Look]:
    """Each contender's look, in the order of all figures: ours first, each camp in the order of the table above."""
    listed = list(LISTED)

    def rank(name: str) -> tuple:
        return name not in sweep.ours, listed.index(name) if name in LISTED else len(listed), name

    spare = {True: cycle(SPARE_OURS), False: cycle(SPARE)}
    looks = {}
    for name in sorted(sweep.contenders, key=rank):
        ours = name in sweep.ours
        label, colour, hatch, marker = LISTED.get(name) or (name, *next(spare[ours]))
        if not ours:
            label = f"{label} {sweep.version(name)}".strip()  # that of ours is the run's
        looks[name] = Look(label, colour, "" if ours else hatch or "//////", marker, ours)
    return looks


def label_of(sweep: Sweep, contender: str) -> str:
    """That of its look; of who searched better plans, that of whom it did it for."""
    looks = looks_of(sweep)
    rule = next((name for name, searched in sweep.searched.items() if searched == contender), None)
    return f"{looks[rule].label}, searched plan" if rule else looks[contender].label


def bar_legend(looks) -> list:
    return [Patch(**look.bar, label=look.label) for look in looks]


def point_legend(looks) -> list:
    return [Line2D([], [], **look.point, label=look.label) for look in looks]


def line_legend(looks) -> list:
    return [Line2D([], [], **look.line, label=look.label) for look in looks]


def draw_bar(axes, x: float, width: float, look: Look, height: float, quartiles=None) -> None:
    axes.bar(x, height, width * 0.94, **look.bar)
    if quartiles:
        axes.plot([x, x], quartiles, color="black", linewidth=0.9, solid_capstyle="butt", zorder=3)


def draw_limit(axes, limit: str, x: float, height: float) -> None:
    axes.plot([x - 0.5, x + 0.5], [height, height], **LIMITS[limit].line, solid_capstyle="butt", zorder=4)


def draw_roof_of_peak(axes, x: str, problems: list[Problem]) -> None:
    """In a figure of shares of the peak, over the size x; nan breaks the line where it is not known."""
    percents = [100 * roof_of_peak(problem) for problem in problems]
    if np.isfinite(percents).any():
        axes.plot([problem.sizes[x] for problem in problems], percents, **LIMITS["roof"].line)


def limit_legend(problems: list[Problem]) -> list:
    """Of those limits that were measured beside any of the problems."""
    shown = [look for limit, look in LIMITS.items() if any(getattr(problem, limit) for problem in problems)]
    return [Line2D([], [], **look.line, label=look.label) for look in shown]


def speed_axis(axes, sweep: Sweep) -> None:
    axes.set_ylabel(sweep.unit)
    axes.set_ylim(bottom=0)


def share_axis(axes, sweep: Sweep) -> None:
    """A limit that other load disturbed must not squeeze everything else to the floor; who does less than is counted has room."""
    limit = sweep.limits[0]
    axes.set_ylabel("% of the fastest library" if sweep.on_device else f"% of measured {LIMIT_WORDS[limit]}")
    axes.axhline(100, **LIMITS[limit].line)
    axes.set_ylim(0, min(max(106, axes.get_ylim()[1]), share_limit(sweep)))


def share_limit(sweep: Sweep) -> float:
    """How far the axis of shares may reach, in percent."""
    return SHARE_LIMIT * max(doing_less(sweep).values(), default=1)


def mark_beyond(axes, x: float, percent: float, limit: float) -> None:
    """A red triangle on the upper edge for a share that the axis does not reach, as it is beyond share_limit()."""
    if percent > limit:
        axes.plot(x, 0.985, transform=axes.get_xaxis_transform(), marker="^", color="red", markersize=6, clip_on=False, zorder=5)


def logarithmic(axes, *directions: str) -> None:
    """Doublings at equal distance along "x", "y" or both, with plain numbers."""
    for direction in directions:
        getattr(axes, f"set_{direction}scale")("log", base=2)
        getattr(axes, f"{direction}axis").set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()


def scale_axis(axes, values: list) -> None:
    """Ticks at the measured values where there is room for all, and a logarithm where they grow by factors."""
    if grows_by_factors(values):
        logarithmic(axes, "x")
        axes.set_xlim(values[0] / 2**0.25, values[-1] * 2**0.25)
        axes.set_xticks(thinned(values, MOST_TICKS))
        return
    length = values[-1] - values[0]
    room = 0.02 * length + 0.5
    axes.set_xlim(values[0] - room, values[-1] + room)
    if all(b - a >= length / MOST_TICKS / 2 for a, b in pairwise(values)):
        axes.set_xticks(values)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 4, 8, 10], integer=True))


def status_legend(statuses) -> list:
    plain = {"linestyle": "none", "color": "black", "markersize": 6, "markeredgewidth": 0}
    return [
        Line2D([], [], marker=f"$\\mathrm{{{letter}}}$", label=words, **plain)
        for status, (letter, words) in STATUSES.items() if status in statuses
    ]


def mark_status(axes, x: float, status: str, colour: str = "black", above: int = 0) -> None:
    """A letter where a bar or point would stand, so that a contender without a number is seen to be without one. Where all
    contenders share a place, the letter has its contender's colour and stands above so many others."""
    axes.annotate(
        STATUSES[status][0], (x, 0), xycoords=axes.get_xaxis_transform(), xytext=(0, 2 + 10 * above), textcoords="offset points",
        ha="center", va="bottom", fontsize=8, fontweight="bold", zorder=5, color=colour,
    )


def bar_panels(names: list[list[str]], titles: list[str], looks: dict[str, Look], high: float, longest: float):
    """A figure and its panels below each other, in each a horizontal bar for each of its contenders, ours first; a bar is so high,
    in inches. The axis has room for words behind the longest bar."""
    counts = [len(panel) for panel in names]
    figure, grid = plt.subplots(
        len(names), 1, figsize=(WIDE, 1.3 + sum(high * count + 0.5 for count in counts)), sharex=True, squeeze=False,
        height_ratios=[count + 0.6 for count in counts],
    )
    for axes, panel, title in zip(grid.flat, names, titles, strict=True):
        axes.set_yticks(range(len(panel)), [looks[name].label for name in panel])
        axes.set_ylim(len(panel) - 0.45, -0.55)
        axes.set_title(title, loc="left")
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        axes.tick_params(axis="y", length=0)
    grid[-1, 0].set_xlim(0, longest)
    return figure, list(grid.flat)


def say_beside(axes, x: float, y: float, words: str) -> None:
    """Behind the end of a bar."""
    axes.annotate(words, (x, y), xytext=(6, 0), textcoords="offset points", va="center", annotation_clip=False)


def finish(figure, folder: Path, stem: str, title: str, handles: list, caption: str) -> Drawn:
    """Title above, legend below, and the files. Handles that share a line of the legend come as a tuple."""
    figure.suptitle(textwrap.fill(title, TITLE_WIDTH), x=0.01, ha="left", fontsize=10)
    labels = [(handle[0] if isinstance(handle, tuple) else handle).get_label() for handle in handles]
    beside = {tuple: HandlerTuple(ndivide=None)}
    figure.legend(handles, labels, handler_map=beside, loc="outside lower left", ncols=4)
    save(figure, folder, stem)
    return Drawn(stem, title, caption)


# No dates and no program versions: the same CSV gives the same bytes.
FORMATS = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def save(figure, folder: Path, stem: str) -> None:
    for kind, metadata in FORMATS.items():
        buffer = BytesIO()  # where a disk is full matplotlib stumbles over files that it could not close
        figure.savefig(buffer, format=kind, metadata=metadata)
        (folder / f"{stem}.{kind}").write_bytes(buffer.getvalue())
    plt.close(figure)

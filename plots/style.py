"""How the figures look: a colour, a hatch and a marker for each contender. The same CSV gives the same bytes.

The colours are those of Okabe and Ito, which colour-blind readers can tell apart. Ours are solid blues and the others are
hatched, so the two groups differ in grey print, too.
"""

import textwrap
from dataclasses import dataclass
from io import BytesIO
from itertools import cycle
from pathlib import Path

import matplotlib

from compact import compact_svg

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from plan_names import ENDINGS
from sweeps import Problem, Sweep

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


# Label, colour, hatch, marker. The run says which contenders are ours. Hatches are of lines alone: one of dots is a megabyte of SVG.
LISTED = {
    "brickwork": ("Brickwork", "#0072B2", "", "o"),
    "brickwork-simd": ("Brickwork, simd brick", "#0072B2", "", "o"),
    "brickwork-libxsmm": ("Brickwork, LIBXSMM brick", "#56B4E9", "", "s"),
    "brickwork-winograd": ("Brickwork, Winograd", "#004D80", "", "*"),
    "brickwork-rnn": ("Brickwork, recurrent layers", "#004D80", "", "*"),
    "brickwork-fma": ("Brickwork, multiply-adds", "#3F8FC4", "", "p"),
    "brickwork-mma": ("Brickwork, tensor cores", "#1F4E79", "", "h"),
    "brickwork-wgmma": ("Brickwork, tensor cores by wgmma", "#0B2239", "", "X"),
    "brickwork-portable": ("Brickwork, portable brick", "#B9DDF1", "", "^"),
    "brickwork-portable-kokkos": ("Brickwork, portable brick by Kokkos' teams", "#7BAFD4", "", "v"),
    "onednn": ("oneDNN", "#D55E00", "//////", "D"),
    "onednn-latest": ("newest oneDNN", "#8C3A00", "|||", "d"),
    "pytorch": ("PyTorch", "#009E73", "++++", "<"),
    "pytorch-levels": ("PyTorch, level by level", "#66C2A5", "xxxx", ">"),
    "dynet": ("DyNet, autobatching", "#CC79A7", "\\\\\\\\", "X"),
    "tvm-metaschedule": ("TVM MetaSchedule", "#A6761D", "++++++", "h"),
    "libxsmm-dnn": ("LIBXSMM primitives", "#E69F00", "\\\\\\\\\\\\", "v"),
    "im2col": ("im2col + SGEMM", "#8C8C8C", "------", "P"),
    "col2im": ("SGEMM + col2im", "#8C8C8C", "------", "P"),
    "openblas": ("OpenBLAS SGEMM", "#8C8C8C", "------", "P"),
    "small-gemm": ("loops of small GEMMs", "#CC79A7", "xxxxxx", "X"),
    "libxsmm-gemm": ("LIBXSMM GEMM loop", "#E69F00", "\\\\\\\\\\\\", "v"),
    "openblas-gemm": ("OpenBLAS GEMM loop", "#8C8C8C", "------", "P"),
    "onednn-matmul": ("oneDNN batched matmul", "#D55E00", "//////", "D"),
    "onednn-matmul-latest": ("newest oneDNN, batched matmul", "#8C3A00", "|||", "d"),
    "cudnn": ("cuDNN", "#5A8F00", "//////", "D"),
    "cudnn-transforms": ("cuDNN, Winograd and Fourier", "#A3C957", "|||", "d"),
    "cublaslt": ("cuBLASLt", "#5A8F00", "//////", "D"),
}
# For contenders without an entry above.
SPARE_OURS = [("#004C77", "", "h"), ("#3A6EA5", "", "d"), ("#8FA8D0", "", "8")]
SPARE = [("#F0E442", "||||||", ">"), ("#555555", "//////", "p"), ("#7F3C8D", "++++++", "8")]


@dataclass(frozen=True)
class LimitLook:
    label: str
    line: dict


LIMITS = {
    "peak": LimitLook("measured FMA peak", {"color": "black", "linewidth": 1.4}),
    "roof": LimitLook("measured loaded roof", {"color": "black", "linewidth": 1.1, "linestyle": "--"}),
    "read": LimitLook("reading the tensors alone", {"color": "black", "linewidth": 1.2, "linestyle": ":"}),
    "stream": LimitLook("measured stream bandwidth", {"color": "black", "linewidth": 1.4}),
}

STATUSES = {  # a letter and its meaning
    "failed": ("F", "failed: wrong result or refused"),
    "unsupported": ("u", "unsupported here"),
    "absent": ("a", "absent from this build"),
    "misfit": ("m", "the given plan does not fit"),
    "missing": ("?", "no row in this run"),
    "unpaired": ("o", "not timed on fewer threads"),
    "incomplete": ("i", "has no number on some problems"),
}

HUNDRED = {"color": "black", "linewidth": 1.2}  # the line at 100 %

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
    "savefig.dpi": 160,
    "svg.fonttype": "none",
    "svg.hashsalt": "brickwork",
    "pdf.fonttype": 42,
})


@dataclass(frozen=True)
class Drawn:
    """A figure on disk: figures/<stem>.svg, and .pdf and .png where these are asked for."""

    stem: str
    title: str
    caption: str


def shown_looks(sweep: Sweep) -> dict[str, Look]:
    """The looks of the contenders that figures show."""
    return {name: look for name, look in looks_of(sweep).items() if sweep.shown(name)}


def looks_of(sweep: Sweep) -> dict[str, Look]:
    """The look of each contender in the order of all figures: ours first, both groups in the order of the table above."""
    listed = list(LISTED)

    def rank(name: str) -> tuple:
        return name not in sweep.ours, listed.index(name) if name in LISTED else len(listed), name

    spare = {True: cycle(SPARE_OURS), False: cycle(SPARE)}
    looks = {}
    for name in sorted(sweep.contenders, key=rank):
        ours = name in sweep.ours
        label, colour, hatch, marker = LISTED.get(name) or (name, *next(spare[ours]))
        if not ours:
            label = f"{label} {sweep.version(name)}".strip()  # our version is the run's commit
        looks[name] = Look(label, colour, "" if ours else hatch or "//////", marker, ours)
    return looks


def label_of(sweep: Sweep, contender: str) -> str:
    """The contender's name in figures and tables."""
    looks = looks_of(sweep)
    rule = next((name for name, others in sweep.other_plans.items() if contender in others), None)
    return f"{looks[rule].label}, plan by {ENDINGS[contender.removeprefix(rule)]}" if rule else looks[contender].label


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


def limits_beside(problem: Problem) -> dict[str, float]:
    """The speeds of the limits that a figure draws beside the problem. Reading alone is drawn where it is the lower limit."""
    cells = {limit: getattr(problem, limit) for limit in LIMITS if limit != "read" or problem.waits_for_memory}
    return {limit: cell.speed for limit, cell in cells.items() if cell}


def limit_legend(problems: list[Problem]) -> list:
    """A handle for each limit that is drawn beside any of the problems."""
    drawn = {limit for problem in problems for limit in limits_beside(problem)}
    return [Line2D([], [], **look.line, label=look.label) for limit, look in LIMITS.items() if limit in drawn]


def hundred_legend(words: str) -> Line2D:
    """The handle of the line at 100 % in a figure that has shares alone."""
    return Line2D([], [], **HUNDRED, label=f"{words} (100 %)")


def status_legend(statuses) -> list:
    plain = {"linestyle": "none", "color": "black", "markersize": 6, "markeredgewidth": 0}
    return [
        Line2D([], [], marker=f"$\\mathrm{{{letter}}}$", label=words, **plain)
        for status, (letter, words) in STATUSES.items() if status in statuses
    ]


def mark_status(axes, x: float, status: str, colour: str = "black", above: int = 0) -> None:
    """A letter in the place of a bar or point says why a contender has no number. Where all contenders share a place, the letter
    has its contender's colour and stands above the given count of others."""
    axes.annotate(
        STATUSES[status][0], (x, 0), xycoords=axes.get_xaxis_transform(), xytext=(0, 2 + 10 * above), textcoords="offset points",
        ha="center", va="bottom", fontsize=8, fontweight="bold", zorder=5, color=colour,
    )


def bar_panels(names: list[list[str]], titles: list[str], looks: dict[str, Look], high: float, longest: float):
    """A figure with panels below each other, each with a horizontal bar per contender, ours first. high: inches per bar. longest:
    the end of the axis, with room for words behind the longest bar."""
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
    """Words behind the end of a bar."""
    axes.annotate(
        words, (x, y), xytext=(6, 0), textcoords="offset points", va="center", annotation_clip=False,
        bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"},  # no line of the grid goes through it
    )


def finish(figure, folder: Path, stem: str, title: str, handles: list, caption: str) -> Drawn:
    """Adds the title above and the legend below, and writes the files. A tuple of handles is one entry of the legend."""
    figure.suptitle(textwrap.fill(title, TITLE_WIDTH), x=0.01, ha="left", fontsize=10)
    labels = [(handle[0] if isinstance(handle, tuple) else handle).get_label() for handle in handles]
    beside = {tuple: HandlerTuple(ndivide=None)}
    widest = max(map(len, labels), default=1) * 0.6 * plt.rcParams["legend.fontsize"] + 40  # points, with its marks
    columns = max(1, min(4, int(72 * figure.get_figwidth() / widest)))
    figure.legend(handles, labels, handler_map=beside, loc="outside lower left", ncols=columns)
    save(figure, folder, stem)
    return Drawn(stem, title, caption)


# No dates and no program versions: the same CSV gives the same bytes.
KNOWN_FORMATS = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
FORMATS = ["svg"]  # of the files that are written; the page needs the SVG


def save(figure, folder: Path, stem: str) -> None:
    for kind in FORMATS:
        buffer = BytesIO()  # matplotlib fails on a full disk in a way that hides the reason
        figure.savefig(buffer, format=kind, metadata=KNOWN_FORMATS[kind])
        content = buffer.getvalue()
        (folder / f"{stem}.{kind}").write_bytes(compact_svg(content) if kind == "svg" else content)
    plt.close(figure)

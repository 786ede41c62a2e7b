"""How everything looks: one colour, hatch and marker a contender, and files that repeat byte for byte.

Colours are Okabe and Ito's, which the colour-blind tell apart. Ours are solid blues; the others are hatched, so the
two camps stay apart in grey print too.
"""

from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

OURS = ("simd", "libxsmm", "portable")
HEADLINE = "simd"
SHARE_LIMIT = 130  # %; above it a triangle and the report's list of errors stand for the point
WIDE = 10.6  # inches: the text width of a landscape page, at which the fonts below are true size


@dataclass(frozen=True)
class Look:
    label: str
    colour: str
    hatch: str
    marker: str


LOOKS = {
    "simd": Look("Brickwork, simd brick", "#0072B2", "", "o"),
    "libxsmm": Look("Brickwork, LIBXSMM brick", "#56B4E9", "", "s"),
    "portable": Look("Brickwork, portable brick", "#B9DDF1", "", "^"),
    "onednn": Look("oneDNN", "#D55E00", "//////", "D"),
    "libxsmm-dnn": Look("LIBXSMM primitives", "#E69F00", "\\\\\\\\\\\\", "v"),
    "im2col": Look("im2col + SGEMM", "#8C8C8C", "------", "P"),
    "small-gemm": Look("loops of small GEMMs", "#CC79A7", "xxxxxx", "X"),
    "libxsmm-gemm": Look("LIBXSMM GEMM loop", "#E69F00", "\\\\\\\\\\\\", "v"),
    "openblas-gemm": Look("OpenBLAS GEMM loop", "#8C8C8C", "------", "P"),
    "onednn-matmul": Look("oneDNN batched matmul", "#D55E00", "//////", "D"),
}
# For a contender that was added without a look of its own.
SPARE = [("#009E73", "++++++", "<"), ("#F0E442", "||||||", ">"), ("#555555", "//////", "p")]

STATUS_LETTERS = {"failed": "F", "skipped": "s", "missing": "?", "incomplete": "i"}
STATUS_WORDS = {
    "failed": "failed: wrong result or refused",
    "skipped": "skipped: not supported",
    "missing": "no row in this run",
    "incomplete": "lacks layers, not comparable",
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


def look(contender: str) -> Look:
    if contender in LOOKS:
        return LOOKS[contender]
    return Look(contender, *SPARE[sum(map(ord, contender)) % len(SPARE)])


def label(contender: str, version: str = "") -> str:
    """Ours carry no version: it is the run's."""
    return look(contender).label if contender in OURS else f"{look(contender).label} {version}".strip()


def in_order(contenders) -> list[str]:
    """Ours first, then the others in the order of the table above; unknown ones last, by name."""
    known = list(LOOKS)
    return sorted(contenders, key=lambda name: (known.index(name) if name in LOOKS else len(known), name))


def peers(contenders) -> list[str]:
    return [name for name in in_order(contenders) if name not in OURS]


def bar_style(contender: str) -> dict:
    own = look(contender)
    return {"facecolor": own.colour, "hatch": own.hatch, "edgecolor": "white" if own.hatch else own.colour, "linewidth": 0}


def marker_style(contender: str) -> dict:
    own = look(contender)
    ours = contender in OURS
    return {
        "marker": own.marker, "color": own.colour, "markersize": 5.2 if ours else 4.6, "linestyle": "none",
        "markerfacecolor": own.colour if ours else "white", "markeredgecolor": "black" if ours else own.colour,
        "markeredgewidth": 0.5 if ours else 1.2, "zorder": 4 if ours else 3,
    }


def bar_legend(contenders, version=lambda name: "") -> list:
    return [Patch(**bar_style(name), label=label(name, version(name))) for name in contenders]


def draw_bar(axes, x: float, width: float, contender: str, height: float, quartiles=None) -> None:
    axes.bar(x, height, width * 0.94, **bar_style(contender))
    if quartiles:
        axes.plot([x, x], quartiles, color="black", linewidth=0.9, solid_capstyle="butt", zorder=3)


def draw_limit(axes, x: float, height: float) -> None:
    axes.plot([x - 0.5, x + 0.5], [height, height], color="black", linewidth=1.4, solid_capstyle="butt", zorder=4)


def limit_legend() -> Line2D:
    return Line2D([], [], color="black", linewidth=1.4, label="measured FMA peak")


def limit_share(axes) -> None:
    """An axis of % of peak: a peak that other load disturbed must not squeeze everything else to the floor."""
    axes.axhline(100, color="black", linewidth=1.4)
    axes.set_ylim(0, min(max(106, axes.get_ylim()[1]), SHARE_LIMIT))


def mark_beyond(axes, x: float, percent: float) -> None:
    """A red triangle on the upper edge for a share that the axis does not reach."""
    if percent > SHARE_LIMIT:
        axes.plot(x, 0.985, transform=axes.get_xaxis_transform(), marker="^", color="red", markersize=6, clip_on=False, zorder=5)


def status_legend(statuses) -> list:
    plain = {"linestyle": "none", "color": "black", "markersize": 6, "markeredgewidth": 0}
    return [
        Line2D([], [], marker=f"$\\mathrm{{{letter}}}$", label=STATUS_WORDS[status], **plain)
        for status, letter in STATUS_LETTERS.items() if status in statuses
    ]


def mark_status(axes, x: float, status: str) -> None:
    """A letter where a bar or point would stand, so that a contender without a number is seen to be without one."""
    axes.annotate(
        STATUS_LETTERS[status], (x, 0), xycoords=axes.get_xaxis_transform(), xytext=(0, 2), textcoords="offset points",
        ha="center", va="bottom", fontsize=8, fontweight="bold", zorder=5,
    )


def save(figure, folder: Path, stem: str) -> None:
    # No dates and no program versions: the same CSV gives the same bytes.
    nothing = {
        "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        "png": {"Software": None},
    }
    for kind, metadata in nothing.items():
        figure.savefig(folder / f"{stem}.{kind}", metadata=metadata)
    plt.close(figure)

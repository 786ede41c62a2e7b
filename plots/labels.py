"""What stands beside the figures: their titles, and what the problems are called, short enough for twenty under an axis."""

import re

from derive import LIMIT_WORDS, doing_less, elsewhere_over_here
from sizes import names_of, siblings, values_of
from sweeps import Problem, Sweep

SHORT = 8  # characters; longer names do not fit beside each other


def figure_title(sweep: Sweep, held: dict) -> str:
    """The operation, the sizes that do not vary in a figure, and the setting; what the setting says is not said twice."""
    said = ["none", *sweep.setting.split(", ")]
    fixed = {size: values[0] for size in names_of(sweep.problems) if len(values := values_of(sweep.problems, size)) == 1}
    new = {size: value for size, value in fixed.items() if f"{size}={value}" not in said and value not in said}
    return ", ".join(filter(None, [sweep.operation, *(f"{size} = {value}" for size, value in (held | new).items()), sweep.setting]))


def short_sizes(sizes: list[str]) -> dict[str, str]:
    """The shortest beginnings that tell the sizes apart."""
    short = {}
    for size in sizes:
        others = [other for other in sizes if other != size]
        lengths = (n for n in range(1, len(size)) if not any(other.startswith(size[:n]) for other in others))
        short[size] = size[: next(lengths, len(size))]
    return short


def problem_labels(sweep: Sweep) -> list[str]:
    """ "C256 K128 H56  layer07", to be read upwards: the name stands nearest to the axis."""
    sizes = short_sizes(list(siblings(sweep.problems)))

    def label(problem: Problem) -> str:
        parts = [_value(short, problem.sizes[size]) for size, short in sizes.items() if size in problem.sizes]
        return f"{' '.join(parts)}  {problem.name}".strip() or problem.text

    return [label(problem) for problem in sweep.problems]


def sizes_in_words(sweep: Sweep) -> str:
    """The sizes of the labels: "C, H (W is the same), t = tail"; empty where none differ."""
    found = siblings(sweep.problems)
    words = []
    for size, short in short_sizes(list(found)).items():
        word = size if size == short else f"{short} = {size}"
        others = found[size]
        words.append(word + (f" ({' and '.join(others)} {'is' if len(others) == 1 else 'are'} the same)" if others else ""))
    return ", ".join(words)


def short_limit(sweep: Sweep) -> str:
    """What shares are of, as a title says it."""
    if sweep.on_device:
        return "the fastest library"
    return "stream" if sweep.bound == "bytes" else "peak"


def in_full(sweep: Sweep) -> str:
    """The same with what it is, as a sentence says it."""
    return short_limit(sweep) if sweep.on_device else f"the {LIMIT_WORDS[sweep.limits[0]]}"


def about_limits(sweep: Sweep) -> str:
    """A sentence with the space behind it; empty where nothing has to be said."""
    if sweep.on_device:
        return ""
    if sweep.bound == "flops":
        return f"The loaded roof is the rate of the same operations with a register tile's loads from L1. {about_other_algorithms(sweep)}"
    cached = [problem.label for problem in sweep.problems if problem.bytes <= sweep.cache_bytes]
    return f"What fits in the caches may be faster than the memory: {', '.join(cached)}. " if cached else ""


def about_other_algorithms(sweep: Sweep) -> str:
    """Likewise, of those that need not do what the others cannot leave out."""
    less = sorted(doing_less(sweep))
    if not less:
        return ""
    return f"By its algorithm {' or '.join(less)} does fewer operations than are counted, and may rise above all limits. "


def footnote(sweep: Sweep) -> str:
    """What ratios to a contender of another process are not; empty where all contenders were measured in one."""
    sentences = []
    for name in sweep.contenders:
        if peaks := elsewhere_over_here(sweep, name):
            sentences.append(
                f" {name} was measured in a process of its own, after the others of each problem and not among their samples: ratios to "
                f"it are less certain than others. Its shares are of the limits measured there, where the "
                f"{LIMIT_WORDS[sweep.limits[0]]} was {peaks[0]:.2f} to {peaks[1]:.2f} of that of the others."
            )
    return "".join(sentences)


def complete_sets(sweep: Sweep) -> list[list[Problem]]:
    """The sets of problems on which some contender is complete, the largest first; it may be compared with others there."""
    sets = {tuple(p.text for p in sweep.common(name)): sweep.common(name) for name in sweep.contenders}
    return sorted(filter(None, sets.values()), key=len, reverse=True)


def name_set(sweep: Sweep, layers: list[Problem]) -> str:
    if len(layers) == len(sweep.problems):
        return f"all {len(layers)} problems"
    chosen = {p.text for p in layers}
    absent = [p.label for p in sweep.problems if p.text not in chosen]
    if len(absent) <= len(layers):
        return f"{len(layers)} problems: all but {', '.join(absent)}"
    return f"{len(layers)} problems: {', '.join(p.label for p in layers)}"


def tags(problems: list[Problem]) -> tuple[str, list[str]]:
    """What kind of thing the problems are, and a few characters for each: ("layer", ["1", "2"]); else their places."""
    names = [problem.name for problem in problems]
    numbered = [re.fullmatch(r"(\D+?)[-_ ]?0*(\d+)", name) for name in names]
    if all(numbered) and len({match[1] for match in numbered}) == 1:
        return numbered[0][1], [match[2] for match in numbered]
    if all(0 < len(name) <= SHORT for name in names) and len(set(names)) == len(names):
        return "", names
    return "problem", [str(place) for place in range(1, len(names) + 1)]


def _value(short: str, value) -> str:
    return value if isinstance(value, str) else f"{short}{value}"

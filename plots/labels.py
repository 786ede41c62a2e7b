"""The words of the figures: titles, captions, and names of problems that are short enough for twenty below an axis."""

import re

import style
from derive import LIMIT_WORDS, doing_less, elsewhere_over_here
from sizes import names_of, siblings, values_of
from sweeps import Problem, Sweep

SHORT = 8  # characters; longer names do not fit beside each other


def figure_title(sweep: Sweep, held: dict) -> str:
    """The operation, the sizes that do not vary in the figure, and the setting. Sizes that the setting names are not repeated."""
    said = ["none", *sweep.setting.split(", ")]
    fixed = {size: values[0] for size in names_of(sweep.problems) if len(values := values_of(sweep.problems, size)) == 1}
    new = {size: value for size, value in fixed.items() if f"{size}={value}" not in said and value not in said}
    return ", ".join(filter(None, [sweep.operation, *(f"{size} = {value}" for size, value in (held | new).items()), sweep.setting]))


def short_sizes(sizes: list[str]) -> dict[str, str]:
    """For each size its shortest beginning that no other size has."""
    short = {}
    for size in sizes:
        others = [other for other in sizes if other != size]
        lengths = (n for n in range(1, len(size)) if not any(other.startswith(size[:n]) for other in others))
        short[size] = size[: next(lengths, len(size))]
    return short


def problem_labels(sweep: Sweep) -> list[str]:
    """ "C256 K128 H56  layer07": the labels stand upright, with the name next to the axis."""
    sizes = short_sizes(list(siblings(sweep.problems)))

    def label(problem: Problem) -> str:
        parts = [_value(short, problem.sizes[size]) for size, short in sizes.items() if size in problem.sizes]
        return f"{' '.join(parts)}  {problem.name}".strip() or problem.text

    return [label(problem) for problem in sweep.problems]


def sizes_in_words(sweep: Sweep) -> str:
    """Explains the sizes in the labels: "C, H (W is the same), t = tail". Empty where no size differs."""
    found = siblings(sweep.problems)
    words = []
    for size, short in short_sizes(list(found)).items():
        word = size if size == short else f"{short} = {size}"
        others = found[size]
        words.append(word + (f" ({' and '.join(others)} {'is' if len(others) == 1 else 'are'} the same)" if others else ""))
    return ", ".join(words)


def short_limit(sweep: Sweep) -> str:
    """What is 100 % in the figures, in the words of a title."""
    if sweep.on_device:
        return "the fastest library"
    if sweep.bound == "bytes":
        return f"the {LIMIT_WORDS['stream']}"
    if any(problem.waits_for_memory for problem in sweep.problems):
        return "the machine's limit"
    return f"the {LIMIT_WORDS[compute_limit(sweep)]}"


def in_full(sweep: Sweep) -> str:
    """The same with its meaning, in the words of a sentence."""
    if sweep.on_device or not any(problem.waits_for_memory for problem in sweep.problems):
        return short_limit(sweep)
    return f"the machine's limit, which is the {LIMIT_WORDS[compute_limit(sweep)]} or, where that is lower, the {LIMIT_WORDS['read']}"


def compute_limit(sweep: Sweep) -> str:
    """The loaded roof; for runs that did not measure it the FMA peak."""
    return "roof" if any(problem.roof for problem in sweep.problems) else "peak"


def about_limits(sweep: Sweep) -> str:
    """A sentence with a space behind it, or nothing."""
    if sweep.on_device:
        return ""
    if sweep.bound == "bytes":
        cached = [problem.label for problem in sweep.problems if problem.bytes <= sweep.cache_bytes]
        return f"Problems that fit in the caches may be faster than the memory: {', '.join(cached)}. " if cached else ""
    said = ""
    if compute_limit(sweep) == "roof":
        said = "The loaded roof is the speed of multiply-adds that load their operands from L1 as a register tile does. "
    if reading := [problem.label for problem in sweep.problems if problem.waits_for_memory]:
        said += f"Reading the tensors alone takes longer than the multiply-adds on {', '.join(reading)}. "
    return said


def about_other_algorithms(sweep: Sweep, place: str = "") -> str:
    """Sentences with a space behind each on contenders that need fewer operations and on their place in the figure, or nothing."""
    less = [style.label_of(sweep, name) for name in sweep.contenders if name in doing_less(sweep)]
    if not less:
        return ""
    need = "needs" if len(less) == 1 else "need"
    return f"GFLOP/s count the operations of the direct algorithm. {' and '.join(less)} {need} fewer and may exceed every limit{place}. "


def about_absent(sweep: Sweep) -> str:
    """A sentence with a space before it on contenders that no figure shows, or nothing."""
    absent = [style.label_of(sweep, name) for name in sweep.contenders if not sweep.shown(name)]
    return f" Without any number here, and therefore not drawn: {', '.join(absent)}." if absent else ""


def footnote(sweep: Sweep) -> str:
    """Sentences with a space before each on contenders that another process measured, or nothing."""
    sentences = []
    for name in sweep.contenders:
        if peaks := elsewhere_over_here(sweep, name):
            sentences.append(
                f" {style.label_of(sweep, name)} was measured in its own process, after the others of each problem. Ratios to it are "
                f"therefore less certain. Its shares are of the limits measured in its process, where the {LIMIT_WORDS[sweep.limits[0]]} "
                f"was {peaks[0]:.2f} to {peaks[1]:.2f} times the one of the others."
            )
    return "".join(sentences)


def complete_sets(sweep: Sweep) -> list[list[Problem]]:
    """For each contender the set of problems on which it has a number, the largest set first, equal sets once."""
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
    """A common word for the problems and a few characters for each: ("layer", ["1", "2"]). Problems with long names are numbered."""
    names = [problem.name for problem in problems]
    numbered = [re.fullmatch(r"(\D+?)[-_ ]?0*(\d+)", name) for name in names]
    if all(numbered) and len({match[1] for match in numbered}) == 1:
        return numbered[0][1], [match[2] for match in numbered]
    if all(0 < len(name) <= SHORT for name in names) and len(set(names)) == len(names):
        return "", names
    return "problem", [str(place) for place in range(1, len(names) + 1)]


def _value(short: str, value) -> str:
    return value if isinstance(value, str) else f"{short}{value}"

"""The report's first table: for each primitive and pass our speed beside the best peer and beside the machine's limit."""

from dataclasses import dataclass

import style
from ablation import variants
from derive import Estimate, geometric_mean_ratio, known, weighted_fraction_of, weighted_ratio
from labels import short_limit
from sweeps import OWN, Problem, Sweep
from training import PASSES

TWICE = 2  # from this ratio on a factor is said instead of a percentage


@dataclass(frozen=True)
class Row:
    sweep: Sweep
    ours: str  # labels; empty where there is none
    peer: str
    ratio: Estimate | None
    share: float | None
    limit: str  # the limit that it is a share of
    sentence: str

    @property
    def primitive(self) -> str:
        return str(self.sweep.attributes.get("primitive") or self.sweep.experiment)

    @property
    def which(self) -> str:
        return str(self.sweep.attributes.get("pass", ""))


def overview(sweeps: list[Sweep]) -> list[Row]:
    return [_row(sweep) for sweep in sweeps]


def _row(sweep: Sweep) -> Row:
    looks = style.looks_of(sweep)
    apart = [variant.name for variant in variants(sweep)]
    ours = _best(sweep, [name for name in looks if name in sweep.ours and name not in apart], sweep.problems)
    if not ours:
        return Row(sweep, "", "", None, None, "", "nothing of ours was timed")
    done = sweep.common(ours)
    share = weighted_fraction_of(OWN, done, ours).value if known(OWN, done, ours) else None
    limit = short_limit(sweep).removeprefix("the ") if share else ""
    peer = _best(sweep, sweep.peers, done)
    compared = sweep.common(ours, peer) if peer else []
    ratio = summed(sweep)(compared, ours, peer) if peer else None
    label = looks[peer].label if peer else ""
    parts = [
        f"{in_words(ratio)} {label}" if ratio else "no peer to compare with",
        f", on {len(compared)} of {len(sweep.problems)} problems" if ratio and len(compared) < len(sweep.problems) else "",
        f"; {share:.2f} of the {limit}{_about_memory(sweep, done)}" if share else "",
        f"; {' + '.join(PASSES)} of {len(compared or done)} problems" if sweep.passes else "",
    ]
    return Row(sweep, looks[ours].label, label, ratio, share, limit, "".join(parts))


def in_words(ratio: Estimate) -> str:
    """Our speed beside another one, the name of which follows."""
    percent = round(100 * abs(ratio.value - 1))
    if ratio.low <= 1 <= ratio.high or percent == 0:
        return "as fast as"
    if not 1 / TWICE < ratio.value < TWICE:
        return f"{ratio.value:.1f} times as fast as"
    return f"{percent} % ahead of" if ratio.value > 1 else f"{percent} % behind"


def _about_memory(sweep: Sweep, problems: list[Problem]) -> str:
    if sweep.bound == "flops":
        reading = sum(problem.waits_for_memory for problem in problems)
        return f" ({reading} of {len(problems)} problems wait for their tensors to be read)" if reading else ""
    cached = sum(problem.bytes <= sweep.cache_bytes for problem in problems)
    return f" ({cached} of {len(problems)} problems fit in the caches)" if cached else ""


def summed(sweep: Sweep):
    """The ratio over many problems: weighted by how often a network uses each, or the geometric mean of a sweep."""
    return weighted_ratio if sweep.weighted else geometric_mean_ratio


def _best(sweep: Sweep, names: list[str], problems: list[Problem]) -> str | None:
    """The fastest of the contenders that have numbers on the most problems."""
    numbers = {name: sum(problem.ok(name) for problem in problems) for name in names}
    most = max(numbers.values(), default=0)
    if most == 0:
        return None
    tied = [name for name in names if numbers[name] == most]
    common = [problem for problem in problems if all(map(problem.ok, tied))]
    return max(tied, key=lambda name: summed(sweep)(common, name, tied[0]).value) if common else tied[0]

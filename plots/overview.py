"""The report's first table: of each primitive and pass how fast ours is, beside the best peer and beside what the machine can do."""

from dataclasses import dataclass

import style
from derive import LIMIT_WORDS, Estimate, geometric_mean_ratio, known, weighted_fraction_of, weighted_ratio
from sweeps import Problem, Sweep
from training import PASSES

TWICE = 2  # from here on a ratio is said as a factor instead of in percent


@dataclass(frozen=True)
class Row:
    sweep: Sweep
    ours: str  # labels; empty where there is none
    peer: str
    ratio: Estimate | None
    share: float | None
    limit: str  # of which it is the share
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
    ours = _best(sweep, [name for name in looks if name in sweep.ours], sweep.problems)
    if not ours:
        return Row(sweep, "", "", None, None, "", "nothing of ours was timed")
    done = sweep.common(ours)
    limit = next((limit for limit in reversed(sweep.limits) if known(limit, done, ours)), "")
    share = weighted_fraction_of(limit, done, ours).value if limit else None
    peer = _best(sweep, sweep.peers, done)
    compared = sweep.common(ours, peer) if peer else []
    ratio = summed(sweep)(compared, ours, peer) if peer else None
    label = looks[peer].label if peer else ""
    parts = [
        f"{in_words(ratio)} {label}" if ratio else "nobody to compare with",
        f", on {len(compared)} of {len(sweep.problems)} problems" if ratio and len(compared) < len(sweep.problems) else "",
        f"; {share:.2f} of {_limit_in_words(sweep, done)}" if share else "",
        f"; {' + '.join(PASSES)} of {len(compared or done)} problems" if sweep.passes else "",
    ]
    return Row(sweep, looks[ours].label, label, ratio, share, LIMIT_WORDS.get(limit, ""), "".join(parts))


def in_words(ratio: Estimate) -> str:
    """How fast ours is beside another, whose name follows."""
    percent = round(100 * abs(ratio.value - 1))
    if ratio.low <= 1 <= ratio.high or percent == 0:
        return "as fast as"
    if not 1 / TWICE < ratio.value < TWICE:
        return f"{ratio.value:.1f} times as fast as"
    return f"{percent} % ahead of" if ratio.value > 1 else f"{percent} % behind"


def _limit_in_words(sweep: Sweep, problems: list[Problem]) -> str:
    if sweep.bound == "flops":
        return "what the machine can do"
    cached = sum(problem.bytes <= sweep.cache_bytes for problem in problems)
    return "what the memory gives" + (f" ({cached} of {len(problems)} problems fit in the caches)" if cached else "")


def summed(sweep: Sweep):
    """A network's layers count as often as it uses them, shapes of a sweep all alike."""
    return weighted_ratio if sweep.weighted else geometric_mean_ratio


def _best(sweep: Sweep, names: list[str], problems: list[Problem]) -> str | None:
    """The fastest of those that have a number on the most of the problems."""
    numbers = {name: sum(problem.ok(name) for problem in problems) for name in names}
    most = max(numbers.values(), default=0)
    if most == 0:
        return None
    tied = [name for name in names if numbers[name] == most]
    common = [problem for problem in problems if all(map(problem.ok, tied))]
    return max(tied, key=lambda name: summed(sweep)(common, name, tied[0]).value) if common else tied[0]

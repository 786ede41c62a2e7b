"""Strong scaling: compares two runs of one experiment on the same problems, one on fewer threads and one on more."""

from dataclasses import dataclass, replace

import style
from derive import ABOVE_LIMIT_TOLERANCE, LIMIT_WORDS, Estimate, known, weighted_limit_speed, weighted_speedup
from sweeps import BASE_THREADS, Problem, Sweep


def with_bases(sweeps: list[Sweep]) -> list[Sweep]:
    """Each sweep with the same problems on the fewest threads as its base. A run on fewer threads that lacks some of the contenders
    was measured for the scaling alone, and is not shown by itself."""
    fewer = [_on_fewer(sweep, sweeps) for sweep in sweeps]
    for_scaling = {id(other) for sweep, found in zip(sweeps, fewer, strict=True) for other in found
                   if set(other.contenders) < set(sweep.contenders)}
    return [_compared(sweep, found) for sweep, found in zip(sweeps, fewer, strict=True) if id(sweep) not in for_scaling]


def _on_fewer(sweep: Sweep, sweeps: list[Sweep]) -> list[Sweep]:
    """One sweep for each smaller thread count, from the fewest threads on."""
    fewer = [other for other in sweeps if _threads(other) < _threads(sweep) and _same_but_for_threads(sweep, other)]
    return list({_threads(other): other for other in sorted(fewer[::-1], key=_threads)}.values())


def _threads(sweep: Sweep) -> float:
    """The threads of a sweep; nan for a sweep over threads, which is not compared with any other."""
    return sweep.attributes.get("threads", float("nan"))


def _same_but_for_threads(one: Sweep, other: Sweep) -> bool:
    """Whether two sweeps differ in their threads alone. A problem's text has all its sizes, so if one size differs in all problems
    (the number of images), the sweeps have no problem in common."""
    alike = (one.experiment, one.figure, one.conditions) == (other.experiment, other.figure, other.conditions)
    shared = {p.text for p in one.problems} & {p.text for p in other.problems}
    return alike and one.figure == "layers" and not one.ranked and bool(shared)


def _compared(sweep: Sweep, fewer: list[Sweep]) -> Sweep:
    if not fewer:
        return sweep
    base, *between = fewer
    return replace(sweep, base=base, between=tuple(between), attributes=sweep.attributes | {BASE_THREADS: _threads(base)})


# --- the report's table ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    sweep: Sweep
    speedups: list[tuple[str, Estimate]]  # of each contender, weighted, over the problems that it has in both runs
    limit: str
    machine: float | None  # speed-up of the machine's limit on the problems of ours
    sentence: str


def row(sweep: Sweep) -> Row:
    looks = style.looks_of(sweep)
    speedups = {name: weighted_speedup(pairs, name) for name in looks if (pairs := sweep.scaled(name))}
    ours = next((name for name in speedups if name in sweep.ours), None)
    limit, machine = machine_speedup(sweep, sweep.scaled(ours) if ours else sweep.scaled())
    sentence = _in_words(sweep, speedups[ours].value, machine) if ours else "nothing of ours was timed on both"
    return Row(sweep, [(looks[name].label, speedup) for name, speedup in speedups.items()], LIMIT_WORDS.get(limit, ""), machine, sentence)


def machine_speedup(sweep: Sweep, pairs: list[tuple[Problem, Problem]]) -> tuple[str, float | None]:
    """The limit that both runs measured beside each of these problems, and its speed-up on more threads."""
    few, many = [before for before, _ in pairs], [after for _, after in pairs]
    for limit in reversed(sweep.limits):
        if pairs and known(limit, few) and known(limit, many):
            return limit, weighted_limit_speed(limit, many) / weighted_limit_speed(limit, few)
    return "", None


def disturbed(sweep: Sweep, machine: float) -> bool:
    """Whether the limit's speed-up exceeds that of the number of threads: then something disturbed the run on fewer threads."""
    return machine > ABOVE_LIMIT_TOLERANCE * sweep.attributes["threads"] / sweep.base.attributes["threads"]


def _in_words(sweep: Sweep, ours: float, machine: float | None) -> str:
    if not machine:
        return f"ours is {ours:.2f} times as fast; what the machine itself gave was not measured"
    said = f"ours is {ours:.2f} times as fast where the machine itself gives {machine:.2f} times as much: {ours / machine:.2f} of that"
    return said + ("; no machine gives more than its threads: the run on fewer was disturbed" if disturbed(sweep, machine) else "")

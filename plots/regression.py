"""Whether ours is slower than in an earlier run.

On a shared machine a bare time says nothing: each run is judged by what was measured among it, how fast ours is beside
the fastest other contender and which share it has of what the machine could do. Ours is slower where both say so, as the
other may have got faster or have been disturbed itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import derive
from claims import HOLDS, counted
from data import load_environment, load_run
from derive import LIMIT_WORDS, Estimate
from overview import summed
from program import InputError
from sweeps import Problem, Sweep, sweeps_of

REGRESSED, FASTER, NOT_COMPARED = "REGRESSED", "FASTER", "NOT COMPARED"


@dataclass(frozen=True)
class Tolerance:
    """How much of a speed noise may take: of a run's over all its problems, and of one problem's."""

    whole: float
    one: float


@dataclass(frozen=True)
class Verdict:
    status: str
    what: str
    reason: str


@dataclass(frozen=True)
class Pair:
    """A problem of both runs."""

    now: Problem
    then: Problem

    def ok(self, contender: str) -> bool:
        return self.now.ok(contender) and self.then.ok(contender)

    def same(self, contender: str) -> bool:
        return self.ok(contender) and self.now.cells[contender].version == self.then.cells[contender].version


def in_words(verdicts: list[Verdict]) -> str:
    lines = [f"{verdict.status:12} {verdict.what}: {verdict.reason}" for verdict in verdicts]
    return "\n".join([*lines, counted((verdict.status for verdict in verdicts), (REGRESSED, HOLDS, FASTER, NOT_COMPARED))])


# --- which runs are compared -----------------------------------------------------------------------------------------


def check(new: list[Path], old: Path, tolerance: Tolerance) -> list[Verdict]:
    sweeps = sweeps_in([run for folder in new for run in runs_in(folder)])
    machines = {machine(sweep.run.environment) for sweep in sweeps}
    alike = [run for run in runs_in(old) if machine(load_environment(run / "environment.json")) in machines]
    earlier = sorted(sweeps_in(alike), key=lambda sweep: sweep.run.name)
    last = {subject(sweep): sweep for sweep in earlier}  # names are dates
    verdicts = [verdict for sweep in sweeps for verdict in judge(sweep, last.get(subject(sweep)), tolerance)]
    if all(verdict.status == NOT_COMPARED for verdict in verdicts):
        first = verdicts[0]
        raise InputError(f"there is nothing to compare with {old}; {first.what}: {first.reason}.")
    return verdicts


def sweeps_in(runs: list[Path]) -> list[Sweep]:
    return [sweep for run in runs for sweep in sweeps_of(load_run(run))]


def runs_in(folder: Path) -> list[Path]:
    found = _runs_in(folder)
    if not found:
        raise InputError(f"{folder} holds no run; expected samples.csv and environment.json in it or in folders below it.")
    return found


def _runs_in(folder: Path) -> list[Path]:
    """A run's folder may itself hold what another process measured for it, whose rows the run has, too."""
    if any((folder / name).exists() for name in ("samples.csv", "summary.csv")):
        return [folder]
    return [run for below in sorted(folder.glob("*/")) for run in _runs_in(below)]


def machine(environment: dict) -> tuple:
    """The kind of processor, host's and device's: clouds call several by one name, but their caches differ."""
    cpu = environment.get("cpu", {})
    return cpu.get("name"), cpu.get("l1d_bytes"), cpu.get("l2_bytes"), environment.get("gpu", {}).get("name")


def subject(sweep: Sweep) -> tuple:
    return machine(sweep.run.environment), sweep.experiment, sweep.attributes.get("shapes"), sweep.setting


# --- how they are compared -------------------------------------------------------------------------------------------


def judge(new: Sweep, old: Sweep | None, tolerance: Tolerance) -> list[Verdict]:
    """A verdict for each of ours."""
    what = f"{new.experiment} ({new.full_setting})"
    if not old:
        return [Verdict(NOT_COMPARED, what, "there is no earlier run of it on such a processor")]
    then = {problem.text: problem for problem in old.problems}
    pairs = [Pair(problem, then[problem.text]) for problem in new.problems if problem.text in then]
    doubt = why_not_trusted(new) or why_not_trusted(old)
    return [of_contender(old, name, f"{what}, {name}", pairs, tolerance, doubt) for name in old.contenders if name in old.ours]


def why_not_trusted(sweep: Sweep) -> str:
    if warnings := sweep.run.environment.get("warnings"):
        return f"run {sweep.run.name} carries a warning: {warnings[0]}"
    # Another process was not interleaved with ours, and what disturbed it need not have disturbed ours.
    if above := [point for point in derive.above_limit(sweep) if point[1] not in point[0].elsewhere]:
        problem, name, share = above[0]
        return f"run {sweep.run.name} was disturbed: {name} on {problem.label} is at {share:.2f} of what the machine can do"
    return ""


def of_contender(old: Sweep, ours: str, what: str, pairs: list[Pair], tolerance: Tolerance, doubt: str) -> Verdict:
    pairs = [pair for pair in pairs if pair.then.ok(ours) and pair.now.status(ours) not in ("missing", "absent")]
    if not pairs:
        return Verdict(NOT_COMPARED, what, "no problem has it in both runs")
    if lost := [pair.now for pair in pairs if not pair.ok(ours)]:
        return Verdict(REGRESSED, what, f"{lost[0].label} is {lost[0].status(ours)} now: {lost[0].cells[ours].reason}")
    if doubt:
        return Verdict(NOT_COMPARED, what, doubt)
    changed = changes(old, ours, pairs)
    if not changed:
        return Verdict(NOT_COMPARED, what, "the runs have neither another contender nor a limit of the machine in common")
    slower = [pair.now.label for pair in pairs if beyond(tolerance.one, changes(old, ours, [pair])) == REGRESSED]
    beside = ", ".join(f"{change} beside {name}" for name, change in changed.items())
    reason = f"of its speed then it has {beside}, over {len(pairs)} problems"
    status = REGRESSED if slower else beyond(tolerance.whole, changed)
    return Verdict(status, what, reason + (f"; by more than {tolerance.one:.0%} on {', '.join(slower)}" if slower else ""))


def beyond(tolerance: float, changed: dict[str, Estimate]) -> str:
    """Whether all yardsticks say so, with their whole intervals."""
    if all(change.high < 1 - tolerance for change in changed.values()):
        return REGRESSED
    if all(change.low > 1 + tolerance for change in changed.values()):
        return FASTER
    return HOLDS


def changes(old: Sweep, ours: str, pairs: list[Pair]) -> dict[str, Estimate]:
    """How many times as fast ours is as it was, by the yardsticks that both runs have: the fastest other contender of the earlier
    one, where its version is the same, and a limit of the machine."""
    now, then = [pair.now for pair in pairs], [pair.then for pair in pairs]

    def change(yardstick: Callable[[list[Problem]], Estimate]) -> Estimate:
        return quotient(yardstick(now), yardstick(then))

    found = {}
    peers = [name for name in old.peers if all(pair.same(name) for pair in pairs)]
    if peer := derive.fastest_overall(then, peers):
        found[peer] = change(lambda problems: summed(old)(problems, ours, peer))
    # What is in the caches knows no stream, but as many reads and writes alone.
    known = [limit for limit in (*old.limits, "traffic") if derive.known(limit, now, ours) and derive.known(limit, then, ours)]
    if known:
        found[f"the {LIMIT_WORDS[known[-1]]}"] = change(lambda problems: derive.weighted_fraction_of(known[-1], problems, ours))
    return found


def quotient(now: Estimate, then: Estimate) -> Estimate:
    """With all that both intervals allow; a summary has none."""
    (now_low, now_high), (then_low, then_high) = map(interval, (now, then))
    return Estimate(now.value / then.value, now_low / then_high, now_high / then_low)


def interval(of: Estimate) -> tuple[float, float]:
    return (of.low, of.high) if np.isfinite(of.low) else (of.value, of.value)

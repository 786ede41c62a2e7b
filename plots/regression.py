"""Whether ours is slower than in an earlier run.

On a shared machine a time alone says nothing. Ours is compared with two yardsticks of the same run: the fastest other
contender, and the machine's own limit. It is slower only if both say so: the other contender may have become faster or
may have been disturbed.

REGRESSED     ours is slower by more than the tolerance, or a result of ours is wrong now
HOLDS         neither slower nor faster by more than the tolerance
FASTER        ours is faster by more than the tolerance
NOT COMPARED  there is no earlier run on such a processor, or one of the two runs was disturbed
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import derive
from claims import counted
from claims_file import STORED as CLAIMS
from claims_file import load_kinds
from data import load_environment, load_run
from derive import LIMIT_WORDS, Estimate
from machine_kinds import Kind
from outcomes import HOLDS
from overview import summed
from program import InputError
from sweeps import Problem, Sweep, sweeps_of

REGRESSED, FASTER, NOT_COMPARED = "REGRESSED", "FASTER", "NOT COMPARED"


@dataclass(frozen=True)
class Tolerance:
    """Losses of speed up to this share count as noise."""

    whole: float  # over all problems of a run
    one: float  # on one problem


@dataclass(frozen=True)
class Verdict:
    status: str
    what: str
    reason: str


@dataclass(frozen=True)
class Pair:
    """The same problem in both runs."""

    now: Problem
    then: Problem

    def ok(self, contender: str) -> bool:
        return self.now.ok(contender) and self.then.ok(contender)

    def same(self, contender: str) -> bool:
        return self.ok(contender) and self.now.cells[contender].version == self.then.cells[contender].version


def in_words(verdicts: list[Verdict]) -> str:
    lines = [f"{verdict.status:13}{verdict.what}: {verdict.reason}" for verdict in verdicts]
    return "\n".join([*lines, counted((verdict.status for verdict in verdicts), (REGRESSED, HOLDS, FASTER, NOT_COMPARED))])


# --- which runs are compared -----------------------------------------------------------------------------------------


def check(new: list[Path], old: Path, tolerance: Tolerance) -> list[Verdict]:
    sweeps = sweeps_in([run for folder in new for run in runs_in(folder)])
    machines = {machine(sweep.run.environment) for sweep in sweeps}
    alike = [run for run in runs_in(old) if machine(load_environment(run / "environment.json")) in machines]
    earlier = sorted(sweeps_in(alike), key=lambda sweep: sweep.run.name)
    last = {subject(sweep): sweep for sweep in earlier}  # runs are named by their dates
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
    """A run's folder may hold the record of another process that measured for it. It is no run: the run has its rows, too."""
    if any((folder / name).exists() for name in ("samples.csv", "summary.csv")):
        return [folder]
    return [run for below in sorted(folder.glob("*/")) for run in _runs_in(below)]


def machine(environment: dict) -> tuple:
    """The kind of processor and the GPU. Clouds give several processors one name, so unknown kinds are told apart by their caches."""
    gpu = environment.get("gpu", {}).get("name")
    if known := next((name for name, kind in _kinds().items() if not kind.is_gpu and kind.fits(environment)), ""):
        return known, gpu
    cpu = environment.get("cpu", {})
    return cpu.get("name"), cpu.get("l1d_bytes"), cpu.get("l2_bytes"), gpu


@cache
def _kinds() -> dict[str, Kind]:
    return load_kinds(CLAIMS)


def subject(sweep: Sweep) -> tuple:
    return machine(sweep.run.environment), sweep.experiment, sweep.attributes.get("shapes"), sweep.setting


# --- how they are compared -------------------------------------------------------------------------------------------


def judge(new: Sweep, old: Sweep | None, tolerance: Tolerance) -> list[Verdict]:
    """One verdict for each contender of ours."""
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
    # A disturbance of another process is no reason for doubt: it was not interleaved with ours.
    if above := [point for point in derive.above_limit(sweep) if point[1] not in point[0].elsewhere]:
        problem, name, share = above[0]
        return f"run {sweep.run.name} was disturbed: {name} on {problem.label} is at {share:.2f} of what the machine can do"
    return ""


def of_contender(old: Sweep, ours: str, what: str, pairs: list[Pair], tolerance: Tolerance, doubt: str) -> Verdict:
    pairs = [pair for pair in pairs if pair.then.ok(ours) and pair.now.status(ours) not in ("missing", "absent")]
    if not pairs:
        return Verdict(NOT_COMPARED, what, "no problem has a number of it in both runs")
    if lost := [pair.now for pair in pairs if not pair.ok(ours)]:
        return Verdict(REGRESSED, what, f"{lost[0].label} is {lost[0].status(ours)} now: {lost[0].cells[ours].reason}")
    if doubt:
        return Verdict(NOT_COMPARED, what, doubt)
    changed = changes(old, ours, pairs)
    if not changed:
        return Verdict(NOT_COMPARED, what, "the runs have neither another contender nor a limit of the machine in common")
    slower = [pair.now.label for pair in pairs if beyond(tolerance.one, changes(old, ours, [pair])) == REGRESSED]
    beside = ", ".join(f"{change} times the earlier speed, measured beside {name}" for name, change in changed.items())
    reason = f"{beside}, over {len(pairs)} problems"
    status = REGRESSED if slower else beyond(tolerance.whole, changed)
    return Verdict(status, what, reason + (f"; slower by more than {tolerance.one:.0%} on {', '.join(slower)}" if slower else ""))


def beyond(tolerance: float, changed: dict[str, Estimate]) -> str:
    """REGRESSED or FASTER only if the whole interval of every yardstick says so."""
    if all(change.high < 1 - tolerance for change in changed.values()):
        return REGRESSED
    if all(change.low > 1 + tolerance for change in changed.values()):
        return FASTER
    return HOLDS


def changes(old: Sweep, ours: str, pairs: list[Pair]) -> dict[str, Estimate]:
    """Our speed now divided by our speed then, by yardstick. Yardsticks are the fastest other contender of the earlier run, if its version
    is the same, and a limit of the machine that both runs measured."""
    now, then = [pair.now for pair in pairs], [pair.then for pair in pairs]

    def change(yardstick: Callable[[list[Problem]], Estimate]) -> Estimate:
        return quotient(yardstick(now), yardstick(then))

    found = {}
    peers = [name for name in old.peers if all(pair.same(name) for pair in pairs)]
    if peer := derive.fastest_overall(then, peers):
        found[peer] = change(lambda problems: summed(old)(problems, ours, peer))
    # Problems that fit in the caches are faster than the stream, so that reads and writes alone are the better limit.
    known = [limit for limit in (*old.limits, "traffic") if derive.known(limit, now, ours) and derive.known(limit, then, ours)]
    if known:
        found[f"the {LIMIT_WORDS[known[-1]]}"] = change(lambda problems: derive.weighted_fraction_of(known[-1], problems, ours))
    return found


def quotient(now: Estimate, then: Estimate) -> Estimate:
    """The interval has all quotients of numbers of both intervals."""
    (now_low, now_high), (then_low, then_high) = map(interval, (now, then))
    return Estimate(now.value / then.value, now_low / then_high, now_high / then_low)


def interval(of: Estimate) -> tuple[float, float]:
    return (of.low, of.high) if np.isfinite(of.low) else (of.value, of.value)

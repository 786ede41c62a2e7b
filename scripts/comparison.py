"""Compares two builds: measures, judges, and keeps what a report of it needs."""

import argparse
from dataclasses import dataclass
from pathlib import Path

import builds
from builds import Build
from paired_runs import Call, Pairs, Problem, Run, call
from paired_times import SAME, SLOWER, UNDECIDED, Limits, Verdict, decide
from program import InputError


@dataclass(frozen=True)
class Comparison:
    builds: tuple[Build, Build]
    facts: tuple[dict, ...]  # their environments
    verdicts: list[Verdict]
    failures: dict[Problem, str]  # of B, where A has a time
    left_out: int  # problems that one build does not know, or that A has no time of
    effect: float
    pairs: Path

    @property
    def status(self) -> str:
        """SLOWER if anything is, or fails; else UNDECIDED if anything may be."""
        if self.failures or any(verdict.status == SLOWER for verdict in self.verdicts):
            return SLOWER
        return UNDECIDED if any(verdict.may_be_slower(self.effect) for verdict in self.verdicts) else SAME


def compare(a: Build, b: Build, runs: list[Run], options: argparse.Namespace) -> Comparison:
    of_a, of_b = Call({}, {}), Call({}, {})
    facts: tuple[dict, ...] = ()
    for run in runs:
        print(f"first calls: {run.name}", flush=True)
        folders = [options.out / build / run.name for build in ("a", "b")]
        for build, known, folder in zip((a, b), (of_a, of_b), folders, strict=True):
            # Not counted: it may have to find the processor's tuning, and the program comes from the disk.
            found = call(build, run, str(folder))
            known.seconds.update(found.seconds)
            known.failures.update(found.failures)
        facts = facts or alike(folders, (a, b), options.allow_different_flags)
    problems = [problem for problem in of_a.seconds if problem in of_b.seconds]
    failures = {problem: why for problem, why in of_b.failures.items() if problem in of_a.seconds}
    if not problems and not failures:
        raise InputError(f"the builds have no time of ours in common in {', '.join(run.name for run in runs)}.")
    pairs = Pairs(a, b, runs, options.out / "pairs.csv")
    limits = Limits(options.effect, options.pairs, again=max(options.pairs, Limits.again))
    verdicts = decide(problems, pairs.measure, limits)
    left_out = {*of_a.seconds, *of_a.failures, *of_b.seconds, *of_b.failures} - {*problems, *failures}
    return Comparison((a, b), facts, verdicts, failures | pairs.failures, len(left_out), options.effect, pairs.path)


def alike(folders: list[Path], both: tuple[Build, Build], allow_different_flags: bool) -> tuple[dict, ...]:
    """The environments that the builds left in the folders, if compilers and flags agree or need not."""
    facts = tuple(map(builds.facts, folders, both))
    if (differ := builds.differences(*facts)) and not allow_different_flags:
        raise InputError(f"the builds differ in {differ}; build both alike, or give --allow-different-flags.")
    return facts

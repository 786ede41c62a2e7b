"""Judges claims about speed by what runs measured."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import derive
import plans
from claims_file import BEST_OF_OTHERS, Claim, Condition
from claims_plans import NO_RANKING, is_about_rankings, of_best_ranking, seconds_to_choose
from derive import LIMIT_WORDS
from machine_kinds import NOTHING_KNOWN
from outcomes import NOT_RUN, STATUSES, UNDECIDED, Outcome, at_least, every_one, lacking
from program import InputError
from reach import Capped, at_the_limit, capped, within
from scaling import disturbed, machine_speedup
from sweeps import BASE_THREADS, Problem, Sweep
from training import why_none

# Names in a "where": the contender's share of the loaded roof on the base's threads, and of the speed of reading alone.
BASE_SHARE, READ_SHARE = "base_share", "read_share"
CORES = "cores"  # in a "when": how many cores of the machine the run could use


@dataclass(frozen=True)
class Verdict:
    claim: Claim
    outcome: Outcome
    run: str
    folders: tuple[Path, ...] = ()  # of the runs that judge it


def judge_all(claims: list[Claim], sweeps: list[Sweep], others: dict[str, Callable] | None = None) -> list[Verdict]:
    """others: functions that judge claims whose statistic is not about a sweep, by the statistic."""
    return [verdict for claim in claims for verdict in (others or {}).get(claim.statistic, partial(judge, sweeps=sweeps))(claim)]


def judge(claim: Claim, sweeps: list[Sweep]) -> list[Verdict]:
    """One verdict for each sweep that the claim is about, or one that says why there is none."""
    candidates = [(sweep, mismatch(claim, sweep)) for sweep in sweeps if sweep.experiment == claim.experiment]
    fitting = [sweep for sweep, reason in candidates if not reason]
    if fitting:
        found = [Verdict(claim, measure(claim, sweep), f"{sweep.run_names} ({sweep.setting})", folders(sweep)) for sweep in fitting]
        return [verdict for verdict in found if verdict.outcome.status != NOT_RUN] or found  # NOT RUN: by none of them
    none = why_none(claim.experiment, sweeps) or f"no {claim.experiment} run was given that measured anything"
    reasons = list(dict.fromkeys(reason for _, reason in candidates)) or [none]
    return [Verdict(claim, Outcome(NOT_RUN, "; ".join(reasons)), "")]


def folders(sweep: Sweep) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(run.directory for of in (sweep, sweep.base) if of for run in of.runs))


def tally(verdicts: list[Verdict]) -> str:
    return counted((verdict.outcome.status for verdict in verdicts), STATUSES)


def counted(found: Iterable[str], statuses: tuple[str, ...]) -> str:
    """The number of each status, in the order given."""
    counts = Counter(found)
    return ", ".join(f"{counts[status]} {status}" for status in statuses if counts[status])


# --- the sweeps and problems that a claim is about -------------------------------------------------------------------


def mismatch(claim: Claim, sweep: Sweep) -> str:
    """Why the claim is not about this sweep; empty when it is."""
    attributes = sweep.attributes | {CORES: cores(sweep)}
    columns = {*sweep.run.samples.columns, BASE_THREADS, CORES}
    check_names(claim, "when", claim.when, columns)
    shapes = sweep.attributes.get("shapes") or "shapes of no set"
    if claim.shapes and shapes != claim.shapes:
        return f"needs {claim.shapes}, this run has {shapes}"
    if BASE_THREADS in claim.when.names and not sweep.base:
        return "no run of the same problems on fewer threads was given"
    differing = claim.when.names - set(attributes)
    if differing or not fulfilled(claim, "when", claim.when, pd.DataFrame([attributes])).all():
        return f"needs {claim.when.words} ({claim.when.text}), this run has {sweep.setting}"
    usual = {column: value for column, value in claim.usual.items() if column in columns}
    if unusual := [f"{column} == '{value}'" for column, value in usual.items() if attributes.get(column) != value]:
        return f"needs {' and '.join(unusual)}, this run has {sweep.setting}"
    if is_about_rankings(claim) and not sweep.ranked:
        return NO_RANKING
    environment = sweep.run.environment
    if claim.machines and not any(kind.fits(environment) for kind in claim.machines):
        on = "gpu" if any(kind.is_gpu for kind in claim.machines) else "cpu"
        name = environment.get(on, {}).get("name") or NOTHING_KNOWN
        return f"is about {' and '.join(kind.name for kind in claim.machines)}, this run is on {name}"
    return ""


def cores(sweep: Sweep) -> float:
    """All cores that the run could keep busy; nan where it does not record them."""
    cpu = sweep.run.environment.get("cpu", {})
    usable, quota = cpu.get("usable_cores"), cpu.get("quota_cpus")
    if not usable:
        return float("nan")
    return min(usable, max(1, int(quota))) if quota else usable


def chosen(claim: Claim, sweep: Sweep) -> list[Problem]:
    """The problems that the claim is about. If the run does not record the size of a cache, everything fits."""
    l2_bytes = sweep.run.environment.get("cpu", {}).get("l2_bytes") or float("inf")
    known = {"l2_bytes": l2_bytes, "cache_bytes": sweep.cache_bytes}
    before = {after.text: derive.fraction_of("roof", p, claim.of).value for p, after in sweep.scaled(claim.of) if p.limit("roof", claim.of)}
    beside_reading = [p for p in sweep.problems if p.ok(claim.of) and p.limit("read", claim.of)]
    shares = {BASE_SHARE: before, READ_SHARE: {p.text: derive.fraction_of("read", p, claim.of).value for p in beside_reading}}
    table = pd.DataFrame([
        p.sizes | {"flop": p.flop, "bytes": p.bytes} | {name: of.get(p.text, float("nan")) for name, of in shares.items()} | known
        for p in sweep.problems
    ])
    check_names(claim, "where", claim.where, set(table.columns))
    return [p for p, good in zip(sweep.problems, fulfilled(claim, "where", claim.where, table), strict=True) if good]


def check_names(claim: Claim, key: str, condition: Condition, columns: set[str]) -> None:
    if unknown := sorted(condition.names - columns):
        raise InputError(f"claim '{claim.id}': its '{key}' names '{unknown[0]}', which is no column of the {claim.experiment} run.")


def fulfilled(claim: Claim, key: str, condition: Condition, table: pd.DataFrame) -> pd.Series:
    try:
        return condition.mask(table)
    except InputError as error:
        raise InputError(f"claim '{claim.id}': its '{key}' {error}.") from error


# --- how a claim is measured -----------------------------------------------------------------------------------------


def measure(claim: Claim, sweep: Sweep) -> Outcome:
    held = len({(p.text, p.name) for p in sweep.problems})
    whole = sweep.attributes.get("problems")
    if claim.shapes and held < whole:
        return Outcome(NOT_RUN, f"the run holds {held} of {claim.shapes}'s {whole:.0f} problems")
    problems = chosen(claim, sweep)
    if not problems:
        return Outcome(NOT_RUN, "the run holds none of these problems")
    measured = MEASURES[claim.statistic]
    return of_best_ranking(claim, sweep, problems, measured) if is_about_rankings(claim) else measured(claim, sweep, problems)


def lacking_ours(claim: Claim, sweep: Sweep, problems: list[Problem]) -> Outcome | None:
    """Like lacking, for claims about the faster one of several contenders of ours: each must be part of the run, and none wrong."""
    wrong = {name: [p for p in problems if p.status(name) == "failed"] for name in claim.either}
    nobody = [p for p in problems if not derive.fastest(p, claim.either)]
    absent = {name: nobody if any(p.ok(name) for p in problems) else problems for name in claim.either}
    found = [lacking(sweep, of[name], name) for of in (wrong, absent) for name in claim.either]
    return next(filter(None, found), None)


def share(claim: Claim, sweep: Sweep, problems: list[Problem], limit: str, lowest: bool) -> Outcome:
    """The share of one of the machine's limits. The reason says the share of the other limits that were measured."""
    if missing := lacking(sweep, problems, claim.of, limit=limit):
        return missing
    shares = {of: [derive.fraction_of(of, p, claim.of) for p in problems] for of in LIMIT_WORDS if derive.known(of, problems, claim.of)}
    values = {of: [one.value for one in found] for of, found in shares.items()}
    beside = {of: min(found) if lowest else derive.weighted_fraction_of(of, problems, claim.of).value for of, found in values.items()}
    others = "".join(f"; of the {LIMIT_WORDS[of]} {value:.3f}" for of, value in beside.items() if of != limit)
    if lowest:
        return every_one(claim, shares[limit], problems, others, [within(limit, [p], claim.of) for p in problems])
    reason = f"{len(problems)} problems; plain average {np.mean(values[limit]):.3f}, lowest {min(values[limit]):.3f}{others}"
    return at_least(claim, derive.weighted_fraction_of(limit, problems, claim.of), reason, within(limit, problems, claim.of))


def speed(claim: Claim, sweep: Sweep, problems: list[Problem]) -> Outcome:
    if missing := lacking(sweep, problems, claim.of):
        return missing
    cells = [problem.cells[claim.of] for problem in problems]
    speeds = [derive.estimate(cell.speed / 1e3, cell.work / cell.resampled_seconds / 1e12) for cell in cells]
    return every_one(claim, speeds, problems)


def comparison(claim: Claim, sweep: Sweep, problems: list[Problem], summed: Callable | None) -> Outcome:
    """The lowest ratio, or if summed is given, the ratio over all problems."""
    against = claim.against
    if claim.against == BEST_OF_OTHERS:
        all_chosen, problems = problems, [p for p in problems if derive.fastest(p, sweep.peers)]
        if claim.shapes and len(problems) < len(all_chosen):
            return Outcome(NOT_RUN, f"no contender but ours has a number on {len(all_chosen) - len(problems)} of the problems")
        if not problems:
            return Outcome(NOT_RUN, "no contender but ours has a number on any of these problems")
        present = [name for name in sweep.peers if any(p.ok(name) for p in problems)]
        against = f"the best of {', '.join(present)} on each"
        missing = lacking_ours(claim, sweep, problems)

        def pick(problem: Problem) -> str:
            return derive.fastest(problem, sweep.peers)
    elif claim.against in (plans.BEST_PLAN, plans.DEFAULT_PLAN):
        if not sweep.ranked:
            return Outcome(NOT_RUN, NO_RANKING)
        missing, pick = lacking_ours(claim, sweep, problems), plans.rival(sweep, claim.against)
    else:
        missing = lacking_ours(claim, sweep, problems) or lacking(sweep, problems, claim.against)

        def pick(_: Problem) -> str:
            return claim.against

    if missing:
        return missing

    def ours(problem: Problem) -> str:
        return derive.fastest(problem, claim.either)

    note = ""
    if claim.or_of_roof:
        problems = [capped(p, ours(p), pick(p), claim.or_of_roof / claim.bound) for p in problems]
        roofs = sum(isinstance(cell := p.cells[pick(p)], Capped) and cell.is_capped for p in problems)
        note = f"; on {roofs} of {len(problems)} problems {claim.or_of_roof} of the loaded roof is enough"
    if summed:
        reason = f"over {len(problems)} problems, against {against}{note}"
        return at_least(claim, summed(problems, ours, pick), reason, at_the_limit(problems, ours, pick, summed))
    most = [at_the_limit([p], ours, pick, derive.weighted_ratio) for p in problems]
    return every_one(claim, [derive.ratio(p, ours(p), pick(p)) for p in problems], problems, note, most)


def scaling(claim: Claim, sweep: Sweep, problems: list[Problem]) -> Outcome:
    """The speed-up over the base's threads, divided by the speed-up of the machine's loaded roof: the two runs are not interleaved."""
    before = {p.text: p for p in sweep.base.problems} if sweep.base else {}
    if unpaired := [p for p in problems if p.text not in before]:
        return Outcome(NOT_RUN, f"no run on fewer threads holds {unpaired[0].label}")
    pairs = [(before[p.text], p) for p in problems]
    for of, part in zip((sweep.base, sweep), zip(*pairs, strict=True), strict=True):
        if missing := lacking(of, list(part), claim.of, limit="roof"):
            return replace(missing, reason=f"{of.setting}: {missing.reason}")
    limit, machine = machine_speedup(sweep, pairs)
    itself = f"the {LIMIT_WORDS[limit]} itself is {machine:.3f} times as high"
    if disturbed(sweep, machine):
        return Outcome(UNDECIDED, f"{itself}, more than there are threads: the run on fewer threads was disturbed")
    left_out = [p.label for p in sweep.problems if p.text not in {kept.text for kept in problems}]
    times = derive.geometric_mean_speedup(pairs, claim.of)
    reason = f"{times.value:.3f} times as fast as in run {sweep.base.run_names} ({sweep.base.setting}); {itself}"
    reason += f"; left out: {', '.join(left_out)}" if left_out else ""
    return at_least(claim, derive.geometric_mean_speedup(pairs, claim.of, limit), reason)


def over_steps(claim: Claim, sweep: Sweep, problems: list[Problem]) -> Outcome:
    """The speed of a step of the longest sequence divided by that of a step of the shortest, for problems that differ in T alone. Each
    is measured by the loaded roof beside it, as the machine's speed changes from one problem to the next."""
    if missing := lacking(sweep, problems, claim.of, limit="roof"):
        return missing
    alike: dict[tuple, list[Problem]] = {}
    for p in sorted(problems, key=lambda p: p.sizes.get("T", 0)):
        alike.setdefault(tuple(value for size, value in p.sizes.items() if size != "T"), []).append(p)
    longest = {found[-1].text: (found[0], found[-1]) for found in alike.values() if len(found) > 1}
    if not longest:
        return Outcome(NOT_RUN, "the run holds no two of these problems that differ in T alone")
    ratios = [derive.quotient_of_fractions("roof", most, fewest, claim.of) for fewest, most in longest.values()]
    return every_one(claim, ratios, [most for _, most in longest.values()])


MEASURES = {
    "lowest share of the loaded roof": lambda *found: share(*found, "roof", lowest=True),
    "weighted share of the loaded roof": lambda *found: share(*found, "roof", lowest=False),
    "lowest share of reading alone": lambda *found: share(*found, "read", lowest=True),
    "lowest share of reads and writes alone": lambda *found: share(*found, "traffic", lowest=True),
    "lowest share of stream": lambda *found: share(*found, "stream", lowest=True),
    "weighted share of stream": lambda *found: share(*found, "stream", lowest=False),
    "weighted share of peak": lambda *found: share(*found, "peak", lowest=False),
    "lowest ratio": lambda *found: comparison(*found, summed=None),
    "weighted ratio": lambda *found: comparison(*found, summed=derive.weighted_ratio),
    "geometric mean ratio": lambda *found: comparison(*found, summed=derive.geometric_mean_ratio),
    "lowest speed in TFLOP/s": speed,
    "geometric mean speed-up": scaling,
    "lowest ratio of most steps to fewest": over_steps,
    "most seconds to choose a plan": seconds_to_choose,
    "ratio of seconds to choose all plans": seconds_to_choose,
}

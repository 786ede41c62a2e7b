"""Whether a run bears out what is claimed about speed."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

import derive
from claims_file import BEST_OF_OTHERS, Claim, Condition
from derive import LIMIT_WORDS, Estimate
from program import InputError
from scaling import disturbed, machine_speedup
from sweeps import BASE_THREADS, Problem, Sweep
from training import why_none

# What a "where" calls the share of the loaded roof that the contender has on the base's threads, and its share of reading alone.
BASE_SHARE, READ_SHARE = "base_share", "read_share"
HOLDS, FAILS, UNCHECKED = "HOLDS", "DOES NOT HOLD", "NOT CHECKED"


@dataclass(frozen=True)
class Outcome:
    status: str
    reason: str
    measured: Estimate | None = None


@dataclass(frozen=True)
class Verdict:
    claim: Claim
    outcome: Outcome
    run: str


def judge_all(claims: list[Claim], sweeps: list[Sweep], others: dict[str, Callable] | None = None) -> list[Verdict]:
    """others: who judges the claims with a statistic that speaks of no sweep."""
    return [verdict for claim in claims for verdict in (others or {}).get(claim.statistic, partial(judge, sweeps=sweeps))(claim)]


def judge(claim: Claim, sweeps: list[Sweep]) -> list[Verdict]:
    """A verdict for each sweep that the claim speaks of, or one that says why there is none."""
    candidates = [(sweep, mismatch(claim, sweep)) for sweep in sweeps if sweep.experiment == claim.experiment]
    fitting = [sweep for sweep, reason in candidates if not reason]
    if fitting:
        return [Verdict(claim, measure(claim, sweep), f"{sweep.run_names} ({sweep.setting})") for sweep in fitting]
    none = why_none(claim.experiment, sweeps) or f"no {claim.experiment} run was given that measured anything"
    reasons = list(dict.fromkeys(reason for _, reason in candidates)) or [none]
    return [Verdict(claim, Outcome(UNCHECKED, "; ".join(reasons)), "")]


def tally(verdicts: list[Verdict]) -> str:
    return counted((verdict.outcome.status for verdict in verdicts), (HOLDS, FAILS, UNCHECKED))


def counted(found: Iterable[str], statuses: tuple[str, ...]) -> str:
    """How many there are of each, in the order of the statuses."""
    counts = Counter(found)
    return ", ".join(f"{counts[status]} {status}" for status in statuses if counts[status])


# --- of which sweeps and problems a claim speaks ---------------------------------------------------------------------


def mismatch(claim: Claim, sweep: Sweep) -> str:
    """Why the sweep is not one that the claim speaks of; empty when it is."""
    columns = {*sweep.run.samples.columns, BASE_THREADS}
    check_names(claim, "when", claim.when, columns)
    shapes = sweep.attributes.get("shapes") or "shapes of no set"
    if claim.shapes and shapes != claim.shapes:
        return f"wants {claim.shapes}, this run has {shapes}"
    if BASE_THREADS in claim.when.names and not sweep.base:
        return "no run of the same problems on fewer threads was given"
    differing = claim.when.names - set(sweep.attributes)
    if differing or not fulfilled(claim, "when", claim.when, pd.DataFrame([sweep.attributes])).all():
        return f"wants {claim.when.text}, this run has {sweep.setting}"
    usual = {column: value for column, value in claim.usual.items() if column in columns}
    if unusual := [f"{column} == '{value}'" for column, value in usual.items() if sweep.attributes.get(column) != value]:
        return f"wants {' and '.join(unusual)}, this run has {sweep.setting}"
    if claim.machine:
        name = sweep.run.environment.get(claim.machine.kind, {}).get("name") or "an unknown processor"
        if not re.search(claim.machine.pattern, name):
            return f"speaks of {claim.machine.words}, this run is on {name}"
    return ""


def chosen(claim: Claim, sweep: Sweep) -> list[Problem]:
    """The problems that the claim speaks of. Where the run does not know the size of a cache, everything fits."""
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
        return Outcome(UNCHECKED, f"the run holds {held} of {claim.shapes}'s {whole:.0f} problems")
    problems = chosen(claim, sweep)
    if not problems:
        return Outcome(UNCHECKED, "the run holds none of these problems")
    return MEASURES[claim.statistic](claim, sweep, problems)


def at_least(claim: Claim, measured: Estimate, reason: str) -> Outcome:
    if measured.low < claim.bound <= measured.high:
        reason += "; the 95 % interval holds the bound, so another run may judge otherwise"
    return Outcome(HOLDS if measured.value >= claim.bound else FAILS, reason, measured)


def lacking(sweep: Sweep, problems: list[Problem], *contenders: str, limit: str | None = None) -> Outcome | None:
    """The outcome where not every contender has a number on every problem: a wrong result of ours breaks the claim."""
    for name in contenders:
        absent = [p for p in problems if not p.ok(name)]
        if not absent:
            continue
        wrong = [p for p in absent if name in sweep.ours and p.status(name) == "failed"]
        first = (wrong or absent)[0]
        reason = first.cells[name].reason if name in first.cells else "it was not part of the run"
        where = first.label + (f" and {len(absent) - 1} more" if len(absent) > 1 else "")
        return Outcome(FAILS if wrong else UNCHECKED, f"{name} has no number on {where}: {reason}")
    if limit and (unpaired := [p for p in problems if not p.limit(limit, contenders[0])]):
        return Outcome(UNCHECKED, f"no {LIMIT_WORDS[limit]} was measured beside {unpaired[0].label}")
    return None


def lacking_ours(claim: Claim, sweep: Sweep, problems: list[Problem]) -> Outcome | None:
    """The same where one contender of several will do on each problem: all of them must be part of the run, and none wrong."""
    wrong = {name: [p for p in problems if p.status(name) == "failed"] for name in claim.either}
    nobody = [p for p in problems if not derive.fastest(p, claim.either)]
    absent = {name: nobody if any(p.ok(name) for p in problems) else problems for name in claim.either}
    found = [lacking(sweep, of[name], name) for of in (wrong, absent) for name in claim.either]
    return next(filter(None, found), None)


def share(claim: Claim, sweep: Sweep, problems: list[Problem], limit: str, lowest: bool) -> Outcome:
    """Of one of the machine's limits; the reason says the same of the other, where that was measured."""
    if missing := lacking(sweep, problems, claim.of, limit=limit):
        return missing
    shares = {of: [derive.fraction_of(of, p, claim.of) for p in problems] for of in LIMIT_WORDS if derive.known(of, problems, claim.of)}
    values = {of: [one.value for one in found] for of, found in shares.items()}
    if lowest:
        summed, reason = lowest_of(claim, shares[limit], problems)
        beside = {of: min(found) for of, found in values.items()}
    else:
        summed = derive.weighted_fraction_of(limit, problems, claim.of)
        reason = f"{len(problems)} problems; plain average {np.mean(values[limit]):.3f}, lowest {min(values[limit]):.3f}"
        beside = {of: derive.weighted_fraction_of(of, problems, claim.of).value for of in values}
    reason += "".join(f"; of the {LIMIT_WORDS[of]} {value:.3f}" for of, value in beside.items() if of != limit)
    if limit == "stream" and summed.value < claim.bound:
        below = [[p] for p, value in zip(problems, values[limit], strict=True) if value < claim.bound]
        reason += out_of_memorys_reach(claim, below if lowest else [problems])
    return at_least(claim, summed, reason)


def speed(claim: Claim, sweep: Sweep, problems: list[Problem]) -> Outcome:
    if missing := lacking(sweep, problems, claim.of):
        return missing
    cells = [problem.cells[claim.of] for problem in problems]
    speeds = [derive.estimate(cell.speed / 1e3, cell.work / cell.resampled_seconds / 1e12) for cell in cells]
    return at_least(claim, *lowest_of(claim, speeds, problems))


def comparison(claim: Claim, sweep: Sweep, problems: list[Problem], summed: Callable | None) -> Outcome:
    """The lowest ratio, or where summed is given that of all the problems."""
    against = claim.against
    if claim.against == BEST_OF_OTHERS:
        all_chosen, problems = problems, [p for p in problems if derive.fastest(p, sweep.peers)]
        if claim.shapes and len(problems) < len(all_chosen):
            return Outcome(UNCHECKED, f"no contender but ours has a number on {len(all_chosen) - len(problems)} of the problems")
        if not problems:
            return Outcome(UNCHECKED, "no contender but ours has a number on any of these problems")
        present = [name for name in sweep.peers if any(p.ok(name) for p in problems)]
        against = f"the best of {', '.join(present)} on each"
        missing = lacking_ours(claim, sweep, problems)

        def pick(problem: Problem) -> str:
            return derive.fastest(problem, sweep.peers)
    else:
        missing = lacking_ours(claim, sweep, problems) or lacking(sweep, problems, claim.against)

        def pick(_: Problem) -> str:
            return claim.against

    if missing:
        return missing

    def ours(problem: Problem) -> str:
        return derive.fastest(problem, claim.either)

    if summed:
        measured, reason = summed(problems, ours, pick), f"over {len(problems)} problems, against {against}"
        short = [] if measured.value >= claim.bound else [problems]
    else:
        ratios = [derive.ratio(p, ours(p), pick(p)) for p in problems]
        measured, reason = lowest_of(claim, ratios, problems)
        short = [[p] for p, ratio in zip(problems, ratios, strict=True) if ratio.value < claim.bound]
    return at_least(claim, measured, reason + out_of_reach(claim, short, ours, pick, summed))


def out_of_reach(claim: Claim, short: list[list[Problem]], ours: Callable, pick: Callable, summed: Callable | None) -> str:
    """Of groups of problems whose ratio is below the bound, on which the other is too near to the machine's limit for anybody to be
    so far ahead who computes as much, and how far one at the limit would be; empty where there are none."""
    said = []
    for group in short:
        at_limit = [derive.with_limit(p, pick(p)) for p in group]
        if not all(at_limit) or any(p.cells[ours(p)].least_flop < p.cells[pick(p)].least_flop for p in group):
            continue
        most = (summed or derive.weighted_ratio)(at_limit, derive.AT_THE_LIMIT, pick).value
        if most < claim.bound:
            said.append((group, most))
    return f"; nobody could reach it, at the machine's limit the ratio would be: {in_words(said)}" if said else ""


def out_of_memorys_reach(claim: Claim, short: list[list[Problem]]) -> str:
    """Of groups of problems whose share of the stream is below the bound, those for which the memory gives as many reads and writes no
    more than that, and what it gives; empty where there are none."""
    said = []
    for group in short:
        if not derive.known("traffic", group, claim.of):
            continue
        most = derive.weighted_limit_speed("traffic", group, claim.of) / derive.weighted_limit_speed("stream", group, claim.of)
        if derive.ABOVE_LIMIT_TOLERANCE * most < claim.bound:
            said.append((group, most))
    return f"; the memory gives no more, as many reads and writes alone have of the stream: {in_words(said)}" if said else ""


def in_words(said: list[tuple[list[Problem], float]]) -> str:
    return ", ".join((f"{group[0].label} " if len(group) == 1 else "") + f"{most:.3f}" for group, most in said)


def scaling(claim: Claim, sweep: Sweep, problems: list[Problem]) -> Outcome:
    """How many times faster than on the base's threads; the reason says the same of the machine, as the two runs are not interleaved."""
    before = {p.text: p for p in sweep.base.problems} if sweep.base else {}
    if unpaired := [p for p in problems if p.text not in before]:
        return Outcome(UNCHECKED, f"no run on fewer threads holds {unpaired[0].label}")
    pairs = [(before[p.text], p) for p in problems]
    for of, part in zip((sweep.base, sweep), zip(*pairs, strict=True), strict=True):
        if missing := lacking(of, list(part), claim.of, limit="roof"):
            return replace(missing, reason=f"{of.setting}: {missing.reason}")
    _, where = lowest_of(claim, [derive.speedup(pair, claim.of) for pair in pairs], problems)
    limit, machine = machine_speedup(sweep, pairs)
    itself = f"the {LIMIT_WORDS[limit]} itself is {machine:.3f} times as high"
    if disturbed(sweep, machine):
        return Outcome(UNCHECKED, f"{itself}, more than there are threads: the run on fewer was disturbed")
    if machine < claim.bound:
        return Outcome(UNCHECKED, f"{itself}: nobody could reach the bound")
    left_out = [p.label for p in sweep.problems if p.text not in {kept.text for kept in problems}]
    reason = f"beside run {sweep.base.run_names} ({sweep.base.setting}); {where}; {itself}"
    reason += f"; left out: {', '.join(left_out)}" if left_out else ""
    return at_least(claim, derive.geometric_mean_speedup(pairs, claim.of), reason)


def over_steps(claim: Claim, sweep: Sweep, problems: list[Problem]) -> Outcome:
    """What a step of the most is worth beside one of the fewest, of problems alike but for T. Each is measured by the loaded roof
    beside it, as the machine is not the same from one problem to the next."""
    if missing := lacking(sweep, problems, claim.of, limit="roof"):
        return missing
    alike: dict[tuple, list[Problem]] = {}
    for p in sorted(problems, key=lambda p: p.sizes.get("T", 0)):
        alike.setdefault(tuple(value for size, value in p.sizes.items() if size != "T"), []).append(p)
    longest = {found[-1].text: (found[0], found[-1]) for found in alike.values() if len(found) > 1}
    if not longest:
        return Outcome(UNCHECKED, "the run holds no two of these problems that differ in T alone")
    ratios = [derive.quotient_of_fractions("roof", most, fewest, claim.of) for fewest, most in longest.values()]
    return at_least(claim, *lowest_of(claim, ratios, [most for _, most in longest.values()]))


def lowest_of(claim: Claim, values: list[Estimate], problems: list[Problem]) -> tuple[Estimate, str]:
    lowest, where = min(zip(values, problems, strict=True), key=lambda pair: pair[0].value)
    enough = sum(value.value >= claim.bound for value in values)
    return lowest, f"lowest at {where.label}; {enough} of {len(problems)} problems reach the bound"


MEASURES = {
    "lowest share of the loaded roof": lambda *found: share(*found, "roof", lowest=True),
    "weighted share of the loaded roof": lambda *found: share(*found, "roof", lowest=False),
    "lowest share of reading alone": lambda *found: share(*found, "read", lowest=True),
    "lowest share of stream": lambda *found: share(*found, "stream", lowest=True),
    "weighted share of stream": lambda *found: share(*found, "stream", lowest=False),
    "weighted share of peak": lambda *found: share(*found, "peak", lowest=False),
    "lowest ratio": lambda *found: comparison(*found, summed=None),
    "weighted ratio": lambda *found: comparison(*found, summed=derive.weighted_ratio),
    "geometric mean ratio": lambda *found: comparison(*found, summed=derive.geometric_mean_ratio),
    "lowest speed in TFLOP/s": speed,
    "geometric mean speed-up": scaling,
    "lowest ratio of most steps to fewest": over_steps,
}

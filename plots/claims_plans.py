"""Claims about rankings of plans: which contender is the best ranking in a run, and the seconds to choose a plan."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

import plans
from claims_file import Claim
from derive import Estimate
from outcomes import FAILS, HOLDS, NOT_RUN, Outcome, lacking
from plan_names import TOP
from sweeps import Problem, Sweep

NO_RANKING = "needs plans that were ranked (--plan rank), this run has none"


def is_about_rankings(claim: Claim) -> bool:
    return claim.of in (plans.BEST_RANKING, plans.ITS_TOP)


def of_best_ranking(claim: Claim, sweep: Sweep, problems: list[Problem], measured: Callable) -> Outcome:
    """The outcome for the contender that the claim means in this run. A wrong result of any ranking breaks the claim."""
    for name in plans.of_rankings(sweep):
        if (missing := lacking(sweep, problems, name)) and missing.status == FAILS:
            return missing
    best = plans.best_ranking(sweep)
    if not best:
        return Outcome(NOT_RUN, "no ranking has a number on all problems on which the default plan has one")
    meant = best + (TOP if claim.of == plans.ITS_TOP else "")
    found = measured(replace(claim, of=meant), sweep, problems)
    return replace(found, reason=f"{meant}: {found.reason}")


def seconds_to_choose(claim: Claim, sweep: Sweep, problems: list[Problem]) -> Outcome:
    """The most seconds that choosing the plan of one problem took, or how many times as long the other contender needed for all."""
    contenders = list(filter(None, (claim.of, claim.against)))
    if missing := lacking(sweep, problems, *contenders):
        return missing
    seconds = {name: np.array([problem.cells[name].plan_seconds for problem in problems]) for name in contenders}
    for name, of in seconds.items():
        if not np.isfinite(of).all():
            return Outcome(NOT_RUN, f"the run does not say how long choosing the plans of {name} took")
    ours = seconds[claim.of]
    if claim.against:
        value = seconds[claim.against].sum() / ours.sum()
        reason = f"over {len(problems)} problems {ours.sum():.3g} s, {claim.against} {seconds[claim.against].sum():.3g} s"
    else:
        value = ours.max()
        reason = f"longest on {problems[int(ours.argmax())].label}; in the mean {ours.mean():.3g} s"
    measured = Estimate(float(value), np.nan, np.nan)
    return Outcome(HOLDS if claim.fulfilled_by(measured.value) else FAILS, reason, measured)

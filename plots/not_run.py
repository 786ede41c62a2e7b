"""How many claims no run could judge, and the commands that would judge them."""

import re
from collections import Counter

from claims import Verdict
from outcomes import NOT_RUN

MOST_NAMES = 12  # with more, the whole run is as quick to name
SETUP = re.compile(r"scripts/setup --with-[\w-]+")


def line(verdicts: list[Verdict]) -> str:
    """For the screen; empty where every claim was judged."""
    open_ones = list({verdict.claim.id: verdict for verdict in verdicts if verdict.outcome.status == NOT_RUN}.values())
    if not open_ones:
        return ""
    by_reproduce, remedies = [], Counter()
    for verdict in open_ones:
        claim, reason = verdict.claim, verdict.outcome.reason
        if claim.gpu_check:
            remedies["scripts/gpu-check on a machine with a GPU"] += 1
        elif library := SETUP.search(reason):
            remedies[f"{library[0]}, then the same runs again"] += 1
        elif claim.machines and reason.startswith("is about"):
            remedies[f"scripts/reproduce on {' or '.join(kind.name for kind in claim.machines)}"] += 1
        elif claim.quick or claim.full:
            by_reproduce.append(claim)
        else:
            remedies["a run of its experiment"] += 1
    judged_by = [*_reproduce(by_reproduce), *remedies.most_common()]
    commands = ". ".join(f"To judge {count}: {command}" for command, count in judged_by)
    return f"NOT RUN: {len(open_ones)} claim{'s' * (len(open_ones) > 1)}. {commands}"


def _reproduce(claims: list) -> list[tuple[str, int]]:
    """One command if a single mode can judge all of them."""
    mode = "quick" if all(claim.quick for claim in claims) else "full"
    first = [claim for claim in claims if getattr(claim, mode)]
    rest = [claim for claim in claims if claim not in first]
    found = []
    for of, group in ((mode, first), ("quick", rest)):
        names = dict.fromkeys(name for claim in group for name in getattr(claim, of))
        only = f"--only {','.join(names)}" if len(names) <= MOST_NAMES else ""
        if names:
            found.append((" ".join(filter(None, ("scripts/reproduce", "--full" * (of == "full"), only))), len(group)))
    return found

"""What tests of claims share: the stored claims, their outcomes on sweeps, and cells with other times."""

from copy import deepcopy
from dataclasses import replace

from claims import MEASURES, judge
from claims_file import STORED as CLAIMS
from claims_file import load_claims
from scaling import with_bases
from sweeps import Times

BY_ID = {claim.id: claim for claim in load_claims(CLAIMS)}
OF_RESNET50 = {  # on the host
    name: claim for name, claim in BY_ID.items()
    if claim.shapes in ("", "resnet50") and claim.statistic in MEASURES and not claim.experiment.startswith(("gpu-", "recursive-"))
}  # fmt: skip
SIMD, SEARCHED, WINOGRAD = "brickwork-simd", "brickwork-simd-searched", "brickwork-winograd"


def outcome(claim, *sweeps):
    (verdict,) = judge(BY_ID[claim], list(sweeps))
    return verdict.outcome


def retime(cell, samples):
    cell.times = Times.of_samples(samples)
    cell.__dict__.pop("resampled_seconds", None)


def stretch(cell, factor):
    retime(cell, cell.times.samples * factor)


def pinned(claim, **more):
    """The claim without its condition on the roof."""
    return replace(BY_ID[claim], or_of_roof=None, **more)


def beside_one_thread(sweep, slower=1.95):
    """The sweep, compared with itself on one thread, where everything takes so many times as long."""
    one = deepcopy(sweep)
    one.attributes["threads"] = 1
    for problem in one.problems:
        for cell in (*problem.cells.values(), problem.peak, problem.roof):
            if cell.ok:
                stretch(cell, slower)
    return with_bases([one, sweep])[-1]

"""What the project claims about its speed, and whether a run bears it out."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import derive
from derive import Estimate, Problem, Sweep
from style import OURS, label, peers

HOLDS, FAILS, UNCHECKED = "HOLDS", "DOES NOT HOLD", "NOT CHECKED"
RESNET50 = {f"layer{i:02d}" for i in range(1, 21)}


@dataclass(frozen=True)
class Outcome:
    status: str
    reason: str
    measured: Estimate | None = None


@dataclass(frozen=True)
class Claim:
    id: str
    sentence: str
    experiment: str
    needed: float
    measure: Callable[[Sweep, float], Outcome]
    threads: int | None = None  # None: any
    minibatch: int | None = None

    def mismatch(self, sweep: Sweep) -> str:
        """Why the sweep is not one that the claim speaks of; empty when it is."""
        wants = []
        if self.threads not in (None, sweep.threads):
            wants.append(f"{self.threads} thread{'s' * (self.threads > 1)}")
        if self.minibatch not in (None, sweep.minibatch):
            wants.append(f"N={self.minibatch}")
        if sweep.cache != "hot":
            wants.append("a hot cache")
        if sweep.epilogue not in ("", "none"):
            wants.append("no epilogue")
        return f"wants {' and '.join(wants)}, this run has {sweep.setting}" if wants else ""


@dataclass(frozen=True)
class Verdict:
    claim: Claim
    outcome: Outcome
    run: str


def judge_all(sweeps: list[Sweep]) -> list[Verdict]:
    return [verdict for claim in CLAIMS for verdict in judge(claim, sweeps)]


def judge(claim: Claim, sweeps: list[Sweep]) -> list[Verdict]:
    """A verdict for each sweep that the claim speaks of, or one that says why there is none."""
    candidates = [sweep for sweep in sweeps if sweep.experiment == claim.experiment]
    fitting = [sweep for sweep in candidates if not claim.mismatch(sweep)]
    if fitting:
        return [Verdict(claim, claim.measure(sweep, claim.needed), f"{sweep.run.name} ({sweep.setting})") for sweep in fitting]
    reasons = list(dict.fromkeys(claim.mismatch(sweep) for sweep in candidates))
    reason = "; ".join(reasons) if reasons else f"no {claim.experiment} run was given"
    return [Verdict(claim, Outcome(UNCHECKED, reason), "")]


# --- how a claim is measured -----------------------------------------------------------------------------------------


def at_least(measured: Estimate, needed: float, reason: str) -> Outcome:
    if measured.low < needed <= measured.high:
        reason += "; the 95 % interval holds the bound, so another run may judge otherwise"
    return Outcome(HOLDS if measured.value >= needed else FAILS, reason, measured)


def lacking(problems: list[Problem], *contenders: str, peak: bool = False) -> Outcome | None:
    """The outcome where not every contender has a number on every problem: a wrong result of ours breaks the claim."""
    for name in contenders:
        absent = [p for p in problems if not p.ok(name)]
        if not absent:
            continue
        first = absent[0]
        reason = first.cells[name].reason if name in first.cells else "it was not part of the run"
        where = first.label + (f" and {len(absent) - 1} more" if len(absent) > 1 else "")
        wrong = name in OURS and first.status(name) == "failed"
        return Outcome(FAILS if wrong else UNCHECKED, f"{name} has no number on {where}: {reason}")
    if peak and (unpaired := [p for p in problems if not p.peak]):
        return Outcome(UNCHECKED, f"no FMA peak was measured beside {unpaired[0].label}")
    return None


def lowest_fraction(shapes: list[Problem], contender: str, needed: float) -> Outcome:
    if not shapes:
        return Outcome(UNCHECKED, "the run holds none of these shapes")
    if missing := lacking(shapes, contender, peak=True):
        return missing
    fractions = [(derive.fraction_of_peak(p, contender), p) for p in shapes]
    lowest, where = min(fractions, key=lambda pair: pair[0].value)
    enough = sum(fraction.value >= needed for fraction, _ in fractions)
    return at_least(lowest, needed, f"lowest at {where.text}; {enough} of {len(shapes)} shapes reach the bound")


def resident(sweep: Sweep) -> list[Problem]:
    """Shapes on which a brick can be flop-bound: full k, a reduction long enough to hide the load and store of C, and
    operands that fit into L2 (where the run knows its size)."""
    l2_bytes = sweep.run.environment.get("cpu", {}).get("l2_bytes") or float("inf")

    def fits(p: Problem) -> bool:
        m, n, k, batch = (p.sizes[size] for size in ("m", "n", "k", "batch"))
        return k == 64 and batch * k >= 512 and m >= 6 and 4 * (batch * k * (m + n) + m * n) <= l2_bytes

    return [p for p in sweep.problems if fits(p)]


def brgemm_peak(sweep: Sweep, needed: float) -> Outcome:
    return lowest_fraction([p for p in resident(sweep) if p.sizes["n"] == 64 and p.sizes["m"] != 7], "simd", needed)


def brgemm_narrow(sweep: Sweep, needed: float) -> Outcome:
    return lowest_fraction([p for p in resident(sweep) if p.sizes["n"] == 16], "simd", needed)


def brgemm_seven_rows(sweep: Sweep, needed: float) -> Outcome:
    return lowest_fraction([p for p in resident(sweep) if p.sizes["n"] == 64 and p.sizes["m"] == 7], "simd", needed)


def brgemm_libxsmm(sweep: Sweep, needed: float) -> Outcome:
    reduction = derive.commonest_reduction(sweep.problems)  # one (k, batch), so that every (m, n) counts once
    shapes = [
        p for p in sweep.problems
        if p.sizes["m"] <= 64 and p.sizes["n"] in (16, 32, 48, 64) and (p.sizes["k"], p.sizes["batch"]) == reduction
    ]
    widths = {p.sizes["n"] for p in shapes}
    if widths != {16, 32, 48, 64}:
        return Outcome(UNCHECKED, f"the run holds n in {sorted(widths)}, the claim speaks of 16, 32, 48 and 64")
    if missing := lacking(shapes, "simd", "libxsmm"):
        return missing
    heights = len({p.sizes["m"] for p in shapes})
    measured = derive.geometric_mean_ratio(shapes, "simd", "libxsmm")
    where = f"{heights} of the 64 values of m, k={reduction[0]}, batch={reduction[1]}"
    return at_least(measured, needed, f"geometric mean over {len(shapes)} shapes, {where}")


def batch_reduce(sweep: Sweep, needed: float) -> Outcome:
    shapes = [p for p in sweep.problems if p.sizes["batch"] > 1]
    if not shapes:
        return Outcome(UNCHECKED, "the run holds no shape with a batch above 1")
    if missing := lacking(shapes, "libxsmm", "libxsmm-gemm"):
        return missing
    return at_least(derive.geometric_mean_ratio(shapes, "libxsmm", "libxsmm-gemm"), needed, f"geometric mean over {len(shapes)} shapes")


def batch_reduce_best_loop(sweep: Sweep, needed: float) -> Outcome:
    shapes = [p for p in sweep.problems if p.sizes["batch"] > 1]
    rivals = peers(sweep.contenders)
    loops = [p for p in shapes if derive.fastest(p, rivals)]
    if not loops:
        return Outcome(UNCHECKED, "the run holds no loop of small GEMMs and no batched matmul on a batch above 1")
    if missing := lacking(loops, "simd"):
        return missing
    measured = derive.geometric_mean_ratio(loops, "simd", lambda p: derive.fastest(p, rivals))
    present = [name for name in rivals if any(p.ok(name) for p in loops)]
    return at_least(measured, needed, f"geometric mean over {len(loops)} shapes, best of {', '.join(present)} on each")


def resnet50(sweep: Sweep) -> Outcome | None:
    names = {p.name for p in sweep.problems}
    if absent := RESNET50 - names:
        return Outcome(UNCHECKED, f"the run holds {len(RESNET50 & names)} of ResNet-50's 20 layers; {min(absent)} is absent")
    return None


def conv_peak(sweep: Sweep, needed: float) -> Outcome:
    if missing := resnet50(sweep) or lacking(sweep.problems, "simd", peak=True):
        return missing
    fractions = [derive.fraction_of_peak(p, "simd").value for p in sweep.problems]
    plain = f"{len(fractions)} layers; plain average over the layers {np.mean(fractions):.3f}, lowest {min(fractions):.3f}"
    return at_least(derive.weighted_fraction_of_peak(sweep.problems, "simd"), needed, plain)


def conv_against(peer: str) -> Callable[[Sweep, float], Outcome]:
    def measure(sweep: Sweep, needed: float) -> Outcome:
        if missing := resnet50(sweep) or lacking(sweep.problems, "simd", peer):
            return missing
        measured = derive.weighted_ratio(sweep.problems, "simd", peer)
        return at_least(measured, needed, f"{len(sweep.problems)} layers against {label(peer, sweep.version(peer))}")

    return measure


def conv_every_layer_against(peer: str) -> Callable[[Sweep, float], Outcome]:
    def measure(sweep: Sweep, needed: float) -> Outcome:
        if missing := resnet50(sweep) or lacking(sweep.problems, "simd", peer):
            return missing
        ratios = [(derive.ratio(p, "simd", peer), p) for p in sweep.problems]
        lowest, where = min(ratios, key=lambda pair: pair[0].value)
        below = sum(value.value < needed for value, _ in ratios)
        return at_least(lowest, needed, f"lowest of {len(ratios)} layers, {where.label}; {below} below the bound")

    return measure


# --- the table -------------------------------------------------------------------------------------------------------

CLAIMS = [
    Claim("brgemm-peak", "The simd brick reaches 0.97 of the measured FMA peak on every shape in L2 with n = k = 64, m >= 6 but "
          "7, batch*k >= 512.", "brgemm", 0.97, brgemm_peak, threads=1),
    Claim("brgemm-libxsmm", "The simd brick is at least 0.97 times as fast as LIBXSMM's, in geometric mean over m in 1..64 and "
          "n in 16, 32, 48, 64.", "brgemm", 0.97, brgemm_libxsmm, threads=1),
    Claim("brgemm-narrow", "The simd brick reaches 0.95 of peak on every shape with n = 16, k = 64, m >= 6, batch*k >= 512.",
          "brgemm", 0.95, brgemm_narrow, threads=1),
    Claim("brgemm-seven-rows", "The simd brick reaches 0.95 of peak at m = 7, n = k = 64, batch*k >= 512.",
          "brgemm", 0.95, brgemm_seven_rows, threads=1),
    Claim("batch-reduce", "One batch-reduce call beats a loop of small GEMMs of the same library (LIBXSMM), in geometric mean.",
          "brgemm", 1.0, batch_reduce, threads=1),
    Claim("batch-reduce-best", "The simd brick beats the best loop of small GEMMs or batched matmul of each shape, in geometric mean.",
          "brgemm", 1.0, batch_reduce_best_loop, threads=1),
    Claim("conv-peak", "ResNet-50 convolution forward, weighted: 0.95 of the measured FMA peak at N=28.",
          "conv-forward", 0.95, conv_peak, threads=2, minibatch=28),
    Claim("conv-onednn", "ResNet-50 convolution forward, weighted: 1.03 times as fast as oneDNN at N=28.",
          "conv-forward", 1.03, conv_against("onednn"), threads=2, minibatch=28),
    Claim("conv-onednn-every-layer", "No ResNet-50 layer is slower than 0.97 of oneDNN at N=28.",
          "conv-forward", 0.97, conv_every_layer_against("onednn"), threads=2, minibatch=28),
    Claim("conv-libxsmm-dnn", "ResNet-50 convolution forward, weighted: 1.08 times as fast as LIBXSMM's own primitives at N=28.",
          "conv-forward", 1.08, conv_against("libxsmm-dnn"), threads=2, minibatch=28),
    Claim("conv-onednn-one-image", "ResNet-50 convolution forward, weighted: at least as fast as oneDNN at N=1.",
          "conv-forward", 1.0, conv_against("onednn"), threads=2, minibatch=1),
    Claim("paper-83-percent", "The paper: \"ResNet-50 convolutions average 83 % efficiency\" (pass and weighting not stated). Ours: "
          "forward, weighted, N=28, any number of threads.", "conv-forward", 0.83, conv_peak, minibatch=28),
]

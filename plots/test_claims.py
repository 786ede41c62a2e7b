from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace

import pytest
from pytest import approx

from claims import judge, judge_all
from claims_file import Condition
from conftest import with_searched
from derive import Estimate
from outcomes import FAILS, HOLDS, NOT_RUN, OUT_OF_REACH, UNDECIDED, every_one, of_all
from sweeps import Times
from testing.judged import BY_ID, SEARCHED, SIMD, WINOGRAD, outcome, pinned, retime, stretch


def test_each_claim_gets_a_verdict(conv, brgemm):
    assert [v.claim.id for v in judge_all(list(BY_ID.values()), [conv, brgemm])] == list(BY_ID)
    assert {v.outcome.status for v in judge_all(list(BY_ID.values()), [])} == {NOT_RUN}


@pytest.mark.parametrize(
    ("claim", "status", "value"),
    [
        ("brgemm-peak", HOLDS, 0.98 / 0.98),
        ("brgemm-seven-rows", FAILS, 0.90 / 0.98),
        ("brgemm-narrow", HOLDS, 0.96 / 0.98),
        ("brgemm-libxsmm", HOLDS, ((0.96 / 0.88) ** 4 * 0.90 / 0.98) ** (1 / 16)),
        ("batch-reduce", HOLDS, ((0.88 / 0.49) ** 4 * 2**12) ** (1 / 16)),
        ("batch-reduce-best", HOLDS, ((0.96 / 0.49) ** 4 * 2**11 * 0.90 / 0.49) ** (1 / 16)),
    ],
)
def test_brgemm_claims(brgemm, claim, status, value):
    found = outcome(claim, brgemm)
    assert (found.status, found.measured.value) == (status, approx(value))


def test_a_claim_ignores_shapes_outside_its_condition(brgemm):
    slow = next(p for p in brgemm.problems if (p.sizes["m"], p.sizes["n"]) == (28, 64))
    stretch(slow.cells[SIMD], 2)
    assert outcome("brgemm-peak", brgemm).status == FAILS
    slow.sizes["batch"] = 7  # batch*k = 448 is too short a reduction to be held to the bound
    assert outcome("brgemm-peak", brgemm).status == HOLDS


def test_conv_claims_hold_and_fail(resnet50):
    sweep = resnet50(brickwork_simd=0.017, onednn=0.018, libxsmm_dnn=0.018)  # 4e9 flop, peak 240 GFLOP/s, loaded roof 236
    assert outcome("conv-peak", sweep).measured.value == approx(4 / 0.017 / 236)
    assert outcome("conv-peak", sweep).status == HOLDS
    assert outcome("paper-efficiency", sweep).measured.value == approx(4 / 0.017 / 240)
    assert outcome("paper-efficiency", sweep).status == HOLDS
    assert outcome("conv-onednn", sweep).status == HOLDS
    assert outcome("conv-onednn", sweep).measured.value == approx(18 / 17)
    assert outcome("conv-onednn-every-layer", sweep).status == HOLDS
    assert judge(pinned("conv-libxsmm-dnn", bound=1.06), [sweep])[0].outcome.status == FAILS
    assert outcome("conv-onednn-one-image", sweep).status == NOT_RUN


def test_one_slow_layer_breaks_the_claim_on_every_layer_only(resnet50):
    sweep = resnet50(brickwork_simd=0.017, onednn=0.018)
    retime(sweep.problems[4].cells[SIMD], [0.019] * 3)
    assert outcome("conv-onednn", sweep).status == HOLDS
    found = outcome("conv-onednn-every-layer", sweep)
    assert found.status == FAILS
    assert found.measured.value == approx(18 / 19)
    assert found.reason == "lowest at layer05; 19 of 20 problems reach the bound"


# A cell's time is that of reading alone, or twice that; where nothing is known of reading, the ratio has to do.
def test_a_claim_may_leave_out_problems_as_fast_as_reading_alone(resnet50):
    sweep = resnet50(brickwork_simd=0.04, onednn=0.02)
    for problem in sweep.problems[:-1]:
        problem.read = deepcopy(problem.cells[SIMD])
    claim = replace(BY_ID["conv-onednn-every-layer"], where=Condition("read_share < 0.85"))
    found = judge(claim, [sweep])[0].outcome
    assert (found.status, found.measured.value) == (FAILS, approx(0.5))
    assert found.reason.startswith("lowest at layer20; 0 of 1 problems reach the bound")
    retime(sweep.problems[0].read, [0.02] * 3)
    assert "; 0 of 2 problems" in judge(claim, [sweep])[0].outcome.reason
    sweep.problems[1].cells[SIMD].status = "failed"
    assert judge(claim, [sweep])[0].outcome.status == FAILS


# --- what nobody can reach


# 4e9 flop take 4 / 236 s at the loaded roof.
def test_a_bound_beyond_the_machines_limit_is_out_of_reach(resnet50):
    sweep = resnet50(brickwork_simd=0.018, onednn=0.0175, libxsmm_dnn=0.0175)
    beyond = 0.0175 * 236 / 4
    assert beyond < 1.08
    claim = pinned("conv-libxsmm-dnn", bound=1.08)
    found = judge(claim, [sweep])[0].outcome
    assert (found.status, found.measured.value) == (OUT_OF_REACH, approx(175 / 180))
    assert found.reason.endswith(f"; the machine's own limit gives {beyond:.3f}")
    assert judge(replace(claim, bound=beyond - 0.001), [sweep])[0].outcome.status == FAILS
    for problem in sweep.problems:
        problem.cells["libxsmm-dnn"].least_flop /= 2  # as if half of the filter's taps met the padding
    assert judge(claim, [sweep])[0].outcome.status == FAILS


def test_problems_beyond_the_machines_limit_are_named_and_the_others_judge(resnet50):
    sweep = resnet50(brickwork_simd=0.019, onednn=0.02)
    for problem in sweep.problems[:2]:
        retime(problem.cells["onednn"], [0.016] * 3)
    beyond = 0.016 * 236 / 4
    far = f"; the machine's own limit is below the bound on layer01 {beyond:.3f}, layer02 {beyond:.3f}"
    found = outcome("conv-onednn-every-layer", sweep)
    assert (found.status, found.measured.value) == (OUT_OF_REACH, approx(16 / 19)) and found.reason.endswith(far)
    retime(sweep.problems[2].cells["onednn"], [0.0184] * 3)  # within reach, and slower than the bound of 0.97 allows
    retime(sweep.problems[2].cells[SIMD], [0.02] * 3)
    found = outcome("conv-onednn-every-layer", sweep)
    assert (found.status, found.measured.value) == (FAILS, approx(0.92))
    assert found.reason == f"lowest at layer03; 17 of 18 problems reach the bound{far}"
    for problem in sweep.problems:
        problem.roof = problem.peak = None
    found = outcome("conv-onednn-every-layer", sweep)
    assert (found.status, found.reason) == (FAILS, "lowest at layer01; 17 of 20 problems reach the bound")


# The claim asks for the rival's speed or for 0.95 of the loaded roof, whichever is less: of 236 GFLOP/s 4 / 0.017 is 0.997.
def test_a_share_of_the_roof_is_enough(resnet50):
    fast = resnet50(brickwork_simd=0.017, onednn=0.0168)
    found = outcome("conv-onednn", fast)
    assert found.status == HOLDS and found.reason.endswith("; on 20 of 20 problems 0.95 of the loaded roof is enough")
    assert found.measured.value == approx(4 / 0.017 / (0.95 * 236))
    assert judge(pinned("conv-onednn"), [fast])[0].outcome.measured.value == approx(168 / 170)
    for ours, onednn, status, value in ((0.0185, 0.0175, FAILS, 4 / 0.0185 / (0.95 * 236)), (0.02, 0.021, HOLDS, 1.05)):
        for problem in fast.problems:
            retime(problem.cells[SIMD], [ours] * 3)
            retime(problem.cells["onednn"], [onednn] * 3)
        found = outcome("conv-onednn", fast)
        assert (found.status, found.measured.value) == (status, approx(value))
    assert "on 0 of 20 problems" in found.reason


def test_a_share_of_the_roof_is_enough_on_each_layer(resnet50):
    sweep = resnet50(brickwork_simd=0.017, onednn=0.0168)
    claim = replace(BY_ID["conv-onednn-every-layer"], or_of_roof=0.95, bound=1.0)
    assert judge(claim, [sweep])[0].outcome.status == HOLDS
    retime(sweep.problems[3].cells[SIMD], [0.018] * 3)
    found = judge(claim, [sweep])[0].outcome
    assert found.status == FAILS and found.reason.startswith("lowest at layer04; 19 of 20")
    sweep.problems[3].roof = None
    assert judge(claim, [sweep])[0].outcome.measured.value == approx(168 / 180)


@pytest.mark.parametrize(("claim", "minibatch"), [("plan-rule", 28), ("plan-rule-one-image", 1)])
def test_one_layer_with_a_better_plan_breaks_the_claim_on_the_rule(resnet50, claim, minibatch):
    sweep = resnet50(minibatch, change=with_searched, brickwork_simd=0.02)
    assert outcome(claim, sweep).status == HOLDS
    retime(sweep.problems[7].cells[SEARCHED], [0.019] * 3)
    found = outcome(claim, sweep)
    assert (found.status, found.measured.value) == (FAILS, approx(0.95))
    assert found.reason == "lowest at layer08; 19 of 20 problems reach the bound"


@pytest.mark.parametrize(
    ("claim", "shapes"), [("plan-rule-deepbench", "deepbench"), ("plan-rule-other-networks", "vgg-inception-mobilenet")]
)
def test_the_rule_on_other_networks_is_judged_by_the_geometric_mean(resnet50, claim, shapes):
    sweep = resnet50(change=lambda rows: with_searched(rows).assign(shapes=shapes), brickwork_simd=0.02)
    retime(sweep.problems[7].cells[SEARCHED], [0.01] * 3)
    found = outcome(claim, sweep)
    assert (found.status, found.measured.value) == (HOLDS, approx(0.5 ** (1 / 20)))
    for problem in sweep.problems:
        retime(problem.cells[SEARCHED], [0.018] * 3)
    assert outcome(claim, sweep).status == FAILS


def test_without_a_search_the_rule_is_not_judged(resnet50):
    found = outcome("plan-rule", resnet50())
    assert found.status == NOT_RUN
    assert found.reason == "brickwork-simd-searched has no number on layer01 and 19 more: it was not part of the run"


def test_a_searched_plan_is_no_rival(resnet50):
    sweep = resnet50(change=lambda rows: with_searched(rows).assign(ours="no"))
    assert SEARCHED not in sweep.peers and SEARCHED not in sweep.contenders
    assert sweep.other_plans == {SIMD: [SEARCHED]}


def test_one_image(resnet50):
    assert outcome("conv-onednn-one-image", resnet50(minibatch=1, brickwork_simd=0.018, onednn=0.018)).status == HOLDS


def test_one_image_fails(resnet50):
    assert outcome("conv-onednn-one-image", resnet50(minibatch=1, brickwork_simd=0.019, onednn=0.018)).status == FAILS




def test_a_wrong_result_of_ours_fails_and_a_wrong_result_of_a_peer_is_not_judged(resnet50):
    sweep = resnet50(brickwork_simd=0.017, onednn=0.018)
    sweep.problems[2].cells["onednn"].status = "failed"
    assert outcome("conv-onednn", sweep).status == NOT_RUN
    sweep.problems[1].cells[SIMD].status = "unsupported"
    sweep.problems[2].cells[SIMD].status = "failed"
    assert outcome("conv-peak", sweep).status == FAILS
    assert outcome("conv-peak", sweep).measured is None


def test_the_faster_one_of_two_of_ours_counts_on_each_problem(resnet50):
    sweep = resnet50(brickwork_simd=0.017, onednn=0.018)
    assert outcome("conv-either", sweep).reason == "brickwork-winograd has no number on layer01 and 19 more: it was not part of the run"
    sweep.ours |= {WINOGRAD}
    for problem in sweep.problems[:10]:
        problem.cells[WINOGRAD] = replace(problem.cells[SIMD], identity=WINOGRAD, times=Times.of_samples([0.009] * 3))
    retime(sweep.problems[0].cells[WINOGRAD], [0.027] * 3)
    found = outcome("conv-either", sweep)
    assert (found.status, found.measured.value) == (HOLDS, approx(20 * 18 / (9 * 9 + 11 * 17)))
    sweep.problems[12].cells[SIMD].status = "unsupported"
    assert outcome("conv-either", sweep).status == NOT_RUN
    sweep.problems[3].cells[WINOGRAD].status = "failed"  # though the other one is right there
    assert outcome("conv-either", sweep).status == FAILS
    assert "brickwork-winograd has no number on layer04" in outcome("conv-either", sweep).reason


def test_the_machines_limit_does_not_hold_for_an_algorithm_with_fewer_operations(resnet50):
    sweep = resnet50(brickwork_simd=0.017, onednn=0.0175)
    for problem in sweep.problems:
        problem.sizes |= {"R": 3, "stride_h": 1}
        problem.cells[WINOGRAD] = replace(problem.cells[SIMD], identity=WINOGRAD)
    assert outcome("conv-winograd", sweep).status == OUT_OF_REACH
    for problem in sweep.problems:
        problem.cells[WINOGRAD].least_flop *= 16 / 36
    found = outcome("conv-winograd", sweep)
    assert found.status == FAILS


def test_without_peers_there_is_no_best_peer(brgemm):
    for problem in brgemm.problems:
        problem.cells = {name: cell for name, cell in problem.cells.items() if name in brgemm.ours}
    assert outcome("batch-reduce-best", brgemm).reason == "no contender but ours has a number on any of these problems"


def test_two_fitting_runs_get_a_verdict_each(brgemm):
    assert len(judge(BY_ID["brgemm-peak"], [brgemm, brgemm])) == 2


def test_an_interval_that_holds_the_bound_decides_nothing(resnet50):
    sweep = resnet50(onednn=0.02)  # simd 16, 20, 24 ms
    for bound, status in ((0.8, HOLDS), (0.9, UNDECIDED), (1.0, UNDECIDED), (1.1, UNDECIDED), (1.5, FAILS)):
        (verdict,) = judge(replace(BY_ID["conv-onednn-every-layer"], bound=bound, against="im2col"), [with_im2col_of(sweep, 0.02)])
        assert verdict.outcome.status == status, bound


def with_im2col_of(sweep, seconds):
    """Ours needs fewer operations than im2col, so that no limit of the machine is in the way."""
    for problem in sweep.problems:
        ours = problem.cells[SIMD]
        problem.cells["im2col"] = replace(ours, plan="", least_flop=2 * ours.least_flop, times=Times.of_samples([seconds] * 3))
    return sweep


# One of 20 layers that are as fast as the rival looks slow by chance: its own 95 % interval would say that it is slower.
def test_the_lowest_of_many_may_be_low_by_chance():
    claim = replace(BY_ID["conv-onednn-every-layer"], bound=1.0)
    problems = [SimpleNamespace(label=f"layer{i:02d}") for i in range(1, 21)]
    even, low = Estimate(1.002, 1.0, 1.004), Estimate(0.9978, 0.9956, 0.9999)
    assert every_one(claim, [low], problems[:1]).status == FAILS
    found = every_one(claim, [even] * 19 + [low], problems)
    assert (found.status, found.measured.value, found.measured.low) == (UNDECIDED, 0.9978, 0.9956)
    assert found.reason == "lowest at layer20; 19 of 20 problems reach the bound"
    assert every_one(claim, [even] * 19 + [Estimate(0.99, 0.988, 0.992)], problems).status == FAILS


def test_the_intervals_of_all_hold_at_once():
    assert of_all(Estimate(1.0, 0.9, 1.1), 1) == approx(1.1)
    assert of_all(Estimate(1.0, 0.9, 1.1), 20) == approx(1.1 ** (3.0233 / 1.95996), rel=1e-4)

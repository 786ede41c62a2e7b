import pytest
from pytest import approx

from claims import CLAIMS, FAILS, HOLDS, UNCHECKED, judge, judge_all, resident

BY_ID = {claim.id: claim for claim in CLAIMS}


def outcome(claim, *sweeps):
    (verdict,) = judge(BY_ID[claim], list(sweeps))
    return verdict.outcome


def test_ids_are_unique_and_each_claim_gets_a_verdict(conv, brgemm):
    assert len(BY_ID) == len(CLAIMS)
    assert [v.claim.id for v in judge_all([conv, brgemm])] == [c.id for c in CLAIMS]
    assert {v.outcome.status for v in judge_all([])} == {UNCHECKED}


@pytest.mark.parametrize(
    ("claim", "status", "value"),
    [
        ("brgemm-peak", HOLDS, 0.98),
        ("brgemm-seven-rows", FAILS, 0.90),
        ("brgemm-narrow", HOLDS, 0.96),
        ("brgemm-libxsmm", HOLDS, ((0.96 / 0.88) ** 4 * 0.90 / 0.98) ** (1 / 16)),
        ("batch-reduce", HOLDS, ((0.88 / 0.49) ** 4 * 2**12) ** (1 / 16)),
        ("batch-reduce-best", HOLDS, ((0.96 / 0.49) ** 4 * 2**11 * 0.90 / 0.49) ** (1 / 16)),
    ],
)
def test_brgemm_claims(brgemm, claim, status, value):
    found = outcome(claim, brgemm)
    assert (found.status, found.measured.value) == (status, approx(value))


def test_a_claim_on_the_peak_ignores_shapes_it_does_not_speak_of(brgemm):
    slow = next(p for p in brgemm.problems if (p.sizes["m"], p.sizes["n"]) == (28, 64))
    slow.cells["simd"].samples *= 2
    assert outcome("brgemm-peak", brgemm).status == FAILS
    slow.sizes["batch"] = 7  # batch*k = 448 is too short a reduction to be held to the bound
    assert outcome("brgemm-peak", brgemm).status == HOLDS


def test_conv_claims_hold_and_do_not_hold(resnet50):
    sweep = resnet50(simd=0.017, onednn=0.018, libxsmm_dnn=0.018)  # 4e9 flop, peak 240 GFLOP/s
    assert outcome("conv-peak", sweep).measured.value == approx(4 / 0.017 / 240)
    assert outcome("conv-peak", sweep).status == HOLDS
    assert outcome("paper-83-percent", sweep).status == HOLDS
    assert outcome("conv-onednn", sweep).status == HOLDS
    assert outcome("conv-onednn", sweep).measured.value == approx(18 / 17)
    assert outcome("conv-onednn-every-layer", sweep).status == HOLDS
    assert outcome("conv-libxsmm-dnn", sweep).status == FAILS
    assert outcome("conv-onednn-one-image", sweep).status == UNCHECKED


def test_one_slow_layer_breaks_the_claim_on_every_layer_only(resnet50):
    sweep = resnet50(simd=0.017, onednn=0.018)
    sweep.problems[4].cells["simd"].samples[:] = 0.019
    assert outcome("conv-onednn", sweep).status == HOLDS
    found = outcome("conv-onednn-every-layer", sweep)
    assert found.status == FAILS
    assert found.measured.value == approx(18 / 19)
    assert "layer05" in found.reason


def test_one_image(resnet50):
    assert outcome("conv-onednn-one-image", resnet50(minibatch=1, simd=0.018, onednn=0.018)).status == HOLDS


def test_one_image_not_held(resnet50):
    assert outcome("conv-onednn-one-image", resnet50(minibatch=1, simd=0.019, onednn=0.018)).status == FAILS


@pytest.mark.parametrize("claim", [c.id for c in CLAIMS if c.experiment == "conv-forward"])
def test_another_minibatch_is_not_checked(conv, claim):
    found = outcome(claim, conv)
    assert found.status == UNCHECKED and found.measured is None
    assert "this run has N=2, 2 threads" in found.reason


def test_another_thread_count_is_not_checked(brgemm):
    brgemm.threads = 2
    found = outcome("brgemm-peak", brgemm)
    assert found.status == UNCHECKED and found.reason.startswith("wants 1 thread, this run has 2 threads")


def test_another_experiment_is_not_checked(conv):
    assert outcome("brgemm-peak", conv).reason == "no brgemm run was given"


def test_an_absent_contender_is_not_checked(resnet50):
    found = outcome("conv-onednn", resnet50(drop=lambda row: row["contender"] == "onednn"))
    assert found.status == UNCHECKED
    assert found.reason == "onednn has no number on layer01 and 19 more: it was not part of the run"


def test_absent_layers_are_not_checked(resnet50):
    found = outcome("conv-peak", resnet50(drop=lambda row: row["name"] == "layer01"))
    assert found.status == UNCHECKED
    assert found.reason == "the run holds 19 of ResNet-50's 20 layers; layer01 is absent"


def test_a_shape_beyond_l2_is_not_asked_for_the_peak(brgemm):
    sizes = {"m": 64, "n": 64, "k": 64, "batch": 64}
    for problem in brgemm.problems:
        problem.sizes.update(sizes)
    assert resident(brgemm) == brgemm.problems
    brgemm.run.environment["cpu"]["l2_bytes"] = 1 << 20
    assert resident(brgemm) == []


def test_an_absent_peak_is_not_checked(resnet50):
    found = outcome("conv-peak", resnet50(drop=lambda row: row["contender"] == "fma-peak"))
    assert found.status == UNCHECKED and "no FMA peak" in found.reason


def test_a_wrong_result_of_ours_breaks_a_claim_and_one_of_a_peer_leaves_it_open(resnet50):
    sweep = resnet50(simd=0.017, onednn=0.018)
    sweep.problems[2].cells["onednn"].status = "failed"
    assert outcome("conv-onednn", sweep).status == UNCHECKED
    sweep.problems[2].cells["simd"].status = "failed"
    assert outcome("conv-peak", sweep).status == FAILS
    assert outcome("conv-peak", sweep).measured is None


def test_two_fitting_runs_get_a_verdict_each(brgemm):
    assert len(judge(BY_ID["brgemm-peak"], [brgemm, brgemm])) == 2


def test_an_interval_around_the_bound_is_pointed_out(resnet50):
    sweep = resnet50(onednn=0.02)  # simd 16, 20, 24 ms
    assert "the 95 % interval holds the bound" in outcome("conv-onednn-every-layer", sweep).reason

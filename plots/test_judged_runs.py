"""Which runs and problems a claim judges: by minibatch, threads, shapes, processor, caches and limits."""

import re
from dataclasses import replace

import pytest
from pytest import approx

from claims import chosen, judge
from claims_file import Condition
from claims_plans import is_about_rankings
from conftest import RANKED, on_device, with_all_of_ours
from outcomes import FAILS, HOLDS, NOT_RUN, OUT_OF_REACH
from testing.judged import BY_ID, OF_RESNET50, SEARCHED, SIMD, beside_one_thread, outcome, retime

NEVER_ALONE = set(RANKED) - {SIMD, SEARCHED}  # but with ranked plans


def of_its_experiment(claim, network):
    """A network's run as if it were one of the pass and the shapes of which the claim speaks, with layers of every kind."""
    for problem, sizes in zip(network.problems, ({"C": 3, "stride_h": 2}, {"C": 64, "stride_h": 2}), strict=False):
        problem.sizes.update(sizes)
    attributes = network.attributes | {"shapes": BY_ID[claim].shapes}
    return replace(network, experiment=BY_ID[claim].experiment, attributes=attributes)


@pytest.mark.parametrize("claim", [claim.id for claim in OF_RESNET50.values() if "N ==" in claim.when.text])
def test_another_minibatch_is_not_judged(conv, claim):
    found = outcome(claim, of_its_experiment(claim, conv))
    assert found.status == NOT_RUN and found.measured is None
    assert re.match("needs (28 images|1 image|4 or 28 images)", found.reason) and f"({BY_ID[claim].when.text})" in found.reason
    assert found.reason.endswith("this run has N=2, 2 threads, hot cache, f32")


def without_rankings(sweep):
    left = [replace(p, cells={name: cell for name, cell in p.cells.items() if name not in NEVER_ALONE}) for p in sweep.problems]
    return replace(sweep, problems=left)


def test_another_thread_count_is_not_judged(brgemm):
    brgemm.attributes["threads"] = 2
    found = outcome("brgemm-peak", brgemm)
    assert found.status == NOT_RUN
    assert found.reason.startswith("needs one core (threads == 1), this run has ")


def test_all_cores_are_those_of_the_machine(resnet50):
    sweep = resnet50(brickwork_simd=0.017, onednn=0.018)
    cpu = sweep.run.environment["cpu"]
    for usable, quota, all_cores in [(2, None, True), (4, None, False), (4, 2.5, True), (4, 3, False), (2, 0.5, False), (None, None, True)]:
        cpu |= {"usable_cores": usable, "quota_cpus": quota}
        assert outcome("conv-onednn", sweep).status == (HOLDS if all_cores else NOT_RUN), (usable, quota)


@pytest.mark.parametrize(
    ("column", "usual", "value"), [("cache", "hot", "cold"), ("epilogue", "none", "relu"), ("dtype", "f32", "bf16")]
)
def test_no_claim_judges_cold_caches_epilogues_or_other_types(brgemm, resnet50, column, usual, value):
    ranked = resnet50(brickwork_simd=0.017, onednn=0.018, libxsmm_dnn=0.018, change=with_all_of_ours)
    network = beside_one_thread(without_rankings(ranked))
    for name, claim in OF_RESNET50.items():
        of = ranked if is_about_rankings(claim) else network
        sweep = brgemm if claim.experiment == brgemm.experiment else of_its_experiment(name, of)
        if column in sweep.attributes:
            fitting = sweep.attributes | {"N": 1 if "N == 1" in claim.when.text else 28}
            found = [outcome(name, replace(sweep, attributes=held)) for held in (fitting, fitting | {column: value})]
            assert found[0].status in (HOLDS, FAILS, OUT_OF_REACH), name
            assert found[1].status == NOT_RUN and found[1].reason.startswith(f"needs {column} == '{usual}', this run has "), name


@pytest.mark.parametrize("column", ["cache", "epilogue"])
def test_a_column_that_varies_within_a_run_is_not_usual(resnet50, column):
    sweep = resnet50(brickwork_simd=0.017, onednn=0.018)
    del sweep.attributes[column]
    assert outcome("conv-onednn", sweep).status == NOT_RUN


def test_a_claim_may_be_about_cold_caches(brgemm):
    usual = BY_ID["brgemm-peak"]
    claim = replace(usual, when=Condition("threads == 1 and cache == 'cold'"), usual={"dtype": "f32"})
    assert [judge(claim, [brgemm])[0].outcome.status, judge(usual, [brgemm])[0].outcome.status] == [NOT_RUN, HOLDS]
    brgemm.attributes["cache"] = "cold"
    assert [judge(claim, [brgemm])[0].outcome.status, judge(usual, [brgemm])[0].outcome.status] == [HOLDS, NOT_RUN]


def test_a_column_that_varies_within_a_run_fulfils_no_condition(brgemm):
    del brgemm.attributes["threads"]
    assert outcome("brgemm-libxsmm", brgemm).status == NOT_RUN


def test_another_experiment_is_not_judged(conv):
    assert outcome("brgemm-peak", conv).reason == "no brgemm run was given that measured anything"


def test_an_absent_contender_is_not_judged(resnet50):
    found = outcome("conv-onednn", resnet50(drop=lambda row: row["contender"] == "onednn"))
    assert found.status == NOT_RUN
    assert found.reason == "onednn has no number on layer01 and 19 more: it was not part of the run"


def test_a_run_with_absent_layers_is_not_judged(resnet50):
    found = outcome("conv-peak", resnet50(drop=lambda row: row["name"] == "layer01"))
    assert found.status == NOT_RUN
    assert found.reason == "the run holds 19 of resnet50's 20 problems"


@pytest.mark.parametrize(("shapes", "has"), [("vgg", "vgg"), ("", "shapes of no set")])
def test_another_set_of_shapes_is_not_judged(resnet50, shapes, has):
    problems = "20" if shapes else ""
    sweep = resnet50(change=lambda rows: rows.assign(shapes=shapes, problems=problems))
    assert outcome("conv-peak", sweep).reason == f"needs resnet50, this run has {has}"


def test_a_bound_that_depends_on_the_processor_is_not_judged_on_another(brgemm):
    for claim in ("brgemm-narrow", "brgemm-seven-rows"):
        assert outcome(claim, brgemm).status in (HOLDS, FAILS)
        brgemm.run.environment["cpu"] |= {"id": "family 6, model 207, stepping 2", "name": "An Intel"}
        found = outcome(claim, brgemm)
        assert (found.status, found.reason) == (NOT_RUN, "is about Zen 4 and Zen 5, this run is on An Intel")
        brgemm.run.environment["cpu"] |= {"id": "family 25, model 17, stepping 1"}


@pytest.fixture
def on_h200(resnet50):
    """on_h200(name, **seconds): ResNet-50's layers with 256 images on a GPU of that name, oneDNN in cuDNN's place."""

    def make(name: str = "NVIDIA H200", **seconds: float):
        gpu = {"brickwork-simd": "brickwork-portable", "onednn": "cudnn"}

        def change(rows):
            return on_device(rows).replace({"contender": gpu, "experiment": {"conv-forward": "gpu-conv-forward"}})

        sweep = resnet50(minibatch=256, change=change, **seconds)
        sweep.run.environment["gpu"] = {"name": name}
        return sweep

    return make


@pytest.mark.parametrize(("seconds", "status"), [(0.00015, HOLDS), (0.00021, FAILS)])
def test_claims_on_a_gpu_judge_speed_and_the_ratio_to_the_vendor(on_h200, seconds, status):
    sweep = on_h200(brickwork_simd=seconds, onednn=0.0001)  # 4e9 flop
    ratio, speed = (outcome(f"gpu-conv-forward-portable{suffix}", sweep) for suffix in ("", "-speed"))
    assert (ratio.status, ratio.measured.value) == (status, approx(0.0001 / seconds))
    assert (speed.status, speed.measured.value) == (status, approx(0.004 / seconds))
    assert outcome("gpu-conv-forward-mma", sweep).status == NOT_RUN


def test_a_speed_on_one_gpu_is_not_judged_on_another(on_h200):
    found = outcome("gpu-conv-forward-portable-speed", on_h200("NVIDIA A100", brickwork_simd=0.00015))
    assert found.status == NOT_RUN and "is about NVIDIA H200, this run is on NVIDIA A100" in found.reason


def test_a_run_without_a_processor_is_not_judged_by_a_bound_for_one_processor(brgemm):
    del brgemm.run.environment["cpu"]
    assert outcome("brgemm-narrow", brgemm).reason.endswith("this run is on an unknown processor")


def test_a_shape_beyond_l2_is_not_judged_by_the_peak(brgemm):
    claim = BY_ID["brgemm-peak"]
    assert {p.name for p in chosen(claim, brgemm)} == {"m6_n64_k64_b16", "m28_n64_k64_b16", "m64_n64_k64_b16"}
    brgemm.run.environment["cpu"]["l2_bytes"] = max(p.bytes for p in brgemm.problems) - 1
    assert {p.name for p in chosen(claim, brgemm)} == {"m6_n64_k64_b16", "m28_n64_k64_b16"}
    brgemm.run.environment["cpu"]["l2_bytes"] = 1
    assert outcome("brgemm-peak", brgemm).reason == "the run holds none of these problems"


def test_a_problem_without_known_bytes_is_not_left_out(brgemm):
    brgemm.run.environment["cpu"]["l2_bytes"] = 1 << 20
    lost = next(p for p in brgemm.problems if p.name == "m64_n64_k64_b16")
    lost.bytes = float("nan")
    lost.cells[SIMD].status = "failed"
    assert outcome("brgemm-peak", brgemm).status == FAILS


def test_the_reason_has_the_shares_of_both_limits(brgemm, resnet50):
    assert outcome("brgemm-peak", brgemm).reason == "lowest at m6_n64_k64_b16; 3 of 3 problems reach the bound; of the FMA peak 0.980"
    next(p for p in brgemm.problems if p.name == "m28_n64_k64_b16").peak.flop *= 2  # the lowest of the peak is elsewhere
    assert outcome("brgemm-peak", brgemm).reason.endswith("; of the FMA peak 0.490")
    sweep = resnet50(brickwork_simd=0.017)
    retime(sweep.problems[0].cells[SIMD], [0.034])
    shares = {limit: 4 * 20 / (19 * 0.017 + 0.034) / limit for limit in (236, 240)}
    for claim, measured, beside in (("conv-peak", 236, "FMA peak"), ("paper-efficiency", 240, "loaded roof")):
        found = outcome(claim, sweep)
        assert found.measured.value == approx(shares[measured])
        assert found.reason.startswith(f"20 problems; plain average {(19 / 0.017 + 1 / 0.034) * 4 / 20 / measured:.3f}, ")
        assert f"; of the {beside} {shares[476 - measured]:.3f}" in found.reason


def test_a_share_of_an_absent_limit_is_not_judged(resnet50):
    found = outcome("paper-efficiency", resnet50(drop=lambda row: row["contender"] == "fma-peak"))
    assert found.status == NOT_RUN and found.reason == "no FMA peak was measured beside layer01"


def test_a_run_without_a_loaded_roof_is_judged_by_the_peak_alone(resnet50):
    sweep = resnet50(drop=lambda row: row["contender"] == "loaded-roof", brickwork_simd=0.017, onednn=0.018)
    found = outcome("conv-peak", sweep)
    assert (found.status, found.reason) == (NOT_RUN, "no loaded roof was measured beside layer01")
    assert outcome("paper-efficiency", sweep).status == outcome("conv-onednn", sweep).status == HOLDS
    assert "loaded roof" not in outcome("paper-efficiency", sweep).reason

"""Claims about rankings of plans, on the stored layers with the contenders of conftest's RANKED."""

from copy import deepcopy
from dataclasses import replace

import pytest
from pytest import approx

from claims import judge
from conftest import RANKED, varied, with_rankings
from data import load_run
from outcomes import FAILS, HOLDS, NOT_RUN
from sweeps import sweeps_of
from testing.judged import BY_ID, SIMD, outcome, retime, stretch

MEASURED, LATENCY = f"{SIMD}-measured", f"{SIMD}-latency"
PASSES = {"forward": "conv-forward", "backward": "conv-backward", "update": "conv-update"}
TVM = "tvm-metaschedule"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    def change(rows):
        times = rows["seconds"].mask(rows["contender"].eq(SIMD) & rows["phase"].eq("run"), "0.02")
        return with_rankings(rows.assign(seconds=times, problems="3", N="28", setting="N=28, 2 threads, hot cache, f32"))

    return sweeps_of(load_run(varied(tmp_path_factory.mktemp("ranked"), "conv", change)))[0]


@pytest.fixture
def ranked(stored):
    """The three stored layers, each with the same time of each contender."""
    return deepcopy(stored)


def every(sweep, contender, factor, problems=slice(None)):
    """The sweep's cells of the contender with their times multiplied."""
    for problem in sweep.problems[problems]:
        stretch(problem.cells[contender], factor)


def of(which: str, sweep):
    return replace(sweep, experiment=PASSES[which])


@pytest.mark.parametrize("which", PASSES)
@pytest.mark.parametrize(("claim", "contender", "value"), [
    ("first", MEASURED, 0.98), ("worst", MEASURED, 0.98), ("top", f"{MEASURED}-top", 0.995), ("rule", MEASURED, 0.98 / 0.95),
    ("rule-worst", MEASURED, 0.98 / 0.95), ("seconds", MEASURED, 0.02),
])
def test_the_best_ranking_is_judged(ranked, which, claim, contender, value):
    found = outcome(f"rank-{which}-{claim}", of(which, ranked))
    assert (found.status, found.measured.value) == (HOLDS, approx(value))
    assert found.reason.startswith(f"{contender}: ")


@pytest.mark.parametrize("which", PASSES)
@pytest.mark.parametrize(("claim", "slower", "layers"), [
    ("first", MEASURED, slice(None)), ("worst", MEASURED, slice(1, 2)), ("top", f"{MEASURED}-top", slice(None)),
    ("rule", MEASURED, slice(None)), ("rule-worst", MEASURED, slice(1, 2)),
])
def test_slower_plans_break_the_claim(ranked, which, claim, slower, layers):
    sweep = of(which, ranked)
    every(sweep, slower, 1.1, layers)
    found = outcome(f"rank-{which}-{claim}", sweep)
    assert found.status == FAILS
    assert layers == slice(None) or "lowest at layer02; 2 of 3 problems reach the bound" in found.reason


def test_the_best_plan_may_be_any_ones(ranked):
    sweep = ranked
    every(sweep, f"{SIMD}-random", 0.5)
    assert outcome("rank-forward-first", sweep).measured.value == approx(0.98 / (0.97 * 2))
    every(sweep, TVM, 0.1)  # which runs no plan of ours
    assert outcome("rank-forward-first", sweep).measured.value == approx(0.98 / (0.97 * 2))


def test_another_ranking_may_be_the_best(ranked):
    sweep = ranked
    every(sweep, MEASURED, 2)
    found = outcome("rank-forward-top", sweep)
    assert (found.status, found.measured.value) == (FAILS, approx(0.9)) and found.reason.startswith(f"{LATENCY}-top: ")


def test_a_slow_choice_breaks_the_claim(ranked):
    sweep = ranked
    sweep.problems[1].cells[MEASURED].plan_seconds = 1.5
    found = outcome("rank-forward-seconds", sweep)
    assert (found.status, found.measured.value) == (FAILS, 1.5) and "longest on layer02; in the mean 0.513 s" in found.reason
    sweep.problems[1].cells[MEASURED].plan_seconds = float("nan")
    found = outcome("rank-forward-seconds", sweep)
    assert found.status == NOT_RUN and found.reason.endswith(f"does not say how long choosing the plans of {MEASURED} took")


def test_metaschedule_is_compared_by_speed_and_by_seconds(ranked):
    sweep = ranked
    speed, seconds, papers = (outcome(name, sweep) for name in ("rank-metaschedule", "rank-metaschedule-seconds", "paper-tuning-time"))
    assert (speed.status, speed.measured.value) == (HOLDS, approx(0.98 / 0.5))
    assert (seconds.status, seconds.measured.value) == (HOLDS, approx(60 / 0.02))
    assert papers.status == HOLDS and seconds.reason.endswith(f"over 3 problems 0.06 s, {TVM} 180 s")
    every(sweep, TVM, 0.45)
    for problem in sweep.problems:
        problem.cells[TVM].plan_seconds = 1
    speed, seconds, papers = (outcome(name, sweep) for name in ("rank-metaschedule", "rank-metaschedule-seconds", "paper-tuning-time"))
    assert [speed.status, seconds.status, papers.status] == [FAILS, FAILS, HOLDS]


def test_without_metaschedule_there_is_no_verdict_on_it(ranked):
    for problem in ranked.problems:
        del problem.cells[TVM]
    found = outcome("rank-metaschedule", ranked)
    assert found.status == NOT_RUN and "tvm-metaschedule has no number on layer01 and 2 more" in found.reason


@pytest.mark.parametrize("claim", ["rank-forward-first", "rank-forward-rule", "rank-forward-seconds"])
def test_a_run_without_rankings_is_not_judged(conv, claim):
    found = outcome(claim, conv)
    assert (found.status, found.reason) == (NOT_RUN, "needs plans that were ranked (--plan rank), this run has none")


def test_a_wrong_result_of_any_ranking_breaks_the_claim(ranked):
    sweep = ranked
    sweep.problems[2].cells[f"{LATENCY}-top"].status = "failed"
    assert outcome("rank-forward-first", sweep).status == FAILS


def test_a_ranking_that_lacks_a_layer_is_not_the_best(ranked):
    sweep = ranked
    sweep.problems[2].cells[MEASURED].status = "absent"
    assert outcome("rank-forward-seconds", sweep).reason.startswith(f"{LATENCY}: ")
    sweep.problems[2].cells[LATENCY].status = "absent"
    found = outcome("rank-forward-seconds", sweep)
    assert found == replace(found, status=NOT_RUN) and "no ranking has a number on all problems" in found.reason


@pytest.mark.parametrize(("share", "status"), [(0.98, HOLDS), (0.9, FAILS)])
def test_the_papers_neural_ranking_is_compared_on_its_matrix_products(ranked, share, status):
    sweep = replace(ranked, experiment="fc-forward", attributes=ranked.attributes | {"shapes": "gemm"})
    for problem in sweep.problems:
        for ending in ("", "-top"):
            cell = problem.cells[f"{SIMD}-network{ending}"] = deepcopy(problem.cells[MEASURED])
            retime(cell, [problem.cells[f"{SIMD}-searched"].seconds / share] * 3)
    assert [outcome(name, sweep).status for name in ("paper-rank-first", "paper-rank-top")] == [status, status]


def test_without_rankings_there_is_no_best_plan(ranked):
    sweep = replace(ranked, experiment="fc-forward", attributes=ranked.attributes | {"shapes": "gemm"})
    for problem in sweep.problems:
        problem.cells = {SIMD: problem.cells[SIMD], f"{SIMD}-searched": problem.cells[f"{SIMD}-searched"]}
    assert outcome("paper-rank-first", sweep).reason == "needs plans that were ranked (--plan rank), this run has none"


def test_a_run_that_judges_a_claim_leaves_no_verdict_of_one_that_cannot(ranked):
    part = replace(ranked, problems=ranked.problems[:2])
    assert [verdict.outcome.status for verdict in judge(BY_ID["conv-peak"], [part])] == [NOT_RUN]
    found = judge(BY_ID["conv-peak"], [part, ranked])
    assert len(found) == 1 and found[0].outcome.status != NOT_RUN


def test_all_of_these_contenders_but_the_rule_and_the_peer_are_left_out_elsewhere(ranked):
    sweep = ranked
    assert set(RANKED) - set(sweep.contenders) == set(sweep.other_plans[SIMD]) == set(RANKED) - {SIMD, TVM}

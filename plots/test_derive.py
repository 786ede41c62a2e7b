"""Derived numbers, compared with values computed by hand from testdata/conv/samples.csv."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pytest import approx

import derive
from data import load_run
from derive import (
    above_limit,
    fraction_of,
    geometric_mean_ratio,
    ratio,
    weighted_fraction_of,
    weighted_ratio,
    weighted_speed,
)
from sweeps import sweeps_of


def test_setting(conv):
    assert conv.setting == "N=2, 2 threads, hot cache, f32"
    assert conv.slug == "conv-forward-N2-2-threads-hot-cache-f32"
    assert (conv.figure, conv.operation, conv.ours) == ("layers", "conv forward", {"brickwork-simd"})
    assert conv.contenders == ["brickwork-simd", "onednn", "libxsmm-dnn", "im2col"]
    assert [p.name for p in conv.problems] == ["layer01", "layer02", "layer03"]
    assert conv.bandwidth == approx(1e9 / 0.025)


def test_median_speed_and_quartiles(conv):
    cell = conv.problems[1].cells["brickwork-simd"]  # 1e9 flop in 6, 8 and 10 ms
    assert cell.seconds == 0.008
    assert cell.speed == approx(125)
    assert cell.speed_quartiles == approx((1000 / 9, 1000 / 7))


def test_packing_does_not_count_as_running(conv):
    assert conv.problems[0].cells["brickwork-simd"].times.samples.tolist() == [0.01, 0.01, 0.02]
    assert conv.problems[0].cells["brickwork-simd"].packing.samples.tolist() == [0.001]


def test_ratio_and_peak_are_those_of_the_same_problem(conv):
    assert ratio(conv.problems[0], "brickwork-simd", "onednn").value == approx(1.25)
    assert ratio(conv.problems[2], "brickwork-simd", "onednn").value == approx(0.8)
    assert fraction_of("peak", conv.problems[0], "brickwork-simd").value == approx(200 / 250)
    assert fraction_of("peak", conv.problems[2], "brickwork-simd").value == approx(200 / 240)
    assert fraction_of("roof", conv.problems[0], "brickwork-simd").value == approx(200 / 225)
    assert fraction_of("roof", conv.problems[2], "brickwork-simd").value == approx(200 / 236)


def test_the_same_program_has_the_ratio_one(conv):
    problem = conv.problems[0]
    problem.cells["again"] = replace(problem.cells["brickwork-simd"], times=problem.cells["onednn"].times)
    same = ratio(problem, "brickwork-simd", "again")
    assert (same.value, same.low, same.high) == (1, 1, 1)
    assert geometric_mean_ratio([problem], "brickwork-simd", "again").value == 1
    for name, how in (("brickwork-simd", ""), ("again", ", the first of 900 plans")):
        problem.cells[name].implementation = f"brgemm loops{how}"
    assert ratio(problem, "brickwork-simd", "again").value == 1
    for change in ({"plan": "another"}, {"tuning": "another"}, {"version": "another"}, {"implementation": "other loops"}):
        problem.cells["other"] = replace(problem.cells["again"], **change)
        assert ratio(problem, "brickwork-simd", "other").value == approx(1.25)


def test_whole_network_is_weighted_by_count(conv):
    # flop 1*2 + 4*1 + 2*4 = 14e9; simd 1*10 + 4*8 + 2*20 = 82 ms; oneDNN 1*12.5 + 4*10 + 2*16 = 84.5 ms
    assert weighted_speed(conv.problems, "brickwork-simd") == approx(14 / 0.082)
    assert weighted_speed(conv.problems, "onednn") == approx(14 / 0.0845)
    assert weighted_ratio(conv.problems, "brickwork-simd", "onednn").value == approx(84.5 / 82)
    # at peak: 2/250 + 4/250 + 8/240 s; at the loaded roof: 2/225 + 4/200 + 8/236 s
    assert weighted_fraction_of("peak", conv.problems, "brickwork-simd").value == approx((6 / 250 + 8 / 240) / 0.082)
    assert weighted_fraction_of("roof", conv.problems, "brickwork-simd").value == approx((2 / 225 + 4 / 200 + 8 / 236) / 0.082)


def test_contenders_are_compared_over_layers_that_both_have(conv):
    assert [p.name for p in conv.common("brickwork-simd", "libxsmm-dnn")] == ["layer01", "layer03"]
    assert [p.name for p in conv.common("libxsmm-dnn", "im2col")] == ["layer03"]
    both = conv.common("brickwork-simd", "libxsmm-dnn")
    assert weighted_ratio(both, "brickwork-simd", "libxsmm-dnn").value == approx((12.5 + 2 * 20) / (10 + 2 * 20))


def test_a_contender_without_ok_rows_never_gets_a_number(conv):
    failed, unsupported = conv.problems[1].cells["libxsmm-dnn"], conv.problems[0].cells["im2col"]
    assert (failed.status, failed.reason) == ("failed", "element n=0 k=3 p=1 q=2 is 5, expected 9")
    assert (unsupported.status, unsupported.reason) == ("unsupported", "OpenBLAS refuses, it says")
    for cell in (failed, unsupported):
        with pytest.raises(AssertionError, match="has no time"):
            _ = cell.speed
    with pytest.raises(AssertionError, match="has no time"):
        weighted_speed(conv.problems, "libxsmm-dnn")


def test_one_failed_row_takes_the_times_of_its_problem_away(variation):
    def change(samples):
        row = samples.index[(samples["contender"] == "onednn") & (samples["sample"] == "2")][0]
        samples.loc[row, ["status", "reason", "seconds"]] = ["failed", "wrong at the last repetition", ""]
        return samples

    sweep = sweeps_of(load_run(variation("conv", change)))[0]
    assert sweep.problems[0].status("onednn") == "failed"
    assert sweep.problems[1].status("onednn") == "ok"


def test_bootstrap_interval(conv):
    interval = ratio(conv.problems[1], "brickwork-simd", "onednn")  # simd 6, 8, 10 ms; oneDNN 9, 10, 11 ms
    # A resample may be one sample taken three times, so the interval of three samples spans all of their ratios.
    assert (interval.low, interval.value, interval.high) == approx((9 / 10, 10 / 8, 11 / 6))
    again = ratio(conv.problems[1], "brickwork-simd", "onednn")
    assert (again.low, again.high) == (interval.low, interval.high)


def test_a_single_sample_has_no_interval(variation):
    change = lambda samples: samples[(samples["sample"] == "0") | (samples["status"] != "ok")]  # noqa: E731
    sweep = sweeps_of(load_run(variation("conv", change)))[0]
    value = ratio(sweep.problems[0], "brickwork-simd", "onednn")
    assert value.value == approx(1.25) and np.isnan(value.low)
    assert str(value) == "1.250"


def test_points_above_the_loaded_roof_are_found(conv):
    # oneDNN on layer03: 4e9 flop in 16 ms is 250 GFLOP/s under a roof of 236.
    assert [(p.name, name, share) for p, name, share in above_limit(conv)] == [("layer03", "onednn", approx(250 / 236))]
    conv.problems[0].roof.flop *= 190 / 225  # ours is at 200
    assert ("layer01", "brickwork-simd") in [(p.name, name) for p, name, _ in above_limit(conv)]


def test_points_above_the_peak_are_found_where_no_loaded_roof_was_measured(before_the_roof):
    (sweep,) = sweeps_of(load_run(before_the_roof("conv")))
    assert not any(problem.roof for problem in sweep.problems) and all(problem.peak for problem in sweep.problems)
    assert [(p.name, name, share) for p, name, share in above_limit(sweep)] == [("layer03", "onednn", approx(250 / 240))]


def test_geometric_mean(brgemm):
    n16 = [p for p in brgemm.problems if p.sizes["n"] == 16]
    assert derive.geometric_mean_ratio(n16, "brickwork-simd", "brickwork-libxsmm").value == approx(0.96 / 0.88)
    n64 = [p for p in brgemm.problems if p.sizes["n"] == 64]
    assert derive.geometric_mean_ratio(n64, "brickwork-simd", "brickwork-libxsmm").value == approx((0.90 / 0.98) ** 0.25)


def test_each_setting_is_a_sweep_of_its_own(variation):
    def change(samples):
        work = samples[samples["setting"] != ""]
        cold = work.assign(cache="cold", setting="N=2, 2 threads, cold cache, f32")
        single = samples.assign(threads="1", setting=samples["setting"].str.replace("2 threads", "1 thread"))
        return pd.concat([samples, cold, single])

    sweeps = sweeps_of(load_run(variation("conv", change)))
    assert [(s.attributes["threads"], s.attributes["cache"]) for s in sweeps] == [(2, "hot"), (2, "cold"), (1, "hot")]
    assert all(len(s.problems) == 3 and all(p.peak and p.roof for p in s.problems) and s.bandwidth for s in sweeps)


def test_attributes_are_the_columns_that_do_not_vary(conv):
    held = conv.attributes
    assert (held["N"], held["epilogue"], held["threads"], held["shapes"], held["problems"]) == (2, "none", 2, "resnet50", 20)
    assert not {"C", "contender", "seconds", "problem"} & set(held)


def test_a_row_without_a_time_need_not_know_everything(variation):
    change = lambda s: s.assign(dtype=s["dtype"].where(s["status"] == "ok", ""))  # noqa: E731
    assert sweeps_of(load_run(variation("conv", change)))[0].attributes["dtype"] == "f32"


def test_threads_that_vary_are_a_size_more(curve):
    def change(rows):
        return pd.concat([rows.assign(threads=threads) for threads in "124"])

    (sweep,) = sweeps_of(load_run(curve(minibatches=[2], change=change)))
    assert [p.sizes["threads"] for p in sweep.problems] == [1, 2, 4]
    assert all(p.peak and p.roof and p.ok("brickwork-simd") for p in sweep.problems) and sweep.bandwidth is None


def test_packed_but_never_run_is_missing(variation):
    change = lambda s: s[(s["contender"] != "onednn") | (s["phase"] == "pack")]  # noqa: E731
    sweep = sweeps_of(load_run(variation("conv", change)))[0]
    assert sweep.problems[0].status("onednn") == "missing"
    assert sweep.problems[0].cells["onednn"].reason == "it was packed but never run"


def test_ratios_against_the_best_of_several(conv):
    best = lambda problem: derive.fastest(problem, conv.peers)  # noqa: E731
    assert [best(p) for p in conv.problems] == ["onednn", "onednn", "onednn"]
    assert weighted_ratio(conv.problems, "brickwork-simd", best) == weighted_ratio(conv.problems, "brickwork-simd", "onednn")

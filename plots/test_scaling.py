"""Strong scaling over threads, compared with values computed by hand from testdata/conv/samples.csv."""

import re
import shutil

import numpy as np
import pandas as pd
import pytest
from pytest import approx

import output
import scaling
from claims import judge, judge_all
from claims_file import STORED as CLAIMS
from claims_file import load_claims
from conftest import STORED, on_one_thread, times, with_rankings
from data import load_run
from derive import geometric_mean_speedup, speedup, weighted_speedup
from outcomes import FAILS, HOLDS, NOT_RUN, UNDECIDED
from overview import overview
from scaling import machine_speedup, with_bases
from sweeps import sweeps_of
from testing import artists
from training import with_trainings

SIMD, ONEDNN = "brickwork-simd", "onednn"
BY_ID = {claim.id: claim for claim in load_claims(CLAIMS)}


def paired(*runs) -> list:
    return with_bases([sweep for run in runs for sweep in sweeps_of(load_run(run))])


def of_two(rows: pd.DataFrame) -> pd.DataFrame:
    """The samples with two contenders, as in a run for the scaling alone."""
    return rows[rows["contender"].isin([SIMD, ONEDNN]) | rows["primitive"].eq("machine")]


def slow_layer(rows: pd.DataFrame, factor: float, name: str = "layer02") -> pd.DataFrame:
    return times(rows, rows["contender"].eq(SIMD) & rows["name"].eq(name), factor)


@pytest.fixture
def one_thread(variation):
    def make(change=lambda rows: rows, name: str = "one-thread", **slower: float):
        return variation("conv", lambda rows: change(of_two(on_one_thread(rows, **slower))), name)

    return make


@pytest.fixture
def pair(one_thread):
    """On one thread our layer02 takes 3 times as long, our other layers 1.8 times."""
    (sweep,) = paired(one_thread(lambda rows: slow_layer(rows, 3 / 1.8)), STORED / "conv")
    return sweep


def test_a_run_of_fewer_contenders_on_fewer_threads_is_a_base_and_nothing_else(one_thread):
    for runs in ([one_thread(), STORED / "conv"], [STORED / "conv", one_thread(name="again")]):
        (sweep,) = paired(*runs)
        assert (sweep.attributes["threads"], sweep.base.attributes["threads"], sweep.attributes["base_threads"]) == (2, 1, 1)
        assert sweep.base.base is None and sweep.contenders == [SIMD, ONEDNN, "libxsmm-dnn", "im2col"]


def test_a_whole_run_on_fewer_threads_keeps_its_own_place(variation):
    one, two = paired(variation("conv", on_one_thread), STORED / "conv")
    assert (one.base, two.base.attributes["threads"]) == (None, 1) and "base_threads" not in one.attributes


def test_a_run_that_ranks_plans_is_not_compared_with_fewer_threads(one_thread, variation):
    sweeps = paired(one_thread(), STORED / "conv", variation("conv", lambda rows: with_rankings(rows).assign(run="ranked")))
    assert [(sweep.run.name, sweep.base is None) for sweep in sweeps] == [("stored-conv", False), ("ranked", True)]


def test_the_fewest_threads_are_the_base(variation, one_thread):
    def four(rows):
        return rows.assign(run="four", threads="4", setting=rows["setting"].str.replace("2 threads", "4 threads"))

    sweeps = paired(variation("conv", four, "four"), STORED / "conv", one_thread())
    assert [(sweep.attributes["threads"], sweep.attributes["base_threads"]) for sweep in sweeps] == [(4, 1), (2, 1)]


@pytest.mark.parametrize(("column", "value"), [("experiment", "conv-update"), ("dtype", "bf16"), ("cache", "cold"), ("shapes", "vgg")])
def test_runs_that_differ_in_more_than_threads_are_no_pair(one_thread, column, value):
    other = one_thread(lambda rows: rows.assign(**{column: rows[column].where(rows["setting"].eq(""), value)}))
    assert [sweep.base for sweep in paired(other, STORED / "conv")] == [None, None]


def test_runs_of_another_minibatch_or_machine_are_no_pair(one_thread):
    other = one_thread(lambda rows: rows.assign(N="4", problem=rows["problem"].str.replace("N2_", "N4_")), "other")
    assert [sweep.base for sweep in paired(other, STORED / "conv")] == [None, None]
    sweeps = [sweep for run in (one_thread(), STORED / "conv") for sweep in sweeps_of(load_run(run))]
    sweeps[0].run.environment["cpu"]["name"] = "Another CPU"
    assert [sweep.base for sweep in with_bases(sweeps)] == [None, None]


def test_speed_ups(pair):
    # Ours takes 10, 8 and 20 ms on two threads and 18, 24 and 36 ms on one; the counts are 1, 4 and 2.
    pairs = pair.scaled(SIMD)
    assert [speedup(each, SIMD).value for each in pairs] == approx([1.8, 3, 1.8])
    assert weighted_speedup(pairs, SIMD).value == approx((18 + 4 * 24 + 2 * 36) / 82)
    assert geometric_mean_speedup(pairs, SIMD).value == approx((1.8 * 3 * 1.8) ** (1 / 3))
    assert weighted_speedup(pair.scaled(ONEDNN), ONEDNN).value == approx(1.7)
    assert machine_speedup(pair, pairs) == ("roof", approx(1.9))


def test_the_interval_is_of_both_runs(pair):
    first, found = pair.scaled(SIMD)[1], geometric_mean_speedup(pair.scaled(SIMD), SIMD)
    alone = speedup(first, SIMD)  # 6, 8, 10 ms and three times as much, resampled independently
    assert (alone.low, alone.value, alone.high) == approx((3 * 6 / 10, 3, 3 * 10 / 6))
    assert found.low < found.value < found.high


def test_the_machine_is_compared_on_what_ours_ran(one_thread):
    def disturbed(rows):  # the limit beside layer03 is half as high, and ours has no time there
        rows = times(rows, rows["contender"].eq("loaded-roof") & rows["name"].eq("layer03"), 2)
        return rows[~(rows["contender"].eq(SIMD) & rows["name"].eq("layer03"))]

    (sweep,) = paired(one_thread(disturbed), STORED / "conv")
    assert scaling.row(sweep).machine == approx(1.9)
    assert machine_speedup(sweep, sweep.scaled())[1] > 2


def test_the_table_says_it_in_words(one_thread):
    (sweep,) = paired(one_thread(), STORED / "conv")
    row = scaling.row(sweep)
    assert [(label, value.value) for label, value in row.speedups] == [("Brickwork, simd brick", approx(1.8)), ("oneDNN 3.2", approx(1.7))]
    assert row.sentence == "ours is 1.80 times as fast where the machine itself gives 1.90 times as much: 0.95 of that"
    (sweep,) = paired(one_thread(lambda rows: rows[~rows["primitive"].eq("machine")], "limitless"), STORED / "conv")
    assert scaling.row(sweep).sentence == "ours is 1.80 times as fast; what the machine itself gave was not measured"
    (sweep,) = paired(one_thread(lambda rows: rows[~rows["contender"].eq(SIMD)], "oursless"), STORED / "conv")
    assert scaling.row(sweep).sentence == "nothing of ours was timed on both"


def test_the_passes_together_are_compared_where_each_is(passes, variation):
    two = passes()
    one = passes(change=lambda rows, which: of_two(on_one_thread(rows)), name="-1")
    *_, training = with_trainings(paired(*one, *two))
    assert training.passes and weighted_speedup(training.scaled(SIMD), SIMD).value == approx(1.8)
    assert training.attributes["base_threads"] == 1
    *_, training = with_trainings(paired(*one[:2], *two))
    assert training.passes and training.base is None and "base_threads" not in training.attributes


# --- claims ----------------------------------------------------------------------------------------------------------


def outcome(sweep, problems=3):
    sweep.attributes["problems"] = problems
    (verdict,) = judge(BY_ID["conv-threads"], [sweep])
    return verdict.outcome


def without_noise(rows):
    """Each sample as long as the median."""
    timed = rows[rows["seconds"] != ""]
    medians = timed["seconds"].astype(float).groupby([timed[column] for column in ("problem", "contender", "phase")]).transform("median")
    return rows.assign(seconds=rows["seconds"].mask(rows["seconds"] != "", medians.map(repr)))


@pytest.fixture
def exact(variation, one_thread):
    """exact(ours=1.8): the pair without noise, ours and the machine as many times as fast on two threads."""

    def make(**times_as_fast):
        two = variation("conv", without_noise, "exact")
        (sweep,) = paired(one_thread(lambda rows: without_noise(slow_layer(rows, 3 / 1.8)), "exact-1", **times_as_fast), two)
        return sweep

    return make


def test_the_claim_leaves_out_what_waits_for_the_memory_on_one_thread(exact):
    pair = exact()
    # Our shares of the loaded roof on one thread; the roof is 225, 200 and 236 GFLOP/s on two threads and 1.9 times lower on one.
    shares = [200 / 1.8 / (225 / 1.9), 125 / 3 / (200 / 1.9), 200 / 1.8 / (236 / 1.9)]
    assert [share >= 0.7 for share in shares] == [True, False, True]
    found = outcome(pair)
    assert (found.status, found.measured.value) == (FAILS, approx(1.8 / 1.9))  # asked for are 0.95
    assert found.reason.startswith("1.800 times as fast as in run stored-conv-1 (N=2, 1 thread, hot cache, f32); ")
    assert "the loaded roof itself is 1.900 times as high; left out: layer02" in found.reason


@pytest.mark.parametrize(("ours", "machine", "status"), [(1.92, 1.9, HOLDS), (1.4, 1.41, HOLDS), (1.4, 1.6, FAILS), (1.9, 2.03, FAILS)])
def test_the_claim_is_about_the_speed_up_of_the_machine(exact, ours, machine, status):
    found = outcome(exact(ours=ours, machine=machine))
    assert (found.status, found.measured.value) == (status, approx(ours / machine))


def test_noise_decides_nothing(one_thread):
    (sweep,) = paired(one_thread(ours=1.92, machine=1.9), STORED / "conv")
    assert outcome(sweep).status == UNDECIDED


def test_a_run_that_was_disturbed_proves_nothing(one_thread):
    (sweep,) = paired(one_thread(ours=2.2, machine=2.05), STORED / "conv")
    found = outcome(sweep)
    assert (found.status, found.measured) == (UNDECIDED, None)
    assert found.reason == (
        "the loaded roof itself is 2.050 times as high, more than there are threads: the run on fewer threads was disturbed"
    )
    assert scaling.row(sweep).sentence.endswith("; no machine gives more than its threads: the run on fewer was disturbed")


def test_without_a_run_on_fewer_threads_the_claim_is_not_judged(conv, variation):
    found = outcome(conv)
    assert (found.status, found.reason) == (NOT_RUN, "no run of the same problems on fewer threads was given")
    claim = BY_ID["conv-threads"]
    one, two = paired(variation("conv", on_one_thread), STORED / "conv")
    one.attributes["problems"] = two.attributes["problems"] = 3
    (verdict,) = judge(claim, [one, two])
    assert verdict.outcome.measured and verdict.run == "stored-conv (N=2, 2 threads, hot cache, f32)"


@pytest.mark.parametrize(
    ("change", "status", "reason"),
    [
        (lambda rows: rows[~rows["name"].eq("layer03")], NOT_RUN, "no run on fewer threads holds layer03"),
        (
            lambda rows: rows[~(rows["contender"].eq("loaded-roof") & rows["name"].eq("layer03"))],
            NOT_RUN, "N=2, 1 thread, hot cache, f32: no loaded roof was measured beside layer03",
        ),
        (
            lambda rows: rows.assign(
                status=rows["status"].mask(wrong := rows["contender"].eq(SIMD) & rows["name"].eq("layer01"), "failed"),
                reason=rows["reason"].mask(wrong, "off by one"), seconds=rows["seconds"].mask(wrong, ""),
            ),
            FAILS, "N=2, 1 thread, hot cache, f32: brickwork-simd has no number on layer01: off by one",
        ),
    ],
)  # fmt: skip
def test_what_the_run_on_fewer_threads_lacks_is_said(one_thread, change, status, reason):
    found = outcome(*paired(one_thread(change), STORED / "conv"))
    assert (found.status, found.reason, found.measured) == (status, reason, None)


def test_no_other_claim_judges_a_run_for_the_scaling_alone(one_thread):
    alone, pair = paired(STORED / "conv"), paired(one_thread(), STORED / "conv")
    claims = [claim for claim in BY_ID.values() if "base_threads" not in claim.when.text]
    assert judge_all(claims, pair) == judge_all(claims, alone)


# --- the report ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("only_svg")
def test_the_report_draws_it_as_scaling_alone(one_thread, tmp_path):
    run = one_thread()
    shutil.copy(STORED / "conv" / "environment.json", run)
    output.write_report([str(run), str(STORED / "conv")], tmp_path / "out", "a command")
    text = (tmp_path / "out" / "report.html").read_text()
    stems = {path.stem.rpartition("-")[2] for path in (tmp_path / "out" / "figures").iterdir()}
    assert stems == {"layers", "ratio", "roofline", "scaling", "threads"} and len(list((tmp_path / "out" / "figures").iterdir())) == 5
    table = text[text.index('<h2 id="scaling">'): text.index('<h2 id="claims">')]
    (row,) = [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in re.findall(r"<tr>.*?</tr>", table, re.S)][1:]
    assert row.startswith("conv forward resnet50, N=2, 2 threads, hot cache, f32 1 \N{RIGHTWARDS ARROW} 2 Brickwork, simd brick: 1.800 [")
    assert " 1.900 loaded roof ours is 1.80 times as fast" in row
    assert "<dt>on fewer threads</dt><dd>run: stored-conv-1</dd>" in text and "<h3>Run stored-conv-1</h3>" in text
    assert "oneDNN 3.2 on layer03: 1.184 of the loaded roof, N=2, 1 thread, hot cache, f32" in text  # 250 / 1.7 of 236 / 1.9
    assert text.count('<h2 id="sweep') == 1 and len(overview(paired(run, STORED / "conv"))) == 1


@pytest.mark.usefixtures("only_svg")
def test_without_a_pair_there_is_no_table(tmp_path):
    output.write_report([str(STORED / "conv")], tmp_path / "out", "a command")
    assert "Over threads" not in (tmp_path / "out" / "report.html").read_text()
    assert not list((tmp_path / "out" / "figures").glob("*-scaling.svg"))


def test_the_figure(pair, figures_of):
    figure, drawn = figures_of(pair)["x-scaling"]
    (axes,) = figure.axes
    places = {group.split(" ")[-1]: x for group, x in artists.groups(axes).items()}
    found = {label: {round(x): y for x, y in points} for label, points in artists.points(figure, axes).items()}
    whole = (18 + 4 * 24 + 2 * 36) / 82
    ours = {0: 1.8, 1: 3, 2: 1.8, 4: whole}
    assert found == {"Brickwork, simd brick": approx(ours), "oneDNN 3.2": approx(dict.fromkeys(ours, 1.7))}
    assert list(artists.legend(figure))[:2] == [f"Brickwork, simd brick: {whole:.3f}", "oneDNN 3.2: 1.700"]
    assert artists.limits(axes, "--") == [approx((x - 0.5, x + 0.5, 1.9)) for x in places.values()]
    assert artists.across(axes) == [2] and artists.true(axes, "y") and axes.get_ylim()[1] > 5
    lowest = min(low for _, low, _ in artists.whiskers(axes))
    assert lowest - 0.5 < axes.get_ylim()[0] < lowest
    assert list(artists.legend(figure))[2:] == ["the machine's own loaded roof: 1.900", "ideal: 2"]
    intervals = [(low, high) for x, low, high in artists.whiskers(axes) if round(x) == 1]
    assert intervals == [approx((3 * 6 / 10, 3 * 10 / 6)), approx((1.7 * 9 / 11, 1.7 * 11 / 9))]
    assert "on fewer: stored-conv-1" in drawn.caption
    assert drawn.title == "From 1 to 2 threads: conv forward, resnet50, N=2, 2 threads, hot cache, f32"


def test_the_curve_goes_from_the_fewest_threads_to_the_most(variation, one_thread, figures_of):
    def four(rows):
        rows = times(times(rows, rows["contender"].eq(SIMD), 1 / 1.6), rows["contender"].isin(["fma-peak", "loaded-roof"]), 1 / 1.7)
        return rows.assign(run="four", threads="4", setting=rows["setting"].str.replace("2 threads", "4 threads"))

    two = variation("conv", of_two, "two")
    (sweep,) = paired(one_thread(), variation("conv", four, "four"), two)
    assert [of.attributes["threads"] for of in (sweep.base, *sweep.between, sweep)] == [1, 2, 4]
    figure, drawn = figures_of(sweep)["x-threads"]
    faster, efficiency = figure.axes
    assert artists.points(figure, faster)["Brickwork, simd brick"] == [approx(p) for p in ((1, 1), (2, 1.8), (4, 1.8 * 1.6))]
    assert artists.points(figure, efficiency)["Brickwork, simd brick"] == [approx(p) for p in ((1, 100), (2, 90), (4, 72))]
    assert artists.black_lines(faster, "--") == [[approx(p) for p in ((1, 1), (2, 1.9), (4, 1.9 * 1.7))]]
    assert list(artists.legend(figure)) == [
        "Brickwork, simd brick: 2.88", "oneDNN 3.2: 1.70", "the machine's own loaded roof: 3.23", "ideal: 4",
    ]  # fmt: skip
    assert artists.true(faster, "x", scale="log") and artists.true(faster, "y") and artists.true(efficiency, "x", scale="log")
    assert "on fewer: stored-conv-1, stored-conv" in drawn.caption


def test_a_letter_stands_where_one_of_the_two_is_missing(one_thread, figures_of):
    (sweep,) = paired(one_thread(lambda rows: rows[~(rows["contender"].eq(SIMD) & rows["name"].eq("layer03"))]), STORED / "conv")
    figure, _ = figures_of(sweep)["x-scaling"]
    assert {letter: [round(x) for x in at] for letter, at in artists.letters(figure.axes[0]).items()} == {"o": [2]}
    assert "Brickwork, simd brick: 1.800 on 2 of 3" in artists.legend(figure)
    assert np.isfinite(figure.axes[0].get_ylim()).all()

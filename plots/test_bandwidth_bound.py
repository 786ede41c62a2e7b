"""Operations that the memory limits: speeds are in GB/s, and the limit is the stream bandwidth measured beside each problem."""

import json
import re
from dataclasses import replace

import pandas as pd
import pytest
from pytest import approx

import output
from claims import judge
from claims_file import Claim, Condition
from conftest import bandwidth_bound
from data import load_run
from derive import above_limit, fraction_of, known, weighted_fraction_of, weighted_speed
from outcomes import FAILS, HOLDS, OUT_OF_REACH, UNDECIDED
from program import InputError
from sweeps import sweeps_of
from testing import artists
from testing.artists import STREAM_LABEL

SIMD = "Brickwork, simd brick"
# By hand: 40, 20 and 80 MB in 10, 8 and 20 ms; all: 40 + 4 * 20 + 2 * 80 MB in 82 ms.
SPEEDS = {"layer01": 4, "layer02": 2.5, "layer03": 4, "all": 280 / 82}


@pytest.fixture
def folder(variation):
    return variation("conv", bandwidth_bound)


@pytest.fixture
def sweep(folder):
    return sweeps_of(load_run(folder))[0]


def with_caches_of(folder, cache_bytes):
    path = folder / "environment.json"
    environment = json.loads(path.read_text())
    environment["cpu"]["cache_bytes"] = cache_bytes
    path.write_text(json.dumps(environment))
    return folder


def test_speeds_are_bytes_and_shares_of_the_stream(sweep):
    assert (sweep.bound, sweep.unit, sweep.limits) == ("bytes", "GB/s", ("stream",))
    assert [p.cells["brickwork-simd"].speed for p in sweep.problems] == approx([4, 2.5, 4])
    assert sweep.problems[1].cells["brickwork-simd"].speed_quartiles == approx((20 / 9, 20 / 7))
    assert [fraction_of("stream", p, "brickwork-simd").value for p in sweep.problems] == approx([0.8, 0.5, 0.8])
    assert weighted_speed(sweep.problems, "brickwork-simd") == approx(280 / 82)
    assert weighted_fraction_of("stream", sweep.problems, "brickwork-simd").value == approx(280 / 82 / 5)


def test_the_machine_has_no_other_limit_there(sweep):
    assert known("stream", sweep.problems) and not known("peak", sweep.problems) and not known("roof", sweep.problems)
    assert not above_limit(sweep)


def test_a_run_of_multiply_adds_has_no_stream_beside_its_problems(conv):
    assert conv.limits == ("peak", "roof") and not known("stream", conv.problems)


def test_a_run_without_the_column_bound_counts_operations(variation, conv):
    before = sweeps_of(load_run(variation("conv", lambda samples: samples.drop(columns="bound"))))[0]
    assert before.bound == "flops" and "bound" not in before.problems[0].sizes
    assert [p.work for p in before.problems] == [p.flop for p in conv.problems]


def test_a_bound_that_is_none_is_refused(variation):
    with pytest.raises(InputError, match="bound 'luck' is none of flops, bytes"):
        load_run(variation("conv", lambda samples: samples.replace({"bound": {"flops": "luck"}})))


def test_a_sweep_of_both_bounds_is_refused(variation):
    def change(samples):
        return pd.concat([samples[samples["name"] == "layer01"], bandwidth_bound(samples[samples["name"] == "layer02"].copy())])

    with pytest.raises(InputError, match="bound differs from an earlier row"):
        load_run(variation("conv", change))


def claim(statistic: str, where: str = "") -> Claim:
    return Claim(
        "c", "A sentence.", "ours", "conv-forward", "", statistic, "brickwork-simd", "", 0.68, Condition(""), {}, Condition(where)
    )


@pytest.mark.parametrize(
    ("statistic", "where", "value"),
    [
        ("weighted share of stream", "", 280 / 82 / 5),
        ("lowest share of stream", "", 0.5),
        ("lowest share of stream", "bytes > 3 * cache_bytes", 0.8),
    ],
)
def test_claims_on_the_stream(folder, statistic, where, value):
    sweep = sweeps_of(load_run(with_caches_of(folder, 10_000_000)))[0]
    for bound, status in ((0.1, HOLDS), (value, UNDECIDED), (2.0, FAILS)):
        (verdict,) = judge(replace(claim(statistic, where), bound=bound), [sweep])
        assert (verdict.outcome.status, verdict.outcome.measured.value) == (status, approx(value))


def with_traffic_of(folder, bytes_a_second):
    """Adds reads and writes alone, measured beside each problem."""
    path = folder / "samples.csv"
    samples = pd.read_csv(path, dtype=str, keep_default_na=False)
    stream = samples[(samples["contender"] == "stream") & (samples["setting"] != "")]
    traffic = stream.assign(contender="traffic", **{"pass": "traffic"}, bytes=str(bytes_a_second // 1000), seconds="0.001")
    pd.concat([samples, traffic]).to_csv(path, index=False)
    return folder


# The claims ask for 0.7 of a stream of 5 GB/s; layer02 alone has less, which is 0.5.
@pytest.mark.parametrize(
    ("statistic", "said"),
    [
        ("lowest share of stream", "the machine's own limit is below the bound on layer02 0.600"),
        ("weighted share of stream", "the machine's own limit gives 0.600"),
    ],
)
def test_a_share_that_the_memory_does_not_give_is_out_of_reach(folder, statistic, said):
    sweep = sweeps_of(load_run(with_traffic_of(folder, 3_000_000_000)))[0]
    for problem in (sweep.problems[0], sweep.problems[2]):
        problem.traffic.bytes *= 2
    if statistic.startswith("weighted"):
        for problem in sweep.problems:
            problem.traffic.bytes = 3_000_000
    outcome = judge(replace(claim(statistic), bound=0.7), [sweep])[0].outcome
    assert outcome.status in (OUT_OF_REACH, UNDECIDED) and outcome.reason.endswith(f"; {said}")


def test_a_share_that_the_memory_gives_is_in_reach(folder):
    sweep = sweeps_of(load_run(with_traffic_of(folder, 3_500_000_000)))[0]
    outcome = judge(claim("lowest share of stream"), [sweep])[0].outcome
    assert outcome.status == UNDECIDED
    assert outcome.reason.endswith(f"; of the speed of as many reads and writes alone {2.5 / 3.5:.3f}")


def test_the_figure_shows_bytes_and_the_stream(figures, folder):
    drawn = figures(folder)
    assert set(drawn) == {"x-layers", "x-ratio"}  # there is no roofline without operations
    figure = drawn["x-layers"]
    speed, share = figure.axes
    assert (speed.get_ylabel(), share.get_ylabel()) == ("GB/s", "% of stream bandwidth")
    short = dict(zip(SPEEDS, artists.bars(figure, speed)[SIMD].values(), strict=True))
    assert short == approx(SPEEDS)
    points = artists.by_group(share, artists.points(figure, share))[SIMD]
    assert list(points.values()) == approx([100 * value / 5 for value in SPEEDS.values()])
    assert artists.across(share) == [100] and STREAM_LABEL in artists.legend(figure)


@pytest.mark.usefixtures("only_svg")
def test_the_caption_names_what_fits_in_the_caches(folder, tmp_path):
    smallest = int(min(problem.bytes for problem in sweeps_of(load_run(folder))[0].problems))
    for cache_bytes, named in ((smallest, True), (smallest - 1, False)):
        (sweep,) = sweeps_of(load_run(with_caches_of(folder, cache_bytes)))
        layers, _ = output.draw(sweep, tmp_path, "x")
        assert ("Problems that fit in the caches may be faster than the memory: layer02. " in layers.caption) == named
        assert "Share" not in layers.title and "share of the stream bandwidth" in layers.title


@pytest.mark.usefixtures("only_svg")
def test_the_report_counts_bytes(folder, tmp_path):
    output.write_report([str(folder)], tmp_path, "a command")
    text = (tmp_path / "report.html").read_text()
    plain = [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in re.findall(r"<tr.*?</tr>", text, re.S)]
    assert any(row.startswith("Brickwork, simd brick 3.4 GB/s, 68.3 %") for row in plain)
    assert any(row.startswith("layer02") and "2.5, 8 ms [2.2, 2.9] 50.0 %" in row and row.endswith(" 5.0") for row in plain)
    facts = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text)
    assert ("measured stream bandwidth", "5.0 to 5.0 GB/s, lowest to highest over the problems") in facts
    assert "GB/s, milliseconds, [quartiles of GB/s], and % of the stream bandwidth." in text

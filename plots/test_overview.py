"""The report's first table, compared with values computed by hand from testdata."""

import re
from dataclasses import replace

import pytest
from pytest import approx

import output
from conftest import STORED, bandwidth_bound
from data import load_run
from derive import Estimate
from overview import in_words, overview
from sweeps import Times, sweeps_of

NAN = float("nan")


def test_a_network_is_weighted(conv):
    (row,) = overview([conv])
    assert (row.primitive, row.which, row.ours, row.peer) == ("conv", "forward", "Brickwork, simd brick", "oneDNN 3.2")
    assert row.ratio.value == approx(84.5 / 82)  # ms, of count * seconds
    assert (row.share, row.limit) == (approx(14 / 0.082 / (14 / (2 / 225 + 4 / 200 + 8 / 236))), "loaded roof")
    assert row.sentence == "as fast as oneDNN 3.2; 0.77 of the loaded roof"


def test_a_sweep_has_a_geometric_mean(brgemm):
    (row,) = overview([brgemm])
    assert (row.primitive, row.which) == ("brgemm", "gemm")
    assert row.ratio.value > 1 and "of the loaded roof" in row.sentence


def test_the_best_peer_is_the_fastest_of_those_that_ran_the_most(conv):
    for problem in conv.problems[:2]:  # a faster one, on fewer problems
        problem.cells["im2col"].__dict__.update(replace(problem.cells["onednn"], times=Times.of_samples([0.001])).__dict__)
    conv.problems[2].cells["im2col"].status = "unsupported"
    assert overview([conv])[0].peer == "oneDNN 3.2"


def test_the_best_of_ours_stands_there(conv):
    for problem in conv.problems:
        problem.cells["brickwork-libxsmm"] = replace(problem.cells["brickwork-simd"], times=Times.of_samples([0.001]))
    conv.__dict__.pop("contenders", None)
    conv.__dict__.pop("_all", None)
    conv = replace(conv, ours=conv.ours | {"brickwork-libxsmm"})
    assert overview([conv])[0].ours == "Brickwork, LIBXSMM brick"


def test_fewer_problems_than_ours_ran_are_said(conv):
    for name in ("onednn", "im2col"):
        conv.problems[1].cells[name].status = "unsupported"
    row = overview([conv])[0]
    assert row.peer == "oneDNN 3.2" or "LIBXSMM" in row.peer
    assert row.sentence.split(";")[0].endswith(", on 2 of 3 problems")


def test_without_peers_there_is_no_ratio(variation):
    (sweep,) = sweeps_of(load_run(variation("conv", lambda s: s[s["ours"] != "no"])))
    (row,) = overview([sweep])
    assert row.ratio is None and row.peer == "" and row.sentence == "no peer to compare with; 0.77 of the loaded roof"


def test_without_ours_nothing_is_said(variation):
    (sweep,) = sweeps_of(load_run(variation("conv", lambda s: s[s["ours"] != "yes"])))
    (row,) = overview([sweep])
    assert (row.ours, row.ratio, row.share, row.sentence) == ("", None, None, "nothing of ours was timed")


def test_before_the_roof_the_peak_is_the_limit(before_the_roof):
    (row,) = overview(sweeps_of(load_run(before_the_roof("conv"))))
    assert (row.share, row.limit) == (approx(14 / 0.082 / (14 / (6 / 250 + 8 / 240))), "FMA peak")


def test_where_the_memory_is_the_limit_it_is_the_stream(variation):
    (sweep,) = sweeps_of(load_run(variation("conv", bandwidth_bound)))
    smallest = min(problem.bytes for problem in sweep.problems)
    for cache_bytes, cached in ((smallest, " (1 of 3 problems fit in the caches)"), (smallest - 1, "")):
        sweep.run.environment["cpu"]["cache_bytes"] = cache_bytes
        (row,) = overview([sweep])
        assert (row.share, row.limit) == (approx(280 / 82 / 5), "stream bandwidth")
        assert row.sentence.endswith(f"; 0.68 of the stream bandwidth{cached}")


@pytest.mark.parametrize(
    ("value", "low", "high", "words"),
    [
        (1.06, 1.05, 1.07, "6 % ahead of"),
        (0.93, 0.92, 0.94, "7 % behind"),
        (1.02, 0.99, 1.05, "as fast as"),
        (1.003, 1.001, 1.004, "as fast as"),
        (1.06, NAN, NAN, "6 % ahead of"),
        (1.004, NAN, NAN, "as fast as"),
        (2.34, 2.3, 2.4, "2.3 times as fast as"),
        (0.4, 0.3, 0.5, "0.4 times as fast as"),
        (1.02, 1.0, 1.05, "as fast as"),
        (0.98, 0.95, 1.0, "as fast as"),
        (1.02, 1.001, 1.05, "2 % ahead of"),
        (0.98, 0.95, 0.999, "2 % behind"),
        (2.0, 1.9, 2.1, "2.0 times as fast as"),
        (1.99, 1.9, 2.1, "99 % ahead of"),
        (0.5, 0.4, 0.6, "0.5 times as fast as"),
        (0.51, 0.4, 0.6, "49 % behind"),
        (0.994, NAN, NAN, "1 % behind"),
    ],
)
def test_ratios_in_words(value, low, high, words):
    assert in_words(Estimate(value, low, high)) == words


@pytest.mark.usefixtures("only_svg")
def test_the_table_comes_first(draw_only, tmp_path):
    draw_only(layers=(output.draw_ratio,), sweep=())
    output.write_report([str(STORED / "conv"), str(STORED / "brgemm")], tmp_path, "a command")
    text = (tmp_path / "report.html").read_text()
    assert text.index('id="glance"') < text.index('<h2 id="claims">') < text.index("<figure>")
    table = text[text.index('id="glance"'): text.index('<h2 id="claims">')]
    rows = [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in re.findall(r"<tr>.*?</tr>", table, re.S)]
    assert rows[1].startswith("conv forward resnet50, N=2, 2 threads simd brick oneDNN 3.2 1.030 [")
    assert rows[2].startswith("brgemm gemm brgemm, 1 thread simd brick ") and "; hot cache, f32 where nothing else is said." in text
    assert rows[1].endswith("] 0.77 loaded roof")
    assert "As fast as oneDNN 3.2; 0.77 of the loaded roof.</p>" in text[text.index('<h2 id="sweep0">'):]
    assert len(rows) == 3 and 'href="#sweep1"' in table

"""A contender that another process measured, with its own limits."""

import numpy as np
import pandas as pd
import pytest
from pytest import approx

import derive
import output
import page
from data import LIMITS, load_run
from derive import above_limit, elsewhere_over_here, fraction_of, weighted_fraction_of
from labels import footnote
from program import InputError
from sweeps import sweeps_of


def apart(samples: pd.DataFrame, contender: str = "onednn", slower: float = 2) -> pd.DataFrame:
    """The samples as if another process had measured the contender. slower: the factor on the times of its limits."""
    limits = samples[samples["contender"].isin(LIMITS.values())]
    seconds = (limits["seconds"].astype(float) * slower).map(repr)
    return pd.concat([samples, limits.assign(contender=f"{contender}/" + limits["contender"], seconds=seconds)])


@pytest.fixture
def sweep(variation):
    return sweeps_of(load_run(variation("conv", apart)))[0]


def test_it_is_no_contender_and_no_peak_of_the_others(conv, sweep):
    assert sweep.contenders == conv.contenders
    for problem, before in zip(sweep.problems, conv.problems, strict=True):
        assert problem.peak.speed == before.peak.speed
        assert problem.limit("peak", "onednn").speed == approx(before.peak.speed / 2)
        assert problem.limit("peak", "brickwork-simd").speed == before.peak.speed
        assert problem.limit("roof", "onednn").speed == approx(before.roof.speed / 2)


def test_shares_are_of_the_peak_of_its_process(conv, sweep):
    def shares(of, name):
        return [fraction_of("peak", problem, name).value for problem in of.problems]

    assert shares(sweep, "onednn") == approx([2 * share for share in shares(conv, "onednn")])
    assert shares(sweep, "brickwork-simd") == shares(conv, "brickwork-simd")
    before = weighted_fraction_of("peak", conv.problems, "onednn")
    after = weighted_fraction_of("peak", sweep.problems, "onednn")
    assert after.value == approx(2 * before.value)
    assert after.low < after.value < after.high
    assert weighted_fraction_of("peak", sweep.problems, "brickwork-simd") == weighted_fraction_of("peak", conv.problems, "brickwork-simd")


def test_a_point_above_the_peak_of_its_process_is_an_error_to_find(sweep):
    assert {name for _, name, _ in above_limit(sweep)} == {"onednn"}
    assert [share for _, _, share in above_limit(sweep)] == [fraction_of("roof", p, name).value for p, name, _ in above_limit(sweep)]


def test_ratios_are_those_of_the_times(conv, sweep):
    for problem, before in zip(sweep.problems, conv.problems, strict=True):
        assert derive.ratio(problem, "brickwork-simd", "onednn") == derive.ratio(before, "brickwork-simd", "onednn")


def test_figures_draw_its_share_of_its_own_roof(figures, variation):
    def heights(run, stem):
        share = figures(run)[stem].axes[1]
        return sorted({float(line.get_ydata()[0]) for line in share.lines if len(line.get_ydata()) == 1})

    run = variation("conv", lambda samples: apart(samples, "onednn", slower=0.5))
    drawn, sweep = heights(run, "x-layers"), sweeps_of(load_run(run))[0]
    for problem in sweep.problems:
        assert any(np.isclose(drawn, 100 * problem.cells["onednn"].speed / problem.roof.speed / 2))


def test_the_report_says_where_it_was_measured(conv, sweep, only_svg, tmp_path):
    assert footnote(conv) == ""
    assert footnote(sweep).startswith(" oneDNN 3.2 was measured in its own process")
    assert "the FMA peak was 0.50 to 0.50 times the one of the others" in footnote(sweep)
    assert elsewhere_over_here(sweep, "onednn") == (approx(0.5), approx(0.5))
    figures = output.draw(sweep, tmp_path, "x")
    assert figures and all(figure.caption.endswith(footnote(sweep)) for figure in figures)
    assert [row["cells"]["onednn"]["share"] for row in page._rows(sweep)] == approx(
        [fraction_of("roof", problem, "onednn").value for problem in sweep.problems]
    )


def test_it_needs_no_peak_here(variation):
    def alone(samples):
        return apart(samples)[lambda rows: ~rows["contender"].isin(["fma-peak", "brickwork-simd"])]

    sweep = sweeps_of(load_run(variation("conv", alone)))[0]
    assert sweep.problems[0].peak is None
    assert fraction_of("peak", sweep.problems[0], "onednn").value > 0
    assert derive.known("peak", sweep.problems, "onednn") and not derive.known("peak", sweep.problems)


def test_its_peak_needs_a_setting(variation):
    def forgets(samples):
        changed = apart(samples)
        changed.loc[changed["contender"] == "onednn/fma-peak", "setting"] = ""
        return changed

    with pytest.raises(InputError, match="setting is empty"):
        load_run(variation("conv", forgets))

"""The sum of the passes of training, compared with values computed by hand from testdata/conv/samples.csv."""

import re

import numpy as np
import pytest
from pytest import approx

import output
from claims import judge
from claims_file import STORED as CLAIMS
from claims_file import load_claims
from conftest import times, with_rankings
from data import load_run
from derive import weighted_fraction_of, weighted_ratio, weighted_seconds
from outcomes import FAILS, HOLDS, NOT_RUN
from overview import overview
from sweeps import sweeps_of
from test_elsewhere import apart
from testing import artists
from training import PASSES, with_trainings

SIMD, ONEDNN = "brickwork-simd", "onednn"
CLAIM = next(claim for claim in load_claims(CLAIMS) if claim.id == "training-onednn")


def with_all(runs) -> list:
    return with_trainings([sweep for run in runs for sweep in sweeps_of(load_run(run))])


@pytest.fixture
def training(passes):
    return with_all(passes())[-1]


def test_passes_are_added_up_and_layers_weighted(training):
    # Forward alone: simd 1*10 + 4*8 + 2*20 = 82 ms, oneDNN 1*12.5 + 4*10 + 2*16 = 84.5 ms.
    assert (training.experiment, training.operation, training.attributes["pass"]) == ("conv-training", "conv training", "training")
    assert weighted_seconds(training.problems, SIMD) == approx(0.082 * (1 + 2 + 3))
    assert weighted_seconds(training.problems, ONEDNN) == approx(0.0845 * (1 + 4 + 2))
    assert weighted_ratio(training.problems, SIMD, ONEDNN).value == approx(84.5 * 7 / (82 * 6))
    assert training.problems[1].cells[SIMD].flop == 3e9 and training.problems[1].flop == 3e9
    assert training.slug == "conv-training-N2-2-threads-hot-cache-f32"


def test_the_interval_is_that_of_the_sum(training):
    resampled = {name: sum(p.count * c.resampled_seconds for s in training.passes for p in s.problems for c in [p.cells[name]])
                 for name in (SIMD, ONEDNN)}  # fmt: skip
    found = weighted_ratio(training.problems, SIMD, ONEDNN)
    assert (found.low, found.high) == approx(tuple(np.percentile(resampled[ONEDNN] / resampled[SIMD], [2.5, 97.5])))
    assert found.low < found.value < found.high


def test_runs_that_rank_plans_are_no_part_of_a_training(passes):
    runs = passes(change=lambda rows, which: with_rankings(rows) if which == "forward" else rows)
    assert [sweep.attributes["pass"] for sweep in with_all(runs)] == list(PASSES)


@pytest.mark.parametrize("which", PASSES)
def test_without_one_of_the_passes_there_is_no_training(passes, which):
    sweeps = with_all(passes(drop=[which]))
    assert [sweep.attributes["pass"] for sweep in sweeps] == [of for of in PASSES if of != which]
    (verdict,) = judge(CLAIM, sweeps)
    assert (verdict.outcome.status, verdict.outcome.reason) == (NOT_RUN, f"no run of its {which} was given that measured anything")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("setting", "N=2, 1 thread, hot cache, f32"), ("setting", "N=4, 2 threads, hot cache, f32"), ("shapes", "vgg"), ("device", "gpu"),
        ("primitive", "fc"), ("figure", "sweep"),
    ],
)
def test_passes_that_differ_in_more_are_not_added_up(passes, column, value):
    def differ(rows, which):
        kept = rows["primitive"].eq("machine") if column in ("primitive", "figure", "shapes") else rows["setting"].eq("")
        return rows.assign(**{column: rows[column].where(kept, value)}) if which == "backward-data" else rows

    sweeps = with_all(passes(change=differ))
    assert len(sweeps) == 3
    assert judge(CLAIM, sweeps)[0].outcome.status == NOT_RUN


def test_passes_of_two_machines_are_not_added_up(passes):
    sweeps = [sweep for run in passes() for sweep in sweeps_of(load_run(run))]
    assert len(with_trainings(sweeps)) == 4
    sweeps[1].run.environment["cpu"]["name"] = "Another CPU"
    assert len(with_trainings(sweeps)) == 3
    assert judge(CLAIM, sweeps)[0].outcome.reason.startswith("no runs of forward, backward-data, weight-update were given that share their")


def test_of_several_runs_of_each_pass_every_one_counts_once(passes):
    sweeps = with_all(run for pair in zip(passes(), passes(name="-again"), strict=True) for run in pair)
    trainings = [(place, sweep.run_names) for place, sweep in enumerate(sweeps) if sweep.passes]
    assert trainings == [(5, "forward, backward-data, weight-update"), (7, "forward-again, backward-data-again, weight-update-again")]


def test_layers_that_a_pass_lacks_are_left_out_and_the_claim_is_not_checked(passes):
    drop = lambda rows, which: rows[~rows["name"].eq("layer02")] if which == "weight-update" else rows  # noqa: E731
    training = with_all(passes(change=drop))[-1]
    assert [problem.name for problem in training.problems] == ["layer01", "layer03"]
    assert weighted_seconds(training.problems, SIMD) == approx(0.050 * 6)
    found = judge(CLAIM, [_as_28(training)])[0].outcome
    assert (found.status, found.reason) == (NOT_RUN, "the run holds 2 of resnet50's 20 problems")


def _as_28(training):
    training.attributes["N"] = 28
    return training


def test_the_claim_judges_the_sum(passes):
    training = _as_28(with_all(passes())[-1])
    training.attributes["problems"] = 3
    layers = "over 2 problems, against onednn"  # the first has three channels
    for slower, status in ((1, HOLDS), (2, FAILS)):  # (40 + 32) * 7 of oneDNN, (32 + 40) * 6 of ours
        for problem in training.problems:
            cell = problem.cells[SIMD]
            cell.times.median, cell.__dict__["resampled_seconds"] = cell.times.median * slower, cell.resampled_seconds * slower
        found = judge(CLAIM, [training])[0].outcome
        assert (found.status, found.measured.value, found.reason.split(";")[0]) == (status, approx(7 / 6 / slower), layers)


def test_a_contender_that_fails_in_one_pass_has_no_sum(passes):
    def fail(rows, which):
        if which == "backward-data":
            gone = rows["contender"].eq(ONEDNN) & rows["name"].eq("layer03")
            rows.loc[gone, ["status", "reason", "seconds"]] = ["failed", "off by one", ""]
        return rows

    cell = with_all(passes(change=fail))[-1].problems[2].cells[ONEDNN]
    assert (cell.status, cell.reason) == ("failed", "backward-data: off by one")


def test_a_contender_without_one_of_the_passes_is_left_out_and_named(passes, figures_of):
    drop = lambda rows, which: rows[~rows["contender"].eq("im2col")] if which == "backward-data" else rows  # noqa: E731
    training = with_all(passes(change=drop))[-1]
    assert training.contenders == [SIMD, ONEDNN, "libxsmm-dnn"]
    _, drawn = figures_of(training)["x-passes"]
    assert drawn.caption.endswith("Contenders without one of the passes have no bar: im2col has no backward-data.")


def test_the_limit_is_that_of_each_pass(passes):
    def slower(rows, which):
        return times(rows, rows["contender"].eq("loaded-roof"), 2) if which == "weight-update" else rows

    training = with_all(passes(change=slower))[-1]
    ideal = 2 / 225 + 4 / 200 + 8 / 236  # s of count * flop at the loaded roof
    share = weighted_fraction_of("roof", training.problems, SIMD)
    assert share.value == approx(ideal * (1 + 1 + 2) / (0.082 * 6))
    assert weighted_fraction_of("peak", training.problems, SIMD).value == approx((6 / 250 + 8 / 240) * 3 / (0.082 * 6))
    (row,) = overview([training])
    assert (row.share, row.limit) == (share.value, "loaded roof")


def test_a_contender_measured_elsewhere_has_the_limits_measured_there(passes):
    training = with_all(passes(change=lambda rows, which: apart(rows, ONEDNN)))[-1]
    here = weighted_fraction_of("peak", training.problems, SIMD).value * 6 * 82
    assert weighted_fraction_of("peak", training.problems, ONEDNN).value == approx(2 * here / (7 * 84.5))


def test_the_first_table_has_a_row_behind_the_last_pass(passes):
    sweeps = with_all(passes())
    rows = overview(sweeps)
    assert [row.which for row in rows] == [*PASSES, "training"]
    assert (rows[3].primitive, rows[3].ours, rows[3].peer) == ("conv", "Brickwork, simd brick", "oneDNN 3.2")
    assert rows[3].ratio.value == approx(84.5 * 7 / (82 * 6))
    assert rows[3].sentence.endswith("of the loaded roof; forward + backward-data + weight-update of 3 problems")
    assert "added" not in rows[2].sentence and "problems" not in rows[2].sentence


def test_passes_without_a_common_contender_are_no_training(passes):
    apart = {"forward": "brickwork-simd", "backward-data": "onednn", "weight-update": "im2col"}
    alone = lambda rows, which: rows[rows["primitive"].eq("machine") | rows["contender"].eq(apart[which])]  # noqa: E731
    assert len(with_all(passes(change=alone))) == 3


@pytest.mark.usefixtures("only_svg")
def test_the_report_has_a_section_of_all_three_runs(passes, draw_only, tmp_path):
    draw_only(layers=())
    runs = passes()
    output.write_report([str(run) for run in runs], tmp_path / "out", "a command")
    text = (tmp_path / "out" / "report.html").read_text()
    section = text[text.index('<h2 id="sweep3">conv-training, '): text.index('<h2 id="reading">')]
    facts = re.findall(r"<dt>run</dt><dd>(.*?)</dd>", section)
    assert facts == list(PASSES) and section.count("<svg") == 1 and "What ran" not in section
    assert all(f"<code>{run / 'samples.csv'}</code>" in section for run in runs)
    assert "all 3 problems" in section and "training-N2-2-threads-hot-cache-f32-passes.svg" in section


# --- the figure ------------------------------------------------------------------------------------------------------


def stacks(axes) -> dict[str, list]:
    """For each contender the ends of its bar's parts, which must lie end to end."""
    names = {place: text.get_text() for place, text in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)}
    found: dict[str, list] = {}
    for patch in sorted(axes.patches, key=lambda patch: patch.get_x()):
        ends = found.setdefault(names[round(patch.get_y() + patch.get_height() / 2)], [0.0])
        assert patch.get_x() == approx(ends[-1])
        ends.append(patch.get_x() + patch.get_width())
    return {name: ends[1:] for name, ends in found.items()}


def test_bars_are_the_passes_end_to_end(training, figures_of):
    figure, _ = figures_of(training)["x-passes"]
    all_three, two, one = figure.axes
    assert [axes.get_title(loc="left") for axes in figure.axes][:2] == ["all 3 problems", "2 problems: all but layer02"]
    assert list(stacks(all_three)) == ["Brickwork, simd brick", "oneDNN 3.2"]
    assert list(stacks(all_three).values()) == [approx([82, 82 * 3, 82 * 6]), approx([84.5, 84.5 * 5, 84.5 * 7])]
    assert {len(ends) for axes in (two, one) for ends in stacks(axes).values()} == {3}
    assert artists.true(all_three, "x") and all_three.get_xlim()[0] == 0 and all_three.yaxis_inverted()
    said = [text for text, *_ in artists.notes(all_three)]
    assert next(text for text in said if "ms" in text) == "82 + 164 + 246 = 492 ms"
    assert re.fullmatch(r"84.5 \+ 338 \+ 169 = 591.5 ms: ours is 1.202 \[.*\] times as fast", said[-1])


def test_lines_are_the_time_at_the_limits(training, figures_of):
    figure, _ = figures_of(training)["x-passes"]
    lines = {style: artists.black_lines(figure.axes[0], style)[0][0][0] for style in ("-", "--")}
    assert lines == {"-": approx(3e3 * (6 / 250 + 8 / 240)), "--": approx(3e3 * (2 / 225 + 4 / 200 + 8 / 236))}
    assert list(artists.legend(figure))[:3] == list(PASSES)

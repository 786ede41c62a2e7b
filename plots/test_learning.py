import json
import math
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import learning
import report
import style
from claims_file import STORED as CLAIMS
from claims_file import Condition, load_claims
from conftest import STORED
from outcomes import FAILS, HOLDS, NOT_RUN
from program import InputError
from testing import artists

BY_ID = {claim.id: claim for claim in load_claims(CLAIMS)}


@pytest.fixture
def training(tmp_path):
    """training(name, change): a copy of the stored training, a row per epoch; change gets and returns its rows as texts."""

    def make(name: str = "one", change=lambda rows: rows) -> Path:
        folder = tmp_path / name
        shutil.copytree(STORED / "learning", folder)
        rows = pd.read_csv(folder / learning.FILE, dtype=str)
        change(rows).to_csv(folder / learning.FILE, index=False)
        return folder

    return make


def with_cell(column: str, value: str, row: int = 3):
    def change(rows):
        rows.loc[row, column] = value
        return rows

    return change


def verdicts(claim: str, *directories: Path) -> list:
    curves, _ = learning.load_curves(directories)
    return learning.judge(BY_ID[claim], curves)


def outcome(claim: str, *directories: Path):
    (verdict,) = verdicts(claim, *directories)
    return verdict.outcome


# --- what is read ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda rows: rows.drop(columns="loss"), "lacks the column loss."),
        (lambda rows: rows.drop(columns=["loss", "seed"]), "lacks the columns seed, loss."),
        (with_cell("loss", "much"), "line 5: loss 'much' is not a number."),
        (with_cell("epoch", "4.5"), "line 5: epoch '4.5' is not a whole number."),
        (with_cell("threads", "2"), "holds several values of threads; a training has one."),
        (with_cell("test_measure", "98"), "line 5: test_measure 98 must be from 0 to 1, as an accuracy is."),
        (with_cell("test_measure", "nan"), "line 5: test_measure nan must be at least 0."),
        (lambda rows: rows.assign(tested_on="0"), "line 2: tested_on 0 must be at least 1."),
        (lambda rows: rows.assign(measure="beauty"), "line 2: measure 'beauty' is none of accuracy, mean squared error, bits a character."),
        (lambda rows: rows.assign(baseline_measure="-1"), "line 2: baseline_measure -1 must be at least 0."),
        (lambda rows: rows.iloc[::-1], "its epochs must be 1, 2, ... in this order."),
    ],
)
def test_a_malformed_file_is_refused(training, change, sentence):
    with pytest.raises(InputError) as refused:
        learning.load_curves([training(change=change)])
    assert sentence in str(refused.value)


def test_extreme_allowed_values_are_read(training):
    change = lambda rows: with_cell("test_measure", "1")(rows).assign(tested_on="1", train_measure="0")  # noqa: E731
    (curve,), _ = learning.load_curves([training(change=change)])
    assert curve.epochs["test_measure"].iloc[-1] == 1 and curve.settings["tested_on"] == 1


def test_the_same_training_twice_is_refused(training):
    with pytest.raises(InputError, match="both hold digits-mlp, 1 thread, seed 1; give each training once"):
        learning.load_curves([training("one"), training("two")])


def test_a_training_without_an_epoch_is_left_out(training):
    curves, left_out = learning.load_curves([training(change=lambda rows: rows.iloc[:0]), training("whole")])
    assert [curve.name for curve in curves] == ["whole"]
    assert len(left_out) == 1 and left_out[0].endswith("has a header but no rows: no epoch was finished.")


# --- claims ----------------------------------------------------------------------------------------------------------


def test_the_accuracy_of_the_last_epoch_is_judged(training):
    found = outcome("digits-mlp", training())
    assert (found.status, found.measured.value) == (HOLDS, 0.98)
    assert found.reason.startswith("2 of 100 test images wrong after 4 epochs; the 95 % interval holds the bound")
    found = outcome("digits-mlp", training("worse", with_cell("test_measure", "0.96")))
    assert (found.status, found.measured.value) == (FAILS, 0.96)


def test_an_interval_that_ends_at_the_bound(training):
    (curve,), _ = learning.load_curves([training()])
    measured = learning.wilson(0.98, 100)
    for bound, status, doubtful in (
        (measured.low, HOLDS, False), (math.nextafter(measured.low, 1), HOLDS, True), (0.98, HOLDS, True),
        (measured.high, FAILS, True), (math.nextafter(measured.high, 1), FAILS, False),
    ):  # fmt: skip
        (verdict,) = learning.judge(replace(BY_ID["digits-mlp"], bound=bound), [curve])
        assert (verdict.outcome.status, "holds the bound" in verdict.outcome.reason) == (status, doubtful), bound


def of_errors(task: str, measure: str, last: str):
    def change(rows):
        rows = with_cell("test_measure", last)(rows)
        return rows.assign(task=task, measure=measure, examples="sequences", baseline="always answering 1", baseline_measure="0.16")

    return change


def test_an_error_may_be_bounded_on_either_side(training):
    small, large = ("0.009", "0.011"), ("0.12", "0.08")
    for claim, (good, bad) in {"adding-lstm": small, "adding-rnn": large}.items():
        for status, last in ((HOLDS, good), (FAILS, bad)):
            found = outcome(claim, training(f"{claim}-{status}", of_errors(claim, "mean squared error", last)))
            assert (found.status, found.measured.value) == (status, float(last))
            assert found.reason == "on 100 sequences after 4 epochs; always answering 1 has 0.16"


def test_an_accuracy_may_be_bounded_above(training):
    bound = BY_ID["listops-lstm"].bound
    for status, last in ((HOLDS, bound - 0.01), (FAILS, bound + 0.01)):
        change = lambda rows, last=last: with_cell("test_measure", str(last))(rows).assign(task="listops-lstm")  # noqa: E731
        found = outcome("listops-lstm", training(status, change))
        assert (found.status, found.measured.value) == (status, last)


def test_a_training_is_compared_with_its_baseline(training):
    share = BY_ID["characters-pairs"].bound * 0.16
    for status, last in ((HOLDS, share * 0.99), (FAILS, share * 1.01)):
        found = outcome("characters-pairs", training(status, of_errors("characters", "bits a character", str(last))))
        assert found.status == status and found.measured.value == pytest.approx(last / 0.16)
        assert found.reason.endswith("bits a character after 4 epochs, always answering 1 has 0.16")


def test_another_measure_is_not_judged(training):
    found = outcome("adding-lstm", training(change=of_errors("adding-lstm", "bits a character", "0.001")))
    assert (found.status, found.reason) == (NOT_RUN, "was measured by its bits a character")


def test_a_training_that_was_cut_short_is_not_judged(training):
    found = outcome("digits-mlp", training(change=lambda rows: rows.iloc[:3]))
    assert (found.status, found.reason) == (NOT_RUN, "1 thread, seed 1: ended after 3 of 4 epochs")


def test_another_task_and_another_contender_are_not_judged(training):
    conv = training(change=lambda rows: rows.assign(task="digits-conv"))
    assert outcome("digits-mlp", conv).reason == "no digits-mlp with brickwork-simd was given"
    other = training("other", lambda rows: rows.assign(contender="onednn"))
    assert outcome("digits-mlp", other).status == NOT_RUN and outcome("digits-conv", conv).status == FAILS


def test_every_training_has_a_verdict(training):
    two = training("two", lambda rows: rows.assign(threads="2"))
    assert [verdict.run for verdict in verdicts("digits-mlp", training(), two)] == ["one (1 thread, seed 1)", "two (2 threads, seed 1)"]


def test_wilsons_interval():
    """Wilson's definition: the share is z standard deviations from each bound, with the standard deviation at the bound."""
    found = learning.wilson(0.9, 50)
    for bound in (found.low, found.high):
        assert abs(0.9 - bound) == pytest.approx(1.959964 * math.sqrt(bound * (1 - bound) / 50), rel=1e-5)
    assert learning.wilson(1.0, 50).low < 1 and learning.wilson(1.0, 50).high == pytest.approx(1)


@pytest.mark.parametrize("column", ["loss", "train_measure", "test_measure"])
def test_epochs_that_differ_in_a_bit_are_not_alike(training, column):
    two = lambda rows: rows.assign(threads="2")  # noqa: E731
    found = outcome("digits-mlp-threads", training(), training("two", two))
    assert (found.status, found.measured.value) == (HOLDS, 1) and "on 1 thread, 2 threads: losses differ by 0 at" in found.reason
    nearly = training("nearly", lambda rows: with_cell(column, "0.12500000000000003")(two(rows)))
    found = outcome("digits-mlp-threads", training("again"), nearly)
    assert (found.status, found.measured.value) == (FAILS, 0.75)


def test_a_training_on_one_thread_alone_is_not_compared(training):
    assert outcome("digits-mlp-threads", training()).reason == "was trained on 1 thread alone"
    other_seed = training("seed", lambda rows: rows.assign(threads="2", seed="2"))
    assert {v.outcome.status for v in verdicts("digits-mlp-threads", training("again"), other_seed)} == {NOT_RUN}
    short = training("short", lambda rows: rows.assign(threads="2").iloc[:2])
    assert outcome("digits-mlp-threads", training("third"), short).reason == "2 threads, seed 1: ended after 2 of 4 epochs"


def test_a_condition_of_the_problems_is_refused(training):
    curves, _ = learning.load_curves([training()])
    with pytest.raises(InputError, match="no 'where'"):
        learning.judge(replace(BY_ID["digits-mlp"], where=Condition("n == 1")), curves)
    with pytest.raises(InputError, match="names 'thread', which is no column"):
        learning.judge(replace(BY_ID["digits-mlp"], when=Condition("thread == 1")), curves)
    (verdict,) = learning.judge(replace(BY_ID["digits-mlp"], when=Condition("threads == 2")), curves)
    assert (verdict.outcome.status, verdict.outcome.reason) == (NOT_RUN, "needs threads == 2")


# --- what is drawn ---------------------------------------------------------------------------------------------------


def test_the_figure_shows_every_curve_and_the_claimed_accuracy(training, monkeypatch):
    kept = []
    monkeypatch.setattr(style, "save", lambda figure, *_: kept.append(figure))
    two = training("two", with_cell("test_measure", "0.99"))
    pd.read_csv(two / learning.FILE).assign(threads=2).to_csv(two / learning.FILE, index=False)
    curves, _ = learning.load_curves([training(), two])
    (group,) = learning.grouped(curves)
    drawn = learning.draw(group, list(BY_ID.values()), Path())
    loss, accuracy = kept[0].axes
    assert [list(line.get_ydata()) for line in loss.lines] == [[1.75, 0.5, 0.25, 0.125]] * 2
    assert [list(line.get_ydata()) for line in accuracy.lines] == [[75, 96, 97, 98], [75, 96, 97, 99], [97, 97]]
    assert [text.get_text() for text in kept[0].legends[0].get_texts()] == ["1 thread", "2 threads", "claimed: 97 %"]
    assert "300 images in training. Right: the accuracy on 100 other images." in drawn.caption
    assert "Training of digits-mlp took 1.2 s on 1 thread, 1.2 s on 2 threads." in drawn.caption


def test_errors_are_drawn_with_their_baseline(training, monkeypatch):
    kept = []
    monkeypatch.setattr(style, "save", lambda figure, *_: kept.append(figure))
    (group,) = learning.grouped(learning.load_curves([training(change=of_errors("adding-lstm", "mean squared error", "0.01"))])[0])
    drawn = learning.draw(group, list(BY_ID.values()), Path())
    loss, test = kept[0].axes
    assert (loss.get_yscale(), test.get_yscale()) == ("log", "log")
    assert artists.true(loss, "y", scale="log") and artists.true(test, "y", scale="log")
    assert [list(line.get_ydata()) for line in test.lines] == [[0.75, 0.96, 0.97, 0.01], [0.01, 0.01], [0.16, 0.16]]
    assert [text.get_text() for text in kept[0].legends[0].get_texts()] == ["1 thread", "claimed: at most 0.01", "always answering 1: 0.16"]
    assert drawn.caption.endswith("Always answering 1 has 0.16.")


def test_bits_are_logarithms_already(training, monkeypatch):
    kept = []
    monkeypatch.setattr(style, "save", lambda figure, *_: kept.append(figure))
    (group,) = learning.grouped(learning.load_curves([training(change=of_errors("characters", "bits a character", "0.01"))])[0])
    learning.draw(group, [], Path())
    assert [axes.get_yscale() for axes in kept[0].axes] == ["linear", "linear"]


def test_no_curve_is_left_out_however_many_there_are(training, monkeypatch):
    kept = []
    monkeypatch.setattr(style, "save", lambda figure, *_: kept.append(figure))
    for most in (1, 6):
        several = [training(f"{most}-{count}", lambda rows, count=count: rows.assign(threads=str(count))) for count in range(1, 1 + most)]
        (group,) = learning.grouped(learning.load_curves(several)[0])
        learning.draw(group, [], Path())
        assert [len(axes.lines) for axes in kept[-1].axes] == [most, most]


def test_tasks_that_begin_with_the_same_word_are_compared_if_they_were_trained_alike(training, monkeypatch):
    kept = []
    monkeypatch.setattr(style, "save", lambda figure, *_: kept.append(figure))

    def of(task: str, threads: int, last: str, seed: str = "1") -> Path:
        change = lambda rows: with_cell("test_measure", last)(rows).assign(task=task, threads=str(threads), seed=seed)  # noqa: E731
        return training(f"{task}-{threads}-{seed}", change)

    alike = [of("digits-mlp", 1, "0.99"), of("digits-conv", 2, "0.6"), of("digits-mlp", 2, "0.99"), of("digits-conv", 1, "0.6")]
    curves, _ = learning.load_curves([*alike, of("adding-lstm", 1, "0.5"), of("digits-conv", 1, "0.7", seed="2")])
    first, *others = learning.grouped(curves)
    assert [(curve.settings["task"], curve.settings["threads"]) for curve in first] == [
        ("digits-mlp", 1), ("digits-mlp", 2), ("digits-conv", 1), ("digits-conv", 2)
    ]  # fmt: skip
    assert sorted(learning.tasks(group) for group in others) == [["adding-lstm"], ["digits-conv"]]
    drawn = learning.draw(first, list(BY_ID.values()), Path())
    assert [text.get_text() for text in kept[0].legends[0].get_texts()] == [
        "digits-mlp, 1 thread", "digits-mlp, 2 threads", "digits-conv, 1 thread", "digits-conv, 2 threads",
        "claimed for digits-mlp: 97 %", "claimed for digits-conv: 98.5 %",
    ]  # fmt: skip
    lines = kept[0].axes[1].lines
    assert [line.get_ydata()[-1] for line in lines] == [99, 99, 60, 60, 97, 98.5]
    assert len({line.get_color() for line in lines}) == 5  # a colour for each training, and one for the claims
    assert drawn.title == "Learning digits-mlp and digits-conv: seed 1"
    assert drawn.stem == "learning-digits-mlp-digits-conv-brickwork-simd-1-4"
    took = "1.2 s on 1 thread, 1.2 s on 2 threads"
    assert f"Training of digits-mlp took {took}; digits-conv took {took}." in drawn.caption


@pytest.mark.usefixtures("only_svg")
def test_the_report_has_a_section_for_each_network_beside_what_was_timed(training, draw_only, tmp_path, capsys):
    draw_only(sweep=())
    conv = training("conv", lambda rows: rows.assign(task="digits-conv", seed="2"))
    assert report.main([str(training()), str(conv), str(STORED / "brgemm"), "--out", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "report.html").read_text()
    assert re.findall(r"<h2 id=\"(learned\d)\">(.*?)</h2>", text) == [
        ("learned0", "Learning digits-mlp: seed 1"), ("learned1", "Learning digits-conv: seed 2")
    ]
    assert "figures/learning-digits-conv-brickwork-simd-2-4.svg" in text and "<h3>Run conv</h3>" in text
    assert "loss 0.125, accuracy 0.98 on the test images; always the commonest label: 0.125" in text
    printed = capsys.readouterr().out
    assert f"{FAILS}: digits-conv (ours): measured 0.980" in printed and "digits-mlp (ours)" not in printed


@pytest.mark.usefixtures("only_svg")
def test_a_report_of_trainings_alone_shows_their_exit_code(training, tmp_path):
    folder = training()
    environment = json.loads((folder / "environment.json").read_text())
    (folder / "environment.json").write_text(json.dumps(environment | {"exit_code": 1}))
    assert report.main([str(folder), "--out", str(tmp_path / "out")]) == 0
    assert "<dt>ended</dt><dd>with exit code 1</dd>" in (tmp_path / "out" / "report.html").read_text()

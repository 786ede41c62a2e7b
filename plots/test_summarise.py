import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pytest import approx

import report
import summarise
from claims import judge
from claims_file import STORED as CLAIMS
from claims_file import load_claims
from conftest import STORED, with_environment
from data import SUMMARY_COLUMNS, load_run, load_runs
from derive import fraction_of, ratio, weighted_ratio
from outcomes import HOLDS
from program import InputError
from sweeps import Cell, Times, sweeps_of


@pytest.fixture
def summary(tmp_path):
    def make(run=STORED / "conv"):
        out = tmp_path / "summary"
        assert summarise.main([str(run), "--out", str(out)]) == 0
        return out

    return make


@pytest.fixture
def spoilt(tmp_path):
    def make(**environment):
        return with_environment(shutil.copytree(STORED / "conv", tmp_path / "spoilt"), **environment)

    return make


@pytest.mark.parametrize("stored", ["conv", "brgemm"])
def test_a_summary_gives_the_medians_and_quartiles_of_the_samples(summary, stored):
    (full,), (short,) = (sweeps_of(load_run(run)) for run in (STORED / stored, summary(STORED / stored)))
    assert (short.setting, short.contenders, short.bandwidth) == (full.setting, full.contenders, full.bandwidth)
    for a, b in zip(full.problems, short.problems, strict=True):
        assert (a.text, a.sizes, a.count, a.peak.speed, a.roof.speed) == (b.text, b.sizes, b.count, b.peak.speed, b.roof.speed)
        for name, cell in a.cells.items():
            assert (cell.status, cell.reason) == (b.cells[name].status, b.cells[name].reason)
            if cell.ok:
                other = b.cells[name]
                assert (other.speed, other.speed_quartiles, other.times.count) == (cell.speed, cell.speed_quartiles, cell.times.count)
                assert (other.packing and other.packing.median) == (cell.packing and cell.packing.median)


def test_a_summary_has_one_row_for_the_samples_of_a_contender(summary):
    rows = pd.read_csv(summary() / "summary.csv", dtype=str, keep_default_na=False)
    assert [column for column in rows if column in SUMMARY_COLUMNS] == SUMMARY_COLUMNS
    assert not rows.duplicated(["problem", "contender", "phase"]).any()
    (row,) = rows[(rows["name"] == "layer02") & (rows["contender"] == "brickwork-simd") & (rows["phase"] == "run")].to_dict("records")
    assert [float(row[column]) for column in ("samples", "seconds_low", "seconds", "seconds_high")] == approx([3, 0.007, 0.008, 0.009])
    (failed,) = rows[rows["status"] == "failed"].to_dict("records")
    assert failed["reason"] == "element n=0 k=3 p=1 q=2 is 5, expected 9" and failed["seconds"] == failed["samples"] == ""


def test_the_worst_error_is_kept(variation, summary):
    def change(samples):
        samples.loc[samples["sample"] == "1", "max_error"] = "0.5"
        return samples

    rows = load_run(summary(variation("conv", change))).samples
    assert rows.loc[rows["contender"].eq("onednn") & rows["phase"].eq("run"), "max_error"].eq(0.5).all()


def test_a_failed_sample_stays_beside_the_times(variation, summary):
    def change(samples):
        row = samples.index[(samples["contender"] == "onednn") & (samples["sample"] == "2")][0]
        samples.loc[row, ["status", "reason", "seconds"]] = ["failed", "wrong at the last repetition", ""]
        return samples

    sweep = sweeps_of(load_run(summary(variation("conv", change))))[0]
    assert sweep.problems[0].cells["onednn"].reason == "wrong at the last repetition"


def test_a_summary_gives_intervals_of_its_quartiles(summary, variation):
    (sweep,) = sweeps_of(load_run(summary(STORED / "brgemm")))  # without noise
    assert str(ratio(sweep.problems[0], "brickwork-simd", "brickwork-libxsmm")) == "1.091 [1.091, 1.091]"
    assert str(fraction_of("peak", sweep.problems[0], "brickwork-simd")) == "0.960 [0.960, 0.960]"
    assert str(weighted_ratio(sweep.problems, "brickwork-simd", "brickwork-libxsmm")).count("[") == 1
    claim = next(claim for claim in load_claims(CLAIMS) if claim.id == "brgemm-peak")
    (verdict,) = judge(claim, [sweep])
    assert (verdict.outcome.status, verdict.outcome.measured.value) == (HOLDS, approx(1.0))


def test_the_interval_of_a_summary_is_about_that_of_its_samples():
    samples = np.random.default_rng(1).normal(1.0, 0.05, 101)
    cells = [Cell("c", "ok", times=Times.of_samples(samples)), Cell("c", "ok", times=replace(Times.of_samples(samples), samples=None))]
    widths = [np.subtract(*np.percentile(cell.resampled_seconds, [97.5, 2.5])) for cell in cells]
    assert widths[1] == approx(2 * 1.96 * 1.2533 * 0.05 / np.sqrt(101), rel=0.4)  # the standard error of a normal distribution's median
    assert widths[1] == approx(widths[0], rel=0.5)
    assert np.isnan(Cell("c", "ok", times=Times(1, 1, 1, 1, None)).resampled_seconds).all()


@pytest.mark.usefixtures("only_svg")
def test_a_summary_is_drawn(summary, tmp_path, capsys):
    assert report.main([str(summary()), "--out", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "report.html").read_text()
    assert "summary.csv" in text and "samples.csv" not in text and "1 to 3" not in text
    capsys.readouterr()


def test_a_run_and_its_summary_are_one_run(summary):
    run, short = load_run(STORED / "conv"), load_run(summary())
    assert run.name == short.name
    assert len(load_runs([short.directory, STORED / "brgemm"])[0]) == 2
    with pytest.raises(InputError, match="both hold run 'stored-conv'"):
        load_runs([STORED / "conv", short.directory])


@pytest.mark.parametrize(
    ("environment", "complaint"),
    [
        ({"warnings": ["the governor is powersave", "other"]}, "carries a warning, which a reference must not: the governor is powersave"),
        ({"git": {"commit": "1", "dirty": True}}, "does not say that the build was of a commit without changes"),
        ({"git": {"commit": "unknown", "dirty": "unknown"}}, "does not say that the build was of a commit without changes"),
        ({"git": {}}, "does not say that the build was of a commit without changes"),
        ({"exit_code": 130}, "has the exit code 130; a reference is a run that ended with 0."),
        ({"exit_code": None}, "has the exit code None; a reference is a run that ended with 0."),
    ],
)
def test_a_run_unfit_as_a_reference_is_refused(spoilt, tmp_path, capsys, environment, complaint):
    assert summarise.main([str(spoilt(**environment)), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert complaint in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_summary_names_no_folders_of_the_machine(spoilt, tmp_path):
    run = spoilt(command_line="brickwork --threads 2 --out /home/somebody/runs/conv", exit_code=0)
    assert summarise.main([str(run), "--out", str(tmp_path / "summary")]) == 0
    found = load_run(tmp_path / "summary").environment
    assert found.pop("command_line") == "brickwork --threads 2 --out conv"
    assert found.items() <= load_run(run).environment.items()


def test_a_summary_names_a_program_and_its_own_libraries_without_their_folders(spoilt, tmp_path):
    runtimes = ["/usr/lib/x86_64-linux-gnu/libgomp.so.1", "/home/somebody/lib/libomp.so"]
    run = spoilt(command_line="/home/somebody/build/brickwork --threads 2 --out conv", openmp_runtimes=runtimes, exit_code=0)
    assert summarise.main([str(run), "--out", str(tmp_path / "summary")]) == 0
    found = load_run(tmp_path / "summary").environment
    assert found["command_line"] == "brickwork --threads 2 --out conv"
    assert found["openmp_runtimes"] == [runtimes[0], "libomp.so"]


def test_a_summary_of_a_summary_is_refused(summary, tmp_path, capsys):
    assert summarise.main([str(summary()), "--out", str(tmp_path / "again")]) == 2
    assert "holds a summary already" in capsys.readouterr().err


def test_a_run_whose_last_line_was_cut_is_refused(spoilt, tmp_path, capsys):
    run = spoilt()
    text = (run / "samples.csv").read_text()
    (run / "samples.csv").write_text(text[:-60])
    assert summarise.main([str(run), "--out", str(tmp_path / "out")]) == 2
    assert "A reference is a whole run." in capsys.readouterr().err and not (tmp_path / "out").exists()


def spoil(column, value, contender="onednn"):
    def change(rows):
        row = rows.index[(rows["contender"] == contender) & (rows["phase"] == "run")][0]
        rows.loc[row, column] = value
        return rows

    return change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda rows: rows.drop(columns="samples"), "lacks the column samples"),
        (spoil("samples", ""), "an ok row needs samples of at least 1"),
        (spoil("samples", "2.5"), "samples '2.5' is not a whole number"),
        (spoil("seconds_low", "9"), "the median must lie between the quartiles"),
        (spoil("seconds_high", ""), "the median must lie between the quartiles"),
        (spoil("seconds_low", "0"), "the median must lie between the quartiles"),
        (lambda rows: pd.concat([rows, rows.tail(1)]), "repeats the run, experiment, setting, problem, contender, phase, threads, status"),
    ],
)
def test_a_wrong_summary_is_refused(summary, change, complaint):
    path = summary() / "summary.csv"
    change(pd.read_csv(path, dtype=str, keep_default_na=False)).to_csv(path, index=False)
    with pytest.raises(InputError) as error:
        load_run(path.parent)
    assert complaint in str(error.value)


def test_an_unwritable_out_ends_with_one_sentence_and_status_2(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    assert summarise.main([str(STORED / "conv"), "--out", str(tmp_path / "file")]) == 2
    error = capsys.readouterr().err
    assert "give --out a directory you may write" in error and error.count("\n") == 1

import shutil

import pandas as pd
import pytest

import report
from conftest import STORED
from data import load_run, load_runs
from program import InputError
from sweeps import sweeps_of


def one(samples, contender="brickwork-simd"):
    """The index of the contender's first timed row."""
    return samples.index[(samples["contender"] == contender) & (samples["phase"] == "run")][0]


def setting(column, value, contender="brickwork-simd"):
    def change(samples):
        samples.loc[one(samples, contender), column] = value
        return samples

    return change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda s: s.drop(columns=["seconds", "flop"]), "lacks the columns seconds, flop"),
        (setting("seconds", "fast"), "line 2: seconds 'fast' is not a number"),
        (setting("seconds", "nan"), "line 2: seconds 'nan' is not a number"),
        (setting("seconds", "0"), "line 2: an ok row needs seconds above 0"),
        (setting("seconds", "-1"), "line 2: an ok row needs seconds above 0"),
        (setting("seconds", ""), "line 2: an ok row needs seconds above 0"),
        (setting("threads", "1.5"), "line 2: threads '1.5' is not a whole number"),
        (setting("threads", "0"), "line 2: threads must be at least 1"),
        (setting("count", "0"), "line 2: count must be at least 1"),
        (setting("problems", "0"), "line 2: problems must say how many the set resnet50 holds"),
        (setting("problems", ""), "line 2: problems must say how many the set resnet50 holds"),
        (setting("flop", "0"), "line 2: an ok row needs flop"),
        (setting("flop", "7"), "line 2: least_flop must not exceed flop"),
        (setting("flop", "9e12"), "flop differs from an earlier row"),
        (setting("sample", ""), "line 2: an ok row needs its sample's index"),
        (setting("sample", "1"), "line 3: repeats the run, experiment, setting, problem, contender, phase, threads, sample"),
        (setting("status", "fine"), "line 2: status 'fine' is none of ok, failed, unsupported, absent, misfit"),
        (setting("status", "failed"), "line 2: a failed row must not carry a time"),
        (setting("contender", ""), "line 2: contender is empty"),
        (setting("status", "skipped"), "line 2: status 'skipped' is none of ok"),
        (setting("status", "misfit"), "line 2: a misfit row must not carry a time"),
        (setting("experiment", ""), "line 2: experiment is empty"),
        (setting("figure", "pie"), "line 2: figure 'pie' is none of layers, latency, ablation, sweep, curve"),
        (setting("least_flop", "7"), "least_flop differs from an earlier row"),
        (setting("figure", "sweep"), "figure differs from an earlier row"),
        (setting("ours", ""), "line 2: ours '' is none of yes, no"),
        (setting("ours", "no"), "ours differs from an earlier row of contender 'brickwork-simd'"),
        (setting("setting", ""), "line 2: setting is empty"),
        (setting("setting", "", contender="fma-peak"), "setting is empty"),
        (setting("setting", "", contender="loaded-roof"), "setting is empty"),
        (setting("run", "other"), "holds the runs other, stored-conv"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(variation, change, complaint):
    with pytest.raises(InputError) as error:
        load_run(variation("conv", change))
    assert complaint in str(error.value)


def test_a_set_may_be_one_problem(variation):
    (sweep,) = sweeps_of(load_run(variation("conv", lambda rows: rows.assign(problems=rows["problems"].replace("20", "1")))))
    assert sweep.attributes["problems"] == 1


@pytest.fixture
def rewritten(tmp_path):
    """rewritten(change): a copy of a stored run; change gets and returns its samples.csv as bytes."""

    def make(change):
        run = shutil.copytree(STORED / "conv", tmp_path / "run")
        (run / "samples.csv").write_bytes(change((run / "samples.csv").read_bytes()))
        return run

    return make


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        (lambda text: text[:-1], 61),  # the last number may have lost digits
        (lambda text: text[:-60], 61),
        (lambda text: text[:-60] + b"\n", 61),
        (lambda text: text + "l\u00e4".encode()[:2], 62),
        (lambda text: text + b'stored-conv,"a quote', 62),
        (lambda text: text + bytes(4096), 62),  # some file systems leave this after a crash
    ],
)
def test_a_last_line_that_was_cut_short_is_left_out_and_named(rewritten, change, rows):
    whole, run = load_run(STORED / "conv"), load_run(rewritten(change))
    pd.testing.assert_frame_equal(run.samples, whole.samples[:rows])
    assert run.left_out == f"{run.source} ends in the middle of a line, which is left out: the run was cut short."
    assert whole.left_out == "" and len(whole.samples) == 62


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda text: text + b"," * 60 + b"\n", "line 64: 61 fields where the header names 45"),
        (lambda text: text.replace(b",0,0.01,", b",", 1), "line 2: 43 fields where the header names 45"),
        (lambda text: text.replace(b"layer02", b"l\xe4yer02"), "samples.csv, line 21: the byte 0xe4 is not UTF-8"),
        (lambda text: text.replace(b"layer02", b'"layer"02'), "is not a valid CSV file: "),
    ],
)
def test_a_line_that_was_not_cut_but_is_wrong_is_refused(rewritten, change, complaint):
    with pytest.raises(InputError) as error:
        load_run(rewritten(change))
    assert complaint in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_a_byte_order_mark_is_no_part_of_the_first_columns_name(rewritten, mark):
    run = rewritten(lambda text: mark + text)
    (run / "environment.json").write_bytes(mark + (run / "environment.json").read_bytes())
    assert load_run(run).name == "stored-conv"


EMPTY = {
    "is empty: the run measured nothing": lambda text: b"",
    "is empty: the run measured nothing.": lambda text: text[:20],  # a header that was cut
    "has a header but no rows: the run measured nothing": lambda text: text[: text.index(b"\n") + 1],
    "has a header but no rows: the run measured nothing.": lambda text: text[: text.index(b"\n") + 90],
    "holds only machine measurements: the run measured no contender": lambda text: b"".join(
        line for line in text.splitlines(keepends=True) if b"machine" in line or line.startswith(b"run,")
    ),
}


@pytest.mark.parametrize("complaint", EMPTY)
def test_a_run_without_rows_is_left_out_and_the_others_stay(rewritten, complaint):
    empty = rewritten(EMPTY[complaint])
    runs, left_out = load_runs([empty, STORED / "brgemm"])
    assert [run.name for run in runs] == ["stored-brgemm"]
    assert left_out == [f"{empty / 'samples.csv'} {complaint.rstrip('.')}."]
    with pytest.raises(InputError, match=complaint):
        load_runs([empty])


def test_the_same_run_twice_is_refused(tmp_path):
    again = shutil.copytree(STORED / "conv", tmp_path / "again")
    with pytest.raises(InputError, match="both hold run 'stored-conv'"):
        load_runs([STORED / "conv", again])


def test_every_other_column_is_a_size(variation):
    change = lambda s: s.assign(depth="3", kind=["", *["tall"] * (len(s) - 1)], unused="")  # noqa: E731
    run = load_run(variation("conv", change))
    assert run.sizes[-3:] == ["depth", "kind", "unused"]
    assert run.samples["depth"].eq(3).all() and run.samples["kind"].iloc[1] == "tall"
    sizes = sweeps_of(run)[0].problems[1].sizes
    assert (sizes["depth"], sizes["kind"]) == (3, "tall") and "unused" not in sizes


def test_a_size_with_a_value_that_is_no_number_is_a_text(variation):
    run = load_run(variation("conv", setting("C", "many")))
    assert set(run.samples["C"]) == {"many", "3", "64", ""}


def test_a_run_with_both_files_is_read_from_its_samples(tmp_path):
    run = shutil.copytree(STORED / "conv", tmp_path / "run")
    (run / "summary.csv").write_text("not read")
    assert load_run(run).source == run / "samples.csv"


def test_the_error_of_a_wrong_result_may_be_infinite(variation):
    change = setting("max_error", "inf", contender="libxsmm-dnn")
    assert load_run(variation("conv", change)).name == "stored-conv"


def spoil(path, name, text):
    (path / name).write_text(text)
    return path


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda run: run / "absent", "is not a directory"),
        (lambda run: (run / "samples.csv").unlink() or run, "samples.csv cannot be read (No such file"),
        (lambda run: (run / "environment.json").unlink() or run, "environment.json cannot be read (No such file"),
        (lambda run: spoil(run, "environment.json", "{"), "environment.json is not valid JSON"),
        (lambda run: spoil(run, "environment.json", "[]"), "must hold one JSON object"),
        (lambda run: spoil(run, "environment.json", '{"cpu": null}'), "environment.json: cpu is null; it must be an object."),
        (lambda run: spoil(run, "environment.json", '{"cpu": {"name": 7}}'), "environment.json: cpu.name is 7; it must be a text."),
        (lambda run: spoil(run, "environment.json", '{"cpu": {"l2_bytes": "1"}}'), 'cpu.l2_bytes is "1"; it must be a number.'),
        (lambda run: spoil(run, "environment.json", '{"format": 2}'), "environment.json is of format 2, and this version reads format 1"),
        (lambda run: spoil(run, "environment.json", '{"git": []}'), "environment.json: git is []; it must be an object."),
        (lambda run: spoil(run, "environment.json", '{"warnings": "hot"}'), 'environment.json: warnings is "hot"; it must be a list.'),
        (lambda run: spoil(run, "samples.csv", ""), "samples.csv is empty"),
    ],
)
def test_a_wrong_directory_ends_with_one_sentence_and_status_2(tmp_path, capsys, make, complaint):
    run = shutil.copytree(STORED / "conv", tmp_path / "run")
    assert report.main([str(make(run)), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert complaint in error and error.count("\n") == 1


def test_an_unwritable_out_ends_with_one_sentence_and_status_2(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    assert report.main([str(STORED / "conv"), "--out", str(tmp_path / "file")]) == 2
    error = capsys.readouterr().err
    assert "give --out a directory you may write" in error and error.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["run"], ["--out", "x"], ["run", "--out", "x", "--fast"]])
def test_wrong_options_end_with_status_2(arguments):
    with pytest.raises(SystemExit) as end:
        report.main(arguments)
    assert end.value.code == 2

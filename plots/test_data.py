import shutil

import pytest

import report
from conftest import STORED
from data import InputError, load_run, load_runs
from derive import sweeps_of


def one(samples, contender="brickwork-simd"):
    """Index of the contender's first timed row."""
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
        (lambda s: s.iloc[:0], "has a header but no rows"),
        (setting("seconds", "fast"), "line 2: seconds 'fast' is not a number"),
        (setting("seconds", "nan"), "line 2: seconds 'nan' is not a number"),
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
        (setting("figure", "pie"), "line 2: figure 'pie' is none of layers, sweep, curve"),
        (setting("figure", "sweep"), "figure differs from an earlier row"),
        (setting("ours", ""), "line 2: ours '' is none of yes, no"),
        (setting("ours", "no"), "ours differs from an earlier row of contender 'brickwork-simd'"),
        (setting("setting", ""), "line 2: setting is empty"),
        (setting("setting", "", contender="fma-peak"), "setting is empty"),
        (setting("run", "other"), "holds the runs other, stored-conv"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(variation, change, complaint):
    with pytest.raises(InputError) as error:
        load_run(variation("conv", change))
    assert complaint in str(error.value)


def test_a_row_cut_short_is_refused(tmp_path):
    run = shutil.copytree(STORED / "conv", tmp_path / "run")
    text = (run / "samples.csv").read_text()
    (run / "samples.csv").write_text(text[: len(text) - 60])
    with pytest.raises(InputError, match=f"line {text.count(chr(10))}: .* fields where the header names 43"):
        load_run(run)


def test_a_row_too_long_is_refused(tmp_path):
    run = shutil.copytree(STORED / "conv", tmp_path / "run")
    with (run / "samples.csv").open("a") as file:
        file.write("," * 60 + "\n")
    with pytest.raises(InputError, match="line 55: 61 fields where the header names 43"):
        load_run(run)


def test_the_same_run_twice_is_refused(tmp_path):
    again = shutil.copytree(STORED / "conv", tmp_path / "again")
    with pytest.raises(InputError, match="both hold run 'stored-conv'"):
        load_runs([STORED / "conv", again])


def test_whatever_has_no_fixed_name_is_a_size(variation):
    change = lambda s: s.assign(depth="3", kind=["", *["tall"] * (len(s) - 1)], unused="")  # noqa: E731
    run = load_run(variation("conv", change))
    assert run.sizes[-3:] == ["depth", "kind", "unused"]
    assert run.samples["depth"].eq(3).all() and run.samples["kind"].iloc[1] == "tall"
    sizes = sweeps_of(run)[0].problems[1].sizes
    assert (sizes["depth"], sizes["kind"]) == (3, "tall") and "unused" not in sizes


def test_a_size_that_is_once_no_number_is_a_text(variation):
    run = load_run(variation("conv", setting("C", "many")))
    assert set(run.samples["C"]) == {"many", "3", "64", ""}


def test_a_run_with_both_files_is_read_from_its_samples(tmp_path):
    run = shutil.copytree(STORED / "conv", tmp_path / "run")
    (run / "summary.csv").write_text("not read")
    assert load_run(run).source == run / "samples.csv"


def test_a_wrong_result_may_be_off_by_nan(variation):
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

import itertools
import shutil

import pytest

import check_regression
import regression
import summarise
from conftest import STORED, times, with_environment
from program import InputError
from regression import FASTER, HOLDS, NOT_COMPARED, REGRESSED, Tolerance, check

SIMD = "brickwork-simd"
USUAL = Tolerance(0.05, 0.15)


@pytest.fixture
def run(variation):
    """run(change): the stored run whose samples went through change, but for its points that are above the machine's limit."""
    names = map(str, itertools.count())

    def make(change=lambda rows: rows):
        return variation("conv", lambda rows: change(times(rows, rows["primitive"].eq("machine"), 0.1)), next(names))

    return make


@pytest.fixture
def verdict(run):
    """verdict(change): on that run beside itself without the change."""
    old = run()

    def judge(change, tolerance: Tolerance = USUAL):
        (found,) = check([run(change)], old, tolerance)
        return found

    return judge


def slower(by: float, layer: str = ""):
    """Ours, everywhere or on one layer."""
    return lambda rows: times(rows, rows["contender"].eq(SIMD) & (rows["name"].eq(layer) if layer else True), by)


def test_a_run_is_as_fast_as_itself(verdict):
    found = verdict(lambda rows: rows)
    assert (found.status, found.what) == (HOLDS, f"conv-forward (resnet50, N=2, 2 threads, hot cache, f32), {SIMD}")
    assert "1.000" in found.reason
    assert "over 3 problems" in found.reason


def test_a_loss_above_the_tolerance_is_a_regression(verdict):
    exact = Tolerance(0.05, 0.5)
    assert verdict(slower(2), exact).status == REGRESSED
    assert verdict(slower(0.5), exact).status == FASTER


def test_the_tolerance_is_a_share_of_the_speed(run):
    def even(by: float):  # samples without noise, so that the interval is the value
        def change(rows):
            machine, timed = rows["primitive"].eq("machine"), rows["seconds"] != ""
            return times(rows.assign(seconds=rows["seconds"].mask(timed, "1")), rows["contender"].eq(SIMD), by).pipe(times, machine, 1e-3)

        return change

    old = run(even(1))
    for by, tolerance, status in [(1.1, 0.08, REGRESSED), (1.1, 0.1, HOLDS), (1.04, 0.05, HOLDS), (1.04, 0.03, REGRESSED)]:
        (found,) = check([run(even(by))], old, Tolerance(tolerance, 0.5))
        assert found.status == status, (by, tolerance)


def test_one_problem_is_enough_and_is_named(verdict):
    found = verdict(slower(2, "layer03"), Tolerance(0.9, 0.15))
    assert found.status == REGRESSED
    assert "on layer03" in found.reason
    assert "layer02" not in found.reason
    assert verdict(slower(2, "layer03"), Tolerance(0.9, 0.6)).status == HOLDS


def test_a_slower_machine_and_a_faster_peer_are_no_regression(verdict):
    assert verdict(lambda rows: times(rows, rows["seconds"] != "", 2)).status == HOLDS
    assert verdict(lambda rows: times(rows, rows["contender"].eq("onednn"), 0.5)).status == HOLDS


def test_a_peer_of_another_version_is_no_yardstick(verdict):
    def another(rows):
        return slower(2)(rows).assign(version=rows["version"].mask(rows["contender"] == "onednn", "3.13"))

    found = verdict(another)
    assert found.status == REGRESSED
    assert "onednn" not in found.reason
    assert "the loaded roof" in found.reason


def test_without_any_yardstick_nothing_is_compared(run):
    with pytest.raises(InputError, match="neither another contender nor a limit of the machine in common"):
        check([run(lambda rows: rows[rows["contender"] == SIMD])], run(), USUAL)


def test_runs_with_and_without_an_earlier_run_have_verdicts(run):
    assert [found.status for found in check([run(), STORED / "brgemm"], run(), USUAL)] == [HOLDS, NOT_COMPARED]


def test_a_wrong_result_is_a_regression_and_an_absent_one_is_left_out(verdict):
    def now(status: str):
        def change(rows):
            here = rows["contender"].eq(SIMD) & rows["name"].eq("layer02")
            rows = rows[~here | rows["sample"].eq("0") & rows["phase"].eq("run")]
            here = here[rows.index]
            return rows.assign(**{column: rows[column].mask(here, said) for column, said in says.items()})

        says = {"status": status, "reason": "off by 3", "seconds": ""}
        return verdict(change)

    for status in ("failed", "unsupported", "misfit"):
        assert now(status).status == REGRESSED
        assert now(status).reason == f"layer02 is {status} now: off by 3"
    assert now("absent").status == HOLDS
    assert "over 2 problems" in now("absent").reason


def test_a_disturbed_run_is_not_compared(run):
    def carrying_a_warning(made):
        return with_environment(made, warnings=["a core is shared"])

    def above_the_limit(rows):
        return times(slower(2)(rows), rows["contender"].eq("loaded-roof"), 100)

    def wrong(rows):
        here = rows["contender"].eq(SIMD)
        return rows.assign(status=rows["status"].mask(here, "failed"), seconds=rows["seconds"].mask(here, ""))

    for doubtful, why in [(run(above_the_limit), "was disturbed: "), (carrying_a_warning(run(slower(2))), "a core is shared")]:
        for new, old in [(doubtful, run()), (run(), doubtful)]:
            with pytest.raises(InputError, match=f"there is nothing to compare.* {why}"):
                check([new], old, USUAL)
    assert check([carrying_a_warning(run(wrong))], run(), USUAL)[0].status == REGRESSED


def test_the_latest_of_earlier_runs_counts_and_those_of_another_processor_do_not(tmp_path, run):
    def earlier(date: str, by: float, **cpu):
        made = run(lambda rows: slower(by)(rows).assign(run=date))
        shutil.move(with_environment(made, cpu=cpu), tmp_path / "old" / date)

    zen5, older_record = {"id": "family 26, model 2, stepping 1"}, {"name": "AMD EPYC", "l1d_bytes": 49152, "l2_bytes": 1048576}

    (tmp_path / "old").mkdir()
    earlier("20260101", 1, **zen5)
    earlier("20260103", 0.5, **older_record)  # of such a processor, too
    earlier("20260104", 1, id="family 25, model 17, stepping 1")
    (found,) = check([run()], tmp_path / "old", USUAL)
    assert found.status == REGRESSED


def test_the_record_of_another_process_is_no_run(run):
    conv = run()
    shutil.copytree(STORED / "brgemm", conv / "onednn-latest")
    assert len(check([conv.parent], conv.parent, USUAL)) == 1


def test_the_program_compares_with_summaries_and_ends_with_1(tmp_path, run, capsys):
    old = tmp_path / "references" / "machine" / "conv"
    assert summarise.main([str(run()), "--out", str(old)]) == 0
    against = ["--against", str(tmp_path / "references")]
    capsys.readouterr()
    assert check_regression.main([str(run()), *against]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 HOLDS"
    assert check_regression.main([str(run(slower(2))), *against, "--of-one", "0.9"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("REGRESSED    conv-forward (resnet50, N=2")
    assert said[-1] == "1 REGRESSED"


def test_nothing_to_compare_is_one_sentence(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    for new, old, said in [
        (STORED / "conv", tmp_path / "empty", "holds no run"),
        (tmp_path / "missing", STORED, "holds no run"),
        (STORED / "brgemm", STORED / "conv", "brgemm, 1 thread, hot cache, f32): there is no earlier run"),
    ]:
        assert check_regression.main([str(new), "--against", str(old)]) == 2
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1


def test_the_usual_tolerances_are_the_default(monkeypatch):
    given = []
    monkeypatch.setattr(regression, "check", lambda new, old, tolerance: given.append(tolerance) or [])
    for options in ([], ["--tolerance", "0.2"], ["--of-one", "0.3"]):
        assert check_regression.main(["new", *options]) == 0
    assert given == [Tolerance(0.05, 0.15), Tolerance(0.2, 0.15), Tolerance(0.05, 0.3)]


def test_a_tolerance_may_be_0(run, tmp_path, capsys):
    old = run()
    assert check_regression.main([str(run()), "--against", str(old), "--tolerance", "0", "--of-one", "0"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 HOLDS"


@pytest.mark.parametrize("text", ["5", "1", "-0.1", "nan", "much"])
def test_a_tolerance_outside_0_to_1_is_refused(text, capsys):
    with pytest.raises(SystemExit) as ended:
        check_regression.main([str(STORED / "conv"), f"--tolerance={text}"])
    assert ended.value.code == 2
    assert f"'{text}' is no share of a speed" in capsys.readouterr().err

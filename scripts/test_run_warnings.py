import json

import pytest

from run_warnings import MOST, lines


@pytest.fixture
def run(tmp_path):
    """run(*warnings): a folder of a run with these warnings."""

    def make(*warnings: str) -> str:
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / "environment.json").write_text(json.dumps({"warnings": warnings}))
        return str(folder)

    return make


def test_each_warning_is_printed_once_with_its_number_of_runs(run):
    folders = [run("a core is shared"), run("a core is shared", "the governor is powersave", "a core is shared"), run()]
    assert lines(folders) == ["warning in 2 runs: a core is shared", "warning in 1 run: the governor is powersave"]


def test_a_run_without_an_environment_has_no_warnings(run, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    assert lines([run(), str(broken)]) == []
    (broken / "environment.json").write_text("{")
    assert lines([str(broken)]) == []


def test_few_of_many_warnings_are_printed(run):
    found = lines([run(*(f"warning {i}" for i in range(MOST + 2)))])
    assert len(found) == MOST + 1 and found[-1] == "... and 2 other warnings in environment.json of the runs"

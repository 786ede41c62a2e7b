from dataclasses import replace
from pathlib import Path

import pytest

import machines
import report
import summarise
from conftest import STORED
from derive import Estimate
from machines import HEADLINE, Machine, cell, headline, machine_of, main, table
from overview import Row

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def references():
    return machines.all_machines()


@pytest.mark.parametrize(("page", "options"), [("README.md", ["--headline"]), ("experiments/references/README.md", [])])
def test_a_page_has_the_table_that_is_printed(page, options, references, monkeypatch, capsys):
    monkeypatch.setattr(machines, "all_machines", lambda: references)
    assert main(options) == 0
    printed = capsys.readouterr().out
    missing = f"{page} has not the table of the references: python plots/machines.py {' '.join(options)} prints it"
    assert printed.count("\n") > len(references) and printed in (ROOT / page).read_text(), missing


def test_every_column_of_the_headline_has_a_run_of_a_machine(references):
    runs = {name for machine in references for name in machine.cells}
    assert all(runs.intersection(named) for named in HEADLINE.values())


def test_a_cell_has_the_ratio_and_the_share_of_the_first_page(draw_only, tmp_path):
    draw_only(layers=())
    run = tmp_path / "amd" / "conv-forward"
    assert summarise.main([str(STORED / "conv"), "--out", str(run)]) == 0
    assert report.main([str(run), "--out", str(tmp_path / "report")]) == 0
    ratio, share = machine_of(tmp_path / "amd").cells["conv-forward"].split()
    page = (tmp_path / "report" / "report.html").read_text()
    assert ratio in page
    assert share.strip("()") in page


def test_a_cell_says_which_algorithm_ours_has():
    row = Row(None, "Brickwork, Winograd", "newest oneDNN 3.13", Estimate(1.2, 1.1, 1.3), 1.06, "", "")
    assert cell(row) == "W 1.20 N (1.06)"
    assert cell(replace(row, ours="Brickwork, simd brick", peer="oneDNN 3.2")) == "1.20 (1.06)"
    assert cell(replace(row, ratio=None, peer="")) == "W (1.06)"


def test_runs_are_rows_and_machines_columns():
    new, old = Machine("new", {"add": "1.10 (0.99)", "sgd": "(0.98)"}), Machine("old", {"add": "0.90 L (0.80)", "plans": ""})
    assert table([new, old]).splitlines() == [
        "| run | [new](new) | [old](old) |",
        "| --- | --- | --- |",
        "| `add` | 1.10 (0.99) | 0.90 L (0.80) |",
        "| `sgd` | (0.98) | |",
    ]


def test_the_headline_shows_the_first_run_that_a_machine_has():
    both = Machine("both", {"conv-forward-N4": "1.06 (0.94)", "conv-forward-N28": "1.02 (1.01)"})
    few = Machine("few", {"conv-forward-N28": "", "conv-forward-N4": "1.07 (0.85)", "add": "1.10 (0.99)"})
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in headline([both, few]).splitlines()]
    column = list(cells[0]).index("conv forward")
    assert [line[column] for line in cells] == ["conv forward", "---", "1.02 (1.01)", "1.07 (0.85)"]
    assert [line[0] for line in cells[2:]] == ["[both](experiments/references/both)", "[few](experiments/references/few)"]
    assert len(cells[0]) == 1 + len(HEADLINE) and not any("1.10" in cell for cell in cells[3])

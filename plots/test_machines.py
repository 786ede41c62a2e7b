from dataclasses import replace
from pathlib import Path

import machines
import report
import summarise
from conftest import STORED
from derive import Estimate
from machines import Machine, cell, machine_of, table
from overview import Row

README = Path(__file__).resolve().parent.parent / "README.md"


def test_readme_has_the_table_of_the_references():
    printed = table(machines.all_machines())
    assert printed in README.read_text(), "README's table is not that of the references: python plots/machines.py prints it"


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
        "| run | [new](experiments/references/new) | [old](experiments/references/old) |",
        "| --- | --- | --- |",
        "| `add` | 1.10 (0.99) | 0.90 L (0.80) |",
        "| `sgd` | (0.98) | |",
    ]

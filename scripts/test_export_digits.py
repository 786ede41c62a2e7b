import csv
from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_digits

import export_digits

digits = load_digits()


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("digits") / "new" / "digits.csv"
    assert export_digits.main([str(path)]) == 0
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_image_is_a_line_in_scikit_learns_order(rows):
    assert list(rows[0]) == ["set", "label", *(f"pixel{i}" for i in range(64))]
    assert [int(row["label"]) for row in rows] == digits.target.tolist()
    pixels = [[int(row[f"pixel{i}"]) for i in range(64)] for row in rows]
    assert np.array_equal(np.reshape(pixels, (1797, 8, 8)), digits.images)


def test_a_quarter_of_each_digit_is_for_testing(rows):
    sets = Counter(row["set"] for row in rows)
    assert sets == {"train": 1347, "test": 450}
    of_digit = Counter((row["label"], row["set"]) for row in rows)
    for label in map(str, range(10)):
        share = of_digit[label, "test"] / (of_digit[label, "test"] + of_digit[label, "train"])
        assert share == pytest.approx(0.25, abs=0.005)


def test_the_split_is_the_same_every_time(rows, tmp_path):
    export_digits.write_digits(tmp_path / "again.csv")
    with (tmp_path / "again.csv").open(newline="") as file:
        assert list(csv.DictReader(file)) == rows


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert export_digits.main([str(tmp_path / "file" / "digits.csv")]) == 1
    assert capsys.readouterr().err.endswith("digits.csv cannot be written to (File exists).\n")
    assert export_digits.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"export_digits.py: error: {tmp_path} cannot be written to (Is a directory).\n"

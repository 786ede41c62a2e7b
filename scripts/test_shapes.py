"""The shape sets of PolyDL's evaluation hold what its lists have. The sums of flops find a size that was changed by mistake."""

import csv
from pathlib import Path

import pytest

SETS = Path(__file__).resolve().parent.parent / "experiments" / "shapes"


def rows_of(name: str) -> list[dict]:
    with (SETS / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def conv_flop(row: dict) -> int:
    of = {size: int(value) for size, value in row.items() if size != "name"}
    outputs = [(of[image] + 2 * of[f"pad_{x}"] - of[tap]) // of[f"stride_{x}"] + 1 for image, tap, x in (("H", "R", "h"), ("W", "S", "w"))]
    return 2 * of["C"] * of["K"] * of["R"] * of["S"] * outputs[0] * outputs[1]


@pytest.mark.parametrize(("name", "layers", "gflop"), [
    ("fast-rcnn", 27, 38.0), ("mask-rcnn", 46, 377.8), ("yolov2", 14, 34.9), ("alexnet", 5, 1.3), ("overfeat", 5, 5.3),
    ("xception", 12, 6.8), ("googlenet", 52, 5.1),
])
def test_a_network_has_the_layers_of_the_list_and_each_size_once(name, layers, gflop):
    rows = rows_of(name)
    assert sum(int(row["count"]) for row in rows) == layers
    assert sum(map(conv_flop, rows)) / 1e9 == pytest.approx(gflop, abs=0.05)
    sizes = [tuple(value for column, value in row.items() if column not in ("name", "count")) for row in rows]
    assert len(set(sizes)) == len(rows) == len({row["name"] for row in rows})


def test_the_name_of_a_matrix_product_says_its_sizes():
    rows = rows_of("gemm")
    assert len(rows) == 10
    assert all(row["name"] == f"{row['N']}x{row['K']}x{row['C']}" for row in rows)


def test_the_networks_without_a_set_are_in_that_of_vgg_inception_and_mobilenet():
    held = {tuple(row[size] for size in ("C", "K", "H", "R")) for row in rows_of("vgg-inception-mobilenet")}
    vgg_a = [("3", "64", "224", "3"), ("64", "128", "112", "3"), ("128", "256", "56", "3"), ("256", "256", "56", "3")]
    vgg_a += [("256", "512", "28", "3"), ("512", "512", "28", "3"), ("512", "512", "14", "3")]
    mobilenet = [("3", "32", "224", "3"), ("32", "64", "112", "1"), ("512", "512", "14", "1"), ("1024", "1024", "7", "1")]
    assert {*vgg_a, *mobilenet} <= held

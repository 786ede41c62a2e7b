"""Writes scikit-learn's digits as the CSV file that build/release/experiments/learn reads: python scripts/export_digits.py FILE

The file has 1797 images of 8 x 8 pixels from 0 to 16, one per line in scikit-learn's order: set, label, and pixels row by row.
A quarter of each digit's images, drawn with a fixed seed, is for the test and is never trained on.
"""

import argparse
import csv
import sys
from pathlib import Path

TEST_SHARE, SEED = 0.25, 0


def write_digits(path: Path) -> None:
    from sklearn.datasets import load_digits  # takes seconds: a wrong command line should not wait for it
    from sklearn.model_selection import train_test_split

    digits = load_digits()
    places = range(len(digits.target))
    _, test = train_test_split(places, test_size=TEST_SHARE, stratify=digits.target, random_state=SEED)
    sets = ["train"] * len(places)
    for place in test:
        sets[place] = "test"
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["set", "label", *(f"pixel{i}" for i in range(digits.data.shape[1]))])
        for name, label, pixels in zip(sets, digits.target, digits.data.astype(int), strict=True):
            table.writerow([name, label, *pixels])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="export_digits.py", description="Writes scikit-learn's digits as a CSV file.")
    parser.add_argument("file", metavar="FILE", type=Path, help="the CSV file, overwritten where it is there")
    path = parser.parse_args(arguments).file
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_digits(path)
    except OSError as error:
        print(f"export_digits.py: error: {path} cannot be written to ({error.strerror}).", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

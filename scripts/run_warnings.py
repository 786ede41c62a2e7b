"""Prints the warnings of runs, each once: run_warnings.py RUN_DIR..."""

import json
import sys
from collections import Counter
from pathlib import Path

MOST = 5


def lines(folders: list[str]) -> list[str]:
    counts = Counter(warning for folder in folders for warning in dict.fromkeys(warnings_of(Path(folder))))
    found = [f"warning in {count} run{'s' * (count > 1)}: {warning}" for warning, count in counts.most_common()]
    return found[:MOST] + ([f"... and {len(found) - MOST} other warnings in environment.json of the runs"] if len(found) > MOST else [])


def warnings_of(folder: Path) -> list[str]:
    """None where the run ended before it wrote its environment."""
    try:
        return [str(warning) for warning in json.loads((folder / "environment.json").read_text()).get("warnings", [])]
    except (OSError, ValueError):
        return []


if __name__ == "__main__":
    for line in lines(sys.argv[1:]):
        print(line)

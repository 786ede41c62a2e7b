"""Says whether ours is slower than it was: scripts/check-regression NEW... [--against OLD]"""

import argparse
import sys
from pathlib import Path

import program
from machines import REFERENCES


def main(arguments: list[str] | None = None) -> int:
    about = (
        "Compares runs with the newest earlier ones on such a processor. Exit code: 0 nothing of ours is slower; 1 something is; 2 the "
        "comparison was refused; 130 interrupted."
    )
    parser = argparse.ArgumentParser(prog="check-regression", description=about)
    parser.add_argument("new", nargs="+", type=Path, metavar="NEW", help="a run's folder, or a folder with such folders in it")
    earlier = "a folder with earlier runs (default: the project's references)"
    parser.add_argument("--against", type=Path, default=REFERENCES, metavar="OLD", help=earlier)
    noise = "a loss of up to this share of the speed counts as noise, %s (default: %%(default)s)"
    parser.add_argument("--tolerance", type=_part, default=0.05, metavar="SHARE", help=noise % "over all problems of a run")
    parser.add_argument("--of-one", type=_part, default=0.15, metavar="SHARE", help=noise % "on one problem")
    options = parser.parse_args(arguments)
    slower = False

    def work() -> None:
        nonlocal slower
        import regression  # pandas takes seconds to load; Ctrl-C must work meanwhile

        verdicts = regression.check(options.new, options.against, regression.Tolerance(options.tolerance, options.of_one))
        slower = any(verdict.status == regression.REGRESSED for verdict in verdicts)
        program.say(regression.in_words(verdicts))

    return program.run("check-regression", work) or int(slower)


def _part(text: str) -> float:
    try:
        part = float(text)
    except ValueError:
        part = float("nan")
    if not 0 <= part < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no share of a speed; give a number from 0 to below 1")
    return part


if __name__ == "__main__":
    sys.exit(main())

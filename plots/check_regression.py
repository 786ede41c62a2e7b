"""Says whether ours is slower than it was: scripts/check-regression NEW... [--against OLD]"""

import argparse
import sys
from pathlib import Path

import program
from machines import REFERENCES


def main(arguments: list[str] | None = None) -> int:
    about = "Says whether ours is slower than in earlier runs on such a processor, and ends with 1 if it is."
    parser = argparse.ArgumentParser(prog="check-regression", description=about)
    parser.add_argument("new", nargs="+", type=Path, metavar="NEW", help="a run's folder, or one with such folders in it")
    earlier = "the same of earlier ones (the project's references)"
    parser.add_argument("--against", type=Path, default=REFERENCES, metavar="OLD", help=earlier)
    of_speed = "how much of its speed %s may lose (%%(default)s)"
    parser.add_argument("--tolerance", type=_part, default=0.05, metavar="PART", help=of_speed % "a run over all its problems")
    parser.add_argument("--of-one", type=_part, default=0.15, metavar="PART", help=of_speed % "one problem")
    options = parser.parse_args(arguments)
    slower = False

    def work() -> None:
        nonlocal slower
        import regression  # with pandas it takes seconds, in which Ctrl-C must be heard

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
        raise argparse.ArgumentTypeError(f"'{text}' is no part of a speed; give a number from 0 to below 1")
    return part


if __name__ == "__main__":
    sys.exit(main())

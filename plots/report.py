"""Draws a run: python plots/report.py RUN_DIR [RUN_DIR ...] --out DIR

Writes DIR/report.html (self-contained), DIR/figures/*.{svg,png,pdf} and DIR/claims.csv from samples.csv (or summary.csv) and
experiments/claims.toml.
"""

import argparse
import shlex
import sys
from pathlib import Path

import program


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="report.py", description="Draws figures and a report from run directories.")
    parser.add_argument("runs", nargs="+", metavar="RUN_DIR", help="directory with samples.csv and environment.json")
    parser.add_argument("--out", required=True, metavar="DIR", help="where report.html, claims.csv and figures/ go")
    options = parser.parse_args(arguments)
    command = shlex.join(["python", "plots/report.py", *options.runs, "--out", options.out])

    def work() -> None:
        from output import write_report  # with pandas and matplotlib it takes seconds, in which Ctrl-C must be heard

        write_report(options.runs, Path(options.out), command)

    return program.run("report.py", work)


if __name__ == "__main__":
    sys.exit(main())

"""Draws a run: python plots/report.py RUN_DIR [RUN_DIR ...] --out DIR

Writes DIR/report.html (one file with all figures), DIR/figures/*.svg and DIR/claims.csv. It reads each run's samples.csv or
summary.csv, and experiments/claims.toml.
"""

import argparse
import shlex
import sys
from pathlib import Path

import program


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="report.py", description="Draws figures and a report from run directories.")
    folder = "a run's folder with samples.csv and environment.json, or a folder with such folders in it"
    parser.add_argument("runs", nargs="+", metavar="RUN_DIR", help=folder)
    parser.add_argument("--out", required=True, metavar="DIR", help="where report.html, claims.csv and figures/ go")
    parser.add_argument("--pdf", action="store_true", help="also write figures/*.pdf")
    parser.add_argument("--png", action="store_true", help="also write figures/*.png")
    options = parser.parse_args(arguments)
    further = [f"--{kind}" for kind in ("pdf", "png") if getattr(options, kind)]
    command = shlex.join(["python", "plots/report.py", *options.runs, "--out", options.out, *further])

    def work() -> None:
        import style  # pandas and matplotlib take seconds to load; Ctrl-C must work meanwhile
        from output import write_report

        style.FORMATS = ["svg", *(kind.removeprefix("--") for kind in further)]
        write_report(options.runs, Path(options.out), command)

    return program.run("report.py", work)


if __name__ == "__main__":
    sys.exit(main())

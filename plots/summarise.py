"""Makes a reference of a run: python plots/summarise.py RUN_DIR --out DIR

Writes DIR/summary.csv, with one row of median and quartiles where the run has a row for each sample, and a copy of
environment.json without the folders of results, program and own libraries. Refuses runs with warnings, runs of a build
without a clean commit, and runs that did not end with 0.
"""

import argparse
import csv
import re
import sys
from pathlib import Path

import pandas as pd

import program
from data import SUMMARY, SUMMARY_COLUMNS, load_run, read_text
from program import InputError, say, writing
from sweeps import Times

GROUP = ["experiment", "setting", "problem", "contender", "phase", "threads"]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="summarise.py", description="Keeps median and quartiles of a run as a reference.")
    parser.add_argument("run", metavar="RUN_DIR", help="directory with samples.csv and environment.json")
    parser.add_argument("--out", required=True, metavar="DIR", help="where summary.csv and environment.json go")
    options = parser.parse_args(arguments)
    return program.run("summarise.py", lambda: write_summary(Path(options.run), Path(options.out)))


def write_summary(directory: Path, out: Path) -> None:
    run = load_run(directory)
    if run.source.name == "summary.csv":
        raise InputError(f"{directory} holds a summary already; give a run directory with samples.csv.")
    if run.left_out:
        raise InputError(f"{run.left_out} A reference is a whole run.")
    refuse_unfit(directory, run.environment)
    texts, _ = read_text(run.source)
    summary = summarised(run.samples, texts)
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        summary.to_csv(out / "summary.csv", index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
        (out / "environment.json").write_text(without_folders((directory / "environment.json").read_text()))
    say(f"{len(run.samples)} rows of {run.source} are {len(summary)} in {out / 'summary.csv'}")


def without_folders(environment: str) -> str:
    """Keeps the names of results, programs and own libraries, and removes their folders, which mean nothing on other machines."""
    results_by_name = re.sub(r"--out \S*/", "--out ", environment)
    return re.sub(r'(?<=")/(?!usr/|lib)[^\s"]*/', "", results_by_name)


def refuse_unfit(directory: Path, environment: dict) -> None:
    path = directory / "environment.json"
    if warnings := environment.get("warnings"):
        raise InputError(f"{path} carries a warning, which a reference must not: {warnings[0]}")
    if environment.get("git", {}).get("dirty") is not False:
        raise InputError(f"{path} does not say that the build was of a commit without changes; commit, build and run again.")
    if environment.get("exit_code") != 0:
        raise InputError(f"{path} has the exit code {environment.get('exit_code', 'of no end')}; a reference is a run that ended with 0.")


def summarised(samples: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    """The rows as they were written, but one row for all samples of a contender on a problem."""
    timed = samples[samples["status"] == "ok"]
    rows = texts.drop_duplicates([*GROUP, "status"]).drop(columns=list(SUMMARY)).assign(**dict.fromkeys(added(), ""))
    for _, group in timed.groupby(GROUP, sort=False):
        times = Times.of(group.to_dict("records"))
        rows.loc[group.index[0], added()] = [str(times.count), repr(times.low), repr(times.median), repr(times.high)]
        rows.loc[group.index[0], "max_error"] = worst(texts, group)
    sizes = [column for column in rows if column not in SUMMARY_COLUMNS]
    fixed = SUMMARY_COLUMNS.index("primitive")
    return rows[[*SUMMARY_COLUMNS[:fixed], *sizes, *SUMMARY_COLUMNS[fixed:]]]


def added() -> list[str]:
    return [name for names in SUMMARY.values() for name in names]


def worst(texts: pd.DataFrame, group: pd.DataFrame) -> str:
    errors = group["max_error"].dropna()
    return texts.loc[errors.idxmax(), "max_error"] if errors.size else ""


if __name__ == "__main__":
    sys.exit(main())

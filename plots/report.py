"""Draws a run: python plots/report.py RUN_DIR [RUN_DIR ...] --out DIR

Writes DIR/report.html (self-contained), DIR/figures/*.{svg,png,pdf} and DIR/claims.csv from samples.csv (or summary.csv) and
experiments/claims.toml.
"""

import argparse
import csv
import os
import shlex
import shutil
import sys
import textwrap
from collections import Counter
from pathlib import Path

import page
from claims import Verdict, judge_all
from claims_file import STORED as CLAIMS
from claims_file import load_claims
from data import InputError, load_runs
from derive import Sweep, slugify, sweeps_of
from figures_curve import draw_curves
from figures_layers import draw_layers, draw_ratio
from figures_sweep import draw_bars, draw_panels
from roofline import draw_roofline
from style import Drawn

# What is drawn for each kind of figures that an experiment may want.
DRAWERS = {
    "layers": (draw_layers, draw_ratio, draw_roofline),
    "sweep": (draw_panels, draw_bars),
    "curve": (draw_curves,),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="report.py", description="Draws figures and a report from run directories.")
    parser.add_argument("runs", nargs="+", metavar="RUN_DIR", help="directory with samples.csv and environment.json")
    parser.add_argument("--out", required=True, metavar="DIR", help="where report.html, claims.csv and figures/ go")
    options = parser.parse_args(arguments)
    command = shlex.join(["python", "plots/report.py", *options.runs, "--out", options.out])
    try:
        write_report(options.runs, Path(options.out), command)
    except InputError as error:
        print(f"report.py: error: {error}", file=sys.stderr)
        return 2
    return 0


def write_report(directories: list[str], out: Path, command: str) -> None:
    claims = load_claims(CLAIMS)
    runs = load_runs(directories)
    sweeps = [sweep for run in runs for sweep in sweeps_of(run)]
    if not sweeps:
        raise InputError(f"{', '.join(directories)} hold only machine measurements; a report needs at least one contender's rows.")
    folder = _make_folder(out / "figures")
    verdicts = judge_all(claims, sweeps)
    drawn = [draw(sweep, folder, stem) for sweep, stem in zip(sweeps, stems(sweeps), strict=True)]
    try:
        _write_claims(out / "claims.csv", verdicts)
        (out / "report.html").write_text(page.render(runs, sweeps, drawn, verdicts, folder, command), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{out} cannot be written to ({error.strerror}); give --out a directory you may write.") from error
    print_claims(verdicts)
    print(f"\n{sum(map(len, drawn))} figures in {folder}, report in {out / 'report.html'}")


def stems(sweeps: list[Sweep]) -> list[str]:
    """File names that differ: by the setting, else by the run too, else by a number."""
    slugs = [sweep.slug for sweep in sweeps]
    named = [slugify(f"{sweep.run.name}-{slug}") if slugs.count(slug) > 1 else slug for sweep, slug in zip(sweeps, slugs, strict=True)]
    return [f"{name}-{place}" if named.count(name) > 1 else name for place, name in enumerate(named, 1)]


def draw(sweep: Sweep, folder: Path, stem: str) -> list[Drawn]:
    drawn = [drawer(sweep, folder, stem) for drawer in DRAWERS[sweep.figure]]
    return [figure for figures in drawn for figure in (figures if isinstance(figures, list) else [figures]) if figure]


def print_claims(verdicts: list[Verdict]) -> None:
    width = min(110, shutil.get_terminal_size((110, 24)).columns)
    for verdict in verdicts:
        claim, outcome = verdict.claim, verdict.outcome
        print(f"{outcome.status:<14} {claim.id} ({claim.whose})")
        lines = [claim.sentence]
        if outcome.measured:
            lines.append(f"measured {outcome.measured}, needed {claim.at_least}")
        lines += [outcome.reason] + ([f"run {verdict.run}"] if verdict.run else [])
        for line in lines:
            print(textwrap.fill(line, width, initial_indent=" " * 15, subsequent_indent=" " * 17))
    counts = Counter(verdict.outcome.status for verdict in verdicts)
    print("\n" + ", ".join(f"{count} {status}" for status, count in counts.items()))


def _write_claims(path: Path, verdicts: list[Verdict]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["claim", "whose", "run", "status", "measured", "low", "high", "needed", "reason", "sentence"])
        for verdict in verdicts:
            claim, outcome = verdict.claim, verdict.outcome
            value = outcome.measured
            numbers = [f"{number:.4f}" for number in (value.value, value.low, value.high)] if value else ["", "", ""]
            table.writerow([claim.id, claim.whose, verdict.run, outcome.status, *numbers, claim.at_least, outcome.reason, claim.sentence])


def _make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made ({error.strerror}); give --out a directory you may write.") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{folder} is not writable; give --out a directory you may write.")
    return folder


if __name__ == "__main__":
    sys.exit(main())

"""What a report consists of: the figures, claims.csv, report.html and the claims on the screen."""

import csv
import shutil
import sys
import textwrap
from dataclasses import replace
from functools import partial
from pathlib import Path

import learning
import page
from claims import Verdict, judge_all, tally
from claims_file import OURS, load_claims
from claims_file import STORED as CLAIMS
from data import load_runs
from figures_curve import draw_curves
from figures_layers import draw_layers, draw_plan_quality, draw_ratio, draw_scaling
from figures_parts import draw_parts
from figures_sweep import draw_bars, draw_panels
from figures_training import draw_training
from labels import footnote
from program import say, writing
from roofline import draw_roofline
from scaling import with_bases
from style import Drawn
from sweeps import TRAINING, Sweep, slugify, sweeps_of
from training import with_trainings

# What is drawn for each kind of figures that an experiment may want, and for the passes of several together.
DRAWERS = {
    "layers": (draw_layers, draw_ratio, draw_plan_quality, draw_scaling, draw_roofline),
    "sweep": (draw_panels, draw_bars),
    "curve": (draw_curves,),
    "parts": (draw_parts,),
    TRAINING: (draw_training,),
}


def write_report(directories: list[str], out: Path, command: str) -> None:
    claims = load_claims(CLAIMS)
    trainings = [directory for directory in directories if (Path(directory) / learning.FILE).exists()]
    curves, left_out = learning.load_curves(trainings)
    timed = [directory for directory in directories if directory not in trainings]
    runs, left_out_of_runs = load_runs(timed) if timed or not curves else ([], [])
    left_out += left_out_of_runs
    for sentence in left_out:
        print(f"report.py: warning: {sentence}", file=sys.stderr)
    sweeps = with_trainings(with_bases([sweep for run in runs for sweep in sweeps_of(run)]))
    verdicts = judge_all(claims, sweeps, dict.fromkeys(learning.STATISTICS, partial(learning.judge, curves=curves)))
    folder = out / "figures"
    with writing(out):
        folder.mkdir(parents=True, exist_ok=True)
        _write_claims(out / "claims.csv", verdicts)
        drawn = [draw(sweep, folder, stem) for sweep, stem in zip(sweeps, stems(sweeps), strict=True)]
        learned = [(group, learning.draw(group, claims, folder)) for group in learning.grouped(curves)]
        text = page.render([*runs, *curves], left_out, sweeps, drawn, learned, verdicts, folder, command)
        (out / "report.html").write_text(text, encoding="utf-8")
    say(f"{in_words(verdicts)}\n\n{sum(map(len, drawn)) + len(learned)} figures in {folder}, report in {out / 'report.html'}")


def stems(sweeps: list[Sweep]) -> list[str]:
    """File names that differ: by the setting, else by the shape set or the run, too, else by a number."""
    named = [sweep.slug for sweep in sweeps]
    for more in (lambda sweep: sweep.attributes.get("shapes", ""), lambda sweep: sweep.run.name):
        longer = [slugify(f"{more(sweep)}-{sweep.slug}") for sweep in sweeps]
        named = [long if named.count(short) > 1 else short for short, long in zip(named, longer, strict=True)]
    return [f"{name}-{place}" if named.count(name) > 1 else name for place, name in enumerate(named, 1)]


def draw(sweep: Sweep, folder: Path, stem: str) -> list[Drawn]:
    drawn = [drawer(sweep, folder, stem) for drawer in DRAWERS[sweep.figure]]
    figures = [figure for figures in drawn for figure in (figures if isinstance(figures, list) else [figures]) if figure]
    return [replace(figure, caption=figure.caption + footnote(sweep)) for figure in figures]


def in_words(verdicts: list[Verdict]) -> str:
    """Each claim that a run speaks of; of the others, which the report has word for word, the names alone, by what is missing."""
    width = min(110, shutil.get_terminal_size((110, 24)).columns)
    fill = partial(textwrap.fill, width=width, initial_indent=" " * 15, subsequent_indent=" " * 17, break_on_hyphens=False)
    lines, without_run = [], {}

    def add(status: str, name: str, below: list[str]) -> None:
        lines.append(f"{status:<14} {name}")
        lines.extend(fill(line) for line in below)

    for verdict in verdicts:
        claim, outcome = verdict.claim, verdict.outcome
        name = f"{claim.id} ({claim.whose})"
        if not verdict.run:
            without_run.setdefault((outcome.status, outcome.reason), []).append(claim.id if claim.whose == OURS else name)
            continue
        measured = [f"measured {outcome.measured}, needed {claim.needed}"] if outcome.measured else []
        add(outcome.status, name, [claim.sentence, *measured, outcome.reason, f"run {verdict.run}"])
    for (status, reason), ids in without_run.items():
        add(status, reason, [", ".join(ids)])
    return "\n".join([*lines, "", tally(verdicts)])


def _write_claims(path: Path, verdicts: list[Verdict]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["claim", "whose", "run", "status", "measured", "low", "high", "needed", "reason", "sentence"])
        for verdict in verdicts:
            claim, outcome = verdict.claim, verdict.outcome
            value = outcome.measured
            numbers = [f"{number:.4f}" for number in (value.value, value.low, value.high)] if value else ["", "", ""]
            table.writerow([claim.id, claim.whose, verdict.run, outcome.status, *numbers, claim.needed, outcome.reason, claim.sentence])

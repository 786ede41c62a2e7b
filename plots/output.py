"""Writes a report: the figures, claims.csv and report.html, and a summary on the screen."""

import csv
import math
import sys
import textwrap
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import learning
import not_run
import page
from claims import Verdict, judge_all, tally
from claims_file import STORED as CLAIMS
from claims_file import Claim, load_claims
from data import Run, load_runs
from figures_ablation import draw_ablation
from figures_curve import draw_curves
from figures_latency import draw_latency, draw_memory
from figures_layers import draw_layers, draw_ratio
from figures_parts import draw_parts
from figures_plans import draw_plan_quality, draw_rank_efficiency
from figures_scaling import draw_scaling, draw_scaling_curve
from figures_sweep import draw_bars, draw_panels
from figures_training import draw_training
from labels import footnote
from outcomes import FAILS, HOLDS, NOT_RUN
from overview import Row, overview
from program import say, writing
from roofline import draw_roofline
from scaling import with_bases
from style import Drawn
from sweeps import ABLATION, TRAINING, Sweep, slugify, sweeps_of
from training import with_trainings

# The figures for each kind of experiment, and for the passes of training together.
DRAWERS = {
    "layers": (draw_layers, draw_ratio, draw_plan_quality, draw_rank_efficiency, draw_scaling_curve, draw_scaling, draw_roofline),
    "latency": (draw_latency, draw_memory),
    ABLATION: (draw_ablation,),
    "sweep": (draw_panels, draw_bars),
    "curve": (draw_curves,),
    "parts": (draw_parts,),
    TRAINING: (draw_training,),
}


TIMES = ("samples.csv", "summary.csv", learning.FILE)  # a folder with one of these is a run
MOST_ROWS, MOST_FAILED, MOST_LETTERS = 20, 5, 160  # on the screen; report.html and claims.csv have the rest


@dataclass(frozen=True)
class Judged:
    """All runs of some folders, and what they say about the claims."""

    runs: list[Run]
    curves: list[learning.Curve]
    left_out: list[str]
    sweeps: list[Sweep]
    claims: list[Claim]
    verdicts: list[Verdict]


def judged(folders: list[str]) -> Judged:
    directories = [str(run) for folder in folders for run in runs_in(Path(folder))]
    claims = load_claims(CLAIMS)
    trainings = [directory for directory in directories if (Path(directory) / learning.FILE).exists()]
    curves, left_out = learning.load_curves(trainings)
    timed = [directory for directory in directories if directory not in trainings]
    runs, left_out_of_runs = load_runs(timed) if timed or not curves else ([], [])
    sweeps = with_trainings(with_bases([sweep for run in runs for sweep in sweeps_of(run)]))
    verdicts = judge_all(claims, sweeps, dict.fromkeys(learning.STATISTICS, partial(learning.judge, curves=curves)))
    return Judged(runs, curves, left_out + left_out_of_runs, sweeps, claims, verdicts)


def write_report(folders: list[str], out: Path, command: str) -> None:
    found = judged(folders)
    sweeps, verdicts, folder = found.sweeps, found.verdicts, out / "figures"
    for sentence in found.left_out:
        print(f"report.py: warning: {sentence}", file=sys.stderr)
    with writing(out):
        folder.mkdir(parents=True, exist_ok=True)
        _write_claims(out / "claims.csv", verdicts)
        drawn = [draw(sweep, folder, stem) for sweep, stem in zip(sweeps, stems(sweeps), strict=True)]
        learned = [(group, learning.draw(group, found.claims, folder)) for group in learning.grouped(found.curves)]
        text = page.render([*found.runs, *found.curves], found.left_out, sweeps, drawn, learned, verdicts, folder, command)
        (out / "report.html").write_text(text, encoding="utf-8")
    figures = sum(map(len, drawn)) + len(learned)
    where = f"report: {out / 'report.html'}   claims: {out / 'claims.csv'}   {figures} figures: {folder}"
    say(f"{in_words(overview(sweeps), verdicts)}\n\n{where}")


def runs_in(folder: Path) -> list[Path]:
    """The folder itself, or the runs in the folders below it. A run may have other runs in it, the rows of which it repeats."""
    return _runs_below(folder) or [folder]  # of a folder without runs data.py says what it lacks


def _runs_below(folder: Path) -> list[Path]:
    if any((folder / name).exists() for name in TIMES):
        return [folder]
    return [run for path in sorted(folder.glob("*/")) for run in _runs_below(path)]


def stems(sweeps: list[Sweep]) -> list[str]:
    """File names that differ: by the setting, and where that is not enough by the shape set, the run, or a number."""
    named = [sweep.slug for sweep in sweeps]
    for more in (lambda sweep: sweep.attributes.get("shapes", ""), lambda sweep: sweep.run.name):
        longer = [slugify(f"{more(sweep)}-{sweep.slug}") for sweep in sweeps]
        named = [long if named.count(short) > 1 else short for short, long in zip(named, longer, strict=True)]
    return [f"{name}-{place}" if named.count(name) > 1 else name for place, name in enumerate(named, 1)]


def draw(sweep: Sweep, folder: Path, stem: str) -> list[Drawn]:
    drawn = [drawer(sweep, folder, stem) for drawer in DRAWERS[sweep.figure]]
    figures = [figure for figures in drawn for figure in (figures if isinstance(figures, list) else [figures]) if figure]
    return [replace(figure, caption=figure.caption + footnote(sweep)) for figure in figures]


def in_words(rows: list[Row], verdicts: list[Verdict]) -> str:
    """The end of the screen: the headline table, the claims that fail or are open, and how many have each status."""
    table = _table(rows)
    return "\n".join([*table, *[""] * bool(table), *_claims(verdicts), tally(verdicts)])


def _table(rows: list[Row]) -> list[str]:
    """For each primitive and pass the row with the most work."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.ours:
            groups.setdefault((row.primitive, row.which), []).append(row)
    if not groups:
        return []
    chosen = [max(group, key=_work) for group in groups.values()][:MOST_ROWS]
    cells = [("primitive", "pass", "ours", "best peer", "ratio [95 % interval]", "of the limit")]
    for row in chosen:
        share = f"{row.share:.2f} {row.limit}" if row.share else "-"
        cells.append((row.primitive, row.which, row.ours.removeprefix("Brickwork, "), row.peer or "-", str(row.ratio or "-"), share))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    more = sum(map(len, groups.values())) - len(chosen)
    return lines + ([f"... and {more} more in the report: other shapes and settings"] if more else [])


def _work(row: Row) -> float:
    return sum(problem.count * problem.work for problem in row.sweep.problems if math.isfinite(problem.work))


def _claims(verdicts: list[Verdict]) -> list[str]:
    """A line for each claim that fails, and one for all claims of each other status but HOLDS."""
    failed = [verdict for verdict in verdicts if verdict.outcome.status == FAILS]
    lines = []
    for verdict in failed[:MOST_FAILED]:
        outcome, claim = verdict.outcome, verdict.claim
        why = f"measured {outcome.measured}, needed {claim.needed}" if outcome.measured else outcome.reason
        lines.append(f"{outcome.status}: {claim.id} ({claim.whose}): {why}")
    if len(failed) > MOST_FAILED:
        lines.append(f"... and {len(failed) - MOST_FAILED} more in claims.csv")
    others: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.outcome.status not in (HOLDS, FAILS, NOT_RUN):
            others.setdefault(verdict.outcome.status, []).append(verdict.claim.id)
    for status, ids in others.items():
        lines.append(textwrap.shorten(f"{status}: {', '.join(dict.fromkeys(ids))}", MOST_LETTERS, placeholder=" ... (all: claims.csv)"))
    lines += filter(None, [not_run.line(verdicts)])
    return [*lines, ""] if lines else []


def _write_claims(path: Path, verdicts: list[Verdict]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["claim", "whose", "run", "status", "measured", "low", "high", "needed", "reason", "sentence"])
        for verdict in verdicts:
            claim, outcome = verdict.claim, verdict.outcome
            value = outcome.measured
            numbers = [f"{number:.4f}" for number in (value.value, value.low, value.high)] if value else ["", "", ""]
            table.writerow([claim.id, claim.whose, verdict.run, outcome.status, *numbers, claim.needed, outcome.reason, claim.sentence])

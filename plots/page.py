"""The HTML report: one file with the figures in it, which loads nothing from anywhere."""

import re
from collections import Counter
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import learning
import not_run
import plans
import scaling
import style
from ablation import variants
from claims import Verdict
from data import Run
from derive import LIMIT_WORDS, above_limit, fraction_of, known, limit_range, weighted_fraction_of, weighted_speed
from labels import complete_sets, name_set, short_limit
from learning import Curve
from outcomes import NOT_RUN, STATUSES
from overview import Row, overview
from plan_names import PAPERS
from style import Drawn
from sweeps import OWN, Problem, Sweep, slugify


def render(
    runs: list[Run | Curve], left_out: list[str], sweeps: list[Sweep], drawn: list[list[Drawn]], learned: list[tuple[list[Curve], Drawn]],
    verdicts: list[Verdict], folder: Path, command: str,
) -> str:
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    templates.filters["slug"] = lambda text: slugify(text).lower()
    rows = overview(sweeps)
    usual, settings = _settings(sweeps)
    sections = [_section(f"sweep{index}", *of, folder) for index, of in enumerate(zip(sweeps, rows, drawn, strict=True))]
    judged = [verdict for verdict in verdicts if verdict.outcome.status != NOT_RUN]
    common, differing = _environments(runs)
    return templates.get_template("report.html.j2").render(
        left_out=left_out, machines=_machines(runs), usual=", ".join(usual), glance=list(zip(rows, sections, settings, strict=True)),
        scaling=[(scaling.row(sweep), section) for sweep, section in zip(sweeps, sections, strict=True) if sweep.base],
        learned=[_learned(f"learned{index}", group, figure, folder) for index, (group, figure) in enumerate(learned)],
        lines=_lines_of_primitives(runs), sections=sections, command=command,
        judged=judged, not_judged=_not_judged(verdicts), not_run=not_run.line(verdicts), counts=_counts(verdicts),
        common=common, differing=differing, papers=PAPERS,
    )


def _settings(sweeps: list[Sweep]) -> tuple[list[str], list[str]]:
    """The parts of the settings that most sweeps share, and the rest of each."""
    parts = [sweep.full_setting.split(", ") for sweep in sweeps]
    counts = Counter(part for of in parts for part in of)
    usual = [part for part, count in counts.items() if 2 * count > len(sweeps) > 1]
    return usual, [", ".join(part for part in of if part not in usual) for of in parts]


def _machines(runs: list[Run | Curve]) -> list[str]:
    """Processor, commit and date of the runs, a line for each processor."""
    said = []
    for name in dict.fromkeys(_processor(run) for run in runs):
        environments = [run.environment for run in runs if _processor(run) == name]
        commits = dict.fromkeys(_commit(environment) for environment in environments)
        dates = sorted({_date(environment) for environment in environments} - {""})
        when = dates[0] if dates[:1] == dates[-1:] and dates else " to ".join([dates[0], dates[-1]]) if dates else "of unknown date"
        said.append(f"{name} \N{MIDDLE DOT} commit {', '.join(commits)} \N{MIDDLE DOT} {when}")
    return said


def _processor(run: Run | Curve) -> str:
    cpu, gpu = (run.environment.get(kind, {}) for kind in ("cpu", "gpu"))
    cores = f", {cpu['usable_cores']} cores" if "usable_cores" in cpu else ""
    return f"{cpu.get('name', 'unknown processor')}{cores}" + (f" with {gpu['name']}" if "name" in gpu else "")


def _commit(environment: dict) -> str:
    git = environment.get("git", {})
    return str(git.get("commit", "unknown"))[:10] + (" with changes" if git.get("dirty") else "")


def _date(environment: dict) -> str:
    """ "2026-01-31" of "20260131T120000Z"."""
    found = re.match(r"(\d{4})(\d\d)(\d\d)", str(environment.get("date", "")))
    return "-".join(found.groups()) if found else ""


def _counts(verdicts: list[Verdict]) -> list[tuple[str, int]]:
    found = Counter(verdict.outcome.status for verdict in verdicts)
    return [(status, found[status]) for status in STATUSES if found[status]]


def _not_judged(verdicts: list[Verdict]) -> list[tuple[str, list[str]]]:
    """The reasons why claims were not judged, each with the sentences of its claims."""
    grouped: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.outcome.status == NOT_RUN:
            reason = verdict.outcome.reason + (f" (run {verdict.run})" if verdict.run else "")
            grouped.setdefault(reason, []).append(f"{verdict.claim.id}: {verdict.claim.sentence}")
    return list(grouped.items())


def _environments(runs: list[Run | Curve]) -> tuple[list[tuple[str, str]], list[dict]]:
    """What all runs have in common, and for each run the rest."""
    flat = [dict(_flatten(run.environment)) for run in runs]
    common = [(name, value) for name, value in flat[0].items() if len(flat) > 1 and all(of.get(name) == value for of in flat)]
    shared = dict(common)
    differing = [
        {"run": run.name, "source": run.directory / "environment.json", "rows": [item for item in of.items() if item[0] not in shared]}
        for run, of in zip(runs, flat, strict=True)
    ]
    return common, differing


def _section(anchor: str, sweep: Sweep, row: Row, figures: list[Drawn], folder: Path) -> dict:
    looks = style.shown_looks(sweep)
    return {
        "id": anchor,
        "title": f"{sweep.experiment}, {sweep.full_setting}",
        "sentence": row.sentence,
        "facts": _facts(sweep),
        "figures": [
            {"drawn": figure, "svg": _inline(folder / f"{figure.stem}.svg", f"{anchor}f{place}")} for place, figure in enumerate(figures)
        ],
        "passes": [variant.sentence for variant in variants(sweep)],
        "errors": [*_errors(sweep), *(f"{error}, {sweep.base.setting}" for error in (_errors(sweep.base) if sweep.base else []))],
        "contenders": [{"name": name, "label": look.label, "ours": look.ours} for name, look in looks.items()],
        "sets": [name_set(sweep, problems) for problems in complete_sets(sweep)] if sweep.weighted else [],
        "weighted": _weighted(sweep) if sweep.weighted else [],
        "ranked": plans.rows(sweep),
        "limit": short_limit(sweep),
        "limits": [LIMIT_WORDS[limit] for limit in sweep.limits],
        "unit": sweep.unit,
        "rows": _rows(sweep),
        "absences": _absences(sweep),
        "plans": [] if sweep.passes else _plans(sweep),
        "tunings": [] if sweep.passes else _tunings(sweep),
        "packing": [] if sweep.passes else _packing(sweep),
        "sources": [run.source for run in sweep.runs],
    }


def _errors(sweep: Sweep) -> list[str]:
    return [
        f"{style.label_of(sweep, name)} on {problem.label}: {share:.3f} of the {LIMIT_WORDS[problem.lowest_limit]}"
        for problem, name, share in above_limit(sweep)
    ]


def _learned(anchor: str, group: list[Curve], figure: Drawn, folder: Path) -> dict:
    return {
        "id": anchor,
        "title": figure.title,
        "facts": [fact for curve in group for fact in (*learning.facts(curve), *_doubts(curve.environment))],
        "figure": figure,
        "svg": _inline(folder / f"{figure.stem}.svg", anchor),
        "sources": [curve.source for curve in group],
    }


def _lines_of_primitives(runs: list[Run]) -> int:
    """Of the last run that says it; else 0."""
    return next((lines for run in reversed(runs) if (lines := run.environment.get("lines_of_primitives"))), 0)


def _facts(sweep: Sweep) -> list[tuple[str, str]]:
    counts = [cell.times.count for problem in sweep.problems for cell in problem.cells.values() if cell.ok]
    return [
        *(fact for run in sweep.runs for fact in _about(run)),
        *(("on fewer threads", f"{name}: {value}") for run in (sweep.base.runs if sweep.base else []) for name, value in _about(run)),
        ("problems", str(len(sweep.problems))),
        ("samples per contender and problem", f"{min(counts)} to {max(counts)}" if counts else "none"),
        *((f"measured {LIMIT_WORDS[limit]}", _range_in_words(limit_range(limit, sweep), sweep.unit)) for limit in sweep.limits),
        *([] if "stream" in sweep.limits or sweep.passes else [("measured stream bandwidth", _bandwidth_in_words(sweep))]),
    ]


def _about(run: Run) -> list[tuple[str, str]]:
    first = run.directory / "first"  # scripts/reproduce
    return [
        ("run", run.name), ("measured by", str(run.environment.get("command_line", "not recorded"))), *_doubts(run.environment),
        *([("measured a second time", f"a claim of ours failed by the first result, which is in {first}")] if first.is_dir() else []),
    ]


def _bandwidth_in_words(sweep: Sweep) -> str:
    return f"{sweep.bandwidth / 1e9:.1f} GB/s" if sweep.bandwidth else "no"


def _range_in_words(measured: tuple[float, float] | None, unit: str) -> str:
    return f"{measured[0]:.1f} to {measured[1]:.1f} {unit}, lowest to highest over the problems" if measured else "no"


def _doubts(environment: dict) -> list[tuple[str, str]]:
    """Warnings and a bad end, as the run itself recorded them."""
    doubts = [("warning", str(warning)) for warning in environment.get("warnings", [])]
    code = environment.get("exit_code")
    if code != 0:
        doubts.append(("ended", "not by itself" if code is None else "interrupted" if code == 130 else f"with exit code {code}"))
    return doubts


def _weighted(sweep: Sweep) -> list[dict]:
    """A row for each contender, with a value for each set of problems. Only the values of one set may be compared."""
    rows, sets = [], complete_sets(sweep)
    for name, look in style.shown_looks(sweep).items():
        values = []
        for problems in sets:
            if not all(p.ok(name) for p in problems):
                values.append(None)
                continue
            share = weighted_fraction_of(OWN, problems, name).value if known(OWN, problems, name) else None
            values.append((weighted_speed(problems, name), share))
        rows.append({"label": look.label, "ours": look.ours, "values": values})
    return rows


def _rows(sweep: Sweep) -> list[dict]:
    rows = []
    for problem in sweep.problems:
        cells = {}
        for name in sweep.contenders:
            if not problem.ok(name):
                cells[name] = {"status": problem.status(name)}
                continue
            cell = problem.cells[name]
            low, high = cell.speed_quartiles
            share = fraction_of(OWN, problem, name).value if problem.limit(OWN, name) else None
            ms = cell.seconds * 1e3
            cells[name] = {"status": "ok", "speed": cell.speed, "low": low, "high": high, "share": share, "ms": ms}
        rows.append({
            "label": problem.label, "text": problem.text, "count": problem.count, "cells": cells,
            "limits": [most.speed if (most := getattr(problem, limit)) else None for limit in sweep.limits],
        })
    return rows


def _absences(sweep: Sweep) -> list[dict]:
    """Contenders without a number, with their reasons. Problems with the same reason share a line."""
    grouped: dict[tuple, list[str]] = {}
    for problem in sweep.problems:
        for name in _in_order(sweep, problem):
            cell = problem.cells[name]
            if not cell.ok:
                grouped.setdefault((name, cell.status, cell.reason), []).append(problem.label)
    return [
        {
            "contender": name, "status": status, "reason": reason, "where": _listed(sweep, labels),
        }
        for (name, status, reason), labels in grouped.items()
    ]


def _plans(sweep: Sweep) -> list[dict]:
    """What ran. Problems on which a contender ran the same share a line."""
    grouped: dict[tuple, list[str]] = {}
    for problem in sweep.problems:
        for name in _in_order(sweep, problem):
            cell = problem.cells[name]
            if cell.ok:
                grouped.setdefault((name, cell.isa, cell.implementation, cell.plan), []).append(problem.label)
    lines = sorted(grouped.items(), key=lambda item: _places(sweep)[item[0][0]])
    return [{"key": key, "where": _listed(sweep, labels)} for key, labels in lines]


def _tunings(sweep: Sweep) -> list[tuple[str, str]]:
    """Each tuning of a contender, with its problems where the contender has several."""
    found: dict[str, dict[str, list[str]]] = {}
    for problem in sweep.problems:
        for name in _in_order(sweep, problem):
            if problem.ok(name) and (tuning := problem.cells[name].tuning):
                found.setdefault(name, {}).setdefault(tuning, []).append(problem.label)
    return [
        (name + (f" on {_listed(sweep, labels)}" if len(of) > 1 else ""), tuning)
        for name, of in found.items() for tuning, labels in of.items()
    ]


def _packing(sweep: Sweep) -> list[tuple[str, str]]:
    """For each contender that packs the milliseconds on each problem."""
    found: dict[str, list[str]] = {}
    for problem in sweep.problems:
        for name in _in_order(sweep, problem):
            cell = problem.cells[name]
            if cell.ok and cell.packing:
                found.setdefault(name, []).append(f"{problem.label} {cell.packing.median * 1e3:.3g}")
    return [(name, ", ".join(texts)) for name, texts in found.items()]


def _listed(sweep: Sweep, labels: list[str]) -> str:
    return ", ".join(labels) if len(labels) <= 6 else f"{len(labels)} of {len(sweep.problems)} problems"


def _places(sweep: Sweep) -> dict[str, int]:
    names = [other for name in style.looks_of(sweep) for other in (name, *sweep.other_plans.get(name, []))]
    return {name: place for place, name in enumerate(names)}


def _in_order(sweep: Sweep, problem: Problem) -> list[str]:
    """The contenders with a row on the problem, each followed by those with other plans of it."""
    return [name for name in _places(sweep) if name in problem.cells]


def _flatten(value, path: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [row for key, inner in value.items() for row in _flatten(inner, f"{path}.{key}" if path else str(key))]
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return [row for index, inner in enumerate(value) for row in _flatten(inner, f"{path}[{index}]")]
    if isinstance(value, list):
        return [(path, ("\n" if any(len(str(item)) > 24 for item in value) else ", ").join(map(str, value)))]
    return [(path, str(value))]


def _inline(path: Path, prefix: str) -> Markup:
    """The svg element, with ids that are unique on a page with several figures."""
    svg = path.read_text(encoding="utf-8")
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    svg = svg.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    return Markup(svg)

"""The HTML report: one file, figures inline, nothing loaded from anywhere."""

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import learning
import scaling
import style
from claims import FAILS, HOLDS, Verdict, tally
from data import Run
from derive import LIMIT_WORDS, above_limit, fraction_of, known, limit_range, weighted_fraction_of, weighted_speed
from labels import complete_sets, name_set
from learning import Curve
from overview import overview
from style import Drawn
from sweeps import Problem, Sweep


def render(
    runs: list[Run | Curve], left_out: list[str], sweeps: list[Sweep], drawn: list[list[Drawn]], learned: list[tuple[list[Curve], Drawn]],
    verdicts: list[Verdict], folder: Path, command: str,
) -> str:
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    sections = [_section(f"sweep{index}", sweep, drawn[index], folder) for index, sweep in enumerate(sweeps)]
    return templates.get_template("report.html.j2").render(
        left_out=left_out, glance=list(zip(overview(sweeps), sections, strict=True)),
        scaling=[(scaling.row(sweep), section) for sweep, section in zip(sweeps, sections, strict=True) if sweep.base],
        learned=[_learned(f"learned{index}", group, figure, folder) for index, (group, figure) in enumerate(learned)],
        lines=_lines_of_primitives(runs), sections=sections,
        verdicts=verdicts, tally=tally(verdicts), command=command,
        classes={HOLDS: "holds", FAILS: "fails"},
        environments=[{"run": run.name, "source": run.directory / "environment.json", "rows": _flatten(run.environment)} for run in runs],
    )


def _section(anchor: str, sweep: Sweep, figures: list[Drawn], folder: Path) -> dict:
    looks = style.looks_of(sweep)
    return {
        "id": anchor,
        "title": f"{sweep.experiment}, {sweep.full_setting}",
        "facts": _facts(sweep),
        "figures": [{"drawn": figure, "svg": _inline(folder / f"{figure.stem}.svg", figure.stem)} for figure in figures],
        "errors": [*_errors(sweep), *(f"{error}, {sweep.base.setting}" for error in (_errors(sweep.base) if sweep.base else []))],
        "contenders": [{"name": name, "label": look.label, "ours": look.ours} for name, look in looks.items()],
        "weighted": _weighted(sweep) if sweep.weighted else [],
        "limits": [LIMIT_WORDS[limit] for limit in sweep.limits],
        "unit": sweep.unit,
        "rows": _rows(sweep),
        "absences": _absences(sweep),
        "details": [] if sweep.passes else _details(sweep),
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
        "svg": _inline(folder / f"{figure.stem}.svg", figure.stem),
        "sources": [curve.source for curve in group],
    }


def _lines_of_primitives(runs: list[Run]) -> int:
    """In the newest build that says it; else 0."""
    return next((lines for run in reversed(runs) if (lines := run.environment.get("lines_of_primitives"))), 0)


def _facts(sweep: Sweep) -> list[tuple[str, str]]:
    counts = [cell.times.count for problem in sweep.problems for cell in problem.cells.values() if cell.ok]
    return [
        *(fact for run in sweep.runs for fact in _about(run)),
        *(("on fewer threads", f"{name}: {value}") for run in (sweep.base.runs if sweep.base else []) for name, value in _about(run)),
        ("problems", str(len(sweep.problems))),
        ("samples a contender and problem", f"{min(counts)} to {max(counts)}" if counts else "none"),
        *((f"measured {LIMIT_WORDS[limit]}", _range_in_words(limit_range(limit, sweep), sweep.unit)) for limit in sweep.limits),
        *([] if "stream" in sweep.limits or sweep.passes else [("measured stream bandwidth", _bandwidth_in_words(sweep))]),
    ]


def _about(run: Run) -> list[tuple[str, str]]:
    return [
        ("run", run.name), ("measured by", str(run.environment.get("command_line", "not recorded"))), *_doubts(run.environment),
    ]


def _bandwidth_in_words(sweep: Sweep) -> str:
    return f"{sweep.bandwidth / 1e9:.1f} GB/s" if sweep.bandwidth else "no"


def _range_in_words(measured: tuple[float, float] | None, unit: str) -> str:
    return f"{measured[0]:.1f} to {measured[1]:.1f} {unit}, lowest to highest over the problems" if measured else "no"


def _doubts(environment: dict) -> list[tuple[str, str]]:
    """What the run itself says against it."""
    doubts = [("warning", str(warning)) for warning in environment.get("warnings", [])]
    code = environment.get("exit_code")
    if code != 0:
        doubts.append(("ended", "not by itself" if code is None else "interrupted" if code == 130 else f"with exit code {code}"))
    return doubts


def _weighted(sweep: Sweep) -> list[dict]:
    """Only a row's own numbers may be compared."""
    rows = []
    for layers in complete_sets(sweep):
        values = {}
        for name in sweep.contenders:
            if all(p.ok(name) for p in layers):
                speed = weighted_speed(layers, name)
                shares = {limit: weighted_fraction_of(limit, layers, name).value for limit in sweep.limits if known(limit, layers, name)}
                values[name] = (speed, shares)
        rows.append({"layers": name_set(sweep, layers), "values": values})
    return rows


def _rows(sweep: Sweep) -> list[dict]:
    rows, limit = [], sweep.limits[0]
    for problem in sweep.problems:
        cells = {}
        for name in sweep.contenders:
            if not problem.ok(name):
                cells[name] = {"status": problem.status(name)}
                continue
            cell = problem.cells[name]
            low, high = cell.speed_quartiles
            share = fraction_of(limit, problem, name).value if problem.limit(limit, name) else None
            cells[name] = {"status": "ok", "speed": cell.speed, "low": low, "high": high, "share": share}
        rows.append({
            "label": problem.label, "text": problem.text, "count": problem.count, "cells": cells,
            "limits": [most.speed if (most := getattr(problem, limit)) else None for limit in sweep.limits],
        })
    return rows


def _absences(sweep: Sweep) -> list[dict]:
    """Contenders without a number, with their reasons; problems that share a reason share a line."""
    grouped: dict[tuple, list[str]] = {}
    for problem in sweep.problems:
        for name in _in_order(sweep, problem):
            cell = problem.cells[name]
            if not cell.ok:
                grouped.setdefault((name, cell.status, cell.reason), []).append(problem.label)
    return [
        {
            "contender": name, "status": status, "reason": reason,
            "where": ", ".join(labels) if len(labels) <= 6 else f"{len(labels)} of {len(sweep.problems)} problems",
        }
        for (name, status, reason), labels in grouped.items()
    ]


def _details(sweep: Sweep) -> list[dict]:
    rows = []
    for problem in sweep.problems:
        for name in _in_order(sweep, problem):
            cell = problem.cells[name]
            if cell.ok:
                pack = cell.packing.median * 1e3 if cell.packing else None
                rows.append({"label": problem.label, "contender": name, "cell": cell, "run_ms": cell.seconds * 1e3, "pack_ms": pack})
    return rows


def _in_order(sweep: Sweep, problem: Problem) -> list[str]:
    """Everyone who has a row on the problem, each with the searched plan behind the rule's."""
    names = [other for name in style.looks_of(sweep) for other in (name, sweep.searched.get(name))]
    return [name for name in names if name in problem.cells]


def _flatten(value, path: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [row for key, inner in value.items() for row in _flatten(inner, f"{path}.{key}" if path else str(key))]
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return [row for index, inner in enumerate(value) for row in _flatten(inner, f"{path}[{index}]")]
    if isinstance(value, list):
        return [(path, ("\n" if any(len(str(item)) > 24 for item in value) else ", ").join(map(str, value)))]
    return [(path, str(value))]


def _inline(path: Path, prefix: str) -> Markup:
    """The svg element with its ids made unique: several figures share one page."""
    svg = path.read_text(encoding="utf-8")
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    svg = svg.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    return Markup(svg)

"""Adds up the passes of one operation that a step of training runs. Uses the runs of the passes; nothing is measured again."""

from collections import defaultdict
from dataclasses import replace

from sweeps import BASE_THREADS, TRAINING, Cell, Problem, SummedCell, Sweep, Times

PASSES = ("forward", "backward-data", "weight-update")


def with_trainings(sweeps: list[Sweep]) -> list[Sweep]:
    """The sweeps, with each training after the last of its passes. If passes were run several times, their first runs make a
    training, their second runs another one, and so on."""
    shown: list[Sweep] = []
    found = defaultdict(lambda: {which: [] for which in PASSES})
    for sweep in sweeps:
        shown.append(sweep)
        if _counts(sweep):
            runs = found[sweep.conditions, sweep.setting]
            runs[_pass(sweep)].append(sweep)
            place = len(runs[_pass(sweep)]) - 1
            if all(len(of) > place for of in runs.values()) and (sum_of := training(*(of[place] for of in runs.values()))):
                shown.append(sum_of)
    return shown


def why_none(experiment: str, sweeps: list[Sweep]) -> str:
    """What is missing for this training, as a sentence; empty if the experiment is not a training."""
    if not experiment.endswith(f"-{TRAINING}"):
        return ""
    held = [sweep for sweep in sweeps if _counts(sweep) and _name(sweep) == experiment]
    lacking = [which for which in PASSES if which not in map(_pass, held)]
    if lacking:
        return f"no run of its {' and '.join(lacking)} was given that measured anything"
    return f"no runs of {', '.join(PASSES)} were given that share their setting, shapes and machine"


def _counts(sweep: Sweep) -> bool:
    return sweep.figure == "layers" and _pass(sweep) in PASSES and not sweep.ranked


def _pass(sweep: Sweep) -> str:
    return sweep.attributes.get("pass", "")


def _name(sweep: Sweep) -> str:
    return f"{sweep.attributes['primitive']}-{TRAINING}"


def training(*passes: Sweep) -> Sweep | None:
    """The sum over the passes, on the problems that all passes have. A contender without one of the passes is left out."""
    first = passes[0]
    held = [{problem.text: problem for problem in sweep.problems} for sweep in passes]
    problems = [_problem([of[text] for of in held]) for text in held[0] if all(text in of for of in held)]
    if not any(problem.cells for problem in problems):
        return None
    attributes = {column: value for column, value in first.attributes.items() if all(_agree(column, first, sweep) for sweep in passes)}
    on_fewer_threads = BASE_THREADS in attributes  # then each pass has a base on the same threads
    return replace(
        first, experiment=_name(first), figure=TRAINING, attributes=attributes | {"pass": TRAINING}, problems=problems, stream=None,
        passes=passes, base=training(*(sweep.base for sweep in passes)) if on_fewer_threads else None,
    )


def _agree(column: str, one: Sweep, other: Sweep) -> bool:
    return column in other.attributes and one.attributes[column] == other.attributes[column]


def _problem(parts: list[Problem]) -> Problem:
    first = parts[0]
    cells = {name: _sum([part.cells[name] for part in parts]) for name in first.cells if all(name in part.cells for part in parts)}
    apart = [name for name in cells if any(name in part.elsewhere for part in parts)]
    return replace(
        first, flop=sum(part.flop for part in parts), bytes=sum(part.bytes for part in parts), cells=cells, read=None,
        **{limit: _limit(parts, limit) for limit in first.limits},
        elsewhere={name: {limit: _limit(parts, limit, name) for limit in first.limits} for name in apart},
    )


def _sum(cells: list[Cell]) -> Cell:
    first = cells[0]
    if bad := [(cell, which) for cell, which in zip(cells, PASSES, strict=True) if not cell.ok]:
        cell, which = next((pair for pair in bad if pair[0].status == "failed"), bad[0])
        return Cell(cell.identity, cell.status, f"{which}: {cell.reason}")
    times = [cell.times for cell in cells]
    return SummedCell(
        first.identity, "ok", "",
        Times(sum(t.low for t in times), sum(t.median for t in times), sum(t.high for t in times), min(t.count for t in times), None),
        None, first.bound, sum(cell.flop for cell in cells), sum(cell.least_flop for cell in cells), sum(cell.bytes for cell in cells),
        version=first.version, isa=first.isa, parts=tuple(cells),
    )


def _limit(parts: list[Problem], limit: str, contender: str = "") -> Cell | None:
    """The time that the machine needs for all passes, with each pass at its limit."""
    limits = [part.limit(limit, contender) for part in parts]
    return _sum([_at_work(most, part) for most, part in zip(limits, parts, strict=True)]) if all(limits) else None


def _at_work(most: Cell, problem: Problem) -> Cell:
    share = problem.work / most.work
    times = most.times
    samples = None if times.samples is None else times.samples * share
    return replace(
        most, times=Times(times.low * share, times.median * share, times.high * share, times.count, samples), bound=problem.bound,
        flop=problem.flop, least_flop=problem.flop, bytes=problem.bytes,
    )

"""Trainings of networks: reads learning.csv, judges the claims about it, and draws the curves."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator
from scipy.stats import binomtest

import scales
import style
from claims import Verdict, check_names, fulfilled
from claims_file import Claim
from data import EmptyRun, load_environment, read_text
from derive import Estimate
from outcomes import FAILS, HOLDS, NOT_RUN, Outcome
from program import InputError
from style import Drawn, plt

FILE = "learning.csv"
SETTINGS = {
    "task": str, "contender": str, "threads": int, "seed": int, "epochs": int, "examples": str, "trained_on": int, "tested_on": int,
    "measure": str, "baseline": str, "baseline_measure": float,
}
MEASURED = {"epoch": int, "loss": float, "train_measure": float, "test_measure": float, "seconds": float}
ACCURACY, BITS = "accuracy", "bits a character"
MEASURES = (ACCURACY, "mean squared error", BITS)  # a high accuracy is good, and low values of the others
SHARE, ALIKE = "share of the baseline", "epochs alike on all threads"
# By the number of threads. Each line is wider than the next one, so that it shows on both sides where the next one covers it.
LINES = [(5.0, "-"), (1.8, "-"), (1.0, ":"), (0.8, "--")]
COLOURS = [("#B9DDF1", "#0072B2", "black", "#009E73"), ("#F7CDB0", "#D55E00", "black", "#CC79A7")]  # by the task, for these lines


@dataclass(frozen=True)
class Curve:
    """One training, with a row for every finished epoch."""

    directory: Path
    settings: dict
    epochs: pd.DataFrame
    environment: dict

    @property
    def name(self) -> str:
        return self.directory.name

    @property
    def source(self) -> Path:
        return self.directory / FILE

    @property
    def threads(self) -> str:
        return f"{self.settings['threads']} thread{'s' * (self.settings['threads'] != 1)}"

    @property
    def setting(self) -> str:
        return f"{self.threads}, seed {self.settings['seed']}"

    @property
    def unfinished(self) -> str:
        done, wanted = len(self.epochs), self.settings["epochs"]
        return "" if done == wanted else f"{self.setting}: ended after {done} of {wanted} epochs"


def load_curves(directories) -> tuple[list[Curve], list[str]]:
    """Reads trainings. Returns those that finished an epoch, and a sentence on everything that was left out."""
    curves, left_out = [], []
    for directory in map(Path, directories):
        try:
            curve, cut = load_curve(directory)
        except EmptyRun as error:
            left_out.append(str(error))
            continue
        if twin := next((other for other in curves if other.settings == curve.settings), None):
            held = f"{curve.settings['task']}, {curve.setting}"
            raise InputError(f"{directory} and {twin.directory} both hold {held}; give each training once.")
        curves.append(curve)
        left_out += filter(None, [cut])
    return curves, left_out


def load_curve(directory: Path) -> tuple[Curve, str]:
    path = directory / FILE
    texts, cut = read_text(path)
    if missing := [column for column in (*SETTINGS, *MEASURED) if column not in texts]:
        raise InputError(f"{path} lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}.")
    if texts.empty:
        raise EmptyRun(f"{path} has a header but no rows: no epoch was finished.")
    columns = {column: [_read(path, line, column, kind, text) for line, text in texts[column].items()]
               for column, kind in (SETTINGS | MEASURED).items()}
    if varying := [column for column in SETTINGS if len(set(columns[column])) > 1]:
        raise InputError(f"{path} holds several values of {varying[0]}; a training has one.")
    if columns["epoch"] != list(range(1, len(texts) + 1)):
        raise InputError(f"{path}: its epochs must be 1, 2, ... in this order.")
    settings = {column: columns[column][0] for column in SETTINGS}
    if settings["measure"] == ACCURACY:
        shares = [(column, line) for column in ("train_measure", "test_measure") for line in texts.index if float(texts[column][line]) > 1]
        if shares:
            column, line = shares[0]
            raise InputError(f"{path}, line {line}: {column} {texts[column][line]} must be from 0 to 1, as an accuracy is.")
    epochs = pd.DataFrame({column: columns[column] for column in MEASURED})
    return Curve(directory, settings, epochs, load_environment(directory / "environment.json")), cut


def _read(path: Path, line: int, column: str, kind: type, text: str):
    try:
        value = kind(text)
    except ValueError as error:
        raise InputError(f"{path}, line {line}: {column} '{text}' is not {'a whole number' if kind is int else 'a number'}.") from error
    if column == "measure" and value not in MEASURES:
        raise InputError(f"{path}, line {line}: measure '{text}' is none of {', '.join(MEASURES)}.")
    if column.endswith("_measure") and not value >= 0:
        raise InputError(f"{path}, line {line}: {column} {text} must be at least 0.")
    if column.endswith("ed_on") and value < 1:
        raise InputError(f"{path}, line {line}: {column} {text} must be at least 1.")
    return value


# --- claims ----------------------------------------------------------------------------------------------------------


def judge(claim: Claim, curves: list[Curve]) -> list[Verdict]:
    """Judges a claim about trainings, as claims.judge does for claims about times."""
    if claim.shapes or claim.where.text or claim.machines:
        raise InputError(f"claim '{claim.id}': a claim about a training has no shapes, no 'where' and no machine.")
    check_names(claim, "when", claim.when, set(SETTINGS))
    of_task = [curve for curve in curves if (curve.settings["task"], curve.settings["contender"]) == (claim.experiment, claim.of)]
    fitting = [curve for curve in of_task if fulfilled(claim, "when", claim.when, pd.DataFrame([curve.settings])).all()]
    if not fitting:
        reason = f"needs {claim.when.text}" if of_task else f"no {claim.experiment} with {claim.of} was given"
        return [Verdict(claim, Outcome(NOT_RUN, reason), "")]
    return STATISTICS[claim.statistic](claim, fitting)


def _last_epochs(claim: Claim, curves: list[Curve]) -> list[Verdict]:
    return [Verdict(claim, _last_epoch(claim, curve), f"{curve.name} ({curve.setting})") for curve in curves]


def _last_epoch(claim: Claim, curve: Curve) -> Outcome:
    if curve.unfinished:
        return Outcome(NOT_RUN, curve.unfinished)
    value, settings = curve.epochs["test_measure"].iloc[-1], curve.settings
    behind = f"after {len(curve.epochs)} epochs"
    if claim.statistic == SHARE:
        base = settings["baseline_measure"]
        reason = f"{value:.4g} {settings['measure']} {behind}, {settings['baseline']} has {base:.4g}"
        return _judged(claim, Estimate(value / base if base else math.inf, math.nan, math.nan), reason)
    if settings["measure"] != claim.statistic.removeprefix("test "):
        return Outcome(NOT_RUN, f"was measured by its {settings['measure']}")
    if settings["measure"] != ACCURACY:
        base = f"{settings['baseline']} has {settings['baseline_measure']:.4g}"
        reason = f"on {settings['tested_on']} {settings['examples']} {behind}; {base}"
        return _judged(claim, Estimate(value, math.nan, math.nan), reason)
    tested, measured = settings["tested_on"], wilson(value, settings["tested_on"])
    reason = f"{round((1 - value) * tested)} of {tested} test {settings['examples']} wrong {behind}"
    if measured.low < claim.bound <= measured.high:
        reason += f"; the 95 % interval holds the bound, so with other test {settings['examples']} it may be otherwise"
    return _judged(claim, measured, reason)


def _judged(claim: Claim, measured: Estimate, reason: str) -> Outcome:
    return Outcome(HOLDS if claim.fulfilled_by(measured.value) else FAILS, reason, measured)


def wilson(share: float, count: int) -> Estimate:
    """A share of successes in `count` trials, and Wilson's 95 % interval of the probability."""
    interval = binomtest(round(share * count), count).proportion_ci(method="wilson")
    return Estimate(share, interval.low, interval.high)


def _alike(claim: Claim, curves: list[Curve]) -> list[Verdict]:
    """Judges each group of trainings that differ only in their threads."""
    verdicts = []
    for group in grouped(curves):
        names = ", ".join(curve.name for curve in group)
        if len(group) == 1:
            verdicts.append(Verdict(claim, Outcome(NOT_RUN, f"was trained on {group[0].threads} alone"), names))
        elif unfinished := "; ".join(filter(None, (curve.unfinished for curve in group))):
            verdicts.append(Verdict(claim, Outcome(NOT_RUN, unfinished), names))
        else:
            verdicts.append(Verdict(claim, _share_alike(claim, group), names))
    return verdicts


def _share_alike(claim: Claim, group: list[Curve]) -> Outcome:
    values = [curve.epochs[["loss", "train_measure", "test_measure"]].to_numpy() for curve in group]
    share = float(np.mean([all((value[i] == values[0][i]).all() for value in values) for i in range(len(values[0]))]))
    apart = max(float(np.abs(value - values[0])[:, 0].max()) for value in values)
    reason = f"on {', '.join(curve.threads for curve in group)}: losses differ by {apart:.3g} at most"
    return _judged(claim, Estimate(share, math.nan, math.nan), reason)


STATISTICS = {f"test {measure}": _last_epochs for measure in MEASURES} | {SHARE: _last_epochs, ALIKE: _alike}


# --- figures ---------------------------------------------------------------------------------------------------------


def grouped(curves: list[Curve]) -> Iterator[list[Curve]]:
    """The groups of trainings that a figure compares: they differ only in their threads, or also in their tasks if the names of these
    begin with the same word. A group has one task after the other, each in the order of threads."""
    groups: dict[tuple, list[Curve]] = {}
    for curve in sorted(curves, key=lambda curve: curve.settings["threads"]):
        alike = tuple(value for name, value in curve.settings.items() if name not in ("task", "threads"))
        groups.setdefault((curve.settings["task"].partition("-")[0], *alike), []).append(curve)
    for group in groups.values():
        yield [curve for task in tasks(group) for curve in group if curve.settings["task"] == task]


def tasks(group: list[Curve]) -> list[str]:
    return list(dict.fromkeys(curve.settings["task"] for curve in group))


def looks(group: list[Curve]) -> Iterator[dict]:
    """How the lines of these trainings look."""
    several = len(tasks(group)) > 1
    for task, colours in zip(tasks(group), cycle(COLOURS), strict=False):
        of_task = [curve for curve in group if curve.settings["task"] == task]
        lines = list(zip(colours, LINES, strict=True))
        for (colour, (width, line)), curve in zip(lines[1:2] if len(of_task) == 1 else cycle(lines), of_task, strict=False):
            label = f"{task}, {curve.threads}" if several else curve.threads
            yield {"color": colour, "linewidth": width, "linestyle": line, "label": label}


def bounds(group: list[Curve], claims: list[Claim]) -> dict[float, str]:
    """The claimed bounds of the measure, and how the figure calls them."""
    several, measure = len(tasks(group)) > 1, group[0].settings["measure"]
    scale, unit = (100, " %") if measure == ACCURACY else (1, "")
    return {
        claim.bound: f"claimed{f' for {claim.experiment}' * several}: {'at most ' * claim.at_most}{scale * claim.bound:g}{unit}"
        for claim in claims
        if claim.statistic == f"test {measure}" and claim.experiment in tasks(group)
    }


def draw(group: list[Curve], claims: list[Claim], folder: Path) -> Drawn:
    settings = group[0].settings
    accurate = settings["measure"] == ACCURACY
    scale, unit = (100, " %") if accurate else (1, "")
    figure, (loss, test) = plt.subplots(1, 2, figsize=(style.WIDE, 3.8))
    handles = []
    for look, curve in zip(looks(group), group, strict=True):
        handles += loss.plot(curve.epochs["epoch"], curve.epochs["loss"], **look)
        test.plot(curve.epochs["epoch"], scale * curve.epochs["test_measure"], **look)
    claimed = bounds(group, claims)
    for bound, label in sorted(claimed.items()):
        handles.append(test.axhline(scale * bound, color="#A83C00", linewidth=1.2, linestyle="--", label=label))
    base = settings["baseline_measure"]
    if not accurate:  # the baseline of an accuracy is far below the axis
        handles.append(test.axhline(base, color="#666666", linewidth=1.2, linestyle="-.", label=f"{settings['baseline']}: {base:.3g}"))
    if settings["measure"] != BITS:  # which are logarithms already
        scales.logarithmic_upwards(loss)
    loss.set_ylabel("loss in training, mean of an epoch")
    test.set_ylabel(f"% of the test {settings['examples']} right" if accurate else f"{settings['measure']}, test {settings['examples']}")
    if accurate:
        lowest = min([curve.epochs["test_measure"].quantile(0.2) for curve in group] + [bound - 0.01 for bound in claimed])
        test.set_ylim(math.floor(100 * lowest), 100.2)
    elif settings["measure"] != BITS:
        scales.logarithmic_upwards(test)
    for axes in (loss, test):
        axes.set_xlabel("epoch")
        axes.set_xlim(1 - 0.03 * settings["epochs"], 1.03 * settings["epochs"])
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    seconds = "; ".join(
        f"{task} took " + ", ".join(f"{c.epochs['seconds'].sum():.1f} s on {c.threads}" for c in group if c.settings["task"] == task)
        for task in tasks(group)
    )
    caption = (
        f"Left: the loss on {settings['trained_on']} {settings['examples']} in training. Right: the {settings['measure']} on "
        f"{settings['tested_on']} other {settings['examples']}. Training of {seconds}. The lines of trainings on different threads cover "
        f"each other where they are equal. {settings['baseline'].capitalize()} has {scale * base:.4g}{unit}."
        + (" The accuracies of the first epochs may lie below the axis." if accurate else "")
    )
    title = f"Learning {' and '.join(tasks(group))}: seed {settings['seed']}"
    return style.finish(figure, folder, stem(group), title, handles, caption)


def stem(group: list[Curve]) -> str:
    return "-".join(["learning", *tasks(group), *(str(group[0].settings[name]) for name in ("contender", "seed", "epochs"))])


def facts(curve: Curve) -> list[tuple[str, str]]:
    last, settings = curve.epochs.iloc[-1], curve.settings
    measured = f"loss {last['loss']:.4g}, {settings['measure']} {last['test_measure']:.4g} on the test {settings['examples']}"
    return [
        ("run", curve.name),
        ("measured by", str(curve.environment.get("command_line", "not recorded"))),
        (f"after {last['epoch']:.0f} epochs", f"{measured}; {settings['baseline']}: {settings['baseline_measure']:.4g}"),
    ]

"""What networks have learned: reads learning.csv, judges the claims that speak of it, and draws the curves."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator
from scipy.stats import binomtest

import style
from claims import FAILS, HOLDS, UNCHECKED, Outcome, Verdict, check_names, fulfilled
from claims_file import Claim
from data import EmptyRun, load_environment, read_text
from derive import Estimate
from program import InputError
from style import Drawn, plt

FILE = "learning.csv"
SETTINGS = {"task": str, "contender": str, "threads": int, "seed": int, "epochs": int, "train_images": int, "test_images": int}
MEASURED = {"epoch": int, "loss": float, "train_accuracy": float, "test_accuracy": float, "seconds": float}
ACCURACY, ALIKE = "test accuracy", "epochs alike on all threads"
# Each wide enough to show on both sides of the next one, which lies on it where both are the same.
LINES = [("#B9DDF1", 5.0, "-"), ("#0072B2", 1.8, "-"), ("black", 1.0, ":"), ("#009E73", 0.8, "--")]


@dataclass(frozen=True)
class Curve:
    """One training: a row for every epoch that was finished."""

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
    """The trainings that finished an epoch, and a sentence on each thing that had to be left out."""
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
    epochs = pd.DataFrame({column: columns[column] for column in MEASURED})
    return Curve(directory, settings, epochs, load_environment(directory / "environment.json")), cut


def _read(path: Path, line: int, column: str, kind: type, text: str):
    try:
        value = kind(text)
    except ValueError as error:
        raise InputError(f"{path}, line {line}: {column} '{text}' is not {'a whole number' if kind is int else 'a number'}.") from error
    if column.endswith("accuracy") and not 0 <= value <= 1:
        raise InputError(f"{path}, line {line}: {column} {text} must be from 0 to 1.")
    if column.endswith("images") and value < 1:
        raise InputError(f"{path}, line {line}: {column} {text} must be at least 1.")
    return value


# --- claims ----------------------------------------------------------------------------------------------------------


def judge(claim: Claim, curves: list[Curve]) -> list[Verdict]:
    """As claims.judge does of what was timed."""
    if claim.shapes or claim.where.text or claim.machine:
        raise InputError(f"claim '{claim.id}': of a training it can name no shapes, no 'where' and no machine.")
    check_names(claim, "when", claim.when, set(SETTINGS))
    of_task = [curve for curve in curves if (curve.settings["task"], curve.settings["contender"]) == (claim.experiment, claim.of)]
    fitting = [curve for curve in of_task if fulfilled(claim, "when", claim.when, pd.DataFrame([curve.settings])).all()]
    if not fitting:
        reason = f"wants {claim.when.text}" if of_task else f"no {claim.experiment} with {claim.of} was given"
        return [Verdict(claim, Outcome(UNCHECKED, reason), "")]
    return MEASURES[claim.statistic](claim, fitting)


def _accuracies(claim: Claim, curves: list[Curve]) -> list[Verdict]:
    return [Verdict(claim, _accuracy(claim, curve), f"{curve.name} ({curve.setting})") for curve in curves]


def _accuracy(claim: Claim, curve: Curve) -> Outcome:
    if curve.unfinished:
        return Outcome(UNCHECKED, curve.unfinished)
    images, share = curve.settings["test_images"], curve.epochs["test_accuracy"].iloc[-1]
    wrong = round((1 - share) * images)
    reason, measured = f"{wrong} of {images} test images wrong after {len(curve.epochs)} epochs", wilson(share, images)
    if measured.low < claim.at_least <= measured.high:
        reason += "; the 95 % interval holds the bound, so with other test images it may be otherwise"
    return Outcome(HOLDS if share >= claim.at_least else FAILS, reason, measured)


def wilson(share: float, count: int) -> Estimate:
    """A share of so many trials, and Wilson's 95 % interval of the chance behind it."""
    interval = binomtest(round(share * count), count).proportion_ci(method="wilson")
    return Estimate(share, interval.low, interval.high)


def _alike(claim: Claim, curves: list[Curve]) -> list[Verdict]:
    """Of trainings that differ in their threads alone."""
    verdicts = []
    for group in grouped(curves):
        names = ", ".join(curve.name for curve in group)
        if len(group) == 1:
            verdicts.append(Verdict(claim, Outcome(UNCHECKED, f"was trained on {group[0].threads} alone"), names))
        elif unfinished := "; ".join(filter(None, (curve.unfinished for curve in group))):
            verdicts.append(Verdict(claim, Outcome(UNCHECKED, unfinished), names))
        else:
            verdicts.append(Verdict(claim, _share_alike(claim, group), names))
    return verdicts


def _share_alike(claim: Claim, group: list[Curve]) -> Outcome:
    values = [curve.epochs[["loss", "train_accuracy", "test_accuracy"]].to_numpy() for curve in group]
    share = float(np.mean([all((value[i] == values[0][i]).all() for value in values) for i in range(len(values[0]))]))
    apart = max(float(np.abs(value - values[0])[:, 0].max()) for value in values)
    reason = f"on {', '.join(curve.threads for curve in group)}: losses differ by {apart:.3g} at most"
    return Outcome(HOLDS if share >= claim.at_least else FAILS, reason, Estimate(share, math.nan, math.nan))


MEASURES = {ACCURACY: _accuracies, ALIKE: _alike}


# --- figures ---------------------------------------------------------------------------------------------------------


def grouped(curves: list[Curve]) -> Iterator[list[Curve]]:
    """Those that differ in their threads alone, from the fewest on."""
    groups: dict[tuple, list[Curve]] = {}
    for curve in sorted(curves, key=lambda curve: curve.settings["threads"]):
        groups.setdefault(tuple(value for name, value in curve.settings.items() if name != "threads"), []).append(curve)
    yield from groups.values()


def draw(group: list[Curve], claims: list[Claim], folder: Path) -> Drawn:
    settings = group[0].settings
    figure, (loss, accuracy) = plt.subplots(1, 2, figsize=(style.WIDE, 3.8))
    handles = []
    looks = LINES[1:2] if len(group) == 1 else cycle(LINES)
    for (colour, width, line), curve in zip(looks, group, strict=False):
        look = {"color": colour, "linewidth": width, "linestyle": line, "label": curve.threads}
        handles += loss.plot(curve.epochs["epoch"], curve.epochs["loss"], **look)
        accuracy.plot(curve.epochs["epoch"], 100 * curve.epochs["test_accuracy"], **look)
    bounds = {claim.at_least for claim in claims if claim.statistic == ACCURACY and claim.experiment == settings["task"]}
    for bound in sorted(bounds):
        label = f"claimed: {100 * bound:g} %"
        handles.append(accuracy.axhline(100 * bound, color="#A83C00", linewidth=1.2, linestyle="--", label=label))
    loss.set_yscale("log")
    loss.set_ylabel("loss of training, mean of an epoch")
    accuracy.set_ylabel("% of the test images right")
    lowest = min([curve.epochs["test_accuracy"].quantile(0.2) for curve in group] + [bound - 0.01 for bound in bounds])
    accuracy.set_ylim(math.floor(100 * lowest), 100.2)
    for axes in (loss, accuracy):
        axes.set_xlabel("epoch")
        axes.set_xlim(0, settings["epochs"] + 1)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    seconds = ", ".join(f"{curve.epochs['seconds'].sum():.1f} s on {curve.threads}" for curve in group)
    caption = (
        f"Loss on {settings['train_images']} images in training and accuracy on {settings['test_images']} others over the epochs; "
        f"training took {seconds}. Trainings that differ in their threads alone lie over each other where they are the same; the "
        "accuracies of the first epochs may lie below the axis."
    )
    return style.finish(figure, folder, stem(group), f"Learning {settings['task']}: seed {settings['seed']}", handles, caption)


def stem(group: list[Curve]) -> str:
    return "learning-" + "-".join(str(group[0].settings[name]) for name in ("task", "contender", "seed", "epochs"))


def facts(curve: Curve) -> list[tuple[str, str]]:
    last = curve.epochs.iloc[-1]
    return [
        ("run", curve.name),
        ("measured by", str(curve.environment.get("command_line", "not recorded"))),
        (f"after {last['epoch']:.0f} epochs", f"loss {last['loss']:.4g}, {100 * last['test_accuracy']:.2f} % of the test images right"),
    ]

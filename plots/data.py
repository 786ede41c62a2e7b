"""Reads run directories: samples.csv and environment.json, validated before anything is drawn."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

STATUSES = ("ok", "failed", "skipped")
SIZES = {
    "conv-forward": ["N", "C", "K", "H", "W", "R", "S", "stride_h", "stride_w", "pad_h", "pad_w", "epilogue"],
    "brgemm": ["m", "n", "k", "batch"],
}
COLUMNS = """run experiment problem name count primitive pass contender backend version implementation device isa dtype
    threads cache phase plan status reason max_error sample seconds flop least_flop bytes""".split()
NUMBERS = {"count": int, "threads": int, "sample": int, "seconds": float, "flop": float, "least_flop": float, "bytes": float, "max_error": float}
# Two rows that agree in these would be one sample written twice.
KEY = ["run", "problem", "contender", "phase", "cache", "threads", "sample"]


class InputError(Exception):
    """One sentence for the user: what is wrong and what would be right."""


@dataclass(frozen=True)
class Run:
    directory: Path
    samples: pd.DataFrame
    environment: dict

    @property
    def name(self) -> str:
        return self.samples["run"].iloc[0]


def load_runs(directories) -> list[Run]:
    runs = [load_run(Path(directory)) for directory in directories]
    first_with: dict[tuple, Path] = {}
    for run in runs:
        # Two runs may start within one second and share their name, but not their rows.
        rows = run.samples.loc[run.samples["primitive"] != "machine", KEY]
        for key in map(tuple, rows.fillna(-1).itertuples(index=False)):
            if first_with.setdefault(key, run.directory) is not run.directory:
                raise InputError(f"{run.directory} and {first_with[key]} both hold run '{run.name}'; give each run once.")
    return runs


def load_run(directory: Path) -> Run:
    if not directory.is_dir():
        raise InputError(f"{directory} is not a directory; expected a run directory with samples.csv and environment.json.")
    return Run(directory, load_samples(directory / "samples.csv"), load_environment(directory / "environment.json"))


def load_environment(path: Path) -> dict:
    try:
        environment = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); every run directory holds one.") from error
    except ValueError as error:
        raise InputError(f"{path} is not valid JSON: {error}.") from error
    if not isinstance(environment, dict):
        raise InputError(f"{path} must hold one JSON object.")
    return environment


def load_samples(path: Path) -> pd.DataFrame:
    samples = _read_text(path)
    _require_columns(path, samples, COLUMNS)
    if samples.empty:
        raise InputError(f"{path} has a header but no rows; the run measured nothing.")
    for experiment in samples["experiment"].unique():
        if experiment not in SIZES:
            raise InputError(f"{path} holds experiment '{experiment}'; known are {', '.join(SIZES)}.")
        _require_columns(path, samples, SIZES[experiment])
    if samples["run"].nunique() != 1:
        raise InputError(f"{path} holds the runs {', '.join(samples['run'].unique())}; a run directory holds one.")

    _require(path, samples, samples["status"].isin(STATUSES), lambda row: f"status '{row['status']}' is none of {', '.join(STATUSES)}")
    sizes = [size for name in samples["experiment"].unique() for size in SIZES[name] if size != "epilogue"]
    kinds = NUMBERS | dict.fromkeys(sizes, int)
    samples = samples.assign(**{column: _numbers(path, samples, column, kind) for column, kind in kinds.items()})
    _check_rows(path, samples)
    return samples


def _read_text(path: Path) -> pd.DataFrame:
    """All fields as text, indexed by the line they stand in."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader, [])
            rows = {reader.line_num: row for row in reader}
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); every run directory holds one.") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a valid CSV file: {error}.") from error
    if not header:
        raise InputError(f"{path} is empty; its first line must name the columns.")
    if len(set(header)) != len(header):
        raise InputError(f"{path} names a column twice in its first line.")
    for line, row in rows.items():
        if len(row) != len(header):
            raise InputError(f"{path}, line {line}: {len(row)} fields where the header names {len(header)}; was the run cut short?")
    return pd.DataFrame(list(rows.values()), index=list(rows), columns=header, dtype=str)


def _require_columns(path: Path, samples: pd.DataFrame, columns: list[str]) -> None:
    missing = [column for column in columns if column not in samples.columns]
    if missing:
        raise InputError(f"{path} lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}.")


def _require(path: Path, samples: pd.DataFrame, good: pd.Series, complaint) -> None:
    """Refuses the file at its first row that is not good; complaint(row) says why."""
    if not good.all():
        line = good.idxmin()
        raise InputError(f"{path}, line {line}: {complaint(samples.loc[line])}.")


def _numbers(path: Path, samples: pd.DataFrame, column: str, kind: type) -> pd.Series:
    """The column as floats, NaN where the field is empty."""
    text = samples[column].str.strip()
    numbers = pd.to_numeric(text.where(text != ""), errors="coerce").astype(float)
    good = (text == "") | np.isfinite(numbers)
    if kind is int:
        good &= (text == "") | (numbers % 1 == 0)
    if column == "max_error":  # a wrong result may well be off by nan or inf
        good |= text.str.lower().isin(["nan", "-nan", "inf"])
    noun = "a whole number" if kind is int else "a number"
    _require(path, samples, good, lambda row: f"{column} '{row[column]}' is not {noun}")
    return numbers


def _check_rows(path: Path, samples: pd.DataFrame) -> None:
    ok = samples["status"] == "ok"
    run = samples["phase"] == "run"
    for column in ["run", "problem", "contender", "phase", "cache"]:
        _require(path, samples, samples[column] != "", lambda row: f"{column} is empty")
    _require(path, samples, samples["threads"] >= 1, lambda row: "threads must be at least 1")
    _require(path, samples, samples["primitive"].eq("machine") | (samples["count"] >= 1), lambda row: "count must be at least 1")
    untimed = "an ok row needs seconds above 0; a run that only checked has nothing to draw"
    _require(path, samples, ~ok | (samples["seconds"] > 0), lambda row: untimed)
    _require(path, samples, ok | samples["seconds"].isna(), lambda row: f"a {row['status']} row must not carry a time")
    _require(path, samples, ~ok | samples["sample"].notna(), lambda row: "an ok row needs its sample's index")
    work = samples["flop"].where(samples["contender"] != "stream", samples["bytes"])
    _require(path, samples, ~(ok & run) | (work > 0), lambda row: "an ok row needs flop (a stream row bytes) above 0")

    _require(path, samples, ~(ok & run) | (samples["least_flop"] <= samples["flop"]), lambda row: "least_flop must not exceed flop")

    repeated = samples.duplicated(KEY)
    _require(path, samples, ~repeated, lambda row: "repeats the " + ", ".join(KEY) + " of an earlier row")

    timed = samples[ok & run & (samples["primitive"] != "machine")]
    for column in ["flop", "least_flop", "bytes", "count"]:
        same = timed[column] == timed.groupby("problem")[column].transform("first")
        _require(path, timed, same, lambda row: f"{column} differs from an earlier row of problem '{row['problem']}'")

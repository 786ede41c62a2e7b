"""Reads the directories of runs, samples.csv (or its summary.csv) and environment.json, and checks them before anything is drawn."""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from program import InputError

STATUSES = ("ok", "failed", "unsupported", "absent", "misfit")
FIGURES = ("layers", "latency", "ablation", "sweep", "curve", "parts")
# A column that is not in this list is a size of the problem.
COLUMNS = """run experiment figure shapes problems problem name count primitive pass contender ours backend version implementation
    device isa dtype threads cache setting phase plan tuning status reason max_error sample seconds bound flop least_flop bytes
    peak_bytes plan_seconds""".split()
# Values of columns that runs of earlier versions do not have.
EARLIER = {"bound": "flops", "peak_bytes": "", "plan_seconds": ""}
SUMMARY = {"sample": ["samples"], "seconds": ["seconds_low", "seconds", "seconds_high"]}  # quartile, median, quartile
SUMMARY_COLUMNS = [name for column in COLUMNS for name in SUMMARY.get(column, [column])]
WHOLE = ["problems", "count", "threads", "sample", "samples"]
REAL = ["seconds_low", "seconds", "seconds_high", "flop", "least_flop", "bytes", "peak_bytes", "plan_seconds", "max_error"]
BOUNDS = ("flops", "bytes")
# The machine's limits, measured beside each problem: peak, multiply-adds on registers; roof, multiply-adds that load a register
# tile's operands from L1; read, for problems with few flops, the time to read the problem's tensors, as a speed with the
# problem's flop. A problem that is bound by memory has others: stream, STREAM's bandwidth, and traffic, as many reads and writes
# as the problem has, at the same level of the memory. Runs of earlier versions have no roof and no traffic. The keys are names in
# sweeps.Problem, the values contenders.
LIMITS = {"peak": "fma-peak", "roof": "loaded-roof", "read": "read", "stream": "stream", "traffic": "traffic"}
ELSEWHERE = "/"  # between a contender that another process measures and the name of a limit that this process measured
# Two rows with equal values in these columns and in the sample's index are one sample that was written twice.
KEY = ["run", "experiment", "setting", "problem", "contender", "phase", "threads"]
# The values of environment.json that are used, if they are there; the others are only shown.
ENVIRONMENT = {
    "cpu": (dict, "an object"),
    "cpu.name": (str, "a text"),
    "cpu.id": (str, "a text"),
    "cpu.usable_cores": (int, "a whole number"),
    "cpu.l2_bytes": ((int, float), "a number"),
    "cpu.cache_bytes": ((int, float), "a number"),
    "gpu": (dict, "an object"),
    "gpu.name": (str, "a text"),
    "git": (dict, "an object"),
    "lines_of_primitives": (int, "a number"),
    "warnings": (list, "a list"),
    "format": (int, "a whole number"),
}
FORMAT = 1  # of run folders, as environment.cpp writes them; those without a number are of format 1


class EmptyRun(InputError):
    """A run that ended before it measured any contender."""


@dataclass(frozen=True)
class Run:
    directory: Path
    source: Path  # the file with the times
    samples: pd.DataFrame
    left_out: str  # a sentence about lines of that file that are not among the samples; mostly empty
    environment: dict

    @property
    def name(self) -> str:
        return self.samples["run"].iloc[0]

    @property
    def sizes(self) -> list[str]:
        return size_columns(self.samples)


def size_columns(samples: pd.DataFrame) -> list[str]:
    return [column for column in samples.columns if column not in COLUMNS and column not in SUMMARY_COLUMNS]


def load_runs(directories) -> tuple[list[Run], list[str]]:
    """Reads runs. Returns those that measured something, and a sentence on everything that was left out."""
    runs, left_out = [], []
    for directory in directories:
        try:
            runs.append(load_run(Path(directory)))
            left_out += filter(None, [runs[-1].left_out])
        except EmptyRun as error:
            left_out.append(str(error))
    if not runs:
        raise EmptyRun(" ".join(left_out))
    first_with: dict[tuple, Path] = {}
    for run in runs:
        # Two runs may start within one second and share their name, but not their rows.
        rows = run.samples.loc[run.samples["primitive"] != "machine", KEY]
        for key in map(tuple, rows.drop_duplicates().itertuples(index=False)):
            if first_with.setdefault(key, run.directory) is not run.directory:
                raise InputError(f"{run.directory} and {first_with[key]} both hold run '{run.name}'; give each run once.")
    return runs, left_out


def load_run(directory: Path) -> Run:
    if not directory.is_dir():
        raise InputError(f"{directory} is not a directory; expected a run directory with samples.csv and environment.json.")
    source = directory / "samples.csv"
    if not source.exists() and (directory / "summary.csv").exists():
        source = directory / "summary.csv"
    return Run(directory, source, *load_samples(source), load_environment(directory / "environment.json"))


def load_environment(path: Path) -> dict:
    try:
        environment = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); every run directory holds one.") from error
    except ValueError as error:
        raise InputError(f"{path} is not valid JSON: {error}.") from error
    if not isinstance(environment, dict):
        raise InputError(f"{path} must hold one JSON object.")
    for name, (kind, words) in ENVIRONMENT.items():
        *outer, key = name.split(".")
        table = environment.get(outer[0], {}) if outer else environment
        if key in table and not isinstance(table[key], kind):
            raise InputError(f"{path}: {name} is {json.dumps(table[key])}; it must be {words}.")
    if (written := environment.get("format", FORMAT)) != FORMAT:
        raise InputError(f"{path} is of format {written}, and this version reads format {FORMAT}; use the version that wrote it.")
    return environment


def load_samples(path: Path) -> tuple[pd.DataFrame, str]:
    """Reads a file of samples. Returns the samples, and a sentence on lines that were left out, or an empty text."""
    samples, left_out = read_text(path)
    _require_columns(path, samples, SUMMARY_COLUMNS if path.name == "summary.csv" else COLUMNS)
    if samples.empty:
        raise EmptyRun(f"{path} has a header but no rows: the run measured nothing.")
    if samples["primitive"].eq("machine").all():
        raise EmptyRun(f"{path} holds only machine measurements: the run measured no contender.")
    if samples["run"].nunique() != 1:
        raise InputError(f"{path} holds the runs {', '.join(samples['run'].unique())}; a run directory holds one.")

    numbers = {column: _numbers(path, samples, column) for column in WHOLE + REAL if column in samples}
    sizes = {column: _size(samples[column]) for column in size_columns(samples)}
    samples = samples.assign(**numbers, **sizes)
    _check_words(path, samples)
    _check_rows(path, samples)
    _check_groups(path, samples)
    return samples, left_out


def read_text(path: Path) -> tuple[pd.DataFrame, str]:
    """Reads a CSV file: all fields as texts, indexed by their line. A last line that was cut short, by a full disk or the end of
    the run, is left out, and a sentence says so."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); every run directory holds one.") from error
    whole = content[: content.rfind(b"\n") + 1]  # a number that was cut short still looks like a number
    try:
        reader = csv.reader(io.StringIO(whole.decode().removeprefix("\ufeff"), newline=""), strict=True)
        header = next(reader, [])
        rows = {reader.line_num: row for row in reader}  # noqa: B035 - the line moves on with each row
    except UnicodeDecodeError as error:
        line = whole.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: the byte 0x{whole[error.start]:02x} is not UTF-8; save the file as UTF-8.") from error
    except csv.Error as error:
        raise InputError(f"{path} is not a valid CSV file: {error}.") from error
    if not header:
        raise EmptyRun(f"{path} is empty: the run measured nothing.")
    if len(set(header)) != len(header):
        raise InputError(f"{path} names a column twice in its first line.")
    cut = len(whole) < len(content)
    if not cut and rows and len(rows[reader.line_num]) < len(header):
        cut = bool(rows.popitem())
    for line, row in rows.items():
        if len(row) != len(header):
            raise InputError(f"{path}, line {line}: {len(row)} fields where the header names {len(header)}.")
    left_out = f"{path} ends in the middle of a line, which is left out: the run was cut short." if cut else ""
    texts = pd.DataFrame(list(rows.values()), index=list(rows), columns=header, dtype=str)
    return texts.assign(**{column: said for column, said in EARLIER.items() if column not in texts}), left_out


def _require_columns(path: Path, samples: pd.DataFrame, columns: list[str]) -> None:
    missing = [column for column in columns if column not in samples.columns]
    if missing:
        raise InputError(f"{path} lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}.")


def _require(path: Path, samples: pd.DataFrame, good: pd.Series, complaint) -> None:
    """Refuses the file if a row is not good; complaint(row) says why, for the first such row."""
    if not good.all():
        line = good.idxmin()
        raise InputError(f"{path}, line {line}: {complaint(samples.loc[line])}.")


def _numbers(path: Path, samples: pd.DataFrame, column: str) -> pd.Series:
    """The column as floats, NaN where the field is empty."""
    text = samples[column].str.strip()
    numbers = pd.to_numeric(text.where(text != ""), errors="coerce").astype(float)
    good = (text == "") | np.isfinite(numbers)
    if column in WHOLE:
        good &= (text == "") | (numbers % 1 == 0)
    if column == "max_error":  # the error of a wrong result may be nan or inf
        good |= text.str.lower().isin(["nan", "-nan", "inf"])
    noun = "a whole number" if column in WHOLE else "a number"
    _require(path, samples, good, lambda row: f"{column} '{row[column]}' is not {noun}")
    return numbers


def _size(text: pd.Series) -> pd.Series:
    """Floats if every field that is not empty is a whole number, otherwise the texts."""
    text = text.str.strip()
    numbers = pd.to_numeric(text.where(text != ""), errors="coerce").astype(float)
    whole = (text == "") | (np.isfinite(numbers) & (numbers % 1 == 0))
    return numbers if whole.all() and (text != "").any() else text


def _key(samples: pd.DataFrame) -> list[str]:
    """The columns that identify a row. A summary may have a row of a failed check besides the row of the times."""
    return [*KEY, "sample" if "sample" in samples else "status"]


def _check_words(path: Path, samples: pd.DataFrame) -> None:
    work = samples["primitive"] != "machine"

    def one_of(column: str, words: tuple[str, ...], where: pd.Series) -> None:
        good = ~where | samples[column].isin(words)
        _require(path, samples, good, lambda row: f"{column} '{row[column]}' is none of {', '.join(words)}")

    one_of("status", STATUSES, work | ~work)
    one_of("figure", FIGURES, work)
    one_of("ours", ("yes", "no"), work)
    one_of("bound", BOUNDS, work)
    for column in ["run", "experiment", "problem", "contender", "phase"]:
        _require(path, samples, samples[column] != "", lambda row, column=column: f"{column} is empty")
    limit = samples["contender"].str.rpartition(ELSEWHERE)[2].isin(LIMITS.values())
    beside = work | limit & (samples["problem"] != LIMITS["stream"])  # the stream is also measured at the run's start and end
    _require(path, samples, ~beside | (samples["setting"] != ""), lambda row: "setting is empty")


def _check_rows(path: Path, samples: pd.DataFrame) -> None:
    ok = samples["status"] == "ok"
    run = samples["phase"] == "run"
    machine = samples["primitive"] == "machine"
    _require(path, samples, samples["threads"] >= 1, lambda row: "threads must be at least 1")
    _require(path, samples, machine | (samples["count"] >= 1), lambda row: "count must be at least 1")
    counted = (samples["shapes"] == "") | (samples["problems"] >= 1)
    _require(path, samples, machine | counted, lambda row: f"problems must say how many the set {row['shapes']} holds")
    untimed = "an ok row needs seconds above 0; a run that only checked has nothing to draw"
    _require(path, samples, ~ok | (samples["seconds"] > 0), lambda row: untimed)
    _require(path, samples, ok | samples["seconds"].isna(), lambda row: f"a {row['status']} row must not carry a time")
    if "sample" in samples:
        _require(path, samples, ~ok | samples["sample"].notna(), lambda row: "an ok row needs its sample's index")
    else:
        _require(path, samples, ~ok | (samples["samples"] >= 1), lambda row: "an ok row needs samples of at least 1")
        ordered = (samples["seconds_low"] <= samples["seconds"]) & (samples["seconds"] <= samples["seconds_high"])
        _require(path, samples, ~ok | ordered & (samples["seconds_low"] > 0), lambda row: "the median must lie between the quartiles")
    work = samples["flop"].where(samples["contender"] != "stream", samples["bytes"])
    _require(path, samples, ~(ok & run) | (work > 0), lambda row: "an ok row needs flop (a stream row bytes) above 0")
    _require(path, samples, ~(ok & run) | (samples["least_flop"] <= samples["flop"]), lambda row: "least_flop must not exceed flop")


def _check_groups(path: Path, samples: pd.DataFrame) -> None:
    key = _key(samples)
    _require(path, samples, ~samples.duplicated(key), lambda row: "repeats the " + ", ".join(key) + " of an earlier row")

    def agree(rows: pd.DataFrame, columns: list[str], group: list[str]) -> None:
        of = group[-1]
        for column in columns:
            same = rows[column] == rows.groupby(group)[column].transform("first")
            _require(path, rows, same, lambda row, c=column: f"{c} differs from an earlier row of {of} '{row[of]}'")

    work = samples[samples["primitive"] != "machine"]
    agree(work, ["figure", "bound"], ["experiment", "setting"])
    agree(work, ["ours"], ["contender"])
    timed = work[(work["status"] == "ok") & (work["phase"] == "run")]
    agree(timed, ["flop", "bytes", "count"], ["experiment", "setting", "problem"])
    agree(timed, ["least_flop"], ["experiment", "setting", "problem", "contender"])  # algorithms may need fewer flops

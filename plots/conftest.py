"""Stored runs for the tests, and changed copies of them in a temporary folder."""

import json
import shutil
from copy import deepcopy
from functools import cache, partial
from pathlib import Path

import pandas as pd
import pytest

import output
import style
from data import load_run
from sweeps import Sweep, sweeps_of

STORED = Path(__file__).parent / "testdata"


@cache
def stored(name: str) -> Sweep:
    return sweeps_of(load_run(STORED / name))[0]


SVG_ALONE = ["svg"]  # the quickest of the formats


@pytest.fixture
def only_svg(monkeypatch):
    monkeypatch.setattr(style, "FORMATS", SVG_ALONE)


@pytest.fixture
def draw_only(monkeypatch):
    """draw_only(layers=(output.draw_ratio,), sweep=()): reports have only these figures for these kinds of experiments."""

    def choose(**drawers) -> None:
        for kind, chosen in drawers.items():
            monkeypatch.setitem(output.DRAWERS, kind, chosen)

    return choose


@pytest.fixture
def conv() -> Sweep:
    return deepcopy(stored("conv"))  # a test may change it


@pytest.fixture
def brgemm() -> Sweep:
    return deepcopy(stored("brgemm"))


@pytest.fixture
def variation(tmp_path):
    """variation("conv", change): a copy of a stored run with change applied to its samples, as texts. A second one needs a name."""
    return partial(varied, tmp_path)


def varied(place: Path, stored: str, change, name: str = "variation") -> Path:
    folder = place / f"{stored}-{name}"
    shutil.copytree(STORED / stored, folder)
    samples = pd.read_csv(STORED / stored / "samples.csv", dtype=str, keep_default_na=False)
    change(samples).to_csv(folder / "samples.csv", index=False)
    return folder


def with_environment(run: Path, **environment) -> Path:
    """The same run, with these entries added to its environment.json."""
    file = run / "environment.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | environment))
    return run


def with_searched(rows: pd.DataFrame) -> pd.DataFrame:
    """Adds a contender with searched plans and the times of the simd brick."""
    searched = rows[rows["contender"] == "brickwork-simd"].assign(contender="brickwork-simd-searched", plan="another")
    return pd.concat([rows, searched])


# By contender: the speed as a share of the fastest one's, brickwork-simd-searched, and the seconds that choosing a plan takes.
RANKED = {
    "brickwork-simd": (0.95, ""), "brickwork-simd-latency": (0.8, "0.01"), "brickwork-simd-latency-top": (0.9, "5"),
    "brickwork-simd-measured": (0.98, "0.02"), "brickwork-simd-measured-top": (0.995, "6"),
    "brickwork-simd-random": (0.97, "3.25"), "brickwork-simd-searched": (1, "3"), "tvm-metaschedule": (0.5, "60"),
}  # fmt: skip


def with_rankings(rows: pd.DataFrame) -> pd.DataFrame:
    """Adds contenders with ranked plans and a peer with plans of its own, all with the simd brick's times divided by these shares."""
    rule = rows[rows["contender"] == "brickwork-simd"]
    added = [rows[rows["contender"] != "brickwork-simd"]]
    for name, (share, seconds) in RANKED.items():
        ours = "yes" if name.startswith("brickwork") else "no"
        plan = name if ours == "yes" else ""
        added.append(times(rule, rule["phase"] == "run", 1 / share).assign(contender=name, ours=ours, plan=plan, plan_seconds=seconds))
    return pd.concat(added).fillna({"plan_seconds": ""})


def with_all_of_ours(rows: pd.DataFrame) -> pd.DataFrame:
    """The same with ranked plans, and a contender of another algorithm."""
    other = rows[rows["contender"] == "brickwork-simd"].assign(contender="brickwork-winograd")
    return pd.concat([with_rankings(rows), other]).fillna({"plan_seconds": ""})


def times(samples: pd.DataFrame, rows: pd.Series, factor: float) -> pd.DataFrame:
    """The samples with the seconds of these rows multiplied by the factor."""
    rows = rows & (samples["seconds"] != "")
    return samples.assign(seconds=samples["seconds"].mask(rows, (samples.loc[rows, "seconds"].astype(float) * factor).map(repr)))


def on_one_thread(samples: pd.DataFrame, ours: float = 1.8, machine: float = 1.9, others: float = 1.7) -> pd.DataFrame:
    """The samples as a run on one thread: our times multiplied by `ours`, the limits' by `machine` and the peers' by `others`."""
    limit, mine = samples["primitive"].eq("machine"), samples["ours"].eq("yes")
    samples = times(times(times(samples, mine, ours), limit, machine), ~mine & ~limit, others)
    return samples.assign(run=samples["run"] + "-1", threads="1", setting=samples["setting"].str.replace("2 threads", "1 thread"))


def on_device(samples: pd.DataFrame) -> pd.DataFrame:
    """The samples as a run on a GPU, where no limits are measured."""
    return samples[samples["primitive"] != "machine"].assign(device="cuda")


def bandwidth_bound(samples: pd.DataFrame) -> pd.DataFrame:
    """The samples as if the memory were the limit: with a stream of 5 GB/s beside each problem in place of the FMA peak."""
    samples = without_roof(samples).copy()
    stream = {"contender": "stream", "pass": "stream", "flop": "1", "least_flop": "1", "bytes": "5000000", "seconds": "0.001"}
    samples.loc[samples["contender"] == "fma-peak", list(stream)] = list(stream.values())
    samples.loc[samples["setting"] != "", "bound"] = "bytes"
    return samples


def without_roof(samples: pd.DataFrame) -> pd.DataFrame:
    """The samples of a run from before the loaded roof was measured."""
    return samples[samples["contender"] != "loaded-roof"]


@pytest.fixture
def before_the_roof(variation):
    return lambda stored: variation(stored, without_roof)


@pytest.fixture
def resnet50(variation):
    """The stored layer03 repeated as all 20 layers on two threads. seconds: the time of each named contender."""

    def make(minibatch: int = 28, drop=None, change=lambda rows: rows, **seconds: float) -> Sweep:
        def enlarge(samples: pd.DataFrame) -> pd.DataFrame:
            layer = samples[(samples["name"] == "layer03") & (samples["phase"] == "run")]
            # The newest oneDNN is a contender, too.
            layer = pd.concat([layer, layer[layer["contender"] == "onednn"].assign(contender="onednn-latest")])
            layer = layer.assign(N=str(minibatch), setting=f"N={minibatch}, 2 threads, hot cache, f32")
            parts = []
            for name in [f"layer{i:02d}" for i in range(1, 21)]:
                part = layer.assign(name=name, problem=f"{name}_N{minibatch}")
                for contender, value in seconds.items():
                    part.loc[part["contender"] == contender.replace("_", "-"), "seconds"] = str(value)
                parts.append(part)
            rows = change(pd.concat(parts))
            return rows[~rows.apply(drop, axis=1)] if drop else rows

        return sweeps_of(load_run(variation("conv", enlarge)))[0]

    return make


@pytest.fixture
def passes(variation):
    """The stored run as the three passes of training: our times multiplied by 1, 2 and 3, oneDNN's by 1, 4 and 2. change gets the rows
    of each pass as texts. Passes in drop are left out."""

    def make(drop=(), change=lambda rows, which: rows, name: str = "") -> list[Path]:
        def of(which: str, ours: float, onednn: float):
            def rows(samples: pd.DataFrame) -> pd.DataFrame:
                samples = times(times(samples, samples["ours"].eq("yes"), ours), samples["contender"].eq("onednn"), onednn)
                samples = samples.assign(run=f"{which}{name}", experiment=f"conv-{which}")
                return change(samples.assign(**{"pass": samples["pass"].replace("forward", which)}), which)

            return rows

        factors = {"forward": (1, 1), "backward-data": (2, 4), "weight-update": (3, 2)}
        return [variation("conv", of(which, *by), f"{which}{name}") for which, by in factors.items() if which not in drop]

    return make


@pytest.fixture
def curve(variation):
    """The stored layer03 at several minibatches: only N varies. change gets the rows as texts."""

    def make(minibatches=(1, 2, 4, 8, 16), change=lambda rows: rows) -> Path:
        def follow(samples: pd.DataFrame) -> pd.DataFrame:
            layer = samples[(samples["name"] == "layer03") & (samples["phase"] == "run")]
            layer = layer.assign(figure="curve", shapes="", problems="", name="", setting="2 threads, hot cache, f32")
            return change(pd.concat([layer.assign(N=str(n), problem=f"N{n}") for n in minibatches]))

        return variation("conv", follow)

    return make


def drawn(sweep: Sweep) -> dict:
    kept = {}

    def keep(figure, _, stem: str) -> None:
        kept[stem] = figure
        style.plt.close(figure)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "save", keep)
        said = output.draw(sweep, Path(), "x")
    return {each.stem: (kept[each.stem], each) for each in said}


@pytest.fixture
def figures_of():
    """figures_of(sweep): its figures before they are saved, and their words, by file name."""
    return drawn


@pytest.fixture(scope="session")
def figures():
    """figures(run): the figures of the run's sweep, drawn once for all tests."""

    @cache
    def draw(run: Path) -> dict:
        return {stem: figure for stem, (figure, _) in drawn(*sweeps_of(load_run(run))).items()}

    return draw

"""Stored runs for the tests, and variations of them written to a temporary folder."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from claims import RESNET50
from data import load_run
from derive import Sweep, sweeps_of

STORED = Path(__file__).parent / "testdata"


@pytest.fixture
def conv() -> Sweep:
    return sweeps_of(load_run(STORED / "conv"))[0]


@pytest.fixture
def brgemm() -> Sweep:
    return sweeps_of(load_run(STORED / "brgemm"))[0]


@pytest.fixture
def variation(tmp_path):
    """variation("conv", change): a copy of a stored run whose samples, all texts, went through change."""

    def make(stored: str, change) -> Path:
        folder = tmp_path / f"{stored}-variation"
        shutil.copytree(STORED / stored, folder)
        samples = pd.read_csv(STORED / stored / "samples.csv", dtype=str, keep_default_na=False)
        change(samples).to_csv(folder / "samples.csv", index=False)
        return folder

    return make


@pytest.fixture
def resnet50(variation):
    """The stored layer03 under the names of all 20 layers, two threads; seconds are those of the contenders given."""

    def make(minibatch: int = 28, drop=None, **seconds: float) -> Sweep:
        def change(samples: pd.DataFrame) -> pd.DataFrame:
            layer = samples[(samples["name"] == "layer03") & (samples["phase"] == "run")].assign(N=str(minibatch))
            parts = []
            for name in sorted(RESNET50):
                part = layer.assign(name=name, problem=f"{name}_N{minibatch}")
                for contender, value in seconds.items():
                    part.loc[part["contender"] == contender.replace("_", "-"), "seconds"] = str(value)
                parts.append(part)
            rows = pd.concat(parts)
            return rows[~rows.apply(drop, axis=1)] if drop else rows

        return sweeps_of(load_run(variation("conv", change)))[0]

    return make

"""The examples of README.md run as they stand."""

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.M | re.S)


@pytest.mark.parametrize("example", EXAMPLES, ids=["numpy", "torch"])
def test_an_example_runs(example):
    pytest.importorskip("brickwork", exc_type=ModuleNotFoundError)
    if "import torch" in example:
        pytest.importorskip("torch", exc_type=ImportError)
    exec(compile(example, README, "exec"), {})

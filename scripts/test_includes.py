"""Includes run downwards alone: experiments, baselines, primitives, kernels."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("kernels", "primitives", "baselines", "experiments")  # from the lowest to the highest
SUFFIXES = (".cpp", ".hpp", ".h", ".cu", ".cuh")


def upward_includes(tree: Path) -> list[str]:
    """Every include that a file of a higher room than the includer's must answer, as "includer: included"."""
    sources = [path.relative_to(tree) for room in ROOMS for path in (tree / room).rglob("*") if path.suffix in SUFFIXES]
    of_name: dict[str, list[Path]] = {}
    for source in sources:
        of_name.setdefault(source.name, []).append(source)
    upward = []
    for source in sources:
        for included in re.findall(r'^\s*#\s*include\s+"([^"]+)"', (tree / source).read_text(), re.MULTILINE):
            named = of_name.get(Path(included).name, [])
            answers = [ROOMS.index(other.parts[0]) for other in named if f"/{other}".endswith(f"/{included}")]
            if answers and min(answers) > ROOMS.index(source.parts[0]):
                upward.append(f"{source}: {included}")
    return upward


def test_no_include_runs_upwards():
    assert upward_includes(ROOT) == []


@pytest.fixture
def tree(tmp_path):
    """tree({path: text}): a tree of these files."""

    def make(files: dict[str, str]) -> Path:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return tmp_path

    return make


def test_an_upward_include_is_found(tree):
    made = tree({"kernels/brgemm.hpp": '#include "conv/conv.hpp"\n', "primitives/conv/conv.hpp": '#include "brgemm.hpp"\n',
                 "baselines/onednn.cpp": '#include "conv.hpp"\n# include "options.hpp"\n', "experiments/harness/options.hpp": ""})
    assert upward_includes(made) == ["kernels/brgemm.hpp: conv/conv.hpp", "baselines/onednn.cpp: options.hpp"]


def test_a_file_of_its_own_room_comes_first(tree):
    assert upward_includes(tree({"baselines/a.cpp": '#include "names.hpp"', "baselines/names.hpp": "", "experiments/names.hpp": ""})) == []

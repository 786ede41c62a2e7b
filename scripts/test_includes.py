"""Includes are full paths and only go down: from experiments over baselines, drivers and operations to kernels."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("kernels", "primitives", "library", "python", "baselines", "experiments")
SUFFIXES = (".cpp", ".hpp", ".h", ".cu", ".cuh")
GENERATED = {"build_info.hpp", "source_info.hpp", "dynet_sources.hpp", "tvm_build.hpp"}  # written by the build
# The rooms, and the rooms that each may include besides itself. A path belongs to the first room that it begins with or, if
# the room begins with "/", that it contains.
ROOMS = {
    "kernels/": (),
    "/structures/": ("kernels/", "/op/"),  # of an operation's inputs: a part of its description
    "/op/": ("kernels/", "/structures/"),  # an operation's description
    "primitives/planning/machine/": (),
    "primitives/planning/race/": (),
    "primitives/nest/": ("kernels/",),
    "primitives/analysis/": ("kernels/", "primitives/nest/"),  # of any nest
    "primitives/": ("kernels/", "/op/", "/structures/", "primitives/planning/machine/", "primitives/planning/race/",
                    "primitives/nest/", "primitives/analysis/"),
    "library/": ("kernels/", "/op/", "/structures/", "primitives/planning/machine/", "primitives/nest/", "primitives/"),  # the C API
    "python/": (),  # the C API's header as an installed one
    "baselines/contender/": ("kernels/", "/op/", "/structures/"),
    "baselines/": ("kernels/", "/op/", "/structures/", "primitives/planning/race/", "baselines/contender/"),  # and no driver
    "experiments/": ("kernels/", "/op/", "/structures/", "primitives/planning/machine/", "primitives/planning/race/",
                     "primitives/nest/", "primitives/analysis/", "primitives/", "baselines/contender/", "baselines/"),
}


def room_of(path: str) -> str | None:
    return next((room for room in ROOMS if path.startswith(room) or (room.startswith("/") and room in path)), None)


def wrong_includes(tree: Path) -> list[str]:
    """All includes of files that do not exist or that the includer must not see, as "includer: included"."""
    wrong = []
    sources = [path for folder in FOLDERS for path in sorted((tree / folder).rglob("*")) if path.suffix in SUFFIXES]
    for source in sources:
        includer = str(source.relative_to(tree))
        room = room_of(includer)
        for included in re.findall(r'^\s*#\s*include\s+"([^"]+)"', source.read_text(), re.MULTILINE):
            seen = room_of(included) in (room, *ROOMS[room]) and (tree / included).is_file()
            if not seen and included not in GENERATED and not included.startswith("hwy/"):
                wrong.append(f"{includer}: {included}")
    return wrong


def test_every_include_is_a_full_path_and_runs_downwards():
    assert wrong_includes(ROOT) == []


@pytest.fixture
def tree(tmp_path):
    """tree({path: text}): a tree of these files."""

    def make(files: dict[str, str]) -> Path:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return tmp_path

    return make


FILES = {
    "kernels/brgemm.hpp": "",
    "primitives/op/op.hpp": "",
    "primitives/conv/op/problem.hpp": '#include "primitives/op/op.hpp"\n#include <vector>\n',
    "primitives/conv/conv.hpp": '#include "primitives/conv/op/problem.hpp"\n#include "kernels/brgemm.hpp"\n',
    "baselines/contender/contender.hpp": '#include "primitives/op/op.hpp"\n',
    "baselines/onednn.cpp": '#include "baselines/contender/contender.hpp"\n',
    "experiments/main.cpp": '#include "build_info.hpp"\n#include "primitives/conv/conv.hpp"\n',
}


def test_build_folders_are_not_read(tree):
    assert wrong_includes(tree({**FILES, "build/tmp/primitives/conv/op/problem.cpp": '#include "lost.hpp"\n'})) == []


def test_downward_includes_are_right(tree):
    assert wrong_includes(tree(FILES)) == []


@pytest.mark.parametrize(
    ("includer", "included"),
    [
        ("kernels/brgemm.cpp", "primitives/op/op.hpp"),
        ("primitives/conv/op/problem.cpp", "primitives/conv/conv.hpp"),
        ("primitives/recursive/structures/forest.cpp", "primitives/conv/conv.hpp"),
        ("primitives/nest/loop_nest.hpp", "primitives/op/op.hpp"),
        ("primitives/analysis/boxes.hpp", "primitives/op/op.hpp"),
        ("primitives/analysis/boxes.hpp", "primitives/conv/conv.hpp"),
        ("baselines/onednn.cpp", "primitives/conv/conv.hpp"),
        ("baselines/contender/checker.cpp", "baselines/onednn.hpp"),
        ("primitives/conv/conv.cpp", "experiments/main.hpp"),
        ("primitives/conv/conv.cpp", "conv.hpp"),
        ("experiments/main.cpp", "baselines/lost.hpp"),
    ],
)
def test_an_include_that_must_not_be_is_found(tree, includer, included):
    there = {} if included.endswith("lost.hpp") else {included: ""}
    made = tree({**FILES, **there, includer: f'#  include "{included}"\n'})
    assert wrong_includes(made) == [f"{includer}: {included}"]

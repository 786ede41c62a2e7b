"""scripts/count-instructions with a fake valgrind, and once with the real one."""

import json
import shutil
from pathlib import Path

import pytest

import count_instructions
from count_instructions import INCOMPARABLE, MORE, REFUSED, SAME, main

COMPILER = "GNU 12.2.0, -O3"


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """counted(now): how the comparison ends where each pass was stored with 1,000 instructions and now has this many."""
    build, stored = tmp_path / "build", tmp_path / "stored.json"
    script(build / "experiments" / "instruction_counts", "echo one; echo two")
    header = 'constexpr std::string_view compiler = "GNU 12.2.0";\nconstexpr std::string_view compiler_flags = "-O3";\n'
    (build / "experiments" / "build_info.hpp").write_text(header)
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}:/usr/bin:/bin")

    def run(now: int, compiler: str = COMPILER, names: tuple = ("one", "two"), more: tuple = ()) -> int:
        script(tmp_path / "path" / "valgrind", f"echo '==1== Collected : {now}' >&2")
        stored.write_text(json.dumps({"compiler": compiler, "counts": dict.fromkeys(names, 1000)}))
        return main(["--build", str(build), "--stored", str(stored), *more])

    return run


@pytest.mark.parametrize(("now", "code", "word"), [(1000, SAME, "SAME"), (1010, SAME, "SAME"), (1011, MORE, "MORE"), (900, SAME, "FEWER")])
def test_more_than_a_hundredth_above_the_stored_count_is_a_regression(counted, capsys, now, code, word):
    assert counted(now) == code and capsys.readouterr().out.count(word) == 2


def test_counts_of_another_compiler_are_not_compared(counted, capsys):
    assert counted(1000, compiler="Clang 19, -O3") == INCOMPARABLE
    assert "the stored counts are of Clang 19, -O3, this build is of GNU 12.2.0, -O3" in capsys.readouterr().err


def test_other_passes_than_the_stored_ones_are_refused(counted, capsys):
    assert counted(1000, names=("one", "three")) == REFUSED and "differ in three, two" in capsys.readouterr().err


def test_a_function_that_callgrind_does_not_find_is_refused(counted, capsys):
    assert counted(0) == REFUSED and "callgrind counted nothing of one" in capsys.readouterr().err


def test_counts_are_stored_if_asked_for(counted, tmp_path):
    assert counted(1234, more=("--write",)) == SAME
    assert json.loads((tmp_path / "stored.json").read_text()) == {"compiler": COMPILER, "counts": {"one": 1234, "two": 1234}}


def test_a_folder_without_a_build_is_refused(tmp_path, capsys):
    assert main(["--build", str(tmp_path)]) == REFUSED and "is no build folder of this project" in capsys.readouterr().err


def test_a_machine_without_valgrind_compares_nothing(counted, tmp_path, monkeypatch, capsys):
    assert counted(1000) == SAME
    monkeypatch.setattr(count_instructions.shutil, "which", lambda _: None)
    assert counted(1000) == INCOMPARABLE and "valgrind is not installed" in capsys.readouterr().err


def test_a_file_without_counts_is_refused(counted, tmp_path, capsys):
    assert counted(1000) == SAME
    (tmp_path / "other.json").write_text("[]")
    assert counted(1000, more=("--stored", str(tmp_path / "other.json"))) == REFUSED
    assert "other.json holds no counts" in capsys.readouterr().err


def test_the_real_count_of_a_small_pass_repeats():
    program = count_instructions.ROOT / "build" / "release" / "experiments" / "instruction_counts"
    if not program.exists() or not shutil.which("valgrind"):
        pytest.skip("needs build/release and valgrind")
    first, second = (count_instructions.count(program, "brgemm-m5-n17-k13-b3") for _ in range(2))
    assert first == second > 1000

"""How the programs end when something goes wrong around them."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import output
import report
import summarise
from conftest import STORED

HERE = Path(__file__).parent


def ending(code: str, **streams) -> subprocess.CompletedProcess:
    buffered = os.environ | {"PYTHONUNBUFFERED": ""}  # as it is for most users; then the error comes late
    return subprocess.run([sys.executable, "-c", code], cwd=HERE, env=buffered, stderr=subprocess.PIPE, text=True, check=False, **streams)


SAYING = "import program, sys; sys.exit(program.run('it', lambda: program.say('words')))"


def test_a_full_disk_behind_the_screen_is_one_sentence():
    with open("/dev/full", "w") as full:
        ended = ending(SAYING, stdout=full)
    assert (ended.returncode, ended.stderr) == (
        2, "it: error: standard output cannot be written to (No space left on device); the files are written.\n",
    )  # fmt: skip


def test_a_closed_pipe_is_one_sentence():
    reader, writer = os.pipe()
    os.close(reader)
    ended = ending(SAYING, stdout=writer)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (
        2, "it: error: standard output cannot be written to (Broken pipe); the files are written.\n",
    )  # fmt: skip


def test_say_prints_its_text():
    ended = ending(SAYING, stdout=subprocess.PIPE)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "words\n", "")


def test_ctrl_c_is_heard_while_pandas_and_matplotlib_are_not_yet_there():
    heavy = "{'numpy', 'pandas', 'matplotlib', 'jinja2'}"
    assert ending(f"import sys, report; sys.exit(str({heavy} & set(sys.modules)))").stderr == "set()\n"


def test_ctrl_c_is_one_sentence(tmp_path):
    run = shutil.copytree(STORED / "conv", tmp_path / "run")
    (run / "samples.csv").unlink()
    os.mkfifo(run / "samples.csv")
    command = [sys.executable, HERE / "report.py", run, "--out", tmp_path / "out"]
    heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731 - a shell's background jobs ignore it
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heard)
    with open(run / "samples.csv", "w"):  # waits until the program reads
        program.send_signal(signal.SIGINT)
        printed, error = program.communicate(timeout=60)
    assert (program.returncode, printed, error) == (130, "", "report.py: interrupted: what was being written is not whole.\n")


@pytest.fixture
def small(variation, draw_only):
    """A run whose report is one figure."""
    draw_only(layers=(output.draw_ratio,))
    return variation("conv", lambda samples: samples[samples["name"] == "layer01"])


STEM = "figures/conv-forward-N2-2-threads-hot-cache-f32-ratio"


@pytest.mark.parametrize("name", [f"{STEM}.svg", "claims.csv", "report.html"])
def test_a_full_disk_under_the_report_is_one_sentence(small, tmp_path, capsys, name):
    (tmp_path / "out" / "figures").mkdir(parents=True)
    (tmp_path / "out" / name).symlink_to("/dev/full")
    assert report.main([str(small), "--out", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"report.py: error: {tmp_path / 'out'} cannot be written to (") and printed.err.count("\n") == 1
    assert "give --out a directory you may write, with room in it." in printed.err and printed.out == ""


def test_a_full_disk_under_a_summary_is_one_sentence(tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "summary.csv").symlink_to("/dev/full")
    assert summarise.main([str(STORED / "conv"), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_screen_and_the_report_say_what_was_left_out(small, tmp_path, capsys):
    empty = shutil.copytree(STORED / "brgemm", tmp_path / "empty")
    (empty / "samples.csv").write_text("run,experiment")
    with (small / "samples.csv").open("a") as file:
        file.write("stored-conv,conv")
    assert report.main([str(empty), str(small), "--out", str(tmp_path / "out")]) == 0
    sentences = [
        f"{empty / 'samples.csv'} is empty: the run measured nothing.",
        f"{small / 'samples.csv'} ends in the middle of a line, which is left out: the run was cut short.",
    ]
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [f"report.py: warning: {sentence}" for sentence in sentences]
    text = (tmp_path / "out" / "report.html").read_text()
    assert "No brgemm run was given that measured anything" in text
    assert all(sentence in text for sentence in sentences) and "layer01" in text


def test_a_report_that_leaves_nothing_out_does_not_speak_of_it(small, tmp_path, capsys):
    assert report.main([str(small), "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().err == "" and "Left out" not in (tmp_path / "out" / "report.html").read_text()

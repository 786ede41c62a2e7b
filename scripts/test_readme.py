"""README's commands, options and paths are those of the code, and so are those of the references' page."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
PAGES = ("README.md", "experiments/references/README.md")


def code_of(text):
    """What stands in a fence or in backticks, as single lines."""
    code = [line.strip() for fence in re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S) for line in fence.splitlines()]
    return code + re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


CODE = code_of(README)

FOLDERS = ("kernels", "primitives", "baselines", "experiments", "plots", "scripts", "cmake")
BRICKWORK = "build/release/experiments/brickwork"
LEARN = "build/release/experiments/learn"


def help_of(program):
    if not (ROOT / program).exists():
        pytest.skip(f"{program} is not built")
    return subprocess.run([ROOT / program, "--help"], capture_output=True, text=True, check=True).stdout


def commands(program):
    """The code that starts this program, by its path or its bare name."""
    return [c for c in CODE if re.match(rf"(python )?({re.escape(program)}|{Path(program).name})( |$)", c)]


def missing_options(command, help_text):
    return [o for o in re.findall(r"(?<![\w-])--[a-z][a-z-]*", command) if not re.search(rf"{o}(?![\w-])", help_text)]


@pytest.mark.parametrize("program", [
    "scripts/setup", "scripts/test", "scripts/reproduce", "scripts/check-regression", "scripts/gpu-check", BRICKWORK, LEARN,
])
def test_named_options_are_accepted(program):
    named = commands(program)
    assert named, f"README names no use of {program}"
    help_text = help_of(program)
    for command in named:
        assert not missing_options(command, help_text), command


def test_the_option_check_can_fail():
    assert missing_options("brickwork --no-such-option --out x", "--out FOLDER") == ["--no-such-option"]
    assert missing_options("brickwork --out", "--output FOLDER") == ["--out"]


@pytest.mark.parametrize("page", PAGES)
def test_named_paths_exist(page):
    """Placeholders like <op> stand for any text; build/ and results/ are made by running."""
    code = code_of((ROOT / page).read_text())
    paths = {w.strip(".,;:()") for c in code for w in c.split() if w.split("/")[0] in FOLDERS and "/" in w}
    assert paths
    for path in sorted(paths):
        pattern = re.sub(r"<[^>]*>", "*", path)
        assert any(ROOT.glob(pattern.rstrip("/"))), f"{page} names {path}, which is not there"


@pytest.mark.parametrize("page", PAGES)
def test_linked_files_exist(page):
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text()) if "://" not in link]
    assert links
    for link in links:
        assert ((ROOT / page).parent / link).exists(), f"{page} links to {link}, which is not there"

"""The pages are true and short: their commands, options, paths, links, names of experiments and time budgets are those of the code."""

import math
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("kernels", "primitives", "library", "baselines", "experiments", "python", "plots", "scripts", "cmake")
BESIDE_CODE = sorted(str(page.relative_to(ROOT)) for folder in FOLDERS for page in (ROOT / folder).rglob("README.md"))
PAGES = ["README.md", "CONTRIBUTING.md", *BESIDE_CODE]
TEXTS = {page: (ROOT / page).read_text() for page in PAGES}
MOST_LINES, MOST_LINES_OF_OTHERS = {"README.md": 160}, 200

BRICKWORK = "build/release/experiments/brickwork"
LEARN = "build/release/experiments/learn"


def code_of(text):
    """The single lines of code blocks, and the text in backticks."""
    code = [line.strip() for fence in re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S) for line in fence.splitlines()]
    return code + re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


CODE = [line for text in TEXTS.values() for line in code_of(text)]


# --- commands and options --------------------------------------------------------------------------------------------


def help_of(program):
    if not (ROOT / program).exists():
        pytest.skip(f"{program} is not built")
    python = [sys.executable] if program.endswith(".py") else []
    return subprocess.run([*python, ROOT / program, "--help"], capture_output=True, text=True, check=True).stdout


def commands(program):
    """The code that starts this program, by its path or its bare name."""
    return [c for c in CODE if re.match(rf"(\S*python )?({re.escape(program)}|{Path(program).name})( |$)", c)]


def missing_options(command, help_text):
    return [o for o in re.findall(r"(?<![\w-])--[a-z][a-z-]*", command) if not re.search(rf"{o}(?![\w-])", help_text)]


@pytest.mark.parametrize("program", [
    "scripts/setup", "scripts/test", "scripts/reproduce", "scripts/check-regression", "scripts/compare-builds",
    "scripts/count-instructions", "scripts/gpu-check", "scripts/mutate",
    "scripts/report", "plots/machines.py", BRICKWORK, LEARN,
])
def test_named_options_are_accepted(program):
    named = commands(program)
    assert named, f"no README names a use of {program}"
    help_text = help_of(program)
    for command in named:
        assert not missing_options(command, help_text), command


def test_options_that_are_explained_exist():
    explained = re.findall(r"^\| (`--[^|]*(?:\\\|[^|]*)*)\|", TEXTS["experiments/README.md"], re.M)
    options = [option for cell in explained for option in re.findall(r"`(--[a-z-]+)", cell)]
    assert {"--experiment", "--csv", "--check", "--tuning"} <= set(options)
    assert not missing_options(" ".join(options), help_of(BRICKWORK))


def test_the_option_check_can_fail():
    assert missing_options("brickwork --no-such-option --out x", "--out FOLDER") == ["--no-such-option"]
    assert missing_options("brickwork --out", "--output FOLDER") == ["--out"]


# --- paths and links -------------------------------------------------------------------------------------------------


def missing_paths(text, folder):
    """Placeholders like <op> or NAME stand for any text. A path begins at the root or at the page's folder."""
    words = {word.strip(".,;:()'\"") for code in code_of(text) for word in code.split()}
    paths = {word for word in words if word.split("/")[0] in FOLDERS and "/" in word}
    patterns = {path: re.sub(r"<[^>]*>|NAME", "*", path).rstrip("/") for path in paths}
    return sorted(path for path, pattern in patterns.items() if not any(ROOT.glob(pattern)) and not any(folder.glob(pattern)))


def anchors_of(text):
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def missing_links(text, folder):
    missing = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = folder / path
        if not target.exists() or (anchor and anchor not in anchors_of(text if not path else target.read_text())):
            missing.append(link)
    return missing


@pytest.mark.parametrize("page", PAGES)
def test_named_paths_exist(page):
    assert not missing_paths(TEXTS[page], (ROOT / page).parent)


@pytest.mark.parametrize("page", PAGES)
def test_linked_files_and_headings_exist(page):
    assert not missing_links(TEXTS[page], (ROOT / page).parent)


def test_every_page_can_be_reached_from_the_first():
    reached, left = set(), ["README.md"]
    while left:
        page = left.pop()
        reached.add(page)
        for link in re.findall(r"\]\(([^)#\s]+)", TEXTS[page]):
            target = (ROOT / page).parent / link
            target = target / "README.md" if target.is_dir() else target
            name = str(target.resolve().relative_to(ROOT)) if "://" not in link else ""
            if name in TEXTS and name not in reached:
                left.append(name)
    assert reached == set(PAGES)


def test_the_checks_of_paths_and_links_can_fail():
    assert missing_paths("`kernels/no_such.hpp` `kernels/<folder>` `kernels/brgemm`", ROOT) == ["kernels/no_such.hpp"]
    text = "## A heading: this one\n[a](no_such.md) [b](LICENSE) [c](#no-such) [d](#a-heading-this-one) [e](README.md#no-such) [f](https://x.y/z)"
    assert missing_links(text, ROOT) == ["no_such.md", "#no-such", "README.md#no-such"]


# --- the example in C++ ----------------------------------------------------------------------------------------------


def unknown_calls(text):
    """The functions that an example calls and no header of kernels/ or primitives/ names."""
    example = "".join(re.findall(r"^```cpp\n(.*?)^```", text, re.M | re.S))
    variables = re.findall(r"(?:KokkosScope |vector<float> |\), )(\w+)\(", example)
    called = set(re.findall(r"(?<!std::)\b([a-z]\w+)\(", example)) - set(variables)
    headers = " ".join(header.read_text() for folder in ("kernels", "primitives") for header in (ROOT / folder).rglob("*.hpp"))
    return sorted(name for name in called if not re.search(rf"\b{name}\(", headers))


def test_the_example_calls_functions_that_exist():
    assert "conv->run(" in TEXTS["README.md"]
    assert not unknown_calls(TEXTS["README.md"])


def test_the_check_of_the_example_can_fail():
    text = '```cpp\n#include "primitives/no_such.hpp"\nconv->no_such_function(src);\nstd::sort(src);\n```\n'
    assert unknown_calls(text) == ["no_such_function"]
    assert missing_paths(text, ROOT) == ["primitives/no_such.hpp"]


# --- the map of the papers -------------------------------------------------------------------------------------------


def runs_of_reproduce():
    """For each mode of scripts/reproduce the seconds of each run, by its name."""
    script = (ROOT / "scripts" / "reproduce").read_text()
    lists = re.findall(r"^ *runs=\(\n(.*?)^ *\)", script, re.M | re.S)
    quick, full = ({name: int(seconds) for name, seconds in re.findall(r'^ *"([\w-]+) +(\d+) --experiment', runs, re.M)} for runs in lists)
    return {"quick": quick, "full": full}


def experiments_of_the_program():
    files = (ROOT / "experiments" / "operations").rglob("*_experiment.cpp")
    return {name for file in files for name in re.findall(r'\{\s*\.name = "([a-z0-9-]+)"', file.read_text())}


def map_of(text):
    """The rows of the table whose first column is about the papers: name, experiments, command, minutes, hardware."""
    table = re.search(r"^\| paper[^\n]*\n\| ---[^\n]*\n((?:\|[^\n]*\n)+)", text, re.M)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table.group(1).splitlines()] if table else []


def wrong_in_map(text):
    """One sentence for each row that names what there is not, or other minutes than the command's time budget."""
    modes, programs = runs_of_reproduce(), experiments_of_the_program()
    runs = modes["quick"] | modes["full"]
    wrong = []
    for claim, named, command, minutes, *_ in map_of(text):
        names = re.findall(r"`([^`]+)`", named)
        wrong += [f"{claim}: there is no {name}" for name in names if name not in runs and name not in programs]
        if not names and "not built yet" not in named and "report" not in named:
            wrong.append(f"{claim}: it names no experiment")
        mode = modes["full" if "--full" in command else "quick"]
        only = re.search(r"--only ([\w,-]+)", command)
        budget = re.search(r"--time-budget (\d+)", command)
        if only:
            asked = only.group(1).split(",")
            wrong += [f"{claim}: {name} is no run of this command" for name in asked if name not in mode]
            seconds = sum(mode.get(name, 0) for name in asked)
            if set(asked) != set(names):
                wrong.append(f"{claim}: the command runs other experiments than are named")
        elif budget:
            seconds = int(budget.group(1))
        else:
            continue
        if minutes != str(math.ceil(seconds / 60)):
            wrong.append(f"{claim}: {minutes} minutes, but the time budget is {seconds} s")
    return wrong


def test_the_lists_of_runs_and_experiments_are_found():
    modes, programs = runs_of_reproduce(), experiments_of_the_program()
    assert modes["quick"]["conv-forward-N1"] > 0 and modes["full"]["conv-forward-N28"] > modes["quick"]["conv-forward-N4"]
    assert {"brgemm", "conv-forward", "gpu-kernel", "resnet50-step", "softmax-loss-backward"} <= programs
    script = (ROOT / "scripts" / "reproduce").read_text()
    assert set(re.findall(r'^ *"[\w-]+ +\d+ --experiment ([\w-]+)', script, re.M)) <= programs


def test_the_map_names_experiments_that_exist():
    rows = map_of(TEXTS["README.md"])
    assert len(rows) >= 10 and all(len(row) == 5 for row in rows)
    assert not wrong_in_map(TEXTS["README.md"])


def claims_that_are_counted(text):
    """The sum of the statuses in the sample output."""
    (line,) = re.findall(r"^\d+ HOLDS.*$", text, re.M)
    return sum(map(int, re.findall(r"\d+", line)))


def test_the_sample_output_counts_every_claim():
    groups = tomllib.loads((ROOT / "experiments" / "claims.toml").read_text())["claims"]
    assert claims_that_are_counted(TEXTS["README.md"]) == sum(len(group["judged"]) for group in groups)
    assert claims_that_are_counted("1 HOLDS, 2 FAILS, 40 NOT RUN") == 43


def test_all_three_papers_are_in_the_map():
    named = " ".join(row[0] for row in map_of(TEXTS["README.md"]))
    assert all(number in named for number in ("1906.06440", "2006.02230", "2011.01383"))


@pytest.mark.parametrize(("row", "sentence"), [
    ("| a | `no-such` | `scripts/reproduce` | 30 | CPU |", "a: there is no no-such"),
    ("| a | something | `scripts/reproduce` | 30 | CPU |", "a: it names no experiment"),
    ("| a | `brgemm` | `scripts/reproduce --full --only no-such` | 0 | CPU |", "a: no-such is no run of this command"),
    ("| a | `brgemm` | `scripts/reproduce --full --only sgd` | 1 | CPU |", "a: the command runs other experiments than are named"),
    ("| a | `brgemm` | `brickwork --experiment brgemm --time-budget 120` | 3 | CPU |", "a: 3 minutes, but the time budget is 120 s"),
])
def test_the_check_of_the_map_can_fail(row, sentence):
    assert sentence in wrong_in_map(f"| paper | run | command | minutes | hardware |\n| --- | --- | --- | --- | --- |\n{row}\n")


# --- every experiment and shape set is described ---------------------------------------------------------------------


def described(text):
    """The names in the first column of a page's tables."""
    return {name for cell in re.findall(r"^\| ((?:`[a-z0-9-]+`(?:, )?)+) \|", text, re.M) for name in re.findall(r"`([^`]+)`", cell)}


def test_every_experiment_is_described():
    assert experiments_of_the_program() == described(TEXTS["experiments/operations/README.md"])


def test_every_shape_set_is_described():
    assert {file.stem for file in (ROOT / "experiments" / "shapes").glob("*.csv")} == described(TEXTS["experiments/shapes/README.md"])


# --- length ----------------------------------------------------------------------------------------------------------


def too_long(page, text):
    return len(text.splitlines()) > MOST_LINES.get(page, MOST_LINES_OF_OTHERS)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_short(page):
    assert not too_long(page, TEXTS[page])


def test_the_check_of_the_length_can_fail():
    assert too_long("README.md", "line\n" * 161) and not too_long("README.md", "line\n" * 160)
    assert too_long("kernels/README.md", "line\n" * 201) and not too_long("kernels/README.md", "line\n" * 200)


def test_pages_are_looked_for_in_all_folders():
    assert {"kernels/README.md", "experiments/references/README.md", "experiments/references/amd-zen4/README.md"} <= set(PAGES)

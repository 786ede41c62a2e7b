"""The workflow of continuous integration and the Dockerfile call scripts, options and files that exist."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from test_readme import missing_options

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SWITCH = "github.event_name == 'workflow_dispatch' || vars.BRICKWORK_CI == 'on'"


def jobs(workflow):
    return yaml.safe_load(workflow)["jobs"]


def commands(workflow):
    """The lines of all steps that the shell runs."""
    return [line.strip() for job in jobs(workflow).values() for step in job["steps"] for line in step.get("run", "").splitlines()]


def wrong_in_command(line):
    """The scripts, options and runs that a line of shell names and that do not exist."""
    wrong = []
    for script, rest in re.findall(r"(?<![\w/])(scripts/[\w-]+)([^|;&\n]*)", line):
        if not (ROOT / script).exists():
            wrong.append(f"there is no {script}")
            continue
        told = subprocess.run([ROOT / script, "--help"], capture_output=True, text=True, check=True).stdout if "--" in rest else ""
        wrong += [f"{script} has no option {option}" for option in missing_options(rest, told)]
        wrong += [f"{script} has no run {name}" for names in re.findall(r"--only ([\w,-]+)", rest) for name in names.split(",")
                  if f'"{name} ' not in (ROOT / script).read_text()]
    return wrong + [f"there is no preset {preset}" for preset in re.findall(r"--preset (\w+)", line)
                    if f'"name": "{preset}"' not in (ROOT / "CMakePresets.json").read_text()]


def runs_unasked(workflow):
    """The jobs that run though nobody switched them on: those without the condition that need no job with it."""
    found = jobs(workflow)
    switched = {name for name, job in found.items() if job.get("if") == SWITCH}
    return sorted(set(found) - switched - {name for name, job in found.items() if job.get("needs") in switched})


def test_the_workflow_calls_what_exists():
    lines = commands(WORKFLOW)
    called = {script for line in lines for script in re.findall(r"scripts/[\w-]+", line)}
    assert called == {"scripts/setup", "scripts/test", "scripts/reproduce", "scripts/compare-builds"}
    assert not [sentence for line in lines for sentence in wrong_in_command(line)]


@pytest.mark.parametrize(("line", "sentences"), [
    ("scripts/no-such --quick", ["there is no scripts/no-such"]),
    ("scripts/test --quick --fast", ["scripts/test has no option --fast"]),
    ("scripts/reproduce --outt x", ["scripts/reproduce has no option --outt"]),
    ("scripts/reproduce --only brgemm,no-such", ["scripts/reproduce has no run no-such"]),
    ("cmake --preset releas && cmake --build --preset release", ["there is no preset releas"]),
])
def test_the_check_of_commands_can_fail(line, sentences):
    assert wrong_in_command(line) == sentences


def test_the_workflow_is_off_until_somebody_switches_it_on():
    assert set(yaml.safe_load(WORKFLOW)[True]) == {"workflow_dispatch", "pull_request"}  # YAML reads the key "on" as true
    assert not runs_unasked(WORKFLOW)
    assert "`BRICKWORK_CI`" in (ROOT / "CONTRIBUTING.md").read_text()


def test_the_check_of_the_switch_can_fail():
    assert runs_unasked(WORKFLOW.replace("    needs: test\n", "")) == ["gate"]
    assert runs_unasked(WORKFLOW.replace(SWITCH, "true")) == ["gate", "test"]


# --- Dockerfile ------------------------------------------------------------------------------------------------------


def wrong_in_dockerfile(text):
    wrong = [sentence for line in re.findall(r"^(?:RUN|CMD) (.*)", text, re.M) for sentence in wrong_in_command(line.replace('"', " "))]
    for copied in re.findall(r"^COPY (?:--\S+ )*(.*) \S+$", text, re.M):
        wrong += [f"there is no {path}" for path in copied.split() if path != "." and not any(ROOT.glob(path))]
    return wrong


def not_left_out(gitignore, dockerignore):
    """What git ignores and Docker copies. Docker reads a name without a slash as one at the root."""
    ignored = set(dockerignore.splitlines())
    return [line for line in gitignore.split() if (line if line.startswith("/") else f"**/{line}") not in ignored]


def test_the_dockerfile_uses_what_exists():
    assert not wrong_in_dockerfile(DOCKERFILE)
    assert DOCKERFILE.index("RUN scripts/setup") < DOCKERFILE.index("USER brickwork"), "set-up needs root"


def test_docker_copies_nothing_that_git_ignores():
    assert not not_left_out((ROOT / ".gitignore").read_text(), (ROOT / ".dockerignore").read_text())


def test_the_checks_of_docker_can_fail():
    assert wrong_in_dockerfile('COPY --chown=x scripts/setup no-such.txt scripts/\nRUN scripts/setup --fast\nCMD ["scripts/no-such"]') == [
        "scripts/setup has no option --fast", "there is no scripts/no-such", "there is no no-such.txt"]
    assert not_left_out("/build/\n__pycache__/\n", "/build/\n__pycache__/\n") == ["__pycache__/"]

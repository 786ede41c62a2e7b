"""spack.yaml is an environment that Spack takes. Where Spack is installed, it solves the environment itself."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from spack_recipes import BUILTIN, RECIPE, RECIPES, ROOT, name_of, numbers, variants

ENVIRONMENT = (ROOT / "spack.yaml").read_text()

# A part of Spack's schema of environments: the keys that each key may have, where the schema lists them.
TOP_KEYS = set("""
    bootstrap ci concretizer config definitions develop env_vars include mirrors modules packages repos specs toolchains upstreams view
""".split())
KEYS = {
    "concretizer": set("compiler_mixing concretization_cache duplicates externals force reuse splice targets timeout unify".split()),
    "develop": {"spec", "path"},
}


def wrong_in_environment(text, root):
    document = yaml.safe_load(text)
    wrong = [f"{key} is no key of a file spack.yaml" for key in document if key != "spack"]
    spack = document.get("spack", {})
    wrong += [f"spack: has no key {key}" for key in spack if key not in TOP_KEYS]
    wrong += [f"concretizer: has no key {key}" for key in spack.get("concretizer", {}) if key not in KEYS["concretizer"]]
    for name, path in spack.get("repos", {}).items():
        folder = Path(path.replace("$env", str(root)))
        if not (folder / "repo.yaml").exists() or folder.name != name:
            wrong.append(f"repos: {path} is no repository {name}")
    for name, entry in spack.get("develop", {}).items():
        wrong += [f"develop: has no key {key}" for key in entry if key not in KEYS["develop"]]
        if not (root / entry["path"] / "CMakeLists.txt").exists():
            wrong.append(f"develop: {entry['path']} holds no sources")
        if not entry["spec"].startswith(f"{name}@"):
            wrong.append(f"develop: {entry['spec']} is no version of {name}")
    return wrong + [sentence for spec in spack.get("specs", []) for sentence in wrong_in_spec(spec)]


def wrong_in_spec(spec):
    if not isinstance(spec, str):
        return [f"specs: {spec} is no text: quote what ends in a colon"]
    name = name_of(spec)
    wrong = [] if name in BUILTIN | set(RECIPES) else [f"specs: there is no package {name}"]
    if name == "brickwork":
        wrong += [f"specs: brickwork has no variant {v}" for v in re.findall(r"[+~](\w+)", spec) if v not in variants(RECIPE)]
    return wrong


def test_the_environment_is_one_of_spack():
    assert not wrong_in_environment(ENVIRONMENT, ROOT)


@pytest.mark.parametrize(("old", "new", "sentence"), [
    ("spack:", "spak:", "spak is no key of a file spack.yaml"),
    ("develop:", "developp:", "spack: has no key developp"),
    ("unify:", "unified:", "concretizer: has no key unified"),
    ("path:", "folder: a\n      path:", "develop: has no key folder"),
    ("spack_repo/brickwork", "spack_repo/other", "repos: $env/scripts/spack_repo/other is no repository brickwork"),
    ("path: .", "path: scripts", "develop: scripts holds no sources"),
    ("spec: brickwork@main", "spec: other@main", "develop: other@main is no version of brickwork"),
    ('"cmake@3.25:"', "cmake@3.25:", "specs: {'cmake@3.25': None} is no text: quote what ends in a colon"),
    ("- ninja", "- ninjja", "specs: there is no package ninjja"),
    ("+tests", "+testss", "specs: brickwork has no variant testss"),
])
def test_the_check_of_the_environment_can_fail(old, new, sentence):
    assert old in ENVIRONMENT and sentence in wrong_in_environment(ENVIRONMENT.replace(old, new, 1), ROOT)


# --- Spack itself ----------------------------------------------------------------------------------------------------

SPACK = os.environ.get("SPACK_ROOT")
needs_spack = pytest.mark.skipif(not SPACK, reason="SPACK_ROOT is not set: Spack itself is not tried")


def spack(*arguments):
    return subprocess.run([f"{SPACK}/bin/spack", "--color=never", *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A copy of the environment, so that the checkout gets no lock file."""
    folder = tmp_path_factory.mktemp("environment")
    (folder / "spack.yaml").write_text(ENVIRONMENT.replace("$env", str(ROOT)).replace("path: .", f"path: {ROOT}"))
    return folder


@needs_spack
def test_spack_solves_the_environment(environment):
    solved = spack("-e", environment, "concretize", "--force")
    assert solved.returncode == 0, solved.stdout + solved.stderr
    nodes = {node["name"]: node for node in json.loads((environment / "spack.lock").read_text())["concrete_specs"].values()}
    assert set(RECIPES) <= set(nodes) and numbers(nodes["kokkos"]["version"]) >= (4, 7) and numbers(nodes["onednn"]["version"]) >= (3, 2)


@needs_spack
def test_spack_refuses_a_wrong_environment(environment, tmp_path):
    (tmp_path / "spack.yaml").write_text((environment / "spack.yaml").read_text().replace("+tests", "+testss"))
    assert spack("-e", tmp_path, "concretize").returncode != 0


@needs_spack
@pytest.mark.skipif("BRICKWORK_TEST_ALL" not in os.environ, reason="installing by Spack takes hours: scripts/test --all does it")
def test_an_environment_that_spack_installs_runs(environment):
    installed = spack("-e", environment, "install", "--fail-fast")
    assert installed.returncode == 0, installed.stdout[-4000:] + installed.stderr[-4000:]
    program = environment / ".spack-env" / "view" / "bin" / "brickwork"
    assert "conv-forward" in subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout

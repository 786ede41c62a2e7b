"""The Spack recipes, CMake and set-up agree."""

import ast
import re
import sys

import pytest
import yaml

from spack_recipes import BUILTIN, RECIPE, RECIPES, REPO, ROOT, calls, name_of, needs, numbers, variants

CMAKE = "\n".join(path.read_text() for pattern in ("CMakeLists.txt", "*/CMakeLists.txt", "cmake/*.cmake") for path in ROOT.glob(pattern))
SETUP, PINS = ((ROOT / "scripts" / name).read_text() for name in ("setup", "requirements.txt"))
PINNED = re.compile('sha256="[0-9a-f]{64}"|commit="[0-9a-f]{40}"|branch="main"')


# --- recipes ---------------------------------------------------------------------------------------------------------


def wrong_in_recipe(name, text):
    try:
        tree = ast.parse(text)
        compile(tree, name, "exec")
    except SyntaxError as error:
        return [f"{name}: {error.msg}"]
    wrong = []
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    if [c.lower() for c in classes] != [name.replace("-", "")]:
        wrong.append(f"{name}: its class is {', '.join(classes) or 'missing'}")
    wrong += [f"{name}: version {pin} is not pinned" for pin in re.findall(r"version\((.*)\)", text) if not PINNED.search(pin)]
    return wrong + [f"{name}: there is no package {name_of(need)}" for need in needs(text) if name_of(need) not in BUILTIN | set(RECIPES)]


def unused(recipes):
    needed = {name_of(need) for text in recipes.values() for need in needs(text)}
    return sorted(set(recipes) - needed - {"brickwork"})


def test_the_repository_is_one_of_spack():
    assert yaml.safe_load((REPO / "repo.yaml").read_text()) == {"repo": {"namespace": REPO.name, "api": "v2.2"}}
    assert REPO.parent.name == "spack_repo", "Spack imports recipes as spack_repo.<namespace>"


def test_recipes_compile_and_need_packages_that_exist():
    assert set(RECIPES) >= {"brickwork", "onednn", "xbyak", "rapidcheck"}
    assert not [sentence for name, text in RECIPES.items() for sentence in wrong_in_recipe(name, text)]
    assert not unused(RECIPES)


@pytest.mark.parametrize(("text", "sentence"), [
    ("class Xbyak(:", "xbyak: invalid syntax"),
    ("return", "xbyak: 'return' outside function"),
    ("class Other: pass", "xbyak: its class is Other"),
    ('class Xbyak:\n    version("1", sha256="12")', 'xbyak: version "1", sha256="12" is not pinned'),
    ('class Xbyak:\n    depends_on(f"no-such@{x}")', "xbyak: there is no package no-such"),
])
def test_the_check_of_recipes_can_fail(text, sentence):
    assert wrong_in_recipe("xbyak", text) == [sentence]
    assert unused(RECIPES | {"left-over": "class LeftOver: pass"}) == ["left-over"]


# --- CMake and set-up ------------------------------------------------------------------------------------------------


def missing_options(recipe, cmake):
    """The options that a recipe sets and CMake does not have, and CMake's choices that the recipe leaves open."""
    known = set(re.findall(r"\boption\((BRICKWORK_\w+)", cmake)) | set(re.findall(r"\bset\((BRICKWORK_\w+)[^()]*\bCACHE\b", cmake))
    named = set(re.findall(r'"(BRICKWORK_\w+)"', recipe))
    return sorted(named - known) + sorted(f"{name} is left open" for name in known - named if not name.startswith("BRICKWORK_SANITIZE"))


def missing_variants(recipe):
    """The variants that a recipe uses and does not declare."""
    used = set(re.findall(r'define_from_variant\("\w+", "(\w+)"\)', recipe)) | set(re.findall(r'(?:when=|when\()f?"\+(\w+)', recipe))
    return sorted(used - variants(recipe))


def unequal_versions(recipe, cmake, setup, pins):
    wrong = []
    least = {name_of(need): found.group(1) for need in needs(recipe) if (found := re.search(r"@(\d[\d.]*\d|\d)", need))}
    asked = {
        "cmake": re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", cmake),
        "kokkos": re.search(r"find_package\(Kokkos ([\d.]+)", cmake),
        "onednn": re.search(r"find_package\(dnnl ([\d.]+)", cmake),
        "py-nanobind": re.search(r"find_package\(nanobind ([\d.]+)", cmake),
        "python": re.search(r"sys\.version_info < \((\d+, \d+)\)", setup),
    }
    for name, found in asked.items():
        version = found.group(1).replace(", ", ".")
        if least.get(name) != version:
            wrong.append(f"{name}: the recipe asks for {least.get(name)}, the build for {version}")
    for name, version in re.findall(r"^([\w-]+)==([\d.]+)$", pins, re.M):
        minimum = least.get(f"py-{name.lower()}")
        if minimum and not (numbers(minimum) <= numbers(version) and numbers(minimum)[0] == numbers(version)[0]):
            wrong.append(f"py-{name.lower()}: the recipe asks for {minimum}, set-up installs {version}")
    project = re.search(r"project\(brickwork VERSION ([\d.]+)", cmake).group(1)
    wrong += [f"brickwork: version {v}, but the project is {project}" for v in calls(recipe, "version") if v not in ("main", project)]
    return wrong


def test_the_recipe_names_options_and_variants_that_exist():
    assert len(re.findall(r'"BRICKWORK_\w+"', RECIPE)) >= 6
    assert not missing_options(RECIPE, CMAKE)
    assert not missing_variants(RECIPE)


def test_the_check_of_options_can_fail():
    cmake = 'option(BRICKWORK_TESTS "x" ON)\nset(BRICKWORK_HAS_A ON)\nset(BRICKWORK_PATH a CACHE PATH "x")'
    recipe = 'self.define_from_variant("BRICKWORK_TESTS", "test"), self.define("BRICKWORK_HAS_A", "")'
    assert missing_options(recipe, cmake) == ["BRICKWORK_HAS_A", "BRICKWORK_PATH is left open"]
    assert missing_variants(recipe) == ["test"]
    assert missing_variants('variant("a")\ndepends_on("x", when="+b")\nwith when("+a"): pass') == ["b"]


def test_versions_agree():
    assert not unequal_versions(RECIPE, CMAKE, SETUP, PINS)


@pytest.mark.parametrize(("old", "new", "sentence"), [
    ("cmake@3.25:", "cmake@3.20:", "cmake: the recipe asks for 3.20, the build for 3.25"),
    ("kokkos@4.7:", "kokkos@5:", "kokkos: the recipe asks for 5, the build for 4.7"),
    ("onednn@3.2:", "onednn", "onednn: the recipe asks for None, the build for 3.2"),
    ("py-pandas@3:", "py-pandas@2:", "py-pandas: the recipe asks for 2, set-up installs 3.1.1"),
    ('version("main"', 'version("9.9"', "brickwork: version 9.9, but the project is 0.1.0"),
])
def test_the_check_of_versions_can_fail(old, new, sentence):
    assert old in RECIPE and sentence in unequal_versions(RECIPE.replace(old, new), CMAKE, SETUP, PINS)


def missing_imports(sources, recipe):
    """The packages that the plots import and the recipe does not need; sources maps paths to texts."""
    ours = {part for path in sources for part in (path.stem, path.parent.name)}
    imported = {name for text in sources.values() for name in re.findall(r"^(?:import|from) (\w+)", text, re.M)}
    needed = {name_of(need).removeprefix("py-") for need in needs(recipe)}
    return sorted(imported - set(sys.stdlib_module_names) - ours - needed)


def test_the_recipe_needs_what_plots_import():
    tests = re.compile(r"/(test_\w+|conftest|testing/.*)[.]py$")
    sources = {path: path.read_text() for path in (ROOT / "plots").rglob("*.py") if not tests.search(str(path))}
    assert len(sources) > 10 and not missing_imports(sources, RECIPE)
    assert missing_imports(sources, RECIPE.replace("py-pandas", "py-numpy")) == ["pandas"]


def test_the_recipe_needs_what_the_installed_scripts_ask_for():
    asked = re.search(r"^packages = ({.*})$", (ROOT / "scripts" / "python").read_text(), re.M)[1]
    needed = {name_of(need).removeprefix("py-") for need in needs(RECIPE)}
    assert {package or name for name, package in ast.literal_eval(asked).items()} - needed == set()


def test_the_page_describes_every_variant():
    page = (REPO.parent / "README.md").read_text()
    described = {name for cell in re.findall(r"^\| (`[^|]*) \| o[nf]+ \|", page, re.M) for name in re.findall(r"`(\w+)`", cell)}
    assert described == set(calls(RECIPE, "variant")) | {"cuda"}

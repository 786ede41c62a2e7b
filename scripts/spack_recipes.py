"""Reads the Spack recipes as text, for the tests of them."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPO = ROOT / "scripts" / "spack_repo" / "brickwork"
RECIPES = {path.parent.name.replace("_", "-"): path.read_text() for path in sorted(REPO.glob("packages/*/package.py"))}
RECIPE = RECIPES["brickwork"]

# Packages and virtual packages that the release v2026.06.0 of Spack's own collection has.
BUILTIN = set("""
    c cxx pkgconfig python benchmark cli11 cmake cuda fmt googletest highway hwloc isl kokkos libxsmm ninja nlohmann-json openblas pkgconf
    py-jinja2 py-markupsafe py-matplotlib py-nanobind py-numpy py-pandas py-scikit-learn
    py-scipy
""".split())
# Variants that a recipe has by CMakePackage and CudaPackage.
INHERITED_VARIANTS = {"build_type", "cuda", "cuda_arch"}


def calls(recipe, function):
    """The first argument of each call of this function; {} stands for a value inserted into a text."""
    found = []
    for node in ast.walk(ast.parse(recipe)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            argument = node.args[0]
            parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
            found.append("".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts))
    return found


def needs(recipe):
    """The specs of all packages that a recipe needs."""
    return calls(recipe, "depends_on") + calls(recipe, "extends")


def name_of(spec):
    return re.match(r"[\w-]+", spec).group()


def variants(recipe):
    return set(calls(recipe, "variant")) | INHERITED_VARIANTS


def numbers(version):
    return tuple(int(part) for part in version.split("."))

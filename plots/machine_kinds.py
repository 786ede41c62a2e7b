"""Kinds of processors, such as Zen 5: by family and model, or by name and caches in runs that do not record these."""

import re
from dataclasses import dataclass
from pathlib import Path

from program import InputError

ID = re.compile(r"family (\d+), model (\d+)")  # cpu.id of environment.json
NOTHING_KNOWN = "an unknown processor"
KEYS = {"family": int, "models": list, "name": str, "l1d_bytes": int, "l2_bytes": int, "l3_bytes": int, "gpu": str}


@dataclass(frozen=True)
class Kind:
    name: str
    signs: tuple[dict, ...]  # one of them must fit

    @property
    def is_gpu(self) -> bool:
        return any("gpu" in sign for sign in self.signs)

    def fits(self, environment: dict) -> bool:
        cpu, gpu = environment.get("cpu", {}), environment.get("gpu", {})
        if match := ID.match(cpu.get("id", "")):
            cpu = cpu | {"family": int(match[1]), "model": int(match[2])}
        recorded = "family" in cpu
        return any(_fits(sign, cpu, gpu) for sign in self.signs if "gpu" in sign or ("family" in sign) == recorded)


def _fits(sign: dict, cpu: dict, gpu: dict) -> bool:
    def one(key: str, wanted) -> bool:
        if key == "gpu":
            return re.search(wanted, gpu.get("name") or "") is not None
        if key == "models":
            return wanted[0] <= cpu.get("model", -1) <= wanted[1]
        if key == "name":
            return re.search(wanted, cpu.get("name") or "") is not None
        return cpu.get(key) == wanted

    return all(one(key, wanted) for key, wanted in sign.items())


def read(path: Path, table: dict) -> dict[str, Kind]:
    """The table [machines] of claims.toml."""
    kinds = {}
    for name, signs in table.items() if isinstance(table, dict) else [("", table)]:
        if not isinstance(signs, list) or not signs or not all(isinstance(sign, dict) and sign for sign in signs):
            raise InputError(f"{path}: machine '{name}' needs a list of tables with keys of {', '.join(KEYS)}.")
        for key, value in (pair for sign in signs for pair in sign.items()):
            _check(path, name, key, value)
        kinds[name] = Kind(name, tuple(signs))
    return kinds


def _check(path: Path, name: str, key: str, value) -> None:
    if not isinstance(value, KEYS.get(key, ())):
        known = ", ".join(f"{key} ({kind.__name__})" for key, kind in KEYS.items())
        raise InputError(f"{path}: machine '{name}' has a wrong '{key}'; known are {known}.")
    if key == "models" and not (len(value) == 2 and all(isinstance(model, int) for model in value)):
        raise InputError(f"{path}: machine '{name}' needs the first and the last model as 'models'.")
    if key in ("name", "gpu"):
        try:
            re.compile(value)
        except re.error as error:
            raise InputError(f"{path}: machine '{name}' has a '{key}' that is no regular expression ({error}).") from error


def kind_of(environment: dict, kinds: dict[str, Kind]) -> str:
    """The first kind that fits; else the name that the processor gives itself."""
    names = (name for name, kind in kinds.items() if not kind.is_gpu and kind.fits(environment))
    return next(names, environment.get("cpu", {}).get("name") or NOTHING_KNOWN)

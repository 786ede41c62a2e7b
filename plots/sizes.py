"""Which sizes differ between the problems of a sweep, and which fixed values the other sizes have while one of them varies."""

from collections import Counter
from itertools import pairwise

import numpy as np

from sweeps import Problem

LOG_STEP = 1.5  # values that each grow by at least this factor get a logarithmic axis


def values_of(problems: list[Problem], size: str) -> list:
    values = {p.sizes[size] for p in problems if size in p.sizes}
    return sorted(values, key=lambda value: (isinstance(value, str), value))


def names_of(problems: list[Problem]) -> list[str]:
    return list(dict.fromkeys(size for p in problems for size in p.sizes))


def varying(problems: list[Problem]) -> list[str]:
    """The sizes that differ between the problems. If several sizes are equal in every problem, only the first one is returned."""
    return list(siblings(problems))


def siblings(problems: list[Problem]) -> dict[str, list[str]]:
    """For each varying size, the other sizes that equal it in every problem, such as W for H if all images are square."""
    found: dict[tuple, list[str]] = {}
    for size in names_of(problems):
        column = tuple(p.sizes.get(size) for p in problems)
        if len(set(column)) > 1:
            found.setdefault(column, []).append(size)
    return {first: others for first, *others in found.values()}


def longest(problems: list[Problem], sizes: list[str]) -> str | None:
    """The numeric size with the most values, which becomes the horizontal axis."""
    numeric = [size for size in sizes if all(not isinstance(value, str) for value in values_of(problems, size))]
    return max(numeric, key=lambda size: len(values_of(problems, size)), default=None)


def commonest(problems: list[Problem], sizes: list[str]) -> dict:
    """The combination of values that most problems have; of equally common ones, the one with the most common single values."""
    combinations = Counter(tuple(p.sizes.get(size) for size in sizes) for p in problems)
    singles = [Counter(p.sizes.get(size) for p in problems) for size in sizes]

    def weight(combination: tuple) -> tuple:
        return combinations[combination], sum(count[value] for count, value in zip(singles, combination, strict=True))

    return dict(zip(sizes, max(combinations, key=weight), strict=True))


def where(problems: list[Problem], values: dict) -> list[Problem]:
    return [p for p in problems if all(p.sizes.get(size) == value for size, value in values.items())]


def along(problems: list[Problem], size: str) -> list[Problem]:
    return sorted((p for p in problems if size in p.sizes), key=lambda p: p.sizes[size])


def thinned(items: list, most: int) -> list:
    """At most `most` of the items, evenly spread, with the first and the last."""
    if len(items) <= most:
        return items
    return [items[round(place)] for place in np.linspace(0, len(items) - 1, most)]


def grows_by_factors(values: list) -> bool:
    return len(values) > 2 and values[0] > 0 and all(b >= LOG_STEP * a for a, b in pairwise(values))

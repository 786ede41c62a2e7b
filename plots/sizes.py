"""Which sizes differ between the problems of a sweep, and which values stand for the rest while one of them varies."""

from collections import Counter
from itertools import pairwise

import numpy as np

from sweeps import Problem

LOG_STEP = 1.5  # values that grow by at least this factor from one to the next are spread evenly by a logarithm


def values_of(problems: list[Problem], size: str) -> list:
    values = {p.sizes[size] for p in problems if size in p.sizes}
    return sorted(values, key=lambda value: (isinstance(value, str), value))


def names_of(problems: list[Problem]) -> list[str]:
    return list(dict.fromkeys(size for p in problems for size in p.sizes))


def varying(problems: list[Problem]) -> list[str]:
    """The sizes that differ between the problems. Of sizes that agree in every problem the first stands for all."""
    return list(siblings(problems))


def siblings(problems: list[Problem]) -> dict[str, list[str]]:
    """For each varying size the others that have its value in every problem, as W has H's where all images are square."""
    found: dict[tuple, list[str]] = {}
    for size in names_of(problems):
        column = tuple(p.sizes.get(size) for p in problems)
        if len(set(column)) > 1:
            found.setdefault(column, []).append(size)
    return {first: others for first, *others in found.values()}


def longest(problems: list[Problem], sizes: list[str]) -> str | None:
    """The numeric size with the most values: the horizontal axis."""
    numeric = [size for size in sizes if all(not isinstance(value, str) for value in values_of(problems, size))]
    return max(numeric, key=lambda size: len(values_of(problems, size)), default=None)


def commonest(problems: list[Problem], sizes: list[str]) -> dict:
    """The combination of values that most problems share; among equals that whose values are the most common ones."""
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
    """At most so many of the items, evenly spread, the first and the last among them."""
    if len(items) <= most:
        return items
    return [items[round(place)] for place in np.linspace(0, len(items) - 1, most)]


def grows_by_factors(values: list) -> bool:
    return len(values) > 2 and values[0] > 0 and all(b >= LOG_STEP * a for a, b in pairwise(values))

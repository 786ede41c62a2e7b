"""Reads claims.toml: what is claimed about speed, on which problems of which runs, and the bound."""

import ast
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

import pandas as pd

import machine_kinds
from machine_kinds import Kind
from program import InputError

STORED = Path(__file__).parent.parent / "experiments" / "claims.toml"
BEST_OF_OTHERS = "the best of the others"
EITHER = " or "  # between contenders of ours: the faster one on each problem is compared
OURS = "ours"
WHOSE = (OURS, "the paper")


@dataclass(frozen=True)
class Statistic:
    """How a claim is measured, and what its sentence says of it. {bound}, {percent}, {each} and {against} are filled in."""

    says: str
    compares: bool = False  # with another contender
    either_bound: bool = False  # the bound may also be the largest value allowed


STATISTICS = {
    "lowest share of the loaded roof": Statistic("every {each} reaches at least {bound} of the loaded roof"),
    "weighted share of the loaded roof": Statistic("all {each}s together reach at least {bound} of the loaded roof"),
    "weighted share of peak": Statistic("all {each}s together reach at least {percent} of the FMA peak"),
    "lowest share of reading alone": Statistic("every {each} reaches at least {bound} of the speed of reading its tensors alone"),
    "lowest share of reads and writes alone": Statistic(
        "every {each} reaches at least {bound} of the speed of as many reads and writes alone"
    ),
    "lowest share of stream": Statistic("every {each} reaches at least {bound} of the stream bandwidth"),
    "weighted share of stream": Statistic("all {each}s together reach at least {bound} of the stream bandwidth"),
    "lowest ratio": Statistic("every {each} is {as_fast_as} {against}", compares=True),
    "weighted ratio": Statistic("all {each}s together are {as_fast_as} {against}", compares=True),
    "geometric mean ratio": Statistic("in geometric mean over the {each}s {as_fast_as} {against}", compares=True),
    "lowest speed in TFLOP/s": Statistic("every {each} reaches at least {bound} TFLOP/s"),
    "geometric mean speed-up": Statistic(
        "in geometric mean over the {each}s the speed-up is at least {bound} of the speed-up of the machine's loaded roof"
    ),
    "lowest ratio of most steps to fewest": Statistic("a step of the longest sequence is {as_fast_as} a step of the shortest"),
    "most seconds to choose a plan": Statistic("choosing the plan of every {each} takes {bounded} s", either_bound=True),
    "ratio of seconds to choose all plans": Statistic("choosing the plans of all {each}s is {as_fast_as} {against}", compares=True),
    "test accuracy": Statistic("{bounded_percent} of the answers to the test examples are right", either_bound=True),
    "test mean squared error": Statistic("the mean squared error on the test sequences is {bounded}", either_bound=True),
    "test bits a character": Statistic("{bounded} bits a character on the test text", either_bound=True),
    "share of the baseline": Statistic("{bounded_percent} of the bits that a model of character pairs needs", either_bound=True),
    "epochs alike on all threads": Statistic("{percent} of the epochs have bitwise the same loss and measures on any number of threads"),
}
BOUNDS = ("at_least", "at_most")
TEXTS = ("id", "about", "experiment", "statistic", "of")
OPTIONAL_TEXTS = ("whose", "shapes", "against", "each", "was", "gpu_check")
LISTS = ("when", "where", "machines", "quick", "full")
KEYS = (*TEXTS, *BOUNDS, *OPTIONAL_TEXTS, *LISTS, "or_of_roof")


class Condition:
    """A query over named columns, such as "n == 64 and m >= 6"; an empty one is always true."""

    def __init__(self, text: str, words: str = ""):
        self.text = text
        self.words = words or text
        tree = ast.parse(text or "True", mode="eval")
        self.names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    def mask(self, table: pd.DataFrame) -> pd.Series:
        """Which rows of the table fulfil it. A row that lacks a value for one of the names is kept: what it lacks is said later."""
        if not self.text:
            return pd.Series(True, index=table.index)
        try:
            fulfilled = table.eval(self.text, engine="python")
        except Exception as error:  # pandas documents none of the many kinds that a wrong query may raise
            raise InputError(f"'{self.text}' cannot be evaluated ({error})") from error
        if not isinstance(fulfilled, pd.Series) or fulfilled.dtype != bool:
            raise InputError(f"'{self.text}' is neither true nor false for each row")
        return fulfilled | table[sorted(self.names)].isna().any(axis=1)


@dataclass(frozen=True)
class Claim:
    id: str
    sentence: str
    whose: str
    experiment: str
    shapes: str  # the set that the run must hold whole; empty: any shapes
    statistic: str
    of: str
    against: str  # empty: a limit of the machine, or fewer threads
    bound: float
    when: Condition  # on columns that are the same in the whole sweep
    usual: dict[str, str]  # what such columns hold besides, unless a condition names them
    where: Condition  # on the problems
    machines: tuple[Kind, ...] = ()  # the processors that the bound is about; empty: any
    at_most: bool = False  # the bound is the largest value allowed; else the smallest
    or_of_roof: float | None = None  # this share of the loaded roof is enough, too
    quick: tuple[str, ...] = ()  # runs of scripts/reproduce that judge it; empty: none does
    full: tuple[str, ...] = ()  # runs of scripts/reproduce --full
    gpu_check: str = ""  # a step of scripts/gpu-check

    def fulfilled_by(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound

    @property
    def either(self) -> list[str]:
        return self.of.split(EITHER)

    @property
    def needed(self) -> str:
        return f"at most {self.bound}" if self.at_most else f"{self.bound}"

    @property
    def expressions(self) -> str:
        """The conditions as they are evaluated; the sentence has them in words."""
        return "; ".join(filter(None, (self.when.text, self.where.text)))


def _table(path: Path) -> dict:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not valid TOML: {error}.") from error


def load_kinds(path: Path) -> dict[str, Kind]:
    return machine_kinds.read(path, _table(path).get("machines", {}))


def load_claims(path: Path) -> list[Claim]:
    table = _table(path)
    groups, usual, conditions, names = (table.get(key, {}) for key in ("claims", "unless_said", "conditions", "names"))
    known = {"claims", "unless_said", "conditions", "names", "machines"}
    if set(table) - known or not isinstance(groups, list) or not groups or not all(isinstance(group, dict) for group in groups):
        raise InputError(f"{path} must hold a list of [[claims]] and may hold the tables {', '.join(sorted(known - {'claims'}))}.")
    for key, texts in {"unless_said": usual, "conditions": conditions, "names": names}.items():
        if not isinstance(texts, dict) or not all(isinstance(value, str) for value in texts.values()):
            raise InputError(f"{path}: each line of [{key}] must have a text.")
    kinds = machine_kinds.read(path, table.get("machines", {}))
    claims = []
    for place, group in enumerate(groups, 1):
        judged = group.get("judged")
        if not isinstance(judged, list) or not judged or not all(isinstance(entry, dict) for entry in judged):
            raise InputError(f"{path}: group {place} of [[claims]] needs a list 'judged' of one claim or more.")
        shared = {key: value for key, value in group.items() if key != "judged"}
        for entry in judged:
            name = entry.get("id", f"{len(claims) + 1} of the file")
            try:
                claims.append(_claim(shared | entry, usual, conditions, names, kinds))
            except ValueError as error:
                raise InputError(f"{path}: claim '{name}' {error}.") from error
            if claims[-1].id in [claim.id for claim in claims[:-1]]:
                raise InputError(f"{path}: claim '{claims[-1].id}' is in the file twice.")
    return claims


def _claim(entry: dict, usual: dict[str, str], conditions: dict[str, str], names: dict[str, str], kinds: dict[str, Kind]) -> Claim:
    """Raises ValueError, which says after the claim's name what is wrong."""
    if unknown := sorted(set(entry) - set(KEYS)):
        raise ValueError(f"has the unknown key '{unknown[0]}'; known are {', '.join(KEYS)}")
    if missing := [key for key in TEXTS if key not in entry]:
        raise ValueError(f"lacks '{missing[0]}'")
    if len(given := [key for key in BOUNDS if key in entry]) != 1:
        raise ValueError("needs one of 'at_least' and 'at_most'")
    texts = {key: entry.get(key, "") for key in (*TEXTS, *OPTIONAL_TEXTS)}
    texts["whose"] = texts["whose"] or OURS
    if wrong := [key for key, value in texts.items() if not isinstance(value, str) or (key in entry and not value)]:
        raise ValueError(f"needs a text as '{wrong[0]}'")
    lists = {key: entry.get(key, []) for key in LISTS}
    if wrong := [key for key, value in lists.items() if not isinstance(value, list) or not all(isinstance(one, str) for one in value)]:
        raise ValueError(f"needs a list of texts as '{wrong[0]}'")
    for key in (*given, "or_of_roof"):
        if key in entry and (isinstance(entry[key], bool) or not isinstance(entry[key], (int, float)) or not entry[key] > 0):
            raise ValueError(f"needs a number above 0 as '{key}'")
    _check_words(texts, entry)
    if unknown := [name for name in lists["machines"] if name not in kinds]:
        raise ValueError(f"names the machine '{unknown[0]}', which [machines] does not have")
    when, where = (_condition(key, lists[key], conditions) for key in ("when", "where"))
    key, bound = given[0], float(entry[given[0]])
    return Claim(
        **{name: texts[name] for name in ("id", "whose", "experiment", "shapes", "statistic", "of", "against")},
        sentence=_sentence(texts, entry, key, bound, [*lists["when"], *lists["where"]], names), bound=bound, at_most=key == "at_most",
        when=when, usual={column: value for column, value in usual.items() if column not in when.names | where.names}, where=where,
        machines=tuple(kinds[name] for name in lists["machines"]), or_of_roof=entry.get("or_of_roof"),
        quick=tuple(lists["quick"]), full=tuple(entry.get("full", lists["quick"])), gpu_check=texts["gpu_check"],
    )


def _sentence(texts: dict[str, str], entry: dict, key: str, bound: float, words: list[str], names: dict[str, str]) -> str:
    """The sentence, made of what is judged: every number in it comes from there, so that the two cannot differ."""
    percent = f"{100 * bound:g} %"
    try:
        pieces = list(Formatter().parse(texts["about"]))
    except ValueError as error:
        raise ValueError("has an 'about' whose braces do not match") from error
    if unknown := [name for _, name, *_ in pieces if name not in (None, "of", "percent")]:
        raise ValueError(f"has {{{unknown[0]}}} in its 'about'; known are {{of}} and {{percent}}")
    own = " ".join(text for text, *_ in pieces)
    if number := re.search(r"(?<![\w-])\d[\d.,]*", own):  # a digit in a name, as in L2 or after a hyphen, is none
        raise ValueError(f"has a number of its own in its 'about', '{number[0]}', which could differ from what is judged")

    def name(contender: str) -> str:
        return names.get(contender, contender)

    about = texts["about"].format(of=EITHER.join(map(name, texts["of"].split(EITHER))), percent=percent)
    bounded = "at most" if key == "at_most" else "at least"
    says = STATISTICS[texts["statistic"]].says.format(
        bound=f"{bound}", percent=percent, bounded=f"{bounded} {bound}", bounded_percent=f"{bounded} {percent}",
        each=texts["each"] or "problem", against=name(texts["against"]),
        as_fast_as="at least as fast as" if bound == 1 else f"at least {bound} times as fast as",
    )  # fmt: skip
    roof = f" or as {entry['or_of_roof']} of the loaded roof, whichever is less" if "or_of_roof" in entry else ""
    was = f" Restated: it was {texts['was']}, which the runs did not reach." if texts["was"] else ""
    conditions = f" ({', '.join(words)})" if words else ""
    return f"{about}{conditions}: {says}{roof}.{was}"


def _check_words(texts: dict[str, str], entry: dict) -> None:
    if texts["whose"] not in WHOSE:
        raise ValueError(f"has '{texts['whose']}' as 'whose'; known are {', '.join(WHOSE)}")
    statistic = STATISTICS.get(texts["statistic"])
    if not statistic:
        raise ValueError(f"has the statistic '{texts['statistic']}'; known are {', '.join(STATISTICS)}")
    if statistic.compares != bool(texts["against"]):
        alone = "compares with no other contender and must not name one as 'against'"
        wants = "needs 'against'" if statistic.compares else alone
        raise ValueError(f"has the statistic '{texts['statistic']}', which {wants}")
    if EITHER in texts["of"] and not texts["against"]:
        raise ValueError("names several contenders as 'of', which is for the statistics that compare with another contender")
    if "or_of_roof" in entry and not statistic.compares:
        raise ValueError("has 'or_of_roof', which is for the statistics that compare with another contender")
    if "at_most" in entry and not statistic.either_bound:
        either_bound = ", ".join(name for name, of in STATISTICS.items() if of.either_bound)
        raise ValueError(f"has 'at_most', which is for the statistics {either_bound}")


def _condition(key: str, words: list[str], known: dict[str, str]) -> Condition:
    if unknown := [name for name in words if name not in known]:
        raise ValueError(f"has '{unknown[0]}' in its '{key}', which [conditions] does not have")
    text = " and ".join(known[name] for name in words)
    try:
        return Condition(text, ", ".join(words))
    except SyntaxError as error:
        raise ValueError(f"has a '{key}' that does not parse: {text}") from error

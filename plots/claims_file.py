"""Reads claims.toml: what is claimed about speed, of which problems of which runs, and the bound."""

import ast
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

import pandas as pd

from program import InputError

STORED = Path(__file__).parent.parent / "experiments" / "claims.toml"
BEST_OF_OTHERS = "the best of the others"
EITHER = " or "  # between contenders of ours, of which the fastest on each problem is compared with another
OURS = "ours"
WHOSE = (OURS, "the paper")
# Which statistics compare with another contender, and which with a limit of the machine or with fewer threads.
STATISTICS = {
    "lowest share of the loaded roof": False,
    "weighted share of the loaded roof": False,
    "lowest share of reading alone": False,
    "lowest share of stream": False,
    "weighted share of stream": False,
    "weighted share of peak": False,
    "lowest ratio": True,
    "weighted ratio": True,
    "geometric mean ratio": True,
    "lowest speed in TFLOP/s": False,
    "geometric mean speed-up": False,
    "lowest ratio of most steps to fewest": False,
    "test accuracy": False,
    "test mean squared error": False,
    "test bits a character": False,
    "share of the baseline": False,
    "epochs alike on all threads": False,
}
# Of which the less is the better, so that a bound may be the most, too.
OF_ERRORS = ("test mean squared error", "test bits a character", "share of the baseline")
BOUNDS = ("at_least", "at_most")
TEXTS = ("id", "sentence", "whose", "experiment", "statistic", "of")
OPTIONAL_TEXTS = ("shapes", "against", "when", "where")


class Condition:
    """A query over named columns, such as "n == 64 and m >= 6"; an empty one is always true."""

    def __init__(self, text: str):
        self.text = text
        tree = ast.parse(text or "True", mode="eval")
        self.names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    def mask(self, table: pd.DataFrame) -> pd.Series:
        """Which rows of the table fulfil it. A row that does not know one of the names is kept: what it lacks is said later."""
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
class Machine:
    """The processors of which a bound speaks: a pattern of their names, those of CPUs or GPUs, and what they are in words."""

    kind: str
    pattern: str
    words: str


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
    when: Condition  # on what is the same in the whole sweep
    usual: dict[str, str]  # what such columns hold besides, unless a condition names them
    where: Condition  # on the problems
    machine: Machine | None
    at_most: bool = False  # the bound is the most that may be measured; else the least

    def fulfilled_by(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound

    @property
    def either(self) -> list[str]:
        return self.of.split(EITHER)

    @property
    def needed(self) -> str:
        return f"at most {self.bound}" if self.at_most else f"{self.bound}"


def load_claims(path: Path) -> list[Claim]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not valid TOML: {error}.") from error
    entries, usual = table.get("claim"), table.get("unless_said", {})
    if set(table) - {"unless_said"} != {"claim"} or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise InputError(f"{path} must hold a list of [[claim]], before it perhaps one table [unless_said], and nothing else.")
    if not isinstance(usual, dict) or not all(isinstance(value, str) for value in usual.values()):
        raise InputError(f"{path}: [unless_said] must give each column a text.")
    claims = []
    for place, entry in enumerate(entries, 1):
        try:
            claims.append(_claim(entry, usual))
        except ValueError as error:
            raise InputError(f"{path}: claim '{entry.get('id', f'number {place}')}' {error}.") from error
        if claims[-1].id in [claim.id for claim in claims[:-1]]:
            raise InputError(f"{path}: claim '{claims[-1].id}' stands there twice.")
    return claims


def _claim(entry: dict, usual: dict[str, str]) -> Claim:
    """Raises ValueError, which says after the claim's name what is wrong."""
    known = [*TEXTS, *OPTIONAL_TEXTS, *BOUNDS, "machine"]
    if unknown := sorted(set(entry) - set(known)):
        raise ValueError(f"has the unknown key '{unknown[0]}'; known are {', '.join(known)}")
    if missing := [key for key in TEXTS if key not in entry]:
        raise ValueError(f"lacks '{missing[0]}'")
    if len(given := [key for key in BOUNDS if key in entry]) != 1:
        raise ValueError("needs one of 'at_least' and 'at_most'")
    texts = {key: entry.get(key, "") for key in (*TEXTS, *OPTIONAL_TEXTS)}
    if wrong := [key for key, value in texts.items() if not isinstance(value, str) or (key in entry and not value)]:
        raise ValueError(f"needs a text as '{wrong[0]}'")
    key, bound = given[0], entry[given[0]]
    if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not bound > 0:
        raise ValueError(f"needs a number above 0 as '{key}'")
    _check_words(texts)
    if key == "at_most" and texts["statistic"] not in OF_ERRORS:
        raise ValueError(f"has 'at_most', which is for the statistics {', '.join(OF_ERRORS)}")
    texts["sentence"] = _sentence(texts, key, bound)
    when, where = (_condition(key, texts.pop(key)) for key in ("when", "where"))
    usual = {column: value for column, value in usual.items() if column not in when.names | where.names}
    return Claim(bound=float(bound), at_most=key == "at_most", when=when, usual=usual, where=where, machine=_machine(entry), **texts)


def _sentence(texts: dict[str, str], key: str, bound: float) -> str:
    """The sentence, filled with what is judged: every number in it comes from there, so that the two cannot differ."""
    known = {key: f"{bound}", "percent": f"{100 * bound:g} %", "when": texts["when"], "where": texts["where"]}
    try:
        pieces = list(Formatter().parse(texts["sentence"]))
    except ValueError as error:
        raise ValueError("has a sentence whose braces do not match") from error
    named = {name for _, name, *_ in pieces if name is not None}
    conditions = {key for key in ("when", "where") if texts[key]}
    if named not in (conditions | {key}, conditions | {"percent"}):
        raise ValueError(f"needs in its sentence {{{key}}} or {{percent}}, and {{when}} and {{where}} where it has them")
    own = " ".join(text for text, *_ in pieces)
    if number := re.search(r"(?<![\w-])\d[\d.,]*", own):  # a digit in a name, as in L2 or after a hyphen, is none
        raise ValueError(f"has a number of its own in its sentence, '{number[0]}', which could differ from what is judged")
    return texts["sentence"].format(**known)


def _check_words(texts: dict[str, str]) -> None:
    if texts["whose"] not in WHOSE:
        raise ValueError(f"is of '{texts['whose']}'; a claim is one of {', '.join(WHOSE)}")
    if texts["statistic"] not in STATISTICS:
        raise ValueError(f"has the statistic '{texts['statistic']}'; known are {', '.join(STATISTICS)}")
    if STATISTICS[texts["statistic"]] != bool(texts["against"]):
        alone = "compares with no other contender and must not name one as 'against'"
        wants = "needs 'against'" if STATISTICS[texts["statistic"]] else alone
        raise ValueError(f"has the statistic '{texts['statistic']}', which {wants}")
    if EITHER in texts["of"] and not texts["against"]:
        raise ValueError("names several contenders as 'of', which is for those statistics that compare with another")


def _condition(key: str, text: str) -> Condition:
    try:
        return Condition(text)
    except SyntaxError as error:
        raise ValueError(f"has a '{key}' that does not parse: {text}") from error


def _machine(entry: dict) -> Machine | None:
    if "machine" not in entry:
        return None
    given = entry["machine"]
    kind = next((kind for kind in ("cpu", "gpu") if isinstance(given, dict) and set(given) == {kind, "words"}), "")
    if not kind or not all(isinstance(text, str) for text in given.values()):
        raise ValueError("needs a machine with two texts: 'cpu' or 'gpu', a pattern of its name, and 'words'")
    try:
        re.compile(given[kind])
    except re.error as error:
        raise ValueError(f"has a machine whose pattern '{given[kind]}' is no regular expression ({error})") from error
    return Machine(kind, given[kind], given["words"])

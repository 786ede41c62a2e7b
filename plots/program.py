"""Errors of the programs in this folder: one sentence and an exit code, never a traceback.

This file imports nothing heavy, so that Ctrl-C works from the first moment.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

REFUSED, INTERRUPTED = 2, 130


class InputError(Exception):
    """One sentence for the user: what is wrong and what would be right."""


def run(name: str, work: Callable[[], None]) -> int:
    """Does the work and returns the exit code."""
    try:
        work()
    except InputError as error:
        sentence, code = f"error: {error}", REFUSED
    except KeyboardInterrupt:
        sentence, code = "interrupted: what was being written is not whole.", INTERRUPTED
    else:
        return 0
    print(f"{name}: {sentence}", file=sys.stderr)
    return code


@contextmanager
def writing(out: Path) -> Iterator[None]:
    """Turns an error in writing under out into one sentence."""
    try:
        yield
    except OSError as error:
        remedy = "give --out a directory you may write, with room in it"
        raise InputError(f"{out} cannot be written to ({error.strerror}); {remedy}.") from error


def say(text: str) -> None:
    """Prints the last words of a program, whose files are written."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python writes again at its end and reports that error itself
        raise InputError(f"standard output cannot be written to ({error.strerror}); the files are written.") from error

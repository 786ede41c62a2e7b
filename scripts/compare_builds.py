"""Says what build B is slower at than build A: scripts/compare-builds A B"""

import argparse
import fnmatch
import signal
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

import builds
from paired_runs import PROBLEMS_BY, Run
from program import InputError, say, writing

NO_REGRESSION, REGRESSION, CANNOT_TELL, BAD_INPUT, INTERRUPTED = 0, 1, 2, 3, 130

# One thread: where other programs use the machine, too, threads that wait for each other take up to twice as long.
ONE = "--contenders brickwork-simd --threads 1"
RUNS = {
    "brgemm": "--experiment brgemm --contenders brickwork-simd --layer *_n64_k64_b16",
    "conv-forward-N1": f"--experiment conv-forward --minibatch 1 {ONE}",
    "conv-backward-N1": f"--experiment conv-backward --minibatch 1 {ONE}",
    "conv-update-N1": f"--experiment conv-update --minibatch 1 {ONE}",
    "fc-forward-N168": f"--experiment fc-forward --minibatch 168 --layer fc256,fc512,fc1024 {ONE}",
    "fc-update-N168": f"--experiment fc-update --minibatch 168 --layer fc256,fc512,fc1024 {ONE}",
    "rnn-forward-N32": f"--experiment rnn-forward --minibatch 32 --layer rnn256,rnn512 {ONE}",
    "rnn-backward-N32": f"--experiment rnn-backward --minibatch 32 --layer rnn256,rnn512 {ONE}",
    "add-N4": "--experiment add --minibatch 4 --contenders brickwork --threads 1",
}

ABOUT = """\
Measures two builds in pairs (A B, B A, ...) and says for each problem whether B is SLOWER,
FASTER, the SAME within --effect, or UNDECIDED. First it measures --pairs pairs of each problem.
Everything that is not clearly the SAME is measured again, in 22 to 98 pairs, more where times
scatter more. These new pairs alone say SLOWER or FASTER.

Each run has one thread: beside other programs, two threads that wait for each other take up to
twice as long. To measure with more: --only 'conv-*,fc-*,rnn-*,add-*' -- --threads COUNT.
"""

ENDINGS = """\
Exit code: 0 nothing is slower; 1 something is slower, or B fails where A does not; 2 cannot
tell: an undecided problem may be slower by more than --effect; 3 wrong input; 130 interrupted.
"""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        self.exit(BAD_INPUT, f"compare-builds: error: {message}; try --help\n")


def arguments(given: list[str]) -> argparse.Namespace:
    end = given.index("--") if "--" in given else len(given)
    parser = Parser(
        prog="compare-builds", description=ABOUT, epilog=ENDINGS + "\nRuns: " + ", ".join(RUNS),
        formatter_class=argparse.RawDescriptionHelpFormatter, usage="compare-builds A B [OPTIONS] [-- OPTIONS OF brickwork]",
    )
    build = "the {} build: its folder, an installed tree, or a git revision, which is built in build/compare/"
    parser.add_argument("a", metavar="A", help=build.format("earlier"))
    parser.add_argument("b", metavar="B", help=build.format("later"))
    parser.add_argument("--only", metavar="NAME,...", help="only these runs; * matches any text")
    parser.add_argument("--effect", type=_share, default=0.03, metavar="SHARE", help="changes up to this count as none (default: 0.03)")
    parser.add_argument("--pairs", type=_count, default=12, metavar="COUNT", help="first pairs of each problem, even (default, least: 12)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="new or empty folder of pairs.csv (default: results/<UTC time>-compare)")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="a Markdown summary (default: summary.md in the folder)")
    parser.add_argument("--allow-different-flags", action="store_true", help="compare builds of different compilers or flags, too")
    options = parser.parse_args(given[:end])
    # "--name=value" as two words, as the table of runs has them.
    options.of_program = [part for word in given[end + 1 :] for part in (word.split("=", 1) if word.startswith("--") else [word])]
    return options


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = float("nan")
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no share of a time; give a number between 0 and 1")
    return share


def _count(text: str) -> int:
    if not text.isdecimal() or not 12 <= int(text) <= 98 or int(text) % 2:
        raise argparse.ArgumentTypeError(f"'{text}' is no count of pairs; give an even number from 12 to 98")
    return int(text)


def chosen(only: str | None, of_program: list[str]) -> list[Run]:
    names: set[str] = set()
    for pattern in (only or "*").split(","):
        fitting = fnmatch.filter(RUNS, pattern)
        if not fitting:
            raise InputError(f"--only '{pattern}' fits no run; there are: {', '.join(RUNS)}.")
        names |= set(fitting)
    return [Run(name, merged(options.split(), of_program)) for name, options in RUNS.items() if name in names]


def merged(table: list[str], given: list[str]) -> tuple[str, ...]:
    """What the user gives replaces what the table says. Other problems replace the table's, however either names them."""
    replaced = set(given) | (set(PROBLEMS_BY) if set(PROBLEMS_BY) & set(given) else set())
    pairs = zip(table[::2], table[1::2], strict=True)
    return (*(word for option, value in pairs if option not in replaced for word in (option, value)), *given)


def empty_folder(out: Path | None) -> Path:
    folder = out or Path("results") / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-compare"
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise InputError(f"{folder} is not empty; give --out a new folder.")
    return folder


def compare(options: argparse.Namespace) -> int:
    runs = chosen(options.only, options.of_program)
    a, b = builds.find(options.a), builds.find(options.b)
    options.out = empty_folder(options.out)
    import comparison  # SciPy takes a second to load; wrong input is told before
    import comparison_text
    from paired_times import SLOWER, UNDECIDED

    found = comparison.compare(a, b, runs, options)
    summary = options.summary or options.out / "summary.md"
    with writing(summary):
        summary.write_text(comparison_text.in_markdown(found), encoding="utf-8")
    say(f"{comparison_text.in_words(found)}\nsummary: {summary}   pairs: {found.pairs}")
    return {SLOWER: REGRESSION, UNDECIDED: CANNOT_TELL}.get(found.status, NO_REGRESSION)


def main(given: list[str] | None = None) -> int:
    options = arguments(sys.argv[1:] if given is None else given)
    try:
        return compare(options)
    except InputError as error:
        sentence, code = f"error: {error}", BAD_INPUT
    except KeyboardInterrupt:
        kept = f"; {options.out} keeps the pairs so far" if options.out else ""
        sentence, code = f"interrupted: there is no verdict{kept}.", INTERRUPTED
    print(f"compare-builds: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a CI sends it to what takes too long
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(BAD_INPUT)  # Python's own 1 would mean a regression

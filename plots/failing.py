"""Prints the names of the runs by which a claim of ours fails, one a line: python plots/failing.py RUN_DIR..."""

import sys

import program


def names(folders: list[str]) -> list[str]:
    """Runs of times alone: a training that learned wrongly would do the same again."""
    from claims_file import OURS
    from outcomes import FAILS
    from output import judged

    failed = [verdict for verdict in judged(folders).verdicts if verdict.outcome.status == FAILS and verdict.claim.whose == OURS]
    return list(dict.fromkeys(folder.name for verdict in failed for folder in verdict.folders))


def main() -> int:
    def work() -> None:
        for name in names(sys.argv[1:]):
            print(name)

    return program.run("failing.py", work)


if __name__ == "__main__":
    sys.exit(main())

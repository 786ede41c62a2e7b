"""A comparison of two builds in words: lines for the screen, and a summary in Markdown."""

import math
import platform

from comparison import Comparison
from paired_times import FASTER, SAME, SLOWER, UNDECIDED, Verdict

WORST = 5
ORDER = (SLOWER, UNDECIDED, FASTER, SAME)


def in_words(found: Comparison) -> str:
    """A line for everything that is not the SAME, and the counts."""
    told = sorted((of for of in found.verdicts if of.status != SAME), key=lambda of: (ORDER.index(of.status), -of.ratio))
    lines = [f"{of.status:10}{of.problem.label}: {ratio(of)}, {of.pairs} pairs" for of in told]
    lines += [f"FAILED    {problem.label}: {why}" for problem, why in found.failures.items()]
    return "\n".join([*lines, counts(found)])


def in_markdown(found: Comparison) -> str:
    sentence = {
        SLOWER: "B is slower than A.",
        UNDECIDED: f"It cannot be told whether B is slower than A by more than {found.effect * 100:g} %.",
        SAME: "B is not slower than A.",
    }[found.status]
    if found.failures:
        sentence = "B fails where A does not."
    worst = sorted(found.verdicts, key=lambda of: of.ratio, reverse=True)[:WORST]
    lines = [f"## {sentence}", "", f"{counts(found)}.", ""]
    lines += [f"- FAILED: {problem.label}: {why}" for problem, why in found.failures.items()] + [""] * bool(found.failures)
    lines += ["| the worst | verdict | time of B / time of A | pairs |", "| --- | --- | --- | --- |"]
    lines += [f"| {of.problem.label} | {of.status} | {ratio(of)} | {of.pairs} |" for of in worst]
    lines += ["", "| run | problems | time of B / time of A, geometric mean |", "| --- | --- | --- |"]
    lines += [f"| {run} | {len(of)} | {mean(of):.3f} |" for run, of in by_run(found).items()]
    lines += ["", f"Changes up to {found.effect * 100:g} % count as none. All pairs: [{found.pairs.name}]({found.pairs}).", ""]
    lines += origin(found)
    return "\n".join(lines) + "\n"


def ratio(of: Verdict) -> str:
    return f"{of.ratio:.3f} [{of.low:.3f}, {of.high:.3f}]"


def counts(found: Comparison) -> str:
    statuses = [of.status for of in found.verdicts]
    parts = [f"{statuses.count(status)} {status}" for status in ORDER]
    parts += [f"{len(found.failures)} FAILED"] if found.failures else []
    parts += [f"{found.left_out} that A has no time of or only one build knows"] if found.left_out else []
    return ", ".join(parts)


def by_run(found: Comparison) -> dict[str, list[Verdict]]:
    runs: dict[str, list[Verdict]] = {}
    for of in found.verdicts:
        runs.setdefault(of.problem.run, []).append(of)
    return runs


def mean(verdicts: list[Verdict]) -> float:
    return math.exp(sum(math.log(of.ratio) for of in verdicts) / len(verdicts))


def origin(found: Comparison) -> list[str]:
    """The machine, and what each build was made from."""
    cpu = found.facts[0].get("cpu", {})
    lines = [f"Machine: {cpu.get('name', platform.processor())}, {cpu.get('usable_cores', '?')} cores.", ""]
    for name, build, facts in zip("AB", found.builds, found.facts, strict=True):
        git = facts.get("git", {})
        changed = " with changes" if git.get("dirty") else ""
        flags = f"{facts.get('compiler', '?')}, `{facts.get('compiler_flags', '')}`"
        lines.append(f"- {name}: `{build.label}`, commit {str(git.get('commit', 'unknown'))[:12]}{changed}, {flags}")
        lines += [f"  - warning: {warning}" for warning in facts.get("warnings", [])]
    if len(tunings := {str(facts.get("simd_tuning", {}).get("value")) for facts in found.facts}) > 1:
        lines.append(f"- The builds chose different tunings: {'; '.join(sorted(tunings))}")
    return lines

"""What each pass of a lowering is worth: variants of one contender that differ from it in one pass."""

from dataclasses import dataclass

from derive import Estimate, geometric_mean_ratio, ratio
from sweeps import ABLATION, Problem, Sweep

WHOLE = "brickwork-simd"  # the contender with all passes as they usually are
OURS, WITHOUT = "brickwork-", "no-"


@dataclass(frozen=True)
class Variant:
    name: str
    problems: list[Problem]  # that both have
    times: Estimate  # the variant's time divided by the whole's, in geometric mean
    lowest: float
    highest: float

    @property
    def label(self) -> str:
        of = self.name.removeprefix(OURS)
        return f"without {of.removeprefix(WITHOUT)}" if of.startswith(WITHOUT) else f"with {of}"

    @property
    def verdict(self) -> str:
        """What the pass does, which the variant has off, or on where it usually is off."""
        slower, faster = self.times.low > 1, self.times.high < 1
        if not slower and not faster:
            return "undecided"
        return "it saves time" if slower == self.label.startswith("without") else "it costs time"

    @property
    def sentence(self) -> str:
        count = f"geometric mean of {len(self.problems)} problem{'s' * (len(self.problems) > 1)}"
        spread = f", {self.lowest:.2f} to {self.highest:.2f}" if len(self.problems) > 1 else ""
        return f"{self.label}: {self.times} times the time ({count}{spread}): {self.verdict}"


def variants(sweep: Sweep, among: list[Problem] | None = None) -> list[Variant]:
    """Of all problems, or of some of them. Empty for other sweeps than ablations."""
    if sweep.figure != ABLATION:
        return []
    found = []
    for name in sweep.contenders:
        common = [problem for problem in sweep.common(WHOLE, name) if among is None or problem in among]
        if name != WHOLE and name in sweep.ours and common:
            each = [ratio(problem, WHOLE, name).value for problem in common]
            found.append(Variant(name, common, geometric_mean_ratio(common, WHOLE, name), min(each), max(each)))
    return found

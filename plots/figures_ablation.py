"""What each pass is worth: the time of each variant over that of the whole, a panel for each N."""

from dataclasses import replace
from pathlib import Path

import style
from ablation import WHOLE, variants
from derive import ratio
from labels import about_absent
from sizes import values_of, where
from style import Drawn
from sweeps import Sweep

ROOM = 1.25  # of the longest bar: for words behind it


def draw_ablation(sweep: Sweep, folder: Path, stem: str) -> Drawn | None:
    counts = values_of(sweep.problems, "N")
    parts = {f"N = {n}": where(sweep.problems, {"N": n}) for n in counts} if len(counts) > 1 else {"": sweep.problems}
    panels = {title: found for title, problems in parts.items() if (found := variants(sweep, problems))}
    if not panels:
        return None
    whole = style.looks_of(sweep)[WHOLE]
    looks = {variant.name: replace(whole, label=variant.label) for found in panels.values() for variant in found}
    longest = max(variant.highest for found in panels.values() for variant in found)
    figure, grid = style.bar_panels([[v.name for v in found] for found in panels.values()], list(panels), looks, 0.3, ROOM * longest)
    for axes, found in zip(grid, panels.values(), strict=True):
        for y, variant in enumerate(found):
            axes.barh(y, variant.times.value, 0.72, **looks[variant.name].bar)
            each = [ratio(problem, WHOLE, variant.name).value for problem in variant.problems]
            axes.plot(each, [y] * len(each), marker="|", markersize=9, color="black", linestyle="none")
            style.say_beside(axes, variant.highest, y, f"{variant.times.value:.2f}, {variant.verdict}")
        axes.axvline(1, color="black", linewidth=1.2)
    grid[-1].set_xlabel(f"time / time of {whole.label} as it is")
    caption = (
        "A bar is the geometric mean, over the problems, of the time with one pass off (or on, where it usually is off) divided by the "
        "time with all passes as they usually are; a stroke is one problem. Right of the line at 1 the variant is slower. The "
        f"words follow from the 95 % interval of the mean.{about_absent(sweep)}"
    )
    return style.finish(figure, folder, f"{stem}-ablation", f"Passes: {sweep.operation}, {sweep.full_setting}", [], caption)

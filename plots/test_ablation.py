"""What each pass is worth, in numbers, in words and as bars."""

import pandas as pd
import pytest
from pytest import approx

from ablation import variants
from data import load_run
from overview import overview
from sweeps import sweeps_of

WHOLE = "brickwork-simd"
TIMES = {"brickwork-no-fuse": 1.5, "brickwork-no-hoist": 0.5, "brickwork-no-dense": 1, "brickwork-subtrees": 2, "brickwork-thirds": 0.4}


@pytest.fixture
def sweep(variation):
    """sweep(change): the stored run of ours, and variants of it that take so many times as long."""

    def make(change=lambda rows: rows):
        def of(samples: pd.DataFrame) -> pd.DataFrame:
            whole = samples[samples["contender"] == WHOLE].assign(figure="ablation", plan="all")
            parts = [samples[samples["primitive"] == "machine"], whole]
            for name, times in TIMES.items():
                part = whole.assign(contender=name, plan=name)
                part["seconds"] = (part["seconds"].astype(float) * times).map(repr)
                parts.append(part)
            return change(pd.concat(parts))

        (found,) = sweeps_of(load_run(variation("conv", of)))
        return found

    return make


def test_each_variant_is_compared_with_the_whole(sweep):
    found = variants(sweep())
    assert {v.name: v.times.value for v in found} == approx(TIMES)
    assert [v.label for v in found] == ["without fuse", "without hoist", "without dense", "with subtrees", "with thirds"]
    assert all(len(v.problems) == 3 for v in found)


def test_words_say_which_pass_saves_time_and_which_costs_it(sweep):
    said = {v.name: v.sentence for v in variants(sweep())}
    assert said["brickwork-no-fuse"].startswith("without fuse: 1.500 [")
    assert said["brickwork-no-fuse"].endswith("times the time (geometric mean of 3 problems, 1.50 to 1.50): it saves time")
    assert said["brickwork-no-hoist"].endswith(": it costs time")
    assert said["brickwork-no-dense"].endswith(": undecided")
    assert said["brickwork-subtrees"].endswith(": it costs time")
    assert said["brickwork-thirds"].endswith(": it saves time")


def test_problems_without_a_number_of_both_do_not_count(sweep):
    found = sweep(lambda rows: rows[~(rows["contender"].eq("brickwork-no-fuse") & rows["name"].ne("layer01"))])
    (fuse,) = (v for v in variants(found) if v.name == "brickwork-no-fuse")
    assert [p.name for p in fuse.problems] == ["layer01"] and "(geometric mean of 1 problem)" in fuse.sentence


def test_other_sweeps_and_sweeps_without_the_whole_have_no_variants(sweep, conv):
    assert variants(conv) == []
    assert variants(sweep(lambda rows: rows[rows["contender"] != WHOLE])) == []


def test_the_first_table_has_the_whole_and_no_variant(sweep):
    (row,) = overview([sweep()])
    assert (row.ours, row.peer) == ("Brickwork, simd brick", "")


def test_a_bar_is_the_mean_and_a_stroke_a_problem(sweep, figures_of):
    ((stem, (figure, _)),) = figures_of(sweep()).items()
    (axes,) = figure.axes
    assert stem == "x-ablation" and axes.get_yticklabels()[0].get_text() == "without fuse"
    assert [bar.get_width() for bar in axes.patches] == approx(list(TIMES.values()))
    strokes = [line for line in axes.lines if line.get_marker() == "|"]
    assert [list(line.get_xdata()) for line in strokes] == [approx([times] * 3) for times in TIMES.values()]
    assert axes.texts[0].get_text() == "1.50, it saves time"


def test_each_minibatch_has_a_panel(sweep, figures_of):
    ((figure, _),) = figures_of(sweep(lambda rows: rows.assign(N=rows["N"].mask(rows["name"].eq("layer03"), "10")))).values()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["N = 2", "N = 10"]
    assert [len(axes.lines[0].get_xdata()) for axes in figure.axes] == [2, 1]


def test_without_variants_there_is_no_figure(sweep, figures_of):
    assert figures_of(sweep(lambda rows: rows[rows["contender"] != WHOLE])) == {}

"""What the figures show, and its names, for made-up experiments."""

from dataclasses import dataclass, field

import pandas as pd
import pytest

import output
import style
from conftest import STORED
from data import FIGURES, STATUSES, load_run
from figures_sweep import _panels, _segments
from labels import figure_title, problem_labels, short_sizes, sizes_in_words, tags
from sizes import commonest, longest, siblings, thinned, varying
from sweeps import TRAINING, Problem, sweeps_of
from testing import artists

pytestmark = pytest.mark.usefixtures("only_svg")


def problem(name="", **sizes):
    return Problem(f"{name}{sizes}", name, 1, sizes, 1.0, 1.0, {}, None)


@dataclass
class Shapes:
    """The part of a sweep that names are made from."""

    problems: list
    setting: str = "1 thread"
    operation: str = "made-up"
    contenders: list = field(default_factory=list)
    ours: frozenset = frozenset()

    def version(self, name):
        return "2.0"


GRID = [problem(a=a, b=b, c=c) for c in (7, 9) for b in (1, 2, 3) for a in range(5, 10)]


def test_every_kind_of_figures_has_its_drawers():
    assert set(output.DRAWERS) == {*FIGURES, TRAINING}


# --- sizes -----------------------------------------------------------------------------------------------------------


def test_the_size_with_the_most_values_lies_along_the_axis():
    assert longest(GRID, varying(GRID)) == "a"
    texts = [problem(kind=str(i), size=i % 2) for i in range(5)]
    assert longest(texts, varying(texts)) == "size"
    assert longest([], []) is None


def test_sizes_that_agree_in_every_problem_are_one():
    squares = [problem(H=h, W=h, R=3, S=3) for h in (7, 14)]
    assert siblings(squares) == {"H": ["W"]}
    assert siblings([*squares, problem(H=7, W=8, R=3, S=3)]) == {"H": [], "W": []}


def test_the_commonest_combination_wins_and_among_equals_that_of_the_commonest_values():
    assert commonest([*GRID, problem(a=1, b=3, c=9)], ["b", "c"]) == {"b": 3, "c": 9}
    tied = [problem(b=1, c=1), problem(b=2, c=1), problem(b=2, c=2)]
    assert commonest(tied, ["b", "c"]) == {"b": 2, "c": 1}


def test_thinning_keeps_both_ends():
    assert thinned(list(range(5)), 10) == [0, 1, 2, 3, 4]
    assert thinned(list(range(100)), 4) == [0, 33, 66, 99]


# --- what a sweep's figures show -------------------------------------------------------------------------------------


def test_a_panel_for_each_value_that_has_enough_points():
    short = [problem(a=a, b=4, c=7) for a in (1, 2, 3)]
    held, panels = _panels([*GRID, *short], "a", "b", ["c"])
    assert held == {"c": 7}
    assert {title: [p.sizes["a"] for p in shown] for title, shown in panels.items()} == {
        f"b = {b}": [5, 6, 7, 8, 9] for b in (1, 2, 3)
    }


def test_bars_stand_over_each_size_in_turn():
    held, segments = _segments(GRID)
    assert held == {"b": 1, "c": 7}
    shown = [(title, [value for value, _ in bars]) for title, bars in segments]
    assert shown == [("a", [5, 6, 7, 8, 9]), ("b at a = 9", [2, 3]), ("c at a = 9", [9])]


def test_bars_over_many_values_are_thinned():
    _, ((_, bars),) = _segments([problem(a=a) for a in range(1, 65)])
    assert [value for value, _ in bars] == [1, 8, 15, 22, 29, 36, 43, 50, 57, 64]


def test_bars_of_problems_that_differ_in_words_alone_have_their_names():
    _, ((_, bars),) = _segments([problem("x", kind="p"), problem("y", kind="q")])
    assert [value for value, _ in bars] == ["x", "y"]


# --- names -----------------------------------------------------------------------------------------------------------


def test_labels_hold_the_sizes_that_differ():
    shapes = Shapes([problem("conv1", C=3, H=224, W=224, stride=2, tail="none"), problem("conv2", C=64, H=56, W=56, stride=2, tail="relu")])
    assert problem_labels(shapes) == ["C3 H224 none  conv1", "C64 H56 relu  conv2"]
    assert sizes_in_words(shapes) == "C, H (W is the same), t = tail"


def test_a_single_problem_is_called_by_its_name_or_its_text():
    assert problem_labels(Shapes([problem("conv1", C=3)])) == ["conv1"]
    assert problem_labels(Shapes([problem(C=3)])) == ["{'C': 3}"]


def test_sizes_are_shortened_as_far_as_they_stay_apart():
    assert short_sizes(["C", "K", "stride_h", "pad_h"]) == {"C": "C", "K": "K", "stride_h": "s", "pad_h": "p"}
    assert short_sizes(["k", "kb", "stride_h", "stride_w"]) == {"k": "k", "kb": "kb", "stride_h": "stride_h", "stride_w": "stride_w"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["layer01", "layer02", "layer10"], ("layer", ["1", "2", "10"])),
        (["cell_1", "cell_2"], ("cell", ["1", "2"])),
        (["stem", "head"], ("", ["stem", "head"])),
        (["the first of them", "the second"], ("problem", ["1", "2"])),
        (["", ""], ("problem", ["1", "2"])),
        (["a1", "b2"], ("", ["a1", "b2"])),
    ],
)
def test_tags(names, expected):
    assert tags([problem(name) for name in names]) == expected


def test_titles_do_not_say_twice_what_the_setting_says():
    shapes = Shapes([problem(N=28, k=64, m=m, tail="bias+relu", other="none") for m in (1, 2)], setting="N=28, 1 thread, bias+relu")
    assert figure_title(shapes, {"batch": 16}) == "made-up, batch = 16, k = 64, N=28, 1 thread, bias+relu"


# --- looks -----------------------------------------------------------------------------------------------------------


def test_whose_a_contender_is_comes_from_the_run():
    looks = style.looks_of(Shapes([], contenders=["onednn", "brickwork-simd", "new", "newer"], ours=frozenset({"onednn", "newer"})))
    assert list(looks) == ["onednn", "newer", "brickwork-simd", "new"]
    assert (looks["onednn"].ours, looks["onednn"].hatch, looks["onednn"].label) == (True, "", "oneDNN")
    assert looks["brickwork-simd"].hatch and looks["new"].hatch and not looks["newer"].hatch
    assert looks["new"].label == "new 2.0"


def test_contenders_without_a_look_of_their_own_differ():
    looks = style.looks_of(Shapes([], contenders=["one", "two", "three", "a", "b"], ours=frozenset("ab"))).values()
    assert len({(look.colour, look.marker) for look in looks}) == 5


def test_every_status_has_a_letter_of_its_own():
    assert set(style.STATUSES) == {*STATUSES, "missing", "unpaired", "incomplete"} - {"ok"}
    assert len({letter for letter, _ in style.STATUSES.values()}) == len(style.STATUSES)


# --- whole figures ---------------------------------------------------------------------------------------------------


def drawn(run, tmp_path):
    (sweep,) = sweeps_of(load_run(run))
    return {figure.stem: figure for figure in output.draw(sweep, tmp_path, "x")}


def words(figures_of, run):
    """The words of each figure. No file is written."""
    (sweep,) = sweeps_of(load_run(run))
    return {stem: said for stem, (_, said) in figures_of(sweep).items()}


def test_a_curve_over_the_one_size_that_varies(curve, tmp_path):
    figures = drawn(curve(), tmp_path)
    assert list(figures) == ["x-over-N"]
    svg = (tmp_path / "x-over-N.svg").read_text()
    for text in ("16", "N", "GFLOP/s", "% of loaded roof", "oneDNN 3.2", "measured FMA peak"):
        assert f">{text}</text>" in svg


def test_a_curve_over_threads(curve, tmp_path):
    change = lambda rows: pd.concat([rows.assign(threads=t, setting="hot cache, f32") for t in "1248"])  # noqa: E731
    assert list(drawn(curve([2], change), tmp_path)) == ["x-over-threads"]


def test_a_curve_for_each_combination_of_the_other_sizes(curve, tmp_path):
    def change(rows):
        return pd.concat([rows.assign(C=c, problem=rows["problem"] + c) for c in ("32", "64")])

    assert list(drawn(curve(change=change), tmp_path)) == ["x-over-N-C32", "x-over-N-C64"]


def test_a_curve_says_who_has_no_number(curve, tmp_path):
    def change(rows):
        gone = rows["contender"].eq("onednn") & rows["N"].eq("4")
        rows.loc[gone, ["status", "reason", "seconds"]] = ["misfit", "the plan does not fit", ""]
        return rows

    drawn(curve(change=change), tmp_path)
    assert "the given plan does not fit</text>" in (tmp_path / "x-over-N.svg").read_text()


def test_one_point_is_no_curve(curve, tmp_path):
    assert drawn(curve([2]), tmp_path) == {}


def test_a_curve_without_a_peak_is_drawn(curve, tmp_path):
    assert list(drawn(curve(change=lambda rows: rows[rows["contender"] != "fma-peak"]), tmp_path)) == ["x-over-N"]


def test_a_sweep_over_one_size_has_a_single_panel(variation, tmp_path):
    change = lambda s: s[s["n"].eq("64") & s["batch"].eq("16")]  # noqa: E731
    figures = drawn(variation("brgemm", change), tmp_path)
    assert list(figures) == ["x-over-m", "x-bars"]
    assert figures["x-over-m"].title == "Share of the loaded roof over m: brgemm, n = 64, k = 64, batch = 16, 1 thread, hot cache, f32"


def test_a_network_in_a_sweeps_figures_and_a_sweep_in_a_networks(variation, figures_of):
    change = lambda s: s.assign(figure=s["figure"].map({"layers": "sweep", "sweep": "layers", "": ""}))  # noqa: E731
    assert "x-bars" in words(figures_of, variation("conv", change))
    assert list(words(figures_of, variation("brgemm", change))) == ["x-layers", "x-ratio", "x-roofline"]


def test_the_first_two_of_ours_are_compared(variation, figures_of):
    change = lambda s: s.replace({"contender": {"im2col": "ours-too", "libxsmm-dnn": "our-third"}}).assign(  # noqa: E731
        ours=s["ours"].where(~s["contender"].isin(["im2col", "libxsmm-dnn"]), "yes")
    )
    assert "The first 2 of our contenders are shown." in words(figures_of, variation("conv", change))["x-ratio"].caption


def test_those_of_ours_with_another_algorithm_have_a_panel_of_their_own(figures, variation):
    def change(samples):
        ours = samples[samples["contender"] == "brickwork-simd"]
        more = [ours.assign(contender=name) for name in ("brickwork-libxsmm", "brickwork-portable", "brickwork-winograd")]
        less = more[-1]["least_flop"]
        more[-1] = more[-1].assign(least_flop=less.mask(less != "", "1"))
        return pd.concat([samples, *more])

    drawn = figures(variation("conv", change))
    shown = artists.contenders(drawn["x-ratio"]).values()
    assert [name for name in shown if name.startswith("Brickwork")] == [
        "Brickwork, simd brick", "Brickwork, LIBXSMM brick", "Brickwork, Winograd"
    ]  # fmt: skip
    main, apart = drawn["x-ratio"].axes
    assert set(artists.points(drawn["x-ratio"], apart)) == {"Brickwork, Winograd"}
    assert "Brickwork, Winograd" not in artists.points(drawn["x-ratio"], main)
    assert not any("Winograd" in label for label in artists.legend(drawn["x-roofline"]))


def test_nothing_is_known_by_heart():
    names = ("conv-forward", "brgemm", "stride_w", "stride_h", "layer01", "minibatch", "resnet")
    sources = [path for path in STORED.parent.iterdir() if path.suffix in (".py", ".j2")]
    # machines.py chooses a few runs for README's headline.
    sources = [path for path in sources if not path.name.startswith(("test_", "conftest", "machines"))]
    assert len(sources) > 10
    assert [(path.name, name) for path in sources for name in names if name in path.read_text().lower()] == []


def test_captions_say_who_does_less_than_is_counted(variation, figures_of):
    def change(samples):
        rows = samples["contender"].eq("brickwork-simd") & samples["phase"].eq("run") & (samples["least_flop"] != "")
        return samples.assign(least_flop=samples["least_flop"].mask(rows, "1"))

    usual, less = words(figures_of, STORED / "conv"), words(figures_of, variation("conv", change))
    said = "Brickwork, simd brick needs fewer and may exceed every limit"
    for stem, place in (("x-layers", ": see the panel at the bottom. "), ("x-roofline", ", and so has no points here. ")):
        assert said + place in less[stem].caption and said not in usual[stem].caption

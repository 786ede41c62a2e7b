"""Figures on disk are small and look as matplotlib drew them."""

import re
from xml.etree import ElementTree

import pandas as pd
import pytest

import output
import style
from compact import compact_svg
from conftest import STORED
from data import load_run
from sweeps import sweeps_of

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'


def compact(inner: str) -> str:
    text = compact_svg(f"{HEAD}{inner}</svg>".encode()).decode()
    return text[text.index(">", text.index("<svg")) + 1: text.index("</svg>")]


def test_numbers_are_short_and_level_lines_shorter():
    square = '<g id="patch_1"><path d="M 1.04 2.06 \nL 3.333333 2.06 \nL 3.333333 -0.001 \nz\n" style="fill: #ffffff"/></g>'
    assert compact(square) == '<path d="M1 2.1H3.3V0z" style="fill:#fff"/>'
    assert compact('<path d="M 0 0 \nL 1.26 1.24 \nL 1.26 1.24 \n"/>') == '<path d="M0 0L1.3 1.2"/>'


def test_a_path_without_points_goes():
    assert compact('<path style="fill: none"/><path d="" style="fill: none"/><text>a</text>') == "<text>a</text>"


def test_curves_stay_as_they_are():
    assert compact('<path d="M 0 1.001 \nC 1 2 3 4 5 6.06 \nz"/>') == '<path d="M0 1C1 2 3 4 5 6.1z"/>'


def test_neighbours_of_one_style_become_one_path():
    one, two = '<path d="M 0 0 \nL 1 1" style="stroke: #123456"/>', '<path d="M 2 2 \nL 3 3" style="stroke: #123456"/>'
    assert compact(one + two) == '<path d="M0 0L1 1M2 2L3 3" style="stroke:#123456"/>'
    for other in (two.replace("123456", "123457"), two.replace("/>", ' clip-path="url(#a)"/>').replace("a)", "c)") + '<clipPath id="c"/>'):
        assert compact(one + other).count("<path") == 2
    see_through = one.replace("123456", "123456; opacity: 0.5")
    assert compact(see_through + see_through).count("<path") == 2


def test_a_marker_has_the_style_of_its_uses_and_names_that_nothing_uses_go():
    marker = '<defs><path id="m12ab" d="M 0 0.123 \nL 1.255 2" style="stroke: #000000"/></defs>'
    uses = '<g id="line2d_1"><use xlink:href="#m12ab" x="1.23" y="2" style="fill: #ff0000; stroke: #000000"/></g>'
    assert compact(marker + uses) == (
        '<defs><path d="M0 0.12L1.25 2" style="fill:#f00;stroke:#000" id="i0"/></defs><use xlink:href="#i0" x="1.2" y="2"/>'
    )


def test_neighbours_that_are_clipped_alike_become_one_group():
    clipped = '<g clip-path="url(#c)"><text>a</text></g>'
    assert compact('<clipPath id="c"/>' + clipped + clipped).count("<g") == 1
    faint = clipped.replace("<g ", '<g opacity="0.5" ')
    assert compact('<clipPath id="c"/>' + faint + faint).count("<g") == 2


def test_words_stay_and_the_font_is_said_once():
    font = "font-family: 'DejaVu Sans', 'Arial', 'Helvetica', sans-serif"
    text = compact_svg(f'{HEAD}<g><text style="font-size: 8px; {font}; text-anchor: end" x="1.234">a  b</text></g></svg>'.encode()).decode()
    assert '<text style="font-size:8px;text-anchor:end" x="1.23">a  b</text>' in text
    assert text.count("DejaVu Sans") == 1


@pytest.mark.usefixtures("only_svg")
def test_no_figure_has_a_large_pattern(variation, tmp_path):
    """A figure has no trace of an absent contender, and the hatch of each known contender is a few lines."""

    def change(samples):  # every known contender beside the stored ones, and one that is absent
        peer = samples[samples["contender"].eq("onednn")]
        gone = samples["contender"].eq("im2col")
        samples.loc[gone, ["status", "reason", "seconds"]] = ["absent", "left out of this build", ""]
        more = [peer.assign(contender=name) for name in style.LISTED if name not in set(samples["contender"])]
        return pd.concat([samples.drop_duplicates(["problem", "contender", "phase", "sample"]), *more])

    (sweep,) = sweeps_of(load_run(variation("conv", change)))
    for figure in output.draw(sweep, tmp_path, "x"):
        svg = (tmp_path / f"{figure.stem}.svg").read_text()
        assert all(len(pattern) < 2000 for pattern in re.findall("<pattern.*?</pattern>", svg, re.S)), figure.stem
        assert len(svg) < 60_000 and "SGEMM 0.3.21" not in svg
        ElementTree.fromstring(svg)


@pytest.mark.usefixtures("only_svg")
def test_a_report_is_small(tmp_path):
    output.write_report([str(STORED / "conv"), str(STORED / "brgemm")], tmp_path, "a command")
    assert (tmp_path / "report.html").stat().st_size < 200_000
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.*")) < 300_000

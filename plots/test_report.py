import csv
import re
import shutil
from contextlib import redirect_stdout
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO

import pytest

import output
import page
import report
import style
from conftest import STORED, SVG_ALONE, varied, without_roof

STEMS = {
    "conv-forward-N2-2-threads-hot-cache-f32-layers",
    "conv-forward-N2-2-threads-hot-cache-f32-ratio",
    "conv-forward-N2-2-threads-hot-cache-f32-roofline",
    "brgemm-1-thread-hot-cache-f32-over-m-by-n",
    "brgemm-1-thread-hot-cache-f32-bars",
}
MAGIC = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    assert report.main([str(STORED / "conv"), str(STORED / "brgemm"), "--out", str(folder)]) == 0
    return folder


class Page(HTMLParser):
    VOID = frozenset({"meta", "br", "link", "img", "hr"})

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.tags, self.links = [], [], [], []
        self.feed(text)
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href", "data", "poster")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_every_figure_is_written_in_three_formats(out):
    files = {path.name: path.read_bytes() for path in (out / "figures").iterdir()}
    assert set(files) == {f"{stem}.{kind}" for stem in STEMS for kind in MAGIC}
    for name, content in files.items():
        assert content.startswith(MAGIC[name.rsplit(".", 1)[1]]) and len(content) > 2000


def test_the_report_holds_every_figure_and_loads_nothing(out):
    text = (out / "report.html").read_text()
    page = Page(text)
    assert page.tags.count("svg") == len(STEMS)
    for stem in STEMS:
        assert f"figures/{stem}.svg" in text
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert "@import" not in text
    assert all(target.strip("'\"").startswith("#") for target in re.findall(r"url\(([^)]*)\)", text))


def test_the_report_names_what_has_no_number_and_what_is_wrong(out):
    text = (out / "report.html").read_text()
    assert "element n=0 k=3 p=1 q=2 is 5, expected 9" in text
    assert "this build has no OpenBLAS" in text
    assert "oneDNN 3.2 on layer03: 1.059 of the loaded roof" in text
    assert "2 problems: all but layer02" in text
    assert "AMD EPYC, an example" in text and "brickwork --experiment conv-forward --minibatch 2 --threads 2" in text


def test_the_lines_of_the_primitives_are_those_of_the_newest_build(conv, out):
    assert page._lines_of_primitives([conv.run]) == 0 and "lines of code," not in (out / "report.html").read_text()
    older, newer = (replace(conv.run, environment=conv.run.environment | {"lines_of_primitives": lines}) for lines in (15355, 13300))
    assert page._lines_of_primitives([older, newer, conv.run]) == 13300


def test_the_tables_hold_the_numbers(out):
    text = (out / "report.html").read_text()
    plain = [re.sub(r"<[^>]+>", " ", row) for row in re.findall(r"<tr>.*?</tr>", text, re.S)]
    rows = [" ".join(row.split()) for row in plain]
    for row in (  # by hand from the samples: 14e9 flop in 82 and 84.5 ms; 1e9 flop in 6, 8, 10 ms, 9, 10, 11 ms and 20 ms
        "all 3 problems 170.7 GFLOP/s 69.9 % of peak 76.6 % of roof 165.7 GFLOP/s 67.9 % of peak 74.3 % of roof \N{EN DASH} \N{EN DASH}",
        "problem count Brickwork, simd brick oneDNN 3.2 LIBXSMM primitives 1.17 im2col + SGEMM 0.3.21 FMA peak loaded roof",
        "layer02 N2_C64_K256_H56_W56_R1_S1_sh1_sw1_ph0_pw0 4 125.0 [111.1, 142.9] 50.0 % 100.0 [95.2, 105.3] 40.0 % failed "
        "50.0 [50.0, 50.0] 20.0 % 250.0 200.0",
        "layer02 brickwork-simd 8 1 AVX3_ZEN4 n,kb,cb,oj",
        "problem contender run, ms pack, ms isa implementation plan and tuning",
    ):
        assert row in rows
    facts = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text)
    assert ("measured FMA peak", "240.0 to 250.0 GFLOP/s, lowest to highest over the problems") in facts
    assert ("measured loaded roof", "200.0 to 236.0 GFLOP/s, lowest to highest over the problems") in facts
    assert ("measured stream bandwidth", "40.0 GB/s") in facts and ("samples a contender and problem", "3 to 3") in facts


@pytest.mark.parametrize(
    ("environment", "facts"),
    [
        ({"exit_code": 0}, []),
        ({"exit_code": 130}, [("ended", "interrupted")]),
        ({"exit_code": 1}, [("ended", "with exit code 1")]),
        ({}, [("ended", "not by itself")]),
        ({"exit_code": 0, "warnings": ["hot", "loud"]}, [("warning", "hot"), ("warning", "loud")]),
    ],
)
def test_what_a_run_says_against_itself_stands_among_its_facts(conv, environment, facts):
    conv.run.environment.clear()
    conv.run.environment.update(environment)
    assert page._facts(conv)[2:-5] == facts


@pytest.fixture(scope="module")
def unusual(tmp_path_factory):
    """Report and screen of runs of before the loaded roof, with a contender that nobody thought of and a reason that is HTML."""

    def change(samples):
        samples = without_roof(samples).replace({"contender": {"im2col": "winograd"}})
        samples.loc[samples["status"] == "failed", "reason"] = "<script>alert(1)</script>"
        return samples

    folder = tmp_path_factory.mktemp("unusual")
    runs = [str(varied(folder, stored, change)) for stored in ("conv", "brgemm")]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as screen:
        patch.setattr(style, "FORMATS", SVG_ALONE)
        assert report.main([*runs, "--out", str(folder / "out")]) == 0
    return (folder / "out" / "report.html").read_text(), screen.getvalue()


def test_a_run_of_before_the_loaded_roof_is_drawn_and_judged(unusual):
    text, screen = unusual
    assert "<dt>measured loaded roof</dt><dd>no</dd>" in text and "% of roof" not in text
    assert "oneDNN 3.2 on layer03: 1.042 of the FMA peak" in text
    assert "no loaded roof was measured beside m6_n64_k64_b16" in screen


def test_text_of_the_csv_is_escaped(unusual):
    assert "script" not in Page(unusual[0]).tags


def test_a_contender_nobody_thought_of_is_drawn(unusual):
    assert "winograd 0.3.21" in unusual[0]


def test_claims_table(out):
    with (out / "claims.csv").open(newline="") as file:
        rows = {row["claim"]: row for row in csv.DictReader(file)}
    assert (rows["brgemm-peak"]["status"], rows["brgemm-peak"]["measured"]) == ("HOLDS", "1.0000")
    assert (rows["brgemm-seven-rows"]["status"], rows["brgemm-seven-rows"]["measured"]) == ("DOES NOT HOLD", "0.9184")
    assert (rows["brgemm-peak"]["whose"], rows["paper-efficiency"]["whose"]) == ("ours", "the paper")
    assert (rows["conv-peak"]["status"], rows["conv-peak"]["measured"]) == ("NOT CHECKED", "")


def test_claims_are_printed(draw_only, tmp_path, capsys):
    draw_only(sweep=())
    assert report.main([str(STORED / "brgemm"), "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "DOES NOT HOLD  brgemm-seven-rows (ours)" in printed and "paper-efficiency (the paper)" in " ".join(printed.split())
    assert "measured 0.918 [0.918, 0.918], needed 0.95" in printed
    assert "reach the bound; of the FMA peak 0.900" in " ".join(printed.split())  # a narrow terminal breaks the line
    lines = printed.splitlines()
    missing = lines.index("NOT CHECKED    no conv-forward run was given that measured anything")
    assert "conv-peak, " in lines[missing + 1] and printed.count("no conv-forward run was given") == 1
    assert lines.index("DOES NOT HOLD  brgemm-seven-rows (ours)") < missing


def test_the_same_csv_gives_the_same_bytes(out, tmp_path):
    assert report.main([str(STORED / "conv"), "--out", str(tmp_path)]) == 0
    for path in (tmp_path / "figures").iterdir():
        assert path.read_bytes() == (out / "figures" / path.name).read_bytes(), path.name


def test_svg_text_stays_text(out):
    svg = (out / "figures" / "conv-forward-N2-2-threads-hot-cache-f32-layers.svg").read_text()
    assert "measured FMA peak</text>" in svg and "oneDNN 3.2</text>" in svg
    assert "dc:date" not in svg


@pytest.mark.usefixtures("only_svg")
def test_a_run_in_which_nothing_could_be_timed_still_makes_a_report(variation, tmp_path):
    def change(samples):
        rows = samples[samples["primitive"] == "conv"].drop_duplicates(["problem", "contender"])
        return rows.assign(status="absent", reason="left out of this build", seconds="", sample="")

    assert report.main([str(variation("conv", change)), "--out", str(tmp_path / "out")]) == 0
    assert "left out of this build" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.usefixtures("only_svg")
def test_a_run_of_one_problem_and_one_contender(variation, tmp_path):
    change = lambda s: s[s["name"].eq("layer02") & s["contender"].isin(["brickwork-simd", "fma-peak"])]  # noqa: E731
    assert report.main([str(variation("conv", change)), "--out", str(tmp_path / "out")]) == 0
    stems = {path.stem for path in (tmp_path / "out" / "figures").iterdir()}
    assert stems == {"conv-forward-N2-2-threads-hot-cache-f32-layers", "conv-forward-N2-2-threads-hot-cache-f32-roofline"}


@pytest.mark.usefixtures("only_svg")
def test_runs_of_two_shape_sets_under_one_setting_are_named_by_them(variation, draw_only, tmp_path):
    draw_only(layers=(output.draw_ratio,))
    other = variation("conv", lambda s: s.assign(run="another day", shapes="deepbench"))
    shutil.copy(STORED / "conv" / "environment.json", other)
    assert report.main([str(STORED / "conv"), str(other), "--out", str(tmp_path / "out")]) == 0
    stems = {path.stem.rpartition("-")[0] for path in (tmp_path / "out" / "figures").iterdir()}
    assert stems == {f"{shapes}-conv-forward-N2-2-threads-hot-cache-f32" for shapes in ("resnet50", "deepbench")}
    assert "conv-forward, deepbench, N=2, 2 threads, hot cache, f32</h2>" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.usefixtures("only_svg")
def test_two_runs_under_one_setting_keep_their_figures_apart(variation, tmp_path):
    other = variation("brgemm", lambda s: s.assign(run="another day"))
    shutil.copy(STORED / "brgemm" / "environment.json", other)
    assert report.main([str(STORED / "brgemm"), str(other), "--out", str(tmp_path / "out")]) == 0
    stems = {path.stem for path in (tmp_path / "out" / "figures").iterdir()}
    assert stems == {
        f"{run}-brgemm-1-thread-hot-cache-f32-{figure}" for run in ("stored-brgemm", "another-day") for figure in ("over-m-by-n", "bars")
    }

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
from claims import Verdict
from claims_file import STORED as CLAIMS
from claims_file import load_claims
from conftest import STORED, varied, without_roof
from derive import Estimate
from outcomes import FAILS, HOLDS, Outcome
from overview import overview

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


def test_every_figure_is_written_as_svg(out):
    files = {path.name: path.read_bytes() for path in (out / "figures").iterdir()}
    assert set(files) == {f"{stem}.svg" for stem in STEMS}
    assert all(content.startswith(MAGIC["svg"]) and len(content) > 2000 for content in files.values())


def test_pdf_and_png_are_written_where_they_are_asked_for(draw_only, tmp_path, monkeypatch):
    draw_only(layers=(output.draw_ratio,))
    monkeypatch.setattr(style, "FORMATS", style.FORMATS)
    assert report.main([str(STORED / "conv"), "--out", str(tmp_path), "--pdf", "--png"]) == 0
    files = {path.suffix[1:]: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    assert {kind: content[:5].startswith(MAGIC[kind]) for kind, content in files.items()} == dict.fromkeys(MAGIC, True)
    assert "--pdf --png</code>" in (tmp_path / "report.html").read_text()


def test_a_folder_of_runs_stands_for_its_runs(draw_only, tmp_path, capsys):
    draw_only(layers=(), sweep=())
    shutil.copytree(STORED / "conv", tmp_path / "runs" / "conv")
    shutil.copytree(STORED / "brgemm", tmp_path / "runs" / "below" / "brgemm")
    shutil.copytree(STORED / "learning", tmp_path / "runs" / "learning")
    shutil.copytree(STORED / "brgemm", tmp_path / "runs" / "conv" / "another-process")  # the run has its rows
    assert report.main([str(tmp_path / "runs"), "--out", str(tmp_path / "out")]) == 0
    titles = re.findall(r"<h2 id=\"(sweep\d|learned\d)\">", (tmp_path / "out" / "report.html").read_text())
    assert titles == ["sweep0", "sweep1", "learned0"]
    assert report.main([str(tmp_path / "out" / "figures"), "--out", str(tmp_path / "out")]) == 2
    assert "samples.csv" in capsys.readouterr().err


def test_the_report_holds_every_figure_and_loads_nothing(out):
    text = (out / "report.html").read_text()
    page = Page(text)
    assert page.tags.count("svg") == len(STEMS)
    assert len(text) < 200_000
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
    plain = [re.sub(r"<[^>]+>", " ", row) for row in re.findall(r"<tr.*?</tr>", text, re.S)]
    rows = [" ".join(row.split()) for row in plain]
    for row in (  # by hand from the samples: 14e9 flop in 82 and 84.5 ms; 1e9 flop in 6, 8, 10 ms, 9, 10, 11 ms and 20 ms
        "contender all 3 problems 2 problems: all but layer02 2 problems: all but layer01",
        "Brickwork, simd brick 170.7 GFLOP/s, 76.6 % 200.0 GFLOP/s, 85.6 % 166.7 GFLOP/s, 74.9 %",
        "LIBXSMM primitives 1.17 \N{EN DASH} 190.5 GFLOP/s, 81.5 % \N{EN DASH}",
        "problem count Brickwork, simd brick oneDNN 3.2 LIBXSMM primitives 1.17 im2col + SGEMM 0.3.21 FMA peak loaded roof",
        "layer02 N2_C64_K256_H56_W56_R1_S1_sh1_sw1_ph0_pw0 4 125.0, 8 ms [111.1, 142.9] 62.5 % 100.0, 10 ms [95.2, 105.3] 50.0 % failed "
        "50.0, 20 ms [50.0, 50.0] 25.0 % 250.0 200.0",
        "brickwork-simd layer01, layer02, layer03 AVX3_ZEN4 n,kb,cb,oj",
        "contender on isa implementation plan",
    ):
        assert row in rows
    facts = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text)
    assert ("measured FMA peak", "240.0 to 250.0 GFLOP/s, lowest to highest over the problems") in facts
    assert ("measured loaded roof", "200.0 to 236.0 GFLOP/s, lowest to highest over the problems") in facts
    assert ("measured stream bandwidth", "40.0 GB/s") in facts and ("samples per contender and problem", "3 to 3") in facts


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
    """Report, screen and claims of runs without a loaded roof, with an unknown contender and a reason that is HTML."""

    def change(samples):
        samples = without_roof(samples).replace({"contender": {"im2col": "winograd"}})
        samples.loc[samples["status"] == "failed", "reason"] = "<script>alert(1)</script>"
        return samples

    folder = tmp_path_factory.mktemp("unusual")
    runs = [str(varied(folder, stored, change)) for stored in ("conv", "brgemm")]
    with redirect_stdout(StringIO()) as screen:
        assert report.main([*runs, "--out", str(folder / "out")]) == 0
    return (folder / "out" / "report.html").read_text(), screen.getvalue(), (folder / "out" / "claims.csv").read_text()


def test_a_run_of_before_the_loaded_roof_is_drawn_and_judged(unusual):
    text, screen, claims = unusual
    assert "<dt>measured loaded roof</dt><dd>no</dd>" in text and "% of the loaded roof" not in text and "% of the FMA peak" in text
    assert "oneDNN 3.2 on layer03: 1.042 of the FMA peak" in text and "0.70 FMA peak" in screen
    assert "no loaded roof was measured beside m6_n64_k64_b16" in claims


def test_text_of_the_csv_is_escaped(unusual):
    assert "script" not in Page(unusual[0]).tags


def test_a_contender_nobody_thought_of_is_drawn(unusual):
    assert "winograd 0.3.21" in unusual[0]


def test_claims_table(out):
    with (out / "claims.csv").open(newline="") as file:
        rows = {row["claim"]: row for row in csv.DictReader(file)}
    assert (rows["brgemm-peak"]["status"], rows["brgemm-peak"]["measured"]) == (HOLDS, "1.0000")
    assert (rows["brgemm-seven-rows"]["status"], rows["brgemm-seven-rows"]["measured"]) == (FAILS, "0.9184")
    assert (rows["brgemm-peak"]["whose"], rows["paper-efficiency"]["whose"]) == ("ours", "the paper")
    assert rows["conv-peak"]["status"] not in (HOLDS, FAILS) and rows["conv-peak"]["measured"] == ""


def test_the_screen_ends_with_the_headline_and_the_claims_that_fail(draw_only, tmp_path, capsys):
    draw_only(sweep=())
    assert report.main([str(STORED / "brgemm"), "--out", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["primitive", "pass", "ours", "best", "peer", "ratio", "[95", "%", "interval]", "of", "the", "limit"]
    assert lines[1].split()[:4] == ["brgemm", "gemm", "simd", "brick"] and lines[1].endswith("1.00 loaded roof")
    failed = f"{FAILS}: brgemm-seven-rows (ours): measured 0.918 [0.918, 0.918], needed 0.95"
    assert failed in lines and not any("brgemm-peak" in line for line in lines)
    assert lines[-1] == f"report: {tmp_path / 'report.html'}   claims: {tmp_path / 'claims.csv'}   0 figures: {tmp_path / 'figures'}"
    assert len(lines) <= 40 and HOLDS in lines[-3]


def test_the_screen_stays_short_however_much_there_is(brgemm):
    (row,) = overview([brgemm])
    rows = [replace(row, sweep=replace(brgemm, attributes={"primitive": f"p{i // 2}", "pass": "gemm"})) for i in range(80)]
    (fails, *_), (other, *_) = (
        [verdict(status) for _ in range(40)] for status in (FAILS, "OTHER")
    )
    lines = output.in_words(rows, [*[fails] * 40, *[other] * 40]).splitlines()
    assert len(lines) <= 32 and max(map(len, lines)) <= 160
    assert "... and 60 more in the report: other shapes and settings" in lines and "... and 35 more in claims.csv" in lines


def test_the_screen_has_the_row_with_the_most_work_of_each_pass(brgemm):
    (row,) = overview([brgemm])
    few = replace(row, sweep=replace(brgemm, problems=brgemm.problems[:2]), peer="too small")
    for rows in ([few, row], [row, few]):
        lines = output.in_words(rows, []).splitlines()
        assert "LIBXSMM GEMM loop 1" in lines[1] and lines[2] == "... and 1 more in the report: other shapes and settings"


def verdict(status: str) -> Verdict:
    claim = next(claim for claim in load_claims(CLAIMS) if claim.id == "brgemm-peak")
    return Verdict(claim, Outcome(status, "why", Estimate(0.5, 0.4, 0.6)), "a run")


def test_claims_of_which_no_run_speaks_are_folded(out):
    text = (out / "report.html").read_text()
    table = text[text.index('<h2 id="claims">'): text.index("<summary>NOT RUN: ")]
    assert "brgemm-peak" in table and "conv-n1" not in table
    folded = text[text.index("<summary>NOT RUN: "): text.index('<h2 id="sweep0">')]
    assert folded.count("<p>") < folded.count("<li>")


def test_the_first_lines_say_the_machine_the_commit_the_day_and_the_verdicts(out):
    text = (out / "report.html").read_text()
    first = text[text.index("<h1>"): text.index("<table>")]
    plain = " ".join(re.sub(r"<[^>]+>", " ", first).split())
    assert "AMD EPYC, an example, 2 cores \N{MIDDLE DOT} commit 0123456789 \N{MIDDLE DOT} 2026-01-01" in plain
    assert f"1 {FAILS}" in plain and f" {HOLDS}" in plain
    assert first.index("<details>") < first.index("plots/report.py") < first.index("</details>")


def test_several_machines_commits_and_days_are_all_said(conv):
    def run(**environment):
        return replace(conv.run, environment=conv.run.environment | environment)

    changed, unknown = {"commit": "f" * 40, "dirty": True}, {"cpu": {}, "gpu": {"name": "a GPU"}, "git": {}, "date": ""}
    assert page._machines([run(), run(date="20260203T000000Z", git=changed), run(**unknown)]) == [
        "AMD EPYC, an example, 2 cores \N{MIDDLE DOT} commit 0123456789, ffffffffff with changes \N{MIDDLE DOT} 2026-01-01 to 2026-02-03",
        "unknown processor with a GPU \N{MIDDLE DOT} commit unknown \N{MIDDLE DOT} of unknown date",
    ]


def test_what_all_runs_recorded_alike_is_said_once(out):
    text = (out / "report.html").read_text()
    recorded = text[text.index('<h2 id="environment">'):]
    assert recorded.count("0123456789abcdef0123456789abcdef01234567") == 1 and "The same in all 2 runs" in recorded
    assert recorded.count("--experiment conv-forward") == 1


def test_nothing_is_cut_off_in_print(out):
    style_sheet = (out / "report.html").read_text().split("</style>")[0]
    printed = style_sheet[style_sheet.index("@media print"):]
    assert ".scroll { overflow: visible; }" in printed and "white-space: normal" in printed and "break-before: page" not in printed


def test_the_same_csv_gives_the_same_bytes(out, tmp_path):
    assert report.main([str(STORED / "conv"), "--out", str(tmp_path)]) == 0
    for path in (tmp_path / "figures").iterdir():
        assert path.read_bytes() == (out / "figures" / path.name).read_bytes(), path.name


def test_svg_text_stays_text(out):
    svg = (out / "figures" / "conv-forward-N2-2-threads-hot-cache-f32-layers.svg").read_text()
    assert "measured FMA peak</text>" in svg and "oneDNN 3.2: 74.3 %</text>" in svg
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


def test_a_run_that_was_measured_again_is_said_to_be(conv, tmp_path):
    run = replace(conv.run, directory=tmp_path)
    assert "measured a second time" not in dict(page._about(run))
    (tmp_path / "first").mkdir()
    assert dict(page._about(run))["measured a second time"].endswith(f"which is in {tmp_path / 'first'}")

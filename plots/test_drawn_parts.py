"""The figure of a piece of work and its parts, read back."""

import pytest
from pytest import approx

import output
import style
from data import load_run
from sweeps import sweeps_of
from testing import artists

SIMD, ONEDNN = "Brickwork, simd brick", "oneDNN 3.2"


@pytest.fixture
def drawn(variation, tmp_path, monkeypatch):
    """The stored run with its layers as parts of one piece of work on 3 images."""

    def draw(change=lambda samples: samples):
        figures = []
        monkeypatch.setattr(style, "save", lambda figure, folder, stem: figures.append(figure))
        parts = variation("conv", lambda samples: change(samples.assign(N="3", figure="parts")))
        found = output.draw(sweeps_of(load_run(parts))[0], tmp_path, "x")
        assert [one.stem for one in found] == ["x-parts"]
        return figures[0], found[0]

    return draw


def lines(axes):
    """The length of each contender's bar and the words beside it."""
    labels = [tick.get_text() for tick in axes.get_yticklabels()]
    lengths = {round(bar.get_y() + bar.get_height() / 2): bar.get_width() for bar in axes.patches}
    said = {round(text.xy[1]): text.get_text() for text in axes.texts}
    return {label: (lengths[y], said[y]) for y, label in enumerate(labels)}


def test_each_part_has_a_panel_with_times_and_images_a_second(drawn):
    figure, _ = drawn()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["layer01", "layer02", "layer03"]
    second = lines(figure.axes[1])  # 8 and 10 ms
    assert second[SIMD] == (approx(8), "8 ms, 375 images/s")
    length, said = second[ONEDNN]
    assert length == approx(10) and said.startswith("10 ms, 300 images/s: ours is 1.250 [") and said.endswith("] times as fast")
    assert artists.true(figure.axes[-1], "x")


def test_many_images_are_no_power_of_ten(drawn):
    figure, _ = drawn(lambda samples: samples.assign(N="3000"))
    assert lines(figure.axes[1])[SIMD] == (approx(8), "8 ms, 375,000 images/s")


def test_of_sentences_the_words_of_source_and_target_are_counted(drawn):
    figure, found = drawn(lambda samples: samples.assign(S="7", T="3"))
    assert lines(figure.axes[1])[SIMD] == (approx(8), "8 ms, 3,750 words/s")
    assert "words per second" in found.caption and "images" not in found.caption


def test_who_has_no_number_has_no_bar(drawn):
    _, second, third = drawn()[0].axes
    assert set(lines(second)) < set(lines(third))  # one of them failed there


def test_without_ours_nothing_is_compared(drawn):
    figure, _ = drawn(lambda samples: samples[~(samples["ours"].eq("yes") & samples["name"].eq("layer02"))])
    assert lines(figure.axes[1])[ONEDNN] == (approx(10), "10 ms, 300 images/s")


def test_without_any_number_there_is_no_figure(variation, tmp_path):
    failed = lambda s: s[s["primitive"].eq("machine") | s["status"].ne("ok")].assign(figure="parts")  # noqa: E731
    assert output.draw(sweeps_of(load_run(variation("conv", failed)))[0], tmp_path, "x") == []

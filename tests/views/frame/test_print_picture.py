"""Pictures for print."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from tests.views.scenes import snapshot, uniform
from views.decision.decision_view import DecisionView
from views.frame.main_window import MainWindow
from views.frame.picture_look import PictureLook
from views.frame.print_picture import PicturedView, as_image, as_pdf, as_svg, preview
from views.plots.convergence_view import ConvergenceView
from views.widgets.controls import Chip
from views.widgets.steps import finished
from views.widgets.styling import parts_of
from views.widgets.theme import DARK


def texts_of(document: bytes) -> set[str]:
    return {text.strip() for text in ElementTree.fromstring(document).itertext()}


def test_pictures_have_their_size_and_leave_the_window_as_it_was(window: MainWindow) -> None:
    for iteration in range(1, 12):
        window.show_snapshot(snapshot(uniform(120), iteration, memory=True))
    window.dashboard.queue.finish()
    look = PictureLook(width=10, height=8, dpi=120)
    wide = PictureLook(width=900, height=300, unit="px", dpi=96, theme="dark", title=False)
    title = "uniform120  ·  seed 1"
    # One that is seen, one that is hidden, one with nothing but text.
    for key in ("tour", "device", "log"):
        view = window.dashboard.views[key]
        subject = PicturedView(view, title, window.theme)
        before = view.size(), view.theme
        image = finished(as_image(subject, look))
        assert image.size() == QSize(472, 378)
        assert image.pixelColor(1, 1).name() == "#ffffff"  # paper, though the window is dark
        assert round(image.dotsPerMeterX() * 0.0254) == 120
        document = finished(as_svg(subject, wide))
        assert ElementTree.fromstring(document).get("viewBox") == "0 0 900 300"
        assert title not in texts_of(document)
        assert title in texts_of(finished(as_svg(subject, look)))
        box = re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", finished(as_pdf(subject, look)))
        assert [round(float(side) / 72 * 2.54, 1) for side in box.groups()] == [10.0, 8.0]
        assert (view.size(), view.theme) == before
        assert not any(part.styleSheet() for part in parts_of(view))

    view = window.view(ConvergenceView)
    subject = PicturedView(view, "", window.theme)
    with_legend, without = (
        texts_of(finished(as_svg(subject, PictureLook(legend=legend)))) for legend in (True, False)
    )
    assert with_legend - without == {"Best", "Iteration", "Mean", "Best known"}
    assert "iterations" in with_legend  # what a button says in the window
    assert view.plot.axes["bottom"].labelText == ""

    decision = window.view(DecisionView)
    decision.pages.setCurrentIndex(1 - decision.pages.currentIndex())  # not the hint: it scrolls
    subject = PicturedView(decision, "", window.theme)
    small, large = (PictureLook(width=side, height=side) for side in (5, 30))
    assert (
        finished(preview(subject, small, QSize(100, 100)))[1] < small.points
    )  # so that all has room
    image, points = finished(preview(subject, large, QSize(100, 60)))
    assert (image.size(), points) == (QSize(60, 60), large.points)


def test_nothing_of_the_window_s_colours_is_behind_a_picture_of_vectors(window: MainWindow) -> None:
    """A map has one background, and that is no picture of a background."""
    window.theme_choice.choose("dark")
    window.steps.finish()
    window.dashboard.queue.finish()
    for key in ("tour", "convergence"):
        subject = PicturedView(window.dashboard.all_views[key], "a title", window.theme)
        document = finished(as_svg(subject, PictureLook()))
        assert DARK["panel"] not in document.decode()
        widths = re.findall(rb'<image x="[0-9]+" y="[0-9]+" width="([0-9]+)"', document)
        assert all(int(width) < 30 for width in widths), key  # marks of the legend alone


def test_a_view_is_styled_for_a_picture_in_small_steps(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt styles a widget with all of its parts at once."""
    styled = list[int]()
    plain = QWidget.setStyleSheet

    def note(part: QWidget, sheet: str) -> None:
        styled.append(sum(1 for _ in parts_of(part)))
        plain(part, sheet)

    for key in ("study", "race"):
        view = window.dashboard.views[key]
        styled.clear()
        with monkeypatch.context() as patch:
            patch.setattr(QWidget, "setStyleSheet", note)
            finished(preview(PicturedView(view, "", window.theme), PictureLook(), QSize(100, 60)))
        whole = sum(1 for _ in parts_of(view))
        assert sum(styled) > whole > 2 * max(styled)
        assert not any(part.styleSheet() for part in parts_of(view))


def test_chips_get_the_style_of_a_picture_with_what_holds_them(window: MainWindow) -> None:
    """They have sheets of their own: they are a legend without borders."""
    view = window.dashboard.views["hit-rates"]
    assert sum(1 for _ in parts_of(view)) > 25  # more than are styled at a time
    sheets = set[str]()
    for _ in preview(PicturedView(view, "", window.theme), PictureLook(), QSize(100, 60)):
        sheets |= {chip.styleSheet() for chip in view.findChildren(Chip)}
    assert sheets == {"", "QToolButton { border: none; background: none }"}

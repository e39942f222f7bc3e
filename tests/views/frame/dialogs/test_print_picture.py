from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from PySide6.QtCore import QSize

from tests.views.scenes import snapshot, uniform
from views.decision.decision_view import DecisionView
from views.frame.dialogs.print_picture import Subject, as_image, as_pdf, as_svg, preview
from views.frame.main_window import MainWindow
from views.plots.convergence_view import ConvergenceView
from views.widgets.picture_look import PictureLook
from views.widgets.steps import finished


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
        subject = Subject(view, title, window.theme)
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
        assert box is not None
        assert [round(float(side) / 72 * 2.54, 1) for side in box.groups()] == [10.0, 8.0]
        assert (view.size(), view.theme) == before

    view = window.view(ConvergenceView)
    subject = Subject(view, "", window.theme)
    with_legend, without = (
        texts_of(finished(as_svg(subject, PictureLook(legend=legend)))) for legend in (True, False)
    )
    assert with_legend - without == {"Best", "Iteration", "Mean", "Best known"}
    assert "iterations" in with_legend  # what a button says in the window
    assert view.plot.axes["bottom"].labelText == ""

    subject = Subject(window.view(DecisionView), "", window.theme)
    small, large = (PictureLook(width=side, height=side) for side in (5, 30))
    assert (
        finished(preview(subject, small, QSize(100, 100)))[1] < small.points
    )  # so that all has room
    image, points = finished(preview(subject, large, QSize(100, 60)))
    assert (image.size(), points) == (QSize(60, 60), large.points)

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from tests.gpu.cpu import makers
from tests.hands import double_click, scroll
from views.tour.tour_view import TourView
from views.widgets.plot import PlotWidget
from views.widgets.theme import DARK

IN, OUT = 120, -120  # a notch of the wheel


def test_the_map_is_zoomed_no_farther_than_there_is_something_to_see(qtbot: QtBot) -> None:
    view = TourView()
    qtbot.addWidget(view)
    view.apply_theme(DARK)
    view.resize(600, 500)
    view.show_instance(makers.uniform(50, size=1000))
    view.show()
    whole = view.whole()
    assert 900 < max(whole.width(), whole.height()) < 1100
    seen: list[QRectF] = []
    for notches, angle in ((90, IN), (200, OUT)):
        for _ in range(notches):
            scroll(view.graphics.viewport(), angle)
        seen.append(view.box.viewRect())
    assert 0.0005 < seen[0].width() < 0.005
    assert 4000 < max(seen[1].width(), seen[1].height()) < 7500
    double_click(view.graphics.viewport())
    assert view.box.viewRect().contains(whole)
    assert view.box.viewRect().width() < 2 * whole.width()


def test_a_plot_is_zoomed_no_farther_than_its_ticks_differ(qtbot: QtBot) -> None:
    plot = PlotWidget("iterations", "length")
    qtbot.addWidget(plot)
    plot.apply_theme(DARK)
    plot.resize(600, 400)
    plot.show()
    plot.follow((0, 1000), (5000, 6000))
    for notches, angle, sides in ((90, IN, (0.1, 0.1)), (200, OUT, (5000, 5000))):
        for _ in range(notches):
            scroll(plot.widget.viewport(), angle)
        rect = plot.box.viewRect()
        np.testing.assert_allclose((rect.width(), rect.height()), sides, rtol=1e-6)


def test_where_nothing_is_shown_yet_the_wheel_may_be_turned(qtbot: QtBot) -> None:
    plot = PlotWidget("iterations", "length")
    qtbot.addWidget(plot)
    plot.resize(600, 400)
    plot.show()
    before = plot.box.viewRect()
    scroll(plot.widget.viewport(), IN)
    nearer = plot.box.viewRect()
    assert nearer.width() < before.width()
    plot.follow((3, 3), (7, 7))  # one point: there is no width to compare with
    scroll(plot.widget.viewport(), OUT)
    assert plot.box.viewRect().width() > nearer.width()

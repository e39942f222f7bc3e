"""Views keep pixels of what they have drawn while somebody sees them, and no longer."""

from __future__ import annotations

import gc

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from tests.views.scenes import snapshot, uniform
from views.tour.tour_view import TourView
from views.widgets.cached_picture import CachedPicture


def kept(view: TourView) -> int:
    """Pixels that the pictures of a view have."""
    pictures = (one for one in gc.get_objects() if isinstance(one, CachedPicture))
    pixmaps = [
        one._pixmap
        for one in pictures
        if one._viewport is not None and view.isAncestorOf(one._viewport)
    ]
    return sum(pixmap.width() * pixmap.height() for pixmap in pixmaps)


def shown(view: TourView) -> QImage:
    return view.grab().toImage()


def test_a_hidden_view_keeps_no_pixels_and_is_drawn_again(qtbot: QtBot) -> None:
    instance, view = uniform(30), TourView()
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.show_instance(instance)
    view.take_in(snapshot(instance, 5))
    with qtbot.waitExposed(view):
        view.show()
    before = shown(view)
    assert kept(view) > 100_000
    view.hide()
    assert kept(view) == 0
    with qtbot.waitExposed(view):
        view.show()
    assert shown(view) == before
    assert kept(view) > 100_000

"""What is above the pages of the gallery."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.views.cut_texts import cut_texts
from tests.views.sight import in_sight
from views.gallery.gallery import Gallery


def test_tabs_and_buttons_are_one_below_the_other_where_both_have_no_room(qtbot: QtBot) -> None:
    gallery = in_sight(qtbot, Gallery(), 1100, 600)
    gallery.offer_back("berlin52")
    assert gallery.tabs.y() + gallery.tabs.height() > gallery.back_button.y()
    gallery.resize(620, 600)
    qtbot.waitUntil(lambda: gallery.tabs.geometry().bottom() < gallery.back_button.y())
    gallery.generate.setVisible(False)
    assert not [one for one in cut_texts(gallery) if one in ("Instances", "Make one", "Download")]
    gallery.offer_back("")
    qtbot.waitUntil(lambda: gallery.tabs.geometry().bottom() >= gallery.open_button.y())

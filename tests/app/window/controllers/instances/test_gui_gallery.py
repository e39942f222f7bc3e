"""The gallery: instances as pictures, and from a cold start to a good tour in two clicks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSignalBlocker, Qt, QUrl
from pytestqt.qtbot import QtBot

from app.files import downloads, gallery, own_instances
from app.notifications import Notifications
from app.window.application import Application
from app.window.controllers.batch.study_work import studies_folder
from gpu.aims import Aim
from gpu.papers.items import MEASURES, Item, find_item
from gpu.problems.bundled import bundled
from gpu.problems.coloring.generators import mycielski
from gpu.run.outcome import Ending
from tests.app.in_window import (
    GRID,
    LONGEST,
    RING,
    limit,
    may_compile,
    open_,
    run_to_the_end,
    use_aim,
)
from tests.hands import choose, click, double_click, press, write
from tests.processes import published
from tests.views.conftest import WITHOUT_GPU
from views.batch.study_view import StudyView
from views.gallery.instances_page import DRAW, Tile

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only some of the bundled instances are shown, so that little is drawn."""
    some = tuple(one for one in bundled() if one.n <= 50 or one.name == "ring-200")
    monkeypatch.setattr("app.files.gallery.bundled", lambda: some)


def tile(application: Application, path: Path = RING) -> Tile:
    return application.window.gallery.instances.tiles[path]


def drawn(qtbot: QtBot, application: Application, path: Path = RING) -> Tile:
    """Wait until an instance has a picture."""
    page = application.window.gallery.instances
    qtbot.waitUntil(lambda: path in page.tiles and tile(application, path).picture is not None)
    return tile(application, path)


@may_compile
def test_two_clicks_from_a_cold_start_to_a_good_tour(qtbot: QtBot, tmp_path: Path) -> None:
    made = Application(Notifications(), tmp_path / "window.json")
    window = made.window
    window.resize(1280, 800)
    window.show()
    try:
        one = drawn(qtbot, made)
        assert one.accessibleName().startswith("ring-50, 50 cities, Cities on a circle")
        with qtbot.waitSignal(made.files.ready):
            click(one)
        qtbot.waitUntil(lambda: window.dashboard.isVisible() and window.run_bar.start.isEnabled())
        with qtbot.waitSignal(made.runs.ended, timeout=LONGEST) as ended:
            click(window.run_bar.start)
        assert ended.args[0].outcome.ending is Ending.FINISHED
        assert ended.args[0].snapshot.best_cost <= 1.01 * 5000

        press(window, Qt.Key.Key_G, CONTROL)  # the gallery shows what was found
        assert window.gallery.isVisible()
        assert window.gallery.back_button.text() == "Back to ring-50"
        qtbot.waitUntil(lambda: tile(made).entry.found.startswith("best 5"))
        press(window.focusWidget(), Qt.Key.Key_Escape)
        assert window.dashboard.isVisible()
        qtbot.waitUntil(lambda: made.background.idle, timeout=LONGEST)
    finally:
        assert made.close()
        window.deleteLater()
        made.deleteLater()


def test_a_double_click_or_two_keys_open_and_start(qtbot: QtBot, opened: Application) -> None:
    window = opened.window
    use_aim(opened, Aim.PAPER)
    limit(opened, iterations=3)
    drawn(qtbot, opened)
    with qtbot.waitSignal(opened.runs.ended, timeout=LONGEST):
        click(tile(opened))
        assert window.gallery.isVisible()  # it waits for a second click
        double_click(tile(opened))
    assert window.dashboard.isVisible()

    press(window, Qt.Key.Key_G, CONTROL)
    assert tile(opened).hasFocus()
    press(tile(opened), Qt.Key.Key_Right)
    focus = window.focusWidget()
    assert isinstance(focus, Tile)
    assert focus.entry.name == "ring-200"
    press(focus, Qt.Key.Key_Down)  # to the next shelf
    assert window.focusWidget() is not focus
    press(window.focusWidget(), Qt.Key.Key_Up)
    assert window.focusWidget() in (focus, tile(opened))
    with qtbot.waitSignal(opened.runs.ended, timeout=LONGEST):
        press(focus, Qt.Key.Key_Return, CONTROL)
    assert opened.instance.value.name == "ring-200"
    run_to_the_end(qtbot, opened)  # Space goes to the views again


def test_what_the_gallery_opens_is_seen(qtbot: QtBot, opened: Application) -> None:
    """Start is for the instance, not for a race or a study that was in sight before."""
    window = opened.window
    limit(opened, iterations=3)
    drawn(qtbot, opened)
    open_(qtbot, opened)
    qtbot.waitUntil(window.dashboard.isVisible)
    other = next(one.path for one in bundled() if one.name == "ring-200")
    for key, path in (("runs", other), ("study", other), ("race", RING)):
        window.dashboard.show_view(key)
        press(window, Qt.Key.Key_G, CONTROL)
        click(drawn(qtbot, opened, path))
        qtbot.waitUntil(window.dashboard.isVisible)
        qtbot.waitUntil(lambda: window.dashboard.in_front[0] == "tour")
        assert opened.instance.value.path == path
    window.dashboard.show_view("race")
    press(window, Qt.Key.Key_G, CONTROL)
    with qtbot.waitSignal(opened.runs.ended, timeout=LONGEST):
        click(tile(opened))
        double_click(tile(opened))
    assert window.dashboard.in_front[0] == "tour"
    window.dashboard.show_view("decision")  # what is of a run stays
    press(window, Qt.Key.Key_G, CONTROL)
    click(tile(opened))
    qtbot.waitUntil(window.dashboard.isVisible)
    assert window.dashboard.in_front[0] == "decision"
    window.dashboard.show_view("race")
    open_(qtbot, opened, GRID)  # by the menu: for a race on it
    assert window.dashboard.in_front[0] == "race"

    press(window, Qt.Key.Key_G, CONTROL)
    click(window.gallery.tabs.buttons["generate"])
    write(window.gallery.generate.n, "30")
    with qtbot.waitSignal(opened.files.ready):
        click(window.gallery.generate.open_button)
    assert window.dashboard.in_front[0] == "tour"


def test_files_that_cannot_be_shown_and_damaged_pictures(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    window = opened.window
    for picture in gallery.thumbnail_folder().glob("*.png"):
        picture.unlink()
    broken = tmp_path / "broken<b>.tsp"
    broken.write_text("NAME: broken\nDIMENSION: 3\n")
    window.dialogs.remember(broken)
    drawn(qtbot, opened)
    qtbot.waitUntil(lambda: opened.gallery.idle)
    for picture in gallery.thumbnail_folder().glob("*.png"):
        picture.write_bytes(picture.read_bytes()[:200])
    opened.gallery.refresh()
    qtbot.waitUntil(lambda: opened.gallery.idle)
    assert window.banner.text == ""
    one = tile(opened, broken)
    assert one.entry.found.startswith("Cannot be shown: ")
    whole = [path.read_bytes() for path in gallery.thumbnail_folder().glob("*.png")]
    assert len(whole) == 4
    assert min(map(len, whole)) > 200
    click(one)
    qtbot.waitUntil(lambda: window.banner.text != "")
    assert window.gallery.isVisible()
    open_(qtbot, opened)
    qtbot.waitUntil(window.dashboard.isVisible)
    press(window, Qt.Key.Key_G, CONTROL)
    click(window.gallery.back_button)
    assert window.dashboard.isVisible()


def test_an_instance_is_made_with_a_preview(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    window, page = opened.window, opened.window.gallery.generate
    click(window.gallery.tabs.buttons["generate"])
    qtbot.waitUntil(lambda: page.preview.picture is not None)
    assert "The shortest tour is about" in page.state.text()
    first = page.preview.picture
    write(page.n, "30")
    qtbot.waitUntil(lambda: page.preview.picture is not first)
    choose(page.kind, "Random graph")
    assert page.n.maximum() == 2_000_000
    assert page.density.text() == "50 %"
    with QSignalBlocker(page):
        page.n.setValue(1_000_001)
        assert page.density.text() == "0.001 %"  # ten neighbours each
        page.density.setValue(99)
        assert page.recipe.density == 0.0000399  # for as many edges as can be made
    page.n.setValue(12)
    assert page.density.text() == "50 %"
    write(page.density, "40")
    qtbot.waitUntil(lambda: page.state.text().endswith("edges"))
    saved = tmp_path / "mine.col"
    opened.generating.save(page.recipe, saved)
    qtbot.waitUntil(lambda: window.banner.text == "mine.col is written")
    assert saved.read_text().count("\np edge 12 ") == 1
    with qtbot.waitSignal(opened.files.ready):
        click(page.open_button)
    assert opened.instance.value.path == own_instances.made_folder() / "random-12-0.4-seed1.col"


def test_an_instance_is_downloaded_and_opened(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    n, edges, _ = mycielski(6)
    text = "\n".join([f"p col {n} {len(edges)}", *(f"e {u + 1} {v + 1}" for u, v in edges), ""])
    (tmp_path / "myciel5.col").write_text(text)
    page = opened.window.gallery.download
    opened.downloading.mirror = "http://127.0.0.1:9"  # nobody answers there
    click(opened.window.gallery.tabs.buttons["download"])
    qtbot.waitUntil(lambda: len(page.table.content.rows) > 40)
    write(page.search, "myciel5")
    press(page.search, Qt.Key.Key_Return)
    assert page.chosen == ["myciel5"]
    press(page.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "no connection to it: is this computer online?" in page.state.text())

    with published(tmp_path) as opened.downloading.mirror:
        click(page.fetch_button)
        qtbot.waitUntil(lambda: page.state.text().startswith("1 instance fetched"))
        qtbot.waitUntil(page.open_button.isEnabled)
    kept = downloads.folder() / "myciel5.col"
    drawn(qtbot, opened, kept)  # it is in the gallery
    page.table.setFocus()
    with qtbot.waitSignal(opened.files.ready):
        press(page.table, Qt.Key.Key_Return)
    assert opened.instance.value.path == kept


TOML = """
title = "Tiny"
instances = ["ring-50", "myciel5"]
seeds = { first = 1, count = 3 }
[budget]
iterations = 4
[[colony]]
label = "CPU"
colony = "acs-seq"
[[colony]]
label = "GPU"
colony = "acs-gpu-alt"
device = "cuda"
[paper]
authors = "A. Author"
year = 1999
title = "A <b>paper</b>"
item = "Table 1"
shows = "How long cities take"
hours = 30
"""


def test_a_study_of_a_paper_is_opened_and_its_page_shown(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = Item.from_toml("1999/table-1", Path("1999-table-1.toml"), TOML)
    controller = "app.window.controllers.batch.papers"
    pages: list[QUrl] = []
    monkeypatch.setattr(f"{controller}.items", lambda: (item,))
    monkeypatch.setattr(f"{controller}.find_item", lambda name: item)
    monkeypatch.setattr(f"{controller}.survey", lambda: WITHOUT_GPU)
    monkeypatch.setattr(f"{controller}._made_page", lambda name: studies_folder() / "page.html")
    monkeypatch.setattr(f"{controller}.QDesktopServices.openUrl", pages.append)
    opened.downloading.mirror = "http://127.0.0.1:9"
    gallery = opened.window.gallery
    page = gallery.papers
    click(gallery.tabs.buttons["papers"])
    qtbot.waitUntil(lambda: bool(page.cards))
    card = page.cards["1999/table-1"]
    assert (card.row.runs, card.row.time) == (
        "Runs in part",
        "Took 30 hours on the paper's hardware.",
    )
    assert card.row.why == "Needs a GPU: acs-gpu-alt. To download: myciel5."
    assert not card.page_button.isVisible()
    click(card.open_button)
    study = opened.window.view(StudyView)
    qtbot.waitUntil(lambda: study.isVisible() and study.form.instances.texts == ["ring-50"])

    press(opened.window, Qt.Key.Key_G, CONTROL)
    (studies_folder() / "1999-table-1.sqlite").write_bytes(b"results")
    opened.papers.refresh()
    qtbot.waitUntil(lambda: page.cards["1999/table-1"].page_button.isVisible())
    click(page.cards["1999/table-1"].page_button)
    qtbot.waitUntil(lambda: bool(pages))
    assert pages[0].fileName() == "page.html"
    click(page.cards["1999/table-1"].fetch_button)
    assert gallery.download.isVisible()
    qtbot.waitUntil(lambda: "is this computer online?" in gallery.download.state.text())
    gallery.show_page("instances")
    click(gallery.instances.tiles[DRAW.path])
    assert opened.drawing.board.isVisible()
    opened.drawing.board.reject()


def test_the_results_that_come_with_the_program_are_one_click_away_without_a_gpu(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = find_item("2020/figure-8")
    controller = "app.window.controllers.batch.papers"
    monkeypatch.setattr(f"{controller}.items", lambda: (item,))
    monkeypatch.setattr(f"{controller}.survey", lambda: WITHOUT_GPU)
    gallery = opened.window.gallery
    click(gallery.tabs.buttons["papers"])
    qtbot.waitUntil(lambda: bool(gallery.papers.cards))
    card = gallery.papers.cards[item.name]
    assert card.row.runs == "Cannot run here"
    assert card.row.kept.startswith("Shipped runs: ")
    qtbot.waitUntil(card.page_button.isVisible)
    before = item.kept_results.read_bytes()
    click(card.kept_button)
    study = opened.window.view(StudyView)
    qtbot.waitUntil(lambda: bool(study.results.table.content.rows), timeout=60_000)
    assert study.results.choice.title == f"{item.item}: {MEASURES['occupancy'][0]}"
    said = study.results.origin.text()
    assert said.startswith("These runs come with the program. Measured on NVIDIA H200, 2026-")
    assert card.row.kept.endswith(f"{said.partition('. ')[2]}.")
    claims = study.pages.buttons["claims"]
    assert claims.isVisible()
    click(claims)
    assert study.claims.isVisible()
    assert len(study.claims.cards) == len(item.claims)
    assert study.claims.title.text().startswith("Fig. 8: Occupancy")
    assert "reproduced" in study.claims.counts.text()
    # runs of one's own go elsewhere
    assert study.form.results == str(studies_folder() / item.kept_results.name)
    assert item.kept_results.read_bytes() == before
    assert study.start.text() == "Start"


def test_a_study_of_no_paper_has_no_claims(opened: Application) -> None:
    study = opened.window.view(StudyView)
    opened.window.dashboard.show_view(StudyView.key)
    study.show_claims("Fig. 1", "1 reproduced", [("Section 1: so", "reproduced", "So.")])
    study.show_page("claims")
    assert study.claims.isVisible()
    study.show_claims("", "", ())
    assert not study.pages.buttons["claims"].isVisible()
    assert not study.claims.isVisible()

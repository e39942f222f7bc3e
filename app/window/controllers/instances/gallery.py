"""Fills the gallery, and opens what the user chooses there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.files import gallery
from app.files.gallery import Look
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.run.log.archive import Archive


class GalleryController(Controller):
    """Has the pictures drawn while the gallery is in sight, one after the other."""

    open_wanted = Signal(object)  # path of the instance that the user has chosen

    def __init__(self, parts: Parts, archive: Callable[[], Archive], parent: QObject) -> None:
        """``archive`` returns the runs whose solutions are shown."""
        super().__init__(parts, parent)
        self._archive = archive
        self._looking: Task[None] | None = None
        self._chosen: Path | None = None  # the instance that was chosen here, until it is open
        self._to_start: Path | None = None  # the instance that is solved once it is open
        self._pages, self._page = self._window.pages, self._window.gallery.instances
        view, window = self._window.gallery, self._window
        view.seen.connect(self._seen)
        view.instances.opened.connect(self._open)
        view.instances.started.connect(self.start)
        view.draw_requested.connect(window.actions_["draw"].trigger)
        view.open_requested.connect(window.dialogs.ask_to_open)
        window.open_requested.connect(self._other_opened)
        window.theme_choice.changed.connect(self.refresh)

    @property
    def idle(self) -> bool:
        """Whether all that was to be drawn is drawn."""
        return self._looking is None

    @Slot()
    def refresh(self) -> None:
        """Look again for instances, and for what runs have found, if the gallery is in sight."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        view, window = self._window.gallery, self._window
        if not view.isVisible():
            return
        recent, archive = window.dialogs.recent(), self._archive()
        theme, ratio = window.theme, view.devicePixelRatioF()

        def look(task: Task[None]) -> None:
            shelves = gallery.shelves(recent)
            task.post(self._page.show_shelves, shelves)
            found = archive.read(lambda: task.cancelled)
            runs = gallery.runs_by_instance(found.rows)
            for entry in (entry for shelf in shelves for entry in shelf.entries):
                if task.cancelled:
                    return
                task.post(self._show, gallery.look_at(entry, runs, theme, ratio))

        self._looking = self._background.start(Task(look, self._looked, self._not_looked))

    def _looked(self, _: None = None) -> None:
        self._looking = None

    def _not_looked(self, sentence: str) -> None:
        self._looking = None
        self._window.tell(sentence)

    def _show(self, look: Look) -> None:
        self._page.show_entry(look.entry, look.picture)

    @Slot(bool)
    def _seen(self, seen: bool) -> None:
        instance = self._instance.value
        self._window.gallery.offer_back("" if instance is None else instance.name)
        self._page.show_waiting(None)
        self.refresh()

    @Slot(object)
    def _open(self, path: Path) -> None:
        """Open an instance; if it is the one that is loaded, go back to it."""
        self._to_start = None
        self._pages.wait_for_click()
        instance = self._instance.value
        if instance is not None and instance.path == path:
            self._show_map()
            self._pages.show_views()
            return
        self._page.show_waiting(path)
        self._chosen = path
        self.open_wanted.emit(path)

    @Slot(object)
    def choose(self, path: Path) -> None:
        """Bring the map to the front once this instance, chosen in the gallery, is open."""
        self._chosen, self._to_start = path, None

    @Slot(object)
    def start(self, path: Path) -> None:
        """Open an instance, and solve it."""
        instance = self._instance.value
        if instance is None or instance.path != path:
            self._page.show_waiting(path)
            self._chosen = self._to_start = path
            self._pages.wait_no_more()
            self.open_wanted.emit(path)
        else:
            self._show_map()
            self._pages.wait_no_more()
            self._pages.show_views()
            self._begin()

    @Slot()
    def go_on(self) -> None:
        """Show the map of the instance that is open now, if it was chosen here, and solve it."""
        chosen, start, instance = self._chosen, self._to_start, self._instance.value
        if chosen is None or instance is None or instance.path != chosen:
            return
        self._chosen = self._to_start = None
        self._show_map()
        if start == chosen:
            self._begin()

    @Slot()
    def give_up(self) -> None:
        """Say of no instance any more that it is being opened; show where there are others."""
        self._chosen = self._to_start = None
        self._page.show_waiting(None)
        if self._instance.value is None:
            self._pages.show_gallery()

    @Slot()
    def _other_opened(self) -> None:
        self._chosen = self._to_start = None

    def _show_map(self) -> None:
        """Bring the map to the front where runs, a race or a study are: Start would be for them."""
        dashboard = self._window.dashboard
        if not dashboard.views[dashboard.in_front[0]].of_run:
            dashboard.show_map()

    def _begin(self) -> None:
        if self._window.activity.goes_on:
            return
        if problem := self._window.problem:
            self._window.tell(problem)
        else:
            self._window.run.start.emit()

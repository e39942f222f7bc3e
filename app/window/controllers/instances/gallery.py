"""The gallery: what is there, what can be downloaded, and what is made; each in a thread."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSize, Signal, Slot
from PySide6.QtGui import QImage

from app.files import downloads, gallery, own_instances
from app.files.gallery import Look
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.files import exists
from gpu.core.words import counted
from gpu.problems.bundled import published_size
from gpu.problems.making import Recipe
from views.gallery.download_page import PublishedRow


class GalleryController(Controller):
    """Has the pictures drawn while the gallery is in sight, one after the other."""

    open_wanted = Signal(object)  # path of the instance that the user has chosen
    listed = Signal()  # all instances are there, or cannot be listed; their pictures come later

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._archive = parts.archive  # has the runs whose solutions are shown
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
        recent, archive = window.dialogs.recent(), self._archive
        theme, ratio = window.theme, view.devicePixelRatioF()

        def look(task: Task[None]) -> None:
            shelves = gallery.shelves(recent)
            task.post(self._page.show_shelves, shelves)
            task.post(self.listed.emit)
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
        self.listed.emit()
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


class DownloadController(Controller):
    """Fetches what is chosen, one instance after the other."""

    open_wanted = Signal(object)  # path of a downloaded instance
    fetched = Signal()  # there is one instance more

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self.mirror = ""  # address of the files; by default the collections' own
        self._page = self._window.gallery.download
        self._task: Task[int] | None = None
        self._page.shown.connect(self.refresh)
        self._page.fetch_wanted.connect(self.fetch)
        self._page.cancel_wanted.connect(self.cancel)
        self._page.open_wanted.connect(lambda name: self.open_wanted.emit(downloads.file_of(name)))

    @Slot()
    def refresh(self) -> None:
        """List all published instances, and say which are here."""
        self._background.start(Task(lambda _: published(), self._page.show_rows))

    @Slot(object)
    def fetch(self, names: list[str]) -> None:
        """Fetch the instances ``names``."""
        if self._task is not None or not names:
            return
        page, mirror = self._page, self.mirror

        def work(task: Task[int]) -> int:
            for at, name in enumerate(names):
                which = f" ({at + 1} of {len(names)})" if len(names) > 1 else ""
                text = f"Fetching {name}{which} …"
                task.post(page.show_work, text, None)

                def told(share: float | None, text: str = text) -> None:
                    task.post(page.show_work, text, share)

                downloads.download(name, mirror, told, lambda: task.cancelled)
                task.post(self._one_more)
            return len(names)

        page.show_work(f"Fetching {names[0]} …")
        self._task = self._background.start(Task(work, self._done, self._failed))

    @Slot()
    def cancel(self) -> None:
        """Give up what is being fetched; what is here already stays."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self._page.show_work("")
            self._page.tell("Cancelled")

    def _one_more(self) -> None:
        self.refresh()
        self.fetched.emit()

    def _done(self, count: int) -> None:
        self._task = None
        self._page.show_work("")
        self._page.tell(f"{counted(count, 'instance')} fetched: a double click opens one")

    def _failed(self, sentence: str) -> None:
        self._task = None
        self._page.show_work("")
        self._page.tell(sentence, "problem")


def published() -> list[PublishedRow]:
    """Return a row for each instance that can be fetched; any thread may call this."""
    return [
        PublishedRow(
            name,
            published_size(name),
            source.problem.words.places,
            source.title,
            exists(downloads.file_of(name)),
        )
        for source in downloads.sources()
        for name in source.sha256
    ]


class GenerateController(Controller):
    """Draws one preview at a time; of those that are asked for meanwhile, only the newest."""

    made = Signal(object)  # path of an instance that is to be opened

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._page = self._window.gallery.generate
        self._drawing: Task[tuple[QImage, str]] | None = None
        self._next: tuple[Recipe, QSize] | None = None  # waits for the preview under way
        self._page.preview_wanted.connect(self._preview)
        self._page.open_wanted.connect(self._open)
        self._page.save_wanted.connect(self._ask_where_to_save)

    @Slot(object, object)
    def _preview(self, recipe: Recipe, size: QSize) -> None:
        self._next = recipe, size
        self._draw()

    def _draw(self) -> None:
        if self._drawing is not None or self._next is None:
            return
        (recipe, size), self._next = self._next, None
        theme, ratio = self._window.theme, self._page.devicePixelRatioF()
        task = Task(
            lambda _: own_instances.preview(recipe, theme, size, ratio),
            lambda found: self._page.show_preview(*found),
            lambda sentence: self._page.tell(sentence, "problem"),
        )
        task.ended.connect(self._drawn)
        self._drawing = self._background.start(task)

    @Slot(object)
    def _drawn(self, _: object) -> None:
        self._drawing = None
        self._draw()

    @Slot(object)
    def _open(self, recipe: Recipe) -> None:
        task = Task(lambda _: own_instances.keep_made(recipe), self.made.emit, self._fail)
        self._background.start(task)

    @Slot(object)
    def _ask_where_to_save(self, recipe: Recipe) -> None:
        def save(path: Path) -> None:
            self.save(recipe, path)

        name, suffix = recipe.name, recipe.suffix
        filter_ = f"Instance (*{suffix})"
        self._window.dialogs.ask_to_save("Save the instance", name, suffix, filter_, save)

    def save(self, recipe: Recipe, path: Path) -> None:
        """Write what ``recipe`` describes to ``path``."""

        def done(_: Path) -> None:
            self._window.tell_written(path)

        self._background.start(
            Task(lambda _: own_instances.save_made(recipe, path), done, self._fail)
        )

    def _fail(self, sentence: str) -> None:
        self._window.tell(sentence)

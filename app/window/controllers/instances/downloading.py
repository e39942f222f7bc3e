"""Fetches published instances while the window goes on."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.files import downloads
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.files import exists
from gpu.core.problem import Problem
from gpu.core.words import counted
from gpu.problems.bundled import published_size
from views.gallery.download_page import PublishedRow


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
            (Problem.COLORING if source.kept == ".col" else Problem.TSP).words.places,
            source.title,
            exists(downloads.file_of(name)),
        )
        for source in downloads.sources()
        for name in source.digests
    ]

"""Makes instances of any size: previews while the user describes one, and the file at the end."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSize, Signal, Slot
from PySide6.QtGui import QImage

from app.files import generated
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from views.gallery.generate_page import Wish


class GenerateController(Controller):
    """Draws one preview at a time; of those that are asked for meanwhile, only the newest."""

    made = Signal(object)  # path of an instance that is to be opened

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._page = self._window.gallery.generate
        self._drawing: Task[tuple[QImage, str]] | None = None
        self._next: tuple[Wish, QSize] | None = None  # waits for the preview under way
        self._page.show_kinds(generated.kind_rows())
        self._page.preview_wanted.connect(self._preview)
        self._page.open_wanted.connect(self._open)
        self._page.save_wanted.connect(self._ask_where_to_save)

    @Slot(object, object)
    def _preview(self, wish: Wish, size: QSize) -> None:
        self._next = wish, size
        self._draw()

    def _draw(self) -> None:
        if self._drawing is not None or self._next is None:
            return
        (wish, size), self._next = self._next, None
        theme, ratio = self._window.theme, self._page.devicePixelRatioF()
        task = Task(
            lambda _: generated.preview(wish, theme, size, ratio),
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
    def _open(self, wish: Wish) -> None:
        task = Task(lambda _: generated.keep(wish), self.made.emit, self._fail)
        self._background.start(task)

    @Slot(object)
    def _ask_where_to_save(self, wish: Wish) -> None:
        def save(path: Path) -> None:
            self.save(wish, path)

        name, suffix = generated.name_of(wish), generated.suffix_of(wish)
        self._window.dialogs.ask_to_save_instance(name, suffix, save)

    def save(self, wish: Wish, path: Path) -> None:
        """Write what ``wish`` describes to ``path``."""

        def done(_: Path) -> None:
            self._window.tell(f"{path.name} is written", "done")

        self._background.start(Task(lambda _: generated.save(wish, path), done, self._fail))

    def _fail(self, sentence: str) -> None:
        self._window.tell(sentence)

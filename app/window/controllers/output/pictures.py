"""Pictures of views: for print, with a preview, and on the clipboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication, QImage

from app.files.picture_files import write_picture
from app.window.controllers.controller import Controller, Parts
from app.window.controllers.runs.run_text import caption_of, title_of
from app.window.threads.tasks import Task
from views.frame.dialogs.print_picture import MAKERS, Subject, preview
from views.widgets.picture_export import image_steps
from views.widgets.steps import Steps
from views.widgets.view import View


class PictureController(Controller):
    """Draws pictures as the user wants them, and writes them in the background."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        window = self._window
        self._dialogs = window.dialogs
        window.actions_.connect(
            {
                "picture": lambda: self.ask(window.dashboard.front.key),
                "copy-picture": self.copy_picture,
            }
        )
        for pane in window.dashboard.panes:
            pane.picture_requested.connect(self.ask)
        self._dialogs.to_picture.connect(self.export_picture)
        self._dialogs.preview_wanted.connect(self._preview)

    def caption_of(self, view: View) -> str:
        """What a picture of ``view`` shows, in one line."""
        if (source := view.source) is not None:
            return source.text
        if (run := self._runs.current) is not None:
            return f"{title_of(run)}  ·  {view.moment}" if view.moment else caption_of(run)
        return self._instance.value.name if self._instance.value else ""

    @Slot(str)
    def ask(self, key: str) -> None:
        """Let the user say how a picture of the view ``key`` is to look."""
        titles = {one: view.title for one, view in self._window.dashboard.views.items()}
        self._dialogs.ask_for_look(titles, key)

    @Slot(str, str, object)
    def export_picture(self, key: str, form: str, path: Path) -> None:
        """Write a picture of the view ``key``, in a form of ``FORMS``, as was chosen last."""
        look = self._dialogs.look
        self._window.steps.begin(
            lambda: MAKERS[form](self._subject(key), look),
            lambda picture: self._write(path, picture),
        )

    def _write(self, path: Path, picture: QImage | bytes) -> None:
        tell, written = self._window.tell, f"{path.name} is written"
        task = Task(lambda _: write_picture(path, picture), lambda _: tell(written, "done"), tell)
        self._background.start(task)

    @Slot()
    def copy_picture(self) -> None:
        """Put a picture of the view in front on the clipboard."""
        window = self._window
        view = window.dashboard.front

        def make() -> Steps[QImage]:
            yield from view.theme_steps()
            view.draw_all()
            return (yield from image_steps(view, window.theme, self.caption_of(view)))

        def copy(image: QImage) -> None:
            QGuiApplication.clipboard().setImage(image)
            window.tell(f"A picture of the view {view.title} is on the clipboard", "done")

        window.steps.begin(make, copy)

    @Slot()
    def _preview(self) -> None:
        self._window.steps.begin(self._make_preview, self._show_preview)

    def _make_preview(self) -> Steps[tuple[QImage, float] | None]:
        dialog = self._dialogs.picture
        if dialog is None or not dialog.isVisible() or dialog.look.problem:
            return None
        return (yield from preview(self._subject(dialog.key), dialog.look, dialog.room))

    def _show_preview(self, made: tuple[QImage, float] | None) -> None:
        dialog = self._dialogs.picture
        if made is not None and dialog is not None and not dialog.look.problem:
            dialog.show_preview(*made)

    def _subject(self, key: str) -> Subject:
        view = self._window.dashboard.views[key]
        return Subject(view, self.caption_of(view), self._window.theme)

"""Dialogs that ask for files, and the list of recent files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from views.frame.actions import EXPORTS
from views.problem_display import FILES

MOST_RECENT = 8  # how many instances are remembered
_FORMS = {"png": "PNG picture (*.png)", "svg": "SVG picture (*.svg)"}


class FileDialogs(QObject):
    """File dialogs that do not block the event loop, and the list of recent instances."""

    to_open = Signal(object)  # path of a file
    to_export = Signal(str, object)  # a name in ``EXPORTS`` and the path to write
    to_picture = Signal(str, str, object)  # key of a view, "png" or "svg", and the path to write

    def __init__(self, window: QWidget, settings: QSettings) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self.stem = "formicarium"  # first part of the file names that are offered

    def ask_to_open(self) -> None:
        """Let the user choose an existing file."""
        title = "Open an instance or a recorded run"
        dialog = self._dialog(title, FILES, "open-folder", self.to_open.emit)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.open()

    def ask_for_export(self, name: str) -> None:
        """Let the user choose where to write the export ``name``, a key of ``EXPORTS``."""
        text, suffix, filter_ = EXPORTS[name]
        file_name = f"{self.stem}.{suffix}"
        chosen = partial(self.to_export.emit, name)
        self._ask_to_save(text.rstrip("…"), file_name, filter_, chosen)

    def ask_for_picture(self, key: str, form: str) -> None:
        """Let the user choose where to write a picture of the view ``key``."""
        title, file_name = f"Picture of the view {key}", f"{self.stem}-{key}.{form}"
        chosen = partial(self.to_picture.emit, key, form)
        self._ask_to_save(title, file_name, _FORMS[form], chosen)

    def recent(self) -> list[Path]:
        """Return the recent instances that still exist, the latest first."""
        kept = self._settings.value("recent")
        texts = [kept] if isinstance(kept, str) else kept if isinstance(kept, list) else []
        return [path for text in texts if (path := Path(str(text))).exists()]

    def remember(self, path: Path) -> None:
        """Put ``path`` first among the recent instances."""
        path = path.absolute()
        paths = [path, *(other for other in self.recent() if other != path)][:MOST_RECENT]
        self._settings.setValue("recent", [str(p) for p in paths])

    def _ask_to_save(
        self, title: str, name: str, filter_: str, chosen: Callable[[Path], object]
    ) -> None:
        dialog = self._dialog(title, filter_, "save-folder", chosen)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setDefaultSuffix(name.rpartition(".")[2])
        dialog.selectFile(name)
        dialog.open()

    def _dialog(
        self, title: str, filter_: str, key: str, chosen: Callable[[Path], object]
    ) -> QFileDialog:
        dialog = QFileDialog(self._window, title)
        dialog.setNameFilter(filter_)
        folder = Path(str(self._settings.value(key, "")))
        dialog.setDirectory(str(folder if folder.is_dir() else Path.home()))

        def accept(text: str) -> None:
            self._settings.setValue(key, str(Path(text).parent))
            chosen(Path(text))

        dialog.fileSelected.connect(accept)
        dialog.finished.connect(dialog.deleteLater)
        return dialog

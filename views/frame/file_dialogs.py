"""Dialogs that ask for files, and the list of recent files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from views.frame.actions import EXPORTS

MOST_RECENT = 8
"""How many instances are remembered."""

_FORMS = {"png": "PNG picture (*.png)", "svg": "SVG picture (*.svg)"}


class FileDialogs(QObject):
    """File dialogs that do not block the event loop, and the list of recent instances.

    Parameters
    ----------
    window : QWidget
        Parent of the dialogs.
    settings : QSettings
        Where folders and recent files are kept.

    Attributes
    ----------
    stem : str
        First part of the file names that are offered.
    to_open : Signal
        Path of a file to open.
    to_export : Signal
        A name in ``EXPORTS`` and the path to write.
    to_picture : Signal
        Key of a view, "png" or "svg", and the path to write.
    """

    to_open = Signal(object)
    to_export = Signal(str, object)
    to_picture = Signal(str, str, object)

    def __init__(self, window: QWidget, settings: QSettings) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self.stem = "formicarium"

    def ask_to_open(self, title: str, filter_: str) -> None:
        """Let the user choose an existing file."""
        dialog = self._dialog(title, filter_, "open-folder", self.to_open.emit)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.open()

    def ask_for_export(self, name: str) -> None:
        """Let the user choose where to write the export ``name``, a key of ``EXPORTS``."""
        text, suffix, filter_ = EXPORTS[name]
        self._ask_to_save(
            text.rstrip("…"),
            f"{self.stem}.{suffix}",
            filter_,
            lambda path: self.to_export.emit(name, path),
        )

    def ask_for_picture(self, key: str, form: str) -> None:
        """Let the user choose where to write a picture of the view ``key``."""
        self._ask_to_save(
            f"Picture of the view {key}",
            f"{self.stem}-{key}.{form}",
            _FORMS[form],
            lambda path: self.to_picture.emit(key, form, path),
        )

    def recent(self) -> list[Path]:
        """Return the recent instances that still exist, the latest first."""
        kept = self._settings.value("recent")
        texts = [kept] if isinstance(kept, str) else kept if isinstance(kept, list) else []
        return [path for text in texts if (path := Path(str(text))).exists()]

    def remember(self, path: Path) -> list[Path]:
        """Put ``path`` first among the recent instances, and return them."""
        path = path.absolute()
        paths = [path, *(other for other in self.recent() if other != path)][:MOST_RECENT]
        self._settings.setValue("recent", [str(p) for p in paths])
        return paths

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

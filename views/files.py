"""Asking for files, and remembering them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QFileDialog, QWidget

MOST_RECENT = 8
"""Instances that are remembered."""


class Files:
    """File dialogs that do not hold up the event loop, and the list of recent instances.

    Parameters
    ----------
    window : QWidget
        Parent of the dialogs.
    settings : QSettings
        Where folders and recent files are kept.
    """

    def __init__(self, window: QWidget, settings: QSettings) -> None:
        self._window = window
        self._settings = settings

    def ask_to_open(self, title: str, filter_: str, chosen: Callable[[Path], object]) -> None:
        """Let the user choose a file that is there, then call ``chosen``."""
        dialog = self._dialog(title, filter_, "open-folder", chosen)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.open()

    def ask_to_save(
        self, title: str, name: str, filter_: str, chosen: Callable[[Path], object]
    ) -> None:
        """Let the user choose where to save, offering ``name``, then call ``chosen``."""
        dialog = self._dialog(title, filter_, "save-folder", chosen)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setDefaultSuffix(name.rpartition(".")[2])
        dialog.selectFile(name)
        dialog.open()

    def recent(self) -> list[Path]:
        """Return the instances opened last that are still there, latest first."""
        kept = self._settings.value("recent")
        texts = [kept] if isinstance(kept, str) else kept if isinstance(kept, list) else []
        return [path for text in texts if (path := Path(str(text))).exists()]

    def remember(self, path: Path) -> list[Path]:
        """Put ``path`` first among the recent instances, and return them."""
        path = path.absolute()
        paths = [path, *(other for other in self.recent() if other != path)][:MOST_RECENT]
        self._settings.setValue("recent", [str(p) for p in paths])
        return paths

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

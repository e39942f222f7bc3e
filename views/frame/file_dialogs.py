"""Dialogs that ask for files, and the list of recent files."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QFileInfo, QObject, Signal
from PySide6.QtWidgets import QFileDialog, QFileIconProvider, QWidget

from views.frame.actions import EXPORTS
from views.frame.picture_dialog import PictureDialog
from views.frame.picture_look import PICTURE_FILTERS, PictureLook
from views.frame.settings import Settings
from views.problem_display import FILES

MOST_RECENT = 8  # how many instances are remembered
MOST_READINGS = 200  # files of which is kept how they are read
LONGEST_STEM = 80  # most characters of a name that is offered
_NO_RECENT: list[str] = []


class _FileKinds(QFileIconProvider):
    """Says of what kind a file is from its name.

    Qt would look each one up in its list of all kinds: a folder of 400 files took 90 ms.
    """

    def type(self, info: QFileInfo) -> str:
        """Return what the column Type shows."""
        return "Folder" if info.isDir() else f"{info.suffix().upper()} file".strip()


class FileDialogs(QObject):
    """File dialogs that do not block the event loop, and the list of recent instances."""

    to_open = Signal(object)  # path of a file
    to_open_as = Signal(object)  # the same, for somebody who says how it is read
    to_export = Signal(str, object)  # a name in ``EXPORTS`` and the path to write
    preview_wanted = Signal()  # the user has changed how a picture is to look
    to_picture = Signal(
        str, str, object
    )  # key of a view, a key of ``PICTURE_FILTERS``, and the path to write

    def __init__(self, window: QWidget, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._kinds = _FileKinds()
        self.picture: PictureDialog | None = None  # made when it is wanted
        # Takes a name in ``EXPORTS`` or the key of a view; returns how the offered name begins.
        self.stem_of: Callable[[str], str] = lambda _: "formicarium"
        # Takes the same; returns the folder that is offered, or None for that of the last export.
        self.folder_of: Callable[[str], Path | None] = lambda _: None
        # Takes the path of an instance; returns its folder if it is one of the user's own.
        self.own_folder: Callable[[Path], Path | None] = lambda path: path.parent

    def ask_to_open(self) -> None:
        """Let the user choose an existing file."""
        title = "Open an instance or a recorded run"
        self.ask_for_file(title, FILES, "open-folder", self.to_open.emit)

    def ask_to_open_as(self) -> None:
        """Let the user choose a file, and then say how it is read."""
        title = "Open a file, and say how it is read"
        self.ask_for_file(title, "All files (*)", "open-folder", self.to_open_as.emit)

    def ask_for_export(self, name: str) -> None:
        """Let the user choose where to write the export ``name``, a key of ``EXPORTS``."""
        text, ending, filter_ = EXPORTS[name]
        chosen = partial(self.to_export.emit, name)
        self.ask_to_save(
            text.rstrip("…"),
            self.stem_of(name),
            ending,
            filter_,
            chosen,
            folder=self.folder_of(name),
        )

    def ask_for_picture(self, key: str, form: str) -> None:
        """Let the user choose where to write a picture of the view ``key``."""
        title, ending = f"Picture of the view {key}", f"-{key}.{form}"
        chosen = partial(self.to_picture.emit, key, form)
        self.ask_to_save(
            title,
            self.stem_of(key),
            ending,
            PICTURE_FILTERS[form],
            chosen,
            self.picture,
            folder=self.folder_of(key),
        )

    def ask_for_files(self, title: str, key: str, chosen: Callable[[list[Path]], object]) -> None:
        """Let the user choose existing files of instances."""
        dialog = self._dialog(title, FILES, key, lambda _: None)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda texts: chosen([Path(text) for text in texts]))
        dialog.open()

    def ask_for_file(
        self,
        title: str,
        filter_: str,
        key: str,
        chosen: Callable[[Path], object],
        parent: QWidget | None = None,
    ) -> None:
        """Let the user choose an existing file; the setting ``key`` has its folder."""
        dialog = self._dialog(title, filter_, key, chosen, parent)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.open()

    def ask_to_save_drawing(
        self, parent: QWidget, stem: str, chosen: Callable[[Path], object]
    ) -> None:
        """Let the user of ``parent`` choose where to write an instance."""
        self.ask_to_save(
            "Save the drawing", stem, ".tsp", "TSPLIB instance (*.tsp)", chosen, parent
        )

    @property
    def look(self) -> PictureLook:
        """How pictures are to look: what was chosen last."""
        return PictureLook.from_text(self._settings.get("picture", ""))

    def ask_for_look(self, titles: Mapping[str, str], key: str) -> None:
        """Let the user say how a picture is to look, of the view ``key`` or of another one.

        ``titles`` are those of all views, by key.
        """
        if self.picture is None:
            self.picture = PictureDialog(self._window, self._settings)
            self.picture.preview_wanted.connect(self.preview_wanted)
            self.picture.save_requested.connect(self.ask_for_picture)
        self.picture.offer(titles, key)
        self.picture.open()

    def give_up(self) -> None:
        """Close a dialog that asks where to write what is no longer shown."""
        if self.picture is not None:
            self.picture.reject()
        for dialog in self._window.findChildren(QFileDialog):
            if dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave:
                dialog.reject()

    def recent(self) -> list[Path]:
        """Return the recent instances that still exist, the latest first."""
        texts = self._settings.get("recent", _NO_RECENT)
        # Unlike Path.exists, this refuses no text, however long or odd.
        return [Path(text) for text in texts if os.path.exists(text)]  # noqa: PTH110

    def remember(self, path: Path) -> None:
        """Put ``path`` first among the recent instances."""
        path = path.absolute()
        if (folder := self.own_folder(path)) is not None:
            self._settings.put({"open-folder": str(folder)})  # however it was opened
        paths = [path, *(other for other in self.recent() if other != path)][:MOST_RECENT]
        self._settings.put({"recent": [str(p) for p in paths]})

    def reading_of(self, path: Path) -> str:
        """Return how the user has the file at ``path`` read, as he said last; mostly empty."""
        return self._readings().get(str(path.absolute()), "")

    def remember_reading(self, path: Path, read_as: str) -> None:
        """Keep how the user has the file at ``path`` read."""
        kept = {name: one for name, one in self._readings().items() if name != str(path.absolute())}
        kept[str(path.absolute())] = read_as
        self._settings.put({"readings": json.dumps(dict([*kept.items()][-MOST_READINGS:]))})

    def _readings(self) -> dict[str, str]:
        try:
            found = json.loads(self._settings.get("readings", "{}"))
        except (ValueError, RecursionError):
            return {}
        texts = found.items() if isinstance(found, dict) else ()
        return {name: one for name, one in texts if isinstance(one, str)}

    def ask_to_save(
        self,
        title: str,
        stem: str,
        ending: str,
        filter_: str,
        chosen: Callable[[Path], object],
        parent: QWidget | None = None,
        folder: Path | None = None,
    ) -> None:
        """Let the user choose where to write; offer the first name that no file there has.

        That is in this ``folder``, or in that of the last export.
        """
        dialog = self._dialog(title, filter_, "save-folder", chosen, parent)
        if folder is not None and folder.is_dir():
            dialog.setDirectory(str(folder))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setDefaultSuffix(ending.partition(".")[2])
        start = _bare(stem)
        names = (f"{start}{'' if k == 1 else f'-{k}'}{ending}" for k in itertools.count(1))
        dialog.selectFile(next(name for name in names if not dialog.directory().exists(name)))
        dialog.open()

    def _dialog(
        self,
        title: str,
        filter_: str,
        key: str,
        chosen: Callable[[Path], object],
        parent: QWidget | None = None,
    ) -> QFileDialog:
        dialog = QFileDialog(parent or self._window, title)
        dialog.setIconProvider(self._kinds)
        dialog.setNameFilter(filter_)
        dialog.setOption(QFileDialog.Option.HideNameFilterDetails)  # dozens of endings
        folder = self._settings.get(key, "")
        dialog.setDirectory(folder if os.path.isdir(folder) else str(Path.home()))  # noqa: PTH112

        def accept(text: str) -> None:
            self._settings.put({key: str(Path(text).parent)})
            chosen(Path(text))

        dialog.fileSelected.connect(accept)
        dialog.finished.connect(dialog.deleteLater)
        return dialog


def _bare(stem: str) -> str:
    """Return how a file name begins: short, leading to no folder, and hiding nothing."""
    return re.sub(r"[^\w.-]+", "_", stem).lstrip(".-")[:LONGEST_STEM] or "formicarium"

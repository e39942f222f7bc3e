"""Lets the user look at a file that does not say all itself, and say how it is to be read."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog

from app.files.gallery import picture_of
from app.files.importing import Reading, read_so
from app.files.loading import OpenedFile
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.instance import Instance
from gpu.problems.reading import ReadAs
from views.importing.import_sheet import ImportSheet

_DRAWN_AFTER = 120  # milliseconds after the last change of the size until the picture is drawn


class ImportController(Controller):
    """Shows one sheet at a time, and reads its file anew in the background as the user chooses."""

    chosen = Signal(object)  # the OpenedFile with what the user has seen and accepted
    given_up = Signal()

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self.sheet: ImportSheet | None = None
        self._reading: Reading | None = None  # what the sheet shows
        self._task: Task[Reading] | None = None
        self._drawing: Task[QImage] | None = None
        self._draw_soon = QTimer(self, singleShot=True, interval=_DRAWN_AFTER)
        self._draw_soon.timeout.connect(self._draw)

    @Slot(object)
    def show(self, reading: Reading) -> None:
        """Show the sheet for a file that was read in one way; an earlier sheet goes."""
        if self.sheet is not None:
            self.sheet.finished.disconnect()
            self.sheet.reject()
        self.sheet = sheet = ImportSheet(self._window, reading.path.name, self._window.theme)
        sheet.read_as = reading.read_as
        sheet.changed.connect(self._read)
        sheet.resized.connect(self._draw_soon.start)
        sheet.finished.connect(self._finish)
        self._show(reading)
        sheet.open()

    def _read(self, read_as: ReadAs) -> None:
        """Have the file read as the user says now."""
        assert self._reading is not None
        if self._task is not None:
            self._task.cancel()
        path, data = self._reading.path, self._reading.data
        task = Task(lambda _: read_so(path, data, read_as), self._show, self._fail)
        self._task = self._background.start(task)

    def _show(self, reading: Reading) -> None:
        self._task, self._reading = None, reading
        if self.sheet is None:
            return
        instance, told = reading.instance, ""
        found = reading.read_as
        if instance is not None:
            found, told = ReadAs.parse(instance.read_as), _told(instance)
        unit = "" if instance is None else instance.unit
        problem, doubt = reading.problem, reading.doubt
        self.sheet.show_preview(reading.preview, found, told, problem, doubt, unit)
        self.sheet.show_picture(None)  # that of a graph takes its time
        self._draw()

    def _fail(self, sentence: str) -> None:
        """Show that something else has failed than the reading: say, memory is short."""
        self._task = None
        if self.sheet is not None and self._reading is not None:
            self.sheet.show_preview(
                self._reading.preview, self._reading.read_as, "", sentence, None
            )

    @Slot()
    def _draw(self) -> None:
        """Have the map or the matrix drawn, in the size that it has now."""
        if self._drawing is not None:
            self._drawing.cancel()
            self._drawing = None
        sheet, reading = self.sheet, self._reading
        if sheet is None or reading is None:
            return
        instance = reading.instance
        if instance is None:
            sheet.show_picture(None)
            return
        theme, ratio, size = self._window.theme, sheet.devicePixelRatioF(), sheet.picture_size
        self._drawing = self._background.start(
            Task(lambda _: picture_of(instance, theme, ratio, size), sheet.show_picture)
        )

    @Slot(int)
    def _finish(self, result: int) -> None:
        """Open what the user has accepted, or nothing."""
        reading = self._reading
        for task in (self._task, self._drawing):
            if task is not None:
                task.cancel()
        self.sheet = self._reading = self._task = self._drawing = None
        if result == QDialog.DialogCode.Accepted and reading is not None and reading.instance:
            found = ReadAs.parse(reading.instance.read_as)
            said = replace(reading.read_as, kind=reading.read_as.kind or found.kind)
            self._window.dialogs.remember_reading(reading.path, str(said))
            self.chosen.emit(OpenedFile(reading.instance))
        else:
            self.given_up.emit()


def _told(instance: Instance) -> str:
    """Say what a file was taken for, and what is odd about it."""
    said = [f"{one[:1].upper()}{one[1:]}." for one in instance.said]
    return " ".join([f"{instance.size[:1].upper()}{instance.size[1:]}.", *said])

"""The recorded runs of folders: a row for each log, and what the user has written about it."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from gpu.core.colony import never
from gpu.core.cost_curve import RunCurves
from gpu.core.errors import sentence_for
from gpu.run.log.notes import Notes, NotesError
from gpu.run.log.recorded import curves_of
from gpu.run.log.rows import Note, RunRow, RunSummary
from gpu.run.log.run_log import read_log
from gpu.run.log.summary import summary_of_log
from gpu.run.session import SessionError

SUFFIX = ".jsonl"  # of logs
MOST_CURVES = 200  # that are remembered


class Found(NamedTuple):
    """What an archive holds now."""

    rows: list[RunRow]  # the latest run first
    wrong: str  # a sentence about what could not be read; mostly empty


class Archive:
    """Reads the logs in ``folders``. Any thread may call it; a log is read again if it changed."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(dict.fromkeys(folders))
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[tuple[int, int], RunSummary]] = {}
        self._curves: dict[Path, tuple[tuple[int, int], RunCurves]] = {}

    def read(self, cancelled: Callable[[], bool] = never) -> Found:
        """Return a row for each log; those that are read, if somebody has ``cancelled``."""
        rows: list[RunRow] = []
        wrong: list[str] = []
        with self._lock:
            for folder in self.folders:
                try:
                    notes = Notes(folder).read()
                except NotesError as error:
                    notes = {}
                    wrong.append(str(error))
                try:
                    found = self._logs(folder)
                except OSError as error:
                    if folder.exists():
                        wrong.append(sentence_for(error))
                    continue
                for path, stamp in found:
                    if cancelled():
                        break
                    rows.append(RunRow(self._summary(path, stamp), notes.get(path.name, Note())))
        rows.sort(key=_age, reverse=True)
        return Found(rows, "; ".join(wrong))

    def curve(self, path: Path) -> RunCurves:
        """Return the curve of the log at ``path``, thinned to what a plot can show.

        FormicariumError if the log cannot be read.
        """
        try:
            status = path.stat()
        except OSError as error:
            raise SessionError(f"{path}: the log is not there any more") from error
        stamp = status.st_size, status.st_mtime_ns
        known = self._curves.get(path)
        if known is None or known[0] != stamp:
            known = stamp, curves_of(read_log(path)).thinned()
            self._curves[path] = known
            while len(self._curves) > MOST_CURVES:
                self._curves.pop(next(iter(self._curves)), None)
        return known[1]

    def put(self, log: Path, note: Note) -> None:
        """Keep what the user has written about ``log``; NotesError if that is impossible."""
        Notes(log.parent).put(log.name, note)

    def _logs(self, folder: Path) -> list[tuple[Path, tuple[int, int]]]:
        """Return the path of each log in ``folder``, and what changes if the file does."""
        found = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(SUFFIX):
                    continue
                try:
                    status = entry.stat()
                except OSError:  # it has just been removed, or is a link to nowhere or to itself
                    continue
                if stat.S_ISREG(status.st_mode):
                    found.append((folder / entry.name, (status.st_size, status.st_mtime_ns)))
        return found

    def _summary(self, path: Path, stamp: tuple[int, int]) -> RunSummary:
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = self._known[path] = stamp, summary_of_log(path)
        return known[1]


def _age(row: RunRow) -> tuple[float, str]:
    started = row.run.started
    return (0.0 if started is None else started.timestamp()), row.run.path.name

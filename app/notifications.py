"""Handles every unexpected error: the log gets the traceback, the user one sentence."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from gpu.core.errors import sentence_for
from gpu.core.words import shown

if TYPE_CHECKING:
    from PySide6.QtCore import QMessageLogContext, QtMsgType

_log = logging.getLogger(__name__)

LOG_BYTES = 1_000_000  # size at which a new log begins; one older file is kept


class _Log(RotatingFileHandler):
    """A log that ends with the first line that cannot be written, and tells ``failed`` why."""

    failed: Callable[[BaseException], object]

    def handleError(self, record: logging.LogRecord) -> None:
        """Tell it once; ``logging`` would print a traceback for each line."""
        error = sys.exception()
        logging.getLogger().removeHandler(self)
        stream, self.stream = self.stream, None
        if stream is not None:
            with suppress(OSError):  # the line still waits in it
                stream.close()
        if error is not None:
            self.failed(error)


class Notifications:
    """A context manager: within it, the hooks for unexpected errors are its own.

    Messages and tracebacks go into the file ``log``, if one is given. If it cannot be written, the
    user is told, and standard error gets the tracebacks.
    """

    def __init__(self, log: Path | None = None) -> None:
        self.log = log
        self.listeners: list[Callable[[str], object]] = []  # get sentences in the error's thread
        self._undo = ExitStack()
        self._telling = threading.local()

    def tell(self, sentence: str) -> None:
        """Tell ``sentence`` to all listeners; without any, print it to standard error."""
        _log.warning("told the user: %s", sentence)
        if not self.listeners:
            print(f"formicarium: {shown(sentence)}", file=sys.stderr)
        for listener in tuple(self.listeners):
            listener(sentence)

    def report(self, error: BaseException) -> None:
        """Log ``error`` with its traceback, and tell the user."""
        _log.error("unexpected error", exc_info=error)
        if getattr(self._telling, "now", False):
            return  # a listener has raised this error: to tell it again could loop forever
        self._telling.now = True
        try:
            self.tell(sentence_for(error))
        finally:
            self._telling.now = False

    def __enter__(self) -> Notifications:
        """Replace the hooks of the interpreter, of threads and of Qt."""
        from PySide6.QtCore import qInstallMessageHandler

        self._open_log()
        for module in (sys, threading):
            self._undo.callback(setattr, module, "excepthook", module.excepthook)
        sys.excepthook, threading.excepthook = self._on_exception, self._on_thread_exception
        self._undo.callback(qInstallMessageHandler, qInstallMessageHandler(self._on_qt_message))
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def _open_log(self) -> None:
        if self.log is None:
            return
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            handler = _Log(self.log, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8")
        except OSError as error:
            self._no_log(error)
            return
        handler.failed = self._no_log
        handler.setFormatter(
            logging.Formatter("%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s")
        )
        logging.getLogger().addHandler(handler)
        self._undo.callback(handler.close)
        self._undo.callback(logging.getLogger().removeHandler, handler)

    def _no_log(self, error: BaseException) -> None:
        """Tell that the program's log cannot be written."""
        self.tell(f"the program's log cannot be written ({sentence_for(error)})")

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
        else:
            self.report(error)

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
            self.report(args.exc_value)

    def _on_qt_message(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        from PySide6.QtCore import QtMsgType

        levels = {
            QtMsgType.QtDebugMsg: logging.DEBUG,
            QtMsgType.QtInfoMsg: logging.INFO,
            QtMsgType.QtWarningMsg: logging.WARNING,
            QtMsgType.QtCriticalMsg: logging.ERROR,
            QtMsgType.QtFatalMsg: logging.CRITICAL,
        }
        logging.getLogger("qt").log(levels[kind], "%s", message)

"""Handles every unexpected error: the log gets the traceback, the user one sentence."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from gpu.core.errors import sentence_for

if TYPE_CHECKING:
    from PySide6.QtCore import QMessageLogContext, QtMsgType

_log = logging.getLogger(__name__)


LOG_BYTES = 1_000_000
"""Size at which a new log begins; one older file is kept."""


class Notifications:
    """Owns the hooks for unexpected errors while it is installed.

    Use it as a context manager, or call :meth:`install` and :meth:`uninstall`. An object that
    shows messages to the user calls :meth:`listen`. Its listener is called in the thread of the
    error.

    Parameters
    ----------
    log : Path, optional
        File for messages and tracebacks. If it cannot be written, the user is told, and standard
        error gets the tracebacks.
    """

    def __init__(self, log: Path | None = None) -> None:
        self.log = log
        self._listeners: list[Callable[[str], None]] = []
        self._handler: logging.Handler | None = None
        self._hooks: tuple[object, object] | None = None
        self._qt_handler: object = None
        self._telling = threading.local()

    def listen(self, listener: Callable[[str], None]) -> None:
        """Call ``listener`` with each sentence from now on."""
        self._listeners.append(listener)

    def unlisten(self, listener: Callable[[str], None]) -> None:
        """Stop calling ``listener``."""
        self._listeners.remove(listener)

    def tell(self, sentence: str) -> None:
        """Tell ``sentence`` to all listeners; without any, print it to standard error."""
        _log.warning("told the user: %s", sentence)
        if not self._listeners:
            print(f"formicarium: {sentence}", file=sys.stderr)
        for listener in tuple(self._listeners):
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

    def install(self) -> None:
        """Replace the hooks of the interpreter, of threads and of Qt."""
        if self._hooks is not None:
            return
        self._open_log()
        self._hooks = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        from PySide6.QtCore import qInstallMessageHandler

        self._qt_handler = qInstallMessageHandler(self._on_qt_message)

    def uninstall(self) -> None:
        """Restore the former hooks."""
        if self._hooks is None:
            return
        from PySide6.QtCore import qInstallMessageHandler

        sys.excepthook, threading.excepthook = self._hooks  # type: ignore[assignment]
        self._hooks = None
        qInstallMessageHandler(self._qt_handler)  # type: ignore[arg-type]  # None resets it
        self._qt_handler = None
        if self._handler is not None:
            logging.getLogger().removeHandler(self._handler)
            self._handler.close()
            self._handler = None

    def __enter__(self) -> Notifications:
        self.install()
        return self

    def __exit__(self, *_: object) -> None:
        self.uninstall()

    def _open_log(self) -> None:
        if self.log is None:
            return
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            handler = RotatingFileHandler(
                self.log, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", delay=False
            )
        except OSError as error:
            self.tell(f"the program's log cannot be written ({sentence_for(error)})")
            return
        handler.setFormatter(
            logging.Formatter("%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s")
        )
        self._handler = handler
        logging.getLogger().addHandler(handler)

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

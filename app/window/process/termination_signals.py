"""Obeys Ctrl-C and other signals that end a process, while Qt's event loop runs."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSocketNotifier

from app.termination import termination_signals


@contextmanager
def on_termination(listener: Callable[[], object]) -> Iterator[None]:
    """Call ``listener`` in the event loop when somebody asks the process to end.

    Python runs its signal handlers between two bytecodes, but an idle event loop executes none.
    So Python also writes a byte to a socket at each signal, and that wakes the event loop.
    """
    reader, writer = socket.socketpair()
    for end in (reader, writer):
        end.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda *_: (reader.recv(64), listener()))
    former = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        with termination_signals(lambda _: None):
            yield
    finally:
        signal.set_wakeup_fd(former)
        notifier.setEnabled(False)
        reader.close()
        writer.close()

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QObject, Signal


class Bell(QObject):
    rung = Signal()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="True and None are immortal from 3.12 on")
def test_signals_keep_the_references_of_true_and_none(qapp: object) -> None:
    # PySide6 6.12.0 drops one at each signal, and the interpreter aborts when none is left.
    bell = Bell()
    bell.rung.connect(lambda: None)
    before = sys.getrefcount(True), sys.getrefcount(None)
    for _ in range(100):
        bell.rung.emit()
    after = sys.getrefcount(True), sys.getrefcount(None)
    assert abs(after[0] - before[0]) < 50
    assert abs(after[1] - before[1]) < 50

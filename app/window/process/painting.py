"""How Qt paints: in the thread that asks for it, without others."""

from __future__ import annotations

import os


def paint_alone() -> None:
    """Let no other threads fill the pixels of a painting; must be called before Qt paints.

    Qt would share the pixels of each line and each letter among all cores, and wait for the last
    one. While a colony computes there, 3000 lines across a window took four times as long, and
    half as much processor time again. Who sets Qt's variable decides.
    """
    os.environ.setdefault("QT_NO_GUI_THREADPOOL", "1")

"""When Python looks for garbage: to look through all objects holds up every thread.

What has been imported and compiled are a million objects, none of them garbage: to look through
them takes a tenth of a second, and Python does it the more often the more there are.
"""

from __future__ import annotations

import gc


def put_off() -> None:
    """Look for no garbage until :func:`take_up`: there is little of it."""
    gc.disable()


def take_up() -> None:
    """Look for garbage again if that was put off, but never in what there is by now."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()

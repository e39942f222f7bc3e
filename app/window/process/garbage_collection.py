"""When Python's garbage collector runs: it looks at all objects, and every thread waits for it.

Imports and compilers leave a million objects, and none of them is garbage. To look at all of them
takes a tenth of a second, and the collector does it more often the more objects there are. So the
window opens with the collector off.
"""

from __future__ import annotations

import gc


def resume() -> None:
    """Collect garbage again after ``gc.disable``, but leave out the objects that exist by now."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()

"""What a plot or a canvas shows of its items, and how far it can be zoomed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF

_MOST = 5.0  # widths of the whole in sight, at most: farther away, nothing can be made out


class Box(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no type hints
    """pyqtgraph's view of items, zoomed no farther in or out than there is something to see."""

    def __init__(
        self, least: float, whole: Callable[[], QRectF] | None = None, **options: Any
    ) -> None:
        """Show at least the share ``least`` of the width and height of ``whole()``.

        The whole is where the items are, unless it is given. A side of 0 is not limited.
        """
        super().__init__(enableMenu=False, **options)
        self._least, self._whole = least, whole or self.childrenBoundingRect

    def scaleBy(
        self,
        s: Sequence[float | None] | None = None,
        center: QPointF | None = None,
        x: float | None = None,
        y: float | None = None,
    ) -> None:
        """Zoom by factors; those above 1 show more."""
        across, down = (x, y) if s is None else s
        seen, whole = self.targetRect(), self._whole()
        sides = (seen.width(), whole.width()), (seen.height(), whole.height())
        if self.state["aspectLocked"] is not False:
            one, other = zip(*sides, strict=True)
            sides = ((max(one), max(other)),) * 2
        factors = [
            None if factor is None else self._limited(factor, *side)
            for factor, side in zip((across, down), sides, strict=True)
        ]
        plain: Any = super()
        plain.scaleBy(center=center, x=factors[0], y=factors[1])

    def _limited(self, factor: float, seen: float, whole: float) -> float:
        """Return the factor, or one nearer to 1."""
        if not (seen > 0 and whole > 0):
            return factor
        if factor < 1:
            return max(factor, min(1.0, self._least * whole / seen))
        return min(factor, max(1.0, _MOST * whole / seen))

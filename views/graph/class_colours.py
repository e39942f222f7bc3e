"""The colours that a user has chosen for the classes of graphs, as they are kept."""

from __future__ import annotations

import json

from PySide6.QtGui import QColor

from gpu.problems.coloring.instance import GraphInstance
from views.graph.class_marks import use_own_colours

_MOST_COLOURED = 50  # graphs whose own colours are kept


class ClassColours:
    """Colours of classes, by the digest of their graph."""

    def __init__(self, kept: str = "") -> None:
        """Take up what an earlier session has ``kept``; ignore what is none."""
        self._own: dict[str, dict[int, str]] = {}
        try:
            self._own = {
                str(digest): {int(number): QColor(str(one)).name() for number, one in own.items()}
                for digest, own in json.loads(kept or "{}").items()
            }
        except (ValueError, AttributeError, TypeError, RecursionError):
            return

    @property
    def kept(self) -> str:
        """What is kept: the colours of the graphs that had the last ones."""
        return json.dumps(dict(list(self._own.items())[-_MOST_COLOURED:])) if self._own else ""

    def choose(self, graph: GraphInstance, color: int, colour: str) -> None:
        """Have this ``colour`` for a class of ``graph``."""
        own = self._own.pop(graph.digest(), {})
        self._own[graph.digest()] = {**own, color: colour}

    def use(self, graph: object) -> None:
        """Have what is drawn from now on in the colours of ``graph``, if it is one."""
        own = {}
        if isinstance(graph, GraphInstance) and self._own:
            own = self._own.get(graph.digest(), {})
        use_own_colours({color: QColor(name) for color, name in own.items()})

"""The edges that an ant gives up and takes, as a table with bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpu.core.decisions.tour_change import Children, Edges, Partner, Places, TourChange
from gpu.core.formats import whole
from gpu.core.words import counted
from views.decision.change_words import NOTHING, lost
from views.decision.decision_bars import ChanceBars, Row
from views.decision.decision_words import quantity


class ChangeBars(ChanceBars[TourChange]):
    """The longer the bar, the longer the edge; those that the tour gets stand out."""

    def here(self, decision: TourChange) -> None:
        """Return nothing: a row is about an edge."""

    def heads(self, decision: TourChange) -> tuple[str, ...]:
        """Return the headings."""
        if isinstance(decision.what, Children):
            return "child of", "gain", "loss", "parts", "worth"
        return "edge", "", "", "τ", "length"

    def rows_of(self, decision: TourChange, most: int) -> list[Row]:
        """Return the rows of the edges that are given up, then of those that come instead."""
        what = decision.what
        if isinstance(what, Children):
            return _children(what, most)
        if isinstance(what, Places):
            said = ["begins here" if at == what.at else "" for at in range(len(what.cities))]
            return self._rows(what.behind, "", said, "best")
        given, made = decision.given, decision.made
        gone, came = ("own", "other") if isinstance(what, Partner) else ("given up", "taken")
        rows = self._rows(given, "− ", [gone] * len(given), "gap")
        rows += self._rows(made, "+ ", [came] * len(made), "latest")
        left = len(rows) - most
        if left <= 1:
            return rows
        half = most // 2
        rows = [*rows[:half], *rows[len(given) : len(given) + most - half]]
        return [*rows, Row(counted(left, "other"), "", "", "", "", 0.0)]

    def _rows(self, edges: Edges, sign: str, said: Sequence[str], role: str) -> list[Row]:
        return [
            Row(
                f"{sign}{self._ids[a]} – {self._ids[b]}",
                text,
                "",
                quantity(float(trail)),
                whole(int(length)),
                float(length),
                chosen=text in ("taken", "begins here"),
                city=int(b),
                other=int(a),
                role=role,
            )
            for (a, b), trail, length, text in zip(
                edges.cities, edges.trails, edges.lengths, said, strict=True
            )
        ]


def _worth(what: Children, at: int) -> str:
    """Return what a child is worth: a gain without a loss is worth more than any other."""
    if what.worths[at] <= 0:
        return ""
    if what.weighed and what.losses[at] < NOTHING:
        return "no loss"
    return quantity(float(what.worths[at]))


def _children(what: Children, most: int) -> list[Row]:
    """Return the rows of children, the one that is worth most first."""
    order = np.lexsort((-what.gains, -what.worths))
    shown = order if len(order) <= most + 1 else order[:most]
    rows = [
        Row(
            counted(int(what.sizes[at]), "edge"),
            whole(int(what.gains[at])).replace("-", "−"),
            lost(float(what.losses[at])),
            str(what.parts[at]),
            _worth(what, int(at)),
            float(what.worths[at]),
            chosen=bool(at == what.at),
        )
        for at in shown
    ]
    left = len(order) - len(shown)
    return [*rows, Row(counted(left, "other"), "", "", "", "", 0.0)] if left else rows

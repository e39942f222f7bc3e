"""What a picture shows, as a table: for whoever cannot see it, or wants the numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from gpu.core.formats import THIN, brief, whole
from gpu.core.tables import Column

MOST_ROWS = 10_000
"""Rows of a table at most: of more values, the picture's view says which are left out."""

_DIGITS = 6

Row = tuple[Any, ...]  # a name or a number in each column


@dataclass(frozen=True, slots=True)
class ValueTable:
    """The values of one picture."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[Row]
    numbers: tuple[int, ...]  # which columns are numbers; None is a cell without one

    def columns(self) -> list[Column[tuple[int, Row]]]:
        """Return the columns; a row of theirs comes with its number, which tells it apart."""
        return [
            Column(
                heading,
                _cell(at),
                value_text if at in self.numbers else str,
                number=at in self.numbers,
            )
            for at, heading in enumerate(self.headings)
        ]

    def text(self) -> str:
        """Return the whole table as lines with tabs, with the numbers as they are."""
        lines = [self.headings, *self.rows]
        return "\n".join(
            "\t".join("" if cell is None else str(cell) for cell in line) for line in lines
        )


def _cell(at: int) -> Callable[[tuple[int, Row]], Any]:
    row, cell = itemgetter(1), itemgetter(at)
    return lambda numbered: cell(row(numbered))


def value_text(value: float) -> str:
    """Return a number for people: whole numbers in full, others with six digits."""
    is_whole = abs(value) < 1e15 and abs(value - round(value)) < 1e-9 * max(1.0, abs(value))
    return whole(value) if is_whole else brief(value, _DIGITS, ",").replace(",", THIN)


class Valued:
    """A widget that can say the values of the picture it draws."""

    def values(self) -> ValueTable | None:
        """Return them; None while there are none."""
        raise NotImplementedError

    def summary(self) -> str:
        """Return the most important of them in a sentence; empty while there are none."""
        raise NotImplementedError

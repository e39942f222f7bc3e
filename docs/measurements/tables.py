"""Markdown tables of measured rows."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from made import sentence
from runs import Row

Text = str | Callable[[Row], str]
"""A key of rows, or what makes a text of a row."""

HERE = Path(__file__).parent


class Sources:
    """The rows that a page shows, and how they were made."""

    def rows(self, name: str, *experiments: str) -> list[Row]:
        """Return a file's rows of these experiments, each with how it was made."""
        measured: Row = json.loads((HERE / f"{name}.json").read_text())
        rows: list[Row] = [
            {**row, "made": measured["made"][row["made"]]}
            for row in measured["rows"]
            if row["experiment"] in experiments
        ]
        return rows

    def under(self, text: str, rows: Iterable[Row]) -> str:
        """Return the table with a line below it that says how its rows were made."""
        rows = [*rows]
        if not rows:
            return "*Not measured yet.*"
        made = list({sentence(row["made"]): row["made"] for row in rows}.values())
        said = "; and by ".join(map(sentence, made))
        return f"{text}\n\n{wrapped(f'*Made by {said}.*')}"


def wrapped(text: str) -> str:
    """Return a paragraph in lines as long as a page's."""
    return textwrap.fill(text, 100, break_on_hyphens=False, break_long_words=False)


def grouped(rows: list[Row]) -> dict[str, list[Row]]:
    """Rows by instance, in their order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["instance"], []).append(row)
    return found


def table(head: Sequence[str], lines: Iterable[Sequence[str]], left: Iterable[int] = (0,)) -> str:
    """Return a Markdown table, its numbers to the right."""
    rule = ["---" if column in left else "---:" for column in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *lines))

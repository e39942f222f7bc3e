"""Markdown tables of measured rows."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from runs import Row

Text = str | Callable[[Row], str]
"""A key of rows, or what makes a text of a row."""

HERE = Path(__file__).parent


def read(name: str) -> dict[str, Any]:
    """Return the rows of a file, and the device and the core of its host that made them."""
    measured: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text())
    return measured


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


def pivot(
    corner: str,
    rows: list[Row],
    line: Text,
    column: Text,
    cell: Callable[[Row], str],
    left: Iterable[int] = (0,),
) -> str:
    """Return a table with a line and a column for each text that ``line`` and ``column`` give."""
    line_of, column_of = (
        (lambda row, key=key: str(row[key])) if isinstance(key, str) else key
        for key in (line, column)
    )
    columns = list(dict.fromkeys(map(column_of, rows)))
    cells: dict[str, dict[str, str]] = {}
    for row in rows:
        cells.setdefault(line_of(row), {})[column_of(row)] = cell(row)
    lines = [[name, *(found.get(each, "") for each in columns)] for name, found in cells.items()]
    return table([corner, *columns], lines, left)


def digits(value: float) -> str:
    """Three significant digits, or all before the point."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def errors(row: Row) -> list[float]:
    """How far the lengths of a row lie above the optimum, in %."""
    return [100 * (length / row["optimum"] - 1) for length in row["lengths"]]


def mean_error(row: Row) -> str:
    """The mean error, its standard error, and the number of seeds where it is not ten."""
    found = errors(row)
    text = f"{statistics.mean(found):.2f}"
    if len(found) > 1:
        text += f" ± {statistics.stdev(found) / len(found) ** 0.5:.2f}"
    return text if len(found) == 10 else f"{text} ({len(found)})"


def by_system(rows: list[Row], phase: str) -> str:
    """Milliseconds of one phase, or of whole iterations, by instance and system."""
    return pivot(
        "instance",
        rows,
        "instance",
        lambda row: row["system"].removeprefix("mmas-"),
        lambda row: digits(row[phase]) if phase in row else "",
    )

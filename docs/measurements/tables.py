"""Markdown tables of measured rows."""

from __future__ import annotations

import json
import statistics
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

    def __init__(self) -> None:
        self._made: list[Row] = []

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
        self._made += made
        said = "; and by ".join(map(sentence, made))
        return f"{text}\n\n{wrapped(f'*Made by {said}.*')}"

    def versions(self) -> str:
        """Return a paragraph: whether all figures so far are of one version."""
        commits = sorted({made["commit"] for made in self._made})
        devices = sorted(
            {made["device"].partition(": ")[2].partition(",")[0] for made in self._made}
        )
        if len(commits) == 1 and commits[0]:
            return f"All tables of this page are of commit {commits[0]}."
        added = sorted({made["added"] for made in self._made if made.get("added")})
        named = [commit for commit in commits if commit]
        known = f" Recorded commits: {', '.join(named)}." if named else ""
        return wrapped(
            "**The figures of this page are of several versions of the program.** Below each table "
            "stands how it was made. Where no commit was recorded, it names the one that added the "
            f"rows, as far as that is known ({', '.join(added)}).{known} Figures in sentences that "
            "no table shows were taken by hand while the kernels were written, at commits that "
            f"were not recorded. Devices: {', '.join(devices)}. [The list of pages](README.md) "
            "says how all tables can be made again with one version."
        )


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

"""Markdown tables of measured rows."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from experiments import EXPERIMENTS
from made import sentence
from runs import Row

from gpu.problems.document import stem_of

Text = str | Callable[[Row], str]
"""A key of rows, or what makes a text of a row."""

HERE = Path(__file__).parent


class Sources:
    """The rows that a page shows, and how they were made."""

    def rows(self, name: str, *experiments: str) -> list[Row]:
        """Return a file's rows of these experiments, in their order, each with how it was made."""
        path = HERE / f"{name}.json"
        if not path.exists():
            return []
        measured: Row = json.loads(path.read_text("utf-8"))
        rows: list[Row] = [
            {**row, "made": measured["made"][row["made"]]}
            for row in measured["rows"]
            if row["experiment"] in experiments
        ]
        return sorted(rows, key=_place)

    def under(self, text: str, rows: Iterable[Row]) -> str:
        """Return the table with a line below it that says how its rows were made."""
        rows = [*rows]
        if not rows:
            return "*Not measured yet.*"
        why = {(r["system"], r["instance"]): r["refused"] for r in rows if "refused" in r}
        parts = [text, wrapped(f"*Made {sentence(row['made'] for row in rows)}.*")]
        if why:
            each = "; ".join(f"{one} on {name}: {reason}" for (one, name), reason in why.items())
            parts.append(wrapped(f"*Not run: {each}.*"))
        return "\n\n".join(parts)


def _place(row: Row) -> tuple[int, int, int]:
    """The place of a row's experiment, instance and system in the table of experiments."""
    plan = EXPERIMENTS[row["experiment"]]
    names = [stem_of(Path(name)) for name in plan.names]
    systems = [case.labels["system"] for case in plan.cases]
    known = row["instance"] in names
    return (
        list(EXPERIMENTS).index(row["experiment"]),
        names.index(row["instance"]) if known else len(names),
        systems.index(row["system"]),
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

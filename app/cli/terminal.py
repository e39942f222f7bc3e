"""What the terminal shows: messages of one line, a line of progress, and tables."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO, TypeVar

import click

from gpu.core.errors import FormicariumError
from gpu.core.problem import Words
from gpu.core.tables import Column, texts
from gpu.core.words import shown, without_secrets

Row = TypeVar("Row")

LEAST_ROOM = 30  # characters that the last column of a table has in the narrowest terminal


def say(sentence: str) -> None:
    """Print a message for the user to standard error; nobody hears it if that is gone or full."""
    try:
        print(f"formicarium: {shown(without_secrets(sentence))}", file=sys.stderr, flush=True)
    except OSError:
        drop(sys.stderr)


def show_box(sentence: str) -> None:
    """Show a message for the user in a box, on Windows, where a program may have no console."""
    if sys.platform == "win32":
        error = 0x10  # its icon
        ctypes.windll.user32.MessageBoxW(None, shown(sentence), "Formicarium", error)


def succeeds(work: Callable[[], object]) -> bool:
    """Do ``work``; if it is refused, say why, and return False."""
    try:
        work()
    except FormicariumError as error:
        say(one_line(str(error)))
        return False
    return True


def drop(stream: TextIO) -> None:
    """Let what is printed on ``stream`` from now on go nowhere, and what waits there too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def width() -> int:
    """Return the width of lists in characters: the terminal's, or 100 where there is none."""
    return max(shutil.get_terminal_size((100, 24)).columns, 60)


def one_line(text: str) -> str:
    """Return ``text`` without line breaks."""
    return " ".join(text.split())


def beside_known(gap: float | None, words: Words) -> str:
    """Return what stands behind a cost that lies ``gap`` % above the best known; None: unknown."""
    if gap is None:
        return ""
    where = "above" if gap > 0 else "below"
    return f", {abs(gap):.2f} % {where} the best known" if gap else f", {words.known}"


def show_progress(text: str) -> None:
    """Replace the line of progress if standard error is a terminal; an empty text removes it."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{shown(text)}", err=True, nl=False)  # in any console of Windows, too


def table(columns: Sequence[Column[Row]], rows: Iterable[Row], unknown: str = "") -> str:
    """Return a table; ``unknown`` stands where there is no value."""
    return aligned(
        [[one.title for one in columns], *(texts(columns, row, unknown) for row in rows)]
    )


def aligned(rows: Iterable[Sequence[str]], width: int = 0) -> str:
    """Return ``rows`` with aligned columns; the last one is broken to fit ``width`` if given."""
    rows = [tuple(row) for row in rows]
    if width:
        rows = _broken(rows, width)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _broken(rows: Sequence[Sequence[str]], width: int) -> list[tuple[str, ...]]:
    """Return ``rows``; what is too long for the last column goes on in rows below."""
    import textwrap

    columns = zip(*(row[:-1] for row in rows), strict=True)
    room = max(width - sum(max(map(len, column)) + 2 for column in columns), LEAST_ROOM)
    broken = []
    for *first, last in rows:
        indent = " " * (len(last) - len(last.lstrip()) + 2)
        start, *rest = textwrap.wrap(last, room, subsequent_indent=indent) or [""]
        broken.append((*first, start))
        broken += [(*[""] * len(first), line) for line in rest]
    return broken

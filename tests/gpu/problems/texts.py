"""Texts for tests: TSPLIB's, written out from its own definitions, and spreadsheets."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.problems.tsp.distances import Metric, space_of
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib.tsplib_files import load

HEAD = "NAME:q\nTYPE:TSP\nDIMENSION:3\nEDGE_WEIGHT_TYPE:EUC_2D\nNODE_COORD_SECTION\n"

Pairs = Callable[[int], Iterable[tuple[int, int]]]

FORMATS: dict[str, Pairs] = {
    "FULL_MATRIX": lambda n: ((i, j) for i in range(n) for j in range(n)),
    "UPPER_ROW": lambda n: ((i, j) for i in range(n) for j in range(i + 1, n)),
    "LOWER_ROW": lambda n: ((i, j) for i in range(n) for j in range(i)),
    "UPPER_DIAG_ROW": lambda n: ((i, j) for i in range(n) for j in range(i, n)),
    "LOWER_DIAG_ROW": lambda n: ((i, j) for i in range(n) for j in range(i + 1)),
    "UPPER_COL": lambda n: ((i, j) for j in range(n) for i in range(j)),
    "LOWER_COL": lambda n: ((i, j) for j in range(n) for i in range(j + 1, n)),
    "UPPER_DIAG_COL": lambda n: ((i, j) for j in range(n) for i in range(j + 1)),
    "LOWER_DIAG_COL": lambda n: ((i, j) for j in range(n) for i in range(j, n)),
}
"""Entries of a matrix in the order in which each format lists them."""

SOLID = tuple(metric for metric in Metric if space_of(metric) == 3)
PLANE = tuple(metric for metric in Metric if metric not in (*SOLID, Metric.EXPLICIT))


def points_text(
    metric: str,
    points: Sequence[Sequence[float]] | NDArray[np.number],
    ids: Sequence[int] | None = None,
    kind: str = "TSP",
    name: str = "points",
) -> str:
    """Return the text of an instance with coordinates."""
    numbers = range(1, len(points) + 1) if ids is None else ids
    lines = [f"NAME: {name}", f"TYPE: {kind}", f"DIMENSION: {len(points)}"]
    lines += [f"EDGE_WEIGHT_TYPE: {metric}", "NODE_COORD_SECTION"]
    for number, point in zip(numbers, points, strict=True):
        lines.append(" ".join([str(number), *(repr(float(value)) for value in point)]))
    return "\n".join([*lines, "EOF", ""])


def matrix_text(
    form: str, matrix: NDArray[np.integer], kind: str = "TSP", a_line: int = 7, tail: str = ""
) -> str:
    """Return the text of an explicit instance, ``a_line`` numbers to a line, then ``tail``."""
    n = len(matrix)
    numbers = [str(matrix[i, j]) for i, j in FORMATS[form](n)]
    lines = ["NAME: matrix", f"TYPE: {kind}", f"DIMENSION: {n}", "EDGE_WEIGHT_TYPE: EXPLICIT"]
    lines += [f"EDGE_WEIGHT_FORMAT: {form}", "EDGE_WEIGHT_SECTION"]
    lines += [" ".join(numbers[i : i + a_line]) for i in range(0, len(numbers), a_line)]
    return "\n".join([*lines, *([tail] if tail else []), "EOF", ""])


def symmetric(n: int, seed: int = 1, high: int = 1000) -> NDArray[np.int64]:
    """Return a random symmetric matrix with zeros on its diagonal."""
    upper = np.triu(np.random.default_rng(seed).integers(0, high, (n, n)), 1)
    matrix: NDArray[np.int64] = upper + upper.T
    return matrix


def load_text(folder: Path, text: str | bytes, name: str = "x.tsp") -> TspInstance:
    """Write ``text`` into a file of ``folder``, and load it."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(path)


def is_one_sentence(path: Path | str, message: str, most: int = 300) -> str:
    """What a short message of one line says of the file that it names."""
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) < len(str(path)) + most
    return message.removeprefix(f"{path}: ")


def sheet(rows: Iterable[Sequence[object]], name: str = "t") -> str:
    """Return a sheet of an OpenDocument spreadsheet, with numbers, texts and empty cells."""

    def cell(one: object) -> str:
        if one is None:
            return "<table:table-cell/>"
        if isinstance(one, str):
            kind, inner = "office:value-type='string'", f"<text:p>{one}</text:p>"
        else:
            kind, inner = f"office:value-type='float' office:value='{one}'", ""
        return f"<table:table-cell {kind}>{inner}</table:table-cell>"

    found = [f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows]
    return f"<table:table table:name='{name}'>{''.join(found)}</table:table>"


def open_document(*sheets: str, before: str = "") -> bytes:
    """Return the file of an OpenDocument spreadsheet."""
    about = " ".join(f"xmlns:{one}='urn:{one}'" for one in ("office", "table", "text"))
    content = "office:document-content"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        text = f"{before}<{content} {about}>{''.join(sheets)}</{content}>"
        archive.writestr("content.xml", text)
    return file.getvalue()

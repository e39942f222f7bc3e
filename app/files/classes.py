"""Files of the classes of a coloring: tables in the dialect of the instance's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.files.writing import write_whole
from gpu.core.tables import csv_text
from gpu.problems.coloring.class_tables import CLASS_TITLE, VERTEX_TITLE, class_columns, class_rows
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.tables.dialect import dialect_of


def export_classes(path: Path, instance: GraphInstance, coloring: NDArray[np.integer]) -> None:
    """Write a row for each vertex with its class, counted from 1; raises ExportError."""
    rows = class_rows(instance.vertex_names, coloring)
    _write(path, instance, (VERTEX_TITLE, CLASS_TITLE), rows)


def export_class_columns(
    path: Path, instance: GraphInstance, coloring: NDArray[np.integer]
) -> None:
    """Write a column for each class with the names of its vertices; raises ExportError."""
    titles = [f"{CLASS_TITLE} {number + 1}" for number in range(int(coloring.max()) + 1)]
    _write(path, instance, titles, class_columns(instance.vertex_names, coloring))


def _write(
    path: Path, instance: GraphInstance, titles: Iterable[str], rows: Iterable[Iterable[object]]
) -> None:
    dialect = dialect_of(instance.path, instance.read_as)
    data = dialect.bytes_of(csv_text(titles, rows, dialect.separator))
    write_whole(path, lambda part: part.write_bytes(data))


CLASS_WRITERS: Mapping[str, Callable[[Path, Any, Any], None]] = {
    "classes": export_classes,
    "class-columns": export_class_columns,
}
"""By their names among the exports."""

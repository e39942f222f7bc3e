"""Solomon's files of vehicle routing: customers with places, demands and time windows."""

from __future__ import annotations

import re
from dataclasses import replace

from gpu.problems.input_file import InputFile
from gpu.problems.tables.table import ListTable
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.places.place_tables import load_places

_BEGINS = re.compile(rb"[^\r\n]*\s+VEHICLE\s+NUMBER\s+CAPACITY\b", re.IGNORECASE)
_CUSTOMERS = re.compile(r"\s*CUST\S*\s+NO\.?\s+X\s*COORD\.?\s+Y\s*COORD\b.*", re.IGNORECASE)
_FEWEST_CELLS = 3  # number, x and y


def is_solomon(file: InputFile) -> bool:
    """Whether ``file`` begins as Solomon's do."""
    return _BEGINS.match(file.start) is not None


def load_solomon(file: InputFile) -> TspInstance:
    """Load the places of depot and customers; a note says what a single tour leaves out."""
    rows: list[list[str]] = []
    begun = False
    for line in file.text_for_sure().splitlines():
        if begun and line.strip():
            cells = line.split()
            if len(cells) < _FEWEST_CELLS:
                raise file.error(f"{line.strip()[:40]!r} is no row of a customer: number, x, y, …")
            rows.append(cells[:_FEWEST_CELLS])
        begun |= _CUSTOMERS.fullmatch(line) is not None
    if not rows:
        raise file.error("it has no customers below the line CUST NO. XCOORD. YCOORD. …")
    table = ListTable(file.path, [["number", "x", "y"], *rows], read_as=file.read_as)
    found = load_places(file.path, file.data, file.read_as, table)
    left_out = "one tour through all: vehicles, demands and times are left out"
    return replace(
        found,
        seen=f"Solomon's table of a depot and customers: {found.n} places",
        note="; ".join(filter(None, [left_out, found.note])),
    )

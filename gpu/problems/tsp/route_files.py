"""Routes in other files than TSPLIB's: tables, GPX, KML and GeoJSON, as this program exports them.

The cities are found by their numbers, else by their names, else by where they are. Lists of names
are read as people write them: a line for each, or arrows or commas between them, or as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.core.words import counted
from gpu.problems.document import in_utf8, shortened
from gpu.problems.input_file import InputFile
from gpu.problems.tables.columns import named_coordinates
from gpu.problems.tables.table import Table
from gpu.problems.tables.table_files import is_table, table_of
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.places.geographic import MAP_FORMATS
from gpu.problems.tsp.places.place_tables import load_places

_ORDER = "order"  # a heading of a table of a route
_NUMBERS = ("number", "city")  # that of the cities' numbers, now and until 0.1.0
_NUMBERED = re.compile(r"[0-9]{1,9}\s*[.):,;\t]?\s+|[0-9]{1,9}[.):,;\t]")  # before a name
_BETWEEN = ("->|→|–>|=>", ";", ",", r"\|", "\t", " - | – ", "/")  # names of a route in a line
_SAME_PLACE = 6  # decimals of coordinates that are compared


def route_in(path: Path, data: bytes, instance: TspInstance) -> NDArray[np.int32] | None:
    """Return the route (0-based) through ``instance`` that the file ``data`` at ``path`` lists.

    None if it is of no such format; InstanceError if it is no route through all cities.
    """
    file = InputFile(path, in_utf8(path, data))
    if names := _names_in(file, instance):
        return _matched(file, names, _plain_names(instance), instance)
    if file.value is None and is_table(file):
        table = table_of(file)
        heads = [cell.casefold() for cell in table.header]
        at = next((heads.index(one) for one in _NUMBERS if one in heads), None)
        if at is not None and (_ORDER in heads or len(heads) == 1):
            return _by_number(file, table, at, instance)
        if named_coordinates(table) is None:
            return None
        return _by_place(file, load_places(path, file.data, table=table), instance)
    load = next((load for _, looks, load in MAP_FORMATS if looks(file)), None)
    return None if load is None else _by_place(file, load(file), instance)


def _by_number(file: InputFile, table: Table, at: int, instance: TspInstance) -> NDArray[np.int32]:
    places = {number: city for city, number in enumerate(instance.city_ids.tolist())}
    found = []
    for line, cells in table.data_rows():
        cell = cells[at] if at < len(cells) else ""
        number = int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 19 else -1
        if number not in places:
            raise file.error(f"line {line}: {instance.name} has no city {shortened(cell)}")
        found.append(places[number])
    return _whole(file, found, instance)


def _by_place(file: InputFile, listed: TspInstance, instance: TspInstance) -> NDArray[np.int32]:
    """Return the cities of ``instance`` that are those of ``listed``, in their order."""
    known = [name for name in instance.names if name]
    if len({*known}) == instance.n and {*listed.names} <= {*known} and all(listed.names):
        return _matched(file, listed.names, instance.names, instance)
    return _matched(file, _spots(listed), _spots(instance), instance)


def _plain_names(instance: TspInstance) -> list[str]:
    return [" ".join(name.split()).casefold() for name in instance.names[: instance.real_n]]


def _names_in(file: InputFile, instance: TspInstance) -> list[str] | None:
    """Return the names of cities that ``file`` lists and nothing else; None if it lists others."""
    known = {*_plain_names(instance)} - {""}
    if not known or file.text is None:
        return None
    if file.is_value:
        value = file.value
        found = value if isinstance(value, list | tuple) else ()
        ways = [list(found)] if found and all(isinstance(one, str) for one in found) else []
    else:
        lines = [line for line in map(str.strip, file.text.splitlines()) if line]
        ways = [
            lines,
            [_NUMBERED.sub("", line, count=1) for line in lines],
            lines[1:],
            *([one for line in lines for one in re.split(sign, line)] for sign in _BETWEEN),
        ]
    stranger = ""
    for way in ways:
        plain = (" ".join(one.strip().strip("\"'").split()).casefold() for one in way)
        names = list(filter(None, plain))
        strangers = [name for name in names if name not in known]
        if len(names) > 1 and not strangers:
            back = len(names) > instance.real_n and names[0] == names[-1]
            return names[: len(names) - back]
        if 2 * len(strangers) < len(names):
            stranger = stranger or strangers[-1]
    if stranger:
        raise file.error(f"{instance.name} has no city {shortened(stranger)}")
    return None


def _spots(instance: TspInstance) -> list[Hashable]:
    return [*map(tuple, np.round(instance.display, _SAME_PLACE).tolist())]


def _matched(
    file: InputFile, wanted: Sequence[Hashable], has: Sequence[Hashable], instance: TspInstance
) -> NDArray[np.int32]:
    left: dict[Hashable, list[int]] = {}
    for city in reversed(range(len(has))):
        left.setdefault(has[city], []).append(city)
    found = []
    for one in wanted:
        if not left.get(one):
            raise file.error(f"{instance.name} has no place {shortened(str(one))}, or it is twice")
        found.append(left[one].pop())
    return _whole(file, found, instance)


def _whole(file: InputFile, found: list[int], instance: TspInstance) -> NDArray[np.int32]:
    if len(found) == instance.n + 1 and found[0] == found[-1]:  # the way back
        found = found[:-1]
    if len(found) != instance.n:
        has = counted(len(found), "city")
        raise InstanceError(f"{file.path}: its route has {has}; {instance.name} has {instance.n}")
    if len({*found}) < len(found):
        raise InstanceError(f"{file.path}: its route visits a city more than once")
    return np.array(found, np.int32)

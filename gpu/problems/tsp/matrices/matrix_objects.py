"""Objects of JSON or Python that hold a matrix of distances, as routing services answer.

Known are rows under a name such as "distances" or "durations" (OSRM, VROOM, GraphHopper), the
answer of Google's Distance Matrix, a row for each name, and what pandas writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gpu.problems.document import name_of, shortened
from gpu.problems.input_file import InputFile
from gpu.problems.reading import Doubt, FileKind, UnsureError
from gpu.problems.tables.quantities import unit_of
from gpu.problems.tables.squares import Square, square_of
from gpu.problems.tables.table import ListTable
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.matrices.given_distances import load_matrix
from gpu.problems.tsp.routes.closed_tours import with_route

_KEYS = {  # what a matrix is called, in lower case and letters alone; and its unit where it is sure
    **{
        "durations": "s",
        "duration": "s",
        "times": "",
        "traveltimes": "",
        "traveltime": "",
        "time": "",
    },
    **{"durationmatrix": "", "timematrix": "", "traveltimematrix": ""},
    **{
        "distances": "",
        "distance": "",
        "distancematrix": "",
        "dist": "",
        "dists": "",
        "lengths": "",
    },
    **{"matrix": "", "costs": "", "cost": "", "costmatrix": "", "weights": "", "weightmatrix": ""},
    **{"edgeweights": "", "d": ""},
}
_NAMES = (
    "names",
    "labels",
    "cities",
    "places",
    "locations",
    "nodes",
    "stops",
    "ids",
    "index",
    "points",
)
_ENDS = ("originaddresses", "destinationaddresses", "origins", "destinations", "sources")
_LEAST = 2  # cities

Rows = Sequence[Sequence[Any]]


def _letters(key: object) -> str:
    return "".join(filter(str.isalpha, str(key))).casefold()


def _matrices(value: Any, depth: int = 2) -> dict[str, Rows]:
    """Return all matrices in an object, by the name of each."""
    found: dict[str, Rows] = {}
    if not isinstance(value, dict):
        return found
    for key, one in value.items():
        if _letters(key) in _KEYS and _is_square(one):
            found[str(key)] = one
        elif depth and isinstance(one, dict) and _letters(key) not in _NAMES:
            inner = _matrices(one, depth - 1)  # VROOM has one for each profile
            found |= {
                name if name not in found else f"{key}.{name}": it for name, it in inner.items()
            }
    return found


def _is_square(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) >= _LEAST
        and all(isinstance(row, list | tuple) for row in value)
    )


def _google(value: Any) -> dict[str, Rows]:
    """Return the matrices in an answer of Google's Distance Matrix."""
    rows = value.get("rows") if isinstance(value, dict) else None
    if not isinstance(rows, list) or not rows:
        return {}
    elements = [row.get("elements") if isinstance(row, dict) else None for row in rows]
    if not all(
        isinstance(row, list) and all(isinstance(one, dict) for one in row) for row in elements
    ):
        return {}
    found: dict[str, Rows] = {}
    for key in ("duration_in_traffic", "duration", "distance"):
        taken = [
            [_google_value(one.get(key)) for one in row] for row in elements if row is not None
        ]
        if any(cell is not None for row in taken for cell in row):
            found[key] = taken
    return found


def _google_value(value: Any) -> Any:
    return value.get("value") if isinstance(value, dict) else value


def _google_unit(value: Any, key: str) -> str:
    """Return the unit of the values, which are metres and seconds unless the texts say otherwise.

    Files that are made for tries often have the kilometres of the text as the value.
    """
    for row in value["rows"]:
        for one in row["elements"]:
            part = one.get(key)
            if isinstance(part, dict) and part.get("value"):
                text, _, unit = str(part.get("text", "")).replace(",", "").partition(" ")
                if text == str(part["value"]) and unit and " " not in unit:
                    return unit_of(unit)
    return "m" if key == "distance" else "s"


def _by_names(value: Any) -> Rows | None:
    """Return the rows of an object with an object for each name; None if it is none."""
    if not isinstance(value, dict) or len(value) < _LEAST:
        return None
    if not all(isinstance(row, dict) for row in value.values()):
        return None
    names = [str(name) for name in value]
    rows = list[list[Any]]()
    for name, row in value.items():
        cells = {str(key): _weight(cell) for key, cell in row.items()}
        if not cells.keys() <= {*names} or any(
            not isinstance(cell, int | float | str | None) for cell in cells.values()
        ):
            return None
        rows.append([name, *(cells.get(other) for other in names)])
    return [["", *names], *rows]


def _weight(cell: Any) -> Any:
    """Return the weight of an edge, as networkx writes one."""
    return cell["weight"] if isinstance(cell, dict) and "weight" in cell else cell


def _split(value: Any) -> Rows | None:
    """Return the rows of a table of pandas; None if it is none."""
    if not isinstance(value, dict) or not {"columns", "data"} <= value.keys():
        return None
    columns, data = value["columns"], value["data"]
    index = value.get("index", columns)
    if not (isinstance(columns, list) and isinstance(index, list) and _is_square(data)):
        return None
    if len(index) != len(data) or len(columns) != len(data):
        return None
    return [
        ["", *map(str, columns)],
        *([str(name), *row] for name, row in zip(index, data, strict=True)),
    ]


def has_matrix(value: Any) -> bool:
    """Whether ``value`` has a matrix by its name, as routing services answer."""
    return bool(_matrices(value) or _google(value))


def is_object(file: InputFile) -> bool:
    """Whether ``file`` is such an object."""
    value = file.value
    return has_matrix(value) or bool(_by_names(value) or _split(value))


def load_object(file: InputFile) -> TspInstance:
    """Load the matrix in the object in ``file``.

    UnsureError if there are several: ``--columns`` has the name of the one that counts.
    """
    value = file.value
    found, unit = _matrices(value), ""
    of_google = {} if found else _google(value)
    found = found or of_google
    if not found:
        rows = _by_names(value) or _split(value)
        assert rows is not None
        return _load(file, rows, "", "a row for each name")
    name = _chosen(file, found)
    rows = found[name]
    if of_google:
        unit = _google_unit(value, name)
    elif isinstance(value, dict) and value.get("code") == "Ok":  # OSRM's
        unit = "m" if _letters(name).startswith("dist") else "s"
    if plan := _plan(file, len(rows)):
        return plan.applied(file, rows, unit, f'under "{name_of(name)}"')
    names = _names_in(value, len(rows))
    if names:
        rows = [["", *names], *([one, *row] for one, row in zip(names, rows, strict=True))]
    return _load(file, rows, unit, f'under "{name_of(name)}"')


def _load(file: InputFile, rows: Rows, unit: str, where: str) -> TspInstance:
    table = ListTable(file.path, rows, read_as=replace(file.read_as, columns=""))
    square = square_of(table)
    named = "names in the file" if square.names else ""
    found = Square(
        square.values, square.names, named, square.unit or unit, square.form, square.note, sure=True
    )
    instance = load_matrix(file, found)
    return replace(instance, seen=f"{instance.seen}, {where}")


class _Plan(NamedTuple):
    """What VROOM's input asks of one vehicle: the jobs, and where it begins and ends."""

    cities: list[int]  # rows of the matrix
    names: list[str]
    start: int | None  # among the cities
    end: int | None

    def applied(self, file: InputFile, rows: Rows, unit: str, where: str) -> TspInstance:
        """Return the route of the vehicle."""
        kept = [[rows[i][j] for j in self.cities] for i in self.cities]
        named = [
            ["", *self.names],
            *([name, *row] for name, row in zip(self.names, kept, strict=True)),
        ]
        instance = _load(file, named, unit, f"{where}, the jobs of one vehicle")
        same = self.start is not None and self.start == self.end
        free = self.start is None and self.end is None
        return with_route(instance, self.start, self.end, closed=same or free)


def _plan(file: InputFile, n: int) -> _Plan | None:
    """Return what is asked of one vehicle, in the file of VROOM; None if it is none."""
    value = file.value
    if not isinstance(value, dict):
        return None
    vehicles, jobs = value.get("vehicles"), value.get("jobs")
    if not (isinstance(vehicles, list) and isinstance(jobs, list) and vehicles and jobs):
        return None
    if len(vehicles) > 1:
        raise file.error(f"it has {len(vehicles)} vehicles; a route is of one")
    if value.get("shipments"):
        raise file.error("it has shipments; a route has places in any order")
    if not all(isinstance(one, dict) for one in (*vehicles, *jobs)):
        return None
    ends = [vehicles[0].get(key) for key in ("start_index", "end_index")]
    places = [one.get("location_index") for one in jobs]
    wrong = [one for one in (*ends, *places) if one is not None and not _is_row(one, n)]
    if wrong or None in places:
        raise file.error("a vehicle or a job in it is at no row of the matrix")
    cities = list(dict.fromkeys([*(one for one in ends if one is not None), *places]))
    called = {
        one: str(job.get("description") or f"job {job.get('id')}")
        for one, job in zip(places, jobs, strict=True)
    }
    names = [called.get(one) or ("start" if one == ends[0] else "end") for one in cities]
    start, end = (None if one is None else cities.index(one) for one in ends)
    return _Plan(cities, names, start, end)


def _is_row(value: object, n: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n


def _chosen(file: InputFile, found: Mapping[str, Rows]) -> str:
    """Return the name of the matrix that is wanted; UnsureError if it is not said."""
    wanted = file.read_as.columns
    if wanted in found:
        return wanted
    names = list(found)
    if wanted:
        raise file.error(f"--columns {shortened(wanted)} is none of {', '.join(names)}")
    if len(names) == 1:
        return names[0]
    one, other = names[:2]
    choices = [
        (f"The {name}", str(replace(file.read_as, kind=FileKind.MATRIX, columns=name)))
        for name in (one, other)
    ]
    raise UnsureError(
        f"{file.path}: it has several matrices: say --columns {shortened(one)} or --columns "
        f"{shortened(other)} (in Python read_as)",
        Doubt(f"Which matrix of {file.path.name} counts?", choices[0], choices[1]),
    )


def _names_in(value: Any, n: int) -> list[str]:
    """Return the names of the places beside the matrix, if there are as many."""
    if not isinstance(value, dict):
        return []
    for key, some in value.items():
        if _letters(key) not in (*_NAMES, *_ENDS) or not isinstance(some, list) or len(some) != n:
            continue
        names = [one.get("name", "") if isinstance(one, dict) else one for one in some]
        if all(isinstance(one, str | int) for one in names) and any(names):
            return [str(one) for one in names]
    return []

"""Places in JSON and Python as programs hand them over: objects within objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from gpu.problems.document import shortened
from gpu.problems.input_file import InputFile
from gpu.problems.tables.columns import named_coordinates
from gpu.problems.tables.edge_columns import ends_in
from gpu.problems.tables.table import ListTable
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.matrices.matrix_objects import has_matrix
from gpu.problems.tsp.places.place_cells import plain_table
from gpu.problems.tsp.places.place_tables import load_places

_NOT_OF_PLACES = {"matrix", "matrices", "links", "edges", "kind"}  # keys of distances, graphs, logs
_DEEPEST = 4  # objects within each other
_SAMPLE = 20  # objects that tell whether these are places
_PAIR, _WITH_HEIGHT = 2, 3  # numbers of a place in a list
_OF_A_VIEW = {"center", "centre", "bbox", "bounds", "boundingbox", "viewport", "view", "extent"}
"""Names of places that only say which part of a map is seen."""
_NAMES = (("name",), ("title",), ("label",), ("description",))  # ends of paths


class _Pair(str):
    """Two numbers of a list, as the cell of a table."""

    __slots__ = ()


_Flat: TypeAlias = dict[tuple[str, ...], Any]  # the values within an object, by the paths to them


def is_json_places(file: InputFile) -> bool:
    """Whether ``file`` has a list of places, each an object or a text."""
    table = _table(file, _SAMPLE)
    if table is None or ends_in(table) is not None:
        return False
    return named_coordinates(table) is not None or plain_table(table) is not table


def load_json_places(file: InputFile) -> TspInstance:
    """Load the places; InstanceError if one of them has no coordinates."""
    table = _table(file)
    assert table is not None
    return load_places(file.path, file.data, file.read_as, table)


def _table(file: InputFile, most: int | None = None) -> ListTable | None:
    """Return the (first so many) places as a table; None if there is no list of them."""
    value = file.value
    if isinstance(value, Mapping):
        if _NOT_OF_PLACES & {*value} or has_matrix(value):
            return None
        if columns := _of_columns(file, value):
            return columns
    rows = _objects(value)
    if rows is None:
        return None
    flat = [dict(_flattened(one)) for one in rows[:most]]
    if most is None and isinstance(value, Mapping):
        flat = [*_beside(file, value, rows, flat), *flat]
    names = list(dict.fromkeys(name for one in flat for name in one))
    heads = _headings(names)
    cells = [[one.get(name) for name in names] for one in flat]
    return ListTable(file.path, [heads, *cells], read_as=file.read_as)


def _of_columns(file: InputFile, value: Mapping[Any, Any]) -> ListTable | None:
    """Return the table that has a list, or an object, for each column, or names and rows apart.

    These are the ways in which pandas writes one. None if it is something else.
    """
    if _is_list(value.get("columns")) and _is_list(value.get("data")):
        heads, rows = value["columns"], value["data"]
        if not all(map(_is_list, rows)):
            return None
    else:
        columns = [*value.values()]
        if all(isinstance(one, Mapping) for one in columns):
            if len({tuple(one) for one in columns}) > 1:
                return None
            columns = [[*one.values()] for one in columns]
        if len(columns) < _PAIR or not all(map(_is_list, columns)):
            return None
        if len({*map(len, columns)}) > 1:
            return None
        heads, rows = [*value], [*zip(*columns, strict=True)]
    table = ListTable(file.path, [[*map(str, heads)], *rows], read_as=file.read_as)
    return table if named_coordinates(table) is not None else None


def _objects(value: Any) -> Sequence[Any] | None:
    """Return the places: a list of objects or texts, the longest one if it is in an object."""
    if isinstance(value, list | tuple):
        kinds = {type(one) for one in value}
        return value if value and kinds in ({dict}, {str}) else None
    if not isinstance(value, Mapping) or not value:
        return None
    inner = list(value.values())
    if all(isinstance(one, Mapping) for one in inner):
        return [{"name": name, **one} for name, one in value.items()]
    lists = [one for one in map(_objects, filter(_is_list, inner)) if one is not None]
    return max(lists, key=len, default=None)


def _beside(
    file: InputFile, value: Mapping[Any, Any], rows: Sequence[Any], flat: Sequence[_Flat]
) -> list[_Flat]:
    """Return the one place that ``value`` has beside its list of ``rows``, as a depot is.

    It is flattened as those are. InstanceError if there are several, or if it is written otherwise.
    """
    columns = _coordinates({path: cell for one in flat for path, cell in one.items()})
    listed = {tuple(one.get(path) for path in columns) for one in flat}
    found: dict[tuple[Any, ...], _Flat] = {}
    for key, inner in value.items():
        if inner is rows or str(key).casefold() in _OF_A_VIEW or any(row is inner for row in rows):
            continue
        for place in _places_in(str(key), inner):
            cells = [place[path] for path in _coordinates(place)]
            if len(columns) != len(cells) or (len(cells) > 1 and columns != _coordinates(place)):
                raise file.error(
                    f"it has places in {shortened(str(key))} too, which are written otherwise than "
                    "those in its list: put all places of the tour into one list"
                )
            names = {path: place[("place",)] for path in flat[0] if path[-1:] in _NAMES}
            row = {**names, **place, **dict(zip(columns, cells, strict=True))}
            found.setdefault(tuple(cells), {path: row[path] for path in (*names, *columns)})
    others = [place for where, place in found.items() if where not in listed]
    if len(others) > 1:
        raise file.error(
            f"beside its list of {len(flat):,} places it has {len(others):,} others: put all "
            "places of the tour into one list"
        )
    return others


def _places_in(key: str, value: Any) -> Iterator[_Flat]:
    """Yield each place in what is called ``key``: its coordinates, and a name."""
    if _is_list(value) and any(isinstance(one, Mapping) for one in value):
        for one in value:
            yield from _places_in(key, one) if isinstance(one, Mapping) else ()
        return
    flat = dict(_flattened(value, (key,)))
    if isinstance(value, Mapping):
        flat = {path[1:]: cell for path, cell in flat.items()}
    name = next((str(flat[path]) for path in flat if path[-1:] in _NAMES), "")
    paths = _coordinates(flat)
    if len(paths) == _PAIR and not isinstance(flat[paths[0]], _Pair):
        yield {("place",): name or key, **{path: flat[path] for path in paths}}
        return
    for path in paths:
        yield {("place",): name or (path[-1] if path else key), path: flat[path]}


def _coordinates(flat: _Flat) -> list[tuple[str, ...]]:
    """Return the paths to coordinates in a flattened place: both, or those of each pair."""
    pairs = [path for path, cell in flat.items() if isinstance(cell, _Pair)]
    if pairs:
        return pairs
    table = ListTable(Path(), [_headings([*flat]), [*flat.values()]])
    named = named_coordinates(table)
    paths = [*flat]
    return [] if named is None else [paths[named.first], paths[named.second]]


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _flattened(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path to each value within an object, and it; two numbers are one value."""
    if isinstance(value, str) and not path:
        yield ("place",), value
    elif isinstance(value, Mapping) and len(path) < _DEEPEST:
        for name, inner in value.items():
            yield from _flattened(inner, (*path, str(name)))
    elif value is None or isinstance(value, int | float | str):
        yield path, value
    elif _is_list(value) and len(value) in (_PAIR, _WITH_HEIGHT) and all(map(_is_real, value)):
        yield path, _Pair(f"{value[0]!r}; {value[1]!r}")


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _headings(names: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the last part of each path, or the whole path if that is not the only such one."""
    last = [name[-1] if name else "" for name in names]
    return [
        one if last.count(one) == 1 else ".".join(name)
        for one, name in zip(last, names, strict=True)
    ]

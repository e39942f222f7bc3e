"""Instances of places, in the plane or on the globe, whatever file lists them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError
from gpu.core.words import counted
from gpu.problems.document import name_of
from gpu.problems.input_file import InputFile
from gpu.problems.reading import FileKind, ReadAs
from gpu.problems.tables.quantities import unit_of
from gpu.problems.tsp.distances import (
    LARGEST_DISTANCE,
    Metric,
    Reals,
    is_coarse,
    longest_possible,
    metric_and_coordinates,
)
from gpu.problems.tsp.instance import TspInstance

FEWEST_PLACES = 3
TABLE_FINEST = (
    1_000  # units that a table's places span at least, so that rounded lengths still differ
)
TABLE_WIDEST = 10_000_000  # units that they span at most for the sake of their decimals
MOST_DEGREES = (("latitude", 90.0), ("longitude", 180.0))


class Refusing(Protocol):
    """What names its file in errors."""

    def error(self, what: str, /) -> InstanceError:
        """Return the error that says ``what`` is wrong."""


def check_degrees(
    file: Refusing, degrees: Reals, where: Callable[[int], str], way_out: str = ""
) -> None:
    """Raise InstanceError if a latitude or longitude, shape (n, 2), is beyond its range.

    ``where`` says in which line a place stands, and ``way_out`` what to do then.
    """
    for at, (what, most) in enumerate(MOST_DEGREES):
        beyond = np.abs(degrees[:, at]) > most
        if beyond.any():
            row = int(beyond.argmax())
            raise file.error(
                f"{where(row)}: the {what} {degrees[row, at]:g} is beyond {most:g} degrees{way_out}"
            )


def check_count(file: Refusing, what: str, n: int) -> None:
    """Raise InstanceError if ``n`` of ``what`` are too few."""
    if n < FEWEST_PLACES:
        raise file.error(f"it has {counted(n, what)}; a tour needs at least {FEWEST_PLACES}")


def without_return(
    points: Reals, names: Sequence[str], *, unnamed: bool = False
) -> tuple[int, list[str]]:
    """Return how many of the places of a route count, and what to say of the others.

    The last one does not where it is the first one once more, by place and name. A place without a
    name tells nothing, unless this is said.
    """
    n = len(points)
    again = (
        n > FEWEST_PLACES
        and np.array_equal(points[0], points[-1])
        and names[0] == names[-1]
        and (unnamed or bool(names[0]))
    )
    return (n - 1, ["its last place is the first one once more"]) if again else (n, [])


def globe_instance(
    file: InputFile,
    degrees: Reals,
    names: Sequence[str],
    where: Callable[[int], str],
    *,
    seen: str,
    notes: Sequence[str] = (),
    columns: str = "",
) -> TspInstance:
    """Return the instance of places at latitudes and longitudes ``degrees``, shape (n, 2).

    Its user may have said "geo" in ``file.read_as``; else near places are measured in metres.
    ``seen`` and ``notes`` say what the file has, and ``columns`` which ones count if they were
    chosen.
    """
    geo, notes = file.read_as.coordinates == "geo", [*notes, *_nowhere(degrees, where)]
    metric, measured, unit = metric_and_coordinates(degrees, geo=geo)
    if metric is Metric.GEO and not geo:
        kept, names = _different(degrees, names)
        if len(kept) < len(degrees):
            rows = counted(len(degrees) - len(kept), "row")
            notes.append(f"{rows} with the place of an earlier one: each place is one stop")
        check_count(file, "different place", len(kept))
        degrees, measured = degrees[kept], measured[kept]
    elif metric is Metric.GEO and is_coarse(metric, measured):
        notes.append(
            "whole kilometres are coarse for places so near; --coordinates degrees counts metres"
        )
    display = degrees[:, ::-1].copy()
    notes += at_the_same_spot(display)
    return _instance(
        file,
        metric,
        measured,
        display,
        names,
        how=replace(file.read_as, coordinates="geo" if geo else "degrees", columns=columns),
        geographic=True,
        unit=unit,
        seen=seen,
        note="; ".join(notes),
    )


def plane_instance(
    file: InputFile,
    points: Reals,
    names: Sequence[str],
    decimals: int,
    *,
    whole: bool = False,
    seen: str,
    notes: Sequence[str] = (),
    columns: str = "",
) -> TspInstance:
    """Return the instance of places in the plane, shape (n, 2), or in space, with ``decimals``.

    Distances are rounded to ``whole`` numbers, or else so that little is lost. The others are as
    in :func:`globe_instance`.
    """
    measured, about = (points, {}) if whole else plane_coordinates(points, decimals)
    if whole:
        seen += ", distances are rounded to whole numbers, as TSPLIB's EUC_2D"
    elif about["decimals"]:
        seen += f", distances are rounded to {10.0 ** -about['decimals']:g}"
    metric = Metric.EUC_2D if points.shape[1] == 2 else Metric.EUC_3D
    if longest_possible(metric, measured) > LARGEST_DISTANCE:
        raise file.error(
            f"its places lie too far apart: distances may exceed {LARGEST_DISTANCE}; scale "
            "them down"
        )
    return _instance(
        file,
        metric,
        measured,
        points[:, :2].copy(),
        names,
        how=replace(file.read_as, coordinates="plane", columns=columns),
        unit=unit_of(file.read_as.unit) if file.read_as.unit else "",
        seen=seen,
        note="; ".join([*notes, *at_the_same_spot(points)]),
        **about,
    )


def plane_coordinates(points: Reals, decimals: int) -> tuple[Reals, dict[str, Any]]:
    """Return places in the plane or in space, so large that little is lost by rounding lengths.

    They are (n, 2) or (n, 3), and have so many ``decimals``. Also in what lengths count then, as
    fields of an instance.
    """
    counted = _exponent(points, decimals)
    return points * 10.0**counted, {"decimals": counted}


def _exponent(points: Reals, decimals: int) -> int:
    """Return the power of ten by which places in the plane are scaled."""
    span = float(np.linalg.norm(np.ptp(points, axis=0)))
    if span == 0.0:
        return 0
    least = math.ceil(math.log10(TABLE_FINEST / span))
    most = math.floor(math.log10(TABLE_WIDEST / span))
    return max(0, least, min(decimals, most))


def _instance(
    file: InputFile,
    metric: Metric,
    coordinates: Reals,
    display: Reals,
    names: Sequence[str],
    *,
    how: ReadAs,
    **about: Any,
) -> TspInstance:
    """Return the instance of the places in ``file``, and ``how`` it is read."""
    return TspInstance(
        name=name_of(file.stem),
        comment="",
        metric=metric,
        coordinates=frozen(coordinates),
        matrix=None,
        display=frozen(display),
        names=tuple(names) if any(names) else (),
        path=file.path,
        sha256=file.sha256,
        read_as=str(replace(how, kind=FileKind.PLACES)),
        **about,
    )


def at_the_same_spot(points: Reals) -> list[str]:
    """Return what to say of equal places among ``points``, shape (n, 2), or (n, 3) in space."""
    flat = points[:, :2] @ [1.0, 1.0j]
    different = np.unique(flat) if points.shape[1] == 2 else np.unique(points, axis=0)
    equal = len(points) - len(different)
    return [f"{counted(equal, 'place')} at the same spot as another one"] if equal else []


def _nowhere(degrees: Reals, where: Callable[[int], str]) -> list[str]:
    """Return what to say of places at 0, 0, as a few programs write what they do not know."""
    at = np.flatnonzero(~degrees.any(axis=1))
    if not len(at):
        return []
    some = counted(len(at), "place")
    return [
        f"{some} at latitude 0, longitude 0, where unknown ones end up: see {where(int(at[0]))}"
    ]


def _different(degrees: Reals, names: Sequence[str]) -> tuple[NDArray[np.intp], list[str]]:
    """Return the first row of each different place, in their order, and all its names."""
    _, first, which = np.unique(degrees @ [1.0, 1.0j], return_index=True, return_inverse=True)
    together: dict[int, dict[str, None]] = {int(at): {} for at in np.sort(first)}
    for at, name in zip(first[which].tolist(), names, strict=True):
        together[at][name] = None
    joined = [name_of(" / ".join(filter(None, some))) for some in together.values()]
    return np.sort(first), joined


def refuse_plane(file: InputFile) -> None:
    """Raise InstanceError if the user calls coordinates plain numbers that are degrees."""
    if file.read_as.coordinates == "plane":
        raise InstanceError(
            f"{file.path}: its format has latitudes and longitudes; leave --coordinates out"
        )

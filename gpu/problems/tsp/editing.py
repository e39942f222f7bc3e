"""Cities that are added, moved and removed while an instance is being solved."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError
from gpu.core.instance import Instance
from gpu.core.legacy import NEW
from gpu.problems.tsp.distances import (
    LARGEST_COORDINATE,
    LARGEST_DISTANCE,
    Metric,
    longest_possible,
)
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.writing import text_of_cities

FEWEST = 3  # cities that a tour needs
MOST_EDITS = 100_000  # that one change has, at most
EDITED = " (edited)"  # what the name of an edited instance ends with

_ON_THE_MAP = (Metric.EUC_2D, Metric.CEIL_2D, Metric.MAN_2D, Metric.MAX_2D, Metric.ATT)

Kind = Literal["add", "move", "remove"]


@dataclass(frozen=True, slots=True)
class CityEdit:
    """One city that is added, moved or removed."""

    kind: Kind
    city: int  # its number from 0, among the cities that are there when the edit is made
    x: float = math.nan  # where it is then, as the instance's file has it; NaN if it is removed
    y: float = math.nan

    def to_dict(self) -> dict[str, object]:
        """Return plain values for a log, where cities count from 1."""
        place = {} if self.kind == "remove" else {"x": self.x, "y": self.y}
        return {"edit": self.kind, "city": self.city + 1, **place}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from :meth:`to_dict`'s form; InstanceError if it is none."""
        kind: Any = values.get("edit")
        city = values.get("city")
        if kind not in get_args(Kind) or type(city) is not int or city < 1:
            raise InstanceError("a change of cities in it is none")
        if kind == "remove":
            return cls(kind, city - 1)
        x, y = values.get("x"), values.get("y")
        if any(isinstance(one, bool) or not isinstance(one, int | float) for one in (x, y)):
            raise InstanceError("a city in it is added or moved to no place")
        return cls(kind, city - 1, float(x or 0), float(y or 0))


class Edited(NamedTuple):
    """An instance after edits."""

    instance: TspInstance
    # (n,): the number that each city had before; NEW for one that was added or moved
    former: NDArray[np.int64]


def why_not_editable(instance: Instance | None) -> str:
    """Return why cities of ``instance`` cannot be edited, in a sentence; empty if they can."""
    if instance is None:
        return "Open an instance first"
    if not isinstance(instance, TspInstance):
        return f"{instance.name} has no cities: it is a {instance.problem.words.instance}"
    if instance.metric is Metric.EXPLICIT:
        return f"The file of {instance.name} lists its distances: they do not follow from places"
    if instance.metric not in _ON_THE_MAP:
        return (
            f"The distances of {instance.name} are {instance.metric}: the places on this map are "
            "not what they are measured between"
        )
    if not np.array_equal(instance.display, _places(instance)):
        return f"The map of {instance.name} shows other places than its distances are between"
    return ""


def edited(instance: TspInstance, edits: Sequence[CityEdit]) -> Edited:
    """Make ``edits`` one after the other; InstanceError if one is impossible."""
    if why := why_not_editable(instance):
        raise InstanceError(why)
    if len(edits) > MOST_EDITS:
        raise InstanceError(f"{len(edits)} edits at once; at most {MOST_EDITS} are made")
    points = list(map(tuple, _places(instance).tolist()))
    former = list(range(instance.n))
    for edit in edits:
        placed = edit.kind != "remove"
        if placed and not all(abs(one) <= LARGEST_COORDINATE for one in (edit.x, edit.y)):
            raise InstanceError(f"a city cannot be at ({edit.x:g}, {edit.y:g})")
        if not 0 <= edit.city < len(points) + (edit.kind == "add"):
            raise InstanceError(f"there is no city {edit.city + 1} among {len(points)}")
        if edit.kind == "add":
            points.insert(edit.city, (edit.x, edit.y))
            former.insert(edit.city, NEW)
        elif edit.kind == "move":
            points[edit.city] = edit.x, edit.y
            former[edit.city] = NEW
        elif len(points) <= FEWEST:
            raise InstanceError(f"a tour needs at least {FEWEST} cities: none can be removed")
        else:
            del points[edit.city], former[edit.city]
    places = np.array(points)
    if longest_possible(instance.metric, places) > LARGEST_DISTANCE:
        raise InstanceError(
            f"the cities would lie too far apart: distances may exceed {LARGEST_DISTANCE}"
        )
    return Edited(_instance_of(instance, frozen(places)), np.array(former, np.int64))


def text_of(instance: TspInstance) -> str:
    """Return the file of an instance whose cities can be edited."""
    return text_of_cities(
        instance.name, instance.comment, _places(instance), metric=instance.metric, exact=True
    )


def repaired(edit: Edited, tour: NDArray[np.integer], before: int) -> NDArray[np.int32]:
    """Return ``tour``, of the ``before`` cities that there were, for those that there are now.

    Cities that are gone are left out. Then each one that is new or has moved, in the order of
    their numbers, comes between the two neighbours where it makes the tour longer by the least.
    """
    number = np.full(before, NEW, np.int64)
    there = np.flatnonzero(edit.former != NEW)
    number[edit.former[there]] = there
    left = number[tour]
    left = left[left != NEW]
    for new in np.flatnonzero(edit.former == NEW):
        city = np.array(new)
        if len(left) == 0:
            left = np.array([new])
            continue
        after = np.roll(left, -1)
        apart = edit.instance.distances
        longer = apart(left, city) + apart(city, after) - apart(left, after)
        left = np.insert(left, int(longer.argmin()) + 1, new)
    return frozen(left.astype(np.int32))


def _places(instance: TspInstance) -> NDArray[np.float64]:
    assert instance.coordinates is not None
    return instance.coordinates


def _instance_of(instance: TspInstance, places: NDArray[np.float64]) -> TspInstance:
    name = instance.name.removesuffix(EDITED) + EDITED
    comment = f"{instance.name.removesuffix(EDITED)} with cities added, moved or removed"

    def make(sha256: str) -> TspInstance:
        return TspInstance(
            name, comment, instance.metric, places, None, places, unit=instance.unit, sha256=sha256
        )

    text = text_of(make(""))
    return make(hashlib.sha256(text.encode()).hexdigest())

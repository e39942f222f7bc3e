"""What everything that handles an instance needs of it, whatever the problem."""

from __future__ import annotations

import abc
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from gpu.core.arguments import described, is_whole, numbers_in
from gpu.core.arrays import frozen
from gpu.core.bounds import LowerBound
from gpu.core.cost_unit import CostUnit
from gpu.core.errors import InstanceError, SolutionError, WrongSolutionError
from gpu.core.problem import Problem

EDITED = " (edited)"  # what the name of an edited instance ends with
MOST_EDITS = 100_000  # that one change has, at most

Solution = NDArray[Any]
"""A solution; its instance says of which shape and type."""

EditKind = Literal["add", "move", "remove"]


@dataclass(frozen=True, slots=True)
class CityEdit:
    """One city that is added, moved or removed."""

    kind: EditKind
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
        if kind not in get_args(EditKind) or type(city) is not int or city < 1:
            raise InstanceError("a change of cities in it is none")
        if kind == "remove":
            return cls(kind, city - 1)
        x, y = values.get("x"), values.get("y")
        if any(isinstance(one, bool) or not isinstance(one, int | float) for one in (x, y)):
            raise InstanceError("a city in it is added or moved to no place")
        return cls(kind, city - 1, float(x or 0), float(y or 0))


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Instance(abc.ABC):
    """An instance of any problem; its arrays are read-only."""

    problem: ClassVar[Problem]  # of which this is an instance
    solution_type: ClassVar[np.dtype[Any]] = np.dtype(np.int32)
    fewest: ClassVar[int] = 1  # cities (vertices) that one has at least

    name: str  # as in the file, without the ending that a few names have
    comment: str  # the file's comment lines
    n: int = field(init=False)  # number of cities (vertices)
    # cost of an optimal or best-known solution, where known
    optimum: int | None = field(default=None, kw_only=True)
    optimum_by_user: bool = field(default=False, kw_only=True)  # whether the user has given it
    # what of the file is not kept or is wrong, in words for the user; mostly empty
    note: str = field(default="", kw_only=True)
    # what its file was taken for, in words, where that is not plain from its format
    seen: str = field(default="", kw_only=True)
    # of costs, in words; empty where the file does not say what it counts in
    unit: str = field(default="", kw_only=True)
    # how many decimals of that unit a cost counts: 1 where the cost 225 stands for 22.5
    decimals: int = field(default=0, kw_only=True)
    path: Path | None = field(default=None, kw_only=True)  # the file it came from
    # digest of the file's bytes, unpacked, hexadecimal
    sha256: str = field(default="", kw_only=True)
    # how its file was read, where there are several ways; empty where there is one
    read_as: str = field(default="", kw_only=True)
    # whether the places on its map are longitude and latitude in degrees
    geographic: bool = field(default=False, kw_only=True)

    def check_fields(self) -> None:
        """Raise InstanceError if what every instance has is of another kind than it must be."""
        for what in ("name", "comment", "note", "unit", "sha256", "read_as"):
            if not isinstance(value := getattr(self, what), str):
                raise InstanceError(f"{what} = {described(value)} is not a text")
        if self.optimum is not None and not (is_whole(self.optimum) and self.optimum >= 0):
            raise InstanceError(f"optimum = {described(self.optimum)} is not a cost")
        if not is_whole(self.decimals):
            raise InstanceError(f"decimals = {described(self.decimals)} is not a whole number")
        if not isinstance(self.path, Path | None):
            raise InstanceError(f"path = {described(self.path)} is not a pathlib.Path")

    @property
    @abc.abstractmethod
    def size(self) -> str:
        """How large it is, in words for the user."""

    @property
    def real_n(self) -> int:
        """How many of the cities (vertices) are the user's: all, unless some are auxiliary."""
        return self.n

    @property
    def wish(self) -> str:
        """What is wanted of its solutions beyond what its problem says, in words; mostly empty."""
        return ""

    @property
    def forbidden_from(self) -> int | None:
        """The least cost of what is no solution, because it needs what is forbidden; or None."""
        return None

    @property
    def nothing_found(self) -> str:
        """What is said of a run that has no solution at its end."""
        return f"there is no {self.problem.words.solution}"

    def is_solution_at(self, cost: int) -> bool:
        """Whether what costs so much is a solution: see ``forbidden_from``."""
        return self.forbidden_from is None or cost < self.forbidden_from

    @property
    def said(self) -> list[str]:
        """What a user should be told of it: what it was taken for, its unit and its note."""
        unit = f"lengths are in {self.unit}" if self.unit else ""
        return [one for one in (self.seen, unit, self.note) if one]

    @property
    @abc.abstractmethod
    def facts(self) -> Mapping[str, int | str | bool]:
        """What else a log should say of it, ready for JSON."""

    @property
    def solution_shape(self) -> tuple[int, ...]:
        """Shape of every solution; of ``solution_type``."""
        return (self.n,)

    @property
    def known_solution(self) -> Solution | None:
        """The solution that came with it, if one did."""
        return None

    @property
    def map_places(self) -> NDArray[np.float64] | None:
        """Where its places are on a map, shape (n, 2), y up; None if it has no map."""
        return None

    @abc.abstractmethod
    def cost_of(self, solution: Solution) -> int:
        """Exact cost of ``solution``; SolutionError if it is none."""

    def checked(self, solution: Solution, cost: int | None = None) -> Solution:
        """Return a read-only copy of what a colony has made, which says that it costs ``cost``.

        WrongSolutionError if it is no solution, or costs something else.
        """
        noun, copy = self.problem.words.solution, np.array(solution, self.solution_type)
        try:
            exact = self.cost_of(copy)
        except SolutionError as error:
            raise WrongSolutionError(
                f"the colony made something else than a {noun} ({error})"
            ) from error
        if cost is not None and exact != cost:
            raise WrongSolutionError(f"the colony says {cost} of a {noun} that costs {exact}")
        return frozen(copy)

    @property
    def cost_unit(self) -> CostUnit:
        """In what its costs are shown."""
        return CostUnit(self.unit, self.decimals, self.problem.words.unit)

    def gap_percent(self, cost: int) -> float | None:
        """How far ``cost`` lies above the optimum, in %, or None where that is unknown (or 0)."""
        return 100.0 * (cost - self.optimum) / self.optimum if self.optimum else None

    def bound_by(self, witness: NDArray[Any]) -> LowerBound:
        """Return the lower bound of all costs that ``witness`` shows; SolutionError if none."""
        raise SolutionError(f"nothing shows how low a {self.problem.words.cost} can be")

    def with_optimum(self, cost: int) -> Self:
        """Return it with the best-known ``cost`` that the user has given."""
        return replace(self, optimum=cost, optimum_by_user=True)

    @abc.abstractmethod
    def written(self, solution: Solution) -> list[int]:
        """``solution`` in the numbers of its file, which count from 1."""

    @abc.abstractmethod
    def read(self, written: Sequence[int]) -> Solution:
        """Return the solution, read-only, that is ``written`` so; SolutionError if it is none."""

    def numbers_of(self, written: Sequence[int]) -> NDArray[np.int64]:
        """Return as many whole numbers as a solution has; SolutionError if they are no such."""
        numbers = numbers_in(written, "iu")
        if numbers is None or numbers.shape != self.solution_shape:
            noun = self.problem.words.solution
            raise SolutionError(f"what is written is no {noun} of {self.name}")
        return numbers.astype(np.int64, copy=False)

    def solution_from(self, given: Sequence[int] | NDArray[Any]) -> Solution:
        """Return the solution, read-only, that is ``given`` as a user has it, counting from 0.

        SolutionError if it is none.
        """
        solution = np.array(given, self.solution_type)
        self.cost_of(solution)
        return frozen(solution)

    @abc.abstractmethod
    def write(self, path: Path, solution: Solution, comment: str = "") -> None:
        """Write ``solution`` in the format of its problem; SolutionError if it is none.

        OSError if the file cannot be written.
        """

    def is_solution(self, path: Path, data: bytes) -> bool:
        """Whether the file ``data`` at ``path`` has the names of its places, as a solution."""
        return False

    def load_solution(self, path: str | Path, data: bytes | None = None) -> Solution:
        """Load a solution, read-only, from the file at ``path``, whose ``data`` may be given.

        InstanceError if it cannot be read, or is no solution of this instance.
        """
        raise InstanceError(f"{path}: files of {self.problem.words.solutions} are not read")

    @property
    def why_not_editable(self) -> str:
        """Why its cities cannot be edited, in a sentence; empty if they can."""
        return f"{self.name} has no cities: it is a {self.problem.words.instance}"

    def edited(self, edits: Sequence[CityEdit]) -> Edited:
        """Make ``edits`` one after the other; InstanceError if one is impossible."""
        raise InstanceError(self.why_not_editable)

    def text(self) -> str:
        """Return the file of an instance whose cities can be edited; else InstanceError."""
        raise InstanceError(self.why_not_editable)

    def repaired(self, solution: Solution, before: Instance, former: NDArray[np.int64]) -> Solution:
        """Return what is left here of a ``solution`` of the instance ``before`` edits.

        ``former`` is that of :class:`Edited`. InstanceError if nothing can be edited.
        """
        raise InstanceError(self.why_not_editable)

    @abc.abstractmethod
    def digest(self) -> str:
        """SHA-256 of its contents, in whatever words they are written: of every number."""

    @abc.abstractmethod
    def part(self, size: int) -> Self:
        """Choose ``size`` places evenly, of the same problem."""


class Edited(NamedTuple):
    """An instance after edits."""

    instance: Instance
    # (n,): the number that each city had before; NEW for one that was added or moved
    former: NDArray[np.int64]


def chosen_evenly(n: int, size: int) -> NDArray[np.int64]:
    """``size`` of the numbers 0 .. n - 1, ascending, evenly chosen."""
    return np.linspace(0, n - 1, size).round().astype(np.int64)

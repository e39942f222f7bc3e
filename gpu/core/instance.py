"""What everything that handles an instance needs of it, whatever the problem."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gpu.core.arguments import described, is_whole
from gpu.core.errors import InstanceError
from gpu.core.problem import Problem


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Instance(abc.ABC):
    """An instance of any problem; its arrays are read-only."""

    problem: ClassVar[Problem]  # of which this is an instance

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
    path: Path | None = field(default=None, kw_only=True)  # the file it came from
    # digest of the file's bytes, unpacked, hexadecimal
    sha256: str = field(default="", kw_only=True)
    # how its file was read, where there are several ways; empty where there is one
    read_as: str = field(default="", kw_only=True)

    def check_fields(self) -> None:
        """Raise InstanceError if what every instance has is of another kind than it must be."""
        for what in ("name", "comment", "note", "unit", "sha256", "read_as"):
            if not isinstance(value := getattr(self, what), str):
                raise InstanceError(f"{what} = {described(value)} is not a text")
        if self.optimum is not None and not (is_whole(self.optimum) and self.optimum >= 0):
            raise InstanceError(f"optimum = {described(self.optimum)} is not a cost")
        if not isinstance(self.path, Path | None):
            raise InstanceError(f"path = {described(self.path)} is not a pathlib.Path")

    @property
    @abc.abstractmethod
    def size(self) -> str:
        """How large it is, in words for the user."""

    @property
    def said(self) -> list[str]:
        """What a user should be told of it: what it was taken for, its unit and its note."""
        unit = f"lengths are in {self.unit}" if self.unit else ""
        return [one for one in (self.seen, unit, self.note) if one]

    @property
    @abc.abstractmethod
    def facts(self) -> Mapping[str, int | str | bool]:
        """What else a log should say of it, ready for JSON."""

    @abc.abstractmethod
    def cost_of(self, solution: NDArray[np.integer]) -> int:
        """Exact cost of ``solution``, shape (n,); SolutionError if it is none."""

    def gap_percent(self, cost: int) -> float | None:
        """How far ``cost`` lies above the optimum, in %, or None where that is unknown (or 0)."""
        return 100.0 * (cost - self.optimum) / self.optimum if self.optimum else None

    @abc.abstractmethod
    def written(self, solution: NDArray[np.integer]) -> list[int]:
        """``solution`` in the numbers of its file, which count from 1."""

    @abc.abstractmethod
    def write(self, path: Path, solution: NDArray[np.integer], comment: str = "") -> None:
        """Write ``solution`` in the format of its problem; SolutionError if it is none.

        OSError if the file cannot be written.
        """

    @abc.abstractmethod
    def part(self, size: int) -> Self:
        """Choose ``size`` places evenly, of the same problem."""


def chosen_evenly(n: int, size: int) -> NDArray[np.int64]:
    """``size`` of the numbers 0 .. n - 1, ascending, evenly chosen."""
    return np.linspace(0, n - 1, size).round().astype(np.int64)

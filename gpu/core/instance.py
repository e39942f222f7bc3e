"""What everything that handles an instance needs of it, whatever the problem."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gpu.core.problem import Problem


class Instance(Protocol):
    """What sessions, runs, recorders and exports need of an instance of any problem."""

    problem: ClassVar[Problem]
    """The problem of which this is an instance."""

    @property
    def name(self) -> str:
        """Its name in the file."""

    @property
    def comment(self) -> str:
        """The file's comment lines."""

    @property
    def n(self) -> int:
        """Number of cities (vertices)."""

    @property
    def size(self) -> str:
        """How large it is, in words for the user."""

    @property
    def optimum(self) -> int | None:
        """Cost of an optimal or best-known solution, where known."""

    @property
    def note(self) -> str:
        """What of the file is not kept or is wrong, in words for the user; mostly empty."""

    @property
    def path(self) -> Path | None:
        """The file it came from."""

    @property
    def sha256(self) -> str:
        """Digest of the file's bytes, hexadecimal."""

    @property
    def facts(self) -> Mapping[str, int | str | bool]:
        """What else a log should say of it, ready for JSON."""

    def cost_of(self, solution: NDArray[np.integer]) -> int:
        """Exact cost of ``solution``, shape (n,), which is checked to be one.

        Raises
        ------
        SolutionError
            If it is none.
        """

    def gap_percent(self, cost: int) -> float | None:
        """How far ``cost`` lies above the optimum, in %, or None where that is unknown."""

    def written(self, solution: NDArray[np.integer]) -> list[int]:
        """``solution`` in the numbers of its file, which count from 1."""

    def write(self, path: Path, solution: NDArray[np.integer], comment: str) -> None:
        """Write ``solution`` in the format that its problem has for them.

        Raises
        ------
        ValueError
            If it is none.
        OSError
            If the file cannot be written.
        """

    def part(self, size: int) -> Self:
        """Choose ``size`` places evenly, of the same problem."""


def chosen_evenly(n: int, size: int) -> NDArray[np.int64]:
    """``size`` of the numbers 0 .. n - 1, ascending, evenly chosen."""
    return np.linspace(0, n - 1, size).round().astype(np.int64)


def gap_percent(cost: int, optimum: int | None) -> float | None:
    """How far ``cost`` lies above ``optimum``, in %, or None where that is unknown (or 0)."""
    return 100.0 * (cost - optimum) / optimum if optimum else None

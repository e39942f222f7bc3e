"""Parameters that validate and explain themselves; dialogs, command line and logs read them.

A colony's parameters are a frozen dataclass whose fields are made by :func:`parameter`.
Calling :func:`validate` from ``__post_init__`` is all that such a class has to do.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from gpu.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the window and ``--help`` say of one parameter.

    Attributes
    ----------
    symbol : str
        The paper's symbol, for example ``"q₀"``.
    text : str
        One sentence for the user.
    low, high : float
        The inclusive range of valid values.
    low_open, high_open : bool
        Whether the bound itself is excluded.
    automatic : str
        What ``None`` stands for, for example ``"n ants"``; empty where ``None`` is not allowed.
    """

    symbol: str
    text: str
    low: float
    high: float
    low_open: bool = False
    high_open: bool = False
    automatic: str = ""

    @property
    def range_text(self) -> str:
        """The range in words, as error messages and tool tips print it."""
        if self.high == math.inf:
            return f"{'greater than' if self.low_open else 'at least'} {self.low:.12g}"
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"in {left}{self.low:.12g}, {self.high:.12g}{right}"

    def admits(self, value: float) -> bool:
        """Whether ``value`` lies in the range; NaN never does."""
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return above and below


def parameter(
    default: object,
    symbol: str,
    text: str,
    low: float,
    high: float = math.inf,
    *,
    low_open: bool = False,
    high_open: bool = False,
    automatic: str = "",
) -> Any:
    """Declare one field of a parameters dataclass; see :class:`Explanation` for the arguments."""
    explanation = Explanation(symbol, text, low, high, low_open, high_open, automatic)
    return dataclasses.field(default=default, metadata={"explanation": explanation})


class Parameters:
    """Base of every colony's parameters: validation, text conversion and a plain-dict form."""

    def __post_init__(self) -> None:
        for name, explanation in self.explanations().items():
            value = getattr(self, name)
            if value is None:
                if not explanation.automatic:
                    raise ParameterError(f"{name} must be set; it must be {explanation.range_text}")
                continue
            kind = self.kinds()[name]
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ParameterError(f"{name} = {value!r} is not a number")
            if kind is int and value != int(value if math.isfinite(value) else 0):
                raise ParameterError(f"{name} = {value!r} is not a whole number")
            if not explanation.admits(value):
                raise ParameterError(f"{name} = {value!r} must be {explanation.range_text}")
            object.__setattr__(self, name, kind(value))

    @classmethod
    def explanations(cls) -> dict[str, Explanation]:
        """Name of each parameter to its explanation, in declaration order."""
        return {
            field.name: field.metadata["explanation"]
            for field in dataclasses.fields(cls)  # type: ignore[arg-type]
        }

    @classmethod
    @functools.cache  # reading type hints takes a millisecond, and every value typed asks for it
    def kinds(cls) -> dict[str, type[int] | type[float]]:
        """Name of each parameter to ``int`` or ``float`` (``None`` aside)."""
        hints = typing.get_type_hints(cls)
        kinds: dict[str, type[int] | type[float]] = {}
        for name in cls.explanations():
            hint = hints[name]
            options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
            kinds[name] = int if int in options else float
        return kinds

    @classmethod
    def from_mapping(cls, values: Mapping[str, object]) -> Self:
        """Build from plain values or their text (``"auto"`` or ``None`` for automatic).

        Raises
        ------
        ParameterError
            If a name is unknown, a text is no number, or a value is out of range.
        """
        kinds = cls.kinds()
        converted: dict[str, object] = {}
        for name, value in values.items():
            if name not in kinds:
                raise ParameterError(
                    f"there is no parameter {name!r} here; there are {', '.join(kinds)}"
                )
            if isinstance(value, str):
                value = None if value.strip().lower() == "auto" else _number(name, value)
            converted[name] = value
        return cls(**converted)

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities (vertices)."""
        return self

    def to_dict(self) -> dict[str, int | float | None]:
        """Name to value, in declaration order, ready for JSON."""
        return {name: getattr(self, name) for name in self.explanations()}


def _number(name: str, text: str) -> int | float:
    """Return the number that ``text`` writes, whole if it is written so."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise ParameterError(f"{name} = {text!r} is not a number")


@dataclass(frozen=True)
class AcsParameters(Parameters):
    """Parameters of the Ant Colony System; defaults from the 2016 paper, Section 4.1."""

    ants: int | None = parameter(
        None, "m", "Ants, each building one tour an iteration.", 1, 1_000_000, automatic="n"
    )
    beta: float = parameter(3.0, "β", "Weight of the edge length against the trail.", 0, 20)
    alpha: float = parameter(
        0.2, "α", "Share of a trail renewed by the global update.", 0, 1, low_open=True
    )
    rho: float = parameter(
        0.01, "ρ", "Share of a trail that evaporates at a local update.", 0, 1, low_open=True
    )
    q0: float | None = parameter(
        None,
        "q₀",
        "Probability of taking the best candidate instead of drawing one.",
        0,
        1,
        automatic="(n − 20)/n",
    )
    candidates: int = parameter(
        32, "cl", "Nearest neighbours an ant considers before all other cities.", 1, 32
    )
    update_period: int = parameter(
        1, "k", "The local update is made at every k-th step.", 1, 1_000_000
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities, and cap ``candidates`` at n - 1.

        The paper's q0 = (n - 20)/n is negative below 20 cities; it is clamped to [0, 1].
        """
        return dataclasses.replace(
            self,
            ants=self.ants if self.ants is not None else n,
            q0=self.q0 if self.q0 is not None else min(1.0, max(0.0, (n - 20) / n)),
            candidates=min(self.candidates, n - 1),
        )


@dataclass(frozen=True)
class SpmParameters(AcsParameters):
    """Parameters of the ACS with selective pheromone memory (2016 paper, Section 3.2)."""

    memory: int = parameter(8, "s", "Trails remembered at each city.", 1, 32)

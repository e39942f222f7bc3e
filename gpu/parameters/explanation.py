"""What a parameter says of itself, and how the fields of a parameters dataclass are declared."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
    options : mapping of str to str
        For a choice, every value it can have and what that means; empty for a number.
    power_of_two : bool
        Whether only powers of two are valid.
    multiple_of : int
        Only whole multiples of this are valid, where it is not 0.
    phase : str
        The phase of an iteration (see :class:`gpu.snapshot.Snapshot`) whose work this parameter
        decides; empty where that is the whole iteration.
    """

    symbol: str
    text: str
    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False
    automatic: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    power_of_two: bool = False
    multiple_of: int = 0
    phase: str = ""

    @property
    def alternatives(self) -> tuple[int | str, ...]:
        """Every value, where there are few: options of a choice, powers of two, multiples."""
        if self.multiple_of:
            return tuple(range(int(self.low), int(self.high) + 1, self.multiple_of))
        if not self.power_of_two:
            return tuple(self.options)
        powers = (1 << exponent for exponent in range(math.frexp(self.high)[1]))
        return tuple(power for power in powers if power >= self.low)

    @property
    def range_text(self) -> str:
        """The range in words, as error messages and tool tips print it."""
        if self.options:
            return f"one of {', '.join(self.options)}"
        if self.high == math.inf:
            return f"{'greater than' if self.low_open else 'at least'} {self.low:.12g}"
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        what = "a power of two " if self.power_of_two else ""
        if self.multiple_of:
            what = f"a multiple of {self.multiple_of} "
        return f"{what}in {left}{self.low:.12g}, {self.high:.12g}{right}"

    def admits(self, value: float | str) -> bool:
        """Whether ``value`` lies in the range, or is an option; NaN never does."""
        if self.options or isinstance(value, str):
            return value in self.options
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        whole = int(value) if above and below else 0
        return (
            above
            and below
            and not (self.power_of_two and whole & (whole - 1))
            and not (self.multiple_of and whole % self.multiple_of)
        )


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
    power_of_two: bool = False,
    multiple_of: int = 0,
    phase: str = "",
) -> Any:
    """Declare one field of a parameters dataclass; see :class:`Explanation` for the arguments."""
    explanation = Explanation(
        symbol,
        text,
        low,
        high,
        low_open,
        high_open,
        automatic,
        power_of_two=power_of_two,
        multiple_of=multiple_of,
        phase=phase,
    )
    return dataclasses.field(default=default, metadata={"explanation": explanation})


def choice(
    default: str | None,
    symbol: str,
    text: str,
    options: Mapping[str, str],
    *,
    automatic: str = "",
    phase: str = "",
) -> Any:
    """Declare a field that is one of ``options``, named as the command line writes them."""
    explanation = Explanation(symbol, text, automatic=automatic, options=options, phase=phase)
    return dataclasses.field(default=default, metadata={"explanation": explanation})

"""Parameters that validate and explain themselves; dialogs, command line and logs read them.

A colony's parameters are a frozen dataclass whose fields are made by :data:`parameter`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, Self

from gpu.core.arguments import described, plain
from gpu.core.errors import ParameterError
from gpu.core.instance import Instance

P = ParamSpec("P")

_LARGEST_WHOLE = 2**64  # a number with thousands of bits is no float


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the window and ``--help`` say of one parameter."""

    symbol: str  # the paper's symbol, for example ``"q₀"``
    text: str  # one sentence for the user
    low: float = -math.inf  # the range of valid values,
    high: float = math.inf
    low_open: bool = False  # and whether a bound itself is excluded
    high_open: bool = False
    # what ``None`` stands for, for example ``"n ants"``; empty where ``None`` is not allowed
    automatic: str = ""
    # for a choice, every value it can have and what that means; empty for a number
    options: Mapping[str, str] = field(default_factory=dict)
    power_of_two: bool = False  # whether only powers of two are valid
    multiple_of: int = 0  # only whole multiples of this are valid, where it is not 0
    # the phase of an iteration (see :class:`gpu.core.snapshot.Snapshot`) whose work this parameter
    # decides; empty where that is the whole iteration
    phase: str = ""
    # the value in effect before there was this parameter, for older records; empty: its default
    formerly: str = ""
    # raises ParameterError where an instance does not allow a value
    check: Callable[[Instance, Any], None] | None = None
    live: bool = False  # whether it can change while a colony runs; see gpu.run.changes

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

    @property
    def must_be(self) -> str:
        """What a refused value must be, in words."""
        return f"must be {self.range_text}"

    def admits(self, value: float | str) -> bool:
        """Whether ``value`` lies in the range, or is an option; NaN never does."""
        if self.options or isinstance(value, str):
            return isinstance(value, str) and value in self.options
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        whole = int(value) if above and below else 0
        return (
            above
            and below
            and not (self.power_of_two and whole & (whole - 1))
            and not (self.multiple_of and whole % self.multiple_of)
        )


def _declared(explain: Callable[P, Explanation]) -> Callable[Concatenate[object, P], Any]:
    def field_of(default: object, /, *said: P.args, **more: P.kwargs) -> Any:
        return dataclasses.field(default=default, metadata={"explanation": explain(*said, **more)})

    return field_of


parameter = _declared(Explanation)
"""Declare one field of a parameters dataclass: its default, then the arguments of Explanation."""


class Parameters:
    """Base of every colony's parameters: validation, text conversion and a plain-dict form."""

    def __post_init__(self) -> None:
        for name, explanation in self.explanations().items():
            value, kind = getattr(self, name), self.kinds()[name]
            if value is None:
                if not explanation.automatic:
                    raise ParameterError(f"{name} must be set; it {explanation.must_be}")
                continue
            if kind is not str:
                if isinstance(value, bool) or not isinstance(value, int | float):
                    raise ParameterError(f"{name} = {described(value)} is not a number")
                if isinstance(value, int) and abs(value) > _LARGEST_WHOLE:
                    raise ParameterError(
                        f"{name} has {value.bit_length()} bits; it {explanation.must_be}"
                    )
                if kind is int and value != int(value if math.isfinite(value) else 0):
                    raise ParameterError(f"{name} = {value!r} is not a whole number")
            if not explanation.admits(value):
                raise ParameterError(f"{name} = {described(value)} {explanation.must_be}")
            object.__setattr__(self, name, kind(value))

    @classmethod
    @functools.cache
    def explanations(cls) -> dict[str, Explanation]:
        """Name of each parameter to its explanation, in declaration order."""
        return {
            item.name: item.metadata["explanation"]
            for item in dataclasses.fields(cls)  # type: ignore[arg-type]  # each subclass is one
        }

    @classmethod
    @functools.cache  # reading type hints takes a millisecond, and every value typed asks for it
    def kinds(cls) -> dict[str, type[int] | type[float] | type[str]]:
        """Name of each parameter to ``int``, ``float`` or, for a choice, ``str`` (None aside)."""
        hints = typing.get_type_hints(cls)
        either = {
            name: typing.get_args(hints[name]) or (hints[name],) for name in cls.explanations()
        }
        return {
            name: next(kind for kind in (str, int, float) if kind in kinds)
            for name, kinds in either.items()
        }

    @classmethod
    def from_mapping(cls, values: Mapping[str, object]) -> Self:
        """Build from plain values or their text (``"auto"`` or ``None`` for automatic).

        Raises
        ------
        ParameterError
            If a name is unknown, a text is no number, or a value is out of range or no option.
        """
        kinds = cls.kinds()
        converted: dict[str, object] = {}
        for name, given in values.items():
            value = plain(given)
            if name not in kinds:
                raise ParameterError(
                    f"there is no parameter {described(name)} here; there are {', '.join(kinds)}"
                )
            if isinstance(value, str):
                if value.strip().lower() == "auto":
                    value = None
                elif kinds[name] is not str:
                    value = _number(name, value)
            converted[name] = value
        return cls(**converted)

    @classmethod
    def from_record(cls, values: Mapping[str, object]) -> Self:
        """Build from recorded values, perhaps of an earlier version; see :meth:`from_mapping`."""
        formerly = {
            name: explanation.formerly
            for name, explanation in cls.explanations().items()
            if explanation.formerly
        }
        return cls.from_mapping({**formerly, **values})

    @classmethod
    def taken_over(
        cls, values: Mapping[str, object], former: type[Parameters]
    ) -> dict[str, object]:
        """Return those of ``values`` that were chosen for ``former``, and can be chosen here.

        A value was chosen if it is not the default of ``former``; see :meth:`shared` for the rest.
        """
        return {
            name: value
            for name, value in cls.shared(values, former).items()
            if not former._is_default(name, value)
        }

    @classmethod
    def shared(cls, values: Mapping[str, object], former: type[Parameters]) -> dict[str, object]:
        """Return those of ``values`` of ``former`` that can be chosen here.

        A value can if the parameter means the same (symbol and text are equal): the α of ACS is not
        that of MMAS.
        """
        theirs, ours = former.explanations(), cls.explanations()
        return {
            name: value
            for name, value in values.items()
            if name in theirs
            and name in ours
            and (theirs[name].symbol, theirs[name].text) == (ours[name].symbol, ours[name].text)
            and (not ours[name].options or value is None or value in ours[name].options)
        }

    @classmethod
    def _is_default(cls, name: str, value: object) -> bool:
        try:
            return bool(getattr(cls.from_mapping({name: value}), name) == getattr(cls(), name))
        except ParameterError:
            return False

    def check(self, instance: Instance) -> None:
        """Raise ParameterError if a value is possible, but not for ``instance``."""
        for name, explanation in self.explanations().items():
            if explanation.check is not None:
                explanation.check(instance, getattr(self, name))

    def differing(self, other: Parameters) -> frozenset[str]:
        """Return the names of the parameters that ``other``, of the same kind, has otherwise."""
        theirs = other.to_dict()
        return frozenset(name for name, value in self.to_dict().items() if value != theirs[name])

    def resolved(self, n: int) -> Self:
        """Return these parameters for ``n`` cities (vertices), with none of them automatic."""
        return self

    def to_dict(self) -> dict[str, int | float | str | None]:
        """Name to value, in declaration order, ready for JSON."""
        return {name: getattr(self, name) for name in self.explanations()}


def _number(name: str, text: str) -> int | float:
    """Return the number that ``text`` writes, whole if it is written so."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise ParameterError(f"{name} = {described(text)} is not a number")

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
from dataclasses import dataclass, field
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
    options : mapping of str to str
        For a choice, every value it can have and what that means; empty for a number.
    power_of_two : bool
        Whether only powers of two are valid.
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
    phase: str = ""

    @property
    def alternatives(self) -> tuple[int | str, ...]:
        """Every value, where there are few: the options of a choice, or the powers of two."""
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
        return f"{what}in {left}{self.low:.12g}, {self.high:.12g}{right}"

    def admits(self, value: float | str) -> bool:
        """Whether ``value`` lies in the range, or is an option; NaN never does."""
        if self.options or isinstance(value, str):
            return value in self.options
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return above and below and not (self.power_of_two and int(value) & (int(value) - 1))


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


NO_LOCAL_SEARCH = "none"

LOCAL_SEARCHES = {
    NO_LOCAL_SEARCH: "tours stay as the ants built them",
    "2opt": "two edges exchanged, with neighbour lists and don't-look bits; symmetric distances",
    "2opt+oropt": "2-opt, and segments of up to 3 cities put elsewhere; symmetric distances",
    "oropt": "segments of up to 3 cities put elsewhere; directed distances too",
}
"""The kinds of local search, as the command line writes them, and what each does."""


def local_search_choice() -> Any:
    """Declare the field ``local_search`` of a colony's parameters."""
    return choice(
        NO_LOCAL_SEARCH,
        "LS",
        "How every tour is improved once built.",
        LOCAL_SEARCHES,
        phase="local search",
    )


SELECTIONS = {
    "roulette": "roulette wheel over the cities in the order of their numbers",
    "stc-roulette": (
        "roulette wheel over the tour list, whose unvisited end shrinks (2017); "
        "with candidate lists the same as roulette"
    ),
    "i-roulette": (
        "largest product of weight and a random number of the city's own (2013); "
        "favours heavy weights more than the random proportional rule does"
    ),
    "wrs": (
        "weighted reservoir sampling (2020): a random number of the city's own, "
        "in proportion to the weights as on a wheel"
    ),
}
"""How ants without a candidate that they must take draw their next city, on the CPU."""


def selection_choice() -> Any:
    """Declare the field ``selection`` of a colony's parameters."""
    return choice(
        "roulette", "p", "How an ant draws its next city.", SELECTIONS, phase="construction"
    )


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
            if kind is str:
                if not isinstance(value, str) or not explanation.admits(value):
                    raise ParameterError(f"{name} = {value!r} must be {explanation.range_text}")
                continue
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
            item.name: item.metadata["explanation"]
            for item in dataclasses.fields(cls)  # type: ignore[arg-type]
        }

    @classmethod
    @functools.cache  # reading type hints takes a millisecond, and every value typed asks for it
    def kinds(cls) -> dict[str, type[int] | type[float] | type[str]]:
        """Name of each parameter to ``int``, ``float`` or, for a choice, ``str`` (None aside)."""
        hints = typing.get_type_hints(cls)
        kinds: dict[str, type[int] | type[float] | type[str]] = {}
        for name in cls.explanations():
            hint = hints[name]
            types_of = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
            kinds[name] = next(kind for kind in (str, int, float) if kind in types_of)
        return kinds

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
        for name, value in values.items():
            if name not in kinds:
                raise ParameterError(
                    f"there is no parameter {name!r} here; there are {', '.join(kinds)}"
                )
            if isinstance(value, str):
                if value.strip().lower() == "auto":
                    value = None
                elif kinds[name] is not str:
                    value = _number(name, value)
            converted[name] = value
        return cls(**converted)

    @classmethod
    def taken_over(
        cls, values: Mapping[str, object], former: type[Parameters]
    ) -> dict[str, object]:
        """Return those of ``values``, chosen for ``former``, that are a choice for this kind too.

        They are the ones that differ from ``former``'s defaults, where the parameter means the
        same to both (symbol and text are equal): the α of one search is not that of another.
        """
        theirs, ours = former.explanations(), cls.explanations()
        return {
            name: value
            for name, value in values.items()
            if name in theirs
            and name in ours
            and (theirs[name].symbol, theirs[name].text) == (ours[name].symbol, ours[name].text)
            and (not ours[name].options or value is None or value in ours[name].options)
            and not former._is_default(name, value)
        }

    @classmethod
    def _is_default(cls, name: str, value: object) -> bool:
        try:
            return bool(getattr(cls.from_mapping({name: value}), name) == getattr(cls(), name))
        except ParameterError:
            return False

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities (vertices)."""
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


@dataclass(frozen=True)
class AsParameters(Parameters):
    """What every Ant System has; defaults from the 2013 paper, Section 4.1 (m = n)."""

    ants: int | None = parameter(
        None, "m", "Ants, each building one tour an iteration.", 1, 1_000_000, automatic="n"
    )
    alpha: float = parameter(1.0, "α", "Weight of the trail against the edge length.", 0, 20)
    beta: float = parameter(2.0, "β", "Weight of the edge length against the trail.", 0, 20)
    rho: float = parameter(
        0.5, "ρ", "Share of every trail that evaporates each iteration.", 0, 1, low_open=True
    )

    def resolved(self, n: int) -> Self:
        """Fill what is automatic for an instance of ``n`` cities."""
        return dataclasses.replace(self, ants=self.ants if self.ants is not None else n)


@dataclass(frozen=True)
class AsCpuParameters(AsParameters):
    """Parameters of the Ant System on the CPU: any selection, with or without lists."""

    candidates: int = parameter(
        0, "cl", "Nearest neighbours an ant considers before all other cities; 0: all.", 0, 32
    )
    selection: str = selection_choice()
    local_search: str = local_search_choice()

    def resolved(self, n: int) -> Self:
        """Fill what is automatic, and cap ``candidates`` at n - 1."""
        return dataclasses.replace(
            super().resolved(n), candidates=min(self.candidates, max(n - 1, 0))
        )


@dataclass(frozen=True)
class MmasParameters(AsParameters):
    """What every MAX-MIN Ant System has; defaults from the 2020 paper, Section 5 (m = n)."""

    p_best: float = parameter(
        0.05,
        "p_best",
        "Probability of building the best tour again once trails have settled; sets the least.",
        0,
        1,
        low_open=True,
    )
    deposit: str = choice(
        "iteration-best",
        "Δτ",
        "Which tour's trails grow each iteration.",
        {
            "iteration-best": "the shortest tour of the iteration",
            "global-best": "the shortest tour so far",
            "schedule": (
                "the iteration's shortest, but the shortest so far every 25th iteration, "
                "then ever more often, from iteration 250 on always (Stützle and Hoos)"
            ),
        },
        phase="update",
    )
    restart: int = parameter(
        0,
        "r",
        "Iterations in vain after which settled trails begin anew; 0: never.",
        0,
        1_000_000,
        phase="update",
    )


@dataclass(frozen=True)
class MmasCpuParameters(MmasParameters):
    """Parameters of the MAX-MIN Ant System on the CPU."""

    candidates: int = parameter(
        0, "cl", "Nearest neighbours an ant considers before all other cities; 0: all.", 0, 224
    )
    selection: str = selection_choice()
    local_search: str = local_search_choice()

    def resolved(self, n: int) -> Self:
        """Fill what is automatic, and cap ``candidates`` at n - 1."""
        return dataclasses.replace(
            super().resolved(n), candidates=min(self.candidates, max(n - 1, 0))
        )


@dataclass(frozen=True)
class AsCudaParameters(AsParameters):
    """Parameters of every Ant System on a GPU."""

    update: str = choice(
        "atomic-tiled",
        "Δτ",
        "How the ants' deposits are added up (2013, Table 4); all give the same trails.",
        {
            "atomic-tiled": "a thread an edge of a tour read by tiles, atomic additions",
            "atomic": "a thread an edge of a tour, atomic additions",
            "reduction": "a thread a pair of cities looks for it in all tours, read by tiles",
            "tiled-gather": "a thread a trail looks for its edge in all tours, read by tiles",
            "gather": "a thread a trail looks for its edge in all tours",
        },
        phase="update",
    )
    power: str = choice(
        "precise",
        "τ^α",
        "How trails are raised to the power α.",
        {
            "precise": "to the last place; a whole α gives the very numbers of the CPU",
            "fast": "by the GPU's own approximate powers",
        },
        phase="choice info",
    )
    local_search: str = local_search_choice()


@dataclass(frozen=True)
class AsGroupParameters(AsCudaParameters):
    """Parameters of the Ant Systems in which a group of threads works for one ant."""

    workers: int | None = parameter(
        None,
        "w",
        "Threads that work for one ant.",
        16,
        1024,
        automatic="by n",
        power_of_two=True,
        phase="construction",
    )


@dataclass(frozen=True)
class AsLaunchesParameters(AsGroupParameters):
    """Parameters of the 2017 paper's Ant Systems, which have two ways to launch kernels."""

    launches: str | None = choice(
        None,
        "KE",
        "What one launch of the construction kernel does.",
        {"tour": "build whole tours (KE-ALL)", "step": "make one step of all ants (KE-ONE)"},
        automatic="by n",
        phase="construction",
    )

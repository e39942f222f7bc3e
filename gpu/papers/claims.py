"""What a paper's text says of its results, in our words, with the condition that decides it.

A condition is written like a condition of Python over numbers of the item's study, and nothing else
of Python is understood. docs/guide/reproduce.md explains it.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from typing import Annotated, Any, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpu.core.stop_limits import LIMIT_LARGEST
from gpu.core.words import shown
from gpu.studies.design import DesignError, Label

CLAIM_LONGEST = 1000  # characters of each text of a claim
CASES_MOST = 1000  # that one claim may be of
GPU = "{gpu}"  # in a cause, stands for the GPUs on which our runs were made
EVERY = "*"  # stands for every instance
DEEPEST_CONDITION = 20  # levels of brackets and operators

Values = NDArray[np.float64]
"""A number and, behind it, what it would be with resampled runs."""

ClaimText = Annotated[str, msgspec.Meta(max_length=CLAIM_LONGEST)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence of a paper's text on its results: ``[[paper.claims]]``."""

    where: Label  # it is in the paper, such as Section 4.1
    says: ClaimText  # what it says, in our words
    check: ClaimText = ""  # the condition that decides it
    untested: ClaimText = ""  # why nothing decides it
    on: tuple[str, ...] = ()  # instances on which the condition must hold; EVERY: on every one
    # for which values of the names that the condition has in braces or as numbers
    over: dict[str, tuple[int | float | str, ...]] = field(default_factory=dict)
    cases: Annotated[int, msgspec.Meta(ge=1)] | None = None  # that must hold; None: all
    ours: ClaimText = ""  # our numbers, with conditions' terms in braces
    cause: ClaimText = ""  # why it is not reproduced, where that is known; it may have GPU

    def instances(self, every: Sequence[str]) -> Sequence[str]:
        """Return the instances that it is of, among ``every`` one; a nameless one for none."""
        return every if self.on == (EVERY,) else self.on or ("",)

    def each(self, every: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield each case: its instance, and the values of ``over``."""
        for instance in self.instances(every):
            for values in product(*self.over.values()):
                yield instance, dict(zip(self.over, values, strict=True))


class MissingError(Exception):
    """A number that there is not; the message says why."""


class Evidence(Protocol):
    """Where the numbers of a condition come from."""

    def number(self, measure: str, label: str, against: str, instance: str) -> Values:
        """Return a number of a configuration on an instance, or raise MissingError."""

    def size(self, instance: str) -> Values:
        """Return the cities or vertices of an instance, or raise MissingError."""


class Names(NamedTuple):
    """What a condition may name."""

    measures: Collection[str]
    relative: Collection[str]  # those that compare with another configuration
    overall: Collection[str]  # those that are of no configuration
    labels: Sequence[str]
    instances: Sequence[str]
    quoted: Collection[str] = ()  # algorithms of which the paper quotes numbers


_COMPARE: Mapping[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("≤", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: ("≥", operator.ge),
}
_COMBINE: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_EXPRESSIONS: tuple[type[ast.AST], ...] = (
    *(ast.BoolOp, ast.UnaryOp, ast.Compare, ast.BinOp, ast.Call, ast.Constant, ast.Name),
    *(ast.And, ast.Or, ast.Not, ast.USub, ast.Load),
)
_KNOWN = frozenset([*_EXPRESSIONS, *_COMPARE, *_COMBINE])
_OF_SEVERAL: Mapping[str, Callable[[Values], Values]] = {
    "min": lambda some: np.asarray(some.min(axis=0)),
    "max": lambda some: np.asarray(some.max(axis=0)),
    "average": lambda some: np.asarray(some.mean(axis=0)),
}
SIZE = "cities"  # the term of an instance's size


ClaimCase = tuple[str, Mapping[str, Any]]
"""An instance, and the values of names."""


class Side(NamedTuple):
    """A comparison that was made: its sides and its sign."""

    left: float
    sign: str
    right: float
    holds: bool


class Judgement(NamedTuple):
    """What a condition is, for the runs and for each resample of them."""

    holds: NDArray[np.bool_]  # the first one is of the runs themselves
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition, or a term of one, that has been read."""

    tree: ast.expr
    text: str

    @classmethod
    def read(cls, text: str) -> Condition:
        """Read a condition; DesignError if it is none."""
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise DesignError(f"{shown(text, 60)!r} is no condition") from error
        _need_known(tree, text, 0)
        return cls(tree, text)

    def judge(self, evidence: Evidence, names: Names, case: ClaimCase) -> Judgement:
        """Return whether it holds; MissingError if a number of it is missing."""
        sides: list[Side] = []
        holds = np.atleast_1d(_Reader(evidence, names, case, sides).truth(self.tree))
        return Judgement(holds, tuple(sides))

    def value(self, evidence: Evidence, names: Names, case: ClaimCase) -> float:
        """Return the number that it is; MissingError if one is missing."""
        return float(np.atleast_1d(_Reader(evidence, names, case, []).number(self.tree))[0])


def _need_known(node: ast.AST, text: str, depth: int) -> None:
    """Raise DesignError unless all of a condition is understood."""
    if type(node) not in _KNOWN or depth > DEEPEST_CONDITION:
        raise DesignError(
            f"{shown(text, 60)!r} is no condition: it has terms, numbers, + - * /, comparisons by "
            "< <= > >=, and, or, not"
        )
    if isinstance(node, ast.Call) and (node.keywords or not isinstance(node.func, ast.Name)):
        raise DesignError(f"{shown(text, 60)!r}: a term is written as mean_gap('label')")
    if isinstance(node, ast.Constant) and not isinstance(node.value, str):
        if not isinstance(node.value, int | float):
            raise DesignError(f"{shown(text, 60)!r}: {shown(str(node.value), 20)} is no number")
        if not abs(node.value) <= LIMIT_LARGEST:
            raise DesignError(f"{shown(text, 60)!r}: a number is too large")
    for child in ast.iter_child_nodes(node):
        _need_known(child, text, depth + 1)


class _Reader:
    """Works out what a condition is in one case."""

    def __init__(
        self, evidence: Evidence, names: Names, case: ClaimCase, sides: list[Side]
    ) -> None:
        self._evidence, self._names = evidence, names
        self._instance, self._values = case
        self._sides = sides

    def truth(self, node: ast.expr) -> NDArray[np.bool_]:
        if isinstance(node, ast.BoolOp):
            parts = [self.truth(one) for one in node.values]
            combine = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            found = parts[0]
            for part in parts[1:]:
                found = combine(found, part)
            return found
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return np.logical_not(self.truth(node.operand))
        if isinstance(node, ast.Compare):
            return self._compared(node)
        raise DesignError(f"{ast.unparse(node)!r} is a number, where a condition must be")

    def _compared(self, node: ast.Compare) -> NDArray[np.bool_]:
        sides = [self.number(one) for one in (node.left, *node.comparators)]
        found = np.ones(1, np.bool_)
        for left, kind, right in zip(sides, node.ops, sides[1:], strict=False):
            sign, compare = _COMPARE[type(kind)]
            holds = np.atleast_1d(compare(left, right))
            first, second = (float(np.atleast_1d(one)[0]) for one in (left, right))
            self._sides.append(Side(first, sign, second, bool(holds[0])))
            found = np.logical_and(found, holds)
        return found

    def number(self, node: ast.expr) -> Values:
        several = self._numbers(node)
        if len(several) != 1:
            raise DesignError(f"{ast.unparse(node)!r} is several numbers: say min, max or average")
        return several[0]

    def _numbers(self, node: ast.expr) -> list[Values]:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return [np.asarray(float(node.value))]
        if isinstance(node, ast.Name):
            value = self._values.get(node.id)
            if not isinstance(value, int | float):
                raise DesignError(f"{shown(node.id, 40)!r} is the name of no number")
            return [np.asarray(float(value))]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return [-self.number(node.operand)]
        if isinstance(node, ast.BinOp):
            left, right = self.number(node.left), self.number(node.right)
            if isinstance(node.op, ast.Div) and np.any(right == 0):
                raise MissingError("a number is 0 by which another one is divided")
            return [np.asarray(_COMBINE[type(node.op)](left, right))]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._called(node.func.id, node.args)
        raise DesignError(f"{ast.unparse(node)!r} is no number")

    def _called(self, name: str, arguments: Sequence[ast.expr]) -> list[Values]:
        if name in _OF_SEVERAL:
            some = [one for part in arguments for one in self._numbers(part)]
            if not some:
                raise DesignError(f"{name}() needs numbers")
            return [_OF_SEVERAL[name](np.stack(np.broadcast_arrays(*some)))]
        if name == "abs" and len(arguments) == 1:
            return [np.abs(self.number(arguments[0]))]
        texts = [self._text(one) for one in arguments]
        if name == SIZE:
            return [self._evidence.size(one) for one in self._instances(texts, 0)]
        measure = name.replace("_", "-")
        if measure not in self._names.measures:
            raise DesignError(f"{shown(name, 40)!r} is no measure")
        if measure in self._names.overall:
            found = self._instances(texts, 0)
            return self._each([(measure, "", "", one) for one in found])
        against, at = "", 1
        if measure in self._names.relative:
            if len(texts) < 2:
                raise DesignError(f"{name} needs two labels")
            (against,), at = self._labels(texts[1]), 2
        labels = self._labels(texts[0]) if texts else ()
        if not labels:
            raise DesignError(f"{name} needs a label")
        return self._each(
            [
                (measure, label, against, one)
                for label in labels
                for one in self._instances(texts, at)
            ]
        )

    def _each(self, wanted: Sequence[tuple[str, str, str, str]]) -> list[Values]:
        """Return the numbers that there are; MissingError if there is none of them."""
        found, missing = [], MissingError("no run")
        for one in wanted:
            try:
                found.append(self._evidence.number(*one))
            except MissingError as error:
                missing = error
        if not found:
            raise missing
        return found

    def _text(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            raise DesignError(f"{ast.unparse(node)!r} must be a label or an instance, in quotes")
        text = node.value
        for name, value in self._values.items():
            text = text.replace(
                f"{{{name}}}", f"{value:g}" if isinstance(value, float) else str(value)
            )
        return text

    def _labels(self, text: str) -> Sequence[str]:
        if text in self._names.labels or text in self._names.quoted:
            return (text,)
        found = [label for label in self._names.labels if fnmatchcase(label, text)]
        if not found:
            raise DesignError(f"{shown(text, 60)!r} is no configuration of the study")
        return found

    def _instances(self, texts: Sequence[str], at: int) -> Sequence[str]:
        if len(texts) > at + 1:
            raise DesignError(f"{shown(texts[-1], 40)!r} is one name too many")
        if len(texts) <= at:
            if not self._instance:
                raise DesignError("a term needs an instance, or the claim on = [...]")
            return (self._instance,)
        if texts[at] == EVERY:
            return self._names.instances
        if texts[at] not in self._names.instances:
            raise DesignError(f"{shown(texts[at], 40)!r} is no instance of the study")
        return (texts[at],)


class _Anything:
    """Has every number: for conditions that are only read."""

    def number(self, measure: str, label: str, against: str, instance: str) -> Values:
        return np.ones(1)

    def size(self, instance: str) -> Values:
        return np.ones(1)


def check_claim(claim: Claim, names: Names) -> None:
    """Raise DesignError unless a claim is whole, and what it names is there."""
    where = f"[[paper.claims]], {claim.where}"
    if bool(claim.check) == bool(claim.untested):
        raise DesignError(f"{where}: it needs either check or untested")
    for name in claim.on if claim.on != (EVERY,) else ():
        if name not in names.instances:
            raise DesignError(f"{where}: {shown(name, 40)!r} is no instance of the study")
    count = len(claim.instances(names.instances))
    for values in claim.over.values():
        count *= len(values)
    if not 1 <= count <= CASES_MOST:
        raise DesignError(f"{where}: it has {count} cases; 1 to {CASES_MOST} are possible")
    if claim.cases is not None and claim.cases > count:
        raise DesignError(f"{where}: cases = {claim.cases}, but it has {count}")
    if any(part != GPU[1:-1] for part in text_parts(claim.cause)[1::2]):
        raise DesignError(f"{where}: cause can have {GPU} in braces, and nothing else")
    try:
        for term in terms_of(claim.ours):
            term.value(_Anything(), names, ("", {}))
        if claim.check:
            condition = Condition.read(claim.check)
            for case in claim.each(names.instances):
                condition.judge(_Anything(), names, case)
    except DesignError as error:
        raise DesignError(f"{where}: {error}") from error


def terms_of(text: str) -> Iterator[Condition]:
    """Yield the terms in braces of a text."""
    for at, part in enumerate(text_parts(text)):
        if at % 2:
            yield Condition.read(part)


def text_parts(text: str) -> list[str]:
    """Return a text's parts: in turn what stands as it is, and what stands in braces."""
    parts: list[str] = []
    rest = text
    while "{" in rest:
        before, _, rest = rest.partition("{")
        inside, brace, rest = rest.partition("}")
        if not brace:
            raise DesignError(f"{shown(text, 60)!r}: a brace is not closed")
        parts += [before, inside]
    return [*parts, rest]

"""What can be changed in a run while it goes on: parameters, limits and cities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from gpu.core.errors import ParameterError
from gpu.core.formats import parameter_value
from gpu.core.instance import CityEdit, Edited, Instance, Solution
from gpu.core.parameters import Parameters
from gpu.core.records import Count, record_of
from gpu.core.stop_limits import STOP_LIMITS
from gpu.core.words import counted
from gpu.run.stopping import StopSettings

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Change:
    """What is changed at once, between two iterations."""

    # the new values, as the user chooses them: some may be automatic
    parameters: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    stop: StopSettings | None = None  # all limits, if any of them changes
    cities: tuple[CityEdit, ...] = ()  # in their order
    iteration: int = 0  # after which it is made; what the user asks for has none yet

    @property
    def text(self) -> str:
        """What changes, in a few words."""
        parts = [f"{name} {parameter_value(value)}" for name, value in self.parameters.items()]
        if self.stop is not None:
            parts.append(_ends(self.stop))
        for kind, done in (("add", "added"), ("move", "moved"), ("remove", "removed")):
            if count := sum(edit.kind == kind for edit in self.cities):
                parts.append(f"{counted(count, 'city')} {done}")
        return ", ".join(parts)

    def to_dict(self) -> dict[str, object]:
        """Return plain values, ready for JSON; what does not change is left out."""
        values: dict[str, object] = {"iteration": self.iteration}
        if self.parameters:
            values["parameters"] = dict(self.parameters)
        if self.stop is not None:
            values["stop"] = self.stop.to_dict()
        if self.cities:
            values["cities"] = [edit.to_dict() for edit in self.cities]
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from :meth:`to_dict`'s form; ParameterError or InstanceError if it is none."""
        read = record_of(_RecordedChange, values, ParameterError, "a change in it is none")
        return cls(
            MappingProxyType(read.parameters),
            None if read.stop is None else StopSettings.from_dict(read.stop),
            tuple(map(CityEdit.from_dict, read.cities)),
            read.iteration,
        )


def _ends(stop: StopSettings) -> str:
    """Return when a run with these limits ends, in a few words."""
    limits = stop.to_dict()
    ends = [
        limit.ending(limits[name])
        for name, limit in STOP_LIMITS.items()
        if limits.get(name) is not None
    ]
    return f"end {' or '.join(ends)}" if ends else "no limit"


@dataclass(frozen=True)
class _RecordedChange:
    """A change as files have it; see :meth:`Change.to_dict`."""

    iteration: Count
    parameters: dict[str, Any] = field(default_factory=dict)
    stop: dict[str, Any] | None = None
    cities: tuple[dict[str, Any], ...] = ()


class Setting(NamedTuple):
    """What a run works on and with; a change makes another one of it."""

    instance: Instance
    chosen: Parameters  # as the user chose them
    parameters: Parameters  # none of them is automatic
    stop: StopSettings

    def changed(self, change: Change) -> tuple[Setting, Edited | None]:
        """Return what ``change`` makes of this, and what it makes of the cities, if it does.

        ParameterError or InstanceError if the change is impossible.
        """
        instance, edit = self.instance, None
        if change.cities:
            edit = instance.edited(change.cities)
            instance = edit.instance
        chosen = self.chosen
        if change.parameters:
            check_live(type(chosen), change.parameters)
            chosen = type(chosen).from_mapping({**chosen.to_dict(), **change.parameters})
        parameters = self.parameters
        if change.parameters or edit is not None:
            chosen.check(instance)
            parameters = chosen.resolved(instance.n)
        stop = self.stop if change.stop is None else change.stop
        if not instance.optimum:  # the optimum of the former cities holds no more
            stop = replace(stop, target_gap=None)
        stop.criteria(instance)
        return Setting(instance, chosen, parameters, stop), edit


def edited_by(changes: Sequence[Change], instance: Instance) -> Instance:
    """Return what ``instance`` became by ``changes``; InstanceError if one is impossible."""
    for change in changes:
        if change.cities:
            instance = instance.edited(change.cities).instance
    return instance


def check_live(kind: type[Parameters], names: Sequence[str] | Mapping[str, object]) -> None:
    """Raise ParameterError unless all parameters ``names`` can change while a colony runs."""
    explanations = kind.explanations()
    for name in names:
        if name in explanations and not explanations[name].live:
            able = [other for other, one in explanations.items() if one.live]
            hint = f": those that can are {', '.join(able)}" if able else ""
            raise ParameterError(f"{name} cannot change while the colony runs{hint}")


def survivor(edit: Edited, solution: Solution, before: Instance) -> tuple[Solution, int]:
    """Return what is left of a solution of the instance ``before``, and its cost."""
    left = edit.instance.repaired(solution, before, edit.former)
    return left, edit.instance.cost_of(left)


def differences(change: Change, before: Setting, after: Setting) -> dict[str, object]:
    """Return for a line of a log what ``change`` changed, from what, to what."""
    line: dict[str, object] = change.to_dict()
    old, new = before.chosen.to_dict(), after.chosen.to_dict()
    if change.parameters:
        line["parameters_before"] = {name: old[name] for name in change.parameters}
        line["parameters"] = {name: new[name] for name in change.parameters}
    if change.stop is not None:
        line["stop_before"], line["stop"] = before.stop.to_dict(), after.stop.to_dict()
    if change.cities:
        line["instance"] = {
            "name": after.instance.name,
            "n": after.instance.real_n,
            "sha256": after.instance.sha256,
        }
    return line

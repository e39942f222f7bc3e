"""A row of the catalog: one system of the papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeVar

from gpu.core.colony import Colony
from gpu.core.decisions.rule import Rule
from gpu.core.errors import ParameterError
from gpu.core.instance import Instance, Solution
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.problem import Problem

Place = Literal["cuda", "cpu", "cpu:1"]  # a GPU, all cores, or one core

AnyInstance = TypeVar("AnyInstance", bound=Instance)
AnyParameters = TypeVar("AnyParameters", bound=Parameters)

Builder = Callable[[Instance, Parameters, Device, int], Colony]  # the number is the seed
Starter = Callable[[Instance, Parameters, Device, int, Solution], Colony]
"""A builder that also takes the solution with which the colony begins."""

RuleMaker = Callable[[Instance, Parameters, int], Rule]


@dataclass(frozen=True, slots=True)
class System:
    """One row of the catalog; made by :func:`system_of`."""

    name: str  # the paper's name, lower case with hyphens
    title: str  # the paper's own spelling
    paper: str  # author and year, and the section that defines it
    made_of: str  # what it is made of: how ants are spread, which memory, how updates are made
    summary: str  # one sentence for the window
    deterministic: bool  # whether a seed gives the same tours always: no updates race
    problem: Problem  # what it solves
    parameters: type[Parameters]  # its parameters, with the paper's defaults
    builders: Mapping[Place, Builder]  # where it runs, and what builds it there
    alias: str  # the short name for which it stands where nothing in an earlier row does
    rule: RuleMaker | None  # makes its ants' rule; None if its decisions cannot be replayed
    starters: Mapping[Place, Starter]  # where it can begin with a given solution
    # of an ant that changes a solution which it has; 0 for ants that make one, choice by choice
    steps: int = 0
    no_rule: str = ""  # why there is no rule: the end of a sentence after a colon
    # raises ParameterError if an instance of its problem is not for it
    takes: Callable[[Instance], object] = lambda instance: None

    def runs_on(self, device: Device) -> bool:
        """Whether this system can run on ``device``."""
        return place_of(device) in self.builders


def system_of(
    *,
    name: str,
    title: str = "",
    paper: str,
    made_of: str,
    summary: str,
    deterministic: bool = True,
    instances: type[AnyInstance],
    parameters: type[AnyParameters],
    builders: Mapping[Place, Callable[[AnyInstance, AnyParameters, Device, int], Colony]],
    alias: str = "",
    rule: Callable[[AnyInstance, AnyParameters, int], Rule] | None = None,
    starters: Mapping[
        Place, Callable[[AnyInstance, AnyParameters, Device, int, Solution], Colony]
    ] = MappingProxyType({}),
    steps: int = 0,
    no_rule: str = "",
    takes: Callable[[AnyInstance], object] = lambda instance: None,
) -> System:
    """Return a row whose builders and rule are typed; see :class:`System` for the rest.

    The title is the name in capitals unless it is given. ``builders``, ``rule`` and ``takes`` take
    ``instances``, and import what is slow to import only when they are called.
    """

    def typed(instance: Instance) -> AnyInstance:
        if not isinstance(instance, instances):
            raise ParameterError(f"{name} does not solve {instance.name}")
        return instance

    def matching(instance: Instance, values: Parameters) -> tuple[AnyInstance, AnyParameters]:
        if not isinstance(values, parameters) or type(values) is not parameters:
            raise ParameterError(f"{name} takes {parameters.__name__}, not {type(values).__name__}")
        return typed(instance), values

    def build_with(build: Callable[[AnyInstance, AnyParameters, Device, int], Colony]) -> Builder:
        return lambda instance, values, device, seed: build(
            *matching(instance, values), device, seed
        )

    def start_with(
        build: Callable[[AnyInstance, AnyParameters, Device, int, Solution], Colony],
    ) -> Starter:
        return lambda instance, values, device, seed, start: build(
            *matching(instance, values), device, seed, start
        )

    def rule_with(make: Callable[[AnyInstance, AnyParameters, int], Rule]) -> RuleMaker:
        return lambda instance, values, seed: make(*matching(instance, values), seed)

    return System(
        name,
        title or name.upper(),
        paper,
        made_of,
        summary,
        deterministic,
        instances.problem,
        parameters,
        {place: build_with(build) for place, build in builders.items()},
        alias,
        rule and rule_with(rule),
        {place: start_with(build) for place, build in starters.items()},
        steps,
        no_rule,
        lambda instance: takes(typed(instance)),
    )


def place_of(device: Device) -> Place:
    """The kind of place ``device`` is, as the catalog's rows name it."""
    if device.kind == "cuda":
        return "cuda"
    return "cpu:1" if device.name == "cpu:1" else "cpu"

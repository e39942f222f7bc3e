"""A row of the catalog: one system of the papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from gpu.core.colony import Colony
from gpu.core.decisions import Rule
from gpu.core.errors import ParameterError
from gpu.core.instance import Instance, Solution
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.problem import Problem

Place = Literal["cuda", "cpu", "cpu:1"]  # a GPU, all cores, or one core

AnyInstance = TypeVar("AnyInstance", bound=Instance)
AnyParameters = TypeVar("AnyParameters", bound=Parameters)

Builder = Callable[[AnyInstance, AnyParameters, Device, int], Colony]  # the number is the seed
Starter = Callable[[AnyInstance, AnyParameters, Device, int, Solution], Colony]
"""A builder that also takes the solution with which the colony begins."""


@dataclass(frozen=True, slots=True)
class Family:
    """What the systems of one short name have in common, in a line for who chooses among them."""

    name: str  # the short name; of a system without one, its name
    title: str
    paper: str  # author and year
    summary: str  # what its ants do, without a full stop


@dataclass(frozen=True, kw_only=True)
class SystemOf(Generic[AnyInstance, AnyParameters]):
    """One row of the catalog.

    ``builders``, ``starters`` and ``rule`` get parameters of which none is automatic. They and
    ``takes`` import slow modules only when they are called.
    """

    name: str  # the paper's name, lower case with hyphens
    title: str = ""  # the paper's own spelling; by default the name in capitals
    title_on_cores: str = ""  # on CPU cores, where the title names a GPU; by default the title
    paper: str  # author and year, and the section that defines it
    made_of: str  # what it is made of: how ants are spread, which memory, how updates are made
    summary: str  # one sentence for the window
    deterministic: bool = True  # whether a seed always gives the same tours
    instances: type[AnyInstance]  # what it solves
    parameters: type[AnyParameters]  # its parameters, with the paper's defaults
    # where it runs, and what builds it there
    builders: Mapping[Place, Builder[AnyInstance, AnyParameters]]
    # the same for colonies that begin with a given solution
    starters: Mapping[Place, Starter[AnyInstance, AnyParameters]] = field(default_factory=dict)
    # A short name. On a device it means the first row of the catalog that has it and runs there.
    alias: str = ""
    # makes its ants' rule from instance, parameters and seed; None: there are no replays
    rule: Callable[[AnyInstance, AnyParameters, int], Rule] | None = None
    no_rule: str = ""  # why there is no rule: the end of a sentence after a colon
    # why one of its solutions is other work than one of its family elsewhere, so that the
    # times of single solutions are not compared: the end of a sentence
    own_work: str = ""
    # of a replayed ant that changes a solution; 0 for ants that build one, choice by choice
    steps: int = 0
    # whether its colonies show the ways of their ants, place by place: see Snapshot.walks
    walks: bool = False
    # raises ParameterError if it cannot solve an instance of its problem
    takes: Callable[[AnyInstance], object] = lambda instance: None

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name.upper())

    @property
    def problem(self) -> Problem:
        """What it solves."""
        return self.instances.problem

    def title_on(self, device: str) -> str:
        """Return what it is called on the device of this name."""
        on_cores = "" if device.startswith("cuda") else self.title_on_cores
        return on_cores or self.title

    def runs_on(self, device: Device) -> bool:
        """Whether this system can run on ``device``."""
        return place_of(device) in self.builders

    def resolved(self, parameters: Parameters, instance: Instance) -> AnyParameters:
        """Return ``parameters`` with what is automatic filled in; ParameterError for another kind.

        The catalog does this before it makes a colony or a rule.
        """
        if type(parameters) is not self.parameters:
            raise ParameterError(
                f"{self.name} takes {self.parameters.__name__}, not {type(parameters).__name__}"
            )
        return parameters.resolved(instance.n)


System = SystemOf[Any, Any]
"""A row, whatever its instances and parameters are."""


def place_of(device: Device) -> Place:
    """The kind of place ``device`` is, as the catalog's rows name it."""
    if device.kind == "cuda":
        return "cuda"
    return "cpu:1" if device.name == "cpu:1" else "cpu"

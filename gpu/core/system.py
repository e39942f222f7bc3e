"""A row of the catalog: one system of the papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpu.core.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.problem import Problem

Place = Literal["cuda", "cpu", "cpu:1"]
"""A GPU, all cores, or one core."""


@dataclass(frozen=True, slots=True)
class System:
    """One row of the catalog.

    Attributes
    ----------
    name : str
        The paper's name, lower case with hyphens.
    title : str
        The paper's own spelling.
    paper : str
        Author and year, and the section that defines it.
    made_of : str
        What it is made of: how ants are spread, which memory, how updates are made.
    summary : str
        One sentence for the window.
    deterministic : bool
        False if the paper lets updates race: the same seed may then give other tours.
    parameters : type of Parameters
        Its parameters, with the paper's defaults.
    builders : dict of Place to str
        Where it runs, and ``"module:callable"`` that builds it there. A callable takes
        (instance, parameters, device, seed).
    alias : str
        The short name for which it stands where nothing in an earlier row does.
    rule : str
        ``"module:callable"`` that makes its ants' rule, for replays: a callable that takes
        (instance, parameters, seed). Empty if it cannot be replayed.
    problem : Problem
        What it solves.
    """

    name: str
    title: str
    paper: str
    made_of: str
    summary: str
    deterministic: bool
    parameters: type[Parameters]
    builders: dict[Place, str]
    alias: str = ""
    rule: str = ""
    problem: Problem = Problem.TSP

    def runs_on(self, device: Device) -> bool:
        """Whether this system can run on ``device``."""
        return place_of(device) in self.builders


def place_of(device: Device) -> Place:
    """The kind of place ``device`` is, as the catalog's rows name it."""
    if device.kind == "cuda":
        return "cuda"
    return "cpu:1" if device.name == "cpu:1" else "cpu"

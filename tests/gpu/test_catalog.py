from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

import gpu
from gpu import catalog
from gpu.core.errors import ParameterError
from gpu.core.machine.devices import Device
from gpu.core.problem import Problem
from gpu.core.system import System
from tests.gpu.cpu import makers
from tests.gpu.rlf.literal import random_graph

DEVICES = {
    "cuda": Device("cuda:0", "cuda", 0, 132, "A GPU", 80 << 30, ""),
    "cpu": Device("cpu", "cpu", 0, 2, "A CPU", 16 << 30, ""),
    "cpu:1": Device("cpu:1", "cpu", 0, 1, "A CPU", 16 << 30, ""),
}


@pytest.mark.parametrize("system", catalog.CATALOG, ids=lambda system: system.name)
def test_a_seed_out_of_range_is_refused(system: System) -> None:
    """Before any device is touched."""
    coloring = system.problem is Problem.COLORING
    instance = random_graph(12, 0.5) if coloring else makers.uniform(12)
    parameters = system.parameters().resolved(instance.n)
    for seed in (-1, 2**64):
        for place in system.builders:
            with pytest.raises(ParameterError, match=f"seed = {seed} "):
                catalog.build(system, instance, parameters, DEVICES[place], seed)
        if system.rule:
            with pytest.raises(ParameterError, match=f"seed = {seed} "):
                catalog.rule_of(system, instance, parameters, seed)


@pytest.mark.parametrize("system", catalog.CATALOG, ids=lambda system: system.name)
def test_no_two_parameters_of_a_colony_have_one_symbol(system: System) -> None:
    symbols = [one.symbol for one in system.parameters.explanations().values()]
    assert len(set(symbols)) == len(symbols)


@functools.cache
def code(folder: str, side: str) -> str:
    """What a folder's Python files say, without the folder or the file of the other side."""
    other = {"cpu": "cuda", "cuda": "cpu"}[side]
    room = Path(gpu.__file__).parent / folder
    files = [
        file
        for file in sorted(room.rglob("*.py"))
        if other not in file.relative_to(room).with_suffix("").parts
    ]
    return "\n".join(file.read_text("utf-8") for file in files)


@pytest.mark.parametrize("side", ["cpu", "cuda"])
@pytest.mark.parametrize("system", catalog.CATALOG, ids=lambda system: system.name)
def test_every_parameter_is_used_wherever_its_colony_runs(system: System, side: str) -> None:
    """A parameter that only the form knows would promise what no colony does."""
    if not any(place.startswith(side) for place in system.builders):
        return
    family = system.parameters.__module__.split(".")[1]
    rooms = family, "construction", "local_search", "tabu_search"
    text = "".join(code(room, side) for room in rooms)
    unused = [
        name for name in system.parameters.explanations() if not re.search(rf"\.{name}\b", text)
    ]
    assert unused == [], f"declared, but not used by gpu/{family}/{side}"

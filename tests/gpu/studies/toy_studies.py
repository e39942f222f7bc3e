"""Small studies: a colony that needs no compilation, tiny instances, and runs in this thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gpu import catalog
from gpu.studies.cases import Case, CaseRecord, CaseRow
from gpu.studies.design import Design
from gpu.studies.execution.executor import CaseEvents, Executor
from gpu.studies.execution.worker import InProcess
from gpu.studies.plan import Plan, make_plan
from gpu.studies.store import Store
from gpu.studies.study import Study
from tests.toy.systems import SYSTEMS

FIVE = [(0, 0), (0, 7), (4, 9), (9, 3), (5, 5)]

TOML = """
title = "Toys"
instances = ["five.tsp", "three.tsp"]
seeds = { first = 1, count = 3 }

[budget]
iterations = 4
go_on = true

[[colony]]
label = "toy"
colony = "toy"
parameters = { ants = [2, 3] }
"""


def write_tsp(path: Path, cities: Sequence[tuple[int, int]] = FIVE, name: str = "") -> Path:
    """Write an instance with these cities, which has the file's name unless one is given."""
    lines = [f"{number} {x} {y}" for number, (x, y) in enumerate(cities, 1)]
    head = f"NAME: {name or path.stem}\nTYPE: TSP\nDIMENSION: {len(cities)}\n"
    section = "EDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"
    path.write_text(f"{head}{section}" + "\n".join(lines) + "\nEOF\n")
    return path


class ToyName(str):
    """The toy's name: a process that unpickles it has the toy family in its catalog."""

    def __reduce__(self) -> tuple[Callable[[str], ToyName], tuple[str]]:
        return _arrived, (str(self),)


TOYS = tuple(replace(system, name=ToyName(system.name)) for system in SYSTEMS)


def add_toys() -> None:
    """Add the toy family to the catalog of this process."""
    if TOYS[0] not in catalog.CATALOG:
        catalog.CATALOG = (*catalog.CATALOG, *TOYS)


@contextmanager
def toy_family() -> Iterator[None]:
    """Let the catalog have the toy family, which no later test may find there."""
    before = catalog.CATALOG
    add_toys()
    try:
        yield
    finally:
        catalog.CATALOG = before


def _arrived(name: str) -> ToyName:
    add_toys()
    return ToyName(name)


def folder_with(folder: Path) -> Path:
    """Write the instances that ``TOML`` names."""
    write_tsp(folder / "five.tsp")
    write_tsp(folder / "three.tsp", FIVE[:3])
    return folder


def planned(folder: Path, text: str = TOML) -> Plan:
    """Return the plan of the design ``text``."""
    return make_plan(Design.from_toml(text), folder, text)


class Inline(InProcess):
    """Does cases in this thread, and notes which."""

    def __init__(self) -> None:
        super().__init__()
        self.performed: list[str] = []

    def results(self, cases: Sequence[Case]) -> CaseEvents:
        for case, event in super().results(cases):
            if isinstance(event, CaseRecord):
                self.performed.append(case.key)
            yield case, event


def studied(
    folder: Path, text: str = TOML, executor: Executor | None = None, name: str = "a"
) -> tuple[CaseRow, ...]:
    """Do the study ``text`` whole; return the rows of its results."""
    with Store(folder / f"{name}.sqlite") as store:
        study = Study(planned(folder, text), store, executor or Inline())
        study.run()
        assert not study.progress.waiting
        return tuple(store.results().rows)

"""The MAX-MIN Ant Systems on a GPU (Skinderowicz 2020).

They differ in how ants draw a city, in the tabu, and in whether there are candidate lists; see
:mod:`gpu.max_min.cuda.construction`. All have the same limits, deposits and restarts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial

from gpu.core.legacy import Legacy
from gpu.core.snapshot import Snapshot, Wanted
from gpu.cuda.colony import State
from gpu.cuda.instances import DeviceCities
from gpu.cuda.iterations import Phases
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Machine
from gpu.cuda.trails import DenseTrails
from gpu.local_search.cuda.colony import DeviceTourColony
from gpu.max_min.cuda.construction import (
    BT,
    CT,
    LC,
    CompactWheel,
    ListTours,
    MmasConstruction,
    Rows,
    Sampling,
    Wheel,
)
from gpu.max_min.cuda.kernels import WeightForm
from gpu.max_min.cuda.update import MmasLists, MmasUpdate
from gpu.max_min.parameters import MmasCudaParameters, MmasListParameters
from gpu.problems.tsp.instance import TspInstance

ConstructionType = Callable[[Machine, DeviceCities, MmasCudaParameters, int], MmasConstruction]
"""Makes a construction for a machine, a problem, parameters and a seed."""


class MmasColony(DeviceTourColony):
    """A MAX-MIN Ant System whose state lives on a GPU; see :class:`gpu.core.colony.Colony`.

    Raises
    ------
    ParameterError
        If the construction is not for so many cities, or the local search not for the instance.
    DeviceMemoryError
        If the matrices do not fit the device: of trails, 4 n² bytes; without lists of weights, 4
        or 2 n², up to 4096 cities of the heuristic and of all weights; of explicit distances.
    """

    # "restart" is none: it decides whether there are lists
    NUMBERS = frozenset({"alpha", "rho", "p_best", "deposit", "planned"})

    def __init__(
        self,
        instance: TspInstance,
        parameters: MmasCudaParameters,
        machine: Machine,
        seed: int,
        construction_type: ConstructionType,
    ) -> None:
        assert parameters.ants is not None
        m, kind = parameters.ants, parameters.local_search
        problem = DeviceCities.of(instance, min(LANES, instance.n - 1), parameters.beta)
        trails = DenseTrails(problem)
        construction = construction_type(machine, problem, parameters, seed)
        self._parameters, self._construction = parameters, construction
        self._lists = lists = None
        if construction.listed_form is not WeightForm.NONE or parameters.restart:
            candidates = parameters.candidates if isinstance(parameters, MmasListParameters) else 0
            self._lists = lists = MmasLists(instance, candidates, parameters.beta)
        form, listed_form = construction.form, construction.listed_form

        def made(p: MmasCudaParameters) -> tuple[MmasConstruction, MmasUpdate]:
            return (
                construction_type(machine, problem, p, seed),
                MmasUpdate(machine, problem, trails, p, form, lists, listed_form, seed),
            )

        self._made = made
        _, self._update = made(parameters)
        buffers = [*construction.buffers(), *self._update.buffers()]
        if lists:
            buffers += lists.buffers()
        super().__init__(machine, instance, m, problem, trails, buffers, kind)
        start = [trails.start(self._arrays), *self._update.start(self._arrays)]
        self._begin(start, self._phases_for(parameters))

    def _phases_for(self, parameters: MmasCudaParameters) -> Phases:
        self._construction, self._update = self._made(parameters)
        return {
            "construction": self._construction.launches(self._arrays),
            **self._improvement(),
            "update": self._update.launches(self._arrays),
        }

    def _adjusted(self) -> None:
        state = State(self._machine.download(self._arrays["state"]))
        begun, best = self._update.begun(self._arrays), self._update.restart_best(self._arrays)
        self._update.take_over(self._arrays, state.best_length, begun, best)

    def gauges(self) -> Mapping[str, int]:
        """And the bytes of an ant's tabu; see :class:`gpu.core.colony.Gauged`."""
        return {**super().gauges(), "tabu_bytes": self._construction.tabu_bytes}

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Wait, check and copy; see :meth:`gpu.core.colony.Colony.snapshot`."""
        shot = super().snapshot(wanted)
        return dataclasses.replace(shot, limits=self._update.limits(self._arrays))

    def legacy(self) -> Legacy:
        """Return what is left to another colony; see :class:`gpu.core.legacy.Heritable`."""
        legacy, best = super().legacy(), self._update.restart_best(self._arrays)
        best = dataclasses.replace(best, solution=self._cities.checked(best.solution, best.cost))
        begun = self._update.begun(self._arrays)
        return dataclasses.replace(legacy, restarted=begun, restart_best=best)

    def _take_over(self, legacy: Legacy) -> None:
        best = legacy.best_since_restart
        self._update.take_over(self._arrays, legacy.state.cost, legacy.restarted, best)

    def _branching(self) -> float | None:
        return self._update.branching(self._arrays) if self._lists else super()._branching()


MMAS_CONSTRUCTIONS: dict[str, ConstructionType] = {
    "rwm-lc": Wheel,
    "rwm-bt": partial(Rows, samples=False),
    "rwm-ct": CompactWheel,
    "wrs-lc": partial(Sampling, tabu=LC),
    "wrs-bt": partial(Rows, samples=True),
    "wrs-ct": partial(Sampling, tabu=CT),
    **{
        f"{selection}-{tabu.lower()}-cl": partial(ListTours, tabu=tabu, samples=selection == "wrs")
        for selection in ("rwm", "wrs")
        for tabu in (LC, BT, CT)
    },
}
"""How ants draw, their tabu and whether they have lists (``cl``), to what does it."""

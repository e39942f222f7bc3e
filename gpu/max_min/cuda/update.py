"""The pheromone update of the MAX-MIN Ant System on a GPU, and the weights that follow from it.

One pass over the matrix evaporates all trails and makes the weights that ants choose by: both have
to read and write every trail anyway. Then one tour deposits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.construction.cuda.construction import blocks_for, prepare_heuristic
from gpu.construction.cuda.kernels import MATRIX_THREADS
from gpu.core.errors import ParameterError
from gpu.core.legacy import RestartBest
from gpu.core.trails import LEAST_TRAIL
from gpu.cuda.instances import DeviceCities
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Array, Arrays, Buffer, Launch, Machine
from gpu.cuda.trails import DenseTrails
from gpu.max_min.cuda.kernels import (
    MMAS_UPDATE,
    MmasLimits,
    MmasRules,
    WeightForm,
)
from gpu.max_min.parameters import DEPOSITS, HALF_WEIGHTS, MmasCudaParameters, spread_of
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import build_candidates, weights

MOST_KEPT_CITIES = 4096
"""Up to this many cities, the heuristic of all edges is kept, and with candidate lists the weights
of all edges too. Beyond, they are computed from coordinates and trails where they are needed."""

SHORT_CITIES = 1 << 16  # a candidate list has two bytes a city: it takes fewer cities than this

LIMITS_DTYPE = MmasLimits.dtype


class MmasLists:
    """Candidate lists: for the ants that use them, and to see whether the trails have settled.

    The ants' lists have ``candidates`` cities, a multiple of 32, or are none (0).

    Raises
    ------
    ParameterError
        If the instance has more cities than a list can name.
    """

    def __init__(self, instance: TspInstance, candidates: int, beta: float) -> None:
        n = instance.n
        if n >= SHORT_CITIES:
            raise ParameterError(
                f"{instance.name} has {n} cities, but this colony's candidate lists and restarts "
                f"take {SHORT_CITIES - 1}: choose acs-gpu-spm, which keeps no matrix"
            )
        self.width = max(candidates, LANES)
        self.listed = min(self.width, n - 1)
        lists = build_candidates(instance, self.listed)
        cities = np.arange(n)
        self.candidates = np.repeat(cities[:, None], self.width, axis=1).astype(np.uint16)
        self.candidates[:, : self.listed] = lists.neighbours
        self.etas = np.zeros((n, self.width), np.float32)
        self.etas[:, : self.listed] = weights(
            lists.distances, lists.distances[:, :1], beta, lists.shortest
        )

    def buffers(self) -> list[Buffer]:
        """10 bytes a candidate, and a byte a city."""
        return [
            Buffer.of("candidates", self.candidates),
            Buffer.of("etas", self.etas),
            Buffer("listed", self.candidates.shape, np.uint32),
            Buffer("strayed", (len(self.candidates),), np.uint8, zeroed=True),
        ]


class MmasUpdate:
    """Evaporation between limits, the deposit of one tour, and the weights that follow."""

    def __init__(
        self,
        machine: Machine,
        problem: DeviceCities,
        trails: DenseTrails,
        parameters: MmasCudaParameters,
        form: WeightForm,  # in which ants read the weights of all edges
        lists: MmasLists | None,
        listed_form: WeightForm,  # in which ants read the weights of candidates; NONE without lists
        seed: int,
    ) -> None:
        assert parameters.ants is not None
        n = problem.n
        self._machine, self._problem, self._trails, self._lists = machine, problem, trails, lists
        self._form, self._listed_form, self._ants = form, listed_form, parameters.ants
        self._keeps_heuristic = n <= MOST_KEPT_CITIES and form is not WeightForm.NONE
        self._grid = blocks_for(machine, trails.quarters)
        alpha, rounds = parameters.alpha, parameters.weights == HALF_WEIGHTS
        self._power = "WholePower" if alpha.is_integer() else "RealPower"
        self._numbers = {
            **problem.numbers,
            **{"ants": self._ants, "columns": trails.columns, "quarters": trails.quarters},
            **{"form": form, "rounds": rounds, "alpha": alpha},
        }
        if lists:
            self._numbers["width"] = lists.width
        self._waits_for_settling = parameters.restart > 0 and parameters.deposit != "published"
        nearest, spread = max(problem.nearest_neighbour_length, 1), spread_of(n, parameters.p_best)
        self._least = max(np.float32(spread), LEAST_TRAIL)
        self._numbers["rules"] = self._rules = MmasRules(
            nearest=nearest,
            spread=spread,
            gain=parameters.rho * nearest,
            keep=np.float32(1.0 - parameters.rho),
            deposit=DEPOSITS[parameters.deposit],
            patience=parameters.restart,
            planned=parameters.planned,
            seed=Seed.of(seed),
        )

    def buffers(self) -> list[Buffer]:
        """Weights and heuristic of all edges where they are kept, and 8 n bytes."""
        n = self._problem.n
        buffers = [
            Buffer("iteration_tour", (n,), np.int32),
            Buffer("restart_best", (n,), np.int32),
            Buffer("limits", (LIMITS_DTYPE.itemsize // 8,), np.uint64),
        ]
        if self._form is not WeightForm.NONE:
            kind = np.uint16 if self._form is WeightForm.HALVES else np.float32
            buffers.append(self._trails.matrix("weights", kind))
        if self._keeps_heuristic:
            buffers.append(self._trails.matrix("heuristic", np.float32))
        return buffers

    def start(self, arrays: Arrays) -> list[Launch]:
        """Make the weights of the first iteration; once a run."""
        launches = [MMAS_UPDATE.launch("start_limits", 1, LANES, arrays, least=self._least)]
        if self._keeps_heuristic:
            columns = self._trails.columns
            launches.append(prepare_heuristic(self._problem, columns, self._grid, arrays))
        return [*launches, *self._weigh_all(arrays), *self._weigh_candidates(arrays)]

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """Renew the trails, and make the weights of the coming iteration."""
        evaporate = self._launch("evaporate_trails", self._grid, arrays)
        strayed = arrays.get("strayed") if self._form is WeightForm.NONE else None
        blocks = min(64, -(-self._problem.n // MATRIX_THREADS))
        deposit = self._launch("deposit_trails", blocks, arrays, strayed=strayed)
        weigh = self._weigh_candidates(arrays)
        deposit = replace(deposit, followed=bool(weigh))  # it counts the iteration already
        counted = []
        if self._waits_for_settling:  # the branches of the lists tell whether trails begin anew
            place = MmasLimits.offset("branches") // 8
            counted.append(self._count_branches(arrays, branches=arrays["limits"][place:]))
        return (*counted, evaporate, deposit, *weigh)

    def begun(self, arrays: Arrays) -> int:
        """The iteration after which trails last began anew."""
        return int(self._limits(arrays)["begun"])

    def restart_best(self, arrays: Arrays) -> RestartBest:
        """The best tour since then, which is not checked."""
        limits, tour = self._limits(arrays), self._machine.download(arrays["restart_best"])
        length, found = limits["restart_best_length"], limits["restart_best_iteration"]
        return RestartBest(tour, int(length), int(found))

    def take_over(self, arrays: Arrays, length: int, begun: int, best: RestartBest) -> None:
        """Renew what follows from the trails, which others have left.

        ``length`` is that of the best tour; after the iteration ``begun`` trails last began anew,
        and ``best`` is the best tour since.
        """
        most = self._rules.nearest / max(length, 1)
        least = max(np.float32(most * self._rules.spread), LEAST_TRAIL)
        limits = np.array([(begun, least, most, 0, best.cost, best.iteration)], LIMITS_DTYPE)
        self._machine.upload(arrays["limits"], limits.view(np.uint64))
        self._machine.upload(arrays["restart_best"], best.solution.astype(np.int32))
        if "strayed" in arrays:  # trails beyond the lists may have grown anywhere
            self._machine.upload(arrays["strayed"], np.ones(self._problem.n, np.uint8))
        self._machine.run([*self._weigh_all(arrays), *self._weigh_candidates(arrays)])

    def limits(self, arrays: Arrays) -> tuple[float, float]:
        """τ_min and τ_max, in units of the initial trail."""
        limits = self._limits(arrays)
        return float(limits["least"]), float(limits["most"])

    def _limits(self, arrays: Arrays) -> Any:
        return np.asarray(self._machine.download(arrays["limits"])).view(LIMITS_DTYPE)[0]

    def branching(self, arrays: Arrays) -> float:
        """The mean λ-branching factor of the candidate lists, which there must be."""
        self._machine.upload(arrays["branches"], np.zeros(1, np.uint64))
        self._machine.run([self._count_branches(arrays)])
        return float(self._machine.download(arrays["branches"])[0]) / self._problem.n

    def _launch(self, kernel: str, grid: int, arrays: Arrays, **values: Any) -> Launch:
        name, given = f"{kernel}<{self._power}>", {**arrays, **self._numbers}
        return MMAS_UPDATE.launch(name, grid, MATRIX_THREADS, given, **values)

    def _count_branches(self, arrays: Arrays, **total: Array) -> Launch:
        assert self._lists is not None
        grid, listed = blocks_for(self._machine, self._problem.n * LANES), self._lists.listed
        given = {**arrays, **self._numbers}
        return MMAS_UPDATE.launch(
            "count_settled", grid, MATRIX_THREADS, given, listed=listed, **total
        )

    def _weigh_all(self, arrays: Arrays) -> tuple[Launch, ...]:
        kept = self._form is not WeightForm.NONE
        return (self._launch("weigh_trails", self._grid, arrays),) if kept else ()

    def _weigh_candidates(self, arrays: Arrays) -> tuple[Launch, ...]:
        if self._lists is None or self._listed_form is WeightForm.NONE:
            return ()
        grid = blocks_for(self._machine, self._lists.candidates.size)
        return (self._launch("weigh_candidates", grid, arrays, form=self._listed_form),)

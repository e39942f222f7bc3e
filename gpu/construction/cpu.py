"""Ants on the CPU that build tours by the random proportional rule: all but the pheromone update.

The Ant System and its descendants share this: the arrays, how a city is chosen, the stages of an
iteration, and the colony.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.construction.parameters import AsParameters, CpuParameters
from gpu.core.legacy import KeptTrails, Legacy
from gpu.core.random import Purpose
from gpu.core.snapshot import Trails
from gpu.core.trails import Single, matrix_picture, matrix_read, matrix_trails
from gpu.cpu import random_keys, wheel
from gpu.cpu.colony import Painter
from gpu.cpu.compilation import Whole, cached, compiled, inlined, pasted
from gpu.cpu.first_tours import nearest_neighbour_length
from gpu.cpu.geometry import CityGeometry, distance, geometry_of
from gpu.cpu.philox import Key, draw_block, key_of, key_of_step, odd_share, own_word, start_city
from gpu.cpu.record import ITERATION, ColonyRecord, keep, record_of
from gpu.cpu.stage_loop import StageTask, share_of, units_of
from gpu.cpu.stages import Stage, each, portions_for, shared
from gpu.cpu.structures import allocated, widened, width_of
from gpu.cpu.wheel import WHEEL_BLOCK, factors_of, padded
from gpu.local_search.cpu import (
    CpuTourColony,
    LocalSearchState,
    TourWorkspace,
    improve_tours,
    keep_improvements,
)
from gpu.problems.tsp import distances
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import HEAVIEST, LIGHTEST, Candidates, build_candidates, weights

OWN_DRAWS = {"i-roulette": Purpose.INDEPENDENT, "wrs": Purpose.RESERVOIR}
"""The selections in which each city draws its own random number, and the purpose of the number."""

NUMBERED, TOUR_LIST, UNVISITED_LIST = range(3)
"""In which order cities are on a wheel: of their numbers, of the ant's tour list (2017), or of its
list of unvisited cities (2020)."""

WHEEL_ORDERS = {"stc-roulette": TOUR_LIST, "lc-roulette": UNVISITED_LIST}
"""The order of the selections that have another one than by number."""

ANTS_A_LINE = 16  # ants in a block: their entries of one row of ``ends`` fill a cache line


class Matrices(NamedTuple):
    """What is known of every edge; row u has the edges from city u."""

    trails: NDArray[np.float32]  # (n, n): in units of the initial trail
    heuristic: NDArray[np.float32]  # (n, n): η^β, in units of the row's largest
    weights: NDArray[np.float32]  # (n, width): ``choice_info``, τ^α·η^β; zeros fill the last block
    neighbours: NDArray[np.uint32]  # (n, lanes): as ``widened`` makes them; no lanes without lists
    listed: NDArray[np.float32]  # (n, lanes): weights of the candidates


class AntTours(NamedTuple):
    """The ants' tours."""

    # (m, n): cities in the order in which each ant visits them. For stc-roulette the ant's tour
    # list: the cities not yet visited follow (2017, Definition 1)
    routes: NDArray[np.uint32]
    lengths: NDArray[np.int64]  # (m,)
    # (blocks * 16,): what each ant deposits on every edge of its tour, in whole units
    quanta: NDArray[np.uint32]
    # (blocks, n, sides, 16): the city to which each ant went from each city and, in a symmetric
    # instance, the city from which it came: where it deposits in the row of that city
    ends: NDArray[np.uint32]


class ConstructionWorkspace(NamedTuple):
    """What one thread works with, for one ant at a time."""

    unvisited: NDArray[np.int32]  # (width,): -1 for cities that the ant has not visited, else 0
    # (n,): for lc-roulette, first the cities that the ant has not visited
    rest: NDArray[np.uint32]
    keys: NDArray[np.int32]  # (width,): bits of the weights of cities
    lanes: NDArray[np.int32]  # (64 or more,): bits of the weights of candidates; then 0
    sums: NDArray[np.uint32]  # (width / 64,)
    words: NDArray[np.uint32]  # (4,): random words of four steps
    deposits: NDArray[np.uint32]  # (n,): what is deposited on the trails of one row


class ChoiceRules(NamedTuple):
    """How ants choose, in the form in which compiled code uses it."""

    key: Key  # the seed
    order: int  # of cities on the wheel; one of the constants above
    own: np.uint32  # purpose of the random numbers if each city draws its own; 0 for a wheel
    alpha: float
    factors: int  # α where it is whole, else -1
    halves: bool  # whether weights are rounded to half precision


class ConstructionState(NamedTuple):
    """All that colonies with a matrix of weights build and keep tours with."""

    matrices: Matrices
    geometry: CityGeometry
    ants: AntTours
    rules: ChoiceRules
    search: LocalSearchState
    record: ColonyRecord


def choice_rules_of(
    seed: int, parameters: AsParameters, selection: str, *, listed: bool
) -> ChoiceRules:
    """Prepare ``selection``; ``listed`` says whether there are candidate lists.

    A wheel over candidates is always in the order of their list.
    """
    alpha = float(parameters.alpha)
    return ChoiceRules(
        key_of(seed),
        order=NUMBERED if listed else WHEEL_ORDERS.get(selection, NUMBERED),
        own=np.uint32(OWN_DRAWS.get(selection, 0)),
        alpha=alpha,
        factors=factors_of(alpha),
        halves=parameters.half_weights,
    )


def matrices_of(instance: TspInstance, candidates: Candidates, cl: int, beta: float) -> Matrices:
    """Return all trails at the initial level, and the lists of the ``cl`` nearest cities."""
    n, everyone = instance.n, np.arange(instance.n)
    heuristic = np.empty((n, n), np.float32)
    nearest = candidates.distances[:, :1]
    for rows in distances.blocks(n, n):
        cities = everyone[rows]
        apart = instance.distances(cities[:, None], everyone)
        apart[np.arange(len(cities)), cities] = nearest[rows, 0]  # no ant stays where it is
        heuristic[rows] = weights(apart, nearest[rows], beta, instance.shortest)
    trails, neighbours = np.ones((n, n), np.float32), widened(candidates.neighbours, cl)
    return rows_of(trails, heuristic, neighbours)


def rows_of(
    trails: NDArray[np.float32], heuristic: NDArray[np.float32], neighbours: NDArray[np.uint32]
) -> Matrices:
    """Return matrices of rows with these trails; the weights are not yet computed."""
    weights = np.zeros((len(trails), padded(trails.shape[1])), np.float32)
    listed = np.zeros(neighbours.shape, np.float32)
    return Matrices(trails, heuristic, weights, neighbours, listed)


def tours_of(n: int, m: int, directed: bool, *, linked: bool = True) -> AntTours:
    """Allocate ``m`` ants' tours; ``quanta`` and ``ends`` are empty unless ``linked``."""
    blocks = -(-m // ANTS_A_LINE) if linked else 0
    ends = (blocks, n, 1 if directed else 2, ANTS_A_LINE)
    return allocated(AntTours, m, routes=(m, n), quanta=blocks * ANTS_A_LINE, ends=ends)


def workspace_of(n: int, cl: int) -> ConstructionWorkspace:
    """Allocate a thread's workspace, for lists of ``cl`` candidates."""
    width, lanes = padded(n), max(padded(width_of(cl)), WHEEL_BLOCK)
    return allocated(
        ConstructionWorkspace,
        width,
        rest=n,
        lanes=lanes,
        sums=width // WHEEL_BLOCK,
        words=4,
        deposits=n,
    )


def bytes_needed(
    instance: TspInstance, m: int, cl: int, listed: int, *, linked: bool = True
) -> dict[str, int]:
    """Bytes of the arrays above, by what a user would call them."""
    n, sides = instance.n, 1 if instance.directed else 2
    deposits = -(-m // ANTS_A_LINE) * ANTS_A_LINE * (sides * 4 * n + 4) if linked else 0
    return {
        "matrices of trails and weights": n * (8 * n + 4 * padded(n) + 8 * width_of(cl)),
        "tours of the ants": m * (4 * n + 8) + deposits,
        "candidate lists": n * 9 * listed,
        "distances": 4 * n * n if instance.matrix is not None else 0,
    }


ROULETTE, INDEPENDENT = np.uint32(Purpose.ROULETTE), np.uint32(Purpose.INDEPENDENT)

UPPER_BITS, BELOW_HALF = np.int32(-(2**16)), np.int32(2**15 - 1)
"""The bits of a float32 that half weights keep; just less than half of the last of them."""

VISITED, UNVISITED = np.int32(0), np.int32(-1)

WEIGH, CONSTRUCT, IMPROVE, LINK, RENEW, FINISH = range(6)
"""The stages of an iteration: weights of edges; the ants' tours; their local search; whose tours
deposit where; the trails; the record. LINK and RENEW are those of each family."""

SECTIONS = (CONSTRUCT,), (IMPROVE,), (WEIGH, LINK, RENEW, FINISH)
"""The stages that are compiled together."""


@pasted
def do_stage(
    colony: ConstructionState, workspace: TourWorkspace, task: StageTask, stage: int
) -> None:
    """Do a thread's share of a stage, but for LINK and RENEW.

    In each stage a thread has rows of the matrices, or ants, of its own. No thread writes what
    another one reads or writes, so nothing is atomic, and the result does not depend on the number
    of threads.
    """
    ants, search, record = colony.ants, colony.search, colony.record
    if stage == WEIGH:
        for u in units_of(ants.routes.shape[1], task):
            weigh_row(colony.matrices, colony.rules, u)
    elif stage == CONSTRUCT:
        _construct(colony, workspace.ants, task)
    elif stage == IMPROVE:
        own, geometry = workspace.search, colony.geometry
        improve_tours(search.rule, own, geometry, record, task, ants.routes, ants.lengths)
    elif stage == FINISH and task.thread == 0:
        keep_improvements(search, record, task.threads)
        keep(record, ants.lengths, ants.routes)


@inlined
def rounded_to_half(weight: np.float32) -> np.float32:
    """Round to 8 significant bits, to the nearest, on a tie to the even one."""
    bits = np.float32(weight).view(np.int32)
    odd = np.int32(np.int32(bits >> np.int32(16)) & np.int32(1))
    return np.int32(np.int32(bits + BELOW_HALF + odd) & UPPER_BITS).view(np.float32)


@compiled
def weigh_row(matrices: Matrices, rules: ChoiceRules, u: int) -> None:
    """Compute the weights of the edges from ``u``: ``choice_info``, the numerator of eq. 1."""
    weights, n = matrices.weights, matrices.trails.shape[1]
    wheel.raise_all(matrices.trails[u], rules.alpha, rules.factors, weights[u])
    for v in range(n):
        weight = np.float32(weights[u, v] * matrices.heuristic[u, v])
        weights[u, v] = min(max(weight, LIGHTEST), HEAVIEST)
    if rules.halves:
        for v in range(n):
            weights[u, v] = rounded_to_half(weights[u, v])
    for lane in range(matrices.neighbours.shape[1]):
        matrices.listed[u, lane] = weights[u, matrices.neighbours[u, lane]]


@compiled
def _construct(
    colony: ConstructionState, workspace: ConstructionWorkspace, task: StageTask
) -> None:
    """Make the task's steps of all those that the thread's ants make, one ant after the other."""
    ants, rules = colony.ants, colony.rules
    m, n = ants.routes.shape
    iteration = np.uint32(colony.record.numbers[ITERATION])
    first, last = share_of(m, task)
    ant, step = first + task.begin // n, task.begin % n
    for _ in range(task.begin, min(task.end, n * (last - first))):
        if step == 0:
            city = start_city(rules.key, iteration, ant, n)
            _start(ants, rules, workspace, ant, city)
        else:
            if step == 1 or step % 4 == 0:
                draw_block(workspace.words, rules.key, ROULETTE, iteration, ant, step // 4)
            route = ants.routes[ant]
            u = route[step - 1]
            city = choose(colony.matrices, route, rules, workspace, iteration, ant, step, u)
        workspace.unvisited[city] = VISITED
        step += 1
        if step == n:
            ants.lengths[ant] = _length(colony.geometry, ants.routes, ant)
            step = 0
            ant += 1


@inlined
def _start(
    ants: AntTours, rules: ChoiceRules, workspace: ConstructionWorkspace, ant: int, city: np.uint32
) -> None:
    n = ants.routes.shape[1]
    workspace.unvisited[:n] = UNVISITED
    if rules.order == TOUR_LIST:
        for other in range(n):
            ants.routes[ant, other] = other
        ants.routes[ant, city] = 0
    elif rules.order == UNVISITED_LIST:
        for other in range(n):
            workspace.rest[other] = other
        workspace.rest[city] = n - 1
    ants.routes[ant, 0] = city


@inlined
def choose(
    matrices: Matrices,
    route: NDArray[np.uint32],
    rules: ChoiceRules,
    workspace: ConstructionWorkspace,
    iteration: np.uint32,
    ant: int,
    step: int,
    u: Whole,
) -> np.uint32:
    """Choose the city of ``ant`` at position ``step``, and write it to its ``route`` (eq. 1).

    ``u`` is the row of the matrices that has the edges from the city where it is.
    """
    neighbours, unvisited, sums = matrices.neighbours, workspace.unvisited, workspace.sums
    keys, lanes, word = workspace.keys, workspace.lanes, workspace.words[step & 3]
    city: np.uint32
    largest = np.int32(0)
    if neighbours.shape[1] > 0:
        largest = wheel.weigh_listed(matrices.listed, neighbours, unvisited, u, lanes)
    if largest != 0:
        if rules.own == 0:
            city = neighbours[u, wheel.slot_of(lanes, largest, sums, word)]
        else:
            key = key_of_step(rules.key, rules.own, iteration, ant, step)
            if rules.own == INDEPENDENT:
                city = random_keys.independent_of_listed(lanes, neighbours, u, key)
            else:
                city = random_keys.reservoir_of_listed(lanes, neighbours, u, key)
        route[step] = city
        return city
    largest = wheel.weigh_all(matrices.weights, unvisited, u, keys)
    if neighbours.shape[1] > 0:  # no candidate is left: the heaviest of all
        city = np.uint32(wheel.first_of(keys, largest))
    elif rules.own != 0:
        key = key_of_step(rules.key, rules.own, iteration, ant, step)
        if rules.own == INDEPENDENT:
            largest = random_keys.independent_of_all(keys, key)
        else:
            largest = random_keys.reservoir_of_all(keys, key)
        city = np.uint32(wheel.first_of(keys, largest))
    elif rules.order == TOUR_LIST:
        scale = wheel.scale_of(largest)
        stop = wheel.spin(word, wheel.add_up(keys, scale, sums))
        position = wheel.place_at(keys, scale, route, step, stop)
        city = route[position]
        route[position] = route[step]
    elif rules.order == UNVISITED_LIST:
        scale = wheel.scale_of(largest)
        stop = wheel.spin(word, wheel.add_up(keys, scale, sums))
        left = workspace.rest[: route.size - step]
        position = wheel.place_at(keys, scale, left, 0, stop)
        city = left[position]
        left[position] = left[left.size - 1]
    else:
        city = np.uint32(wheel.slot_of(keys, largest, sums, word))
    route[step] = city
    return city


@inlined
def _length(geometry: CityGeometry, routes: NDArray[np.uint32], ant: int) -> np.int64:
    n = routes.shape[1]
    length = distance(geometry, routes[ant, n - 1], routes[ant, 0])
    for position in range(n - 1):
        length += distance(geometry, routes[ant, position], routes[ant, position + 1])
    return length


@cached
def choose_once(
    matrices: Matrices,
    route: NDArray[np.uint32],
    rules: ChoiceRules,
    workspace: ConstructionWorkspace,
    iteration: np.uint32,
    ant: int,
    step: int,
    cities: NDArray[np.uint32],
    parts: NDArray[np.uint32],
    draws: NDArray[np.float32],
) -> np.uint32:
    """Return one choice for the decision view: the city at position ``step`` of an ant's tour.

    It is written to the ant's ``route``. The matrices have one row, that of the city where the ant
    is; its weights are written. The ant chooses between ``cities``: their parts of a wheel and
    their own random numbers are written. The workspace has the unvisited cities, also as a list,
    and gets the random words of the step.
    """
    weigh_row(matrices, rules, 0)
    draw_block(workspace.words, rules.key, ROULETTE, iteration, ant, step // 4)
    weights = matrices.weights
    largest = np.int32(0)
    for place in range(cities.size):
        largest = max(largest, np.float32(weights[0, cities[place]]).view(np.int32))
    scale = wheel.scale_of(largest)
    key = key_of_step(rules.key, rules.own, iteration, ant, step)
    for place in range(cities.size):
        city = cities[place]
        parts[place] = wheel.part_of(np.float32(weights[0, city]).view(np.int32), scale)
        draws[place] = odd_share(own_word(city, key))
    return choose(matrices, route, rules, workspace, iteration, ant, step, 0)


BRANCHING_LISTED = (
    32  # nearest neighbours that the branching factor looks at; more if lists are longer
)


class MatrixColony(CpuTourColony):
    """Ants that choose by a matrix of weights, on the CPU; see :class:`CpuTourColony`.

    The seed is in [0, 2**64). At most ``threads`` threads work.
    """

    ALL_DEPOSIT = True
    """Whether all ants deposit: then their tours' edges are listed by city."""

    def __init__(
        self, instance: TspInstance, parameters: CpuParameters, seed: int, *, threads: int
    ) -> None:
        n = instance.n
        assert parameters.ants is not None
        m, cl = parameters.ants, parameters.candidates
        threads = max(1, min(threads, m, n))
        portions = portions_for(threads, m)
        listed = max(cl, min(BRANCHING_LISTED, n - 1))
        self._parameters, self._seed = parameters, seed
        needed = bytes_needed(instance, m, cl, listed, linked=self.ALL_DEPOSIT)
        search = self._prepare(instance, m, parameters.local_search, portions, needed)
        candidates = build_candidates(instance, listed)
        self._neighbours = candidates.neighbours
        self._matrices = matrices_of(instance, candidates, cl, parameters.beta)
        self._ants = tours_of(n, m, instance.directed, linked=self.ALL_DEPOSIT)
        geometry, record = geometry_of(instance, parameters.beta), record_of(n)
        self._nearest = max(nearest_neighbour_length(instance), 1)  # L_nn
        choice, rules = self._rules_for(parameters)
        construction = ConstructionState(
            self._matrices, geometry, self._ants, choice, search, record
        )
        state, update = self._update(construction, rules)
        stages = (
            Stage(WEIGH, "choice info", shared(n)),
            Stage(CONSTRUCT, "construction", shared(m, n)),
            *self._improvement(IMPROVE, m),
            *update,
            Stage(FINISH, "update", each(1)),
        )
        workspaces = self._with_searches([workspace_of(n, cl) for _ in range(portions)])
        super().__init__(m, record, stages, state, workspaces, threads)

    def _rules_for(self, parameters: Any) -> tuple[ChoiceRules, Any]:
        listed = parameters.candidates > 0
        choice = choice_rules_of(self._seed, parameters, parameters.selection, listed=listed)
        return choice, self._update_rules(parameters)

    @abstractmethod
    def _update_rules(self, parameters: Any) -> Any:
        """Return the rules of the pheromone update."""

    @abstractmethod
    def _update(self, construction: ConstructionState, rules: Any) -> tuple[Any, Sequence[Stage]]:
        """Prepare the update; return the colony's state, and the stages LINK and RENEW."""

    def _painters(self) -> tuple[Painter, Callable[[], Trails]]:
        trails, directed = self._matrices.trails, self._instance.directed
        return partial(matrix_picture, trails), partial(matrix_trails, trails, directed)

    def _kept_trails(self) -> KeptTrails:
        return KeptTrails(self._instance.n, self._matrices.trails.copy())

    def _take_trails(self, trails: KeptTrails, legacy: Legacy) -> None:
        self._matrices.trails[:] = trails.matrix()

    def _single_trails(self) -> Single:
        return self._neighbours, matrix_read(self._matrices.trails)

    def _routes(self) -> NDArray[np.integer]:
        return self._ants.routes

    def _listed(self) -> NDArray[np.float32]:
        return np.take_along_axis(self._matrices.trails, self._neighbours, axis=1)

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""
        return np.array(self._matrices.trails[city])

"""The arrays that a gpx colony works on, and which of its ants does what."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, inlined
from gpu.cpu.record import ColonyRecord
from gpu.cpu.structures import Shape, allocated
from gpu.gpx.cpu.crossover import CrossRoom
from gpu.gpx.cpu.optimizer import heaviest_of
from gpu.gpx.cpu.partial import PartialColoring
from gpu.gpx.cpu.rounds import Rounds, bytes_of_rounds
from gpu.gpx.parameters import (
    BY_TRAILS,
    CROSSING,
    EXPLORING,
    HEAD_KEEP,
    MOST_SEARCHED,
    MOST_WITH_TRAILS,
    OPTIMIZING,
    PARTIAL,
    GpxParameters,
    HeadParameters,
    moves_of,
)
from gpu.gpx.rule import BEHIND, MOST_SPREAD, WHOLE_KEEP
from gpu.problems.coloring.instance import GraphInstance
from gpu.tabu_search import cpu as tabu
from gpu.tabu_search.cpu import TabuRules, TabuWorkspace

MOST_WORK = 2_500_000  # operations of an ant in an iteration, at most: some 4 ms


class GpxRules(NamedTuple):
    """What the ants are told."""

    ants: int
    crossing: int  # of these, numbered first
    optimizers: int
    partials: int  # ants that make partial tabu search
    explorers: int
    islands: int
    moves: int  # of a generation
    cycle: int  # generations; 0: there are no elites
    by_trails: bool  # whether vertices that are left over follow trails
    noise: int  # percent
    explored: float  # share of the best number of colors
    patience: int  # moves
    keep: int  # share of a trail that remains, in units of 2^-16
    anew: bool  # whether all begin anew with each number of colors, as published
    behind: int  # an ant is far behind if it must give up more than one in so many colors
    heaviest: np.uint32  # weight of a vertex at which all are halved
    work: int  # operations of an ant in an iteration, at most
    in_rounds: bool  # whether all threads make the moves of the only ant, an optimizer


class Expiries(NamedTuple):
    """Of each ant with a tabu search: the move before which a color is tabu for a vertex."""

    moves: NDArray[np.uint32]  # (searches, n, most)


class Population(NamedTuple):
    """What ants have found. Only those that cross colorings have ``results`` and what follows."""

    progress: NDArray[np.int64]  # (ants, 8): see the constants below
    found: NDArray[np.int32]  # (ants, n): the best proper coloring that each found
    best: NDArray[np.int32]  # (n,): the best proper coloring of all
    results: NDArray[np.int32]  # (crossing, n): with the fewest conflicts of this generation
    result_keys: NDArray[np.int64]  # (crossing,): its colors and conflicts, see _key in ants.py
    parents: NDArray[np.int32]  # (crossing, n): what is crossed in the next generation
    elites: NDArray[np.int32]  # (islands, 2, n): the best of this cycle, and of the one before
    elite_keys: NDArray[np.int64]  # (islands, 2)
    ended: NDArray[np.int64]  # (islands,): whether an island begins anew in the next generation


BEGUN, FOUND, OPERATIONS, MOVES, LEFT_OVER, GAINED_AT = range(6)
"""An ant's progress: whether it has begun; colors of what it found in this iteration, 0 for
nothing; operations and moves of the iteration; vertices that its last crossing left over; the move
at which it last had fewer conflicts."""

NO_RESULT = 2**62

BEST_COLORS, FOUND_BY, BEST_ISLAND, GENERATION_MOVES, GENERATIONS, ENDS, IDLE = range(7)
"""The schedule: colors of the best coloring; the kind of ant that found it, or -1; the island that
last found one; moves made in this generation, generations that are done, whether this iteration
ended one; iterations since there were fewer colors."""

QUOTA, COST, HALVED = 7, 11, 15
"""Where four numbers begin, one for each kind of ant: moves of each in this iteration; operations
of a move; how often its work was halved."""

SCHEDULE_SIZE = 19


class IslandTrails(NamedTuple):
    """The trails of each island: how often two vertices had one color in its colorings lately."""

    matrices: NDArray[np.uint16]  # (islands, n, n): up to MOST_TRAIL; nothing in a large graph


class GpxState(NamedTuple):
    """All that the threads share."""

    graph: TabuRules
    rules: GpxRules
    searches: TabuWorkspace  # of each ant with a tabu search: each array has one dimension more
    expiries: Expiries
    optimizers: PartialColoring  # of each optimizer, as well
    partials: PartialColoring  # and of each ant that makes partial tabu search
    rounds: Rounds  # empty where there are none
    population: Population
    schedule: NDArray[np.int64]  # (19,): see the constants above
    trails: IslandTrails
    record: ColonyRecord


def rules_of(parameters: GpxParameters | HeadParameters, graph: GraphInstance) -> GpxRules:
    """Prepare what the ants are told."""
    p = parameters
    assert p.ants is not None
    moves = moves_of(p, graph)
    rules = GpxRules(
        ants=p.ants,
        crossing=p.ants,
        optimizers=0,
        partials=0,
        explorers=0,
        islands=max(1, p.ants // 2),
        moves=moves,
        cycle=0,
        by_trails=False,
        noise=0,
        explored=1.0,
        patience=0,
        keep=round(HEAD_KEEP * WHOLE_KEEP),
        anew=True,
        behind=BEHIND,
        heaviest=heaviest_of(int(graph.degrees.max(initial=0))),
        work=MOST_WORK,
        in_rounds=False,
    )
    if isinstance(p, HeadParameters):
        return rules._replace(cycle=p.cycle)
    assert p.optimizers is not None
    assert p.partials is not None
    assert p.explorers is not None
    crossing = p.ants - p.optimizers - p.partials - p.explorers
    return rules._replace(
        crossing=crossing,
        optimizers=p.optimizers,
        partials=p.partials,
        explorers=p.explorers,
        islands=max(1, crossing // p.island) if crossing else 0,
        by_trails=p.left == BY_TRAILS,
        noise=p.noise,
        explored=p.explored,
        patience=p.patience * moves,
        keep=round(p.rho * WHOLE_KEEP),
        anew=False,
        in_rounds=graph.n > MOST_SEARCHED and p.ants == p.optimizers == 1,
    )


@inlined
def first_ant(rules: GpxRules, island: Whole) -> np.int64:
    """Return the first ant of an island; the number of islands gives the end of the last one."""
    return np.int64(rules.crossing * island // rules.islands)


@inlined
def island_of(rules: GpxRules, ant: Whole) -> np.int64:
    """Return on which island an ant lives."""
    return np.int64((rules.islands * (ant + 1) - 1) // rules.crossing)


@inlined
def kind_of(rules: GpxRules, ant: Whole) -> int:
    """Return what an ant does: crossing, optimizing, ... as :data:`KIND_NAMES` has it."""
    crossing = rules.crossing
    if ant < crossing:
        return CROSSING
    if ant < crossing + rules.optimizers:
        return OPTIMIZING
    return PARTIAL if ant < rules.ants - rules.explorers else EXPLORING


@inlined
def ant_of(rules: GpxRules, unit: Whole) -> np.int64:
    """Return whose turn it is: partial colorings come first, so that two threads share."""
    crossing, partial_ = rules.crossing, rules.optimizers + rules.partials
    if unit < partial_:
        return np.int64(crossing + unit)
    return np.int64(unit - partial_ if unit < partial_ + crossing else unit)


def _each(count: int, shapes: dict[str, Shape]) -> dict[str, Shape]:
    """Return the shapes of arrays that ``count`` ants have, one each."""
    return {
        name: (count, *(shape if isinstance(shape, tuple) else (shape,)))
        for name, shape in shapes.items()
    }


def new_searches(graph: GraphInstance, count: int, most: int) -> TabuWorkspace:
    """Make what the ants with a tabu search work with."""
    shapes = _each(count, tabu.shapes_of(graph, most, MOST_SPREAD))
    return allocated(TabuWorkspace, (count, graph.n), **shapes)


def new_population(graph: GraphInstance, rules: GpxRules, best: NDArray[np.int32]) -> Population:
    """Make room for what the ants find, which begin with a coloring."""
    n, crossing, islands = graph.n, rules.crossing, rules.islands
    return allocated(
        Population,
        (crossing, n),
        progress=(rules.ants, 8),
        found=(rules.ants, n),
        best=best.astype(np.int32),
        result_keys=np.full(crossing, NO_RESULT),
        elites=(islands if rules.cycle else 0, 2, n),
        elite_keys=np.full((islands, 2), NO_RESULT),
        ended=islands,
    )


def new_room(n: int, most: int) -> CrossRoom:
    """Make what a thread crosses colorings in."""
    return allocated(
        CrossRoom, (2, n), ends=(2, most + 2), sizes=(2, most + 1), left=n, sums=most + 1
    )


def new_trails(n: int, islands: int) -> IslandTrails:
    """Make the trails, if the graph is not too large for them."""
    side = n if n <= MOST_WITH_TRAILS else 0
    return IslandTrails(np.zeros((islands, side, side), np.uint16))


def bytes_needed(graph: GraphInstance, rules: GpxRules, most: int, threads: int) -> dict[str, int]:
    """Bytes of each part, for :func:`gpu.cpu.main_memory.require`."""
    n, searches = graph.n, rules.crossing + rules.explorers
    return {
        "ants": searches * (tabu.bytes_of_workspace(graph, most) + 4 * n * most)
        + rules.optimizers * (4 * n * most + 12 * n)
        + rules.partials * (8 * n * most + 12 * n)
        + 20 * n * rules.ants,
        **tabu.bytes_of_matrices(graph),
        "pheromone trails": 2 * n * n * rules.islands if n <= MOST_WITH_TRAILS else 0,
        "rooms of the threads": bytes_of_rounds(n, len(graph.adjacent))
        if rules.in_rounds
        else threads * 12 * n,
    }


@inlined
def copy_colors(to: NDArray[np.int32], colors: NDArray[np.int32]) -> None:
    """Copy a coloring."""
    for v in range(colors.size):
        to[v] = colors[v]

"""The crossing colony on a GPU: in the emulation, and on a device if there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.core.errors import ParameterError
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.cpu import parted_greedy
from gpu.crossing.cpu import first
from gpu.crossing.cuda.colony import CrossingCudaColony
from gpu.crossing.cuda.kernels import LONG_AB_CYCLE, Round
from gpu.crossing.parameters import (
    MANY_WINNERS,
    ONE_WINNER,
    PATIENT_ROUNDS,
    CrossingCudaParameters,
)
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cuda.kernels import MOST_PIECES
from tests.emulation import needs_emulation
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.tour_changes.cases import HOSTILE

pytestmark = pytest.mark.timeout(300)

TOURS, ANTS = 6, 48

Tours = np.ndarray[Any, Any]
Edges = set[frozenset[int]]


class Unsettled(CrossingCudaColony):
    """Crosses the greedy tours at once: then there are many AB-cycles, and long ones."""

    def _turn_if_due(self) -> None:
        if self._stage is None:
            self._begin_crossing()
            self._left = self._end = 1000


class Joining(Unsettled):
    """Crosses them with children that exchange several AB-cycles each."""

    def _begin_crossing(self) -> None:
        super()._begin_crossing()
        self._cross(len(self._stages) - 1)


def colony_of(
    instance: TspInstance,
    order: int = 0,
    seed: int = 1,
    kind: type[Unsettled] = Unsettled,
    **values: Any,
) -> CrossingCudaColony:
    """Make a colony; ``order`` decides in which order the emulation runs threads."""
    p = CrossingCudaParameters(**{"tours": TOURS, "ants": ANTS, "settling": 1, **values})
    return kind(instance, p, EmulatedMachine(seed=order), seed)


def tours_of(colony: CrossingCudaColony, iteration: int) -> Tours:
    """Return the population's tours, of the device's cities."""
    records = colony._arrays["tour_records"][iteration & 1]
    return np.ascontiguousarray(records[:, :, 2]).view(np.int32)


def check_population(colony: CrossingCudaColony, tours: Tours) -> None:
    """Check tours, their lengths and trails."""
    problem = colony._problem
    assert (np.sort(tours, axis=1) == np.arange(problem.n)).all()
    lengths = [problem.instance.tour_length(tour) for tour in tours]
    assert colony._arrays["lengths"].tolist() == lengths
    counts = np.zeros_like(problem.neighbours)
    for one in tours:
        for a, b in ((one, np.roll(one, 1)), (np.roll(one, 1), one)):
            counts[a] += problem.neighbours[a] == b[:, None]
    assert np.array_equal(counts, colony._arrays["counts"])
    trails = 1 + 99 * counts / TOURS
    np.testing.assert_allclose(colony._arrays["trails"], trails, rtol=1e-6)


def crossed(instance: TspInstance, rounds: int, **values: Any) -> list[Tours]:
    """All tours after each of so many rounds, each checked."""
    populations, lengths = [], []
    with closing(colony_of(instance, **values)) as colony:
        for _ in range(rounds):
            colony.iterate(1)
            shot = colony.snapshot(Wanted.SOLUTION | Wanted.ITERATION_SOLUTION)
            lengths.append(colony._arrays["lengths"].copy())
            populations.append(tours_of(colony, shot.iteration))
            check_population(colony, populations[-1])
            assert shot.best_cost == lengths[-1].min()
            assert (
                shot.merges.merged <= shot.merges.won <= shot.merges.ants == len(populations) * ANTS
            )
    assert (np.diff(lengths, axis=0) <= 0).all()
    return populations


@needs_emulation
@pytest.mark.parametrize("winners", [ONE_WINNER, MANY_WINNERS])
@pytest.mark.parametrize("name", HOSTILE)
def test_every_tour_of_the_population_is_one_in_every_round(name: str, winners: str) -> None:
    crossed(HOSTILE[name], 3, winners=winners)


@needs_emulation
@pytest.mark.parametrize("name", HOSTILE)
def test_tours_stay_tours_where_children_exchange_several_ab_cycles(name: str) -> None:
    crossed(HOSTILE[name], 3, kind=Joining)


@needs_emulation
def test_children_of_several_ab_cycles_are_shorter_than_those_of_one() -> None:
    instance, means = makers.uniform(150, size=10_000), []
    for kind in (Unsettled, Joining):
        with closing(colony_of(instance, kind=kind)) as colony:
            colony.iterate(4)
            check_population(colony, tours_of(colony, 4))
            means.append(colony._arrays["lengths"].mean())
    assert means[1] < means[0]


@needs_emulation
def test_a_tour_takes_changes_of_many_ants_in_a_round() -> None:
    instance = makers.uniform(1500, size=100_000)  # two greedy tours differ in some 70 AB-cycles
    lengths = []
    with closing(colony_of(instance, winners=MANY_WINNERS)) as colony:
        for _ in range(3):
            colony.iterate(1)
            shot = colony.snapshot(Wanted.SOLUTION | Wanted.ITERATION_SOLUTION)
            check_population(colony, tours_of(colony, shot.iteration))
            lengths.append(colony._arrays["lengths"].copy())
    assert (np.diff(lengths, axis=0) < 0).all()
    assert shot.merges.merged > 24  # 18 with one change of each tour a round


@needs_emulation
@pytest.mark.parametrize(
    "values", [{}, {"weight": "gain"}, {"winners": MANY_WINNERS}], ids=["trails", "gain", "many"]
)
def test_the_tours_do_not_depend_on_the_order_of_threads(values: dict[str, str]) -> None:
    instance = makers.uniform(150, size=10_000)
    one, other = (crossed(instance, 5, order=order, **values) for order in (0, 3))
    assert np.array_equal(one, other)
    assert not np.array_equal(crossed(instance, 1, seed=2)[0], one[0])


class Long(Unsettled):
    """Crosses the greedy tours at once, and by long AB-cycles alone."""

    def _turn_if_due(self) -> None:
        super()._turn_if_due()
        self._cross_long()


@needs_emulation
@pytest.mark.parametrize("order", [0, 3])
def test_children_of_long_ab_cycles_are_tours_too(order: int) -> None:
    instance = makers.uniform(700, size=100_000)
    p = CrossingCudaParameters(tours=TOURS, ants=ANTS)
    with closing(Long(instance, p, EmulatedMachine(seed=order), 1)) as colony:
        before = tours_of(colony, 0)
        changed = []
        for iteration in (1, 2):
            colony.iterate(1)
            spans = colony._arrays["ab_cycle_spans"]
            for own, count in enumerate(colony._arrays["ab_cycle_counts"].tolist()):
                assert (np.diff(spans[own, :count], axis=1) >= LONG_AB_CYCLE).all()
            after = tours_of(colony, iteration)
            check_population(colony, after)
            changed += [
                len(edges_of(one.tolist()) - edges_of(other.tolist()))
                for one, other in zip(before, after, strict=True)
            ]
            before = after
    assert max(changed) > MOST_PIECES  # no child of the other rounds changes as much


def edges_of(cities: list[int]) -> Edges:
    """Return the edges between each city and the next, all around."""
    return {frozenset(pair) for pair in zip(cities, [*cities[1:], cities[0]], strict=True)}


def ab_cycles_of(colony: CrossingCudaColony) -> Iterator[tuple[Edges, Edges]]:
    """Yield, for each tour, the edges that its AB-cycles give up, and those that they take."""
    arrays = colony._arrays
    for own, count in enumerate(arrays["ab_cycle_counts"].tolist()):
        row = arrays["ab_cycles"][own].tolist()
        spans = arrays["ab_cycle_spans"][own, :count].tolist()
        edges: tuple[list[frozenset[int]], ...] = ([], [])
        for a, b in spans:
            cities = [*row[a:b], row[a]]
            assert b - a >= 4
            for i, pair in enumerate(pairwise(cities)):
                edges[i % 2].append(frozenset(pair))
        given_up, taken = map(set, edges)
        assert len(given_up) + len(taken) == sum(b - a for a, b in spans)  # none of them twice
        yield given_up, taken


@needs_emulation
@pytest.mark.parametrize("order", [0, 5])
def test_ab_cycles_use_up_all_edges_in_which_two_tours_differ(order: int) -> None:
    with closing(colony_of(makers.uniform(300, size=10_000), order, kind=Joining)) as colony:
        tours = [edges_of(tour.tolist()) for tour in colony._arrays["given"]]
        colony.iterate(1)
        for own, (given_up, taken) in enumerate(ab_cycles_of(colony)):
            assert len(given_up) == len(taken) > 20
            assert any(
                tours[own] - other == given_up and other - tours[own] == taken for other in tours
            )


@needs_emulation
@pytest.mark.parametrize("order", [0, 5])
def test_ab_cycles_that_give_up_longer_edges_come_first(order: int) -> None:
    enough, counts = ANTS // TOURS, []
    with closing(colony_of(makers.uniform(300, size=10_000), order)) as colony:
        for _ in range(12):
            colony.iterate(1)
            arrays, instance = colony._arrays, colony._problem.instance
            for own, count in enumerate(arrays["ab_cycle_counts"].tolist()):
                row, gaining = arrays["ab_cycles"][own], []
                for begin, end in arrays["ab_cycle_spans"][own, :count].tolist():
                    cities = row[begin:end]
                    lengths = instance.distances(cities, np.roll(cities, -1))
                    gaining.append(bool(lengths[::2].sum() > lengths[1::2].sum()))
                assert gaining == sorted(gaining, reverse=True)
                assert all(gaining) or count <= enough
                counts.append((sum(gaining), count))
    assert max(counts)[0] > enough  # all that gain, even more than there are children
    assert any(gaining < count == enough for gaining, count in counts)


@needs_emulation
def test_tours_of_a_lattice_change_without_getting_shorter() -> None:
    found = {}
    for weight in ("trails", "gain"):
        with closing(colony_of(makers.grid(13, 13), weight=weight)) as colony:
            evenly, lengths, before = 0, None, None
            for iteration in range(1, 11):
                colony.iterate(1)
                tours = tours_of(colony, iteration)
                if before is not None:
                    same = colony._arrays["lengths"] == lengths
                    evenly += int((same & (tours != before).any(axis=1)).sum())
                check_population(colony, tours)
                lengths, before = colony._arrays["lengths"].copy(), tours
            rounds = colony._arrays["rounds"]
            assert rounds[Round.GAINS] <= colony.snapshot(Wanted.NUMBERS).merges.merged
            found[weight] = evenly
    assert found["trails"] > 0 == found["gain"]


@needs_emulation
def test_ab_cycles_are_found_within_cells_of_the_map(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = makers.uniform(1500, size=100_000)
    monkeypatch.setattr("gpu.crossing.cuda.colony.CELL_CITIES", 20)
    shares = []
    with closing(colony_of(instance, kind=Joining)) as colony:
        tours = [edges_of(tour.tolist()) for tour in colony._arrays["given"]]
        colony.iterate(1)
        for own, (given_up, taken) in enumerate(ab_cycles_of(colony)):
            least = min(
                len(tours[own] - other)
                for other in tours
                if given_up <= tours[own] - other and taken <= other - tours[own]
            )
            shares.append(len(given_up) / least)
    assert 0.1 < min(shares) <= max(shares) < 0.5  # those of other AB-cycles cross borders


@needs_emulation
def test_ab_cycles_that_leave_several_tours_make_children_too() -> None:
    with closing(colony_of(makers.uniform(150, size=10_000))) as colony:
        colony.iterate(8)
        merges = colony.snapshot(Wanted.NUMBERS).merges
    assert merges.won > 130  # 183; 77 if only those did that leave one tour


@needs_emulation
def test_differing_cities_that_shared_memory_cannot_hold_are_traced_elsewhere() -> None:
    instance = makers.uniform(700, size=10_000)
    machine = EmulatedMachine(shared_limit=8000)  # enough to merge a change of 96 pieces
    p = CrossingCudaParameters(tours=TOURS, ants=ANTS)
    with closing(Unsettled(instance, p, machine, 1)) as colony:
        colony.iterate(2)
        assert (colony._arrays["numbers"].max(axis=1) >= colony._room).any()
        assert np.array_equal(tours_of(colony, 2), crossed(instance, 2)[-1])


@needs_emulation
@pytest.mark.parametrize("shared_limit", [8000, 100_000])
def test_long_numbers_of_differing_cities_give_the_tours_of_short_ones(
    shared_limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance, rounds = makers.uniform(700, size=10_000), 2
    short = crossed(instance, rounds)
    monkeypatch.setattr("gpu.crossing.cuda.colony.MOST_SHORT_NUMBERED", 0)
    p = CrossingCudaParameters(tours=TOURS, ants=ANTS)
    machine = EmulatedMachine(shared_limit=shared_limit)
    with closing(Unsettled(instance, p, machine, 1)) as colony:
        colony.iterate(rounds)
        assert np.array_equal(tours_of(colony, rounds), short[-1])


@needs_emulation
@pytest.mark.parametrize("winners", [ONE_WINNER, MANY_WINNERS])
def test_a_population_settles_is_crossed_and_makes_room_for_another(
    winners: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.crossing.cuda.colony.ROUNDS_A_LOOK", PATIENT_ROUNDS)
    p = CrossingCudaParameters(tours=4, ants=32, settling=1, kick=4, winners=winners)
    instance = makers.uniform(24, size=10_000)
    with closing(
        CrossingCudaColony(instance, p.resolved(instance.n), EmulatedMachine(), 1)
    ) as colony:
        colony.iterate(3)
        assert colony._iterations is colony._kinds[0]
        colony.iterate(1)
        assert colony._iterations is colony._kinds[1]
        while not colony._populations:
            assert colony._stage is not None
            last, long = colony._stage, colony._long
            colony.iterate(1)
            best = colony.snapshot(Wanted.SOLUTION).best_cost
        assert last == len(colony._stages) - 1
        assert long  # such AB-cycles were tried before the population ended
        assert colony._ended[0].lengths[0] == best


def _looks_before_long_rounds(colony: CrossingCudaColony) -> list[int]:
    """How many looks are at other rounds before each of the first long ones."""
    found, looks = list[int](), 0
    while len(found) < 3:
        colony.iterate(1)
        if colony._long:
            found.append(looks)
            looks = 0
        elif colony._stage is not None:
            looks += 1
    return found


@needs_emulation
@pytest.mark.parametrize(
    ("cost", "many", "looks"),
    [(1, 99, [1, 1, 1]), (2, 99, [1, 2, 4]), (1, 9, [4, 1, 1]), (2, 9, [4, 8, 16])],
)
def test_long_rounds_that_give_little_wait(
    cost: int, many: int, looks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.crossing.cuda.colony.ROUNDS_A_LOOK", 1)
    monkeypatch.setattr("gpu.crossing.cuda.colony.LONG_ROUNDS", 1)
    monkeypatch.setattr("gpu.crossing.cuda.colony.LONG_COST", cost)
    monkeypatch.setattr("gpu.crossing.cuda.colony.MANY_CITIES", many)
    for what in ("_made", "_shortened"):  # by each round
        monkeypatch.setattr(CrossingCudaColony, what, lambda self: 1000)
    instance = makers.uniform(12, size=10_000)
    p = CrossingCudaParameters(tours=3, ants=12, settling=1, kick=4).resolved(instance.n)
    with closing(CrossingCudaColony(instance, p, EmulatedMachine(), 1)) as colony:
        assert _looks_before_long_rounds(colony) == looks


@needs_emulation
def test_populations_that_have_ended_are_joined_by_twos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.crossing.cuda.colony.ROUNDS_A_LOOK", PATIENT_ROUNDS)
    monkeypatch.setattr("gpu.crossing.cuda.colony.LONG_ROUNDS", 1)
    instance = makers.uniform(12, size=10_000)
    p = CrossingCudaParameters(tours=3, ants=12, settling=1, kick=4).resolved(instance.n)
    with closing(CrossingCudaColony(instance, p, EmulatedMachine(), 1)) as colony:
        levels, before = [0], colony._ended[:]
        while len(levels) < 4:
            colony.iterate(1)
            if colony._ended == before:
                continue
            levels.append(colony._level)
            if colony._level:
                tours = tours_of(colony, colony.snapshot(Wanted.NUMBERS).iteration)
                lengths = [colony._problem.instance.tour_length(tour) for tour in tours]
                assert colony._arrays["lengths"].tolist() == lengths
                assert max(lengths) <= max(one.lengths[-1] for one in before)
            before = colony._ended[:]
        assert levels == [0, 0, 1, 0]  # new, new, both joined, new
        assert [one.level for one in colony._ended] == [1]


@needs_emulation
def test_tours_of_the_next_population_are_drawn_while_the_present_one_is_crossed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gpu.crossing.cuda.colony.ROUNDS_A_LOOK", PATIENT_ROUNDS)
    monkeypatch.setattr("gpu.crossing.cuda.colony.LONG_ROUNDS", 1)
    instance = makers.uniform(24, size=10_000)
    p = CrossingCudaParameters(tours=4, ants=32, settling=1, kick=4).resolved(instance.n)
    with closing(CrossingCudaColony(instance, p, EmulatedMachine(), 1)) as colony:
        before, drawn = colony._drawn(0), None
        assert np.array_equal(colony._arrays["given"], before)
        while not colony._populations:
            assert (drawn is not None) == (colony._stage == len(colony._stages) - 1)
            colony.iterate(1)
            drawn = colony._next or drawn
        assert colony._next is None
        assert drawn is not None
        assert np.array_equal(colony._arrays["given"], drawn.result())
        assert np.array_equal(colony._drawn(1), drawn.result())
        assert not np.array_equal(before, drawn.result())


@needs_emulation
@pytest.mark.parametrize("most_in_one", [0, 100])
def test_no_tour_is_drawn_for_a_colony_that_is_closed(
    most_in_one: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.crossing.cuda.colony.MOST_IN_ONE", most_in_one)
    drawn = list[object]()

    def noted(draw: Callable[..., None]) -> Callable[..., None]:
        def draw_and_note(*values: object) -> None:
            draw(*values)
            drawn.append(draw)

        return draw_and_note

    with closing(colony_of(makers.uniform(60, size=10_000))) as colony:
        monkeypatch.setattr(parted_greedy, "_make", noted(parted_greedy._make))
        monkeypatch.setattr(first, "_draw", noted(first._draw))
        colony._drawn(1)
        assert len(drawn) == TOURS
    colony._drawn(1)
    assert len(drawn) == TOURS


@pytest.mark.parametrize(("n", "tours"), [(5, 512), (3000, 512), (3001, 256), (100_000, 64)])
def test_small_instances_have_more_tours(n: int, tours: int) -> None:
    assert CrossingCudaParameters().resolved(n).tours == tours
    assert CrossingCudaParameters(tours=40).resolved(n).tours == 40


def test_directed_instances_are_refused() -> None:
    instance = makers.directed(20)
    with pytest.raises(ParameterError, match="directed"):
        CrossingCudaColony(
            instance, CrossingCudaParameters().resolved(instance.n), EmulatedMachine(), 1
        )


@pytest.mark.cuda
@pytest.mark.parametrize("cities", [40, 700, 1_304, 6_000, 9_000])  # 1,304: 48 KiB to merge
def test_a_device_gives_valid_tours_that_a_seed_repeats(cities: int) -> None:
    instance, place = makers.uniform(cities, size=100_000), devices.find("cuda")
    system, lengths = catalog.find("crossing-gpu", place), []
    for _ in range(2):
        colony = catalog.build(
            system, instance, system.parameters.from_mapping({"tours": 64}), place, 3
        )
        with closing(colony):
            for _ in range(5):
                colony.iterate(100)
                last = colony.snapshot(Wanted.SOLUTION | Wanted.ITERATION_SOLUTION)
            lengths.append((last.best_cost, last.iteration_best, last.iteration_mean))
    assert lengths[0] == lengths[1]


@pytest.mark.cuda
@needs_emulation
def test_a_device_gives_the_tours_of_the_emulation() -> None:
    instance, place = makers.uniform(200, size=10_000), devices.find("cuda")
    from gpu.cuda.colony import machine_of

    theirs = crossed(instance, 6)
    p = CrossingCudaParameters(tours=TOURS, ants=ANTS, settling=1)
    with closing(Unsettled(instance, p, machine_of(place), 1)) as colony:
        colony.iterate(6)
        records = colony._machine.download(colony._arrays["tour_records"])[0]
        ours = np.ascontiguousarray(records[:, :, 2]).view(np.int32)
    assert np.array_equal(ours, theirs[-1])

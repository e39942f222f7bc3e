"""Pictures and tables of trails."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from gpu import catalog
from gpu.acs.cuda.colony import AcsColony, WholeTours
from gpu.acs.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core import trails
from gpu.core.colony import Colony
from gpu.core.errors import WrongSolutionError
from gpu.core.history import HISTORY_KEPT, joined, of_ring
from gpu.core.machine import devices
from gpu.core.snapshot import TrailTable, Wanted
from gpu.core.trails import (
    BAND_REACH,
    KnownTrails,
    band_of,
    branching_factor,
    lists_read,
    matrix_picture,
    matrix_trails,
    owners,
    pheromone_picture,
    strip_of,
    strongest_trails,
)
from gpu.cuda import pictures
from gpu.focused.cuda import FocusedCudaColony
from gpu.focused.parameters import FocusedCudaParameters
from gpu.problems.tsp.instance import TspInstance
from tests.colonies import progress_of
from tests.emulation import needs_emulation
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EmulatedMachine


def known(entries: list[tuple[int, int, float]]) -> KnownTrails:
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    return KnownTrails(
        np.array(rows, np.int32), np.array(columns, np.int32), np.array(values, np.float32)
    )


def test_each_place_of_a_list_is_its_city_s() -> None:
    found = owners(3, 2)
    assert found.dtype == np.int32
    assert found.tolist() == [0, 0, 1, 1, 2, 2]


def random_trails(n: int, density: float, seed: int = 0) -> KnownTrails:
    rng = np.random.default_rng(seed)
    rows, columns = np.nonzero((rng.random((n, n)) < density) & ~np.eye(n, dtype=bool))
    values = rng.exponential(2, rows.size).astype(np.float32)
    return KnownTrails(rows.astype(np.int32), columns.astype(np.int32), values)


@pytest.mark.parametrize("density", [0.0, 0.05, 1.0])
@pytest.mark.parametrize(("n", "size"), [(3, 512), (20, 512), (20, 20), (20, 7), (53, 10)])
def test_each_pixel_is_the_largest_trail_in_its_square(n: int, size: int, density: float) -> None:
    trails = random_trails(n, density)
    order = np.random.default_rng(1).permutation(n)
    full = np.ones((n, n), np.float32)
    full[trails.rows, trails.columns] = trails.values
    full = full[np.ix_(order, order)]
    p = min(n, size)
    pixel = np.arange(n) * p // n
    expected = np.array(
        [[full[np.ix_(pixel == i, pixel == j)].max() for j in range(p)] for i in range(p)]
    )
    picture = pheromone_picture(trails, order, size)
    np.testing.assert_array_equal(picture, expected)
    assert picture.dtype == np.float32
    assert not picture.flags.writeable


@pytest.mark.parametrize(("n", "size"), [(1, 512), (3, 512), (20, 20), (20, 7), (53, 10)])
def test_a_whole_matrix_makes_the_same_picture(n: int, size: int) -> None:
    trails = random_trails(n, 1.0)
    order = np.random.default_rng(1).permutation(n)
    full = np.ones((n, n), np.float32)  # the level of what is not held, also on the diagonal
    full[trails.rows, trails.columns] = trails.values
    picture = matrix_picture(full, order, size)
    np.testing.assert_array_equal(picture, pheromone_picture(trails, order, size))
    assert picture.dtype == np.float32
    assert not picture.flags.writeable


def test_of_a_whole_matrix_only_what_got_a_deposit_is_drawn() -> None:
    trails = np.full((6, 6), 0.25, np.float32)
    for (one, other), value in {(1, 3): 2.0, (0, 5): 4.0, (2, 4): 2.0, (2, 5): 0.26}.items():
        trails[one, other] = trails[other, one] = value
    strongest = matrix_trails(trails, directed=False)
    assert strongest.edges.tolist() == [[0, 5], [1, 3], [2, 4], [2, 5]]
    assert strongest.strength.tolist() == pytest.approx([1, 0.5, 0.5, 0.065])
    assert matrix_trails(trails, directed=False, limit=2).edges.tolist() == [[0, 5], [1, 3]]
    trails[4, 2] = 0.25
    assert len(matrix_trails(trails, directed=True).edges) == 7
    assert len(matrix_trails(np.ones((6, 6), np.float32), directed=False).edges) == 0


def test_trails_too_faint_to_be_seen_are_left_out() -> None:
    trails = np.full((4, 4), 2.0**-60, np.float32)
    trails[0, 1], trails[1, 2], trails[2, 3] = 1.0, 0.01, 0.001
    assert matrix_trails(trails, directed=True).edges.tolist() == [[0, 1], [1, 2]]


def test_an_edge_of_a_symmetric_instance_appears_once_with_its_stronger_trail() -> None:
    trails = known([(3, 1, 5.0), (1, 3, 8.0), (0, 2, 2.0), (2, 0, 2.0), (4, 0, 1.0), (0, 4, 1.0)])
    strongest = strongest_trails(trails, 5, directed=False)
    assert strongest.edges.tolist() == [[1, 3], [0, 2]]
    assert strongest.strength.tolist() == [1.0, 0.25]
    assert strongest.strength.dtype == np.float32


def test_in_a_directed_instance_both_ways_appear() -> None:
    trails = known([(3, 1, 5.0), (1, 3, 10.0)])
    strongest = strongest_trails(trails, 5, directed=True)
    assert strongest.edges.tolist() == [[1, 3], [3, 1]]
    assert strongest.strength.tolist() == [1.0, 0.5]


def test_only_the_strongest_are_kept_and_ties_are_in_order() -> None:
    trails = known([(2, 3, 4.0), (0, 1, 4.0), (1, 2, 9.0), (0, 3, 3.0)])
    strongest = strongest_trails(trails, 4, directed=False, limit=3)
    assert strongest.edges.tolist() == [[1, 2], [0, 1], [2, 3]]


def test_no_trail_above_the_initial_level_is_no_trail() -> None:
    strongest = strongest_trails(known([(0, 1, 1.0), (1, 2, 0.5)]), 4, directed=False)
    assert strongest.edges.shape == (0, 2)
    assert strongest.strength.shape == (0,)


def test_branching_factor() -> None:
    listed = np.array([[1, 1, 1, 1], [100, 1, 1, 1], [100, 90, 5.9, 6.0]], np.float32)
    # All alike: 4. One above: 1. Least 5.9, limit 5.9 + 0.05 * 94.1 = 10.6: 2.
    assert branching_factor(listed) == pytest.approx((4 + 1 + 2) / 3)


def test_a_tour_is_proved() -> None:
    instance = makers.uniform(6)
    tour = np.array([3, 1, 0, 5, 4, 2], np.uint32)
    checked = instance.checked(tour, instance.tour_length(tour.astype(int)))
    assert checked.tolist() == tour.tolist()
    assert checked.dtype == np.int32
    assert not checked.flags.writeable
    with pytest.raises(WrongSolutionError, match="says 1 of a tour"):
        instance.checked(tour, 1)
    for bad in ([0, 1, 2, 3, 4, 4], [0, 1, 2, 3, 4, 6], [0, 1, 2, 3, 4], [-1, 1, 2, 3, 4, 5]):
        with pytest.raises(WrongSolutionError, match="does not visit each city"):
            instance.checked(np.array(bad), 1)


@pytest.mark.parametrize(
    "last", [0, 1, 2, HISTORY_KEPT - 1, HISTORY_KEPT, HISTORY_KEPT + 1, 3 * HISTORY_KEPT + 7]
)
def test_a_ring_keeps_the_last_iterations_in_their_order(last: int) -> None:
    ring = np.full((HISTORY_KEPT, 2), -1)
    for iteration in range(1, last + 1):
        ring[iteration % HISTORY_KEPT] = iteration, 10 * iteration
    history = of_ring(ring.view(np.uint64), last, 4)
    kept = np.arange(max(last - HISTORY_KEPT, 0) + 1, last + 1)
    assert history.last == last
    assert history.best.tolist() == kept.tolist()
    assert history.mean.tolist() == (2.5 * kept).tolist()
    assert [array.dtype for array in (history.best, history.mean)] == ["int64", "float64"]
    assert not history.best.flags.writeable


def test_parts_are_joined_in_their_order() -> None:
    parts = [progress_of(1, 0.5, 90, 95.0, [(1, 90)]), progress_of(2, 0.75, 80, 97.0, [(2, 80)])]
    whole = joined(parts)
    assert (whole.last, whole.iterations, whole.iteration_best) == (2, 2, 80)
    assert whole.iteration_mean == 96.0
    assert [one.cost for one in whole.improvements] == [90, 80]
    assert whole.seconds.tolist() == [0.5, 0.75]
    nothing = joined([])
    assert (nothing.last, nothing.iterations, nothing.improvements) == (0, 0, ())


def check(colony: Colony, instance: TspInstance, iterations: int = 2) -> None:
    """Every trail of both tables is what the colony says of its city."""
    n = instance.n
    with closing(colony):
        assert colony.snapshot(Wanted.STRIP | Wanted.BAND).strip is None
        colony.iterate(iterations)
        shot = colony.snapshot(Wanted.EVERYTHING)
        trails = np.array([colony.trails_from(city) for city in range(n)])
    for table in (shot.strip, shot.band):
        np.testing.assert_array_equal(table.cities, shot.best_solution)
        expected = trails[table.cities[:, None], table.others]
        expected[table.others == table.cities[:, None]] = 0
        np.testing.assert_allclose(table.values, expected, rtol=1e-6)
        assert not table.values.flags.writeable
        assert len(np.unique(table.values)) > 2  # ants have left something
    assert (shot.strip.others != shot.strip.cities[:, None]).all()
    reach = shot.band.values.shape[1] // 2
    assert reach == min(BAND_REACH, n // 2)
    for step in (-reach, 1):
        expected_cities = np.roll(shot.band.cities, -step)
        np.testing.assert_array_equal(shot.band.others[:, reach + step], expected_cities)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("acs-seq", {"ants": 4, "candidates": 3}),
        ("acs-seq-spm", {"ants": 4, "candidates": 5, "memory": 3}),
        ("mmas-seq", {"ants": 4}),
        ("focused", {"ants": 8}),
        ("faco", {"ants": 8}),
        ("crossing", {"ants": 8}),
    ],
)
def test_colonies_on_the_cpu_give_single_trails(name: str, values: dict[str, int]) -> None:
    instance, place = makers.uniform(40), devices.find("cpu:1")
    system = catalog.find(name, place)
    parameters = system.parameters.from_mapping(values)
    check(catalog.build(system, instance, parameters, place, 1), instance)


@needs_emulation
@pytest.mark.parametrize("memory", ["matrix", "selective", "focused"])
def test_colonies_on_a_gpu_give_single_trails(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_AT_ONCE", 100)  # so that it takes several launches
    instance, machine = makers.uniform(40), EmulatedMachine()
    colony: Colony
    if memory == "focused":
        given = FocusedCudaParameters.from_mapping({"ants": 8})
        colony = FocusedCudaColony(instance, given.resolved(instance.n), machine, 1)
    else:
        few = {"ants": 4, "candidates": 3}
        if memory == "matrix":
            kept = AcsParameters.from_mapping(few)
            colony = AcsColony(
                instance, kept.resolved(instance.n), machine, 1, MatrixTrails, WholeTours
            )
        else:
            kept = SpmParameters.from_mapping(few)
            colony = AcsColony(
                instance, kept.resolved(instance.n), machine, 1, SelectiveTrails, WholeTours
            )
    check(colony, instance)


@pytest.mark.parametrize("n", [1, 2, 3, 2000])
def test_tables_have_a_sensible_size_for_any_number_of_cities(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trails, "MOST_TRAILS", 80_000)
    tour = np.arange(n, dtype=np.int32)
    lists = (tour[:, None] + np.arange(1, 65)) % n
    read = lists_read(lists, np.full(lists.shape, 2, np.float32))
    strip, band = strip_of(tour, lists, read), band_of(tour, read)
    assert isinstance(strip, TrailTable)
    assert strip.values.shape == (n, 40 if n > 1000 else 64)
    assert band.values.shape[1] % 2 == 1
    own = band.values.shape[1] // 2
    assert not band.values[:, own].any()
    if n > 3:
        assert (band.values[:, own + 1] == 2).all()
        assert (band.values[:, own - 1] == 1).all()

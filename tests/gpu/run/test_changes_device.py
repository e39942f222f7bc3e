"""Cities change while a colony runs on a GPU, and it goes on from the tour that is left."""

from __future__ import annotations

import numpy as np
import pytest

from gpu import catalog
from gpu.core.instance import CityEdit
from gpu.run.changes import Change
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests import colonies

N = 200
ON_A_GPU = [
    system.name
    for system in catalog.CATALOG
    if system.problem == "tsp" and "cuda" in system.builders
]
EDITS = (
    *(CityEdit("remove", city) for city in (180, 77, 3)),
    *(CityEdit("add", N - 3 + k, 100.0 * k + 0.5, 500.0) for k in range(9)),
    CityEdit("move", 0, 10.0, 990.0),
)


@pytest.mark.cuda
@pytest.mark.parametrize("name", ON_A_GPU)
def test_a_colony_on_a_gpu_goes_on_after_cities_changed(name: str) -> None:
    instance = colonies.some_cities(N)
    stop = StopSettings(iterations=30)
    run = Run(instance, new_session(instance, colony=name, device="cuda", seed=3, stop=stop))
    run.build()
    while run.state.iteration < 15:
        run.advance(1)
    before = run.state.cost
    run.change(Change(cities=EDITS))
    while run.outcome is None:
        run.advance()
    assert run.notice == ""
    assert run.instance.n == N + 6
    state = run.outcome.state
    assert state.iteration == 30
    assert np.array_equal(np.sort(state.best_solution), np.arange(N + 6))
    assert run.instance.cost_of(state.best_solution) == state.best_cost
    assert state.cost < 1.5 * before  # it kept what was learnt
    run.close()

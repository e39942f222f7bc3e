"""What the view Decision tells of the ants of a gpx colony is what they do then."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.core.decisions import Step, Unanswered
from gpu.gpx.cpu.state import FOUND, GENERATIONS, QUOTA
from gpu.gpx.parameters import OPTIMIZING
from gpu.gpx.replay import GpxReplay, GpxRule
from tests.gpu.gpx.test_colony import colony_of
from tests.gpu.rlf.literal import random_graph

GRAPH = random_graph(40, 0.5, seed=3)


def told(replay: GpxReplay, ant: int, step: int) -> Step:
    found = replay.decision(ant, step)
    assert isinstance(found, Step)
    assert (found.ant, found.number) == (ant, step)
    return found


@pytest.mark.parametrize("left", ["trails", "random"])
def test_classes_that_are_taken_over_and_the_move_after_that(left: str) -> None:
    values: dict[str, Any] = {
        "ants": 4,
        "island": 4,
        "optimizers": 0,
        "explorers": 0,
        "moves": 1,
        "left": left,
    }
    compared = 0
    with closing(colony_of("gpx-seq", GRAPH, **values)) as colony:
        rule, state = GpxRule(GRAPH), colony.standing
        assert isinstance(rule.replay(colony, 0).decision(0, 1), Unanswered)
        colony.iterate(25)  # a move each
        for iteration in range(25, 40):
            replay = rule.replay(colony, iteration)
            expected = {}
            for ant in range(4):
                if isinstance(replay.decision(ant, 1), Unanswered):
                    continue  # it begins anew
                first = told(replay, ant, 1)
                assert "takes over the largest" in first.sentence
                assert first.options.told[0].chosen
                step = 1
                while "tabu search begins" not in told(replay, ant, step).sentence:
                    step += 1
                move = told(replay, ant, step + 1)
                assert move.sentence.startswith(f"Ant {ant + 1}, move 1: ")
                assert "An iteration has 1 move of its tabu search" in move.caveat
                expected[ant] = move.picture.colors
            colony.iterate(1)
            for ant, colors in expected.items():
                if state.population.progress[ant, FOUND] == 0 and colors is not None:
                    assert state.searches.colors[ant].tolist() == colors.tolist()
                    compared += 1
        assert state.schedule[GENERATIONS] == 40
    assert compared > 10


def test_the_moves_of_an_optimizer() -> None:
    with closing(colony_of("gpx-seq", GRAPH, ants=1, optimizers=1, explorers=0, noise=9)) as colony:
        colony.iterate(20)
        state = colony.standing
        moves = int(state.schedule[QUOTA + OPTIMIZING])
        replay = GpxRule(GRAPH).replay(colony, 20)
        again, last = told(replay, 0, 3), told(replay, 0, min(moves, 300))
        assert told(replay, 0, 3).sentence == again.sentence
        assert "without color" in last.sentence
        assert last.picture.colors is not None
        slow = replay._optimizer
        assert slow is not None
        slow._restart()
        for _ in range(moves):
            slow.move()
        colony.iterate(1)
        assert state.population.progress[0, FOUND] == 0
        np.testing.assert_array_equal(state.optimizers.colors[0], slow.colors)
        np.testing.assert_array_equal(state.optimizers.weights[0], slow.weights)


def test_the_moves_of_an_explorer_and_when_it_begins_anew() -> None:
    alone = {"ants": 1, "optimizers": 0, "explorers": 1}
    with closing(colony_of("gpx-seq", GRAPH, **alone, patience=1_000_000)) as colony:
        colony.iterate(3)
        replay = GpxRule(GRAPH).replay(colony, 3)
        assert told(replay, 0, 2).sentence.startswith("Ant 1, move 2: ")
        with pytest.raises(ValueError, match="step"):
            replay.decision(0, 0)
    with closing(colony_of("gpx-seq", GRAPH, **alone, patience=1)) as colony:
        colony.iterate(3)
        answer = GpxRule(GRAPH).replay(colony, 3).decision(0, 1)
        assert isinstance(answer, Unanswered)
        assert "begins anew" in answer.why


def test_every_gpx_and_head_colony_can_be_replayed() -> None:
    rows = [row for row in catalog.CATALOG if row.alias in ("gpx", "head")]
    assert len(rows) == 6
    assert all(row.rule for row in rows)

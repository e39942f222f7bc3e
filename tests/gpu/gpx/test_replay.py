"""What the view Decision tells of the ants of a gpx colony is what they do then."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.core.decisions import Step, Unanswered
from gpu.gpx.cpu.state import FOUND, GENERATIONS, MOVES, QUOTA
from gpu.gpx.parameters import EXPLORING, OPTIMIZING, PARTIAL
from gpu.gpx.replay import GpxReplay, GpxRule
from tests.gpu.gpx.test_colony import colony_of
from tests.gpu.rlf.literal import graph, random_graph

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


@pytest.mark.parametrize("kind", [OPTIMIZING, PARTIAL])
def test_the_moves_on_a_partial_coloring(kind: int) -> None:
    values = {"ants": 1, "explorers": 0, "noise": 9}
    values |= {"optimizers": int(kind == OPTIMIZING), "partials": int(kind == PARTIAL)}
    with closing(colony_of("gpx-seq", GRAPH, **values)) as colony:
        colony.iterate(20)
        state = colony.standing
        moves = int(state.schedule[QUOTA + kind])
        replay = GpxRule(GRAPH).replay(colony, 20)
        again, last = told(replay, 0, 3), told(replay, 0, min(moves, 300))
        assert told(replay, 0, 3).sentence == again.sentence
        assert "without color" in last.sentence
        assert last.picture.colors is not None
        slow = replay._partial
        assert slow is not None
        slow.restart()
        for _ in range(moves):
            slow.move()
        colony.iterate(1)
        assert state.population.progress[0, FOUND] == 0
        own = state.optimizers if kind == OPTIMIZING else state.partials
        np.testing.assert_array_equal(own.colors[0], slow.colors)
        assert own.loose[0, : len(slow.loose)].tolist() == slow.loose


def test_the_moves_of_explorers_and_when_one_begins_anew() -> None:
    alone = {"ants": 1, "optimizers": 0, "explorers": 1}
    values = {"ants": 4, "optimizers": 1, "partials": 0, "explorers": 3}
    with closing(colony_of("gpx-seq", GRAPH, **values, patience=1_000_000)) as colony:
        colony.iterate(3)
        state, replay, expected = colony.standing, GpxRule(GRAPH).replay(colony, 3), {}
        for ant in (1, 2, 3):
            step = int(state.schedule[QUOTA + EXPLORING])
            last = told(replay, ant, step)
            assert last.sentence.startswith(f"Ant {ant + 1}, move {step}: ")
            assert told(replay, ant, step).sentence == last.sentence
            expected[ant] = last.picture.colors
        colony.iterate(1)
        for ant, colors in expected.items():
            assert state.population.progress[ant, FOUND] == 0
            if state.population.progress[ant, MOVES] == step:
                assert colors is not None
                assert state.searches.colors[ant - 1].tolist() == colors.tolist()
        with pytest.raises(ValueError, match="step"):
            replay.decision(0, 0)
    with closing(colony_of("gpx-seq", GRAPH, **alone, patience=1)) as colony:
        colony.iterate(3)
        answer = GpxRule(GRAPH).replay(colony, 3).decision(0, 1)
        assert isinstance(answer, Unanswered)
        assert "begins anew" in answer.why


def test_with_one_color_there_are_no_moves_to_choose_from() -> None:
    pair = graph(2, [(0, 1)])
    values = {"ants": 3, "optimizers": 0, "partials": 0, "explorers": 1}
    with closing(colony_of("gpx-seq", pair, **values)) as colony:
        colony.iterate(3)
        replay = GpxRule(pair).replay(colony, 3)
        for ant in range(3):
            for step in (1, 2, 3, 4):
                found = replay.decision(ant, step)
                assert found is not None
                if isinstance(found, Step):
                    assert found.number == step


def test_every_gpx_and_head_colony_can_be_replayed() -> None:
    rows = [row for row in catalog.CATALOG if row.alias in ("gpx", "head")]
    assert len(rows) == 6
    assert all(row.rule for row in rows)

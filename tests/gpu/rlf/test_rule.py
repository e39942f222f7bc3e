"""The vertices that a replay foretells, against those that ants color, and what is told of them."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.core.decisions import Step, Unanswered
from gpu.core.snapshot import Wanted
from gpu.decisions import InitialTrails
from gpu.problems.coloring.instance import GraphInstance
from gpu.rlf.cpu.colony import RlfCpuColony, RlfTabuCpuColony
from gpu.rlf.parameters import ColoringCpuParameters, ColoringParameters, ColoringTabuParameters
from gpu.rlf.rule import ColoringReplay, ColoringRule, VertexChoice, VertexDraw
from gpu.tabu_search.replay import TabuMove
from tests.gpu.rlf.literal import complete, edgeless, random_graph

GRAPH = random_graph(40, 0.4, seed=2)
ANTS = 2


def coloring_of(replay: ColoringReplay, ant: int, graph: GraphInstance) -> list[VertexChoice]:
    """All decisions of one ant, each of them checked."""
    decisions = []
    for step in range(1, graph.n + 1):
        decision = replay.told(ant, step)
        check(decision, graph)
        assert len(decision.order) == step - 1
        decisions.append(decision)
    return decisions


def check(decision: VertexChoice, graph: GraphInstance) -> None:
    """What must hold of each decision, computed from the graph anew (Algorithm 3)."""
    adjacent = np.zeros((graph.n, graph.n), np.bool_)
    adjacent[graph.edges[:, 0], graph.edges[:, 1]] = True
    adjacent |= adjacent.T
    uncolored = decision.colors < 0
    beside = adjacent[decision.members].any(axis=0) & uncolored
    assert decision.candidates.tolist() == np.flatnonzero(uncolored & ~beside).tolist()
    assert decision.excluded.tolist() == np.flatnonzero(beside).tolist()
    assert decision.counts.tolist() == adjacent[decision.candidates][:, beside].sum(axis=1).tolist()
    assert len(decision.order) == (~uncolored).sum()
    assert decision.candidates[decision.at] == decision.chosen
    assert decision.chances.sum() == pytest.approx(1, abs=1e-12)
    alpha, beta = decision.powers
    expected = np.ones(len(decision.candidates))
    if decision.counts.any():
        assert decision.draw in (VertexDraw.WHEEL, VertexDraw.TRIAL)
        expected = decision.counts**alpha * decision.trails.astype(float) ** beta
        assert decision.weights == pytest.approx(expected, rel=1e-5)
    else:
        assert decision.draw is (
            VertexDraw.FIRST if len(decision.members) == 0 else VertexDraw.EVEN
        )
    assert decision.chances == pytest.approx(expected / expected.sum(), abs=1e-5)
    assert decision.chances[decision.at] > 0
    if decision.draw is VertexDraw.TRIAL:
        assert decision.spin is None
        assert decision.trials >= 1
    else:
        assert decision.spin is not None
        ends = np.concatenate([[0], np.cumsum(decision.chances)])
        low, high = ends[decision.at : decision.at + 2]
        assert low - 1e-5 <= decision.spin <= high + 1e-5


@pytest.mark.parametrize("selection", ["wheel", "hybrid", "trial"])
def test_ants_color_as_foretold(selection: str) -> None:
    parameters = ColoringCpuParameters(ants=ANTS, selection=selection, trials=2)
    colony = RlfCpuColony(GRAPH, parameters.resolved(GRAPH.n), 5, threads=2)
    rule = ColoringRule(GRAPH, parameters.resolved(GRAPH.n), 5)
    assert rule.caveat == ""
    draws = set()
    for iteration in range(2):
        replay = rule.replay(colony, iteration)
        foretold = [coloring_of(replay, ant, GRAPH) for ant in range(ANTS)]
        colony.iterate(1)
        ants = colony._state.ants
        for ant, decisions in enumerate(foretold):
            assert [one.chosen for one in decisions] == ants.orders[ant].tolist()
            assert [one.color for one in decisions] == ants.colors[ant][ants.orders[ant]].tolist()
            draws |= {one.draw for one in decisions}
    assert (VertexDraw.TRIAL in draws) == (selection != "wheel")
    assert VertexDraw.WHEEL in draws or selection == "trial"
    colony.close()


def test_ants_and_searches_of_the_tabu_colony_do_as_foretold() -> None:
    moves = 12
    parameters = ColoringTabuParameters(ants=ANTS, searches=2, moves=moves)
    colony = RlfTabuCpuColony(GRAPH, parameters.resolved(GRAPH.n), 5, threads=1)
    rule = ColoringRule(GRAPH, parameters.resolved(GRAPH.n), 5)
    replay = rule.replay(colony, 0)
    for ant in range(ANTS):
        assert len(coloring_of(replay, ant, GRAPH)) == GRAPH.n
    early = replay.decision(ANTS, 1)
    assert isinstance(early, Unanswered)
    assert "Make one step (N)" in early.why
    tabu = aspired = 0
    for iteration in range(1, 8):
        colony.iterate(1)
        replay = rule.replay(colony, iteration)
        found = [[replay.searches.told(one, at + 1) for at in range(moves)] for one in range(2)]
        again = replay.searches.told(0, 5)
        before = colony.search_of(0).best
        colony.iterate(1)
        if colony._state.ants.costs.min() < before:  # an ant was better, as the caveat says
            continue
        for search, told in enumerate(found):
            colors = None
            for at, move in enumerate(told):
                assert isinstance(move, TabuMove)
                check_move(move)
                assert (move.search, move.number) == (search, at + 1)
                tabu += int((move.waits > 0).any())
                aspired += move.aspired
                colors = move.colors.copy()
                if move.at >= 0:
                    colors[move.vertices[move.at]] = move.targets[move.at]
            if len(GRAPH.conflicts(colors)):
                assert colors.tolist() == colony.search_of(search).colors.tolist()
        assert isinstance(again, TabuMove)
        assert isinstance(fifth := found[0][4], TabuMove)
        assert again.colors.tolist() == fifth.colors.tolist()
    assert tabu
    colony.close()
    on_gpu = rule.replay(InitialTrails(GRAPH.n), 3).decision(ANTS, 1)
    assert isinstance(on_gpu, Unanswered)
    assert "on a GPU" in on_gpu.why


def test_no_search_is_foretold_in_the_midst_of_the_first_iteration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gpu.cpu.stages.SLICE_SECONDS", 0.0)  # a unit of work a slice
    parameters = ColoringTabuParameters(ants=ANTS, searches=2, moves=12).resolved(GRAPH.n)
    colony = RlfTabuCpuColony(GRAPH, parameters, 5, threads=1)
    while colony.search_of(0).tries == 0:
        colony.iterate(1, lambda: True)
    assert colony.snapshot(Wanted.NUMBERS).iteration == 0
    answer = ColoringRule(GRAPH, parameters, 5).replay(colony, 0).decision(ANTS, 1)
    assert isinstance(answer, Unanswered)
    assert "Make one step (N)" in answer.why
    colony.close()


def check_move(move: TabuMove) -> None:
    """What must hold of each move, computed from the graph anew."""
    assert len(move.conflicts) == len(GRAPH.conflicts(move.colors)) > 0
    assert move.colors.max() < move.count
    ends = set(move.conflicts.ravel().tolist())
    assert move.considered == len(ends) * (move.count - 1)
    for vertex, color, gain in zip(move.vertices, move.targets, move.gains, strict=True):
        assert int(vertex) in ends
        after = move.colors.copy()
        after[vertex] = color
        assert len(GRAPH.conflicts(after)) == len(move.conflicts) + gain
    free = move.waits == 0
    if move.at >= 0:
        if not move.aspired and free.any():
            assert move.gains[move.at] == move.gains[free].min()
        if move.aspired:
            assert len(move.conflicts) + move.gains[move.at] < move.fewest


def test_one_may_step_back_and_change_the_ant() -> None:
    trails = InitialTrails(GRAPH.n)
    rule = ColoringRule(GRAPH, ColoringParameters(ants=ANTS).resolved(GRAPH.n), 1, 4)
    replay = rule.replay(trails, 0, "As it stands.")
    forward = [one.chosen for one in coloring_of(replay, 0, GRAPH)]
    for ant, step in ((0, 30), (1, 30), (0, 12), (0, 12), (0, 40), (2, 1)):
        found, fresh = replay.told(ant, step), rule.replay(trails, 0).told(ant, step)
        check(found, GRAPH)
        assert (found.order.tolist(), found.chosen) == (fresh.order.tolist(), fresh.chosen)
        assert ant != 0 or found.chosen == forward[step - 1]
        shown = replay.decision(ant, step)
        assert isinstance(shown, Step)
        assert shown.caveat == "As it stands."
    with pytest.raises(ValueError, match=r"step = 41 must be in \[1, 40\]"):
        replay.decision(0, 41)
    assert replay.decision(1, 30, lambda: True) is None


@pytest.mark.parametrize("graph", [complete(5), edgeless(1), edgeless(40), random_graph(65, 0.9)])
def test_any_graph_is_replayed(graph: GraphInstance) -> None:
    rule = ColoringRule(
        graph, ColoringCpuParameters(ants=1, alpha=1.5, beta=0.5).resolved(graph.n), 3
    )
    decisions = coloring_of(rule.replay(InitialTrails(graph.n), 0), 0, graph)
    assert sorted(one.chosen for one in decisions) == list(range(graph.n))
    assert "close draw may fall otherwise" in rule.caveat

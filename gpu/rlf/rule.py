"""How an ant of ACO-RLF chooses the next vertex of a class (2017, Algorithm 3, eqs. 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions.coloring_decision import ColoringDecision, Draw
from gpu.core.decisions.rule import TrailSource
from gpu.core.decisions.tabu_move import TabuMove, Unanswered
from gpu.problems.coloring.instance import GraphInstance
from gpu.rlf.cpu.coloring import (
    CANDIDATES_LEFT,
    CLASSES,
    LARGEST_COUNT,
    TRIAL_ACCEPTED,
    choose_once,
    go_on,
    one_row_of,
    rules_of,
    workspace_of,
)
from gpu.rlf.parameters import ColoringParameters, ColoringTabuParameters
from gpu.rlf.search_replay import SearchReplay


class ColoringRule:
    """The choices of ACO-RLF's ants, made by the compiled code of the CPU colonies.

    ``trials`` is the number of stochastic trials before the wheel is turned, by default what the
    parameters say.
    """

    def __init__(
        self,
        graph: GraphInstance,
        parameters: ColoringParameters,
        seed: int,
        trials: int | None = None,
    ) -> None:
        rules = rules_of(seed, parameters, graph.n, 1)
        assert parameters.ants is not None
        self.ants = parameters.ants
        self.moves = parameters.moves if isinstance(parameters, ColoringTabuParameters) else 0
        self.graph = graph
        self.rules = rules if trials is None else rules._replace(trials=trials)
        self.powers = float(parameters.alpha), float(parameters.beta)
        self.caveat = ""
        if self.rules.factors < 0:
            self.caveat = (
                "A GPU raises trails to a power that is not whole with other last digits, so a "
                "close draw may fall otherwise there."
            )

    def replay(self, trails: TrailSource, iteration: int, caveat: str = "") -> ColoringReplay:
        """Start to replay an iteration; see :class:`gpu.core.decisions.rule.Rule`."""
        return ColoringReplay(self, trails, iteration, caveat)


class ColoringReplay:
    """Predicts the choices of ants from trails that do not change meanwhile.

    For the same ant it goes forward from the step of the last answer; for an earlier step it goes
    through the vertices that are known already.
    """

    def __init__(
        self, rule: ColoringRule, trails: TrailSource, iteration: int, caveat: str = ""
    ) -> None:
        self._rule, self._trails, self._iteration = rule, trails, iteration
        self._caveat = " ".join(filter(None, (rule.caveat, caveat)))
        graph = rule.graph
        self._pairs = one_row_of(graph, tried=rule.rules.trials > 0)
        self._workspace = workspace_of(graph.n)
        self._parts = np.zeros(graph.n, np.uint32)
        self._ant, self._made = -1, 0  # how many vertices are colored in the workspace
        self._order: list[int] = []  # the vertices that the ant colors, as far as known,
        self._classes: list[int] = []  # and their colors
        self._searches: SearchReplay | None = None
        if rule.moves:
            self._searches = SearchReplay(
                graph, rule.rules, rule.ants, rule.moves, trails, iteration
            )

    def decision(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> ColoringDecision | TabuMove | Unanswered | None:
        """Return how ``ant`` (from 0) chooses the ``step``-th vertex of its coloring, in [1, n].

        Tabu searches are counted on after the ants; of them it is the ``step``-th move.
        ``cancelled`` is asked between two steps. Once it returns True, the result is None; the
        steps made until then are kept.
        """
        if self._searches is not None and ant >= self._rule.ants:
            return self._searches.move(ant - self._rule.ants, step, self._caveat, cancelled)
        n = self._rule.graph.n
        if not 1 <= step <= n:
            raise ValueError(f"step = {step} must be in [1, {n}]")
        if ant != self._ant:
            self._ant, self._order, self._classes, self._made = ant, [], [], 0
            self._go_to(0)
        while len(self._order) < step - 1:
            if cancelled():
                return None
            self._go_to(len(self._order))
            self._classes.append(self._color)
            self._order.append(self._choose()[0])
        self._go_to(step - 1)
        return self._described()

    @property
    def _color(self) -> int:
        """The class that gets the next vertex."""
        progress = self._workspace.progress
        return int(progress[CLASSES]) - (1 if progress[CANDIDATES_LEFT] > 0 else 0)

    def _go_to(self, made: int) -> None:
        """Let the workspace be as it is after the first ``made`` visits."""
        if made == self._made and made:
            return
        begin = self._made if made > self._made else 0
        go_on(self._pairs, self._workspace, np.array(self._order[:made], np.uint32), begin)
        self._made = made
        if made:
            self._pairs.trails[0] = self._trails_from(self._order[made - 1])

    def _choose(self) -> tuple[int, int]:
        """Return the vertex that follows, and the random word drawn."""
        when = np.uint32(self._iteration), self._ant, self._made
        rules, workspace = self._rule.rules, self._workspace
        vertex, word = choose_once(self._pairs, rules, workspace, *when, self._parts)
        return int(vertex), int(word)

    def _trails_from(self, vertex: int) -> NDArray[np.float32]:
        """Return the trails that lead from ``vertex``: 0 to its neighbours and to itself."""
        graph = self._rule.graph
        bits = np.unpackbits(graph.adjacency[vertex].view(np.uint8), bitorder="little")
        trails = np.where(bits[: graph.n], np.float32(0), self._trails.trails_from(vertex))
        trails[vertex] = 0
        return trails

    def _described(self) -> ColoringDecision:
        """Make the next choice, and tell all that led to it."""
        rule, workspace, progress = self._rule, self._workspace, self._workspace.progress
        chosen, word = self._choose()
        order = np.array(self._order[: self._made], np.int32)
        colors = np.full(rule.graph.n, -1, np.int32)
        colors[order] = self._classes[: self._made]
        candidates = uncolored = np.flatnonzero(colors < 0).astype(np.int32)
        counts = np.zeros(len(uncolored), np.int32)
        weights = shares = np.ones(len(uncolored))
        draw, trials, trails = Draw.FIRST, 0, np.ones(rule.graph.n, np.float32)
        left = progress[CANDIDATES_LEFT]
        if left > 0:
            candidates = workspace.candidates[:left].astype(np.int32)
            counts = workspace.counts[:left].astype(np.int32)
            draw, trails = Draw.EVEN, self._pairs.trails[0]
            weights = shares = np.ones(left)
        if left > 0 and progress[LARGEST_COUNT] > 0:
            weights = rule.rules.powers[counts] * self._pairs.info[0, candidates].astype(float)
            tried = rule.rules.trials > 0 and progress[TRIAL_ACCEPTED] > 0
            draw = Draw.TRIAL if tried else Draw.WHEEL
            shares = weights if tried else self._parts[:left].astype(float)
            trials = int(progress[TRIAL_ACCEPTED]) if tried else rule.rules.trials
        return ColoringDecision(
            ant=self._ant,
            iteration=self._iteration,
            order=frozen(order),
            colors=frozen(colors),
            color=self._color,
            draw=draw,
            chosen=chosen,
            candidates=frozen(candidates),
            excluded=frozen(np.setdiff1d(uncolored, candidates)),
            counts=frozen(counts),
            trails=frozen(trails[candidates]),
            powers=rule.powers,
            weights=frozen(weights),
            chances=frozen(shares / shares.sum()),
            spin=None if draw is Draw.TRIAL else word / 2**32,
            trials=trials,
            caveat=self._caveat,
        )

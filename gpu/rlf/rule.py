"""How an ant of ACO-RLF chooses the next vertex of a class (2017, Algorithm 3, eqs. 1 and 2)."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions import (
    OPTIONS_NAMED,
    DrawScale,
    Option,
    Options,
    Picture,
    PictureMark,
    Sign,
    Step,
    TrailCopy,
    TrailSource,
    Unanswered,
    likeliest,
    parts_named,
)
from gpu.core.formats import power, probability, quantity, stop_text, whole
from gpu.problems.coloring.instance import GraphInstance, greedy_colors
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
from gpu.tabu_search.replay import SearchReplay


class VertexDraw(enum.Enum):
    """How an ant draws the next vertex of a class (Murooka et al. 2017, Algorithm 3)."""

    FIRST = "first"  # the first of a class: any uncolored vertex with the same probability
    EVEN = "even"  # no candidate has an excluded neighbour: all with the same probability
    WHEEL = "wheel"  # a wheel on which each candidate's part is as large as its weight
    TRIAL = "trial"  # a stochastic trial: drawn by the trail, accepted by the excluded neighbours


@dataclass(frozen=True, slots=True, eq=False)
class VertexChoice:
    """One ant's choice of the next vertex of a color class, with all that led to it.

    Vertices and colors are counted from 0. The candidates are the uncolored vertices without a
    neighbour in the class (W in the paper); those with one are excluded from it (N).
    """

    order: NDArray[np.int32]  # (t,): the vertices colored so far, in order
    colors: NDArray[np.int32]  # (n,): of all vertices so far; -1 without one
    color: int  # of the class that the ant builds
    draw: VertexDraw  # how the choice came about
    chosen: int  # the vertex
    candidates: NDArray[np.int32]  # (k,): ascending; k >= 1
    excluded: NDArray[np.int32]  # (e,): uncolored neighbours of the class
    counts: NDArray[np.int32]  # (k,): d_N, how many neighbours of each candidate are excluded
    trails: NDArray[np.float32]  # (k,): τ to the vertex colored last, in units of the initial trail
    powers: tuple[float, float]  # α, of the counts, and β, of the trails
    weights: NDArray[np.float64]  # (k,): d_N^α·τ^β; all 1 if the trails play no part
    chances: NDArray[np.float64]  # (k,): the probability of each, in sum 1
    spin: float | None = None  # where on the wheel, in [0, 1), the ball fell; None after a trial
    trials: int = 0  # stochastic trials that were made, the accepted one included

    @property
    def members(self) -> NDArray[np.int32]:
        """The vertices of the class so far, in the order of the visits."""
        members: NDArray[np.int32] = self.order[self.colors[self.order] == self.color]
        return members

    @property
    def here(self) -> int | None:
        """The vertex colored last, where the ant stands; None at the beginning of a class."""
        return None if self.draw is VertexDraw.FIRST else int(self.order[-1])

    @property
    def at(self) -> int:
        """The place of the chosen vertex among the candidates."""
        return int(np.searchsorted(self.candidates, self.chosen))

    def sentence(self) -> str:
        """Say where the ant stands and what it does; numbers of vertices and classes begin at 1."""
        color, excluded = self.color + 1, len(self.excluded)
        if self.here is None:
            return f"it begins class {color}. {self._how()}"
        are = "is a neighbour" if excluded == 1 else "are neighbours"
        return (
            f"it stands at vertex {self.here + 1} in class {color}; {whole(excluded)} of "
            f"{whole(excluded + len(self.candidates))} uncolored vertices {are} of the class and "
            f"excluded. {self._how()}"
        )

    def _how(self) -> str:
        count, chosen = len(self.candidates), f"vertex {self.chosen + 1}"
        drawn = f"{chosen} (chance {probability(float(self.chances[self.at]))})."
        if count == 1:
            first = self.draw is VertexDraw.FIRST
            what = "vertex without a color" if first else "candidate"
            return f"It takes the only {what}: {chosen}."
        match self.draw:
            case VertexDraw.FIRST:
                return (
                    f"It takes any of the {whole(count)} uncolored vertices with the same chance: "
                    f"{drawn}"
                )
            case VertexDraw.EVEN:
                return (
                    f"None of its {whole(count)} candidates has an excluded neighbour, so that all "
                    f"have the same chance: {drawn}"
                )
            case VertexDraw.TRIAL:
                ordinals = {1: "first", 2: "second", 3: "third"}
                which = ordinals.get(self.trials, f"{whole(self.trials)}th")
                return (
                    f"It draws vertices by their trails alone; the {which} is a candidate and is "
                    f"accepted, as d_N decides: {drawn}"
                )
        vain = ""
        if self.trials:
            draws = "draw by trails alone was" if self.trials == 1 else "draws by trails alone were"
            vain = f"{whole(self.trials)} {draws} in vain. "
        wheel = f"The wheel of its {whole(count)} candidates stops at {stop_text(self.spin)}"
        return f"{vain}{wheel}, {drawn}"

    def formula(self) -> str:
        """Return equations 1 and 2 of the paper for the chosen vertex, with the numbers put in."""
        at, chosen = self.at, self.chosen + 1
        chance = probability(float(self.chances[at]))
        if not self.weighed:
            return f"p({chosen}) = 1 / {whole(len(self.candidates))} = {chance}"
        assert self.here is not None
        alpha, beta = self.powers
        weight, pair = quantity(float(self.weights[at])), f"{self.here + 1}, {chosen}"
        return (
            f"f({pair}) = d_N^α · τ^β = {power(str(self.counts[at]), alpha)} · "
            f"{power(quantity(float(self.trails[at])), beta)} = {weight};   p = f / F = {weight} / "
            f"{quantity(float(self.weights.sum()))} = {chance}"
        )

    @property
    def weighed(self) -> bool:
        """Whether trails and excluded neighbours play a part."""
        return self.draw in (VertexDraw.WHEEL, VertexDraw.TRIAL)

    def drawn(self) -> DrawScale:
        """Return the wheel, and where it stopped."""
        spun = self.spin is not None
        title = "The chances; no wheel is spun, a draw by the trail was accepted"
        if spun:
            equal = "" if self.weighed else " (equal parts)"
            title = f"The wheel, unrolled: it stopped at {stop_text(self.spin)}{equal}"
        names = parts_named(self.chances, lambda at: str(self.candidates[at] + 1))
        return DrawScale(title, self.chances, names, self.at if spun else -1, self.spin)

    def options(self) -> Options:
        """Return the likeliest vertices, and the chosen one."""
        here = () if self.here is None else (self.here,)
        told = [
            Option(
                (
                    str(self.candidates[at] + 1),
                    quantity(float(self.trails[at])) if here else "",
                    str(self.counts[at]) if here else "",
                    quantity(float(self.weights[at])) if self.weighed else "",
                    probability(float(self.chances[at])),
                ),
                float(self.chances[at]),
                (*here, int(self.candidates[at])),
                chosen=bool(at == self.at),
            )
            for at in likeliest(self.chances, self.at)
        ]
        heads = "vertex", "τ / τ₀", "d_N", "weight", "chance"
        return Options(heads, tuple(told), len(self.chances), are_chances=True)

    def picture(self) -> Picture:
        """Return the classes so far, and who may join the class that the ant fills."""
        here = self.order[-1:] if self.here is not None else self.order[:0]
        chosen = np.array([self.chosen], np.int32)
        marks = [
            PictureMark(Sign.CANDIDATE, self.candidates, "candidate"),
            PictureMark(Sign.EXCLUDED, self.excluded, "excluded"),
            PictureMark(Sign.COLORED, self.order, "colored"),
            PictureMark(Sign.STANDS, here, "the ant"),
            PictureMark(Sign.CHOSEN, chosen, "taken"),
        ]
        if self.here is not None:
            marks.append(PictureMark(Sign.CONSIDERED, self.candidates, "", self.chances))
        likely = self.candidates[np.argsort(-self.chances, kind="stable")[:OPTIONS_NAMED]]
        named = frozen(np.concatenate([here, chosen, likely]))
        plain = frozen(self.colors == self.color)
        return Picture(tuple(marks), named, None, self.colors, plain)


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
        """Start to replay an iteration; see :class:`gpu.core.decisions.Rule`."""
        return ColoringReplay(self, trails, iteration, caveat)

    def copied(self, trails: TrailSource) -> TrailCopy:
        """Copy all trails; see :class:`gpu.core.decisions.BackwardRule`."""
        return TrailCopy(trails, self.graph.n)

    def replay_made(
        self, trails: TrailCopy, iteration: int, orders: NDArray[np.integer]
    ) -> ColoringReplay:
        """Replay what was made: ants read the same trails, so that they need no ``orders``."""
        return ColoringReplay(self, trails, iteration)


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
        self.searches: SearchReplay | None = None
        if rule.moves:
            self.searches = SearchReplay(
                graph, rule.rules.key, greedy_colors(graph), rule.ants, trails, iteration
            )

    def decision(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> Step | Unanswered | None:
        """Return how ``ant`` (from 0) chooses the ``step``-th vertex of its coloring, in [1, n].

        Tabu searches are counted on after the ants; of them it is the ``step``-th move.
        ``cancelled`` is asked between two steps. Once it returns True, the result is None; the
        steps made until then are kept.
        """
        if self.searches is not None and ant >= self._rule.ants:
            return self.searches.decision(ant, step, self._caveat, cancelled)
        choice = self.told(ant, step, cancelled)
        if choice is None:
            return None
        return Step(
            ant,
            self._iteration,
            step,
            f"Ant {ant + 1}, step {step}: {choice.sentence()}",
            choice.options(),
            choice.picture(),
            choice.formula(),
            (choice.drawn(),),
            self._caveat,
        )

    def told(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> VertexChoice | None:
        """Return the choice of an ant; see :meth:`decision`."""
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
        trails = np.array(self._trails.trails_from(vertex))
        trails[self._rule.graph.neighbours(vertex)] = 0
        trails[vertex] = 0
        return trails

    def _described(self) -> VertexChoice:
        """Make the next choice, and tell all that led to it."""
        rule, workspace, progress = self._rule, self._workspace, self._workspace.progress
        chosen, word = self._choose()
        order = np.array(self._order[: self._made], np.int32)
        colors = np.full(rule.graph.n, -1, np.int32)
        colors[order] = self._classes[: self._made]
        candidates = uncolored = np.flatnonzero(colors < 0).astype(np.int32)
        counts = np.zeros(len(uncolored), np.int32)
        weights = shares = np.ones(len(uncolored))
        draw, trials, trails = VertexDraw.FIRST, 0, np.ones(rule.graph.n, np.float32)
        left = progress[CANDIDATES_LEFT]
        if left > 0:
            candidates = workspace.candidates[:left].astype(np.int32)
            counts = workspace.counts[:left].astype(np.int32)
            draw, trails = VertexDraw.EVEN, self._pairs.trails[0]
            weights = shares = np.ones(left)
        if left > 0 and progress[LARGEST_COUNT] > 0:
            weights = rule.rules.powers[counts] * self._pairs.info[0, candidates].astype(float)
            tried = rule.rules.trials > 0 and progress[TRIAL_ACCEPTED] > 0
            draw = VertexDraw.TRIAL if tried else VertexDraw.WHEEL
            shares = weights if tried else self._parts[:left].astype(float)
            trials = int(progress[TRIAL_ACCEPTED]) if tried else rule.rules.trials
        return VertexChoice(
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
            spin=None if draw is VertexDraw.TRIAL else word / 2**32,
            trials=trials,
        )

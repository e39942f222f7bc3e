"""How an ant of Focused ACO chooses: a walk that makes new edges, then along the source."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.decisions import TrailSource
from gpu.cpu.geometry import geometry_of
from gpu.cpu.philox import key_of
from gpu.decisions import CityChoice, CityDraw, TourRule, Walk
from gpu.faco.cpu.ants import draw_once
from gpu.faco.cpu.bandit import arm_of, new_bandit
from gpu.faco.cpu.state import new_workspace
from gpu.faco.parameters import FacoParameters
from gpu.faco.start import Followed, FollowedSource, improved_start
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import HEAVIEST, LIGHTEST
from gpu.tour_changes.parameters import require_symmetric


class FacoRule(TourRule):
    """Until its edges are new enough, each free candidate in proportion to τ·η^β.

    Draws are made by the compiled code of the colony. Where no candidate is free, it is the nearest
    free city: the backup list has the next ones by distance. Then the ant goes along the source, in
    the direction of its first step.

    Raises
    ------
    ParameterError
        If the instance is directed.
    """

    def __init__(self, instance: TspInstance, parameters: FacoParameters, seed: int) -> None:
        require_symmetric(instance)
        self._p = p = parameters
        super().__init__(instance, p.beta, p.candidates, seed)
        self._key = key_of(seed)
        self._workspace = new_workspace(instance.n, p.candidates)
        self._asked: tuple[TrailSource, int] | None = None  # whose source is known, and when
        self._followed: Followed
        self._place = np.empty(instance.n, np.int32)  # of each city in the source

    def choose(self, walk: Walk, trails: TrailSource) -> CityChoice:
        """Choose among the free candidates, or follow the source."""
        self._note_source(walk, trails)
        city, visited, n = walk.city, walk.tour, self.instance.n
        apart = np.abs(np.diff(self._place[visited]))
        made = int(np.count_nonzero((apart != 1) & (apart != n - 1)))
        bandit = new_bandit(self._followed.shares.size)._replace(shares=self._followed.shares)
        when = np.uint32(walk.iteration), walk.ant
        wanted = self._p.fewest_edges + arm_of(bandit, self._key, *when)
        tau, eta, near = trails.trails_from(city), self._heuristics(city), self._lists[city]
        weights = np.clip(tau * eta, LIGHTEST, HEAVIEST)
        cities = near[walk.unvisited[near]]
        drawn: dict[str, Any] = {"listed": len(near), "new_edges": (min(made, wanted), wanted)}
        if made >= wanted:
            outcome, chosen = CityDraw.FOLLOW, self._next_on_source(visited, walk.unvisited)
            cities = np.array([chosen], np.int32)
            shares = np.ones(1)
        elif cities.size == 0:
            cities = np.flatnonzero(walk.unvisited).astype(np.int32)
            away = self.instance.distances(np.array(city), cities)
            outcome, chosen = CityDraw.NEAREST, int(cities[away.argmin()])
            shares = weights[cities].astype(float)
        else:
            outcome, work = CityDraw.ROULETTE, self._workspace
            work.free[:] = -walk.unvisited.astype(np.int32)
            chosen = int(
                draw_once(near[None], weights[near][None], work, self._key, (*when, walk.step))
            )
            shares = work.parts[walk.unvisited[near]].astype(float)
            drawn["spin"] = int(work.words[walk.step & 3]) / 2**32
        seen: Any = map(frozen, (cities, tau[cities], eta[cities], weights[cities], shares))
        return CityChoice(outcome, chosen, *seen, **drawn)

    def _note_source(self, walk: Walk, trails: TrailSource) -> None:
        """Note what the iteration's ants leave: before there is a colony, its first tour."""
        if self._asked is not None and self._asked == (trails, walk.iteration):
            return
        if isinstance(trails, FollowedSource):
            self._followed = trails.followed()
        else:
            p, instance = self._p, self.instance
            tour = improved_start(instance, geometry_of(instance, p.beta), p.neighbours)
            arms = p.new_edges - p.fewest_edges + 1
            self._followed = Followed(tour, new_bandit(arms).shares)
        self._place[self._followed.tour] = np.arange(self.instance.n)
        self._asked = trails, walk.iteration

    def _next_on_source(self, visited: NDArray[np.int32], unvisited: NDArray[np.bool_]) -> int:
        """Return the first unvisited city of the source, seen from where the ant began."""
        tour, n = self._followed.tour, self.instance.n
        origin = int(self._place[visited[0]])
        before, after = int(tour[origin - 1]), int(tour[(origin + 1) % n])
        step = -1 if visited[1] == before and before != after else 1
        ahead = tour[(origin + step * np.arange(n)) % n]
        return int(ahead[unvisited[ahead].argmax()])

"""The MAX-MIN Ant System, equation by equation: the literal Ant System with another update."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import key_of, philox4x32
from gpu.max_min.parameters import MmasCpuParameters
from tests.gpu.construction.literal import AsLiteral

ITERATIONS_AND_PERIODS = ((25, 25), (75, 5), (125, 3), (250, 2))
"""Up to before so many iterations since trails began, the best so far deposits that seldom."""


FOR_DEPOSITS = 14  # what the words are drawn for that decide which tour deposits


@dataclass
class MmasLiteral(AsLiteral):
    """The MAX-MIN Ant System, to be compared with a colony after every iteration."""

    restarts: int = 0
    begun: int = 0
    improved: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        assert isinstance(self.p, MmasCpuParameters)
        self.q = self.p
        self.since: tuple[int, list[int], int] | None = None  # the best since trails began
        self.deposited: list[str] = []
        self.limits = self.limits_of(self.nearest_length)

    def limits_of(self, length: int) -> tuple[np.float32, np.float32]:
        most = self.nearest_length / max(length, 1)
        steady = self.q.p_best ** (1 / self.n)
        least = most * min(1.0, (1 - steady) / ((self.n / 2 - 1) * steady))
        return max(np.float32(least), np.float32(2.0**-60)), np.float32(most)

    def choice_info(self) -> NDArray[np.float32]:
        weighed = super().choice_info()
        if self.q.weights == "full":
            return weighed
        fraction, exponent = np.frexp(weighed)
        rounded = np.rint(fraction * np.float32(256)) / np.float32(256)
        return np.ldexp(rounded, exponent).astype(np.float32)

    def iterate(self) -> None:
        before = self.best_length if self.best_tour else None
        self.build()
        shortest = min(self.lengths)
        winner = self.routes[self.lengths.index(shortest)]
        self.iteration += 1
        if self.since is None or shortest < self.since[0]:
            self.since = shortest, winner, self.iteration
        better = before is None or shortest < before
        if better:
            self.best_length, self.best_tour = shortest, winner
            self.improved = self.iteration
            self.limits = self.limits_of(shortest)
        elif self.q.restart and self.begins_anew():
            self.trails[:] = self.limits[1]
            self.begun = self.iteration
            self.since = None
            self.restarts += 1
            return
        depositor = self.drawn() if self.q.deposit == "published" else ""
        self.deposited.append(depositor)
        if depositor == "best" or (not depositor and self.is_turn_of_best()):
            shortest, winner = self.best_length, self.best_tour
        elif depositor == "restart-best":
            shortest, winner, _ = self.since
        self.deposit(winner, shortest)

    def begins_anew(self) -> bool:
        if self.q.deposit != "published":
            waited = self.iteration - max(self.begun, self.improved) >= self.q.restart
            return waited and self.branching() <= 2.05
        # As the published program counts: from 0, and looks every tenth time.
        now, reset = self.iteration - 1, max(self.begun - 1, 0)
        assert self.since is not None
        found = self.since[2] - 1
        looks = now % 10 == 0 and now - found >= self.q.restart
        return looks and (not self.q.planned or now - reset <= self.q.planned - now)

    def drawn(self) -> str:
        words = philox4x32((0, 0, self.iteration - 1, FOR_DEPOSITS), key_of(self.seed))
        first, second = (int(word) >> 8 for word in words[:2])
        tenth = float(np.float32(0.1)) * 2**24
        return "own" if first < tenth else "best" if second < tenth else "restart-best"

    def is_turn_of_best(self) -> bool:
        if self.q.deposit != "schedule":
            return self.q.deposit == "global-best"
        since = self.iteration - self.begun
        period = next((period for end, period in ITERATIONS_AND_PERIODS if since < end), 1)
        return since % period == 0

    def branching(self) -> float:
        listed = max(self.p.candidates, min(32, self.n - 1))
        total = 0
        for u in range(self.n):
            near = sorted((int(self.d[u, v]), v) for v in range(self.n) if v != u)[:listed]
            trails = [self.trails[u, v] for _, v in near]
            bound = min(trails) + np.float32(0.05) * (max(trails) - min(trails))
            total += sum(bool(trail >= bound) for trail in trails)
        return total / self.n

    def deposit(self, tour: list[int], length: int) -> None:
        least, most = self.limits
        left = self.trails * np.float32(1 - self.p.rho)
        self.trails = np.minimum(np.maximum(left, least), most)
        amount = np.float32(self.p.rho * self.nearest_length / max(length, 1))
        for u, v in zip(tour, tour[1:] + tour[:1], strict=True):
            for a, b in [(u, v)] if self.instance.directed else [(u, v), (v, u)]:
                self.trails[a, b] = min(self.trails[a, b] + amount, most)

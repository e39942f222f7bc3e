"""What the ants of a gpx or a HEAD colony on a GPU do."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.gpx.parameters import BY_TRAILS, HEAD_KEEP, GpxGpuParameters, HeadGpuParameters
from gpu.gpx.rule import WHOLE_KEEP


@dataclass(frozen=True)
class SearchKinds:
    """What the ants of a colony do."""

    crossing: int  # ants that cross colorings
    optimizers: int  # behind these, conflict optimizers,
    partials: int  # ants that make partial tabu search,
    explorers: int  # and ants that make tabu search alone
    noise: int  # percent
    island: int  # of them that cross with each other, at least
    trails: bool  # whether trails say where vertices go that crossover leaves
    elites: bool  # whether pairs go back to the best coloring of an earlier cycle
    greedy_start: bool  # whether some begin with the greedy coloring
    explored: float  # share of the best number of colors with which explorers search
    patience: int  # generations
    cycle: int  # generations after which pairs go back
    keep: int  # share of every trail that remains each generation, in units of 2^-16

    @property
    def in_part(self) -> int:
        """How many ants have partial colorings."""
        return self.optimizers + self.partials

    @property
    def islands(self) -> int:
        """How many islands there are."""
        return max(1, self.crossing // self.island)


def kinds_of(parameters: GpxGpuParameters | HeadGpuParameters) -> SearchKinds:
    """Return what the ants do that have these parameters, which are resolved."""
    p = parameters
    assert p.ants is not None
    if isinstance(p, HeadGpuParameters):
        return SearchKinds(
            crossing=p.ants,
            optimizers=0,
            partials=0,
            explorers=0,
            noise=0,
            island=2,
            trails=False,
            elites=True,
            greedy_start=False,
            explored=1.0,
            patience=1,
            cycle=p.cycle,
            keep=round(HEAD_KEEP * WHOLE_KEEP),
        )
    assert p.explorers is not None
    assert p.optimizers is not None
    assert p.partials is not None
    return SearchKinds(
        crossing=p.ants - p.explorers - p.optimizers - p.partials,
        optimizers=p.optimizers,
        partials=p.partials,
        explorers=p.explorers,
        noise=p.noise,
        island=p.island,
        trails=p.left == BY_TRAILS,
        elites=False,
        greedy_start=True,
        explored=p.explored,
        patience=p.patience,
        cycle=1,
        keep=round(p.rho * WHOLE_KEEP),
    )

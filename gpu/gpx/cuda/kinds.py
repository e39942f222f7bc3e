"""What the ants of a gpx or a HEAD colony on a GPU do."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.gpx.parameters import BY_TRAILS, HEAD_KEEP, GpxGpuParameters, HeadGpuParameters


@dataclass(frozen=True)
class SearchKinds:
    """What the ants of a colony do."""

    crossing: int  # ants that cross colorings
    explorers: int  # behind these, ants that search with far fewer colors
    optimizers: int  # and ants that optimize partial colorings
    noise: int  # percent
    island: int  # of them that cross with each other
    trails: bool  # whether trails say where vertices go that crossover leaves
    elites: bool  # whether pairs go back to the best coloring of an earlier cycle
    greedy_start: bool  # whether some begin with the greedy coloring
    explored: float  # share of the best number of colors with which explorers search
    patience: int  # generations
    cycle: int  # generations after which pairs go back
    keep: float  # share of every trail that remains each generation

    @property
    def islands(self) -> int:
        """How many islands there are."""
        return max(1, -(-self.crossing // self.island))


def kinds_of(parameters: GpxGpuParameters | HeadGpuParameters) -> SearchKinds:
    """Return what the ants do that have these parameters, which are resolved."""
    p = parameters
    assert p.ants is not None
    if isinstance(p, HeadGpuParameters):
        return SearchKinds(p.ants, 0, 0, 0, 2, False, True, False, 1.0, 1, p.cycle, HEAD_KEEP)
    assert p.explorers is not None
    assert p.optimizers is not None
    return SearchKinds(
        crossing=p.ants - p.explorers - p.optimizers,
        explorers=p.explorers,
        optimizers=p.optimizers,
        noise=p.noise,
        island=p.island,
        trails=p.left == BY_TRAILS,
        elites=False,
        greedy_start=True,
        explored=p.explored,
        patience=p.patience,
        cycle=1,
        keep=p.rho,
    )

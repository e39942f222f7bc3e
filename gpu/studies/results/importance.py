"""How important each parameter of a study is: the share of the variance that it explains.

The runs of one colony are analysed by an analysis of variance. Its factors are the instance and the
parameters that have several values. The number of a run is its gap, less the mean gap on its
instance, over the standard deviation there, so that each instance counts as much. The share of a
parameter is the sum of squares between its values over the total one: the correlation ratio η². On
a full grid with equally many runs everywhere, it is exactly the main effect's share of the variance
that functional ANOVA (Hutter, Hoos and Leyton-Brown 2014) estimates by a forest where there is no
grid; there the shares of pairs, of higher interactions and of the seeds complete it to 1.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gpu.core.formats import percent
from gpu.core.tables import Column, value_order
from gpu.studies.results.pivot import StudyRun, shown_value

INSTANCE = "instance"
SEEDS = "seeds"
"""What differs between runs of one configuration on one instance."""
REST = "higher interactions"

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Importance:
    """What a parameter, a pair of factors, or the seeds explain of the results of a colony."""

    colony: str
    factors: tuple[str, ...]  # one parameter; two factors that interact; or SEEDS, or REST
    share: float  # of the variance, in [0, 1]
    p: float | None  # of the F-test against the seeds; None where there is none
    best: object = None  # the value with the lowest mean; of a parameter alone
    difference: float | None = None  # of the mean gaps of the worst and the best value, in %
    full_grid: bool = True  # else parameters may have changed together, and shares overlap

    @property
    def single(self) -> bool:
        """Whether it is a parameter's own effect."""
        return self.difference is not None

    @property
    def name(self) -> str:
        """What explains, in words."""
        return " × ".join(self.factors)


IMPORTANCE_COLUMNS: Sequence[Column[Importance]] = (
    Column("Colony", lambda one: one.colony),
    Column(
        "Explained by",
        lambda one: one.name,
        about="A parameter alone; two that interact; or what differs between seeds",
    ),
    Column(
        "Share",
        lambda one: 100 * one.share,
        percent,
        number=True,
        about="Of the variance of the gaps, each instance scaled to the same variance (η²)",
    ),
    Column(
        "p",
        lambda one: one.p,
        lambda p: "< 0.001" if p < 0.001 else f"{p:.3f}",
        number=True,
        about="Of the F-test: how likely such a share is if only the seeds differ",
    ),
    Column("Best value", lambda one: shown_value(one.best) if one.single else None),
    Column(
        "Worst − best",
        lambda one: one.difference,
        percent,
        number=True,
        about="Difference of the mean gaps of the worst and of the best value",
    ),
)


def importances(runs: Iterable[StudyRun]) -> tuple[Importance, ...]:
    """Return what explains the results of each colony that has a parameter with several values.

    The largest share comes first. Runs without a gap are left out, and so are instances on which
    all results are equal.
    """
    colonies: dict[str, list[StudyRun]] = defaultdict(list)
    for run in runs:
        if run.ended and run.gap is not None:
            colonies[run.row.colony].append(run)
    return tuple(
        one
        for colony, several in colonies.items()
        for one in sorted(_of_colony(colony, several), key=lambda one: -one.share)
    )


def _of_colony(colony: str, runs: Sequence[StudyRun]) -> Iterator[Importance]:
    runs, results = _scaled(runs)
    factors: dict[str, list[object]] = {
        name: values
        for name in dict.fromkeys(name for run in runs for name in run.row.parameters)
        if len(set(values := [run.row.parameters.get(name) for run in runs])) > 1
    }
    if not factors:
        return
    parameters = tuple(factors)
    instances = [run.row.instance for run in runs]
    if len(set(instances)) > 1:
        factors[INSTANCE] = [*instances]
    cells = Counter(zip(instances, *(factors[name] for name in parameters), strict=True))
    combined = np.prod([float(len(set(values))) for values in factors.values()])
    full = len(cells) == combined and len(set(cells.values())) == 1
    total = float(results @ results)
    within = total - _between(results, list(zip(*factors.values(), strict=True)))
    errors = len(runs) - len(cells)
    explained = 0.0

    def p_of(squares: float, freedom: int) -> float | None:
        from scipy import stats

        if not errors or within <= 1e-12 * total:
            return None
        return float(stats.f.sf((squares / freedom) / (within / errors), freedom, errors))

    gaps = np.array([run.gap for run in runs], np.float64)
    own = {name: _between(results, values) for name, values in factors.items()}
    for name in parameters:
        means = _means(gaps, factors[name])
        best = min(means, key=lambda value: (means[value], value_order(value)))
        yield Importance(
            *(colony, (name,), own[name] / total, p_of(own[name], len(means) - 1)),
            *(best, max(means.values()) - means[best], full),
        )
        explained += own[name]
    if not full:
        yield Importance(colony, (SEEDS,), max(0.0, within) / total, None, full_grid=False)
        return
    for one, other in combinations(factors, 2):
        both = list(zip(factors[one], factors[other], strict=True))
        squares = max(0.0, _between(results, both) - own[one] - own[other])
        freedom = (len(set(factors[one])) - 1) * (len(set(factors[other])) - 1)
        yield Importance(colony, (one, other), squares / total, p_of(squares, freedom))
        explained += squares
    yield Importance(colony, (SEEDS,), max(0.0, within) / total, None)
    if len(factors) > 2:
        rest = max(0.0, total - within - explained)
        yield Importance(colony, (REST,), rest / total, None)


def _scaled(runs: Sequence[StudyRun]) -> tuple[list[StudyRun], Numbers]:
    """Return the runs on instances where results differ, and their gaps, each instance scaled."""
    gaps: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        gaps[run.row.instance].append(run.gap or 0.0)
    spread = {name: float(np.std(values)) for name, values in gaps.items()}
    kept = [run for run in runs if spread[run.row.instance] > 0]
    scaled = [
        ((run.gap or 0.0) - float(np.mean(gaps[run.row.instance]))) / spread[run.row.instance]
        for run in kept
    ]
    return kept, np.array(scaled, np.float64)


def _between(results: Numbers, values: Sequence[object]) -> float:
    """Return the sum of squares between the groups of runs with equal ``values``."""
    groups: Mapping[object, list[int]] = _groups(values)
    return float(
        sum(len(places) * float(np.mean(results[places])) ** 2 for places in groups.values())
    )


def _means(gaps: Numbers, values: Sequence[object]) -> dict[object, float]:
    return {value: float(np.mean(gaps[places])) for value, places in _groups(values).items()}


def _groups(values: Sequence[object]) -> dict[object, list[int]]:
    groups: dict[object, list[int]] = defaultdict(list)
    for place, value in enumerate(values):
        groups[value].append(place)
    return groups

"""Compiled distances and weights against the vectorized ones, metric by metric."""

from typing import Any

import numpy as np
import pytest

from gpu.cpu.geometry import distance, geometry_of, weight
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import weights
from tests.gpu.cpu import makers
from tests.gpu.cpu.compiling import caller


@caller
def call_distances(geometry: Any, a: Any, b: Any, result: Any) -> Any:
    for i in range(a.size):
        result[i] = distance(geometry, a[i], b[i])


@caller
def call_weights(geometry: Any, lengths: Any, nearest: Any, result: Any) -> Any:
    for i in range(lengths.size):
        result[i] = weight(geometry, lengths[i], nearest[i])


def instance_of(metric: Metric, n: int = 400) -> TspInstance:
    rng = np.random.default_rng(list(Metric).index(metric))
    if metric is Metric.EXPLICIT:
        return makers.directed(n)
    if metric is Metric.GEO:  # DDD.MM, some places shared
        whole = rng.integers([-85, -175], [85, 175], (n, 2))
        return makers.points((whole + np.sign(whole) * rng.integers(0, 60, (n, 2)) / 100), metric)
    axes = 3 if metric in (Metric.EUC_3D, Metric.MAN_3D, Metric.MAX_3D) else 2
    if metric in (Metric.XRAY1, Metric.XRAY2):
        return makers.points(rng.random((n, 3)) * [360, 90, 180], metric)
    fine = rng.random((n // 2, axes)) * 3000
    coarse = rng.integers(0, 100, (n - n // 2, axes))
    return makers.points(np.concatenate((fine, coarse)), metric)


@pytest.mark.parametrize("metric", Metric)
def test_distances_are_the_same_integers(metric: Metric) -> None:
    instance = instance_of(metric)
    a, b = np.random.default_rng(1).integers(0, instance.n, (2, 50_000))
    result = np.empty(a.size, np.int64)
    call_distances(geometry_of(instance, 3.0), a, b, result)
    np.testing.assert_array_equal(result, instance.distances(a, b))


@pytest.mark.parametrize("beta", [0, 1, 2, 3, 5, 20])
def test_weights_are_the_same_floats(beta: int) -> None:
    rng = np.random.default_rng(beta)
    nearest = rng.integers(0, 1000, 20_000)
    lengths = nearest + rng.integers(0, 10_000, 20_000)
    result = np.empty(lengths.size, np.float32)
    call_weights(geometry_of(makers.uniform(5), beta), lengths, nearest, result)
    np.testing.assert_array_equal(result, weights(lengths, nearest, beta))


@pytest.mark.parametrize("beta", [0.5, 2.7])
def test_weights_of_a_fractional_power_differ_in_the_last_place_at_most(beta: float) -> None:
    rng = np.random.default_rng(1)
    nearest = rng.integers(1, 1000, 20_000)
    lengths = nearest + rng.integers(0, 10_000, 20_000)
    result = np.empty(lengths.size, np.float32)
    call_weights(geometry_of(makers.uniform(5), beta), lengths, nearest, result)
    np.testing.assert_array_max_ulp(result, weights(lengths, nearest, beta), 1)

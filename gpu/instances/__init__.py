"""Instances of every problem: files, distances, neighbours and the bundled examples."""

from gpu.instances.graph import GraphInstance
from gpu.instances.instance import Instance, Metric, TspInstance
from gpu.instances.loading import load_instance
from gpu.instances.problem import Problem
from gpu.instances.tours import load_tour, write_tour
from gpu.instances.tsplib import load

__all__ = [
    "GraphInstance",
    "Instance",
    "Metric",
    "Problem",
    "TspInstance",
    "load",
    "load_instance",
    "load_tour",
    "write_tour",
]

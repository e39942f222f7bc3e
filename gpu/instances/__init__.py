"""Travelling-salesman instances: files, distances, neighbours and the bundled examples."""

from gpu.instances.instance import Metric, TspInstance
from gpu.instances.tours import load_tour, write_tour
from gpu.instances.tsplib import load

__all__ = ["Metric", "TspInstance", "load", "load_tour", "write_tour"]

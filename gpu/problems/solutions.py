"""The one way from any file of a solution to the solution in it."""

from __future__ import annotations

from pathlib import Path

from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError, SolutionError
from gpu.core.instance import Instance, Solution
from gpu.problems.document import read_bytes
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.route_files import route_in
from gpu.problems.tsp.routes.route_instance import RouteInstance
from gpu.problems.tsp.tours import is_tour


def load_solution(instance: Instance, path: str | Path, data: bytes | None = None) -> Solution:
    """Load a solution of ``instance``, read-only, from the file at ``path``.

    Its ``data`` may be given. Of cities it may be a table, GPX, KML or GeoJSON, too, as this
    program exports routes; else it is what the instance itself reads. InstanceError if it cannot be
    read, or is no solution of this instance.
    """
    if not isinstance(instance, TspInstance):
        return instance.load_solution(path, data)
    path = Path(path)
    data = read_bytes(path) if data is None else data
    real = instance.base if isinstance(instance, RouteInstance) else None
    route = None if is_tour(path, data) else route_in(path, data, real or instance)
    if route is None:
        return instance.load_solution(path, data)
    if not isinstance(instance, RouteInstance):
        return frozen(route)
    try:
        return instance.tour_of(route)
    except SolutionError as error:
        raise InstanceError(f"{path}: {error}") from error

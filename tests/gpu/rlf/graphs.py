"""Small graphs of every kind, made here."""

import numpy as np

from gpu.problems.coloring.instance import GraphInstance, unique_edges


def graph(n: int, edges: list[tuple[int, int]], name: str = "graph") -> GraphInstance:
    return GraphInstance(name, "", n, unique_edges(edges))


def random_graph(n: int, share: float, seed: int = 0) -> GraphInstance:
    """G(n, p)."""
    random = np.random.default_rng(seed)
    pairs = [(u, v) for u in range(n) for v in range(u) if random.random() < share]
    return graph(n, pairs, f"random-{n}")


def complete(n: int) -> GraphInstance:
    return random_graph(n, 1)


def edgeless(n: int) -> GraphInstance:
    return graph(n, [])

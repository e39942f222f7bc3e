"""How many colors suffice, found quickly."""

from __future__ import annotations

import numpy as np

from gpu.problems.coloring.instance import GraphInstance


def greedy_colors(instance: GraphInstance) -> int:
    """Colors that suffice if each vertex gets the first free one, those of high degree first."""
    pairs = np.concatenate([instance.edges, instance.edges[:, ::-1]])
    neighbours = pairs[np.argsort(pairs[:, 0], kind="stable"), 1]
    ends = np.concatenate([[0], np.cumsum(instance.degrees, dtype=np.int64)])
    colors = np.full(instance.n, -1, np.int32)
    for vertex in np.argsort(-instance.degrees, kind="stable"):
        near = colors[neighbours[ends[vertex] : ends[vertex + 1]]]
        taken = np.zeros(len(near) + 1, np.bool_)
        taken[near[(near >= 0) & (near < len(taken))]] = True
        colors[vertex] = int(np.argmin(taken))
    return int(colors.max()) + 1

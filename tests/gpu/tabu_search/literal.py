"""Tabu search for a coloring, move by move: slow, plain, and sharing no code with the colonies."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpu.core.random import Purpose, key_of, philox4x32
from gpu.problems.coloring.instance import GraphInstance

WORD = 2**32


@dataclass
class TabuLiteral:
    """One search, from a coloring given as colors by vertex."""

    graph: GraphInstance
    seed: int
    number: int
    colors: list[int]
    count: int
    spread: int = 10
    time: int = 0
    fewest: int = 0
    kept: list[int] = field(default_factory=list)
    tabu: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.neighbours: list[set[int]] = [set() for _ in range(self.graph.n)]
        for u, v in self.graph.edges.tolist():
            self.neighbours[u].add(v)
            self.neighbours[v].add(u)

    def near(self, v: int, color: int) -> int:
        return sum(self.colors[u] == color for u in self.neighbours[v])

    def conflicts(self) -> int:
        return sum(self.colors[u] == self.colors[v] for u, v in self.graph.edges.tolist())

    def squeeze(self, target: int) -> None:
        """Take away the smallest classes one after the other; then color their vertices."""
        sizes = [self.colors.count(color) for color in range(self.count)]
        dropped = sorted(range(self.count), key=lambda color: (sizes[color], color))
        kept = sorted(dropped[self.count - target :])
        loose = [v for v, color in enumerate(self.colors) if color not in kept]
        self.colors = [kept.index(color) if color in kept else -1 for color in self.colors]
        for v in loose:
            near = [self.near(v, color) for color in range(target)]
            self.colors[v] = near.index(min(near))
        self.count = target
        self.tabu.clear()
        self.fewest = self.conflicts()

    def lot(self, v: int, color: int, salt: int) -> int:
        mixed = ((v << 16 | color) ^ salt) * 0x9E3779B1 % WORD
        return (mixed ^ mixed >> 15) * 0x85EBCA77 % WORD >> 16

    def move(self) -> None:
        words = philox4x32((self.time >> 2, self.number, 0, Purpose.TABU), key_of(self.seed))
        word = int(words[self.time & 3])
        before = self.conflicts()
        wrong = [v for v, color in enumerate(self.colors) if self.near(v, color)]
        moves = []
        for v in wrong:
            for color in range(self.count):
                if color == self.colors[v]:
                    continue
                gain = self.near(v, color) - self.near(v, self.colors[v])
                forbidden = self.time < self.tabu.get((v, color), 0)
                if not forbidden or before + gain < self.fewest:
                    moves.append((gain, self.lot(v, color, word), v, color))
        self.time += 1
        if not moves:
            return
        _, _, v, color = min(moves)
        tenure = word * self.spread // WORD + 3 * len(wrong) // 5
        self.tabu[v, self.colors[v]] = self.time + tenure
        self.colors[v] = color
        self.fewest = min(self.fewest, self.conflicts())

    def search(self, target: int, moves: int) -> None:
        """Squeeze the coloring to ``target`` colors if it has more; then make so many moves."""
        if self.count > target:
            self.squeeze(target)
        made = 0
        while True:
            while self.conflicts() and made < moves:
                self.move()
                made += 1
            if self.conflicts():
                return
            self.kept = list(self.colors)
            if self.count == 1:
                return
            self.squeeze(self.count - 1)

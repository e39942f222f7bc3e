"""A move of a tabu search, in words and as numbers."""

from __future__ import annotations

from gpu.core.decisions.tabu_move import TabuMove
from gpu.core.formats import number_of, whole
from gpu.core.words import counted


def sentence(move: TabuMove) -> str:
    """Say what the search does; numbers of vertices, colors and searches begin at 1."""
    wrong = counted(len(move.conflicts), "edge")
    are = "is" if len(move.conflicts) == 1 else "are"
    begin = (
        f"Search {move.search + 1}, move {move.step}: with {counted(move.count, 'color')}, {wrong} "
        f"{are} in conflict. "
    )
    if move.at < 0:
        return f"{begin}All its moves ({whole(move.considered)}) are tabu: it makes none."
    vertex = int(move.vertices[move.at])
    what = (
        f"vertex {vertex + 1} goes from color {move.colors[vertex] + 1} to "
        f"{move.targets[move.at] + 1}"
    )
    if move.aspired:
        wait = counted(int(move.waits[move.at]), "more move")
        return (
            f"{begin}Its best move is tabu for {wait}, and made nevertheless, as it leads to fewer "
            f"conflicts than ever before: {what}."
        )
    moves = number_of(move.considered, "move")
    return f"{begin}Of {moves} it makes the best one that is not tabu: {what}."


def formula(move: TabuMove) -> str:
    """Return how the move changes the number of conflicts."""
    least = f"fewest so far {move.fewest}"
    if move.at < 0:
        return least
    gain, before = int(move.gains[move.at]), len(move.conflicts)
    sign = "+" if gain > 0 else "−"
    step = f"{before} {sign} {abs(gain)} = {before + gain}" if gain else f"{before}, as before"
    return f"conflicts: {step};   {least}; of equal moves a random lot decides"

"""Write the bundled instances of every problem: ``python -m gpu.problems.generators DIR``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from gpu.problems.coloring.generators import GRAPH_RECIPES
from gpu.problems.tsp.generators import RECIPES, write


def generate(directory: Path) -> None:
    """Write all bundled instances, their provably optimal tours and their index."""
    directory.mkdir(parents=True, exist_ok=True)
    index = ["# Written by python -m gpu.problems.generators\n"]
    for recipe in RECIPES:
        size = [f"cities = {recipe.n}"]
        index += _row(recipe.name, recipe.kind, size, write(recipe, directory))
    for graph in GRAPH_RECIPES:
        made = graph.write(directory)
        size = [f"vertices = {made.n}", f"file = {json.dumps(graph.file)}"]
        index += _row(graph.name, graph.kind, size, made.optimum)
    (directory / "index.toml").write_text("\n".join(index), encoding="ascii", newline="\n")


def _row(name: str, kind: str, size: list[str], optimum: int | None) -> list[str]:
    named = ["[[instance]]", f"name = {json.dumps(name)}", f"kind = {json.dumps(kind)}"]
    return [*named, *size, *([] if optimum is None else [f"optimum = {optimum}"]), ""]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m gpu.problems.generators DIR")
    generate(Path(sys.argv[1]))

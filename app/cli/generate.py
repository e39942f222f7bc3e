"""The command that makes an instance of any size: generate."""

from __future__ import annotations

import secrets
from pathlib import Path

import click


@click.command()
@click.argument(
    "kind",
    type=click.Choice(["uniform", "clustered", "board", "ring", "map", "random", "geometric"]),
)
@click.argument("size", type=int)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seed", type=int, help="Decides the instance; drawn if not given.")
@click.option(
    "--density",
    type=float,
    help="Of a graph: the share of pairs that are edges; by default 0.5, or 0.1 if geometric.",
)
def generate(kind: str, size: int, file: Path, seed: int | None, density: float | None) -> None:
    """Write an instance of this SIZE to FILE: cities (TSPLIB), or a graph (DIMACS).

    Up to 2,000,000 cities are spread evenly over a square (uniform), gathered in clusters, the
    holes of a circuit board, on a ring, or the towns of a map. Up to 3,000 vertices are joined at
    random, or where they are close (geometric). A seed gives the same file on every machine.
    """
    from app.files.exports import write_whole
    from gpu.core.words import shown
    from gpu.problems.making import KINDS, Recipe, make
    from gpu.run.log.names import named

    seed = secrets.randbits(32) if seed is None else seed
    made = make(Recipe(kind, size, seed, density))
    write_whole(file, lambda part: made.write(part, named(file.stem)))
    about = f"{shown(str(file))}: {size:,} {KINDS[kind].problem.words.places}, seed {seed}"
    if made.about is not None:
        about += f"; the shortest tour has a length of about {made.about:,}"
    click.echo(about)

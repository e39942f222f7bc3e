"""The command that makes an instance of any size: generate."""

from __future__ import annotations

import secrets
from pathlib import Path

import click


@click.command()
@click.argument("kind", type=click.Choice(["uniform", "clustered", "board", "map"]))
@click.argument("cities", type=click.IntRange(10, 2_000_000))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--seed", type=int, help="Decides the cities; drawn if not given.")
def generate(kind: str, cities: int, file: Path, seed: int | None) -> None:
    """Write an instance of so many CITIES, up to 2,000,000, to FILE, a TSPLIB file.

    The cities are spread evenly over a square (uniform), gathered in clusters, the holes of a
    circuit board, or the towns of a map. A seed gives the same file on every machine.
    """
    from app.files.exports import write_whole
    from gpu.core.words import shown
    from gpu.problems.tsp.generators import write_random
    from gpu.run.recorder import named

    seed = secrets.randbits(32) if seed is None else seed
    lengths: list[int | None] = []

    def write(part: Path) -> None:
        lengths.append(write_random(part, named(file.stem), kind, cities, seed))

    write_whole(file, write)
    about = f"{shown(str(file))}: {cities:,} cities, seed {seed}"
    if lengths[0] is not None:
        about += f"; the shortest tour has a length of about {lengths[0]:,}"
    click.echo(about)

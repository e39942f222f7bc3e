from __future__ import annotations

import importlib.resources
import json
import tomllib
from pathlib import Path

from gpu.problems.tsp.metric import Metric
from gpu.problems.tsp.tsplib import load


def _table() -> dict[str, dict[str, int]]:
    resource = importlib.resources.files("resources") / "best_known.toml"
    return tomllib.loads(resource.read_text("utf-8"))


def test_rows_have_a_size_and_lengths_by_metric() -> None:
    table = _table()
    assert len(table) > 130
    for name, row in table.items():
        lengths = {key: value for key, value in row.items() if key != "dimension"}
        assert lengths, name
        assert all(Metric(key) and value > 0 for key, value in lengths.items()), name
        # TSPLIB's names have the number of cities, or of the arcs between depots.
        digits = int("".join(filter(str.isdigit, name)))
        extra = {"kro124p": -24, "mona-lisa100K": 99_900}.get(name, int(name.startswith("ftv")))
        assert row["dimension"] == digits + extra, name


def test_rows_equal_the_known_lengths(tsplib: Path) -> None:
    known = json.loads((tsplib.parent / "best_known.json").read_text())["tour_length"]
    table = _table()
    for path in tsplib.glob("*.tsp"):
        instance = load(path)
        row = table[path.stem]
        assert row["dimension"] == instance.n
        assert row[instance.metric] == known[path.stem]

"""Results of studies that were never made, and SQLite files as a stranger may make them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gpu.core.cost_curve import CostCurve
from gpu.papers.items import Item
from gpu.studies.cases import DONE, FAILED, CaseRow, StudyResults

HOST = {
    "version": "0.1.0",
    "commit": "0123abc",
    "device": "cpu:1",
    "model": "Imagined CPU",
    "versions": {"python": "3.11.0", "numpy": "2.0.0"},
}


def run(
    instance: str = "ring",
    label: str = "acs",
    seed: int = 1,
    best: int | None = 105,
    *,
    n: int = 50,
    optimum: int | None = 100,
    seconds: float = 2.0,
    first: int = 150,
    **others: Any,
) -> CaseRow:
    """Return a run that is done; its curve falls from ``first`` to ``best`` in four steps."""
    curve = None
    if best is not None:
        at = np.array([0.05, 0.2, 0.5, 0.9])
        costs = np.round(best + (first - best) * np.array([1.0, 0.4, 0.1, 0.0]))
        iterations = np.round(100 * at).astype(np.int64)
        curve = CostCurve(iterations, iterations * 10, seconds * at, costs)
    known = best is not None and optimum
    values: dict[str, Any] = {
        "instance": instance,
        "n": n,
        "optimum": optimum,
        "label": label,
        "colony": "acs",
        "parameters": {},
        "device": "cpu:1",
        "seed": seed,
        "batch": 1,
        "state": DONE,
        "error": "",
        "best": best,
        "gap_percent": 100 * (best - optimum) / optimum if known and best and optimum else None,
        "seconds": seconds,
        "iterations": 100,
        "solutions": 1000,
        "curve": curve,
        "host": HOST,
    }
    return CaseRow(**{**values, **others})


def failed(instance: str = "ring", label: str = "acs", seed: int = 1, error: str = "") -> CaseRow:
    """Return a run that failed."""
    return run(
        instance, label, seed, None, state=FAILED, error=error or "the device was lost", seconds=0.0
    )


def runs(instance: str, label: str, costs: Iterable[int], **others: Any) -> list[CaseRow]:
    """Return a run for each of ``costs``, with seeds from 1."""
    return [run(instance, label, seed, cost, **others) for seed, cost in enumerate(costs, 1)]


def study(
    rows: Sequence[CaseRow],
    planned: int | None = None,
    title: str = "A study",
    budget: Mapping[str, Any] | None = None,
) -> StudyResults:
    """Return a study with these runs."""
    return StudyResults(
        title=title,
        created="2026-01-02T03:04:05+00:00",
        planned=sum(row.batch == 1 for row in rows) if planned is None else planned,
        budget={"seconds": 2.0} if budget is None else budget,
        rows=tuple(rows),
        hosts=(HOST,),
    )


def item_of(text: str) -> Item:
    """Return the item of a paper that a file has."""
    return Item.from_toml("x/y", Path("x-y.toml"), text)


_MAGIC = bytes.fromhex("d9d505f920a163d7")
_SECTOR = 512


def hostile_journal(database: Path, victim: Path) -> None:
    """Write a journal beside ``database``, after whose use SQLite removes the file ``victim``."""
    data, name = database.read_bytes(), str(victim).encode()
    (page,) = struct.unpack(">H", data[16:18])
    head = _MAGIC + struct.pack(">5I", 0, 0, len(data) // page, _SECTOR, page)
    lock_page, checksum = 2**30 // page + 1, sum(name) % 2**32
    tail = struct.pack(">I", lock_page) + name + struct.pack(">2I", len(name), checksum) + _MAGIC
    database.with_name(f"{database.name}-journal").write_bytes(head.ljust(_SECTOR, b"\0") + tail)

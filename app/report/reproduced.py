"""The page of a table or figure of a paper that was reproduced."""

from __future__ import annotations

from pathlib import Path

from app.report.export import export_page
from app.report.page import Progress
from app.report.plot import Look
from gpu.batch.analysis import analyse
from gpu.batch.papers import Item, Readiness
from gpu.batch.reading import read_results


def make_page(
    item: Item,
    ready: Readiness,
    results: Path,
    told: Progress = lambda share, text: None,
) -> Path:
    """Make the page of the file ``results``, and return it; it lies beside that."""
    found = read_results(results)
    labels = {row.label for row in found.rows}
    page = results.with_suffix(".html")
    analysis = analyse(found, item.baseline if item.baseline in labels else "")
    export_page(page, analysis, Look(), told, item, {**ready.instances, **ready.colonies})
    return page

"""Writes a report, and its plots as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.files.writing import write_text, write_whole
from app.report.page import NOTHING_ABSENT, Progress, page
from app.report.plot import PLOT_FORMS, PlotLook, PrintPlot, rendered
from app.report.plots import all_plots
from app.report.tables import runs_csv, summary_csv
from gpu.papers.items import Item, Readiness
from gpu.studies.results.analysis import Analysis, analyse
from gpu.studies.store import read_results


def export_page(
    path: Path,
    analysis: Analysis,
    look: PlotLook,
    progress: Progress = lambda share, text: None,
    item: Item | None = None,
    absent: Mapping[str, str] = NOTHING_ABSENT,
) -> None:
    """Write the report, as :func:`app.report.page.page` makes it; raises ExportError."""
    text = page(analysis, look, progress, item, absent)
    write_text(path, text)


def export_plots(
    folder: Path,
    analysis: Analysis,
    look: PlotLook,
    progress: Progress = lambda share, text: None,
    forms: Sequence[str] = PLOT_FORMS,
) -> tuple[Path, ...]:
    """Write every plot in every form, and both tables; raises ExportError. Return the files."""
    written: list[Path] = []

    def write(name: str, content: bytes) -> None:
        _write(folder / name, content)
        written.append(folder / name)

    write("table-results.csv", summary_csv(analysis).encode())
    write("table-runs.csv", runs_csv(analysis).encode())
    plots = all_plots(analysis)
    for at, plot in enumerate(plots):
        progress(at / len(plots), plot.title)
        for form in forms:
            write(f"{plot.name}.{form}", rendered(plot, form, look))
    progress(1.0, "all plots are written")
    return tuple(written)


def export_plot(path: Path, plot: PrintPlot, form: str, look: PlotLook) -> None:
    """Write one plot in the ``form``, one of PLOT_FORMS; raises ExportError."""
    _write(path, rendered(plot, form, look))


def _write(path: Path, content: bytes) -> None:
    write_whole(path, lambda part: part.write_bytes(content))


def make_page(
    item: Item,
    ready: Readiness,
    results: Path,
    out: Path | None = None,
    told: Progress = lambda share, text: None,
) -> Path:
    """Make the page of the file ``results``, and return it; without ``out`` it lies beside that."""
    found = read_results(results)
    labels = {row.label for row in found.rows}
    page = out or results.with_suffix(".html")
    analysis = analyse(found, item.baseline if item.baseline in labels else "")
    export_page(page, analysis, PlotLook(), told, item, {**ready.instances, **ready.colonies})
    return page

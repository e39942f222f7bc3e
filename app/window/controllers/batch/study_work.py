"""What studies need of files, plans and plots; slow, so each function is for another thread."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage

from app.files.library import NotDownloadedError, find_path
from app.files.writing import write_text, write_whole
from gpu.core.colony import never
from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.files import exists
from gpu.core.formats import duration
from gpu.core.tables import Column, csv_of
from gpu.core.words import counted
from gpu.papers.items import RESULTS_KEPT, Item, find_item, items, name_of
from gpu.papers.verdicts import Judged, judged
from gpu.run.log.names import default_log_folder, free_path, named
from gpu.studies.cases import FAILED, RUNNING, WAITING, StudyResults
from gpu.studies.design import Design, DesignError, read_design
from gpu.studies.execution.local import LocalExecutor
from gpu.studies.measured_limit import limits_kept, with_measured_limits
from gpu.studies.measured_where import read_measured_where
from gpu.studies.plan import Plan, is_pattern, make_plan
from gpu.studies.results.importance import Importance, importances
from gpu.studies.results.pivot import runs_of
from gpu.studies.store import StoreError, read_design_text, read_ended, read_results
from gpu.studies.study import BY_LIMITS, ExpectedTime, expected_time
from views.widgets.values import ValueTable

if TYPE_CHECKING:
    from app.report.plot import PrintPlot
    from gpu.studies.results.analysis import Analysis

_DOTS_PER_CM = 38  # of the screen, at which the letters of a plot are about as large as others
_PLOT_SIDE_LEAST, _PLOT_SIDE_MOST = 4.0, 60.0  # centimetres of a side of a plot


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, and the time that it takes."""

    plan: Plan
    left: int  # runs that the file of results has no end of
    time: ExpectedTime | None  # of these; None: they have no limit of seconds, and were not tried

    @property
    def unknown(self) -> bool:
        """Whether short trials can tell how long it takes."""
        return self.time is None and self.left > 0


@dataclass(frozen=True, slots=True)
class Opened:
    """A design from a file, and the file of its results."""

    design: Design
    results: Path  # to which runs are added
    shown: Path | None  # the file whose results are to be in sight; None: there are none yet


@dataclass(frozen=True, slots=True, eq=False)
class StudyFindings:
    """The results of a study, and what can be drawn of them."""

    analysis: Analysis
    plots: dict[str, PrintPlot]  # by name
    left: int  # runs that are not done yet
    failed: int
    seconds: float = 0.0  # that all this took, but for imports
    importances: tuple[Importance, ...] = ()
    item: Item | None = None  # the table or figure of a paper that the study reproduces
    claims: tuple[Judged, ...] = ()  # what the paper says of it
    origin: str = ""  # on what the runs were made, and when


def studies_folder() -> Path:
    """Return where studies go for which the user has named no file."""
    return default_log_folder().parent / "studies"


def free_results(title: str) -> Path:
    """Return a file for results that is not there yet."""
    return free_path(studies_folder(), named(title), ".sqlite", ".toml")


def to_download(design: Design) -> tuple[str, ...]:
    """Return the names of the instances that can be downloaded, and are not here yet."""
    found = []
    for text in design.instances:
        try:
            find_path(text)
        except NotDownloadedError as error:
            found.append(error.name)
        except InstanceError:
            continue  # the plan says what is wrong with it
    return tuple(dict.fromkeys(found))


def planned(
    design: Design,
    processes: int | None,
    results: Path | None,
    *,
    trying: bool = False,
    cancelled: Callable[[], bool] = never,
    tell: Callable[[str], object] = lambda text: None,
) -> Planned:
    """Plan all runs; where no limit of seconds says how long they take, try them if ``trying``.

    Those that have ended in the file ``results``, if there is one, take no more time.
    """
    known = {}
    if design.measured_limit is not None and results is not None and exists(results):
        known = limits_kept(results, design.measured_limit)
    design = with_measured_limits(
        design, Path(), known=known, find=find_path, cancelled=cancelled, telling=tell
    )
    plan = make_plan(design, Path(), find=find_path)
    ended = _ended(results)
    left = [run for run in plan.cases if run.key not in ended]
    if not left or (not trying and any(run.budget.seconds is None for run in left)):
        return Planned(plan, len(left), None)
    executor = LocalExecutor(processes)
    executor.check(left)
    return Planned(plan, len(left), expected_time(left, executor, cancelled=cancelled, trying=tell))


def _ended(results: Path | None) -> set[str]:
    """Return the keys of the runs that need not be done; a file that is no study's has none."""
    if results is None or not exists(results):
        return set()
    try:
        return read_ended(results)
    except StoreError:  # the study says so at its start, if it still is
        return set()


def plan_text(found: Planned) -> str:
    """Say how many runs there are, and how long those take that are left."""
    cases = found.plan.cases
    parts = (
        (len({one.configuration.label for one in cases}), "configuration"),
        (len({one.instance.name for one in cases}), "instance"),
        (len({one.seed for one in cases}), "seed"),
    )
    product = " × ".join(counted(number, noun) for number, noun in parts)
    sizes = f"{counted(len(cases), 'run')}: {product}"
    if not found.left:
        return f"{sizes}; all have ended"
    if found.time is None:
        how_long = "how long it takes is not known yet"
    elif found.time.seconds is None:
        how_long = f"how long it takes is not known: {found.time.why or 'no limit says it'}"
    else:
        about = "at most" if found.time.basis == BY_LIMITS else "about"
        how_long = f"{about} {duration(found.time.seconds)}"
    rest = "" if found.left == len(cases) else f"{counted(found.left, 'run')} left; "
    return f"{sizes}; {rest}{how_long}"


def open_study(path: Path) -> Opened:
    """Read a design (TOML), or the file of results with the design in it.

    Raises
    ------
    FormicariumError
        If the file cannot be read, or is neither.
    """
    if path.suffix.lower() == ".toml":
        design, _ = read_design(path)
        results = path.with_suffix(".sqlite")
        return Opened(_absolute(design, path.parent), results, results if exists(results) else None)
    if is_kept(path):  # runs are not added to what the program comes with
        item = find_item(name_of(path))
        own = studies_folder() / path.name
        return Opened(_absolute(item.design, item.path.parent), own, path)
    text = read_design_text(path)
    try:
        design = Design.from_toml(text)
    except FormicariumError as error:
        raise DesignError(f"{path}: the design in it cannot be read: {error}") from error
    return Opened(_absolute(design, path.parent), path, path)


def is_kept(path: Path) -> bool:
    """Whether results are some of those that come with the program."""
    return path.parent == RESULTS_KEPT


def save_design(path: Path, design: Design) -> None:
    """Write a design; instances in the file's folder are named as seen from there."""
    folder = path.absolute().parent

    def seen(text: str) -> str:
        place = Path(text)
        return str(place.relative_to(folder)) if place.is_relative_to(folder) else text

    write_text(path, _with_paths(design, seen, seen).to_toml())


def write_design(design: Design, folder: Path, path: Path) -> Path:
    """Write a design whose paths begin in ``folder`` to ``path``, and return that."""
    save_design(path, _absolute(design, folder))
    return path


def find_results(path: Path) -> StudyFindings:
    """Read and analyse all results, whoever works on them."""
    from app.report.figures import first_plots  # matplotlib is slow to import
    from app.report.plots import all_plots

    began = time.monotonic()
    results = read_results(path)
    item = item_of(results)
    analysis = _analysis(results, item)
    states = [row.state for row in results.rows]
    left, failed = states.count(WAITING) + states.count(RUNNING), states.count(FAILED)
    if is_kept(path):
        left = failed = 0  # they are not to be gone on with
    figures = first_plots(item, analysis) if item else ()
    # A plot with nothing in it, such as of runs that reached a target where none did, is left out.
    plots = {plot.name: plot for plot in (*figures, *all_plots(analysis)) if plot.rows}
    claims = judged(item, analysis) if item else ()
    found = importances(runs_of(analysis))
    seconds = time.monotonic() - began
    origin = read_measured_where(path).text
    if is_kept(path):
        origin = f"These runs come with the program. {origin}"
    return StudyFindings(
        *(analysis, plots, left, failed, seconds, found),
        *(item, claims, origin),
    )


def item_of(results: StudyResults) -> Item | None:
    """Return the table or figure of a paper that a study reproduces, which its title says."""
    return next((one for one in items() if one.design.title == results.title), None)


def _analysis(results: StudyResults, item: Item | None) -> Analysis:
    from gpu.studies.results.analysis import analyse

    labels = {row.label for row in results.rows}
    return analyse(results, item.baseline if item and item.baseline in labels else "")


def drawn(
    plot: PrintPlot, size: QSize, dots: float, *, dark: bool
) -> tuple[QImage, Mapping[str, tuple[float, float]]]:
    """Return the picture of a plot for a place of this ``size``, with ``dots`` for each pixel.

    Beside it, where the points of single runs are, by their keys: shares of width and height.
    """
    from app.report.plot import DARK_PLOT, LIGHT_PLOT, PlotLook, rendered_with_points

    sides = size.width(), size.height()
    across, up = (
        min(max(side / _DOTS_PER_CM, _PLOT_SIDE_LEAST), _PLOT_SIDE_MOST) for side in sides
    )
    look = PlotLook(across, up, DARK_PLOT if dark else LIGHT_PLOT)
    aspect, smooth = Qt.AspectRatioMode, Qt.TransformationMode.SmoothTransformation
    content, points = rendered_with_points(plot, look)
    picture = QImage.fromData(content)
    return picture.scaled(size * dots, aspect.KeepAspectRatio, smooth), points


def table_of(plot: PrintPlot) -> ValueTable:
    """Return the numbers that a plot shows."""
    numbers = [
        at
        for at in range(len(plot.columns))
        if all(isinstance(row[at], int | float | None) for row in plot.rows)
    ]
    return ValueTable(plot.title, plot.columns, plot.rows, tuple(numbers))


def write_plot(path: Path, plot: PrintPlot, form: str, size: str, theme: str) -> None:
    """Write a plot as PNG, SVG, PDF or CSV, in a size and colours for print."""
    from app.report.plot import PlotLook, rendered

    content = rendered(plot, form, PlotLook.of(size, theme))
    write_whole(path, lambda part: part.write_bytes(content))


def write_table(path: Path, columns: Sequence[Column[Any]], rows: Sequence[Any]) -> None:
    """Write a table as it is shown as CSV, with numbers as programs read them."""
    plain = [
        Column[Any](one.title, one.order if one.number and one.order else one.value)
        for one in columns
    ]
    write_text(path, csv_of(plain, rows))


def write_report(
    path: Path, results: Path, size: str, theme: str, cancelled: Callable[[], bool] = never
) -> None:
    """Write the report of what is in the file ``results`` now.

    Raises
    ------
    FormicariumError
        If it cannot be written, would take the place of the results, or is ``cancelled``.
    """
    from app.report.export import export_page
    from app.report.plot import PlotLook

    look = PlotLook.of(size, theme)
    if exists(path) and path.samefile(results):
        raise FormicariumError(f"{path}: it holds the results; choose another file")

    def told(share: float, text: str) -> None:
        if cancelled():
            raise FormicariumError("The report was given up")

    found = read_results(results)
    item = item_of(found)
    export_page(path, _analysis(found, item), look, told, item)


def _absolute(design: Design, folder: Path) -> Design:
    """Return the design with paths that are the same from any folder.

    Links stay as they are: ``Path.resolve`` would follow them.
    """

    def absolute(text: str) -> str:
        return os.path.abspath(folder / text)  # noqa: PTH100

    def seen(text: str) -> str:  # names of bundled instances stay as they are
        return absolute(text) if is_pattern(text) or exists(folder / text) else text

    return _with_paths(design, seen, absolute)


def _with_paths(
    design: Design, instance: Callable[[str], str], start: Callable[[str], str]
) -> Design:
    """Return the design with other paths of its instances, and of tours to begin with."""
    return replace(
        design,
        instances=tuple(dict.fromkeys(map(instance, design.instances))),
        reading={instance(text): said for text, said in design.reading.items()},
        colonies=tuple(
            replace(one, start=start(one.start)) if one.start else one for one in design.colonies
        ),
    )

"""The studies of papers: what can run here, as studies of the window, and their pages."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices

from app.files import reproduction
from app.window.controllers.batch import study_work as work
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.errors import FormicariumError
from gpu.core.files import exists
from gpu.core.formats import duration
from gpu.core.machine.devices import survey
from gpu.core.words import counted
from gpu.papers.coverage import kept_coverage
from gpu.papers.items import Item, Readiness, find_item, items, readiness
from gpu.studies.measured_where import read_measured_where
from views.frame.banner import Offer
from views.gallery.papers_page import PaperRow

_RUNS = {"yes": "Runs here", "in part": "Runs in part", "no": "Cannot run here"}


class PapersController(Controller):
    """Lists the tables and figures of papers; opens their studies and pages."""

    study_chosen = Signal(object)  # path of a design, or of results, to be opened

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._page = self._window.gallery.papers
        self._listing: Task[list[PaperRow]] | None = None
        self._again = False  # whether something may have changed since the listing began
        self._page.shown.connect(self.refresh)
        self._page.open_wanted.connect(self._open)
        self._page.kept_wanted.connect(lambda name: self.study_chosen.emit(_kept(name)))
        self._page.page_wanted.connect(self._show_page)

    @Slot()
    def refresh(self) -> None:
        """Find out what can run here now."""
        self._again = self._listing is not None
        if self._again:
            return
        task = Task(lambda _: _rows(), self._page.show_rows, self._window.tell)
        task.ended.connect(self._listed)
        self._listing = self._background.start(task)

    @Slot()
    def _listed(self) -> None:
        self._listing = None
        if self._again:
            self.refresh()

    @Slot(str)
    def _open(self, name: str) -> None:
        task = Task(lambda _: _study(name), partial(self._opened, name), self._window.tell)
        self._background.start(task)

    def _opened(self, name: str, study: Path) -> None:
        """Have the study shown; where its GPU is missing, offer the runs that are there."""
        self.study_chosen.emit(study)
        card = self._page.cards.get(name)
        if card is not None and card.row.kept and card.row.needs_gpu:
            look = partial(self.study_chosen.emit, _kept(name))
            offer = Offer("Shipped results", card.row.kept, look)
            sentence = "A part of it needs a GPU, which is not here"
            self._window.tell(sentence, "info", stays=True, offers=[offer])

    @Slot(str)
    def _show_page(self, name: str) -> None:
        self._window.tell(f"Making the page of {name} …", "working")
        task = Task(lambda _: _made_page(name), self._made, self._window.tell)
        self._background.start(task)

    def _made(self, page: Path) -> None:
        if QDesktopServices.openUrl(QUrl.fromLocalFile(str(page))):
            self._window.tell_written(page)
        else:
            self._window.tell(f"{page} is written; open it in a browser", "info")


def _ready(item: Item) -> Readiness:
    cuda = any(device.kind == "cuda" for device in survey().devices)
    return readiness(item, partial(reproduction.find_in, None), cuda=cuda)


def _results(item: Item) -> Path:
    """Return where the results of an item lie that is run in the window."""
    return work.studies_folder() / f"{reproduction.results_name(item)}.sqlite"


def _rows() -> list[PaperRow]:
    return [_row(item) for item in items()]


def _row(item: Item) -> PaperRow:
    ready = _ready(item)
    found = reproduction.row_of(item, ready)
    runs = _RUNS[str(found["runs"])]
    done = exists(_results(item))
    opens = ready.design is not None or done
    return PaperRow(
        item.name,
        item.paper,
        item.item,
        f"{item.shows}.",
        runs,
        _why(item, ready),
        _time(found["seconds_at_most"], item),
        opens,
        done,
        _to_fetch(item, ready),
        _kept_runs(item),
        bool(reproduction.what_lacks(item, ready).colonies),
    )


def _kept_runs(item: Item) -> str:
    """Say how many runs come with the program."""
    found = kept_coverage(item)
    if found.missing == found.planned:
        return ""
    return f"Shipped runs: {found.text}. {read_measured_where(item.kept_results).text}."


def _kept(name: str) -> Path:
    """Return the file of the results that come with the program."""
    return find_item(name).kept_results


def _to_fetch(item: Item, ready: Readiness) -> tuple[str, ...]:
    """Return the instances that can be downloaded, if anything could run here with them."""
    if all(one.label in ready.colonies for one in item.design.colonies):
        return ()
    return reproduction.what_lacks(item, ready).published


def _why(item: Item, ready: Readiness) -> str:
    """Say what is left out, and why."""
    lacking = reproduction.what_lacks(item, ready)
    said = [f"Needs a GPU: {', '.join(lacking.colonies)}."] if lacking.colonies else []
    if lacking.published:
        said.append(f"To download: {', '.join(lacking.published)}.")
    if lacking.others:
        said.append(f"Not here, and not to download: {', '.join(lacking.others)}.")
    return " ".join(said)


def _time(limit: object, item: Item) -> str:
    """Say how long all runs take: at most, or on which hardware."""
    if isinstance(limit, float):
        return f"Takes at most {_long(limit)}."
    known = (
        (item.h100_hours, "takes about {} on an H100 or H200"),
        (item.hours, "took {} on the paper's"),
    )
    said = [text.format(_long(3600 * hours)) for hours, text in known if hours is not None]
    if not said:
        return "How long it takes is not known: the study can try it out."
    text = ", ".join(said)
    return f"{text[0].upper()}{text[1:]}{' hardware' if item.hours is not None else ''}."


def _long(seconds: float) -> str:
    """Return a time that may be hours; whole minutes, rounded up."""
    if seconds < 60:
        return duration(seconds)
    if seconds < 3600:
        return f"{math.ceil(seconds / 60)} min"
    return f"{counted(round(seconds / 3600), 'hour')}"


def _study(name: str) -> Path:
    """Return the file of the study: its results where there are some, else a new design."""
    item = find_item(name)
    results, ready = _results(item), _ready(item)
    if exists(results):
        return results
    if ready.design is None:
        raise FormicariumError(f"{name}: nothing of it can be run here")
    return work.write_design(ready.design, item.path.parent, results.with_suffix(".toml"))


def _made_page(name: str) -> Path:
    from app.report.export import make_page  # matplotlib is slow to import

    item = find_item(name)
    results = _results(item)
    if not exists(results):
        results.parent.mkdir(parents=True, exist_ok=True)
        return make_page(item, _ready(item), item.kept_results, results.with_suffix(".html"))
    return make_page(item, _ready(item), results)

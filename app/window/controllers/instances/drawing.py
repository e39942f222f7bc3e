"""The drawing board: what it takes in, and what becomes of a drawing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from app.files.own_instances import keep_drawing, save_drawing
from app.files.pictures import PICTURE_FORMATS, darkness_of
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.words import counted
from gpu.problems.document import read_bytes
from gpu.problems.tsp.drawing import DrawnPlaces, Pasted, cities_of, pasted, tabled
from views.draw.board import Board
from views.draw.drawing import DRAWN_MOST
from views.frame.dialogs import ask
from views.widgets.layers import Points

T = TypeVar("T")

_CLIPBOARD = "The clipboard"


class DrawingController(Controller):
    """Does the board's slow work in the background, one piece at a time."""

    solved = Signal(object)  # path of a drawing that the user wants to solve

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self.board: Board | None = None  # made when it is wanted
        self._task: Task[Any] | None = None
        self._window.actions_.connect({"draw": self.open})
        self._window.has_unsaved = lambda: self.board is not None and self.board.drawing.unsaved
        self._window.setup.instance.draw_requested.connect(self.open)
        self._instance.changed.connect(self._offer)  # one may still be read when the board opens

    @Slot()
    def open(self) -> None:
        """Show the board with the drawing as it was left."""
        board = self.board = self.board or self._made()
        board.apply_theme(self._window.theme)
        self._offer()
        board.open()

    @Slot()
    def _offer(self) -> None:
        """Offer to begin with the instance in sight."""
        if self.board is not None:
            instance = self._instance.value
            fits = (
                instance is not None
                and instance.n <= DRAWN_MOST
                and cities_of(instance) is not None
            )
            self.board.offer(instance.name if instance is not None and fits else "")

    def _made(self) -> Board:
        board = Board(self._window, self._window.theme)
        board.paste_requested.connect(self._paste)
        board.file_given.connect(self._take_file)
        board.begin_requested.connect(self._begin)
        board.trace_requested.connect(self._ask_for_picture)
        board.cancel_requested.connect(self._give_up)
        board.save_requested.connect(self._ask_where_to_save)
        board.solve_requested.connect(self._solve)
        return board

    @Slot(str)
    def _paste(self, text: str) -> None:
        board = self._shown()
        if not text.strip():
            board.tell("There is no text on the clipboard; copy lines of x and y first", "problem")
            return
        add = partial(self._add, _CLIPBOARD)
        self._work("Reading the clipboard …", lambda _: pasted(text), add)

    @Slot(object)
    def _take_file(self, path: Path) -> None:
        """Trace a picture, or add the places of a table or of an instance."""
        if path.suffix.lower().removeprefix(".") in PICTURE_FORMATS:
            self.trace(path)
        else:
            add = partial(self._add, path.name)
            self._work(f"Reading {path.name} …", lambda _: tabled(path, read_bytes(path)), add)

    def _add(self, what: str, found: Pasted) -> None:
        """Add the places in ``what``; ask first where degrees begin a drawing."""
        board, globe = self._shown(), found.globe
        if board.drawing.globe:
            if globe is None:
                board.tell(
                    f"The drawing is on the globe, but the numbers {_inside(what)} are no "
                    "latitudes and longitudes; clear the drawing first",
                    "problem",
                )
            else:
                self._take(globe, what)
        elif globe is None or not found.likely:
            self._take(found.plane, what)
        else:
            question, yes, no = _about_globe(found, what, len(board.drawing.points))
            take_globe = partial(self._take, globe, what)
            ask(board, question, yes, no, take_globe, partial(self._take, found.plane, what))

    def _take(self, places: DrawnPlaces, what: str, *, replace: bool = False) -> None:
        board = self._shown()
        if board.take(places.points, what, replace=replace, globe=places.globe) and places.note:
            board.tell(places.note)

    @Slot()
    def _begin(self) -> None:
        instance = self._instance.value
        if instance is None or (places := cities_of(instance)) is None:
            return
        board = self._shown()
        self._take(places, instance.name, replace=True)
        board.drawing.note_saved()
        board.name.setText(f"{instance.name}-drawn"[: board.name.maxLength()])

    @Slot()
    def _ask_for_picture(self) -> None:
        endings = " ".join(f"*.{form}" for form in PICTURE_FORMATS)
        title, filter_ = "Trace a picture", f"Pictures ({endings})"
        parent = self._shown()
        self._window.dialogs.ask_for_file(title, filter_, "picture-folder", self.trace, parent)

    def trace(self, path: Path) -> None:
        """Trace the picture at ``path`` into cities."""
        board = self._shown()
        form = board.trace
        n, seed, inverted = form.cities.value(), form.seed.value(), form.inverted.isChecked()

        def work(task: Task[Points]) -> Points:
            from gpu.problems.tsp.drawing import stipple  # slow to import

            def goes_on(share: float) -> bool:
                task.report(share, "")
                return not task.cancelled

            return stipple(darkness_of(path, inverted=inverted), n, seed, goes_on)

        def done(points: Points) -> None:
            board.take(points, path.name, replace=True)

        self._work(f"Tracing {path.name} …", work, done)

    @Slot()
    def _ask_where_to_save(self) -> None:
        board = self._shown()
        self._window.dialogs.ask_to_save_drawing(board, board.name.text(), self.save)

    def save(self, path: Path) -> None:
        """Write the drawing to ``path``."""
        board, drawing = self._shown(), self._shown().drawing
        write = partial(save_drawing, path, drawing.points, globe=drawing.globe)

        def done(_: object) -> None:
            drawing.note_saved()
            board.tell(f"{path.name} is written")

        self._work(f"Writing {path.name} …", lambda _: write(), done)

    @Slot()
    def _solve(self) -> None:
        board = self._shown()
        name, drawing = board.name.text().strip() or "drawing", board.drawing
        write = partial(keep_drawing, name, drawing.points, globe=drawing.globe)

        def done(path: Path) -> None:
            board.drawing.note_saved()
            board.accept()
            self.solved.emit(path)

        self._work("Writing the drawing …", lambda _: write(), done)

    @Slot()
    def _give_up(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self._shown().show_work("")
            self._shown().tell("Cancelled")

    def _shown(self) -> Board:
        assert self.board is not None
        return self.board

    def _work(self, what: str, work: Callable[[Task[T]], T], done: Callable[[T], object]) -> None:
        """Have ``work`` done unless something else is, and then call ``done`` with its result."""
        board = self._shown()
        if self._task is not None:
            return

        def end(result: T) -> None:
            self._task = None
            board.show_work("")
            board.tell("")
            done(result)

        def fail(sentence: str) -> None:
            self._task = None
            board.show_work("")
            board.tell(sentence, "problem")

        board.show_work(what)
        task = Task(work, end, fail, lambda share, _: board.show_work(what, share))
        self._task = task
        self._background.start(task)


def _inside(what: str) -> str:
    return "on the clipboard" if what == _CLIPBOARD else f"in {what}"


def _about_globe(found: Pasted, what: str, drawn: int) -> tuple[str, str, str]:
    """Return how to ask whether the places in ``what`` are to be on the globe, and both answers.

    So many cities are ``drawn`` already, in a plane.
    """
    if found.named:
        question = f"{what} has latitudes and longitudes. Shall the drawing be on the globe?"
        answers = "On the globe", "On a flat map, in metres"
    else:
        question = f"Are the numbers {_inside(what)} latitudes and longitudes?"
        answers = "Latitudes and longitudes", "Plain numbers"
    question += " Lengths on the globe are whole kilometres, by TSPLIB's rule GEO."
    if drawn:
        cities = counted(drawn, "city", f"{drawn:,}")
        question += f" On the globe they replace the drawing in a plane, which has {cities}."
    return question, *answers

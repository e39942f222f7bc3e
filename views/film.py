"""A film of a run: what is chosen for it, the stage that paints its frames, and its dialog."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QSize, Signal
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gpu.core.errors import FormicariumError
from gpu.core.formats import THIN, duration, whole
from gpu.core.instance import Instance
from gpu.core.problem import Problem
from gpu.core.snapshot import RunState
from views.frame.view_table import VIEWS
from views.graph.adjacency_view import AdjacencyView
from views.graph.class_colours import ClassColours
from views.graph.classes_view import ClassesView
from views.graph.graph_view import GraphView
from views.plots.convergence_view import ConvergenceView
from views.setup.fields import ChoiceBox
from views.tour.tour_view import TourView
from views.widgets.cached_picture import CachedPicture
from views.widgets.canvas_view import CanvasView
from views.widgets.controls import Chip, indented
from views.widgets.labels import ElidedLabel, make_label, set_role
from views.widgets.layouts import fill
from views.widgets.picture_export import controls_of, in_bands, make_due_layouts
from views.widgets.steps import Steps
from views.widgets.styling import palette_of
from views.widgets.theme import DARK, LIGHT
from views.widgets.view import View

FILM_FORMS = {".mp4": "MP4 film", ".gif": "GIF film", "": "folder of PNG pictures"}
LEAST_SIDE, MOST_SIDE = 160, 7680  # pixels along a side
LONGEST_FILM = 600.0  # seconds
MOST_FRAMES_A_SECOND = 60  # frames
MOST_FRAMES = 20_000


class FilmError(FormicariumError):
    """A film that cannot be made."""


def mp4_can_be_made() -> bool:
    """Whether what encodes an MP4 is installed: the extra ``film``."""
    return importlib.util.find_spec("imageio_ffmpeg") is not None


@dataclass(frozen=True, slots=True)
class FilmChoices:
    """A film; FilmError says what is wrong with it."""

    out: Path  # a file, or the folder for pictures if its name has no ending
    views: tuple[str, ...] = ()  # keys of one or two views; none for the map
    width: int = 640  # pixels
    height: int = 360
    seconds: float = 10.0
    a_second: int = 25  # frames
    dark: bool = True
    caption: bool = True
    ants: bool = False  # whether the ants of some iterations walk, instead of the whole run

    def __post_init__(self) -> None:
        if self.form not in FILM_FORMS:
            raise FilmError(
                f"{self.out}: a film is an .mp4 or a .gif; a name without an ending is a folder "
                "for PNG pictures"
            )
        for name, side in (("width", self.width), ("height", self.height)):
            if not LEAST_SIDE <= side <= MOST_SIDE:
                raise FilmError(f"the {name} of a film must be {LEAST_SIDE} to {MOST_SIDE} pixels")
        if self.form == ".mp4" and (self.width % 2 or self.height % 2):
            raise FilmError("width and height of an MP4 must be even numbers")
        if not 0 < self.seconds <= LONGEST_FILM:
            raise FilmError(f"a film lasts more than 0 and at most {LONGEST_FILM:g} seconds")
        if not 1 <= self.a_second <= MOST_FRAMES_A_SECOND:
            raise FilmError(f"a film has 1 to {MOST_FRAMES_A_SECOND} frames a second")
        if self.frames > MOST_FRAMES:
            raise FilmError(f"a film has at most {MOST_FRAMES} frames: make it shorter")
        if len(self.views) > 2 or len(set(self.views)) < len(self.views):
            raise FilmError("a film shows one view, or two different ones")

    @property
    def form(self) -> str:
        """The ending of the file's name, which decides the form."""
        return self.out.suffix.lower()

    @property
    def frames(self) -> int:
        """How many pictures it has."""
        return max(2, round(self.seconds * self.a_second))


_WALK_SECONDS = 2.5  # of a film, for the ants of one iteration


class WalkFrame(NamedTuple):
    """Where the ants of an iteration are in a frame."""

    before: RunState  # what they found
    after: RunState  # what became of it, with their walks
    walked: float  # share of their steps, in [0, 1]
    laid: float  # share in which their trails have been laid


class FilmedAnts(NamedTuple):
    """What a run has for a film of its ants."""

    iterations: int  # all that it made
    seconds: float  # that it took for them
    on: bool  # whether they are to be seen unasked


def walked_iterations(seconds: float, last: int) -> list[int]:
    """Return the iterations whose ants walk in a film: from the first one to the ``last``.

    Each is as many times later than the one before, because most changes at the beginning.
    """
    count = max(1, round(seconds / _WALK_SECONDS))
    shares = np.arange(count) / max(1, count - 1)
    return sorted({round(float(last) ** float(share)) for share in shares})


_USUAL_FRAME_HEIGHT = 640  # what a frame of this height shows is as large as in the window
_LEAST_SCALE = 0.75  # smaller type cannot be read


def filmed_views(problem: Problem) -> dict[str, str]:
    """Return keys and titles of the views that a film of ``problem`` can show."""
    return {
        row.view.key: row.view.title
        for row in VIEWS
        if problem in row.problems and (row.view.of_moment or row.view is ConvergenceView)
    }


class FilmStage(QWidget):
    """Paints the frames of one film. It is never on the screen."""

    def __init__(self, choices: FilmChoices, instance: Instance, class_colours: str = "") -> None:
        """Prepare a film of ``instance``; ``class_colours`` are those that the window has kept."""
        super().__init__()
        self._class_colours = class_colours
        there = filmed_views(instance.problem)
        keys = choices.views or (next(iter(there)),)
        for key in keys:
            if key not in there:
                raise FilmError(
                    f"a film of {instance.name} cannot show {key}: choose {', '.join(there)}"
                )
        if choices.ants and not {TourView.key, GraphView.key} & set(keys):
            raise FilmError(f"ants walk in the view {next(iter(there))} alone: choose it, too")
        self._theme = theme = DARK if choices.dark else LIGHT
        self._size = choices.width, choices.height
        self._scale = max(_LEAST_SCALE, choices.height / _USUAL_FRAME_HEIGHT)
        self.keys = list(keys)  # of the views
        self.views: list[View] = []  # made for the first frame
        self.caption = ElidedLabel("note")
        self.caption.setContentsMargins(8, 0, 8, 0)
        self.caption.setVisible(choices.caption)
        self._begun = False
        self._captions, self._ants = choices.caption, choices.ants
        self._walked: RunState | None = None  # after the iteration whose ants are at work
        self._instance = instance
        self._row = fill(QHBoxLayout(), spacing=0)
        fill(QVBoxLayout(self), (self._row, 1), self.caption, margins=(4, 4, 4, 8), spacing=2)
        self.setPalette(palette_of(theme))
        self.setAutoFillBackground(True)
        self.setFixedSize(*(math.ceil(side / self._scale) for side in self._size))

    def _make_views(self) -> Steps[None]:
        """Make the views one after the other: all at once would hold up the window."""
        ClassColours(self._class_colours).use(self._instance)
        kinds = {row.view.key: row.view for row in VIEWS}
        for key in self.keys:
            view = kinds[key]()
            self.views.append(view)
            self._row.addWidget(view, 1)
            yield
            view.apply_theme(self._theme)
            yield
            if isinstance(view, ClassesView):
                view.keep(self._class_colours)
            view.show_instance(self._instance)
            if self._ants and isinstance(view, TourView | GraphView):
                view.chips["walk"].setChecked(True)
                view.walking.be_filmed()
            _leave_out_controls(view, captions=self._captions)
            yield
        self.ensurePolished()
        self.grab(QRect(0, 0, 1, 1))  # makes all layouts
        yield
        for view in self.views:
            view.fit()
            yield

    def paint(
        self,
        instance: Instance,
        snapshot: RunState,
        caption: str,
        pictures: Mapping[str, Any],
        walk: WalkFrame | None = None,
    ) -> Steps[NDArray[np.uint8]]:
        """Make a frame, shape (height, width, 3): red, green and blue.

        ``instance`` is what was solved then. ``pictures`` has, by the key of a view of a graph,
        what was drawn for it elsewhere. In a film with ants, ``walk`` says where they are.
        """
        if not self.views:
            yield from self._make_views()
        self.caption.setText(caption)
        if instance is not self._instance:
            self._instance = instance
            for view in self.views:
                view.show_edited(instance)
                _leave_out_controls(view, captions=self._captions)
                view.fit()  # a city may have come from outside of the map
        for view in self.views:
            if walk is not None and isinstance(view, TourView | GraphView):
                self._let_walk(view, walk)
            else:
                view.take_in(snapshot)
            view.draw_all()
            yield
            if isinstance(view, GraphView) and view.key in pictures:
                view.show_drawing(pictures[view.key])
            elif isinstance(view, AdjacencyView) and view.key in pictures:
                view.show_picture(pictures[view.key])
        if not self._begun:  # axes find the room for their numbers as they are painted
            self._begun = True
            yield from self._render()
        make_due_layouts(self)
        return (yield from self._render())

    def _let_walk(self, view: TourView | GraphView, walk: WalkFrame) -> None:
        """Put the ants where they are in this frame; begin with those of another iteration."""
        if walk.after is not self._walked:
            self._walked = walk.after
            view.take_in(walk.before)
            view.take_in(walk.after)
        view.walking.bar.go_to(walk.walked, walk.laid)

    def _render(self) -> Steps[NDArray[np.uint8]]:
        """Paint a frame."""
        width, height = self._size
        kind = QImage.Format.Format_RGB888
        image = yield from in_bands(QSize(width, height), self._scale, self._paint, kind)
        found = np.frombuffer(image.constBits(), np.uint8).reshape(height, image.bytesPerLine())
        return found[:, : 3 * width].reshape(height, width, 3).copy()

    def _paint(self, painter: QPainter) -> None:
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing
        )
        painter.fillRect(self.rect().adjusted(-1, -1, 1, 1), self._theme.colour("panel"))
        with CachedPicture.exact():
            self.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)


def _leave_out_controls(view: View, *, captions: bool) -> None:
    """Hide what can be pressed; of the chips, those stay that say what is drawn."""
    if isinstance(view, CanvasView):
        view.caption.setVisible(captions)
    if isinstance(view, TourView | GraphView):
        view.walking.bar.hide()
    if isinstance(view, TourView):
        view.chips["latest"].setChecked(False)  # tours of each iteration are not recorded
        view.in_picture(on=True)
    for control in controls_of(view):
        control.hide()
    for chip in view.findChildren(Chip):
        chip.setStyleSheet("QToolButton { border: none; background: none }")


# Bytes of a pixel of a frame, the least and the most that films of a few runs had.
_BYTES = {".mp4": (0.002, 0.01), ".gif": (0.014, 0.04), "": (0.03, 0.2)}


def expected_size(choices: FilmChoices) -> str:
    """Return about how large a film will be, in MB: "0.1 to 0.6 MB"."""
    pixels = choices.frames * choices.width * choices.height
    least, most = (float(f"{share * pixels / 1e6:.1g}") for share in _BYTES[choices.form])
    return f"{max(0.1, least):g} to {max(0.1, most):g}{THIN}MB"


_FILM_SIZES = (640, 360), (1280, 720), (1920, 1080), (960, 540), (720, 720)
_NO_VIEW = "nothing"
_ROW_SPACING = 5  # pixels between two rows: a small screen has room for all of them


class FilmDialog(QDialog):
    """Form, size, length, theme and views of a film; then a bar that fills while it is made."""

    save_wanted = Signal(str, str)  # the user will choose a file: its ending, and words for it
    cancelled = Signal()  # the film that is being made is not wanted any more

    def __init__(
        self,
        parent: QWidget,
        problem: Problem,
        title: str,
        *,
        dark: bool,
        ants: FilmedAnts | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Film of the run")
        self._filmed = ants
        self.form = _box("Form", FILM_FORMS)
        self.form.setCurrentIndex([*FILM_FORMS].index(".mp4" if mp4_can_be_made() else ".gif"))
        self.size_ = _box("Size", {f"{w} × {h}": f"{w} × {h} pixels" for w, h in _FILM_SIZES})
        self.width_, self.height_ = (
            _number(f"{name} in pixels", LEAST_SIDE, MOST_SIDE, value, " px")
            for name, value in (("Width", _FILM_SIZES[0][0]), ("Height", _FILM_SIZES[0][1]))
        )
        self.seconds = _number("Length of the film", 1, round(LONGEST_FILM), 10, " s")
        self.a_second = _number("Frames a second", 1, MOST_FRAMES_A_SECOND, 25, " a second")
        self.theme = _box("Theme", {"dark": "Dark", "light": "Light"})
        self.theme.setCurrentIndex(0 if dark else 1)
        views = filmed_views(problem)
        self.left = _box("View", views)
        self.right = _box("Beside it", {_NO_VIEW: "Nothing", **views})
        self.caption = QCheckBox("Caption below the picture")
        self.caption.setChecked(True)
        self.ants = QCheckBox("Ants walk")
        self.ants.setChecked(ants is not None and ants.on)
        self.walked = make_label("note", wrap=True)  # which ants
        self.expected = make_label("note")
        self.expected.setAccessibleName("Expected size of the file")
        self.problem = make_label("note", title, wrap=True)
        self.progress = QProgressBar(maximum=1000, textVisible=False)
        self.progress.setAccessibleName("How much of the film is made")
        self.make = QPushButton("Make film…")
        self.make.setDefault(True)
        self.close_ = QPushButton("Close")
        form = QFormLayout()
        form.setVerticalSpacing(_ROW_SPACING)
        sides = fill(QHBoxLayout(), (self.width_, 1), (self.height_, 1), spacing=6)
        length = fill(QHBoxLayout(), (self.seconds, 1), (self.a_second, 1), spacing=6)
        for name, field in (
            ("&Form", self.form),
            ("&View", self.left),
            ("&Beside it", self.right),
            ("&Size", self.size_),
            ("", sides),
            ("&Length, frames", length),
            ("&Theme", self.theme),
            ("", self.caption),
        ):
            form.addRow(name, field)
        for part in (self.ants, self.walked):
            form.addRow("", part)
            form.setRowVisible(part, ants is not None)
        named = form.labelForField(length)
        assert isinstance(named, QLabel)
        named.setBuddy(self.seconds)  # its key leads there
        buttons = fill(QHBoxLayout(), (self.expected, 1), self.close_, self.make, spacing=8)
        parts = form, self.problem, self.progress, buttons
        fill(QVBoxLayout(self), *parts, margins=(16, 14, 16, 14), spacing=10)
        self.setMinimumWidth(380)
        self.making = False
        self.size_.activated.connect(self._choose_size)
        for box in (self.form, self.left, self.right):
            box.currentIndexChanged.connect(lambda _: self._expect())
        self.ants.toggled.connect(lambda _: self._expect())
        for number in (self.width_, self.height_, self.seconds, self.a_second):
            number.valueChanged.connect(lambda _: self._expect())
        self._expect()
        self.make.clicked.connect(self._ask)
        self.close_.clicked.connect(self.reject)
        self.show_making(making=False)

    def choices(self, out: Path) -> FilmChoices:
        """Return what is chosen, for the file ``out``; FilmError says what is wrong."""
        right = self.right.currentData()
        views = self.left.currentData(), *(() if right == _NO_VIEW else (right,))
        return FilmChoices(
            out,
            views,
            self.width_.value(),
            self.height_.value(),
            self.seconds.value(),
            self.a_second.value(),
            self.theme.currentData() == "dark",
            self.caption.isChecked(),
            self.ants.isChecked() and self.ants.isEnabled(),
        )

    def show_making(self, *, making: bool) -> None:
        """Show that the film is being made, or that another one can be asked for."""
        self.making = making
        self.make.setEnabled(not making)
        self.close_.setText("Cancel" if making else "Close")
        self.progress.setVisible(making)
        self.progress.setValue(0)
        if making:
            self.tell("The film is being made; the window can be used meanwhile")

    def show_progress(self, share: float, _: str) -> None:
        """Show how much is done."""
        self.progress.setValue(round(1000 * share))

    def tell(self, sentence: str, *, wrong: bool = False) -> None:
        """Show one sentence."""
        set_role(self.problem, "problem" if wrong else "note")
        self.problem.setText(sentence)

    def reject(self) -> None:
        """Give up the film that is being made; otherwise close."""
        if self.making:
            self.cancelled.emit()
        else:
            super().reject()

    def _ask(self) -> None:
        ending = self.form.currentData()
        try:
            self.choices(Path(f"film{ending}"))
        except FilmError as error:
            self.tell(str(error), wrong=True)
            return
        self.save_wanted.emit(ending, self.form.currentText())

    def _expect(self) -> None:
        """Say how large the file will be, or nothing where it is clear that there will be none."""
        self._say_which_ants()
        try:
            choices = self.choices(Path(f"film{self.form.currentData()}"))
        except FilmError:
            self.expected.setText("–")
        else:
            self.expected.setText(expected_size(choices))

    def _say_which_ants(self) -> None:
        """Say which ants walk, and how long it takes to have them do so once more."""
        if self._filmed is None:
            return
        shown = {self.left.currentData(), self.right.currentData()}
        self.ants.setEnabled(bool({TourView.key, GraphView.key} & shown))
        if not self.ants.isEnabled():
            self.walked.setText(f"They do so in the view {self.left.itemText(0)}")
            return
        iterations = walked_iterations(self.seconds.value(), self._filmed.iterations)
        text = f"Iteration {whole(iterations[0])}"
        if len(iterations) > 1:
            count, last = whole(len(iterations)), whole(iterations[-1])
            text = f"{count} iterations from {whole(iterations[0])} to {last}"
        text += ", made again"
        took = self._filmed.seconds * iterations[-1] / self._filmed.iterations
        if took >= 1:
            text += f" in about {f'{round(took)}{THIN}s' if took < 60 else duration(took)}"
        self.walked.setText(f"{text}, instead of the whole run")

    def _choose_size(self, place: int) -> None:
        for field, side in zip((self.width_, self.height_), _FILM_SIZES[place], strict=True):
            field.setValue(side)


def _box(name: str, texts: Mapping[str, str]) -> ChoiceBox:
    box = ChoiceBox(8, name)
    for key, text in texts.items():
        box.addItem(text, key)
    return box


def _number(name: str, least: int, most: int, value: int, suffix: str) -> QSpinBox:
    field = indented(QSpinBox())
    field.setRange(least, most)
    field.setValue(value)
    field.setSuffix(suffix)
    field.setAccessibleName(name)
    return field

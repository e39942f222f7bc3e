"""The dialog that asks for a film, and shows how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
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

from gpu.core.problem import Problem
from views.film.film_choices import (
    FORMS,
    LEAST,
    LONGEST,
    MOST,
    MOST_A_SECOND,
    FilmChoices,
    FilmError,
    mp4_can_be_made,
)
from views.film.film_stage import filmed_views
from views.widgets.controls import indented
from views.widgets.labels import make_label, set_role
from views.widgets.layouts import fill

_SIZES = (1280, 720), (1920, 1080), (960, 540), (720, 720)
_NOTHING = "nothing"
_SPACING = 5  # pixels between two rows: a small screen has room for all of them


class FilmDialog(QDialog):
    """Form, size, length, theme and views of a film; then a bar that fills while it is made."""

    save_wanted = Signal(str, str)  # the user will choose a file: its ending, and words for it
    cancelled = Signal()  # the film that is being made is not wanted any more

    def __init__(self, parent: QWidget, problem: Problem, title: str, *, dark: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle("Film of the run")
        self.form = _box("Form", FORMS)
        self.form.setCurrentIndex([*FORMS].index(".mp4" if mp4_can_be_made() else ".gif"))
        self.size_ = _box("Size", {f"{w} × {h}": f"{w} × {h} pixels" for w, h in _SIZES})
        self.width_, self.height_ = (
            _number(f"{name} in pixels", LEAST, MOST, value, " px")
            for name, value in (("Width", _SIZES[0][0]), ("Height", _SIZES[0][1]))
        )
        self.seconds = _number("Length of the film", 1, round(LONGEST), 10, " s")
        self.a_second = _number("Frames a second", 1, MOST_A_SECOND, 25, " a second")
        self.theme = _box("Theme", {"dark": "Dark", "light": "Light"})
        self.theme.setCurrentIndex(0 if dark else 1)
        views = filmed_views(problem)
        self.left = _box("View", views)
        self.right = _box("Beside it", {_NOTHING: "Nothing", **views})
        self.caption = QCheckBox("Say below what is seen")
        self.caption.setChecked(True)
        self.problem = make_label("note", title, wrap=True)
        self.progress = QProgressBar(maximum=1000, textVisible=False)
        self.progress.setAccessibleName("How much of the film is made")
        self.make = QPushButton("Make film…")
        self.make.setDefault(True)
        self.close_ = QPushButton("Close")
        form = QFormLayout()
        form.setVerticalSpacing(_SPACING)
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
        named = form.labelForField(length)
        assert isinstance(named, QLabel)
        named.setBuddy(self.seconds)  # its key leads there
        buttons = QHBoxLayout()
        buttons.addStretch()
        fill(buttons, self.close_, self.make, spacing=8)
        parts = form, self.problem, self.progress, buttons
        fill(QVBoxLayout(self), *parts, margins=(16, 14, 16, 14), spacing=10)
        self.setMinimumWidth(380)
        self.making = False
        self.size_.activated.connect(self._choose_size)
        self.make.clicked.connect(self._ask)
        self.close_.clicked.connect(self.reject)
        self.show_making(making=False)

    def choices(self, out: Path) -> FilmChoices:
        """Return what is chosen, for the file ``out``; FilmError says what is wrong."""
        right = self.right.currentData()
        views = self.left.currentData(), *(() if right == _NOTHING else (right,))
        return FilmChoices(
            out,
            views,
            self.width_.value(),
            self.height_.value(),
            self.seconds.value(),
            self.a_second.value(),
            self.theme.currentData() == "dark",
            self.caption.isChecked(),
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

    def _choose_size(self, place: int) -> None:
        for field, side in zip((self.width_, self.height_), _SIZES[place], strict=True):
            field.setValue(side)


def _box(name: str, texts: Mapping[str, str]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
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

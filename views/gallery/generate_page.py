"""Makes instances of any size, and shows each one as it is described."""

from __future__ import annotations

import math
import secrets
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gpu.core.words import shown
from gpu.problems.making import INSTANCE_KINDS, Recipe, most_density, usual_density
from views.setup.cards import Card
from views.setup.fields import ChoiceBox
from views.widgets.controls import indented, make_button
from views.widgets.labels import make_label, plain_tip, set_role
from views.widgets.layouts import fill
from views.widgets.theme import PaintedWidget, Theme, icon

_FORM_PANEL = 250  # pixels: width of the form
_PREVIEW_SOON = 60  # milliseconds without a change, after which the preview follows
_LARGEST_SEED = 2**31 - 1
_DENSITY_DIGITS = 5  # of a density in %, after the point
_LEAST_DENSITY, _MOST_DENSITY = 0.0001, 99.0  # %


class Preview(PaintedWidget):
    """The picture of what would be made."""

    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.picture: QImage | None = None
        self.setMinimumSize(160, 160)
        self.setAccessibleName("Preview")

    def show_picture(self, picture: QImage | None) -> None:
        """Show ``picture`` instead of the former one."""
        self.picture = picture
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture of the new size."""
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the picture in the middle, as large as there is room for."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(self._theme.colour("border"))
            painter.setBrush(self._theme.colour("field"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)
            if self.picture is not None:
                room = self.size()
                size = self.picture.size().scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
                corner = (room.width() - size.width()) / 2, (room.height() - size.height()) / 2
                painter.drawImage(QRectF(*corner, size.width(), size.height()), self.picture)


class DensityBox(QDoubleSpinBox):
    """An entry for a density in %: of a large graph it is small."""

    def __init__(self) -> None:
        super().__init__()
        self.setDecimals(_DENSITY_DIGITS)
        self.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.setSuffix(" %")
        self.setAccessibleName("Density: share of pairs that are joined")

    def textFromValue(self, value: float) -> str:
        """Return ``value`` without zeros at its end."""
        return f"{value:.{_DENSITY_DIGITS}f}".rstrip("0").rstrip(".")


class GeneratePage(QWidget):
    """A form, and the preview of what it describes."""

    preview_wanted = Signal(object, object)  # the Recipe, and the QSize of its picture
    open_wanted = Signal(object)  # the Recipe
    save_wanted = Signal(object)  # the Recipe

    def __init__(self) -> None:
        super().__init__()
        self.kind = ChoiceBox(12)
        self.kind.setAccessibleName("Kind of instance")
        self.size_label = make_label("note", "Cities")
        self.n, self.seed = (indented(QSpinBox()) for _ in range(2))
        self.density = indented(DensityBox())
        self._usual = 0.0  # density, of the chosen kind and size
        self.seed.setRange(0, _LARGEST_SEED)
        self.seed.setValue(1)
        self.n.setAccessibleName("Size")  # until a kind is chosen
        self.seed.setAccessibleName("Seed")
        self.density_label = make_label("note", "Density")
        self.dice = make_button("plain", tip="Draw another seed")
        self.text, self.state = make_label("note", wrap=True), make_label("note", wrap=True)
        self.open_button = make_button("start", "Open", "Keep it, and open it")
        self.save_button = make_button("", "Save as…", "Write it to a file of your choice")
        self.preview = Preview()
        self._soon = QTimer(self, singleShot=True, interval=_PREVIEW_SOON)
        self._soon.timeout.connect(self._ask)
        self._lay_out()
        self._connect()
        for kind in INSTANCE_KINDS.values():
            self.kind.addItem(kind.title, kind.name)

    @property
    def recipe(self) -> Recipe:
        """What the form describes."""
        kind = INSTANCE_KINDS[self.kind.currentData()]
        density = None if kind.density is None else self.density.value() / 100
        if density is not None:
            density = round(density, _DENSITY_DIGITS + 2)
        return Recipe(kind.name, self.n.value(), self.seed.value(), density)

    def show_preview(self, picture: QImage, text: str) -> None:
        """Show what would be made, with a sentence about it."""
        self.preview.show_picture(picture)
        self.tell(text)

    def tell(self, text: str, role: Literal["note", "problem"] = "note") -> None:
        """Show one sentence below the form."""
        set_role(self.state, role)
        self.state.setText(text)

    def ask_again(self) -> None:
        """Ask for the preview anew, as soon as nothing changes."""
        if self.isVisible():
            self._soon.start()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self.preview.apply_theme(theme)
        self.dice.setIcon(icon("dice", theme))
        self.ask_again()

    def showEvent(self, event: QShowEvent) -> None:
        """Show a preview at once."""
        super().showEvent(event)
        self.ask_again()

    def _lay_out(self) -> None:
        card = Card("WHAT TO MAKE", "begin#make-one")
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow(make_label("note", "Kind"), self.kind)
        form.addRow(self.size_label, self.n)
        form.addRow(make_label("note", "Seed"), fill(QHBoxLayout(), (self.seed, 1), self.dice))
        form.addRow(self.density_label, self.density)
        card.column.addLayout(form)
        card.column.addWidget(self.text)
        card.column.addWidget(self.state)
        buttons = fill(QHBoxLayout(), (self.save_button, 1), (self.open_button, 1), spacing=6)
        for button in (self.save_button, self.open_button, self.dice):
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for button in (self.save_button, self.open_button):
            policy = button.sizePolicy()
            policy.setHorizontalPolicy(policy.Policy.Expanding)
            button.setSizePolicy(policy)
        panel = QWidget()
        panel.setFixedWidth(_FORM_PANEL)
        fill(QVBoxLayout(panel), card, buttons, (QWidget(), 1), spacing=8)
        fill(QHBoxLayout(self), panel, (self.preview, 1), margins=(2, 2, 2, 6), spacing=8)

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._choose)
        self.n.valueChanged.connect(self._resized)
        for box in (self.seed, self.density):
            box.valueChanged.connect(self.ask_again)
        self.preview.resized.connect(self.ask_again)
        self.dice.clicked.connect(lambda: self.seed.setValue(secrets.randbelow(_LARGEST_SEED)))
        self.open_button.clicked.connect(lambda: self.open_wanted.emit(self.recipe))
        self.save_button.clicked.connect(lambda: self.save_wanted.emit(self.recipe))

    def _choose(self) -> None:
        """Offer what the chosen kind needs; the number stays if it is possible."""
        row = INSTANCE_KINDS[self.kind.currentData()]
        places = row.problem.words.places
        had = self.n.value() if self.n.maximum() == row.most else row.usual
        self.n.setRange(row.least, row.most)
        self.n.setValue(had)
        self.n.setAccessibleName(f"Number of {places}")
        self.n.setToolTip(plain_tip(f"{row.least:,} to {row.most:,} {places}"))
        self.size_label.setText(places.capitalize())
        self.text.setText(shown(row.text))
        for part in (self.density, self.density_label):
            part.setVisible(row.density is not None)
        self._resized()

    def _resized(self) -> None:
        """Offer the densities that can be made of this size; where another is usual, take that."""
        row, n = INSTANCE_KINDS[self.kind.currentData()], self.n.value()
        if row.density is not None:
            unit = 10**-_DENSITY_DIGITS
            most = math.floor(100 * most_density(n) / unit) * unit
            self.density.setRange(_LEAST_DENSITY, min(_MOST_DENSITY, most))
            usual = usual_density(row, n)
            if usual != self._usual:
                self._usual = usual
                self.density.setValue(100 * usual)
        self.ask_again()

    def _ask(self) -> None:
        size = self.preview.size().expandedTo(QSize(40, 40))
        self.preview_wanted.emit(self.recipe, size)

"""Asks how a picture of a view is to look, and shows it beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gpu.core.formats import whole
from views.frame.picture_look import (
    DPI_RANGE,
    PICTURE_FILTERS,
    PICTURE_SIZES,
    PICTURE_THEMES,
    PICTURE_UNITS,
    TYPE_RANGE,
    PictureLook,
)
from views.frame.settings import Settings
from views.setup.fields import ChoiceBox
from views.widgets.controls import indented
from views.widgets.labels import Label, make_label, set_role
from views.widgets.layouts import fill, put_in_order, resize_within_screen

_PREVIEW_AFTER = 150  # milliseconds after the last change until the picture is drawn
_LEAST_PREVIEW = QSize(240, 200)  # of the preview
_FORM_NAMES = {"png": "PNG, pixels", "svg": "SVG, lines and texts", "pdf": "PDF, lines and texts"}


class PictureDialog(QDialog):
    """Size, colours, type and format of a picture, with a preview."""

    preview_wanted = Signal()
    save_requested = Signal(str, str)  # key of the view, and a key of ``PICTURE_FILTERS``

    def __init__(self, parent: QWidget, settings: Settings) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setWindowTitle("Export picture")
        self.setMinimumSize(600, 360)
        resize_within_screen(self, 880, 560)
        self.views, self.unit = ChoiceBox(14), ChoiceBox(4)
        self.themes, self.form = ChoiceBox(8), ChoiceBox(14)
        self.width_box, self.height_box = (indented(QDoubleSpinBox()) for _ in range(2))
        self.dpi, self.points = indented(QSpinBox()), indented(QDoubleSpinBox())
        self.title, self.legend = QCheckBox("Title"), QCheckBox("Legend")
        # By the field of a PictureLook that each is for.
        self._choices = {"unit": self.unit, "theme": self.themes}
        self._numbers: dict[str, QSpinBox | QDoubleSpinBox] = {
            "width": self.width_box,
            "height": self.height_box,
            "dpi": self.dpi,
            "points": self.points,
        }
        self._switches = {"title": self.title, "legend": self.legend}
        self.facts = make_label("note", wrap=True)
        self.preview = Label(alignment=Qt.AlignmentFlag.AlignCenter)
        self.save_button, self.close_button = QPushButton("Save…"), QPushButton("Close")
        self._soon = QTimer(self, singleShot=True, interval=_PREVIEW_AFTER)
        self._soon.timeout.connect(self.preview_wanted)
        self._fill()
        self._lay_out()
        self.show_look(PictureLook.from_text(settings.get("picture", "")))
        kept = settings.get("picture-form", "png")
        self.form.setCurrentIndex(max(0, self.form.findData(kept)))
        self._connect()

    @property
    def key(self) -> str:
        """The key of the view."""
        return str(self.views.currentData() or "")

    @property
    def look(self) -> PictureLook:
        """What is chosen."""
        values: dict[str, Any] = {name: box.currentData() for name, box in self._choices.items()}
        values |= {name: box.value() for name, box in self._numbers.items()}
        values |= {name: switch.isChecked() for name, switch in self._switches.items()}
        return PictureLook(**values)

    @property
    def room(self) -> QSize:
        """How large the preview can be, in pixels of the screen."""
        return self.preview.size() * self.devicePixelRatioF()

    def offer(self, titles: Mapping[str, str], key: str) -> None:
        """Offer the views by key and title, and choose the view ``key``."""
        with QSignalBlocker(self.views):
            self.views.clear()
            for one, title in titles.items():
                self.views.addItem(title, one)
            self.views.setCurrentIndex(self.views.findData(key))
        self._changed()

    def show_look(self, look: PictureLook) -> None:
        """Show another choice."""
        for name, box in self._choices.items():
            with QSignalBlocker(box):
                box.setCurrentIndex(box.findData(getattr(look, name)))
        self._show_range(look)
        for name, number in self._numbers.items():
            with QSignalBlocker(number):
                number.setValue(getattr(look, name))
        for name, switch in self._switches.items():
            with QSignalBlocker(switch):
                switch.setChecked(getattr(look, name))

    def show_preview(self, image: QImage, points: float) -> None:
        """Show how the picture will look; its ordinary type is ``points`` large."""
        image.setDevicePixelRatio(self.devicePixelRatioF())
        self.preview.setPixmap(QPixmap.fromImage(image))
        look, pixels = self.look, self.look.pixels
        facts = f"{whole(pixels.width())} × {whole(pixels.height())} pixels as a PNG. "
        if points < look.points - 0.05:
            facts += (
                f"Type is {points:.1f} pt, because the view has more in it than fits at "
                f"{look.points:g} pt: make the picture larger, or the type smaller."
            )
        self._tell(facts, "note")

    def closeEvent(self, event: QCloseEvent) -> None:
        """Draw no more pictures."""
        self._soon.stop()
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw the preview in its new size."""
        super().resizeEvent(event)
        self._soon.start()

    def _fill(self) -> None:
        for name, text in PICTURE_THEMES.items():
            self.themes.addItem(text, name)
        for unit in PICTURE_UNITS:
            self.unit.addItem(unit, unit)
        for form in PICTURE_FILTERS:
            self.form.addItem(_FORM_NAMES[form], form)
        self.dpi.setRange(*DPI_RANGE)
        self.points.setRange(*TYPE_RANGE)
        self.points.setDecimals(1)
        self.points.setSuffix(" pt")
        self.dpi.setSuffix(" dpi")
        self.points.setSingleStep(0.5)
        self.title.setToolTip("A line with the view, the instance, the colony and the seed")
        self.legend.setToolTip("What the colours and the lines mean")
        self.dpi.setToolTip("Pixels of an inch, which is 2.54 cm")
        self.preview.setAccessibleName("Preview of the picture")
        self.preview.setMinimumSize(_LEAST_PREVIEW)
        self.save_button.setDefault(True)

    def _lay_out(self) -> None:
        form = QGridLayout()
        form.setColumnStretch(1, 1)
        size = fill(QHBoxLayout(), (self.width_box, 1), Label("×"), (self.height_box, 1), self.unit)
        rows: list[tuple[str, QWidget]] = [
            ("View", self.views),
            ("Resolution", self.dpi),
            ("Colours", self.themes),
            ("Type", self.points),
            ("Format", self.form),
        ]
        named = {self.width_box: "Width", self.height_box: "Height", self.unit: "Unit"}
        for widget, name in named.items():
            widget.setAccessibleName(name)
        for place, (text, widget) in enumerate(rows):
            row = place + (place > 0)  # the size comes second
            label = Label(text)
            label.setBuddy(widget)
            widget.setAccessibleName(text)
            form.addWidget(label, row, 0)
            form.addWidget(widget, row, 1)
        label = Label("Size")
        label.setBuddy(self.width_box)
        form.addWidget(label, 1, 0)
        form.addLayout(size, 1, 1)
        switches = fill(QHBoxLayout(), self.title, self.legend, spacing=14)
        switches.addStretch(1)
        form.addLayout(switches, len(rows) + 1, 1)
        buttons = fill(QHBoxLayout())
        buttons.addStretch(1)
        fill(buttons, self.close_button, self.save_button, spacing=8)
        left = QWidget()
        left.setFixedWidth(310)
        fill(QVBoxLayout(left), form, self.facts, spacing=12).addStretch(1)
        across = fill(QHBoxLayout(), left, (self.preview, 1), spacing=14)
        fill(QVBoxLayout(self), (across, 1), buttons, margins=(14, 14, 14, 14), spacing=12)
        order = [self.views, self.width_box, self.height_box, self.unit, self.dpi, self.themes]
        order += [self.points, self.form, self.title, self.legend, self.close_button]
        put_in_order(*order, self.save_button)

    def _connect(self) -> None:
        for box in self._numbers.values():
            box.valueChanged.connect(lambda _: self._changed())
        for choice in (self.views, self.themes, self.form):
            choice.currentIndexChanged.connect(lambda _: self._changed())
        for switch in self._switches.values():
            switch.toggled.connect(lambda _: self._changed())
        self.unit.currentIndexChanged.connect(lambda _: self._change_unit())
        self.close_button.clicked.connect(self.reject)
        self.save_button.clicked.connect(self._save)

    def _change_unit(self) -> None:
        """Keep the size on paper."""
        unit = self.unit.currentData()
        self.show_look(replace(self.look, unit="px" if unit == "cm" else "cm").in_unit(unit))
        self._changed()

    def _show_range(self, look: PictureLook) -> None:
        """Let the size be typed in its unit."""
        for box in (self.width_box, self.height_box):
            with QSignalBlocker(box):
                box.setDecimals(1 if look.unit == "cm" else 0)
                box.setRange(*PICTURE_SIZES[look.unit])
                box.setSingleStep(0.5 if look.unit == "cm" else 10)

    def _changed(self) -> None:
        """Keep what is chosen, and draw it soon, or say why that cannot be drawn."""
        look = self.look
        self.save_button.setEnabled(not look.problem)
        if look.problem:
            self._soon.stop()
            self._tell(look.problem, "problem")
            return
        values = {"picture": look.to_text(), "picture-form": str(self.form.currentData())}
        self._settings.put(values)
        self._soon.start()

    def _tell(self, text: str, role: str) -> None:
        self.facts.setText(text)
        set_role(self.facts, role)

    def _save(self) -> None:
        self.save_requested.emit(self.key, self.form.currentData())

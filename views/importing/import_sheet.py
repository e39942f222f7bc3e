"""Shows what a file is taken for, and lets the user change it; what he sees follows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from operator import itemgetter
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gpu.core.tables import Column
from gpu.problems.preview import FilePreview
from gpu.problems.reading import AS_FOUND, SEPARATOR_NAMES, Doubt, FileKind, ReadAs
from views.reading_words import (
    COORDINATE_NAMES,
    HEADER_NAMES,
    KIND_NAMES,
    READING_TITLES,
    in_window,
)
from views.setup.fields import ChoiceBox, TypingBox
from views.widgets.controls import make_button
from views.widgets.labels import Label, make_label, plain_tip, set_role
from views.widgets.layouts import fill, resize_within_screen, scrolled
from views.widgets.table import ColumnTable, TableModel
from views.widgets.theme import Theme

_CHANGE_AFTER = 250  # milliseconds after the last letter of an entry until the file is read anew
_LEAST_PICTURE = QSize(150, 110)
_LONGEST_UNIT = 40
_UNITS = ("min", "h", "s", "km", "m", "miles")  # that can be chosen; any other can be typed
_LONGEST_NAME = 28  # characters of the name of a column in a list

_DECIMAL_SIGNS = {".": "Point", ",": "Comma"}
_ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Windows, Western",
    "cp1250": "Windows, Central European",
    "cp1251": "Windows, Cyrillic",
    "iso8859-1": "ISO 8859-1",
    "cp437": "DOS",
    "mac-roman": "Mac OS Roman",
    "gb18030": "Chinese (GB 18030)",
    "shift_jis": "Japanese (Shift JIS)",
    "euc_kr": "Korean (EUC-KR)",
}
_TIPS = {
    "kind": "What the file has in it",
    "coordinates": "What the two coordinates of each place are",
    "unit": "What distances count in, as you call it: min, km",
    "header": "Whether the first row has the names of the columns",
    "separator": "What separates columns",
    "decimal": "What stands before the decimals of a number",
    "encoding": "How letters are written in the file",
    "sheet": "Which sheet of the spreadsheet counts",
}
_AUTOMATIC = "Automatic"


class _Picture(Label):
    """A picture that is drawn anew for each size."""

    resized = Signal()

    def __init__(self) -> None:
        super().__init__(alignment=Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMinimumSize(_LEAST_PICTURE)
        self.setAccessibleName("What is read, as a map or a matrix")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have it drawn anew."""
        super().resizeEvent(event)
        self.resized.emit()


class ImportSheet(QDialog):
    """First rows, choices and a picture of one file. ``changed`` has what the user says of it."""

    changed = Signal(object)  # a ReadAs: read the file so, and show what becomes of it
    resized = Signal()  # the picture has another size

    def __init__(self, parent: QWidget, name: str, theme: Theme) -> None:
        super().__init__(parent)
        self.setObjectName("import")
        self.setWindowTitle(f"Open {name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumSize(520, 330)
        self.read_as = AS_FOUND
        self._preview: FilePreview | None = None
        self._doubt: Doubt | None = None
        self._found = AS_FOUND  # how the file is read now
        self._unit = ""  # of what is read
        self.choices: dict[str, QComboBox] = {}
        self.units = TypingBox(10, "Unit", _TIPS["unit"], _AUTOMATIC)
        self.units.line.setMaxLength(_LONGEST_UNIT)
        # Columns of x, y and names.
        x, y, names = (ChoiceBox(10, f"Column of {role}") for role in ("x", "y", "names"))
        self.columns = x, y, names
        self._column_labels = make_label(""), make_label(""), make_label("", "Name")
        self._rows: dict[str, tuple[QWidget, ...]] = {}
        self.question = make_label("", wrap=True)
        self.answers = make_button("segment"), make_button("segment")
        self._asked = QFrame()
        self._asked.setProperty("role", "banner")
        self._asked.setProperty("severity", "warning")
        self._asked.hide()  # until something is in doubt
        self.seen = make_label("note", wrap=True)
        self.bar = QProgressBar(maximum=0, textVisible=False)
        self.bar.setAccessibleName("The file is being read")
        self.picture = _Picture()
        self.table: ColumnTable[tuple[int, Sequence[str]]] = ColumnTable(
            "First rows", TableModel(itemgetter(0), unknown="")
        )
        self.table.setSortingEnabled(False)
        self.table.horizontalHeader().setSectionsClickable(False)
        self.table.horizontalHeader().setToolTip("What each column is taken for")
        self.open_button, self.cancel_button = QPushButton("Open"), QPushButton("Cancel")
        self._soon = QTimer(self, singleShot=True, interval=_CHANGE_AFTER)
        self._soon.timeout.connect(self._say)
        self._make_fields()
        self._lay_out()
        self._connect()
        self.table.apply_theme(theme)
        resize_within_screen(self, min(980, parent.width() - 40), min(640, parent.height() - 40))
        self.show_working()

    @property
    def picture_size(self) -> QSize:
        """How large the picture can be, in pixels of the window."""
        return self.picture.contentsRect().size().expandedTo(QSize(40, 40))

    def show_working(self) -> None:
        """Say that the file is being read: it cannot be opened meanwhile."""
        self.bar.setVisible(True)
        self.open_button.setEnabled(False)

    def show_preview(
        self,
        preview: FilePreview,
        found: ReadAs,
        told: str,
        problem: str,
        doubt: Doubt | None,
        unit: str = "",
    ) -> None:
        """Show how the file is read, as was ``found``, and what came of it, or the ``problem``.

        ``unit`` is that of the distances.
        """
        self._preview, self._found, self._doubt, self._unit = preview, found, doubt, unit
        self.bar.setVisible(False)
        self.open_button.setEnabled(not problem)
        set_role(self.seen, "problem" if problem else "note")
        self.seen.setText(in_window(problem or told))
        self._show_question()
        self._show_choices()
        self._show_rows()

    def show_picture(self, image: QImage | None) -> None:
        """Show the map or the matrix; nothing if the file cannot be read."""
        if image is None:
            self.picture.clear()
        else:
            self.picture.setPixmap(QPixmap.fromImage(image))

    def _make_fields(self) -> None:
        for name in READING_TITLES:
            if name in ("columns", "unit"):
                continue
            box = self.choices[name] = ChoiceBox(12)
            box.setAccessibleName(READING_TITLES[name])
            box.setToolTip(plain_tip(_TIPS[name]))

    def _lay_out(self) -> None:
        form = QWidget()
        grid = QGridLayout(form)
        grid.setContentsMargins(0, 0, 6, 0)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        at = 0
        for name, title in READING_TITLES.items():
            if name == "columns":
                for label, box in zip(self._column_labels, self.columns, strict=True):
                    grid.addWidget(label, at, 0)
                    grid.addWidget(box, at, 1)
                    label.setBuddy(box)
                    at += 1
                self._rows[name] = (*self._column_labels, *self.columns)
                continue
            label, entry = (
                make_label("", title),
                self.units if name == "unit" else self.choices[name],
            )
            label.setBuddy(entry)
            grid.addWidget(label, at, 0)
            grid.addWidget(entry, at, 1)
            self._rows[name] = label, entry
            at += 1
        grid.setRowStretch(at, 1)
        answers = fill(QHBoxLayout(), *self.answers, (QWidget(), 1), spacing=6)
        fill(QVBoxLayout(self._asked), self.question, answers, margins=(10, 6, 10, 8), spacing=6)
        upper = QWidget()
        self._form = scrolled(form)
        self._form.setMinimumWidth(form.sizeHint().width() + 14)
        card = QFrame()
        card.setProperty("role", "card")
        fill(QVBoxLayout(card), self.picture, margins=(2, 2, 2, 2))
        fill(QHBoxLayout(upper), (self._form, 2), (card, 3), spacing=10)
        self._split = QSplitter(Qt.Orientation.Vertical, handleWidth=8, childrenCollapsible=False)
        self._split.addWidget(upper)
        self._split.addWidget(self.table)
        self._split.setStretchFactor(0, 3)
        self._split.setStretchFactor(1, 2)
        self.table.setMinimumHeight(64)
        buttons = fill(
            QHBoxLayout(), (self.bar, 1), (QWidget(), 1), self.cancel_button, self.open_button
        )
        parts = self._asked, (self._split, 1), self.seen, buttons
        fill(QVBoxLayout(self), *parts, margins=(12, 12, 12, 12), spacing=8)

    def _connect(self) -> None:
        for name, box in self.choices.items():
            box.activated.connect(partial(self._chosen, name))
        for box in self.columns:
            box.activated.connect(self._columns_chosen)
        self.units.line.textEdited.connect(lambda _: self._soon.start())
        self.units.said.connect(self._say)
        for place, button in enumerate(self.answers):
            button.clicked.connect(partial(self._answer, place))
        self.open_button.clicked.connect(self.accept)
        self.cancel_button.clicked.connect(self.reject)
        self.open_button.setDefault(True)
        self.picture.resized.connect(self.resized)

    def _chosen(self, name: str, _: int) -> None:
        value: Any = self.choices[name].currentData()
        if name == "kind":
            value = FileKind(value) if value else None
            if value is not self.read_as.kind:  # columns mean something else
                self.read_as = replace(self.read_as, columns="", coordinates="")
        self.read_as = replace(self.read_as, **{name: value})
        self._say()

    def _columns_chosen(self, _: int) -> None:
        """Say all columns as soon as one is chosen: those that were found count beside it."""
        preview = self._preview
        assert preview is not None
        found = [
            next((str(at + 1) for at, one in enumerate(preview.roles) if one == role), "")
            for role in self._column_roles
        ]
        chosen = [str(box.currentData() or "") for box in self.columns]
        said = [one or other for one, other in zip(chosen, found, strict=True)]
        if not any(chosen):
            columns = ""
        elif all(said[:2]):
            columns = ",".join(said if chosen[2] else said[:2])
        else:
            return  # another one must be chosen first
        self.read_as = replace(self.read_as, columns=columns)
        self._say()

    @property
    def _column_roles(self) -> Sequence[str]:
        """What the three columns are called."""
        assert self._preview is not None
        globe = "latitude" in self._preview.roles
        return ("latitude", "longitude", "name") if globe else ("x", "y", "name")

    def _answer(self, place: int, _: bool = False) -> None:
        if self._doubt is not None:
            answer = ReadAs.parse((self._doubt.taken, self._doubt.other)[place][1])
            said = {
                one.name: value for one in fields(answer) if (value := getattr(answer, one.name))
            }
            self.read_as = replace(self.read_as, **said)
            self._say()

    def _say(self) -> None:
        """Have the file read anew."""
        self._soon.stop()
        self.read_as = replace(self.read_as, unit=self.units.text)
        self.show_working()
        self.changed.emit(self.read_as)

    def _show_question(self) -> None:
        doubt = self._doubt
        self._asked.setVisible(doubt is not None)
        if doubt is not None:
            self.question.setText(doubt.question)
            for button, (text, _) in zip(self.answers, (doubt.taken, doubt.other), strict=True):
                button.setText(text)

    def _show_choices(self) -> None:
        preview, said = self._preview, self.read_as
        assert preview is not None
        kind = said.kind or self._found.kind or preview.kind
        shown = set(preview.settings)
        if kind not in (None, FileKind.PLACES):
            shown -= {"coordinates", "columns"}
        if kind is not FileKind.MATRIX:
            shown -= {"unit"}
        if kind in (FileKind.EDGES, FileKind.ADJACENCY):
            shown -= {"decimal"}
        for name, parts in self._rows.items():
            for part in parts:
                part.setVisible(name in shown)
        separators = {word: word.capitalize() for word in SEPARATOR_NAMES}
        found = preview.separator
        header = "names" if preview.headers else "values"
        found_encoding = preview.encoding
        encodings = [text for one, text in _ENCODINGS.items() if found_encoding.startswith(one)]
        kinds = {one: KIND_NAMES[one] for one in preview.kinds}
        options: Mapping[str, tuple[Mapping[str, str], str]] = {
            "kind": (
                {str(one): text for one, text in kinds.items()},
                KIND_NAMES.get(kind, "") if kind else "",
            ),
            "coordinates": (
                COORDINATE_NAMES,
                COORDINATE_NAMES.get(self._found.coordinates, ""),
            ),
            "header": (HEADER_NAMES, header),
            "separator": (separators, separators.get(found, found)),
            "decimal": (_DECIMAL_SIGNS, _DECIMAL_SIGNS.get(preview.decimal, "")),
            "encoding": (_ENCODINGS, encodings[0] if encodings else ""),
            "sheet": ({one: one for one in preview.sheets}, ""),
        }
        for name, box in self.choices.items():
            texts, now = options[name]
            _offer(box, texts, str(getattr(said, name) or ""), now)
        self._show_columns()
        self._show_unit()

    def _show_unit(self) -> None:
        """List units; first that which is found where none is said."""
        found = "none" if self.read_as.unit else self._unit or "none"
        if not self.units.line.hasFocus() or self.units.text != self.read_as.unit:
            self.units.show_text(self.read_as.unit)
        self.units.offer(_UNITS, f"{_AUTOMATIC}: {found}")

    def _show_columns(self) -> None:
        preview, said = self._preview, self.read_as.columns
        assert preview is not None
        chosen = [*(said.split(",") if said else []), "", "", ""]
        texts = {str(at + 1): _called(at, preview.headers) for at in range(preview.width)}
        for place, role in enumerate(self._column_roles):
            label, box = self._column_labels[place], self.columns[place]
            label.setText(role if len(role) == 1 else role.capitalize())
            box.setAccessibleName(f"Column of {role}")
            at = next((at for at, one in enumerate(preview.roles) if one == role), None)
            found = "" if at is None else _called(at, preview.headers)
            _offer(box, texts, chosen[place], found)

    def _show_rows(self) -> None:
        preview = self._preview
        assert preview is not None
        rows = list(enumerate(preview.rows))
        columns = [
            Column(
                preview.roles[at] if at < len(preview.roles) and preview.roles[at] else "–",
                partial(_cell, at),
                mark=partial(_mark, at, preview),
            )
            for at in range(preview.width)
        ]
        self.table.setVisible(bool(rows))
        self.table.show_rows(columns, rows)


def _cell(at: int, row: tuple[int, Sequence[str]]) -> str:
    return row[1][at] if at < len(row[1]) else ""


def _mark(at: int, preview: FilePreview, row: tuple[int, Sequence[str]]) -> str:
    """Mark the names of columns, and what of the rows is taken for something."""
    if preview.headers and row[0] == 0:
        return "bold muted"
    return "accent" if at < len(preview.roles) and preview.roles[at] else "text"


def _called(at: int, headers: Sequence[str]) -> str:
    name = headers[at][:_LONGEST_NAME] if at < len(headers) else ""
    return f"{at + 1}: {name}" if name else f"column {at + 1}"


def _offer(box: QComboBox, texts: Mapping[str, str], chosen: str, found: str) -> None:
    """List what can be chosen; first that nothing is said, and what is ``found`` then."""
    with QSignalBlocker(box):
        box.clear()
        box.addItem(f"{_AUTOMATIC}: {found}" if found and not chosen else _AUTOMATIC, "")
        for value, text in texts.items():
            box.addItem(text, value)
        if chosen and chosen not in texts:
            box.addItem(chosen, chosen)
        box.setCurrentIndex(max(0, box.findData(chosen)))

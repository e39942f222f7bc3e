"""Fields for a number or for one of a few options, and the base of forms made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QGridLayout,
    QLabel,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionFrame,
    QVBoxLayout,
    QWidget,
)

from views.widgets.labels import Label, make_label, plain_tip
from views.widgets.layouts import fill
from views.widgets.styling import restyle

_ENTRY_EDGE = 2  # pixels that Qt leaves free at both ends of a line


class Field(QWidget):
    """An entry; if its content is wrong, the problem stands below it."""

    changed = Signal()  # the user changed the content
    committed = Signal()  # he has finished: by Enter, by leaving the field, or by a choice

    def __init__(self, name: str, entry: QWidget, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._entry = entry
        entry.setAccessibleName(name)
        self.problem_label = make_label("problem", wrap=True)
        self.problem_label.hide()
        fill(QVBoxLayout(self), entry, self.problem_label, spacing=1)
        self.setFocusProxy(entry)
        self.setFocusPolicy(entry.focusPolicy())  # else Tab would not reach it

    @property
    def problem(self) -> str:
        """What is wrong; empty if nothing is."""
        return self.problem_label.text()

    @problem.setter
    def problem(self, text: str) -> None:
        if text == self.problem:
            return
        self.problem_label.setText(text)
        self.problem_label.setVisible(bool(text))
        self._entry.setProperty("valid", not text)
        restyle([self._entry])


class NumberField(Field):
    """A line to write a number in."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self.entry = _Entry()
        super().__init__(name, self.entry, parent)
        self.entry.setMinimumWidth(64)
        self.entry.setAcceptDrops(False)
        self.entry.textEdited.connect(lambda _: self.changed.emit())
        self.entry.editingFinished.connect(self.committed)

    @property
    def text(self) -> str:
        """The text of the entry, without blanks around it."""
        return self.entry.text().strip()

    @text.setter
    def text(self, text: str) -> None:
        if text != self.entry.text():  # else screen readers would be told of no change
            self.entry.setText(text)
            self.entry.setCursorPosition(0)  # shows the beginning of a long number

    def show_automatic(self, text: str) -> None:
        """Show the automatic value in the empty entry."""
        self.entry.show_automatic(text)


def make_line(name: str, tip: str = "", *, empty: str = "", most: int = 32767) -> QLineEdit:
    """Return a line for a text of at most ``most`` letters, which shows ``empty`` without any."""
    line = QLineEdit(placeholderText=empty, maxLength=most)
    line.setAccessibleName(name)
    line.setToolTip(plain_tip(tip))
    line.setAcceptDrops(False)  # a dropped file belongs to the window
    return line


class _Entry(QLineEdit):
    """A line whose number can be changed with the keys ↑ and ↓."""

    def __init__(self) -> None:
        super().__init__()
        self._automatic = ""

    def show_automatic(self, text: str) -> None:
        """Show ``text`` where nothing is written, or "auto" where there is no room for it."""
        self._automatic = text
        self.setPlaceholderText(text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if not self._automatic:
            return
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        part = QStyle.SubElement.SE_LineEditContents
        room = self.style().subElementRect(part, option, self).width() - 2 * _ENTRY_EDGE
        fits = self.fontMetrics().horizontalAdvance(self._automatic) <= room
        self.setPlaceholderText(self._automatic if fits else "auto")

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the panel, where they go through all fields."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            keys = QKeySequence.StandardKey
            if event.matches(keys.Undo) or event.matches(keys.Redo):
                event.ignore()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        direction = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()))
        if direction is None or not self.text():
            super().keyPressEvent(event)
            return
        stepped = step(self.text(), direction)
        if stepped != self.text():
            self.setText(stepped)
            self.textEdited.emit(stepped)


def step(text: str, direction: int) -> str:
    """Return the number of ``text`` raised or lowered by one in its last written place."""
    text = text.strip()
    try:
        value = float(text)
    except ValueError:
        return text
    if "e" in text.lower() or "n" in text.lower():
        return text
    decimals = len(text.partition(".")[2])
    return f"{value + direction * 10.0**-decimals:.{decimals}f}"


class ChoiceField(Field):
    """A list of a few named options, used like the field of a number."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self.entry = ChoiceBox(6)
        self._offered: tuple[str, list[tuple[str, str]]] | None = None
        super().__init__(name, self.entry, parent)
        self.entry.activated.connect(lambda _: self.changed.emit())
        self.entry.activated.connect(lambda _: self.committed.emit())

    def offer(self, options: Mapping[str, str], automatic: str) -> None:
        """Offer ``options``, with the automatic choice at the front.

        The options' meanings become tool tips; ``automatic`` is empty if there is no such choice.
        """
        if self._offered == (automatic, list(options.items())):
            return
        self._offered = automatic, list(options.items())
        chosen = self.text
        self.entry.clear()
        if automatic:
            self._add("", f"Chosen {automatic}.", f"auto: {automatic}")
        for name, meaning in options.items():
            self._add(name, f"{meaning[:1].upper()}{meaning[1:]}." if meaning else "", name)
        self.text = chosen

    def show_automatic(self, text: str) -> None:
        """Show what the automatic choice is."""
        place = self.entry.findData("")
        if place >= 0:
            self.entry.setItemText(place, text)

    @property
    def text(self) -> str:
        """Name of the chosen option; empty where the choice is automatic, or none was made."""
        return str(self.entry.currentData() or "")

    @text.setter
    def text(self, text: str) -> None:
        self.entry.setCurrentIndex(self.entry.findData(text))

    def _add(self, name: str, tip: str, text: str) -> None:
        self.entry.addItem(text, name)
        self.entry.setItemData(self.entry.count() - 1, plain_tip(tip), Qt.ItemDataRole.ToolTipRole)


class ChoiceBox(QComboBox):
    """A list with room for some letters at least, which ignores the mouse wheel."""

    def __init__(self, letters: int, name: str = "", tip: str = "") -> None:
        super().__init__(minimumContentsLength=letters)
        self._spoken = Label("", self)
        self._spoken.hide()
        self.setAccessibleName(name)
        self.setToolTip(plain_tip(tip))
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def setAccessibleName(self, name: str) -> None:
        """Say what is chosen here, which under Linux needs a label: else Qt says what is chosen."""
        super().setAccessibleName(name)
        self._spoken.setText(name)
        self._label_itself()

    def showEvent(self, event: QShowEvent) -> None:
        """See whether there is a label beside the list, which need not be said twice."""
        super().showEvent(event)
        self._label_itself()

    def _label_itself(self) -> None:
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        beside = self.parentWidget()
        labels = beside.findChildren(QLabel, options=direct) if beside is not None else []
        labelled = any(label.buddy() is self for label in labels)
        named = bool(self._spoken.text()) and not labelled
        self._spoken.setBuddy(self if named else self._spoken)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the panel: scrolling must not change a choice."""
        event.ignore()


class _ListedLine(QLineEdit):
    """A line to write in; a click shows the list of what can be chosen instead."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Show the whole list below the line, where one can go on typing."""
        super().mouseReleaseEvent(event)
        completer = self.completer()
        if event.button() != Qt.MouseButton.LeftButton or completer is None:
            return
        if not self.hasSelectedText():  # else a part of the text was marked
            self.selectAll()
            completer.setCompletionPrefix("")
            completer.complete()


class TypingBox(ChoiceBox):
    """A list of texts in which one can type, too. Its first one says that nothing is chosen."""

    said = Signal()  # the user has chosen or typed something else, or nothing

    def __init__(self, letters: int, name: str, tip: str, nothing: str) -> None:
        super().__init__(letters, name, tip)
        self._nothing = nothing
        self.line = _ListedLine()
        self.line.setAccessibleName(name)
        self.line.setToolTip(plain_tip(tip))
        self.line.setPlaceholderText(nothing)
        self.setEditable(True)
        self.setInsertPolicy(self.InsertPolicy.NoInsert)
        self.setLineEdit(self.line)
        completer = QCompleter(self.model(), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setMaxVisibleItems(self.maxVisibleItems())
        popup = completer.popup()
        assert popup is not None
        popup.setProperty("role", "choices")
        popup.setItemDelegate(QStyledItemDelegate(popup))  # its own one heeds no style sheet
        self.setCompleter(completer)
        self._last = ""
        self.activated.connect(lambda _: self._notice())
        self.line.editingFinished.connect(self._notice)

    @property
    def text(self) -> str:
        """What is chosen; empty for nothing."""
        text = self.currentText().strip()
        return "" if text == self._nothing else text

    def offer(self, texts: Sequence[str], nothing: str = "") -> None:
        """List other texts; ``nothing`` says that none is chosen, if that has changed."""
        kept, self._nothing = self.text, nothing or self._nothing
        self.line.setPlaceholderText(self._nothing)
        with QSignalBlocker(self):
            self.clear()
            self.addItem(self._nothing)
            self.addItems(list(texts))
        self.show_text(kept)

    def show_text(self, text: str) -> None:
        """Show what is chosen."""
        with QSignalBlocker(self), QSignalBlocker(self.line):
            self.setCurrentIndex(self.findText(text or self._nothing))
            self.setEditText(text or self._nothing)
        self.line.setCursorPosition(0)
        self._last = text

    def _completed(self, typed: str) -> str:
        """Return the only text of the list that begins as ``typed``; empty if it is whole.

        A number is never a beginning: it may be that of a city.
        """
        if not typed or typed.isdigit():
            return ""
        listed = [self.itemText(at) for at in range(1, self.count())]
        wanted = typed.casefold()
        begun = [one for one in listed if one.casefold().startswith(wanted)]
        return begun[0] if len(begun) == 1 and begun[0].casefold() != wanted else ""

    def _notice(self) -> None:
        if completed := self._completed(self.text):
            self.show_text(completed)
            self._last = ""
        if self.text != self._last:
            self._last = self.text
            self.said.emit()


class FieldForm(QWidget):
    """Rows with fields in a grid, whose column ``wide`` takes the free room."""

    changed = Signal()  # the user changed a value
    committed = Signal()  # he has finished changing it

    def __init__(self, wide: int) -> None:
        super().__init__()
        self.fields: dict[str, NumberField | ChoiceField] = {}
        self._grid = QGridLayout(self)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(wide, 1)

    @property
    def problems(self) -> list[str]:
        """What is wrong, one sentence a field."""
        return [field.problem for field in self.fields.values() if field.problem]

    def _edited(self, _: object = None) -> None:
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        """Say at each field what is wrong with it."""
        raise NotImplementedError

"""Two lists: families of colonies, each with a line that says what it is, and variants of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem

from gpu.core.system import Family
from views.setup.fields import ChoiceBox
from views.widgets.labels import plain_tip

_ABOUT = Qt.ItemDataRole.UserRole + 1  # the line below an item's text
_EDGE = 7  # pixels around both lines
_GAP = 1  # between them

_Index = QModelIndex | QPersistentModelIndex


class _TwoLines(QStyledItemDelegate):
    """Draws items whose text has a line below it."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        super().initStyleOption(option, index)
        if index.data(_ABOUT):
            option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        about = index.data(_ABOUT)
        if not about:
            return
        enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
        group = QPalette.ColorGroup.Active if enabled else QPalette.ColorGroup.Disabled
        room = option.rect.adjusted(_EDGE, _EDGE // 2, -_EDGE, 0)
        room.setHeight(option.fontMetrics.height())
        painter.save()
        painter.setFont(option.font)
        roles = QPalette.ColorRole.Text, QPalette.ColorRole.PlaceholderText
        for text, role in zip((index.data(), about), roles, strict=True):
            painter.setPen(option.palette.color(group, role))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
            room.translate(0, room.height() + _GAP)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        about = index.data(_ABOUT)
        if not about:
            return super().sizeHint(option, index)
        width = max(map(option.fontMetrics.horizontalAdvance, (index.data(), about)))
        return QSize(width + 2 * _EDGE, 2 * option.fontMetrics.height() + _GAP + _EDGE)


class FamilyBox(ChoiceBox):
    """A list of families; the data of an item is the family's short name."""

    def __init__(self, letters: int) -> None:
        super().__init__(letters, "Colony", "What kind of ants: the device chooses the variant")
        self._families: list[Family] = []
        self.setItemDelegate(_TwoLines(self))
        self.setMaxVisibleItems(20)

    def show_families(self, families: Iterable[Family]) -> None:
        """List ``families``, unless they are there."""
        families = list(families)
        if families == self._families:
            return
        self._families = families
        self.clear()
        for family in families:
            self.addItem(family.title, family.name)
            place, about = self.count() - 1, f"{family.summary} · {family.paper}"
            self.setItemData(place, about, _ABOUT)
            self.setItemData(place, about, Qt.ItemDataRole.AccessibleDescriptionRole)
            self.setItemData(
                place, plain_tip(f"{family.summary}. {family.paper}."), Qt.ItemDataRole.ToolTipRole
            )

    def showPopup(self) -> None:
        """Show the list as wide as its longest line, up to the screen's edge."""
        view = self.view()
        most = (
            self.screen().availableGeometry().right() - self.mapToGlobal(self.rect().topLeft()).x()
        )
        view.setMinimumWidth(min(view.sizeHintForColumn(0) + 2 * _EDGE, most))
        super().showPopup()


def add_choice(box: QComboBox, text: str, data: str | None, tip: str = "") -> None:
    """Append an item; one without ``data`` heads those below it, and cannot be chosen."""
    model = box.model()
    assert isinstance(model, QStandardItemModel)  # QComboBox makes one
    item = QStandardItem(text)
    item.setData(data, Qt.ItemDataRole.UserRole)
    item.setToolTip(plain_tip(tip))
    item.setEnabled(data is not None)
    model.appendRow(item)


def add_refused(box: QComboBox, why: str, named: Sequence[tuple[str, str]]) -> None:
    """Append (text, data) that cannot be chosen here below a heading that says why."""
    if not named:
        return
    add_choice(box, why, None)
    model = box.model()
    assert isinstance(model, QStandardItemModel)
    for text, data in named:
        add_choice(box, f"    {text}", data, f"{text} {why[:1].lower()}{why[1:]}")
        model.item(model.rowCount() - 1).setEnabled(False)

"""The panel has room for the parameters of every colony, in the type of the window."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import (
    QLineEdit,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionFrame,
)

from gpu.catalog import CATALOG
from tests.views.scenes import uniform
from views.frame.main_window import MainWindow
from views.setup.fields import ChoiceField
from views.widgets.picture_export import make_due_layouts


def test_the_parameters_of_every_colony_fit_into_the_panel(window: MainWindow) -> None:
    """With the window's type: cards that are too wide are cut by the scroll bar."""
    panel = window.setup
    for system in CATALOG:
        panel.parameters.show_kind(system.parameters)
        contents = panel.widget()
        needed = contents.minimumSizeHint().width()
        assert needed <= panel.viewport().width(), system.name


def test_each_option_of_a_parameter_has_room_in_its_box(window: MainWindow) -> None:
    parameters, cut = window.setup.parameters, []
    for system in CATALOG:
        parameters.show_kind(system.parameters)
        make_due_layouts(window.setup)
        for name, field in parameters.fields.items():
            if isinstance(field, ChoiceField) and field.isVisible():
                box, option = field.entry, QStyleOptionComboBox()
                box.initStyleOption(option)
                kind, part = QStyle.ComplexControl, QStyle.SubControl.SC_ComboBoxEditField
                room = box.style().subControlRect(kind.CC_ComboBox, option, part, box).width()
                for text in (box.itemText(place) for place in range(box.count())):
                    needed = box.fontMetrics().horizontalAdvance(text)
                    if needed > room:
                        cut.append((system.name, name, text, needed - room))
    assert not cut


@pytest.mark.parametrize("with_instance", [False, True])
def test_each_automatic_value_has_room_in_its_field(
    window: MainWindow, with_instance: bool
) -> None:
    parameters, cut = window.setup.parameters, []
    parameters.show_instance(uniform(12_345) if with_instance else None)
    for system in CATALOG:
        parameters.show_kind(system.parameters)
        make_due_layouts(window.setup)
        for name, field in parameters.fields.items():
            if isinstance(entry := field.entry, QLineEdit) and field.isVisible():
                option, part = QStyleOptionFrame(), QStyle.SubElement.SE_LineEditContents
                entry.initStyleOption(option)
                room = entry.style().subElementRect(part, option, entry).width() - 4  # of Qt's
                text = entry.placeholderText()
                if (needed := entry.fontMetrics().horizontalAdvance(text)) > room:
                    cut.append((system.name, name, text, needed - room))
    assert not cut

from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gpu.batch.measured import ComparisonReport, ComparisonRow, Spread
from tests.hands import click, press
from views.batch.comparison_view import ComparisonView
from views.widgets.picture_export import as_image, make_due_layouts
from views.widgets.styling import apply
from views.widgets.theme import DARK, LIGHT, Theme

PHASES = ("choice info", "construction", "update")


def row(
    group: str, option: str, ms: tuple[float, ...], *, chosen: bool = False, why_not: str = ""
) -> ComparisonRow:
    times = dict(zip(PHASES, ms, strict=False))
    return ComparisonRow(
        group=group,
        option=option,
        meaning=f"what {option} is",
        phase="update" if group == "update" else "construction",
        chosen=chosen,
        system="as-st-dynamic",
        parameters={"ants": 1200},
        phases_ms={name: Spread.of([0.9 * ms, ms, 1.1 * ms]) for name, ms in times.items()},
        iteration_ms=Spread.of([sum(ms)] if ms else []),
        why_not=why_not,
    )


REPORT = ComparisonReport(
    instance="pr1200",
    n=1200,
    system="as-st-dynamic",
    device="cuda:0",
    model="H100",
    detail="",
    cores=132,
    seeds=(1, 2, 3),
    limit=5.0,
    rows=(
        row("colony", "as-st-dynamic", (0.1, 2.0, 0.2), chosen=True),
        row("colony", "as-task", (0.1, 200.0, 0.2)),
        row("update", "atomic", (0.1, 2.0, 0.2), chosen=True),
        row("update", "reduction", (0.1, 2.0, 10.0)),
        row("update", "gather", (), why_not="an iteration would take about 41 s"),
        row("workers", "1024", (0.1, 9.0, 0.2)),
        row("workers", "32", (0.1, 2.0, 0.2), chosen=True),
    ),
    versions={},
    machine="",
    complete=True,
    problem="tsp",
)


@pytest.fixture
def view(qtbot: QtBot) -> ComparisonView:
    made = ComparisonView()
    qtbot.addWidget(made)
    made.resize(420, 300)
    made.show()
    made.show_report(REPORT)
    make_due_layouts(made)
    return made


def texts(view: ComparisonView) -> list[list[str]]:
    return [view.table.texts(at) for at in range(len(view.table.content.rows))]


def place(view: ComparisonView, row: int, column: int) -> QRect:
    """Bring a cell into sight, and return where it is."""
    index = view.table.content.index(row, column)
    view.table.scrollTo(index)
    return view.table.visualRect(index)


def tip(view: ComparisonView, row: int, column: int) -> str:
    model = view.table.content
    return str(model.data(model.index(row, column), Qt.ItemDataRole.ToolTipRole))


def sort_by(view: ComparisonView, heading: str) -> None:
    header = view.table.horizontalHeader()
    column = view.table.headings.index(heading)
    place(view, 0, column)
    click(header.viewport(), QPoint(header.sectionViewportPosition(column) + 12, 8))


def test_before_anything_was_measured_it_says_what_it_would_measure(view: ComparisonView) -> None:
    view.show_report(None)
    assert not view.table.isVisible()
    assert not view.copy_button.isVisible()
    assert not view.phases.isVisible()
    assert "each option of the chosen" in view.note.text()
    assert view.report is None


def test_every_row_has_its_times_and_its_ratio(view: ComparisonView) -> None:
    assert view.table.headings == [
        "Choice", "Option", "ms", "× fastest", "whole, ms",
        "choice info, ms", "construction, ms", "update, ms",
    ]  # fmt: skip
    rows = texts(view)
    assert rows[0] == [
        "colony", "● as-st-dynamic", "2.00", "1.00 ×", "2.30", "0.100", "2.00 ± 0.1", "0.200",
    ]  # fmt: skip
    assert rows[1][1:4] == ["as-task", "200", "100 ×"]
    assert rows[3][2:4] == ["10.0", "50.0 ×"]
    assert rows[3][7] == "10.0 ± 0.5"  # what decides has its spread
    assert rows[4] == [
        "update", "gather", "–", "an iteration would take about 41 s", "–", "–", "–", "–",
    ]  # fmt: skip
    assert "as-st-dynamic on cuda:0" in view.what.text()
    assert "H100, 1\u202f200 ants; medians of 3 rounds" in view.note.text()


def in_sight(view: ComparisonView) -> list[str]:
    """Headings of columns that are in sight, whole, with no scrolling sideways."""
    header, table = view.table.horizontalHeader(), view.table
    assert not table.horizontalScrollBar().isVisible()
    return [
        heading
        for column, heading in enumerate(table.headings)
        if not table.isColumnHidden(column)
        and header.sectionViewportPosition(column) + header.sectionSize(column)
        <= table.viewport().width()
    ]


@pytest.mark.parametrize(
    ("width", "headings"),
    [(344, 3), (424, 4), (500, 5), (920, 8)],
)
@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_ratio_and_whole_time_are_always_in_sight(
    qtbot: QtBot, view: ComparisonView, width: int, headings: int, theme: Theme
) -> None:
    apply(theme, view)
    view.apply_theme(theme)
    view.resize(width, 330)
    qtbot.waitUntil(lambda: len(in_sight(view)) == headings)
    order = ["Option", "× fastest", "whole, ms", "Choice", "ms", *view.table.headings[-3:]]
    assert sorted(in_sight(view)) == sorted(order[:headings])
    assert view.phases.isVisible() == (headings < 8)


def test_keys_show_the_phases_of_a_row_below(qtbot: QtBot, view: ComparisonView) -> None:
    qtbot.waitUntil(view.phases.isVisible)
    assert view.phases.text() == (
        "colony ● as-st-dynamic, compared by construction: choice info 0.100, "
        "construction 2.00 ± 0.1, update 0.200 ms"
    )
    click(view.table.viewport(), place(view, 0, 1).center())
    for _ in range(3):
        press(view.table, Qt.Key.Key_Down)
    assert view.phases.text() == (
        "update reduction, compared by update: choice info 0.100, construction 2.00, "
        "update 10.0 ± 0.5 ms"
    )
    press(view.table, Qt.Key.Key_Down)
    assert view.phases.text() == "update gather"


def test_cells_say_more_on_demand(view: ComparisonView) -> None:
    assert tip(view, 3, 1) == "What reduction is."
    assert tip(view, 2, 1).endswith("It is chosen.")
    assert "Time of update" in tip(view, 3, 3)
    assert "quartiles 9.50\u202fms to 10.5\u202fms, measured 3 times" in tip(view, 3, 2)
    horizontal, role = Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    heading = str(view.table.content.headerData(3, horizontal, role)).replace("\n", " ")
    assert "Bars are as long as this number, all on one scale" in heading
    assert tip(view, 4, 3) == "an iteration would take about 41 s"


def test_a_click_on_a_heading_sorts_by_value(view: ComparisonView) -> None:
    view.resize(900, 300)
    sort_by(view, "× fastest")
    ratios = [line[3] for line in texts(view)]
    assert ratios[-3:] == ["50.0 ×", "100 ×", "an iteration would take about 41 s"]
    sort_by(view, "× fastest")
    ratios = [line[3] for line in texts(view)]
    assert [ratios[0], ratios[-1]] == ["100 ×", "an iteration would take about 41 s"]
    sort_by(view, "Option")
    numbers = [line[1] for line in texts(view) if "1024" in line[1] or "32" in line[1]]
    assert numbers == ["● 32", "1024"]
    view.show_report(dataclasses.replace(REPORT, complete=False))
    assert [line[1] for line in texts(view) if line[1] in ("● 32", "1024")] == numbers  # kept
    sort_by(view, "Choice")
    assert [line[0] for line in texts(view)] == [one.group for one in REPORT.rows]


def test_rows_are_copied_as_text(view: ComparisonView) -> None:
    clipboard = QGuiApplication.clipboard()
    click(view.copy_button)
    lines = clipboard.text().splitlines()
    assert len(lines) == 1 + len(REPORT.rows)
    assert lines[0].split("\t")[:4] == ["Choice", "Option", "ms", "× fastest"]
    table = view.table
    middle = place(view, 1, 1).center()
    click(table.viewport(), middle)
    press(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = clipboard.text().splitlines()
    assert len(lines) == 2
    assert lines[1].split("\t")[:4] == ["colony", "as-task", "200", "100 ×"]


def test_bars_are_as_long_as_their_ratios_on_one_scale(
    view: ComparisonView,
) -> None:
    view.resize(900, 400)
    for theme in (DARK, LIGHT):
        view.apply_theme(theme)
        image = view.table.viewport().grab().toImage()
        widths = []
        for at in range(len(REPORT.rows)):
            cell = place(view, at, 3)
            y = round(cell.center().y() * image.devicePixelRatio())
            line = [
                image.pixelColor(round(x * image.devicePixelRatio()), y)
                for x in range(cell.left() + 60, cell.right())
            ]
            widths.append(sum(colour.saturation() > 100 for colour in line))
        assert widths[4] == 0  # not measured, no bar
        assert widths[1] > 50 * widths[0] / 2 > 0
        assert abs(widths[3] - widths[1] / 2) <= 3  # 50 and 100 times the fastest of their groups
        assert widths[5] > widths[6] > 0


def test_a_picture_shows_every_row_and_column(view: ComparisonView) -> None:
    view.resize(300, 220)
    before = view.size()
    assert view.overflow.height() > 0
    assert view.overflow.width() > 0
    image = as_image(view, DARK, "")
    table = view.table
    assert image.width() / 2 >= table.horizontalHeader().length()
    assert image.height() / 2 >= table.verticalHeader().length()
    assert view.size() == before


def test_the_button_starts_and_cancels(qtbot: QtBot, view: ComparisonView) -> None:
    bar = view.measure
    with qtbot.waitSignal(bar.started):
        click(bar.button)
    bar.begin("Warming up")
    assert bar.button.text() == "Cancel"
    with qtbot.waitSignal(bar.cancelled):
        click(bar.button)
    bar.finish("")
    assert bar.button.text() == "Compare"


def test_no_part_is_larger_than_its_whole(view: ComparisonView) -> None:
    slow = row("colony", "as-task", (1.0, 8.0, 1.0), chosen=True)
    slow = dataclasses.replace(slow, iteration_ms=Spread.of([5.0]))
    view.show_report(dataclasses.replace(REPORT, rows=(slow,)))
    parts = texts(view)[0]
    assert parts[4:] == ["5.00", "0.500", "4.00 ± 0.2", "0.500"]
    assert "slower while its phases are timed" in tip(view, 0, 6)


def test_ratios_are_those_of_the_times_that_are_shown(view: ComparisonView) -> None:
    """Phases that timing has slowed down are shown, and compared, as parts of the whole."""
    slow = row("colony", "as-task", (1.0, 8.0, 1.0), chosen=True)
    slow = dataclasses.replace(slow, iteration_ms=Spread.of([5.0]))
    fast = row("colony", "as-data", (1.0, 6.0, 1.0))
    view.show_report(dataclasses.replace(REPORT, rows=(slow, fast)))
    assert [one[2:5] for one in texts(view)] == [
        ["4.00", "1.00 ×", "5.00"],
        ["6.00", "1.50 ×", "8.00"],
    ]


def test_a_report_names_what_it_was_measured_on(view: ComparisonView) -> None:
    source = view.source
    assert (source.instance, source.colony, source.seed) == ("pr1200", "as-st-dynamic", 1)
    assert "pr1200, 1\u202f200 cities" in source.text

"""OpenDocument spreadsheets: what their cells say, and what breaks them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.core.errors import InstanceError
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.problems.texts import is_one_sentence, open_document, sheet

MATRIX = sheet([[None, "a", "b", "c"], ["a", 0, 1, 5], ["b", 1, 0, 2.5], ["c", 5, 2.5, 0]])
PLACES = sheet([["name", "x", "y"], ["a", 0, 0], ["b", 3, 0], ["c", 3, 4]], "places")
MORE = [
    *("", "<table:table-row>", "</table:table-cell>", "office:value='x'", "&a;", "</text:p>"),
    *("office:value-type='time'", "office:value-type='boolean'", "<text:p>", "<![CDATA[", "\0"),
    "table:number-columns-repeated='999999999'",
    "table:number-rows-repeated='999999999'",
]


def loaded(data: bytes, read_as: str = "") -> TspInstance:
    found = load_instance("m.ods", data, read_as)
    assert isinstance(found, TspInstance)
    return found


def test_the_first_sheet_with_anything_counts_or_the_one_that_is_said() -> None:
    data = open_document("<table:table table:name='empty'/>", MATRIX, PLACES)
    matrix = loaded(data)
    assert matrix.all_distances().tolist() == [[0, 10, 50], [10, 0, 25], [50, 25, 0]]
    assert matrix.names == ("a", "b", "c")
    places = loaded(data, "sheet=places")
    assert (places.names, places.unit) == (("a", "b", "c"), "")
    assert loaded(data, places.read_as).digest() == places.digest()
    with pytest.raises(InstanceError, match="none of its sheets: empty, t, places"):
        loaded(data, "sheet=gone")


def test_what_cells_say() -> None:
    rows = sheet([["from", "to", "time"], ["a", "b", "T"], ["b", "c", "T"], ["c", "a", "T"]])
    text = "office:value-type='string'><text:p>T"
    time = "office:value-type='time' office:time-value='PT00H05M00S'><text:p>five"
    assert loaded(open_document(rows.replace(text, time))).cost_unit.name == "min"
    parts = MATRIX.replace("<text:p>a</text:p>", "<text:p>A<text:span>a</text:span>ch</text:p>")
    note = "<office:annotation><text:p>a note</text:p></office:annotation>"
    noted = parts.replace("<text:p>b", f"{note}<text:p>b")
    assert loaded(open_document(noted)).names == ("Aach", "b", "c")
    twice = "table:number-columns-repeated='2'"
    row = f"<table:table-row><table:table-cell {twice} office:value-type='float' office:value='1'/>"
    table = f"<table:table table:name='t'>{3 * (row + '</table:table-row>')}</table:table>"
    assert loaded(open_document(table), "places plane").n == 3


@pytest.mark.parametrize("what", ["columns", "rows"])
def test_cells_that_stand_there_a_billion_times_are_refused(what: str) -> None:
    repeated = f"table:number-{what}-repeated='999999999'"
    broken = re.sub("<table:table-row>", f"<table:table-row {repeated}>", MATRIX, count=1)
    if what == "columns":
        broken = MATRIX.replace("office:value='5'", f"office:value='5' {repeated}")
    with pytest.raises(InstanceError, match=r"more than .* cells"):
        loaded(open_document(broken))


def test_entities_are_refused() -> None:
    with pytest.raises(InstanceError, match="declares entities"):
        loaded(open_document(MATRIX, before="<!DOCTYPE a [<!ENTITY b 'c'>]>"))


@settings(max_examples=300)
@given(at=st.integers(0, len(MATRIX)), gone=st.integers(0, 30), more=st.sampled_from(MORE))
def test_mutated_sheets_are_read_or_refused(at: int, gone: int, more: str) -> None:
    try:
        loaded(open_document(MATRIX[:at] + more + MATRIX[at + gone :]))
    except InstanceError as error:
        is_one_sentence("m.ods", str(error), 420)

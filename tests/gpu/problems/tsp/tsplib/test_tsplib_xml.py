"""TSPLIB's files in XML: what is in them, and what is said of broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu.core.errors import InstanceError
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.problems.texts import is_one_sentence

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n'
TEXT = f"""{HEAD}<travellingSalesmanProblemInstance>
  <name>three</name>
  <doublePrecision>15</doublePrecision>
  <graph>
    <vertex><edge cost="1.000e+01">1</edge><edge cost="2.500e+00">2</edge></vertex>
    <vertex><edge cost="1.000e+01">0</edge><edge cost="7">2</edge></vertex>
    <vertex><edge cost="2.500e+00">0</edge><edge cost="7">1</edge></vertex>
  </graph>
</travellingSalesmanProblemInstance>
"""


def test_costs_are_distances() -> None:
    instance = load_instance("three.xml", TEXT.encode())
    assert isinstance(instance, TspInstance)
    assert (instance.name, instance.decimals, instance.directed) == ("three", 1, False)
    assert instance.matrix.tolist() == [[0, 100, 25], [100, 0, 70], [25, 70, 0]]
    assert instance.seen.endswith("TSPLIB's XML")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TEXT.replace(">1<", ">3<"), "it names vertex 3; there are 0 to 2"),
        (TEXT.replace('"7">2', '"seven">2'), "the edge from vertex 2 to 3 has no cost"),
        (TEXT.replace(">1<", "><"), "vertex 1 of it has an edge to no vertex"),
        (TEXT[:-60], "it is no whole XML: "),
        (f"{HEAD}<travellingSalesmanProblemInstance/>", "it has no edges"),
    ],
)
def test_what_is_wrong_is_said(text: str, why: str) -> None:
    with pytest.raises(InstanceError) as caught:
        load_instance("x.xml", text.encode())
    assert is_one_sentence("x.xml", str(caught.value)).startswith(why)


def test_no_document_type_is_taken() -> None:
    bomb = TEXT.replace("<graph>", "<!DOCTYPE x [<!ENTITY a 'aa'>]><graph>")
    for text in (bomb, TEXT.replace("<name>", "&a;<name>")):
        with pytest.raises(InstanceError):
            load_instance("x.xml", text.encode())


@given(start=st.integers(0, len(TEXT)), cut=st.integers(0, 40), more=st.binary(max_size=5))
def test_any_change_is_loaded_or_refused_in_a_sentence(start: int, cut: int, more: bytes) -> None:
    data = TEXT.encode()
    try:
        load_instance(Path("x.xml"), data[:start] + more + data[start + cut :])
    except InstanceError as error:
        is_one_sentence("x.xml", str(error), 400)

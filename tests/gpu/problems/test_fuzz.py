"""Whatever is done to a file, loading it gives a sound instance or one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpu.core.errors import InstanceError
from gpu.core.problem import Problem
from gpu.problems.bundled import bundled
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.gpu.problems.texts import (
    FORMATS,
    PLANE,
    SOLID,
    is_one_sentence,
    matrix_text,
    points_text,
    symmetric,
)

_RANDOM = np.random.default_rng(1)
TEXTS = [
    *(points_text(metric, _RANDOM.integers(-80, 80, (5, 2))) for metric in PLANE),
    *(points_text(metric, _RANDOM.integers(-80, 80, (5, 3))) for metric in SOLID),
    *(matrix_text(form, symmetric(5), a_line=4) for form in FORMATS),
    matrix_text("FULL_MATRIX", _RANDOM.integers(0, 50, (4, 4)), kind="ATSP"),
    matrix_text("UPPER_ROW", symmetric(3), tail="DISPLAY_DATA_SECTION\n1 0 0\n2 1 1\n3 2 5"),
]
TOUR = "NAME: t\nTYPE: TOUR\nDIMENSION: 5\nTOUR_SECTION\n1\n3\n2\n5\n4\n-1\nEOF\n"
HOSTILE = [
    "", " ", "\n", "\r", "\0", ":", "-1", "-", "+", ".", "0", "1", "2", "-7", "1e400",
    "-1e400", "nan", "inf", "1e18", "1e-400", "9" * 30, "9" * 5000, "2147483647", "2147483648",
    "1000000000000", "0x10", "1_0", "\u0663", "\u2028", "\x1c", "\ufeff", "EOF\n", "TYPE: ",
    "TYPE: ATSP\n", "NAME\n", "EDGE_WEIGHT_TYPE: SPECIAL\n", "EDGE_WEIGHT_TYPE: EXPLICIT\n",
    "EDGE_WEIGHT_FORMAT: LOWER_ROW\n", "EDGE_DATA_FORMAT: ADJ_LIST\n", "NODE_COORD_SECTION\n",
    "EDGE_WEIGHT_SECTION\n", "TOUR_SECTION\n", "DISPLAY_DATA_SECTION\n", "DEPOT_SECTION\n",
    "FIXED_EDGES_SECTION\n1 2\n-1\n", "DIMENSION: 4\n", "CAPACITY: x\n", "E", "e",
]  # fmt: skip


@st.composite
def _mutations(draw: st.DrawFn, texts: list[str]) -> bytes:
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        lines = text.split("\n")
        kind = draw(st.sampled_from(["word", "insert", "cut", "end", "drop", "twice", "swap"]))
        row, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        start = draw(st.integers(0, len(text)))
        if kind == "word":
            words = lines[row].split(" ")
            words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(HOSTILE))
            lines[row] = " ".join(words)
        elif kind == "drop":
            del lines[row]
        elif kind == "twice":
            lines.insert(other, lines[row])
        elif kind == "swap":
            lines[row], lines[other] = lines[other], lines[row]
        text = "\n".join(lines)
        if kind == "insert":
            text = (
                text[:start] + draw(st.sampled_from(HOSTILE) | st.text(max_size=3)) + text[start:]
            )
        elif kind == "cut":
            text = text[:start] + text[start + draw(st.integers(1, 30)) :]
        elif kind == "end":
            text = text[:start]
    return text.encode("utf-8", "surrogatepass")


def _is_sound_or_refused(path: Path) -> TspInstance | None:
    try:
        instance = load(path)
    except InstanceError as error:
        is_one_sentence(path, str(error))
        return None
    assert instance.n >= 2
    assert instance.display.shape == (instance.n, 2)
    assert np.isfinite(instance.display).all()
    table = instance.all_distances()
    assert table.min() >= 0
    assert instance.directed or np.array_equal(table, table.T)
    assert len(np.unique(instance.city_ids)) == instance.n
    return instance


@settings(max_examples=500)
@given(data=_mutations(TEXTS))
def test_mutated_files(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.tsp"
    path.write_bytes(data)
    _is_sound_or_refused(path)


@settings(max_examples=300)
@given(data=st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.tsp"
    path.write_bytes(data)
    assert _is_sound_or_refused(path) is None


@settings(max_examples=300)
@given(data=_mutations([TOUR]))
def test_mutated_tours(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "five.tsp"
    path.write_text(points_text("EUC_2D", [(0, 0), (1, 5), (3, 3), (4, 8), (2, 2)]))
    instance = load(path)
    beside = path.with_name("fuzz.tour")
    beside.write_bytes(data)
    try:
        tour = instance.load_solution(beside)
    except InstanceError as error:
        is_one_sentence(beside, str(error))
    else:
        assert sorted(tour.tolist()) == [0, 1, 2, 3, 4]


@settings(max_examples=100, suppress_health_check=[HealthCheck.data_too_large])
@given(data=st.data())
def test_mutated_files_of_the_library(
    tsplib: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    names = ["burma14", "bays29", "gr24", "eil51", "att48", "si175", "ulysses16", "brg180"]
    text = (tsplib / f"{data.draw(st.sampled_from(names))}.tsp").read_text()
    path = tmp_path_factory.getbasetemp() / "library.tsp"
    path.write_bytes(data.draw(_mutations([text])))
    _is_sound_or_refused(path)


def test_the_texts_themselves_load(tmp_path: Path) -> None:
    for text in TEXTS:
        path = tmp_path / "x.tsp"
        path.write_text(text)
        assert _is_sound_or_refused(path) is not None
    for item in bundled():
        if item.n <= 1000 and item.problem is Problem.TSP:
            assert _is_sound_or_refused(item.path) is not None

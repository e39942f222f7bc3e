"""Structures of kernel arguments: packed as C++ lays them out, and only with the right values."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from gpu.cuda.arguments import (
    ColonyState,
    ConstPointer,
    Float32,
    Float64,
    Int32,
    Int64,
    KernelArguments,
    Pointer,
    UInt2,
    UInt32,
)


class Inner(KernelArguments):
    count: Int32
    scale: Float64
    flag: Int32


class Outer(KernelArguments):
    first: UInt32
    inner: Inner
    keep: Float32
    state: Pointer[ColonyState]
    rows: ConstPointer[UInt2] | None
    last: Int64


class CInner(ctypes.Structure):
    _fields_ = (("count", ctypes.c_int), ("scale", ctypes.c_double), ("flag", ctypes.c_int))


class COuter(ctypes.Structure):
    _fields_ = (
        ("first", ctypes.c_uint),
        ("inner", CInner),
        ("keep", ctypes.c_float),
        ("state", ctypes.c_void_p),
        ("rows", ctypes.c_void_p),
        ("last", ctypes.c_longlong),
    )


STATE, ROWS = np.zeros(4, np.uint64), np.zeros((3, 2), np.uint32)


def made(**changes: Any) -> Outer:
    values: dict[str, Any] = {
        "first": 7,
        "inner": Inner(count=-3, scale=0.5, flag=True),
        "keep": np.float32(0.1),
        "state": STATE,
        "rows": ROWS,
        "last": 1 << 40,
    }
    return Outer(**{**values, **changes})


def test_bytes_lie_as_in_c() -> None:
    given = made()
    read = COuter.from_buffer_copy(given.packed.tobytes())
    assert given.packed.size == 1
    assert given.packed.nbytes == ctypes.sizeof(COuter)
    assert (read.first, read.last) == (7, 1 << 40)
    assert (read.inner.count, read.inner.scale, read.inner.flag) == (-3, 0.5, 1)
    assert read.keep == np.float32(0.1)
    assert (read.state, read.rows) == (STATE.ctypes.data, ROWS.ctypes.data)
    assert COuter.from_buffer_copy(made(rows=None).packed.tobytes()).rows is None


def test_pointers_are_told_with_their_places() -> None:
    given = list(made().pointers())
    assert [(place, write) for place, _, write in given] == [
        (COuter.state.offset, True),
        (COuter.rows.offset, False),
    ]
    assert given[0][1] is STATE
    assert given[1][1] is ROWS
    assert len(list(made(rows=None).pointers())) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"first": 1.5}, "Outer.first is of type unsigned, but 1.5 given"),
        ({"keep": 0.1}, "Outer.keep is of type float"),
        ({"inner": 3}, "Outer.inner is a Inner, but int given"),
        ({"state": None}, "Outer.state may not be a null pointer"),
        (
            {"rows": np.zeros(3, np.int32)},
            r"Outer.rows is of type const uint2\*, but an array of int32 given",
        ),
        ({"rows": np.zeros((4, 4), np.uint32)[:, 1:]}, "not C-contiguous"),
        ({"rows": 12}, "but 12 given"),
        ({"more": 1}, "unexpected keyword"),
    ],
)
def test_other_values_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        made(**changes)


def test_pointers_that_are_not_given_are_arrays_of_their_names() -> None:
    inner, keep = Inner(count=1, scale=2.0, flag=0), np.float32(3)
    values: dict[str, Any] = {"first": 7, "inner": inner, "keep": keep, "last": 5}
    made = Outer.from_arrays({"state": STATE, "rows": ROWS, "other": ROWS}, **values)
    assert [id(array) for _, array, _ in made.pointers()] == [id(STATE), id(ROWS)]
    assert Outer.from_arrays({"state": STATE}, **values).rows is None
    assert Outer.from_arrays({"state": STATE, "rows": ROWS}, rows=None, **values).rows is None
    with pytest.raises(TypeError, match=r"Outer\.state is not given, and no array has its name"):
        Outer.from_arrays({"rows": ROWS}, **values)


def test_a_structure_is_declared_in_c_as_it_is_packed() -> None:
    assert Outer.declaration() == (
        "struct Outer {\n"
        "    unsigned first;\n"
        "    Inner inner;\n"
        "    float keep;\n"
        "    struct ColonyState* state;\n"
        "    const uint2* rows;\n"
        "    long long last;\n"
        "};\n"
    )
    assert list(Outer.structures()) == [Inner, Outer]

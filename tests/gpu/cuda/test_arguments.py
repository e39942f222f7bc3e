"""What Python declares of kernels is in C++ what it says: structures of arguments, constants."""

from __future__ import annotations

import ctypes
import enum
import importlib
import re
import types
from typing import Any

import numpy as np
import pytest

from gpu.cuda import kernels as kernels_of_cuda
from gpu.cuda import loader
from gpu.cuda.arguments import (
    ColonyState,
    ConstPointer,
    Float32,
    Float64,
    Int32,
    Int64,
    KernelArguments,
    Pointer,
    Sized,
    Structure,
    UInt2,
    UInt32,
    UInt64,
    constants_of,
    enumeration,
)
from gpu.cuda.loader import KernelSource
from gpu.rlf.cuda import kernels
from tests.compile_kernels import Compiler, find_library
from tests.golden import Golden


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


def test_other_values_are_refused(golden: Golden) -> None:
    def told(line: str) -> str:
        with pytest.raises(TypeError) as refused:
            made(**eval(line, {"np": np}))
        return str(refused.value)

    golden.table("refused-kernel-arguments", told)
    with pytest.raises(TypeError, match="unexpected keyword"):
        made(more=1)


def test_pointers_that_are_not_given_are_arrays_of_their_names() -> None:
    inner, keep = Inner(count=1, scale=2.0, flag=0), np.float32(3)
    values: dict[str, Any] = {"first": 7, "inner": inner, "keep": keep, "last": 5}
    made = Outer.from_arrays({"state": STATE, "rows": ROWS, "other": ROWS}, **values)
    assert [id(array) for _, array, _ in made.pointers()] == [id(STATE), id(ROWS)]
    assert Outer.from_arrays({"state": STATE}, **values).rows is None
    assert Outer.from_arrays({"state": STATE, "rows": ROWS}, rows=None, **values).rows is None
    with pytest.raises(TypeError, match=r"Outer\.state is not given, and no array has its name"):
        Outer.from_arrays({"rows": ROWS}, **values)


needs_nvrtc = pytest.mark.skipif(
    find_library() is None, reason="NVRTC is not installed: pip install nvidia-cuda-nvrtc"
)


class Numbers(KernelArguments):
    count: Int32
    out: Pointer[Float32]
    given: ConstPointer[Int32]


class Shares(Structure):
    base: Float32
    most: UInt64


class Offer(Sized):
    size = 32


class Choose(KernelArguments):
    offers: Pointer[Offer]
    shares: ConstPointer[Shares]


@pytest.fixture(scope="module")
def compiler() -> Compiler:
    return Compiler()


SHARES = "float base; unsigned long long most;"
OFFER = "struct Offer { long long gain; int2 links[3]; };"
CHOOSE = f"struct Shares {{ {SHARES} }};\n{OFFER}\n{Choose.declaration()}"


@needs_nvrtc
@pytest.mark.parametrize(
    ("kind", "right", "wrong", "complaint"),
    [
        *(
            (Numbers, Numbers.declaration(), f"struct Numbers {{ {members} }};\n", "Numbers")
            for members in (
                "int count; float* out; const int* given; int more;",
                "int count; const int* given; float* out;",
                "int count; float* out; int* given;",
                "unsigned count; float* out; const int* given;",
                "int count; float* out;",
            )
        ),
        (Choose, CHOOSE, CHOOSE.replace("links[3]", "links[4]"), "size of Offer"),
        (
            *(Choose, CHOOSE, CHOOSE.replace(SHARES, SHARES.replace("float", "unsigned"))),
            "Shares::base is not as declared in Python",
        ),
    ],
)
def test_structures_that_are_not_as_declared_are_complaints(
    compiler: Compiler, kind: type[KernelArguments], right: str, wrong: str, complaint: str
) -> None:
    source = KernelSource("made.cu", {"kernel": kind})
    for structures, expected in ((right, ""), (wrong, complaint)):
        kernel = f"__global__ void kernel(const {kind.__name__}) {{}}\n"
        text = structures + kernel + source.checks()
        outcome = compiler.compile("made.cu", text, ["kernel"], ("--std=c++17",), 90)
        assert expected in outcome.complaints
        assert bool(expected) == bool(outcome.complaints)


class Rank(enum.IntEnum):
    FIRST = 0
    LAST = 7


def module(**values: tuple[Any, Any]) -> types.ModuleType:
    """A module that declares these values, each with its type."""
    made = types.ModuleType("made")
    made.__annotations__ = {name: hint for name, (hint, _) in values.items()}
    vars(made).update({name: value for name, (_, value) in values.items()})
    return made


def declared(text: str) -> set[str]:
    """The names that a text gets of constants and enumerations in Python modules."""
    names = set()
    for file in re.findall(r'^#line 1 "(gpu/.*)\.py"$', text, re.MULTILINE):
        found = importlib.import_module(file.removesuffix("/__init__").replace("/", "."))
        names |= {re.findall(r"(\w+) =", line)[0] for line in constants_of(found)}
        for kind in vars(found).values():
            if isinstance(kind, type) and issubclass(kind, enum.IntEnum):
                names |= set(kind.__members__)
    return names


def test_declarations_in_c_are_those_in_python(golden: Golden) -> None:
    made = module(
        COUNT=(Int32, -3),
        MASK=(UInt32, 2**32 - 1),
        FAR=(Int64, -(2**40)),
        ALL=(UInt64, 2**64 - 1),
        SHARE=(Float32, np.float32(0.1)),
        PART=(Float64, 0.1),
        TERMS=(tuple[Float32, ...], (np.float32(1), np.float32(-0.5))),
        NOTE=(str, "of the host alone"),
    )
    text = [*constants_of(made), enumeration(Rank), Outer.declaration()]
    golden("declarations-in-c", "".join(text))
    assert list(Outer.structures()) == [Inner, Outer]


@pytest.mark.parametrize(
    ("hint", "value"), [(Int32, 2**31), (UInt32, -1), (Int32, 0.5), (Float32, 0.5), (Int32, "1")]
)
def test_a_number_that_is_not_of_its_type_is_refused(hint: Any, value: Any) -> None:
    with pytest.raises(TypeError, match="TILE_SIDE is of type"):
        list(constants_of(module(TILE_SIDE=(hint, value))))


@pytest.mark.parametrize("source", loader.sources().values(), ids=lambda source: source.name)
def test_a_text_declares_once_what_python_declares(source: loader.KernelSource) -> None:
    text = loader.source_text(source.file)
    names = declared(text)
    assert "LANES" in names or source is kernels_of_cuda.HOLD
    for name in names:
        again = rf"#\s*define {name}\b|constexpr [^;(]*\b{name} =|enum [^;]*\b{name}\b"
        assert len(re.findall(again, text)) == 1, name
    for kind in source.kernels.values():
        for structure in kind.structures():
            assert text.count(f"\nstruct {structure.__name__} {{\n") == 1


def test_every_text_follows_from_the_one_declaration(monkeypatch: pytest.MonkeyPatch) -> None:
    file, written = kernels.RLF_UPDATE.file, loader.source_text.__wrapped__
    assert "constexpr int TILE_SIDE = 64;" in loader.source_text(file)
    monkeypatch.setattr(kernels, "TILE_SIDE", 128)
    assert "constexpr int TILE_SIDE = 128;" in written(file)
    assert written(file).count("TILE_SIDE =") == 1

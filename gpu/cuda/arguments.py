"""A kernel's arguments: one C++ structure, declared once in Python beside the launcher.

A subclass of :class:`KernelArguments` names the fields of the structure in their order::

    class EvaporateTrails(KernelArguments):
        n: Int32
        keep: Float32
        trails: Pointer[Float32]
        weights: ConstPointer[Float32] | None

An instance checks its values and packs them to the bytes that C++ expects. The compilers check the
declaration against the C++ structure: see :meth:`KernelArguments.checks`.
"""

from __future__ import annotations

import functools
import struct
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

Array = Any
"""A device array; only the machine that made it looks inside."""

Element = TypeVar("Element")


@dataclass(frozen=True, slots=True)
class CType:
    """A C++ type.

    Attributes
    ----------
    name : str
        As C++ has it.
    dtype : str
        NumPy's name of its elements' type; empty where arrays of any type will do.
    code : str
        The ``struct`` module's letter of a value; empty for types that are only pointed to.
    """

    name: str
    dtype: str = ""
    code: str = ""


Int32 = Annotated[int, CType("int", "int32", "i")]
Int64 = Annotated[int, CType("long long", "int64", "q")]
UInt32 = Annotated[int, CType("unsigned", "uint32", "I")]
UInt64 = Annotated[int, CType("unsigned long long", "uint64", "Q")]
Float32 = Annotated[np.float32, CType("float", "float32", "f")]
Float64 = Annotated[float, CType("double", "float64", "d")]

UInt8 = Annotated[int, CType("unsigned char", "uint8")]
UInt16 = Annotated[int, CType("unsigned short", "uint16")]
Int2 = Annotated[Any, CType("int2", "int32")]
Int4 = Annotated[Any, CType("int4", "int32")]
UInt2 = Annotated[Any, CType("uint2", "uint32")]
UInt4 = Annotated[Any, CType("uint4", "uint32")]
Float4 = Annotated[Any, CType("float4", "float32")]
Void = Annotated[Any, CType("void")]


class Pointer(Generic[Element]):
    """The type of a field that points to a device array, which the kernel may write."""


class ConstPointer(Generic[Element]):
    """The type of a field that points to a device array, which the kernel only reads."""


class ColonyState:
    """What pointers to the colony's state point to; see colony_state.cuh."""


PREAMBLE = """
#if defined(FORMICARIUM_EMULATION) || __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1305
#define OFFSET_IS(structure, member, offset) (__builtin_offsetof(structure, member) == offset)
#else  // An older NVRTC has no offsetof, and checks size and types alone.
#define OFFSET_IS(structure, member, offset) true
#endif

template <class One, class Other>
struct SameType {
    static constexpr bool value = false;
};
template <class One>
struct SameType<One, One> {
    static constexpr bool value = true;
};
"""
"""What a text needs before the checks of its structures."""


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    offset: int
    c_type: str
    kinds: tuple[type, ...] = ()  # of a value
    dtype: str = ""  # of what is pointed to
    pointer: bool = False
    constant: bool = False
    optional: bool = False
    nested: type[KernelArguments] | None = None


@dataclass_transform(frozen_default=True, kw_only_default=True)
class KernelArguments:
    """Arguments of a kernel, which takes them as one structure of the same name.

    Raises
    ------
    TypeError
        If a value is not of its field's type, or an array not C-contiguous. Where a field is
        optional, None is a null pointer.
    """

    _fields: ClassVar[tuple[_Field, ...]]
    _format: ClassVar[str]
    _size: ClassVar[int]
    _alignment: ClassVar[int]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True, eq=False)(cls)
        fields, parts, end, widest = [], [], 0, 1
        hints = get_type_hints(cls, include_extras=True)
        for name in cls.__dataclass_fields__:  # type: ignore[attr-defined]
            field, part, size, alignment = _field(name, hints[name])
            offset = -(-end // alignment) * alignment
            parts.append(f"{offset - end}x{part}")
            fields.append(replace(field, offset=offset))
            end, widest = offset + size, max(widest, alignment)
        cls._alignment, cls._size = widest, -(-end // widest) * widest
        cls._fields = tuple(fields)
        cls._format = "".join(parts) + f"{cls._size - end}x"

    def __post_init__(self) -> None:
        for field in self._fields:
            _check(type(self).__name__, field, getattr(self, field.name))

    @functools.cached_property
    def packed(self) -> NDArray[Any]:
        """The structure's bytes as an array with one element, which CuPy passes by value."""
        data = struct.pack(f"<{self._format}", *self._values())
        return np.frombuffer(data, np.dtype((np.void, self._size)))

    def pointers(self, offset: int = 0) -> Iterator[tuple[int, Array, bool]]:
        """Yield where each array's address is, the array, and whether the kernel may write it."""
        for field in self._fields:
            value = getattr(self, field.name)
            if field.nested:
                yield from value.pointers(offset + field.offset)
            elif field.pointer and value is not None:
                yield offset + field.offset, value, not field.constant

    @classmethod
    def checks(cls, done: set[type[KernelArguments]]) -> str:
        """C++ that compiles only if the structure is as declared; adds what it checks to ``done``.

        Nested structures are checked too, each once; a text needs :data:`PREAMBLE` before.
        """
        if cls in done:
            return ""
        done.add(cls)
        lines = [field.nested.checks(done) for field in cls._fields if field.nested]
        name = cls.__name__
        lines.append(f'static_assert(sizeof({name}) == {cls._size}, "size of {name}");\n')
        lines += [
            f"static_assert(OFFSET_IS({name}, {field.name}, {field.offset}) &&\n"
            f"              SameType<decltype({name}::{field.name}), {field.c_type}>::value,\n"
            f'              "{name}::{field.name} is not as declared in Python");\n'
            for field in cls._fields
        ]
        return "".join(lines)

    def _values(self) -> Iterator[object]:
        for field in self._fields:
            value = getattr(self, field.name)
            if field.nested:
                yield from value._values()
            elif field.pointer:
                yield 0 if value is None else _address(value)
            else:
                yield value


def _field(name: str, hint: Any) -> tuple[_Field, str, int, int]:
    """The field at offset 0, its ``struct`` format, size and alignment."""
    if isinstance(hint, type) and issubclass(hint, KernelArguments):
        return (
            _Field(name, 0, hint.__name__, nested=hint),
            hint._format,
            hint._size,
            hint._alignment,
        )
    if get_origin(hint) is Annotated:
        c_type = get_args(hint)[1]
        size = struct.calcsize(f"<{c_type.code}")
        kinds = {"i": (int, np.integer), "f": (np.float32,), "d": (int, float)}
        allowed = kinds.get(c_type.code, kinds["i"])
        return _Field(name, 0, c_type.name, kinds=allowed), c_type.code, size, size
    optional = get_origin(hint) in (types.UnionType, Union)
    if optional:
        hint = next(one for one in get_args(hint) if one is not types.NoneType)
    if get_origin(hint) not in (Pointer, ConstPointer):
        raise TypeError(f"{name}: {hint} is not a type of a kernel's arguments")
    constant = get_origin(hint) is ConstPointer
    (element,) = get_args(hint)
    c_type = get_args(element)[1] if get_origin(element) is Annotated else CType(element.__name__)
    c_name = f"{'const ' if constant else ''}{c_type.name}*"
    field = _Field(
        name, 0, c_name, dtype=c_type.dtype, pointer=True, constant=constant, optional=optional
    )
    return field, "Q", 8, 8


def _check(structure: str, field: _Field, value: object) -> None:
    what = f"{structure}.{field.name}"
    if field.nested:
        if type(value) is not field.nested:
            raise TypeError(f"{what} is a {field.c_type}, but {type(value).__name__} given")
    elif not field.pointer:
        if not isinstance(value, field.kinds):
            raise TypeError(f"{what} is of type {field.c_type}, but {value!r} given")
    elif value is None:
        if not field.optional:
            raise TypeError(f"{what} may not be a null pointer")
    else:
        array: Array = value
        dtype = getattr(array, "dtype", None)
        if dtype is None or (field.dtype and dtype != field.dtype):
            given = repr(value) if dtype is None else f"an array of {dtype}"
            raise TypeError(f"{what} is of type {field.c_type}, but {given} given")
        if not array.flags.c_contiguous:
            raise TypeError(f"{what} is an array that is not C-contiguous")


def _address(array: Array) -> int:
    """Where a CuPy array is on the device, or a NumPy one in memory."""
    return int(array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr)

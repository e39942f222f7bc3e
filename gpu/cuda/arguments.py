"""A kernel's arguments: one structure, declared in Python beside the launcher.

A subclass of :class:`KernelArguments` names the fields of the structure in their order::

    class EvaporateTrails(KernelArguments):
        n: Int32
        keep: Float32  # 1 - rho
        trails: Pointer[Float32]
        weights: ConstPointer[Float32] | None

An instance checks its values and packs them to the bytes that C++ expects. The loader writes the
C++ structure of the same name into the kernel's text, and the compilers check that it lies in
memory as it is packed here: see :meth:`Structure.checks`.

Numbers that both sides need are declared in the same modules, with the type that C++ gives them::

    WARPS: Int32 = 4  # of a block

The loader writes them into the text too: see :func:`constants_of`.
"""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Self,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

Array = Any  # a device array; only the machine that made it looks inside
Arrays = Mapping[str, Array]  # a colony's device arrays by name, and numbers that kernels share

Element = TypeVar("Element")


@dataclass(frozen=True, slots=True)
class CType:
    """A C++ type."""

    name: str  # as C++ has it
    dtype: str = ""  # NumPy's name of its elements' type; empty where arrays of any type will do
    ending: str = ""  # of a number in a text


Int32 = Annotated[int, CType("int", "int32")]
Int64 = Annotated[int, CType("long long", "int64", "ll")]
UInt32 = Annotated[int, CType("unsigned", "uint32", "u")]
UInt64 = Annotated[int, CType("unsigned long long", "uint64", "ull")]
Float32 = Annotated[np.float32, CType("float", "float32", "f")]
Float64 = Annotated[float, CType("double", "float64")]

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
    c_type: str
    dtype: np.dtype[Any]
    kinds: tuple[type, ...] = ()  # of a value
    element: str = ""  # the dtype of what is pointed to
    pointer: bool = False
    constant: bool = False
    optional: bool = False
    nested: type[Structure] | None = None
    pointed: type | None = None  # the class of what is pointed to, if it is a structure


class Sized:
    """A structure that C++ declares; Python knows its size alone."""

    size: ClassVar[int]  # bytes


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Structure:
    """A structure in C++ that is declared here: kernels take it, or find it in device memory.

    Raises
    ------
    TypeError
        If a value is not of its field's type, or an array not C-contiguous. Where a field is
        optional, None is a null pointer.
    """

    header: ClassVar[str] = ""  # where C++ declares it, which it does if it has member functions
    dtype: ClassVar[np.dtype[Any]]  # as it lies in memory
    _fields: ClassVar[tuple[_Field, ...]] = ()

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True, eq=False)(cls)
        hints = get_type_hints(cls, include_extras=True)
        names = cls.__dataclass_fields__  # type: ignore[attr-defined]  # it is one now
        cls._fields = tuple(_field(name, hints[name]) for name in names)
        cls.dtype = np.dtype([(field.name, field.dtype) for field in cls._fields], align=True)

    @classmethod
    def from_arrays(cls, arrays: Arrays, **values: Any) -> Self:
        """Make one of ``values``; each other field is the array, or number, of its name.

        An optional pointer is null where there is no such array. A structure that is not there is
        made in the same way.
        """
        for field in cls._fields:
            name = field.name
            if name in values:
                continue
            if field.nested:
                found = arrays.get(name)
                made = isinstance(found, field.nested)
                values[name] = found if made else field.nested.from_arrays(arrays)
            elif name in arrays or field.optional:
                values[name] = arrays.get(name)
            else:
                raise TypeError(f"{cls.__name__}.{name} is not given, and no array has its name")
        return cls(**values)

    def __post_init__(self) -> None:
        for field in self._fields:
            _check(f"{type(self).__name__}.{field.name}", field, getattr(self, field.name))

    @functools.cached_property
    def packed(self) -> NDArray[Any]:
        """The structure's bytes as an array with one element, which CuPy passes by value."""
        return self._record().view(np.dtype((np.void, self.dtype.itemsize)))

    def pointers(self, offset: int = 0) -> Iterator[tuple[int, Array, bool]]:
        """Yield where each array's address is, the array, and whether the kernel may write it."""
        for field in self._fields:
            value = getattr(self, field.name)
            if field.nested:
                yield from value.pointers(offset + self.offset(field.name))
            elif field.pointer and value is not None:
                yield offset + self.offset(field.name), value, not field.constant

    @classmethod
    def structures(cls) -> Iterator[type[Structure]]:
        """Yield the structures that it contains, then itself: in the order that C++ needs."""
        for field in cls._fields:
            if field.nested:
                yield from field.nested.structures()
        if cls._fields:
            yield cls

    @classmethod
    def pointed(cls) -> Iterator[type[Structure | Sized]]:
        """Yield the structures that its pointers point to."""
        for field in cls._fields:
            if field.pointed and issubclass(field.pointed, (Structure, Sized)):
                yield field.pointed

    @classmethod
    def offset(cls, name: str) -> int:
        """Bytes before a field."""
        assert cls.dtype.fields is not None
        return int(cls.dtype.fields[name][1])

    @classmethod
    def declaration(cls) -> str:
        """The structure in C++."""
        fields = "".join(f"    {field.c_type} {field.name};\n" for field in cls._fields)
        return f"struct {cls.__name__} {{\n{fields}}};\n"

    @classmethod
    def checks(cls) -> str:
        """C++ that compiles only if the structure is as declared; needs :data:`PREAMBLE` before."""
        name = cls.__name__
        return size_check(name, cls.dtype.itemsize) + "".join(
            f"static_assert(OFFSET_IS({name}, {field.name}, {cls.offset(field.name)}) &&\n"
            f"              SameType<decltype({name}::{field.name}), {field.c_type}>::value,\n"
            f'              "{name}::{field.name} is not as declared in Python");\n'
            for field in cls._fields
        )

    def _record(self) -> NDArray[Any]:
        record = np.zeros(1, self.dtype)
        for field in self._fields:
            value = getattr(self, field.name)
            if field.nested:
                value = value._record()
            elif field.pointer:
                value = 0 if value is None else _address(value)
            record[field.name] = value
        return record


class KernelArguments(Structure):
    """Arguments of a kernel, which takes them as one structure of the same name."""


def size_check(structure: str, size: int) -> str:
    """C++ that compiles only if a structure has so many bytes."""
    return f'static_assert(sizeof({structure}) == {size}, "size of {structure}");\n'


def constants_of(module: types.ModuleType) -> Iterator[str]:
    """Yield the C++ of each constant that a module declares with the type of a number.

    Numbers of a tuple are declared one by one, with their places behind its name.

    Raises
    ------
    TypeError
        If a value is not of its type.
    """
    for name, hint in get_type_hints(module, include_extras=True).items():
        value = getattr(module, name)
        if get_origin(hint) is Annotated:
            yield _constant(name, hint, value)
        elif get_origin(hint) is tuple and get_origin(get_args(hint)[0]) is Annotated:
            for place, each in enumerate(value):
                yield _constant(f"{name}_{place}", get_args(hint)[0], each)


def enumeration(kind: type[enum.IntEnum]) -> str:
    """An enumeration in C++."""
    members = ", ".join(f"{member.name} = {member.value}" for member in kind)
    return f"enum {kind.__name__} : int {{ {members} }};\n"


def _constant(name: str, hint: Any, value: Any) -> str:
    field, c_type = _field(name, hint), get_args(hint)[1]
    _check(name, field, value)
    digits = float(value).hex() if field.dtype.kind == "f" else str(int(value))
    return f"[[maybe_unused]] constexpr {c_type.name} {name} = {digits}{c_type.ending};\n"


def _field(name: str, hint: Any) -> _Field:
    if isinstance(hint, type) and issubclass(hint, Structure):
        return _Field(name, hint.__name__, hint.dtype, nested=hint)
    if get_origin(hint) is Annotated:
        c_type = get_args(hint)[1]
        kinds = {Float32: (np.float32,), Float64: (int, float)}.get(hint, (int, np.integer))
        return _Field(name, c_type.name, np.dtype(c_type.dtype), kinds)
    optional = get_origin(hint) in (types.UnionType, Union)
    if optional:
        hint = next(one for one in get_args(hint) if one is not types.NoneType)
    if get_origin(hint) not in (Pointer, ConstPointer):
        raise TypeError(f"{name}: {hint} is not a type of a kernel's arguments")
    constant = get_origin(hint) is ConstPointer
    (element,) = get_args(hint)
    annotated = get_origin(element) is Annotated
    c_type = get_args(element)[1] if annotated else CType(f"struct {element.__name__}")
    c_name, flags = f"{'const ' if constant else ''}{c_type.name}*", (True, constant, optional)
    pointed = None if annotated else element
    return _Field(name, c_name, np.dtype(np.uint64), (), c_type.dtype, *flags, pointed=pointed)


def _check(what: str, field: _Field, value: Any) -> None:
    if field.nested:
        if type(value) is not field.nested:
            raise TypeError(f"{what} is of type {field.c_type}, but {type(value).__name__} given")
    elif not field.pointer:
        limits = None if field.dtype.kind == "f" else np.iinfo(field.dtype)
        right = isinstance(value, field.kinds)
        if not right or (limits and not limits.min <= value <= limits.max):
            raise TypeError(f"{what} is of type {field.c_type}, but {value!r} given")
    elif value is None:
        if not field.optional:
            raise TypeError(f"{what} may not be a null pointer")
    else:
        dtype = getattr(value, "dtype", None)
        if dtype is None or (field.element and dtype != field.element):
            given = repr(value) if dtype is None else f"an array of {dtype}"
            raise TypeError(f"{what} is of type {field.c_type}, but {given} given")
        if not value.flags.c_contiguous:
            raise TypeError(f"{what} is an array that is not C-contiguous")


def _address(array: Array) -> int:
    """Where a CuPy array is on the device, or a NumPy one in memory."""
    return int(array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr)


class ColonyState(Structure):
    """The few numbers that a colony keeps on the device between launches; described there."""

    header = "gpu/cuda/kernels/colony_state.cuh"

    iteration: UInt64
    running_best: UInt64
    running_sum: UInt64
    best_length: UInt64
    best_iteration: UInt64
    iteration_best: UInt64
    iteration_sum: UInt64
    local_hits: UInt64
    local_total: UInt64
    global_hits: UInt64
    global_total: UInt64
    finished: UInt32
    arrivals: UInt32

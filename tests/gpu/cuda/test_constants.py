"""Constants that kernels share with their launchers: declared in Python, and nowhere else."""

from __future__ import annotations

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
    Float32,
    Float64,
    Int32,
    Int64,
    UInt32,
    UInt64,
    constants_of,
    enumeration,
)
from gpu.rlf.cuda import kernels


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


def test_numbers_are_exactly_the_same_in_c() -> None:
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
    assert list(constants_of(made)) == [
        "[[maybe_unused]] constexpr int COUNT = -3;\n",
        "[[maybe_unused]] constexpr unsigned MASK = 4294967295u;\n",
        "[[maybe_unused]] constexpr long long FAR = -1099511627776ll;\n",
        "[[maybe_unused]] constexpr unsigned long long ALL = 18446744073709551615ull;\n",
        "[[maybe_unused]] constexpr float SHARE = 0x1.99999a0000000p-4f;\n",
        "[[maybe_unused]] constexpr double PART = 0x1.999999999999ap-4;\n",
        "[[maybe_unused]] constexpr float TERMS_0 = 0x1.0000000000000p+0f;\n",
        "[[maybe_unused]] constexpr float TERMS_1 = -0x1.0000000000000p-1f;\n",
    ]
    assert enumeration(Rank) == "enum Rank : int { FIRST = 0, LAST = 7 };\n"


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

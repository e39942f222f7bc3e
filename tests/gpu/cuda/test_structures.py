"""Structures of arguments are in C++ what Python says: the compiler checks it."""

from __future__ import annotations

import pytest

from gpu.cuda.arguments import (
    ConstPointer,
    Float32,
    Int32,
    KernelArguments,
    Pointer,
    Sized,
    Structure,
    UInt64,
)
from gpu.cuda.loader import KernelSource
from tests.compile_kernels import Compiler, find_library

pytestmark = pytest.mark.skipif(
    find_library() is None, reason="NVRTC is not installed: pip install nvidia-cuda-nvrtc"
)
STRUCTURE = "struct Numbers { int count; float* out; const int* given; };\n"


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


@pytest.mark.parametrize(
    "members",
    [
        "int count; float* out; const int* given; int more;",
        "int count; const int* given; float* out;",
        "int count; float* out; int* given;",
        "unsigned count; float* out; const int* given;",
        "int count; float* out;",
    ],
)
def test_structures_that_are_not_as_declared_are_complaints(
    compiler: Compiler, members: str
) -> None:
    source = KernelSource("numbers.cu", {"kernel": Numbers})
    for structure, good in ((STRUCTURE, True), (f"struct Numbers {{ {members} }};\n", False)):
        text = structure + "__global__ void kernel(const Numbers) {}\n" + source.checks()
        outcome = compiler.compile("numbers.cu", text, ["kernel"], ("--std=c++17",), 90)
        assert (outcome.complaints == "") is good


@pytest.mark.parametrize(
    ("members", "good"),
    [
        ("long long gain; int2 links[3]", True),
        ("long long gain; int2 links[4]", False),
    ],
)
def test_a_structure_of_another_size_than_python_counts_is_a_complaint(
    compiler: Compiler, members: str, good: bool
) -> None:
    source = KernelSource("choose.cu", {"kernel": Choose})
    text = (
        "struct Shares { float base; unsigned long long most; };\n"
        f"struct Offer {{ {members}; }};\n"
        f"{Choose.declaration()}__global__ void kernel(const Choose) {{}}\n{source.checks()}"
    )
    outcome = compiler.compile("choose.cu", text, ["kernel"], ("--std=c++17",), 90)
    assert (outcome.complaints == "") is good
    assert good or "size of Offer" in outcome.complaints


def test_a_structure_in_memory_that_is_not_as_declared_is_a_complaint(compiler: Compiler) -> None:
    source = KernelSource("choose.cu", {"kernel": Choose})
    text = (
        "struct Shares { unsigned base; unsigned long long most; };\n"
        "struct Offer { long long gain; int2 links[3]; };\n"
        f"{Choose.declaration()}__global__ void kernel(const Choose) {{}}\n{source.checks()}"
    )
    outcome = compiler.compile("choose.cu", text, ["kernel"], ("--std=c++17",), 90)
    assert "Shares::base is not as declared in Python" in outcome.complaints

"""The compile check sees warnings, errors and spilled registers."""

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
from tests.compile_kernels import Compiler, chosen_architectures, find_library, main

pytestmark = pytest.mark.skipif(
    find_library() is None, reason="NVRTC is not installed: pip install nvidia-cuda-nvrtc"
)

GOOD = """
template <int n>
__global__ void copies(const float* in, float* out) {
    __shared__ float cells[n];
    cells[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = cells[n - 1 - threadIdx.x];
}
"""
WARNS = "__global__ void warns(int* out) { int unused; out[0] = 1; }"
WARNS_BETWEEN = (
    f"#if __CUDA_ARCH__ == 860\n{WARNS}\n#else\n__global__ void warns(int*) {{}}\n#endif"
)
WRONG = "__global__ void wrong(int* out) { out[0] = absent; }"
STRUCTURE = "struct Numbers { int count; float* out; const int* given; };\n"
# The bound leaves 64 registers a thread, and more than that many values are alive at once.
SPILLS = """
__global__ void __launch_bounds__(1024, 1) spills(const double* in, double* out) {
    double values[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) values[i] = in[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 64; ++i) out[i * 1024 + threadIdx.x] = values[i] * values[(i * 7 + 1) % 64];
}
"""


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


def test_every_instantiation_is_reported(compiler: Compiler) -> None:
    outcome = compiler.compile("good.cu", GOOD, ["copies<32>", "copies<64>"], (), 90)
    assert outcome.complaints == ""
    used = {usage.name: usage for usage in outcome.usages}
    assert {name: usage.shared for name, usage in used.items()} == {
        "copies<32>": 128,
        "copies<64>": 256,
    }
    assert all(usage.registers > 0 and usage.spills == 0 for usage in used.values())


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [(WARNS, "warns", 'variable "unused" was declared'), (WRONG, "wrong", '"absent" is undefined')],
)
def test_warnings_and_errors_are_complaints(
    compiler: Compiler, text: str, name: str, message: str
) -> None:
    assert message in compiler.compile("bad.cu", text, [name], (), 90).complaints


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


def test_spilled_registers_are_reported(compiler: Compiler) -> None:
    outcome = compiler.compile("spills.cu", SPILLS, ["spills"], (), 90)
    assert outcome.complaints == ""
    (usage,) = outcome.usages
    assert usage.spills > 0
    assert "SPILLED" in str(usage)


def test_architectures_are_the_ends_and_those_that_get_other_code(compiler: Compiler) -> None:
    supported = (75, 80, 86, 89, 90, 100, 120)
    assert chosen_architectures("", supported) == (75, 120)
    assert chosen_architectures("#if __CUDA_ARCH__ >= 800", supported) == (75, 120)
    assert chosen_architectures("#if __CUDA_ARCH__ < 900", supported) == (75, 120)
    other = "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ != 860"
    assert chosen_architectures(other, supported) == (75, 86, 120)
    assert chosen_architectures(f"{other}\n#if __CUDA_ARCH__ >= 900", supported) == (
        75,
        80,
        86,
        120,
    )
    assert chosen_architectures("", compiler.architectures())[0] == 75
    with pytest.raises(RuntimeError, match="does not compile for sm_75"):
        chosen_architectures("", (80, 90, 100))


def test_the_check_fails_on_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {
        "good.cu": STRUCTURE + GOOD,
        "warns.cu": STRUCTURE + WARNS,
        "between.cu": STRUCTURE + WARNS_BETWEEN,
    }
    monkeypatch.setattr("gpu.cuda.loader.source_text", texts.__getitem__)
    monkeypatch.setattr(
        "gpu.cuda.loader.sources",
        lambda: {
            file: KernelSource(file, {"copies<32>" if file == "good.cu" else "warns": Numbers})
            for file in texts
        },
    )
    assert main(["good.cu"]) == 0
    assert "good.cu sm_75: 1 kernels" in capsys.readouterr().out
    assert main() == 1
    printed = capsys.readouterr().out
    assert "unused" in printed
    assert "warns.cu sm_75: 1 kernels" in printed
    assert printed.count("FAILED") == 3

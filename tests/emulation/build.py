"""Build programs that run kernels on the CPU, with g++ and a header that stands in for CUDA."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpu.cuda import loader

HERE = Path(__file__).parent
RUNTIME = HERE / "runtime"
STAND_IN = HERE / "stand_in"
ROOT = HERE.parents[1]
CACHE = ROOT / ".pytest_cache" / "d" / "emulation"
KEPT_BUILDS = 60

COMMON_FLAGS = ("-std=c++17", "-g1", "-fno-omit-frame-pointer", "-ffp-contract=off")
SANITIZERS = ("-fsanitize=address,undefined",)
# The scheduler itself is not instrumented: it is what has to be fast.
RUNTIME_FLAGS = (*COMMON_FLAGS, "-O2")
KERNEL_FLAGS = (
    *COMMON_FLAGS,
    *SANITIZERS,
    "-Og",
    "-fno-sanitize-recover=all",
    "-fno-strict-aliasing",  # vector loads from arrays of scalars, as nvcc allows
    "-Werror=return-type",
    "-Werror=uninitialized",
)

_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_DYNAMIC_SHARED = re.compile(
    r"\bextern\s+__shared__\s+(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?"
    r"([\w:<>,\s]+?)\s+(\w+)\s*\[\s*\]\s*;"
)
_STATIC_SHARED = re.compile(r"\b__shared__\s+([^;=]+);")
_DECLARED = re.compile(r"(\w+)\s*(?:\[[^]]*\]\s*)*(?=,|$)")


class EmulationError(AssertionError):
    """A kernel that does not compile, that broke a rule of CUDA or that a sanitizer stopped."""


def compiler() -> str | None:
    """Return the path of g++, or None where there is none."""
    return shutil.which("g++")


def source_of(file: str | Path) -> str:
    """Return the text of a kernel source: one that is declared for the loader, or any other."""
    if str(file) in loader.sources():
        return loader.source_text(loader.sources()[str(file)].file)
    path = Path(file)
    path = path if path.is_absolute() or path.exists() else ROOT / path
    return f'#line 1 "{path}"\n{path.read_text(encoding="utf-8")}'


def build(
    file: str | Path,
    instantiations: Sequence[str] | None = None,
    *,
    defines: Mapping[str, str | int] | None = None,
    arch: int = 90,
) -> Path:
    """Compile the kernels of one source and return the program that runs them.

    Parameters
    ----------
    file : str or Path
        The name of a source of ours, or a ``.cu`` file, as given, or from the root of the project.
    instantiations : sequence of str, optional
        C++ name expressions of kernels, as NVRTC takes them; without them, all that are declared
        for a file of ours, whose structures of arguments are checked too.
    defines : mapping, optional
        Macros.
    arch : int
        Compute capability times ten, for ``__CUDA_ARCH__``.

    Raises
    ------
    EmulationError
        If g++ does not accept the source; with its messages.
    """
    checks = ""
    if instantiations is None:
        declared = loader.sources()[str(file)]
        instantiations, checks = tuple(declared.kernels), declared.checks()
    macros = {"__CUDA_ARCH__": arch * 10, **(defines or {})}
    text = "".join(f"#define {name} {value}\n" for name, value in macros.items())
    text += '#include "cuda.hpp"\nnamespace {\n'
    text += _without_shared(source_of(file))
    text += '#line 1 "declarations in Python"\n' + checks
    text += '#line 1 "instantiations"\n'
    for number, name in enumerate(instantiations):
        literal = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        text += f"const bool added_{number} = ::emulation::add_kernel<(&{name})>({literal});\n"
    text += "}\n"
    CACHE.mkdir(parents=True, exist_ok=True)
    runtime = [str(path) for path in _runtime_objects()]
    headers = [path.read_text(encoding="utf-8") for path in sorted(STAND_IN.iterdir())]
    program = CACHE / f"{Path(file).stem}-{_digest(text, *headers, *KERNEL_FLAGS, *runtime)}"
    if not program.exists():
        _prune()
        source = program.with_suffix(".cpp")
        source.write_text(text, encoding="utf-8")
        _compile(program, [*KERNEL_FLAGS, f"-I{STAND_IN}", f"-I{RUNTIME}", str(source), *runtime])
    else:
        os.utime(program)
    return program


def _without_shared(text: str) -> str:
    """Turn declarations of shared memory, which no macro could, into what ``cuda.hpp`` defines."""
    text = _COMMENT_OR_STRING.sub(
        lambda found: found[0] if found[0][0] == '"' else " " + "\n" * found[0].count("\n"), text
    )
    return _STATIC_SHARED.sub(_static_shared, _DYNAMIC_SHARED.sub(_dynamic_shared, text))


def _dynamic_shared(match: re.Match[str]) -> str:
    lines = "\n" * match[0].count("\n")  # messages keep their line numbers
    return f"EMULATION_DYNAMIC_SHARED({match[2]}, {' '.join(match[1].split())});{lines}"


def _static_shared(match: re.Match[str]) -> str:
    names = _DECLARED.findall(match[1])
    structure = f"Shared_{names[0]}"
    variables = "".join(f" EMULATION_SHARED({name}, {structure});" for name in names)
    return f"struct {structure} {{ {match[1]}; }};{variables}"


def _runtime_objects() -> list[Path]:
    """Compile the runtime, each part once, whatever the kernels are."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(RUNTIME.iterdir())]
    digest = _digest(*texts, *RUNTIME_FLAGS)
    objects = []
    for source in sorted(RUNTIME.glob("*.cpp")):
        output = CACHE / f"{source.stem}-{digest}.o"
        if output.exists():
            os.utime(output)  # in use, however long ago it was made
        else:
            _compile(output, [*RUNTIME_FLAGS, "-c", str(source)])
        objects.append(output)
    return objects


def _digest(*texts: str) -> str:
    hashed = hashlib.sha256("\0".join(texts).encode())
    return hashed.hexdigest()[:20]


def _compile(output: Path, arguments: list[str]) -> None:
    gxx = compiler()
    if gxx is None:
        raise EmulationError("there is no g++; install the package g++")
    handle, temporary = tempfile.mkstemp(dir=CACHE)  # so that no half-written build is ever run
    os.close(handle)
    try:
        done = subprocess.run(
            [gxx, *arguments, "-o", temporary], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise EmulationError(f"g++ does not accept {output.stem}:\n{done.stderr}")
        Path(temporary).replace(output)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _prune() -> None:
    files = sorted(CACHE.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[2 * KEPT_BUILDS :]:  # a program and its source
        path.unlink(missing_ok=True)

"""Each inner part of Numba does what it is used for; a failure says which one has changed."""

import importlib
import inspect
import subprocess
import sys
from typing import Any

import numba
import numpy as np
import pytest

from gpu.cpu import compilation

USED = {
    "numba.core.codegen.JITCodeLibrary._optimize_final_module": "parts are optimized once",
    "numba.core.codegen.JITCodeLibrary._finalize_final_module": "parts are optimized once",
    "numba.core.codegen.JITCodeLibrary.get_pointer_to_function": "parts have no machine code",
    "numba.core.codegen.JITCodeLibrary.codegen": "parts have no place for Python's objects",
    "numba.core.codegen.JITCPUCodegen.set_env": "parts have no place for Python's objects",
    "numba.core.compiler.Compiler.define_pipelines": "parts have a place of their own for the code",
    "numba.core.codegen.JITCPUCodegen.magic_tuple": "code for another processor is never loaded",
    "numba.core.compiler.CompileResult._reduce": "compiled functions are kept",
    "numba.core.compiler.CompileResult._rebuild": "compiled functions are loaded",
    "numba.core.codegen.JITCodeLibrary._get_module_for_linking": "only machine code is kept",
    "numba.core.serialize.dumps": "compiled functions are kept",
    "numba.np.linalg.ensure_blas": "a process does not import SciPy's linear algebra to begin",
    "numba.core.event.Listener": "the window says how far the compilation is",
}


@pytest.mark.parametrize("part", USED)
def test_numba_has_the_part(part: str) -> None:
    words = part.split(".")
    found: Any = importlib.import_module(".".join(words[:3]))
    for word in words[3:]:
        found = getattr(found, word, None)
        assert found is not None, f"Numba has no {part} any more: without it not ({USED[part]})"


def test_a_compiled_function_needs_no_linear_algebra() -> None:
    code = """
import sys
import numpy as np
from gpu.cpu.first_colorings import largest_first_coloring
from gpu.problems.coloring.instance import GraphInstance
largest_first_coloring(GraphInstance("edge", "", 2, np.array([[0, 1]])))
assert "scipy.linalg" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@compilation.compiled
def _total(values: Any) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


def _twice(values: Any) -> float:
    return 2 * _total(values)


def test_parts_are_compiled_with_what_calls_them_and_count_no_references() -> None:
    twice: Any = numba.njit(**compilation._OPTIONS)(_twice)
    part: Any = _total
    assert twice(np.ones(3)) == 6
    (made,) = part.overloads.values()
    assert made.library.get_pointer_to_function(made.fndesc.llvm_func_name) == 0
    assert "fadd" in made.library.get_llvm_str()  # but its text, for whoever calls it
    (code,) = twice.inspect_llvm().values()
    assert "NRT_incref" not in code, "the option _nrt has no effect: ants take six times as long"


def test_what_is_kept_is_asked_for() -> None:
    twice: Any = compilation.cached(_twice)
    assert twice(np.ones(3)) == 6
    (made,) = twice.overloads.values()
    text = made.library._get_module_for_linking()
    assert not list(text.functions), "code is kept with its text: it takes 60 % more, and time"
    assert sum(twice.stats.cache_hits.values()) + sum(twice.stats.cache_misses.values()) == 1
    assert compilation.is_kept(twice, *twice.signatures)
    calls = inspect.getsource(type(twice).compile)
    for used in ("self._cache.load_overload(", "self._cache.save_overload(", "numba:compile"):
        assert used in calls, f"Numba's dispatcher does not call {used} any more"

"""Each inner part of Numba that a shortcut replaces is there; what is compiled stays the same."""

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gpu.cpu import numba_shortcuts

USED = {
    "numba.core.targetconfig.TargetConfig._values": "options are compared at each look",
    "numba.core.ir.Inst._rec_list_vars": "variables are found by a slow recursion",
    "numba.core.postproc.PostProcessor.run": "lives of variables are followed after each pass",
    "numba.core.types.Function.get_call_type": "all kinds of an operator are tried at each use",
    "numba.core.errors._termcolor_inst": "messages that nobody reads are painted",
    "numba.core.typing.templates._OverloadFunctionTemplate._get_jit_decorator": (
        "Numba's own functions are optimized and made machine code of one by one"
    ),
}

PROGRAM = """
import sys
import numpy as np
from gpu.cpu import numba_shortcuts
if sys.argv[1] == "without":
    numba_shortcuts.take_shortcuts = lambda: None
from gpu.cpu import compilation
import numba

@compilation.compiled
def smallest(values):
    place = values.argmin()
    return place, min(values[place], values[0]) ** 2

def work(values, weights):
    total = 0.0
    for step, value in enumerate(values):
        if step & 1 and value < weights.sum():
            total += value / (weights[step % weights.size] + 1)
        elif value > 3:
            total = max(total, -value)
    place, least = smallest(values)
    return total + least, place, np.float32(total), int(total) // 3

made = numba.njit(**compilation._OPTIONS)(work)
rng = np.random.default_rng(5)
print(made(rng.normal(size=99), rng.uniform(size=7).astype(np.float32)))
print(made(rng.integers(0, 99, 50), rng.integers(0, 9, 5)))
print([str(one.signature) for one in made.overloads.values()])
(one, *_) = smallest.overloads.values()
print(len(one.library.get_llvm_str()) > 0)
"""


@pytest.mark.parametrize("part", USED)
def test_numba_has_the_part(part: str) -> None:
    words = part.split(".")
    depth = next(d for d in range(len(words), 0, -1) if _is_module(".".join(words[:d])))
    found: Any = importlib.import_module(".".join(words[:depth]))
    for word in words[depth:]:
        assert hasattr(found, word), f"Numba has no {part} any more: without it, {USED[part]}"
        found = getattr(found, word)


def _is_module(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def test_llvm_s_lock_has_listeners_that_nobody_needs() -> None:
    importlib.import_module("gpu.cpu.compilation")
    lock: Any = importlib.import_module("llvmlite.binding").ffi.lib
    assert lock._lock._cblist == []


def test_every_shortcut_is_taken() -> None:
    taken = inspect.getsource(numba_shortcuts.take_shortcuts)
    made = [name for name in vars(numba_shortcuts) if name.startswith("_") and name[1:2].islower()]
    functions = [name for name in made if inspect.isfunction(getattr(numba_shortcuts, name))]
    for name in functions:
        if name != "_same":
            assert f"{name}()" in taken


def test_what_is_compiled_is_the_same_without_shortcuts(tmp_path: Path) -> None:
    outputs = []
    for word in ("with", "without"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, word],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / word)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]

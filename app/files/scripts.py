"""Scripts of demonstrations: TOML files with the steps that a window goes through."""

from __future__ import annotations

import difflib
import importlib.resources
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from app.files.library import find_path
from gpu import catalog
from gpu.core.errors import FormicariumError
from gpu.core.files import exists, read_regular
from gpu.core.random import SEEDS
from gpu.core.toml import table_of
from gpu.core.words import shown
from gpu.run.stopping import StopSettings

MOST_STEPS, MOST_VIEWS = 1000, 3
LONGEST_TEXT = 500  # characters of a caption
LONGEST_WAIT = 86_400.0  # seconds

Wait = float | Literal["click", "end"]

_HEAD = re.compile(r"\s*\[\[\s*step\s*\]\]")


class ScriptError(FormicariumError):
    """A script that cannot be played; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step. What it does, it does in the order of these fields."""

    line: int = 0  # of the file, where it begins; 0 if that is not known
    theme: str = ""  # "light" or "dark"
    open: Path | None = None  # an instance, or a recorded run
    device: str = ""
    colony: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)  # when the run ends
    seed: int | None = None
    pace: float | None = None  # iterations a second, 0 for full speed
    show: tuple[str, ...] = ()  # names of views
    say: str | None = None  # the caption from now on
    run: str = ""  # "start" (or go on), "pause" or "stop"
    run_to: int = 0  # iteration after which the run pauses
    decision: tuple[int, int] | None = None  # ant and step, both from 1
    wait: Wait = "click"  # for the speaker, for the end of the run, or seconds


@dataclass(frozen=True, slots=True)
class Script:
    """A demonstration."""

    path: Path
    title: str
    steps: tuple[Step, ...]


def example() -> Path:
    """Return the script that comes with the program."""
    return Path(str(importlib.resources.files("resources") / "scripts" / "first-steps.toml"))


def load_script(path: Path) -> Script:
    """Read the script at ``path``; raises ScriptError."""
    data = read_regular(path, ScriptError, "it is empty; a script has tables [[step]]")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ScriptError(f"{path}, line {line}: it is not UTF-8; save it as UTF-8") from None
    try:
        table = table_of(text, ScriptError)
    except ScriptError as error:
        raise ScriptError(f"{path}: {error}") from None
    for name in table:
        if name not in ("title", "step"):
            known = "a script has a title and tables [[step]]"
            raise ScriptError(f"{path}: there is no {shown(name, 40)!r}: {known}")
    title, steps = table.get("title", path.stem), table.get("step")
    if not isinstance(title, str):
        raise ScriptError(f"{path}: the title must be a text")
    if not isinstance(steps, list) or not steps or not all(isinstance(s, dict) for s in steps):
        raise ScriptError(f"{path}: it has no steps: begin each of them with a line [[step]]")
    if len(steps) > MOST_STEPS:
        raise ScriptError(f"{path}: it has {len(steps)} steps; at most {MOST_STEPS} are played")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _HEAD.match(line)]
    if len(lines) != len(steps):
        lines = [0] * len(steps)
    return Script(
        path,
        shown(title, LONGEST_TEXT),
        tuple(
            _step(path, number, line, values)
            for number, (line, values) in enumerate(zip(lines, steps, strict=True), 1)
        ),
    )


def _step(path: Path, number: int, line: int, values: Mapping[str, Any]) -> Step:
    """Return a step of what its table has."""
    read: dict[str, object] = {"line": line}
    where = f"{path}, line {line}" if line else f"{path}, step {number}"
    for name, value in values.items():
        if name not in _READERS:
            near = difflib.get_close_matches(name, _READERS, 1)
            meant = f"did you mean {near[0]}?" if near else f"a step has {', '.join(_READERS)}"
            raise ScriptError(f"{where}: there is no {shown(name, 40)!r} ({meant})")
        try:
            read[name] = _READERS[name](value, path)
        except ScriptError as error:
            raise ScriptError(f"{where}: {name} {error}") from None
        except FormicariumError as error:
            raise ScriptError(f"{where}: {name}: {error}") from None
    step = Step(**read)  # type: ignore[arg-type]  # each reader returns what its field takes
    if step.run and step.run_to:
        raise ScriptError(f"{where}: run and run_to are one too many; leave one of them out")
    return step


def _text(value: Any, _: Path) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise ScriptError(f"must be a text of at most {LONGEST_TEXT} characters")
    return shown(value, LONGEST_TEXT)


def _one_of(*allowed: str) -> Callable[[Any, Path], str]:
    def read(value: Any, _: Path) -> str:
        if value not in allowed or not isinstance(value, str):
            raise ScriptError(f"must be one of {', '.join(allowed)}")
        return value

    return read


def _number(least: float, most: float) -> Callable[[Any, Path], float]:
    def read(value: Any, _: Path) -> float:
        if type(value) not in (int, float) or not least <= value <= most:
            raise ScriptError(f"must be a number from {least:g} to {most:g}")
        return float(value)

    return read


def _whole(least: int, most: int) -> Callable[[Any, Path], int]:
    def read(value: Any, _: Path) -> int:
        if type(value) is not int or not least <= value <= most:
            raise ScriptError(f"must be a whole number from {least} to {most}")
        return value

    return read


def _instance(value: Any, script: Path) -> Path:
    """Return a file beside the script, one of this path, or one that comes with the program."""
    text = _text(value, script)
    beside = script.parent / text
    return beside.absolute() if exists(beside) else find_path(text).absolute()


def _colony(value: Any, script: Path) -> str:
    return catalog.named(_text(value, script)).name


def _table(value: Any, _: Path) -> Mapping[str, object]:
    if not isinstance(value, dict) or any(
        type(one) not in (int, float, str, bool) for one in value.values()
    ):
        raise ScriptError("must be a table of numbers and texts, such as { ants = 32 }")
    return value


def _limits(value: Any, script: Path) -> Mapping[str, object]:
    return StopSettings.from_dict(_table(value, script)).to_dict()


def _views(value: Any, _: Path) -> tuple[str, ...]:
    from views.frame.view_table import VIEWS

    known = list(dict.fromkeys(row.view.name() for row in VIEWS))
    some = isinstance(value, list) and 1 <= len(value) <= MOST_VIEWS
    if not some or not all(one in known for one in value) or len(set(value)) < len(value):
        raise ScriptError(f"must be a list of one to three of {', '.join(known)}")
    return tuple(value)


def _decision(value: Any, path: Path) -> tuple[int, int]:
    most = 2**31 - 1
    if not isinstance(value, dict) or set(value) != {"ant", "step"}:
        raise ScriptError("must be a table such as { ant = 1, step = 5 }")
    ant, step = (_whole(1, most)(value[name], path) for name in ("ant", "step"))
    return ant, step


def _wait(value: Any, path: Path) -> Wait:
    if value in ("click", "end"):
        found: Wait = value
        return found
    if type(value) in (int, float) and 0 <= value <= LONGEST_WAIT and math.isfinite(value):
        return float(value)
    raise ScriptError(f'must be "click", "end", or seconds from 0 to {LONGEST_WAIT:g}')


_READERS: dict[str, Callable[[Any, Path], object]] = {
    "theme": _one_of("light", "dark"),
    "open": _instance,
    "device": _text,
    "colony": _colony,
    "parameters": _table,
    "limits": _limits,
    "seed": _whole(0, SEEDS - 1),
    "pace": _number(0, 20),
    "show": _views,
    "say": _text,
    "run": _one_of("start", "pause", "stop"),
    "run_to": _whole(1, 10**9),
    "decision": _decision,
    "wait": _wait,
}

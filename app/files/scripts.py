"""Scripts of demonstrations: TOML files with the steps that a window goes through."""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from app.files.library import find_path
from gpu import catalog
from gpu.core.errors import FormicariumError
from gpu.core.files import exists, read_regular
from gpu.core.random import SEEDS, checked_seed
from gpu.core.records import need_known_keys, record_of
from gpu.core.toml import table_of
from gpu.core.words import shown
from gpu.run.stopping import StopSettings

SCRIPT_STEPS_MOST, MOST_VIEWS = 1000, 3
CAPTION_LONGEST = 500  # characters of a caption
SCRIPT_WAIT_LONGEST = 86_400.0  # seconds

Wait = float | Literal["click", "end"]

_STEP_HEAD = re.compile(r"\s*\[\[\s*step\s*\]\]")


class ScriptError(FormicariumError):
    """A script that cannot be played; the message says where and why."""


@dataclass(frozen=True, slots=True)
class ScriptStep:
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
    steps: tuple[ScriptStep, ...]


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
    need_known_keys(table, ("title", "step"), ScriptError, str(path))
    title, steps = table.get("title", path.stem), table.get("step")
    if not isinstance(title, str):
        raise ScriptError(f"{path}: the title must be a text")
    if not isinstance(steps, list) or not steps or not all(isinstance(s, dict) for s in steps):
        raise ScriptError(f"{path}: it has no steps: begin each of them with a line [[step]]")
    if len(steps) > SCRIPT_STEPS_MOST:
        raise ScriptError(
            f"{path}: it has {len(steps)} steps; at most {SCRIPT_STEPS_MOST} are played"
        )
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _STEP_HEAD.match(line)]
    if len(lines) != len(steps):
        lines = [0] * len(steps)
    return Script(
        path,
        shown(title, CAPTION_LONGEST),
        tuple(
            _step(path, number, line, values)
            for number, (line, values) in enumerate(zip(lines, steps, strict=True), 1)
        ),
    )


def _step(path: Path, number: int, line: int, values: Mapping[str, Any]) -> ScriptStep:
    """Return a step of what its table has."""
    read: dict[str, Any] = {"line": line}
    where = f"{path}, line {line}" if line else f"{path}, step {number}"
    need_known_keys(values, _FIELDS, ScriptError, where)
    for name, value in values.items():
        kind, wanted, finish = _FIELDS[name]
        try:
            read[name] = record_of(kind, value, ScriptError, "")
        except ScriptError as error:
            raise ScriptError(f"{where}: {name} must be {wanted}") from error
        try:
            read[name] = finish(read[name], path)
        except FormicariumError as error:
            raise ScriptError(f"{where}: {name}: {error}") from None
    step = ScriptStep(**read)
    if step.run and step.run_to:
        raise ScriptError(f"{where}: run and run_to are one too many; leave one of them out")
    return step


def _as_it_is(value: Any, _: Path) -> Any:
    return shown(value, CAPTION_LONGEST) if isinstance(value, str) else value


def _instance(text: str, script: Path) -> Path:
    """Return a file beside the script, one of this path, or one that comes with the program."""
    beside = script.parent / text
    return beside.absolute() if exists(beside) else find_path(text).absolute()


def _views(names: tuple[str, ...], _: Path) -> tuple[str, ...]:
    from views.frame.view_table import VIEWS

    known = list(dict.fromkeys(row.view.name() for row in VIEWS))
    if not all(one in known for one in names) or len(set(names)) < len(names):
        raise ScriptError(f"the views are {', '.join(known)}, each of them once")
    return names


_Text = Annotated[str, Meta(max_length=CAPTION_LONGEST)]
_Values = dict[str, int | float | str | bool]


@dataclass(frozen=True, slots=True)
class _DecisionInFile:
    ant: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    step: Annotated[int, Meta(ge=1, le=2**31 - 1)]


_A_TEXT = f"a text of at most {CAPTION_LONGEST} characters"
_A_TABLE = "a table of numbers and texts, such as { ants = 32 }"

# What a step may have: its type, in words, and what becomes of it.
_FIELDS: Mapping[str, tuple[Any, str, Callable[[Any, Path], Any]]] = {
    "theme": (Literal["light", "dark"], "one of light, dark", _as_it_is),
    "open": (_Text, _A_TEXT, _instance),
    "device": (_Text, _A_TEXT, _as_it_is),
    "colony": (_Text, _A_TEXT, lambda text, _: catalog.named(text).name),
    "parameters": (_Values, _A_TABLE, _as_it_is),
    "limits": (_Values, _A_TABLE, lambda table, _: StopSettings.from_dict(table).to_dict()),
    "seed": (int, f"a whole number from 0 to {SEEDS - 1}", lambda seed, _: checked_seed(seed)),
    "pace": (Annotated[float, Meta(ge=0, le=20)], "a number from 0 to 20", _as_it_is),
    "show": (
        Annotated[tuple[str, ...], Meta(min_length=1, max_length=MOST_VIEWS)],
        "a list of one to three views",
        _views,
    ),
    "say": (_Text, _A_TEXT, _as_it_is),
    "run": (Literal["start", "pause", "stop"], "one of start, pause, stop", _as_it_is),
    "run_to": (
        Annotated[int, Meta(ge=1, le=10**9)],
        "a whole number from 1 to 1000000000",
        _as_it_is,
    ),
    "decision": (
        _DecisionInFile,
        "a table such as { ant = 1, step = 5 }",
        lambda one, _: (one.ant, one.step),
    ),
    "wait": (
        Literal["click", "end"] | Annotated[float, Meta(ge=0, le=SCRIPT_WAIT_LONGEST)],
        f'"click", "end", or seconds from 0 to {SCRIPT_WAIT_LONGEST:g}',
        _as_it_is,
    ),
}

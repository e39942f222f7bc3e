"""Lists of colonies, devices and instances, for people and as JSON."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Sequence

from app.cli.terminal import aligned, table
from app.files import downloads
from gpu import catalog
from gpu.core.formats import parameter_value
from gpu.core.machine import devices
from gpu.core.parameters import Parameters
from gpu.core.system import System
from gpu.core.tables import Column
from gpu.core.words import counted
from gpu.problems.bundled import bundled


def colony_rows() -> list[dict[str, object]]:
    """Return the catalog, ready for JSON."""
    plain = ("name", "title", "problem", "alias", "paper", "made_of", "summary", "deterministic")
    return [
        {name: getattr(system, name) for name in plain}
        | {"runs_on": list(system.builders), "parameters": _parameter_rows(system.parameters)}
        for system in catalog.CATALOG
    ]


def _parameter_rows(kind: type[Parameters]) -> list[dict[str, object]]:
    """Return the parameters of one kind; ``default`` None is ``automatic``."""
    defaults = kind().to_dict()
    return [
        {
            "name": name,
            "symbol": explanation.symbol,
            "text": explanation.text,
            "default": defaults[name],
            "automatic": explanation.automatic or None,
            "range": explanation.range_text,
            "options": dict(explanation.options) or None,
            "live": explanation.live,
        }
        for name, explanation in kind.explanations().items()
    ]


def colonies_text(width: int) -> str:
    """Return the catalog for people, in lines of ``width``: the families, then what can be set."""
    columns: Sequence[Column[System]] = (
        Column("NAME", lambda system: system.name),
        Column("RUNS ON", lambda system: ", ".join(system.builders)),
        Column("SAME SEED", _same_seed),
    )
    head, *named = table(columns, catalog.CATALOG).split("\n")
    line_of = dict(zip((system.name for system in catalog.CATALOG), named, strict=True))
    lines = ["A short name means the first of its colonies that runs on the chosen device.", ""]
    for family, systems in catalog.families().items():
        about = f"{family.name}: {family.title}. {family.summary}. {family.paper}."
        lines += [_hanging(about, width), f"  {head}"]
        for system in systems:
            about = f"{system.summary} {system.paper}."
            indent = "    "
            text = textwrap.fill(about, width, initial_indent=indent, subsequent_indent=indent)
            lines += [f"  {line_of[system.name]}", text]
        lines.append("")
    lines.pop()
    for kind in dict.fromkeys(system.parameters for system in catalog.CATALOG):
        names = ", ".join(system.name for system in catalog.CATALOG if system.parameters is kind)
        heading = _hanging(f"Parameters of {names} (--set name=value):", width)
        lines += ["", heading, _parameters_text(kind, width)]
    return "\n".join(lines)


def _same_seed(system: System) -> str:
    return f"same {system.problem.words.solutions}" if system.deterministic else "may differ"


def _hanging(text: str, width: int) -> str:
    return textwrap.fill(text, width, subsequent_indent="  ", break_on_hyphens=False)


def _parameters_text(kind: type[Parameters], width: int) -> str:
    """Return a table of the parameters of one kind, a line for each option of a choice."""
    defaults = kind().to_dict()
    rows = []
    for name, explanation in kind.explanations().items():
        default = defaults[name]
        shown = explanation.automatic if default is None else parameter_value(default)
        rows.append((f"  {name}", explanation.symbol, shown, explanation.text))
        for option, meaning in explanation.options.items():
            rows.append(("", "", "", f"  {option}: {meaning}"))
    return aligned(rows, width)


def device_rows() -> dict[str, object]:
    """Return the devices found, ready for JSON."""
    found = devices.survey()
    rows = [dataclasses.asdict(device) for device in found.devices]
    return {"devices": rows, "without_cuda": found.without_cuda or None}


def devices_text() -> str:
    """Return the devices for people."""
    found = devices.survey()
    lines = [f"{one} ({one.detail})" if one.detail else str(one) for one in found.devices]
    if found.without_cuda:
        lines.append(f"no GPU: {found.without_cuda}")
    return "\n".join(lines)


def instance_rows() -> dict[str, object]:
    """Return the bundled and the downloaded instances, ready for JSON."""
    return {
        "bundled": [{**dataclasses.asdict(row), "path": str(row.path)} for row in bundled()],
        "downloaded": [{"name": path.stem, "path": str(path)} for path in downloads.downloaded()],
    }


def instances_text(width: int) -> str:
    """Return the same for people, in lines of ``width``."""
    rows = [("NAME", "SIZE", "OPTIMUM", "")]
    for row in bundled():
        words = row.problem.words
        optimum = "" if row.optimum is None else words.amount(row.optimum)
        rows.append((row.name, counted(row.n, words.place, f"{row.n:,}"), optimum, row.kind))
    lines = [aligned(rows, width)]
    kept = downloads.downloaded()
    if kept:
        lines += ["", _hanging(f"Downloaded: {', '.join(path.stem for path in kept)}", width)]
    return "\n".join(lines)

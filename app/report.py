"""What the command line prints: results, and tables of colonies, devices and instances."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from app.stopping import counted
from gpu import catalog, devices
from gpu.parameters import Parameters

if TYPE_CHECKING:
    from app.run import Outcome
    from app.session import Session
    from gpu.instances.instance import Instance


def result(instance: Instance, session: Session, outcome: Outcome) -> dict[str, object]:
    """Return the object that ``solve --json`` prints; what is unknown is None."""
    state = outcome.state
    best, words = state.best_solution, instance.problem.words
    cost = state.best_cost if best is not None else None
    return {
        "instance": instance.name,
        "n": instance.n,
        "colony": session.colony,
        "device": session.device,
        "seed": session.seed,
        "parameters": session.parameters.to_dict(),
        "iterations": state.iteration,
        f"{words.solutions}_built": state.solutions_built,
        "seconds": round(state.elapsed, 6),
        f"best_{words.cost}": cost,
        "optimum": instance.optimum,
        "gap_percent": None if cost is None else instance.gap_percent(cost),
        words.written: None if best is None else instance.written(best),
        "ending": outcome.ending.value,
        "reason": outcome.reason,
    }


def summary(instance: Instance, session: Session, outcome: Outcome) -> str:
    """Return the same for people, in a few lines."""
    state, words = outcome.state, instance.problem.words
    lines = [
        f"{instance.name}, {instance.size}, by {session.colony} on {session.device}, "
        f"seed {session.seed}",
        f"{outcome.ending.value}: {outcome.reason}",
    ]
    if state.best_solution is None:
        finished = outcome.ending.value == "finished"
        more = ": allow more time, or fewer ants" if finished else ""
        lines.append(f"no {words.solution} was built{more}")
    else:
        gap = instance.gap_percent(state.best_cost)
        above = "" if gap is None else f", {gap:.2f} % above the best known {instance.optimum}"
        if gap is not None and gap <= 0:
            above = f", {words.known}"
        lines += [
            f"best {words.solution} {words.amount.format(state.best_cost)}{above}, "
            f"found in iteration {state.best_iteration}",
            f"{counted(state.iteration, 'iteration')}, "
            f"{counted(state.solutions_built, words.solution)}, "
            f"{state.elapsed:.2f} s",
        ]
    return "\n".join(lines)


def colony_rows() -> list[dict[str, object]]:
    """Return the catalog, ready for JSON."""
    return [
        {
            "name": system.name,
            "title": system.title,
            "problem": system.problem.value,
            "alias": system.alias,
            "paper": system.paper,
            "made_of": system.made_of,
            "summary": system.summary,
            "deterministic": system.deterministic,
            "runs_on": list(system.builders),
            "parameters": parameter_rows(system.parameters),
        }
        for system in catalog.CATALOG
    ]


def parameter_rows(kind: type[Parameters]) -> list[dict[str, object]]:
    """Return the parameters of one kind, ready for JSON; ``default`` None is ``automatic``."""
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
        }
        for name, explanation in kind.explanations().items()
    ]


def colonies_text() -> str:
    """Return the catalog for people: the colonies, then what can be set."""
    rows = [("NAME", "RUNS ON", "SAME SEED", "PAPER", "")]
    rows += [
        (
            system.name,
            ", ".join(system.builders),
            f"same {system.problem.words.solutions}" if system.deterministic else "may differ",
            system.paper,
            system.summary,
        )
        for system in catalog.CATALOG
    ]
    lines = [table(rows), ""]
    for alias in dict.fromkeys(system.alias for system in catalog.CATALOG if system.alias):
        lines.append(f"{alias}: the first colony that runs on the chosen device, of")
        named = [system.name for system in catalog.CATALOG if system.alias == alias]
        lines[-1] += f" {', '.join(named)}"
    for kind in dict.fromkeys(system.parameters for system in catalog.CATALOG):
        names = [system.name for system in catalog.CATALOG if system.parameters is kind]
        lines += ["", f"Parameters of {', '.join(names)} (--set name=value):"]
        lines.append(_parameters_text(kind))
    return "\n".join(lines)


def _parameters_text(kind: type[Parameters]) -> str:
    """Return a table of the parameters of one kind, a line for each option of a choice."""
    defaults = kind().to_dict()
    rows = []
    for name, explanation in kind.explanations().items():
        default = defaults[name]
        usual = f"{default:g}" if isinstance(default, int | float) else str(default)
        rows.append(
            (
                f"  {name}",
                explanation.symbol,
                explanation.automatic if default is None else usual,
                explanation.text,
            )
        )
        for option, meaning in explanation.options.items():
            rows.append(("", "", "", f"  {option}: {meaning}"))
    return table(rows)


def device_rows() -> dict[str, object]:
    """Return the devices found, ready for JSON."""
    found = devices.survey()
    return {
        "devices": [dataclasses.asdict(device) for device in found.devices],
        "without_cuda": found.without_cuda or None,
    }


def devices_text() -> str:
    """Return the devices for people."""
    found = devices.survey()
    lines = [
        f"{device} ({device.detail})" if device.detail else str(device) for device in found.devices
    ]
    if found.without_cuda:
        lines.append(f"no GPU: {found.without_cuda}")
    return "\n".join(lines)


def instances_text() -> str:
    """Return the bundled and the downloaded instances for people."""
    from app import library
    from gpu.instances.bundled import bundled

    rows = [("NAME", "SIZE", "OPTIMUM", "")]
    for row in bundled():
        words = row.problem.words
        optimum = "" if row.optimum is None else words.amount.format(row.optimum)
        rows.append((row.name, f"{row.n} {words.places}", optimum, row.kind))
    lines = [table(rows)]
    kept = library.downloaded()
    if kept:
        lines += ["", f"Downloaded: {', '.join(path.stem for path in kept)}"]
    return "\n".join(lines)


def table(rows: Iterable[Sequence[str]]) -> str:
    """Return ``rows`` with aligned columns."""
    rows = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )

"""The lines of a run's log, as dictionaries that are written as JSON."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpu.core.history import Improvement, Progress
from gpu.core.instance import Instance
from gpu.core.machine import devices, environment
from gpu.core.snapshot import RunState
from gpu.run.log.run_log import FORMAT
from gpu.run.outcome import Outcome
from gpu.run.session import Session


def header(session: Session, instance: Instance) -> dict[str, Any]:
    """Return the first line: everything that decides the run, and where it takes place."""
    device = devices.find(session.device)
    return {
        "kind": "session",
        "format": FORMAT,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "session": session.to_dict(),
        "instance": {
            "name": instance.name,
            "comment": instance.comment,
            "n": instance.n,
            "problem": instance.problem.value,
            **instance.facts,
            "optimum": instance.optimum,
        },
        "device": {
            fact: getattr(device, fact) for fact in ("name", "model", "cores", "memory", "detail")
        },
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Return the versions of the system, of the program and of the packages that compute."""
    return {"platform": platform.platform(), **environment.versions("formicarium")}


def improvement_line(instance: Instance, one: Improvement) -> dict[str, object]:
    """Return the line about a solution that is better than all before it."""
    built = one.iteration > 0
    return {
        "kind": "improvement",
        "iteration": one.iteration,
        "seconds": round(one.seconds, 6),
        instance.problem.words.solutions: one.solutions_built,
        "best": one.cost,
        "best_iteration": one.iteration,
        "gap_percent": instance.gap_percent(one.cost),
        "iteration_best": one.cost if built else None,
        "iteration_mean": _finite(one.iteration_mean) if built else None,
    }


def progress_line(instance: Instance, state: RunState, since: Progress) -> dict[str, object]:
    """Return the line about ``state`` and what happened ``since`` the line before it."""
    return {
        "kind": "progress",
        **numbers(instance, state),
        "iterations": since.iterations,
        "iteration_best": since.iteration_best,
        "iteration_mean": _finite(since.iteration_mean),
    }


def change_line(
    instance: Instance, change: Mapping[str, object], before: RunState, after: RunState
) -> dict[str, object]:
    """Return the line about a ``change`` of the run, of which ``after`` is the first state."""
    return {
        "kind": "change",
        **change,
        "seconds": round(before.elapsed, 6),
        **_found(instance, after),
    }


def restart_line(instance: Instance, state: RunState, why: str) -> dict[str, object]:
    """Return the line about a colony that went wrong: a new one goes on from ``state``."""
    return {
        "kind": "restart",
        "iteration": state.iteration,
        "seconds": round(state.elapsed, 6),
        **_found(instance, state),
        "why": why,
    }


def numbers(instance: Instance, state: RunState) -> dict[str, object]:
    """Return the numbers of ``state`` for a line of the log; unknown numbers are None."""
    hits, moves, changes = state.updates, state.improvements, state.merges
    return {
        "iteration": state.iteration,
        "seconds": round(state.elapsed, 6),
        **_found(instance, state),
        "local_hits": hits.local_hits if hits else None,
        "local_updates": hits.local_total if hits else None,
        "global_hits": hits.global_hits if hits else None,
        "global_updates": hits.global_total if hits else None,
        "changes_tried": changes.ants if changes else None,
        "changes_won": changes.won if changes else None,
        "changes_merged": changes.merged if changes else None,
        "two_opt_moves": moves.two_opt if moves else None,
        "or_opt_moves": moves.or_opt if moves else None,
        "phases_ms": {name: _finite(value) for name, value in state.phases.items()},
    }


def _found(instance: Instance, state: RunState) -> dict[str, object]:
    """Return how many solutions were built, and what is the best of them."""
    cost = None if state.best_solution is None else state.best_cost
    return {
        instance.problem.words.solutions: state.solutions_built,
        "best": cost,
        "best_iteration": None if cost is None else state.best_iteration,
        "gap_percent": None if cost is None else instance.gap_percent(cost),
    }


def outcome_line(instance: Instance, outcome: Outcome) -> dict[str, object]:
    """Return the last line: how the run ended, and its best solution."""
    best = outcome.state.best_solution
    written = None if best is None else instance.written(best)
    return {**ending(instance, outcome), instance.problem.words.written: written}


def ending(instance: Instance, outcome: Outcome) -> dict[str, object]:
    """Return the last line without the solution, which may be long."""
    return {
        "kind": "outcome",
        "ending": outcome.ending.value,
        "reason": outcome.reason,
        "details": outcome.details,
        "building_seconds": round(outcome.spent.building, 6),
        "checking_seconds": round(outcome.spent.checking, 6),
        **numbers(instance, outcome.state),
    }


def _finite(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None

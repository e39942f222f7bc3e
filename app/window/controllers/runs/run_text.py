"""A run in words: its title, how far it has come, and how it ended."""

from __future__ import annotations

from app.window.models.run import RunModel
from gpu.core.bounds import KnownCosts
from gpu.core.formats import duration, number_of, percent, whole
from gpu.run.outcome import Ending
from gpu.run.stopping import PROVED

_LONG_RUN, _LONG_IDLE = 2.0, 0.25  # seconds of a run, and its share in which nothing got better


def title_of(run: RunModel, device: str = "") -> str:
    """Return instance, colony, device (by default its name) and seed in one line."""
    system, seed = run.session.system, run.session.seed
    colony = f"{system.title} on {device or run.session.device}"
    return "  ·  ".join((run.instance.name, colony, f"seed {seed}"))


def caption_of(run: RunModel) -> str:
    """Return the title and how far the run has come, in one line."""
    state = run.snapshot
    if state is None or state.best_cost is None:
        return title_of(run)
    best = _best(run, state.best_cost)
    gap = run.instance.gap_percent(state.best_cost)
    if state.proved:
        best += " (proved optimal)"
    elif gap is not None:
        best += f" ({percent(gap)})"
    return "  ·  ".join((title_of(run), f"iteration {whole(state.iteration)}", best))


def summary_of(run: RunModel) -> str:
    """Return how the run ended, in one sentence; nothing before its end."""
    if run.outcome is None:
        return ""
    reason, state = run.outcome.reason, run.outcome.state
    if run.outcome.ending is Ending.FAILED:
        return reason
    if state.best_cost is None:
        return f"{reason} before there was a {run.instance.problem.words.solution}"
    cost, bound, words = state.best_cost, state.bound, run.instance.problem.words
    gap, met = run.instance.gap_percent(cost), run.outcome.criterion
    found = []
    if met is None or met.name != PROVED:  # which says what was found
        found.append(_best(run, cost))
    if gap is not None and gap > 0:
        found.append(f"{percent(gap)} above the best known")
    elif gap is not None and words.known not in reason:  # which says so where the run ended by it
        found.append(words.known)
    elif gap is None and bound is not None and not state.proved:
        above = percent(KnownCosts(None, bound).gap_percent(cost))
        least = run.instance.cost_unit.text(bound.cost)
        found.append(f"at most {above} above the optimum (lower bound {least})")
    if not state.best_iteration:
        begun = "with which the run began"
        if state.ants_cost is not None and cost < state.ants_cost:
            begun += f" (the ants' best: {run.instance.cost_unit.amount(state.ants_cost)})"
        found.append(begun)
    found.append(f"after {number_of(state.iteration, 'iteration')}")
    idle = state.elapsed - run.bettered_at
    long = state.iteration and state.elapsed >= _LONG_RUN and not state.proved
    if long and idle >= _LONG_IDLE * state.elapsed:
        found.append(f"nothing better for {duration(idle)} of {duration(state.elapsed)}")
    return f"{reason}: {', '.join(found)}"


def _best(run: RunModel, cost: int) -> str:
    return f"best {run.instance.cost_unit.amount(cost)}"

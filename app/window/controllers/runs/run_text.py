"""A run in words: its title, how far it has come, and how it ended."""

from __future__ import annotations

from collections.abc import Callable

from app.window.models.run import RunModel
from gpu.core.formats import duration, number_of, whole
from gpu.core.snapshot import RunState
from gpu.run.outcome import Ending
from gpu.run.stopping import PROVED
from views.frame.banner import Offer

_LEAST_IDLE = 100  # iterations without an improvement that are offered as a limit
_LONG_RUN, _LONG_IDLE = 2.0, 0.25  # seconds of a run, and its share in which nothing got better


def title_of(run: RunModel, device: str = "") -> str:
    """Return instance, colony, device (by default its name) and seed in one line."""
    session = run.session
    colony = f"{session.title} on {device or session.device}"
    return "  ·  ".join((run.instance.name, colony, f"seed {session.seed}"))


def caption_of(run: RunModel) -> str:
    """Return the title and how far the run has come, in one line."""
    state = run.snapshot
    if state is None or state.best_cost is None:
        return title_of(run)
    best = _best(run, state.best_cost)
    optimum, words = run.instance.optimum, run.instance.problem.words
    if state.proved:
        best += " (proved optimal)"
    elif optimum:
        best += f" ({words.gap(state.best_cost, optimum)})"
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
    known, met = run.instance.optimum, run.outcome.criterion
    found = []
    if met is None or met.name != PROVED:  # which says what was found
        found.append(_best(run, cost))
    if known and cost > known:
        found.append(f"{words.excess(cost, known)} above the best known")
    elif known and cost < known:
        found.append(f"{words.excess(known, cost)} better than the best known")
    elif known and words.known not in reason:  # which says so where the run ended by it
        found.append(words.known)
    elif not known and bound is not None and not state.proved:
        above = words.excess(cost, bound.cost)
        least = run.instance.cost_unit.text(bound.cost)
        found.append(f"at most {above} above the optimum (lower bound {least})")
    if not known and run.earlier_best and not state.proved:
        found.append(_beside_earlier(run, cost, run.earlier_best))
    if not state.best_iteration:
        begun = "with which the run began"
        if state.ants_cost is not None and cost < state.ants_cost:
            begun += f" (the ants' best: {run.instance.cost_unit.amount(state.ants_cost)})"
        found.append(begun)
    if _idles(run, state) and state.best_iteration:
        found.append(f"nothing better in the last {duration(state.elapsed - run.bettered_at)}")
    elif met is None or met.name != "iterations":  # which says how many there were
        found.append(f"after {number_of(state.iteration, 'iteration')}")
    return f"{reason}: {', '.join(found)}"


def offers_of(
    run: RunModel,
    more: Callable[[], object],
    improve: Callable[[], object] | None,
    stop_sooner: Callable[[int], object],
) -> list[Offer]:
    """Return what can be done after a run: go on, improve what it has found, end sooner next time.

    ``improve`` is None where that is impossible. ``stop_sooner`` gets the iterations without an
    improvement after which later runs are to end.
    """
    outcome, offers = run.outcome, list[Offer]()
    if outcome is None or outcome.ending is Ending.FAILED:
        return offers
    state, known = outcome.state, run.instance.optimum
    if state.proved or (known and state.best_cost is not None and state.best_cost <= known):
        return offers  # there is nothing better
    if run.can_go_on:
        offers.append(Offer("30 s more", "The run goes on (Ctrl+Shift+Return)", more))
    if improve is not None:
        tip = "A colony that can begin with a solution goes on from the best one (Ctrl+I)"
        offers.append(Offer("Improve", tip, improve))
    limited = outcome.criterion is not None and outcome.criterion.name == "no_improvement"
    if _idles(run, state) and not limited and run.session.stop.no_improvement is None:
        idle = nice_above(max(_LEAST_IDLE, state.best_iteration or 0))
        tip = f"Later runs end after {number_of(idle, 'iteration')} that find nothing better"
        offers.append(Offer("Stop sooner", tip, lambda: stop_sooner(idle)))
    return offers


def nice_above(number: int) -> int:
    """Return the least of 1, 2, 5, 10, 20, 50, ... that is not below ``number``."""
    power = 1
    while 10 * power < number:
        power *= 10
    return next(step * power for step in (1, 2, 5, 10) if step * power >= number)


def _idles(run: RunModel, state: RunState) -> bool:
    """Whether a long run has found nothing better for a good part of it."""
    idle = state.elapsed - run.bettered_at
    long = state.iteration > 0 and state.elapsed >= _LONG_RUN and not state.proved
    return long and idle >= _LONG_IDLE * state.elapsed


def _beside_earlier(run: RunModel, cost: int, earlier: int) -> str:
    """Return how ``cost`` compares with the best of the user's earlier runs."""
    if cost == earlier:
        return "as good as your best before"
    words, before = run.instance.problem.words, run.instance.cost_unit.text(earlier)
    low, high = sorted((cost, earlier))
    side = "better than" if cost < earlier else "above"
    return f"{words.excess(high, low)} {side} your best before ({before})"


def _best(run: RunModel, cost: int) -> str:
    return f"best {run.instance.cost_unit.amount(cost)}"

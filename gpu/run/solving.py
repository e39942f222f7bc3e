"""Solve an instance with one call, from a script: no window, no command line."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from gpu.core.arguments import described, plain
from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState
from gpu.run.outcome import Ending, Result, RunFailedError
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings


def solve(
    instance: Instance,
    *,
    aim: str | None = None,
    colony: str | None = None,
    device: str = "auto",
    parameters: Mapping[str, object] | None = None,
    seed: int | None = None,
    seconds: float | None = None,
    iterations: int | None = None,
    target_gap: float | None = None,
    target: float | None = None,
    no_improvement: int | None = None,
    solutions: int | None = None,
    go_on: bool = False,
    start: str | Path | Sequence[int] | None = None,
    progress: Callable[[RunState], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Result:
    """Solve ``instance`` until the first limit, or the best known or an optimal cost, is reached.

    Ctrl-C ends the run as ``cancelled`` does: the result has what was found, and its ``ending`` is
    :attr:`Ending.CANCELLED`. A second Ctrl-C raises KeyboardInterrupt, and what was found is lost.

    Parameters
    ----------
    instance
        What to solve, as :func:`gpu.problems.loading.load_instance` returns it.
    aim
        What chooses colony and parameters where no colony is named: ``best`` (the default: what
        finds the best solutions on this device, as measured), ``paper`` or ``watch``.
    colony
        A name that ``formicarium colonies`` lists, with the defaults of its paper.
    device
        ``auto``, ``cpu`` (all cores), ``cpu:1`` (one core), ``cuda:0``, ...
    parameters
        Parameters of the colony that differ from these, for example ``{"ants": 100}``.
    seed
        Decides the run, 0 <= seed < 2^64; drawn if not given. ``result.session.seed`` has it.
    seconds, iterations
        Limits of the time of solving and of the iterations.
    target_gap, target
        Gap to the best known cost in %, and tour length (in the unit of the instance's file) or
        number of colors, at which to stop.
    no_improvement
        Iterations in a row without a better solution after which to stop.
    solutions
        Tours or colorings built after which to stop, at the end of an iteration.
    go_on
        Whether to go on where the best known cost, or one that is proved optimal, is reached.
    start
        The tour or coloring to begin with, as ``result.solution`` of another run, or the file that
        has it; for a colony that can improve a given one: the focused, crossing, gpx and head
        colonies. Where no colony is named, the aim ``best``
        chooses such a one.
    progress
        Called some fifty times a second, in this thread, with the state of the run.
    cancelled
        Asked as often; True ends the run with what was found. The method ``is_set`` of a
        ``threading.Event`` lets another thread stop the run.

    Raises
    ------
    ParameterError
        If a choice is impossible, or there is neither a limit nor ``cancelled``.
    InstanceError
        If ``start`` is no tour of the instance.
    DeviceError
        If there is no such device, or the colony does not run there.
    RunFailedError
        If the run failed, for example because the device's memory is too small.
    """
    if not isinstance(instance, Instance):  # scripts have no types that are checked
        raise ParameterError(
            f"{described(instance)} is no instance: give what load_instance returns for its file"
        )
    for name, function in (("progress", progress), ("cancelled", cancelled)):
        if function is not None and not callable(function):
            raise ParameterError(f"{name} = {described(function)} is not a function")
    stop = StopSettings(
        seconds=plain(seconds),
        iterations=plain(iterations),
        target_gap=plain(target_gap),
        target_length=_cost_of(instance, plain(target)),
        no_improvement=plain(no_improvement),
        solutions=plain(solutions),
        go_on=plain(go_on),
    )
    if not stop.limited and cancelled is None:
        raise ParameterError(
            "the run might never end: give seconds, iterations, target_gap, target, "
            "no_improvement, solutions or cancelled"
        )
    session = new_session(
        instance,
        aim=aim,
        colony=colony,
        device=device,
        parameters=parameters,
        seed=plain(seed),
        stop=stop,
        start=start,
    )
    run = Run(instance, session)

    def after_slice() -> None:
        if cancelled is not None and cancelled():
            run.cancel()
        if progress is not None:
            progress(run.state)

    with _first_interrupt(run.cancel):
        outcome = run.finish(after_slice)
    result = Result.of(instance, session, outcome)
    if result.ending is Ending.FAILED:
        failure = RunFailedError(result)
        failure.add_note(outcome.details)
        raise failure
    return result


@contextmanager
def _first_interrupt(listener: Callable[[], object]) -> Iterator[None]:
    """Call ``listener`` at the first Ctrl-C; a second one raises KeyboardInterrupt.

    Nothing changes where the program has a handler of its own, or in another thread than the main
    one, which alone hears of Ctrl-C.
    """
    usual = signal.default_int_handler
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not usual:
        yield
        return

    def first(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, usual)
        listener()

    signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is first:
            signal.signal(signal.SIGINT, usual)


def _cost_of(instance: Instance, value: Any) -> Any:
    """Return the cost that is shown as ``value``; what is no number as it is."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        return instance.cost_unit.cost(value)
    except ValueError:  # not finite, which is refused with all other limits
        return value

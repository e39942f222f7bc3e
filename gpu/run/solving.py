"""Solve an instance with one call, from a script: no window, no command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot
from gpu.run.outcome import Ending
from gpu.run.result import Result, RunFailedError
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
    target: int | None = None,
    no_improvement: int | None = None,
    solutions: int | None = None,
    go_on: bool = False,
    start: str | Path | None = None,
    progress: Callable[[Snapshot], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Result:
    """Solve ``instance`` until the first limit, or the best known cost, is reached.

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
        Gap to the best known cost in %, and tour length or number of colors, at which to stop.
    no_improvement
        Iterations in a row without a better solution after which to stop.
    solutions
        Tours or colorings built after which to stop, at the end of an iteration.
    go_on
        Whether to go on where the best known cost is reached.
    start
        A file with the tour to begin with, for a colony that can improve a given one: the focused
        and the crossing colonies. Where no colony is named, the aim ``best`` chooses such a one.
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
        raise ParameterError(f"{instance!r} is no instance: give what load_instance returns for it")
    stop = StopSettings(
        seconds=_plain(seconds),
        iterations=_plain(iterations),
        target_gap=_plain(target_gap),
        target_length=_plain(target),
        no_improvement=_plain(no_improvement),
        solutions=_plain(solutions),
        go_on=go_on,
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
        parameters={name: _plain(value) for name, value in (parameters or {}).items()},
        seed=_plain(seed),
        stop=stop,
        start=start,
    )
    run = Run(instance, session)

    def after_slice() -> None:
        if cancelled is not None and cancelled():
            run.cancel()
        if progress is not None:
            progress(run.state)

    outcome = run.finish(after_slice)
    result = Result.of(instance, session, outcome)
    if result.ending is Ending.FAILED:
        failure = RunFailedError(result)
        failure.add_note(outcome.details)
        raise failure
    return result


def _plain(value: Any) -> Any:
    """Return one of NumPy's numbers as a number of Python's; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value

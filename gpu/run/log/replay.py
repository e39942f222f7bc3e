"""Repeats a recorded run, and compares the results."""

from __future__ import annotations

from dataclasses import replace

from gpu.core.words import counted
from gpu.run.log.run_log import RunLog
from gpu.run.outcome import Result
from gpu.run.session import Session, SessionError
from gpu.run.stopping import StopSettings


def repeated(log: RunLog, device: str | None = None) -> Session:
    """Return the session of ``log``, limited to exactly the iterations that were recorded.

    A session without a result (nothing was run yet) keeps its own limits. A ``device`` takes the
    place of the recorded one, or DeviceError says that the colony does not run there.

    SessionError if the run was killed before anything was recorded that could be compared.
    """
    session = log.session if device is None else log.session.with_device(device)
    if log.last is None or not log.last["iteration"]:
        if log.cut_off:
            instance = session.instance
            raise SessionError(
                f"{log.path}: the run was killed, or has not finished its first iteration: there "
                f"is nothing to compare with; solve {instance.path or instance.name} "
                f"anew with the choices in the log's first line (seed {session.seed})"
            )
        return session
    last = log.last["iteration"]
    changes = [replace(one, stop=None) for one in log.made]
    return replace(
        session,
        stop=StopSettings(iterations=last, go_on=True),
        changes=tuple(one for one in changes if one.parameters or one.cities),
    )


def comparison(log: RunLog, result: Result) -> tuple[bool, str]:
    """Compare ``result`` with the result in ``log``.

    Return False if the results differ and must not, and a sentence for the user.
    """
    session, words = result.session, result.instance.problem.words
    recorded, cost = log.last, result.cost
    if recorded is None or recorded["best"] is None or cost is None or result.solution is None:
        return True, "there is no recorded result to compare with"
    if result.iterations and not recorded["iteration"]:  # it was stopped before its first one
        return True, "the recorded run made no iteration, so there is nothing to compare with"
    began = not result.best_iteration and recorded.get("best_iteration")
    if began and cost < recorded["best"]:
        return True, f"runs now begin with a better {words.solution} than was recorded"
    solution = recorded.get(words.written)
    same_cost = recorded["best"] == cost
    after = f"after {counted(result.iterations, 'iteration')}"
    if same_cost and solution in (None, result.instance.written(result.solution)):
        what = words.cost if solution is None else words.solution
        return True, f"the same {what} as recorded: {words.amount(cost)} {after}"
    if same_cost:
        found = f"another {words.solution} of the same {words.cost} {cost} {after}"
    else:
        found = f"{cost} {after}, where {recorded['best']} is recorded"
    if log.restarts:
        return True, f"{found}; the recorded run went on after a fault, which is not repeated"
    if not session.system.deterministic:
        return True, f"{found}; {session.colony} lets its updates race, so that runs may differ"
    return False, f"{found}; {session.colony} must give the same {words.solution} for the same seed"

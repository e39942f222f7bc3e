"""Does one case after the other, in whatever process this is."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from gpu import catalog
from gpu.core.colony import Gauged, never
from gpu.core.cost_curve import CostCurve
from gpu.core.errors import DeviceError, FormicariumError, sentence_for
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.machine.devices import Device
from gpu.core.snapshot import RunState, Wanted
from gpu.problems.loading import load_instance
from gpu.run.outcome import Ending, Result, RunOutcome
from gpu.run.run import Run
from gpu.run.session import Session, new_session
from gpu.studies.cases import DONE, FAILED, Case, CaseRecord, failed
from gpu.studies.design import MEASURE_PHASES
from gpu.studies.execution.executor import CaseEvents, Executor
from gpu.studies.execution.host import host_of
from gpu.timing.turns import time_phases

INSTANCES_KEPT = 12  # by a worker, as the cases on several instances take turns
LONGEST_WARMING = 5.0  # seconds after which a first iteration is broken off where that is possible

ALONE: Mapping[str, int] = MappingProxyType({})

Gate = Callable[[], bool]
"""Asked between any two slices of a run; it returns when the run may go on, with False to stop."""


class InProcess(Executor):
    """One case after the other in this process, with nothing beside it.

    Cases on the ``instance``, if one is given, need no file of it; ``stop`` is asked between two
    slices, and True cancels the work. Cases on a GPU are done by the device of this name, if one is
    given.
    """

    def __init__(
        self,
        instance: Instance | None = None,
        device: str = "",
        stop: Callable[[], bool] = never,
    ) -> None:
        super().__init__()
        self._known = () if instance is None else (instance,)
        self._device = device
        self._stop = stop
        self._workers: dict[str, Worker] = {}

    def check(self, cases: Sequence[Case]) -> None:
        """All can be tried."""

    def at_once(self, device: str) -> int:
        """One."""
        return 1

    def _results(self, cases: Sequence[Case], place: Any) -> CaseEvents:
        for case in cases:
            if not self._gate():
                return
            yield case, "begun"
            name = self._device or case.device
            worker = self._workers.setdefault(name, Worker(name, known=self._known))
            record = worker.perform(case, self._gate)
            if record is None:
                return
            yield case, record

    def _gate(self) -> bool:
        while self.control.paused and not self.control.cancelled:
            self.control.wait(0.1)
        if self._stop():
            self.control.cancel()
        return not self.control.cancelled


class Worker:
    """Does cases on one device, and keeps what the next ones may need again.

    Several threads may each do a case on a GPU at the same time. The instances that are ``known``
    need no file.
    """

    def __init__(
        self, device: str, at_once: Mapping[str, int] = ALONE, known: Iterable[Instance] = ()
    ) -> None:
        self._name = device
        self._at_once = at_once  # cases that the study does at the same time, by kind of device
        self._preparing = threading.Lock()
        self._device: Device | None = None
        self._instances = OrderedDict((one.sha256, one) for one in known)
        self._warm: set[tuple[object, ...]] = set()

    def perform(self, run: Case, gate: Gate) -> CaseRecord | None:
        """Do ``run``, and return its record; None if the gate has stopped it.

        A study compares what ants build. So a run does not begin with the nearest-neighbour tour,
        or the greedy coloring, and one without a whole iteration has failed.

        Nothing is raised but what ends the process: a run that fails has a record that says why.
        """
        started = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            with self._preparing:
                instance = self._loaded(run)
                session = self._session(run, instance)
                self._warm_up(run, instance, session, gate)
            phases: dict[str, float] = {}
            gauges: dict[str, int] = {}
            if run.measure == MEASURE_PHASES:
                recorded, outcome, phases, gauges = _timed(instance, session, self._place(), gate)
            else:
                recorded, outcome = _done(Run(instance, session), gate)
            result = Result.of(instance, session, outcome)
        except Exception as error:
            record = failed(run.key, sentence_for(error))
            return replace(record, started=started, host=self._host())
        if result.ending is Ending.CANCELLED:
            return None
        known, reason = result.ending is not Ending.FAILED, result.reason
        if known and not result.iterations:
            known, reason = False, f"no iteration became whole: {reason}"
        elif known and result.cost is None:
            known, reason = False, f"no {instance.problem.words.solution} was built: {reason}"
        return CaseRecord(
            key=run.key,
            state=DONE if known else FAILED,
            reason=reason,
            started=started,
            host=self._host(),
            parameters=session.parameters.to_dict(),
            seconds=result.seconds,
            iterations=result.iterations,
            solutions=result.solutions_built,
            best=result.cost if known else None,
            best_iteration=result.best_iteration if known else None,
            gap_percent=result.gap_percent if known else None,
            solution=result.solution if known else None,
            curve=recorded if known else None,
            phases=phases,
            counts={**_counts(outcome.state), **gauges},
        )

    @property
    def usable(self) -> bool:
        """Whether it can do more: after some errors, a GPU does nothing for this process."""
        device = self._device
        if device is not None and device.kind == "cuda":
            from gpu.cuda.colony import machine_of  # slow to import

            try:
                machine_of(device).close()
            except DeviceError:
                return False
        return True

    def _place(self) -> Device:
        if self._device is None:  # looking for GPUs takes a while
            self._device = devices.find(self._name)
        return self._device

    def _host(self) -> dict[str, object]:
        try:
            return dict(host_of(self._place(), self._at_once))
        except FormicariumError:  # there is no such device: that is why the run failed
            return {}

    def _loaded(self, run: Case) -> Instance:
        reference = run.instance.reference
        instance = self._instances.pop(reference.sha256, None)
        if instance is None:
            instance = load_instance(reference.path, read_as=reference.read_as)
            reference.check(instance)
        self._instances[reference.sha256] = instance
        if len(self._instances) > INSTANCES_KEPT:
            self._instances.popitem(last=False)
        return instance

    def _session(self, run: Case, instance: Instance) -> Session:
        one = run.configuration
        session = new_session(
            instance,
            colony=one.colony,
            device=self._place().name,
            parameters=one.parameters,
            seed=run.seed,
            stop=run.budget,
        )
        if run.start is not None:
            catalog.check_takes_start(session.system, self._place())
            run.start.load(instance)
        return replace(session, aim=one.aim, start=run.start, begins=False)

    def _warm_up(self, run: Case, instance: Instance, session: Session, gate: Gate) -> None:
        """Make an iteration of this colony on this instance once, before the first run is timed.

        It compiles the colony's code, or loads it. A limit of time would otherwise cut the first
        runs of every process short.
        """
        which = (session.colony, *session.parameters.to_dict().items(), instance.sha256)
        if which in self._warm:
            return
        device, deadline = self._place(), time.perf_counter() + LONGEST_WARMING
        with closing(
            catalog.build(session.system, instance, session.parameters, device, run.seed)
        ) as colony:
            colony.iterate(1, lambda: time.perf_counter() > deadline or not gate())
        self._warm.add(which)


def _counts(state: RunState) -> dict[str, int]:
    """What the colony has counted since the run began; most colonies count nothing."""
    counted = [asdict(one) for one in (state.updates, state.merges) if one is not None]
    return {name: int(count) for some in counted for name, count in some.items()}


def _done(run: Run, gate: Gate) -> tuple[CostCurve, RunOutcome]:
    """Do ``run`` to its end; return its curve and how it ended."""

    def after_slice() -> None:
        if not gate():
            run.cancel()

    outcome = run.finish(after_slice)
    return CostCurve.of_improvements(run.improvements), outcome


def _timed(
    instance: Instance, session: Session, device: Device, gate: Gate
) -> tuple[CostCurve, RunOutcome, dict[str, float], dict[str, int]]:
    """Make iterations one by one; return the mean milliseconds of each phase, and gauges, too.

    An iteration before them does not count. The seconds of the outcome are those of the phases. The
    best solution is looked at once, at the end.
    """
    most, limit = session.stop.iterations, 1000 * (session.stop.seconds or math.inf)
    assert most is not None  # the design has seen to it
    with closing(
        catalog.build(session.system, instance, session.parameters, device, session.seed)
    ) as colony:
        colony.iterate(1)
        colony.snapshot(Wanted.NUMBERS)
        gauges = dict(colony.gauges()) if isinstance(colony, Gauged) else {}
        times = list(time_phases(colony, most, lambda spent: spent < limit and gate()))
        shown = colony.snapshot(Wanted.SOLUTION)
    sums: dict[str, float] = defaultdict(float)
    for phase, milliseconds in (item for one in times for item in one.items()):
        sums[phase] += milliseconds
    spent = sum(sums.values())
    ending, reason = Ending.FINISHED, "the phases of all iterations were timed"
    if len(times) < most and spent < limit:
        ending, reason = Ending.CANCELLED, "stopped"
    state = RunState.of(shown, elapsed=spent / 1000)
    curve = CostCurve.of([(state.best_iteration, state.solutions_built, state.elapsed, state.cost)])
    means = {phase: total / len(times) for phase, total in sums.items()}
    return curve, RunOutcome(ending, reason, state), means, gauges

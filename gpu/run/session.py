"""A session: one frozen record of everything that decides a run."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from gpu import __version__, catalog
from gpu.aims import Aim, choice, device_for
from gpu.core.arguments import described, numbers_in, path_of
from gpu.core.errors import (
    DeviceError,
    FormicariumError,
    InstanceError,
    ParameterError,
    SolutionError,
)
from gpu.core.files import read_regular
from gpu.core.instance import Instance, Solution
from gpu.core.machine import devices
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.random import checked_seed
from gpu.core.records import record_of
from gpu.core.system import System
from gpu.problems.solutions import load_solution
from gpu.run.changes import Change
from gpu.run.stopping import StopSettings


class SessionError(FormicariumError):
    """A recorded session that cannot be read."""


@dataclass(frozen=True, slots=True)
class InstanceReference:
    """Names the instance of a session, so that another machine can find and check it."""

    path: str  # absolute path of the file; empty if the instance came from no file
    name: str  # the instance's name, as its file has it
    sha256: str  # digest of the file's bytes, unpacked, hexadecimal
    read_as: str = ""  # how the file was read, where there are several ways

    def check(self, instance: Instance) -> None:
        """Raise InstanceError unless the file of ``instance`` has exactly the recorded bytes."""
        if self.sha256 and instance.sha256 != self.sha256:
            raise InstanceError(
                f"{instance.path or instance.name}: the file has changed since the session was "
                "recorded (its SHA-256 differs); run it anew with formicarium solve"
            )


@dataclass(frozen=True, slots=True)
class StartReference:
    """Names the file of the solution with which a run begins, and checks it; or is a solution."""

    path: str  # absolute path; empty if the solution is no file's
    sha256: str  # digest of the file's bytes, or of the solution's, hexadecimal
    numbers: tuple[int, ...] = ()  # the solution, as the instance writes it, where it is no file's

    @classmethod
    def of(cls, start: str | Path | Sequence[int], instance: Instance) -> Self:
        """Refer to the solution in the file ``start``, or to one itself; InstanceError if none.

        One itself is as a colony makes it: cities, or colors, that count from 0.
        """
        if isinstance(start, Sequence | np.ndarray) and not isinstance(start, str | bytes):
            given = numbers_in(start, "iu")
            try:
                solution = instance.solution_from(() if given is None else given)
            except SolutionError as error:
                raise InstanceError(f"start: {error}") from error
            digest = hashlib.sha256(np.ascontiguousarray(solution).tobytes()).hexdigest()
            return cls("", digest, tuple(instance.written(solution)))
        file = path_of(start, InstanceError, "start takes that of a .tour or .sol file")
        reference = cls(str(file.absolute()), _digest(file))
        reference.load(instance)
        return reference

    def to_dict(self) -> dict[str, object]:
        """Return plain values for a log: a file, or a solution."""
        if self.path:
            return {"path": self.path, "sha256": self.sha256}
        return {"path": "", "sha256": self.sha256, "numbers": list(self.numbers)}

    def load(self, instance: Instance) -> Solution:
        """Read the solution, read-only; InstanceError if it is not as it was, or not whole."""
        if not self.path:
            return instance.read(self.numbers)
        if self.sha256 and _digest(Path(self.path)) != self.sha256:
            raise InstanceError(
                f"{self.path}: the file has changed since the session was recorded (its SHA-256 "
                "differs); run it anew with formicarium solve"
            )
        return load_solution(instance, self.path)


def _digest(path: Path) -> str:
    return hashlib.sha256(read_regular(path, InstanceError)).hexdigest()


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that decides a run."""

    instance: InstanceReference  # what is solved
    colony: str  # the system's name, never a short one, whose meaning depends on the device
    device: str  # name of a device, never ``auto``
    parameters: Parameters  # parameters of the system; none of them is automatic
    chosen: Parameters  # as the user chose them: some may be automatic, and differ by instance
    seed: int  # 0 <= seed < 2^64
    stop: StopSettings = field(default_factory=StopSettings)  # when the run ends on its own
    aim: str = ""  # which aim chose the colony; empty where the user did
    start: StartReference | None = None  # what the run begins with, if the user has chosen that
    version: str = __version__  # the program's version
    # whether a solution that is made before the colony counts; in studies only what ants build does
    begins: bool = True
    # what is changed while it runs, after which iterations, as a run that is repeated was changed
    changes: tuple[Change, ...] = ()

    @property
    def system(self) -> System:
        """The colony's row of the catalog."""
        return catalog.named(self.colony)

    @property
    def title(self) -> str:
        """What the colony is called on this device."""
        return self.system.title_on(self.device)

    def to_dict(self) -> dict[str, object]:
        """Plain values, ready for JSON."""
        return {
            "instance": asdict(self.instance),
            "colony": self.colony,
            "device": self.device,
            "parameters": self.parameters.to_dict(),
            "chosen": {
                name: value
                for name, value in self.chosen.to_dict().items()
                if value != getattr(self.parameters, name)
            },
            "seed": self.seed,
            "stop": self.stop.to_dict(),
            "aim": self.aim,
            "start": None if self.start is None else self.start.to_dict(),
            "version": self.version,
            **({} if self.begins else {"begins": False}),
            **({"changes": [one.to_dict() for one in self.changes]} if self.changes else {}),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Self:
        """Build from :meth:`to_dict`'s form.

        SessionError if something is missing or of the wrong kind; ParameterError if the colony is
        unknown, or a value is out of its range.
        """
        read = record_of(_RecordedSession, values, SessionError, "the recorded session")
        kind = catalog.named(read.colony).parameters
        return cls(
            instance=read.instance,
            colony=read.colony,
            device=read.device,
            parameters=kind.from_record(read.parameters),
            chosen=kind.from_record({**read.parameters, **read.chosen}),
            seed=checked_seed(read.seed),
            stop=StopSettings.from_dict(read.stop),
            aim=read.aim,
            start=read.start,
            version=read.version,
            begins=read.begins,
            changes=tuple(map(Change.from_dict, read.changes)),
        )

    def with_device(self, name: str) -> Self:
        """Return this session for another device. The same system must run there."""
        device, system = choose(self.colony, name)
        return replace(self, device=device.name, colony=system.name)


@dataclass(frozen=True)
class _RecordedSession:
    """A session as files have it; see :meth:`Session.to_dict`."""

    instance: InstanceReference
    colony: str
    device: str
    parameters: dict[str, Any]
    seed: int
    stop: dict[str, Any]
    version: str
    chosen: dict[str, Any] = field(default_factory=dict)  # older versions had none of these
    aim: str = ""
    start: StartReference | None = None
    begins: bool = True
    changes: tuple[dict[str, Any], ...] = ()


def new_session(
    instance: Instance,
    *,
    aim: str | None = None,
    colony: str | None = None,
    device: str = "auto",
    parameters: Mapping[str, object] | None = None,
    seed: int | None = None,
    stop: StopSettings | None = None,
    start: str | Path | Sequence[int] | None = None,
) -> Session:
    """Make a session from a user's choices. All of them are checked here, before any work.

    The ``colony`` is a system's name or a short name, with the defaults of its paper. Where none is
    given, the ``aim``, by default the best solution, chooses it with its parameters. The ``device``
    ``auto`` is the best one that the colony runs on, or that :func:`gpu.aims.device_for` finds.
    ``parameters`` are those that differ from what was chosen so, as numbers or texts. A seed that
    is not given is drawn at random. The run begins with the tour ``start``, or that in this file,
    if one is given; the aim then chooses a colony that can.

    Raises
    ------
    ParameterError
        If a parameter, the seed or a stop criterion is impossible, or impossible for this
        instance, or the colony or the aim is unknown, or the colony is for another problem.
    DeviceError
        If there is no such device, or the colony does not run there.
    InstanceError
        If the file ``start`` is no tour of this instance.
    """
    for what, name in (("aim", aim), ("colony", colony)):
        if not isinstance(name, str | None):
            raise ParameterError(f"{what} = {described(name)} is not a name")
    if not isinstance(device, str):
        raise DeviceError(f"there is no device {described(device)}; choose auto, cpu or cuda:0")
    if not isinstance(parameters, Mapping | None):
        raise ParameterError(
            f"parameters = {described(parameters)} is not a dictionary of names and values"
        )
    given = parameters or {}
    if colony is None:
        wanted = Aim.BEST if aim is None else Aim.named(aim)
        if device == "auto":
            place = device_for(wanted, instance, devices.survey().devices)
        else:
            place = devices.find(device)
        picked = choice(wanted, instance, place, starts=start is not None)
        system, given = picked.system, {**picked.parameters, **given}
    elif aim is not None:
        raise ParameterError(f"the aim {aim} chooses a colony: give it or {colony}, not both")
    else:
        place, system = choose(colony, device)
    catalog.check_solves(system, instance)
    try:
        chosen = system.parameters.from_mapping(given)
        chosen.check(instance)
    except ParameterError as error:
        if colony is not None:
            raise
        why = f"the aim {wanted} chose {system.name}: choose another aim or name a colony"
        raise ParameterError(f"{error} ({why})") from error
    stop = stop or StopSettings()
    stop.criteria(instance)  # refuses a criterion that is impossible for this instance
    begin = None
    if start is not None:
        catalog.check_takes_start(system, place)
        begin = StartReference.of(start, instance)
    return Session(
        instance=InstanceReference(
            str(instance.path.absolute()) if instance.path else "",
            instance.name,
            instance.sha256,
            instance.read_as,
        ),
        colony=system.name,
        device=place.name,
        parameters=chosen.resolved(instance.n),
        chosen=chosen,
        seed=secrets.randbits(32) if seed is None else checked_seed(seed),
        stop=stop,
        aim="" if colony is not None else wanted,
        start=begin,
    )


def choose(colony: str, device: str) -> tuple[Device, System]:
    """Return the device that ``device`` means for ``colony``, and the colony's system there.

    ParameterError if there is no such colony; DeviceError if there is no such device, or the
    colony does not run there.
    """
    if colony not in catalog.names():
        raise catalog.unknown(colony)
    if device != "auto":
        place = devices.find(device)
        return place, catalog.find(colony, place)
    found = devices.survey()
    for place in found.devices:
        for system in catalog.CATALOG:
            if colony in (system.name, system.alias) and system.runs_on(place):
                return place, system
    why = f": {found.without_cuda}" if found.without_cuda else ""
    raise DeviceError(
        f"{colony} needs another device than this machine's "
        f"{', '.join(place.name for place in found.devices)}{why}"
    )


def why_not_on_a_gpu(colony: str, device: str, chosen: Device) -> str:
    """Return why ``auto`` chose the CPU for a colony that runs on GPUs; else an empty text."""
    meant = [row for row in catalog.CATALOG if colony in (row.name, row.alias)]
    runs_on_gpus = any("cuda" in row.builders for row in meant)
    if device != "auto" or chosen.kind == "cuda" or not runs_on_gpus:
        return ""
    return devices.survey().without_cuda

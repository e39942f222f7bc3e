"""A race: two to four colonies on one instance with one budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gpu import catalog
from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance
from gpu.core.words import counted
from gpu.run.session import InstanceReference, Session, choose
from gpu.run.stopping import StopSettings

FEWEST, MOST = 2, 4  # lanes of a race
BUDGETS = ("seconds", "iterations", "solutions")  # what can be limited; names of stop criteria


class RaceError(FormicariumError):
    """A race that cannot be run or read; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What each lane may use up; ParameterError if there is no such budget."""

    kind: str  # one of BUDGETS
    amount: float  # seconds, or how many iterations or solutions

    def __post_init__(self) -> None:
        if self.kind not in BUDGETS:
            raise RaceError(f"a race has a budget of {', '.join(BUDGETS)}, not of {self.kind!r}")
        object.__setattr__(self, "amount", getattr(self.stop, self.kind))

    @property
    def stop(self) -> StopSettings:
        """The limits of each lane's run, which ends at the best known cost, too."""
        return StopSettings(**{self.kind: self.amount})  # type: ignore[arg-type]  # it checks


@dataclass(frozen=True, slots=True)
class Race:
    """What is raced."""

    sessions: tuple[Session, ...]  # one a lane, without limits of their own
    budget: Budget  # of each lane
    in_turn: bool  # whether each lane runs alone, one after the other

    @property
    def limited(self) -> tuple[Session, ...]:
        """The lanes' sessions, each with the budget as its limit."""
        return tuple(replace(one, stop=self.budget.stop) for one in self.sessions)

    def check(self, instance: Instance) -> None:
        """Raise RaceError unless all lanes can run on ``instance`` on this machine."""
        if not FEWEST <= len(self.sessions) <= MOST:
            raise RaceError(
                f"a race has {FEWEST} to {MOST} lanes, and this one has {len(self.sessions)}"
            )
        for number, session in enumerate(self.sessions, 1):
            try:
                session.instance.check(instance)
                _, system = choose(session.colony, session.device)
                catalog.check_solves(system, instance)
                session.chosen.check(instance)  # what the colony chose itself is possible
            except FormicariumError as error:
                raise RaceError(f"lane {number} cannot run: {error}") from error

    @property
    def instance(self) -> InstanceReference:
        """The instance that all lanes solve."""
        return self.sessions[0].instance


def sharing(devices: Sequence[str], cores: int) -> Mapping[str, tuple[int, ...]]:
    """Return what lanes on these devices would have to share if they ran at the same time.

    For each thing that is shared, ``"the cores"`` or a GPU's name, the lanes, from 0. A lane on a
    GPU needs a core, too: a thread there tells the GPU what to do.
    """
    shared = {}
    needed = [cores if name == "cpu" else 1 for name in devices]
    if len(devices) > 1 and sum(needed) > cores:
        shared["the cores"] = tuple(range(len(devices)))
    for name in dict.fromkeys(devices):
        lanes = tuple(at for at, one in enumerate(devices) if one == name)
        if not name.startswith("cpu") and len(lanes) > 1:
            shared[name] = lanes
    return shared


def sharing_text(devices: Sequence[str], cores: int) -> str:
    """Return in one sentence what lanes would share, or nothing."""
    shared = sharing(devices, cores)
    if not shared:
        return ""
    parts = []
    for what, lanes in shared.items():
        which = "all lanes" if len(lanes) == len(devices) else f"lanes {_listed(lanes)}"
        what = f"{what} ({counted(cores, 'core')})" if what == "the cores" else what
        parts.append(f"{which} share {what}")
    text = " and ".join(parts)
    return f"{text[:1].upper()}{text[1:]}: at the same time, each would slow the others down"


def _listed(lanes: Sequence[int]) -> str:
    *first, last = (str(lane + 1) for lane in lanes)
    return f"{', '.join(first)} and {last}"

"""What the monkey found, and how that is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

LONG = 0.1  # seconds after which a stall is reported


@dataclass(frozen=True, slots=True)
class Stall:
    """A time in which the window did not answer."""

    seconds: float
    worked: float  # seconds in which the window's thread worked itself, as a rule the cause
    action: str  # what was done
    places: list[str]  # where the thread was


@dataclass
class Findings:
    """What the monkey found."""

    errors: list[str] = field(default_factory=list)  # what asks to be reported
    stalls: list[Stall] = field(default_factory=list)
    memory: list[tuple[int, float]] = field(default_factory=list)  # actions, MB
    done: list[str] = field(default_factory=list)
    running: int = 0  # actions during which a run went on
    commands: list[str] = field(default_factory=list)  # of the menus, that were never chosen
    unused: list[str] = field(default_factory=list)  # controls that were in sight, but not used
    unseen: list[str] = field(default_factory=list)  # controls that were never in sight
    threads: list[str] = field(default_factory=list)  # that outlived the window

    @property
    def most_work(self) -> float:
        """Seconds that the window's thread worked in one stall, at most."""
        return max((one.worked for one in self.stalls), default=0.0)

    def told(self) -> Iterator[str]:
        """Yield what was found, line by line."""
        for one in sorted(self.stalls, key=lambda one: one.worked):
            yield f"{1000 * one.worked:.0f} ms of work in {1000 * one.seconds:.0f} ms: {one.action}"
            yield from (f"    {place}" for place in one.places)
        long = sum(one.worked > LONG for one in self.stalls)
        yield f"{len(self.stalls)} stalls of more than {1000 * LONG:.0f} ms, {long} of so much work"
        yield f"a run went on in {100 * self.running // max(1, len(self.done))} % of the actions"
        for names, what in (
            (self.commands, "commands never chosen"),
            (self.unused, "controls in sight, never used"),
            (self.unseen, "controls never in sight"),
            (self.threads, "threads that outlived the window"),
        ):
            yield f"{what}: {len(names)}"
            yield from (f"    {name}" for name in names)
        yield from self.errors

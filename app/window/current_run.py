"""The run that the window shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu.core.words import counted
from gpu.run.outcome import Ending, Outcome
from views.widgets.formats import percent, whole

if TYPE_CHECKING:
    from gpu.core.instance import Instance
    from gpu.core.snapshot import Snapshot
    from gpu.run.recorder import Recorder
    from gpu.run.session import Session


@dataclass(slots=True)
class CurrentRun:
    """The run in sight: under way, or the last one.

    Attributes
    ----------
    session : Session
        What is run.
    instance : Instance
        On what.
    recorder : Recorder
        Writes its log.
    snapshot : Snapshot or None
        The newest state.
    outcome : Outcome or None
        How it ended; None while it has not.
    """

    session: Session
    instance: Instance
    recorder: Recorder
    snapshot: Snapshot | None = None
    outcome: Outcome | None = None

    @property
    def title(self) -> str:
        """Instance, colony, device and seed, in one line."""
        return self.title_on(self.session.device)

    def title_on(self, device: str) -> str:
        """Return the same with the device in these words."""
        colony = f"{self.session.system.title} on {device}"
        return "  ·  ".join((self.instance.name, colony, f"seed {self.session.seed}"))

    @property
    def caption(self) -> str:
        """The same with how far it has come."""
        state = self.snapshot
        if state is None or not state.iteration:
            return self.title
        words = self.instance.problem.words
        best = f"best {words.amount.format(whole(state.best_cost))}"
        gap = self.instance.gap_percent(state.best_cost)
        if gap is not None:
            best += f" ({percent(gap)})"
        return "  ·  ".join((self.title, f"iteration {whole(state.iteration)}", best))

    @property
    def summary(self) -> str:
        """How it ended, in one sentence; empty while it has not."""
        if self.outcome is None or self.outcome.ending is Ending.FAILED:
            return "" if self.outcome is None else self.outcome.reason
        reason, state = self.outcome.reason, self.outcome.state
        if not state.iteration:
            return f"{reason} before the first iteration was done"
        gap = self.instance.gap_percent(state.best_cost)
        words = self.instance.problem.words
        best = f"best {words.amount.format(whole(state.best_cost))}"
        if gap is not None:
            best += f", {percent(gap)} above the best known" if gap > 0 else f", {words.known}"
        after = counted(state.iteration, "iteration", whole(state.iteration))
        return f"{reason}: {best}, after {after}"

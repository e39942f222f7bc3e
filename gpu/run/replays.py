"""What the ants of a run will decide in the coming iteration, replayed by their rule."""

from __future__ import annotations

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.decisions import Replay, Rule
from gpu.run.changes import Setting
from gpu.run.session import Session

_MIDWAY = (
    "This iteration has begun, and may have changed trails already: make a step, and the next one "
    "is foretold from where it begins."
)

_CUT_SHORT = "The run ended within this iteration, which may have changed trails already."


class Replays:
    """Begins the replays of one run. Its rule is made once, and anew after each change."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rule: Rule | None = None

    def forget(self) -> None:
        """Make the rule anew next time, because the run works with other parameters or cities."""
        self._rule = None

    def begin(
        self, colony: Colony, setting: Setting, iteration: int, *, midway: bool, ended: bool
    ) -> Replay:
        """Replay ``iteration``, from 0, with the trails of ``colony``.

        Answers have a caveat if the colony may have stopped ``midway`` through that iteration,
        another one if the run has ``ended`` there. ParameterError if the system names no rule.
        """
        if self._rule is None:
            system, seed = self._session.system, self._session.seed
            self._rule = catalog.rule_of(system, setting.instance, setting.parameters, seed)
        caveat = "" if not midway else _CUT_SHORT if ended else _MIDWAY
        return self._rule.replay(colony, iteration, caveat)

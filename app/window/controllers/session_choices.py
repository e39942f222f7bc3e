"""What the setup panel has chosen, as a session, and back."""

from __future__ import annotations

from gpu.core.instance import Instance
from gpu.run.session import Session, new_session
from gpu.run.stopping import StopSettings
from views.setup.setup_panel import Choices


def session_of(instance: Instance, choices: Choices) -> Session:
    """Return the session that a run with ``choices`` has.

    Raises
    ------
    FormicariumError
        If a choice is impossible.
    """
    return new_session(
        instance,
        colony=choices.colony,
        device=choices.device,
        parameters=choices.parameters,
        seed=choices.seed,
        stop=StopSettings.from_dict(choices.stop),
    )


def choices_of(session: Session) -> Choices:
    """Return what the panel has to show to run ``session`` again."""
    return Choices(
        device=session.device,
        colony=session.colony,
        parameters=session.chosen.to_dict(),
        seed=session.seed,
        stop=session.stop.to_dict(),
    )

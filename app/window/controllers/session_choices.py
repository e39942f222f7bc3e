"""From the choices in the setup panel to a session, and back."""

from __future__ import annotations

from gpu.core.instance import Instance
from gpu.run.session import Session, new_session
from gpu.run.stopping import StopSettings
from views.setup.setup_panel import Choices


def session_of(instance: Instance, choices: Choices) -> Session:
    """Return the session of a run; raise ``FormicariumError`` if a choice is impossible."""
    return new_session(
        instance,
        colony=choices.colony,
        device=choices.device,
        parameters=choices.parameters,
        seed=choices.seed,
        stop=StopSettings.from_dict(choices.stop),
    )


def choices_of(session: Session) -> Choices:
    """Return the choices with which the panel runs ``session`` again."""
    return Choices(
        device=session.device,
        colony=session.colony,
        parameters=session.chosen.to_dict(),
        seed=session.seed,
        stop=session.stop.to_dict(),
    )

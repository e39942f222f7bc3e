"""What a user is asked before the window is closed."""

from __future__ import annotations

from typing import NamedTuple

from views.frame.activity import Activity


class Question(NamedTuple):
    """A question with its two answers."""

    text: str
    yes: str  # closes the window
    no: str


def question(activity: Activity, *, racing: bool, study: bool, unsaved: bool) -> Question | None:
    """Return what to ask; nothing where nothing would be lost.

    There may be a run or, ``racing``, a race; a measurement; a ``study`` that goes on; an
    ``unsaved`` drawing.
    """
    if activity.goes_on:
        what, logs = ("race", "Its logs are") if racing else ("run", "Its log is")
        text = f"A {what} goes on. Stop it and quit? {logs} kept."
    elif activity is Activity.MEASURING:
        text = "A measurement goes on. Stop it and quit? What it has measured is lost."
    elif study:
        text = "A study goes on. Stop it and quit? Finished runs are kept."
    elif unsaved:
        text = "The drawing is not saved. Quit without it?"
        return Question(text, "Quit without it", "Go back")
    else:
        return None
    if unsaved:
        text += " The drawing, which is not saved, is lost."
    return Question(text, "Stop and quit", "Go on")

"""What is under the mouse; among very many places, another thread looks for it."""

from __future__ import annotations

from collections.abc import Callable

from shiboken6 import isValid

from views.widgets.cached_picture import have_made
from views.widgets.layers import MOST_IN_WINDOW
from views.widgets.view import NOTHING, Pointed

Question = tuple[Callable[[], Pointed], Callable[[Pointed], object]]  # what looks, what takes

CLICK = 4.0  # pixels that the mouse moves during a click, at most


class Pointing:
    """Looks for what is under the mouse.

    Among more than ``MOST_IN_WINDOW`` places another thread looks, one question at a time: of those
    that come meanwhile, only the last one is answered.
    """

    def __init__(self, owner: object) -> None:
        """Answer no more once the Qt object ``owner`` is gone."""
        self._owner = owner
        self._asked: Question | None = None  # the last one, until its answer
        self._at_work = False

    def ask(
        self, places: int, look: Callable[[], Pointed], take: Callable[[Pointed], object]
    ) -> None:
        """Let ``take`` have what ``look`` finds among so many ``places``, perhaps later.

        ``look`` may be called in another thread, so that it has all that it needs itself.
        """
        if places <= MOST_IN_WINDOW:
            self._asked = None
            take(look())
            return
        self._asked = look, take
        self._begin()

    def forget(self) -> None:
        """Tell nothing of what was asked."""
        self._asked = None

    def _begin(self) -> None:
        if self._asked is not None and not self._at_work:
            self._at_work, asked = True, self._asked
            have_made(lambda: _looked(asked[0]), lambda found: self._answer(asked, *found))

    def _answer(self, asked: Question, found: Pointed, error: Exception | None) -> None:
        if not isValid(self._owner):  # a window may be closed before the answer is there
            return
        self._at_work = False  # whatever came of it: the next question is looked into
        if asked is self._asked:
            self._asked = None
            if error is None:
                asked[1](found)
        self._begin()
        if error is not None:
            raise error


def _looked(look: Callable[[], Pointed]) -> tuple[Pointed, Exception | None]:
    """Return what ``look`` finds, and why it has found nothing if it has failed."""
    try:
        return look(), None
    except Exception as error:  # raised again where the answer is awaited, which else waits on
        return NOTHING, error

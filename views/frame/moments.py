"""What the views show: the newest state of the run, or an earlier moment of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from gpu.core.instance import Instance
from gpu.core.snapshot import RunState
from views.frame.draw_queue import DrawQueue
from views.widgets.view import NOTHING, View


class ShownMoment(QObject):
    """Gives the views of a dashboard instances and states; they draw when it is their turn.

    Views of one moment may show an earlier one while curves go on to the newest state.
    """

    aged = Signal()  # views have begun or ceased to show other cities than there are now

    def __init__(
        self,
        parent: QObject,
        all_views: Collection[View],
        of_problem: Callable[[], Collection[View]],  # the views of the problem that is shown
        queue: DrawQueue,
    ) -> None:
        super().__init__(parent)
        self._all_views, self._of_problem, self._queue = all_views, of_problem, queue
        self._filled: list[View] = []  # those that show an instance
        self._newest: RunState | None = None  # of the run, with all parts that were shown
        self._in_past = False  # whether views show an earlier moment
        self._instance: Instance | None = None  # in sight
        self._instance_then: Instance | None = None  # what views of one moment show

    def show_instance(self, instance: Instance | None) -> None:
        """Prepare the views for runs on ``instance``, and empty those that had another one."""
        self._forget()
        self._instance = self._instance_then = instance
        shown = [] if instance is None else list(self._views)
        for view in dict.fromkeys([*self._filled, *shown]):
            view.show_instance(instance if view in shown else None)
            view.point_out(NOTHING)
        self._filled = shown

    def show_edited(self, instance: Instance) -> None:
        """Show ``instance``, which the one before became when the user edited its cities."""
        self._instance = instance
        views = [view for view in self._views if not self._is_past(view)]
        if not self._in_past:
            self._instance_then = instance
        for view in views:
            view.show_edited(instance)
        self._queue.add(views)
        self.aged.emit()

    @property
    def shows_other_cities(self) -> bool:
        """Whether views show an earlier moment, and the cities as they were then."""
        return self._instance_then is not self._instance

    def begin_run(self) -> None:
        """Empty all views."""
        self._forget()
        self._show_then(self._instance, self._moment_views)
        for view in self._views:
            view.begin_run()
            view.point_out(NOTHING)

    def show_snapshot(self, snapshot: RunState) -> None:
        """Give ``snapshot`` to all views. The visible ones draw it, one after the other.

        Views of one moment get it later, if they show the past now.
        """
        self._newest = with_former_parts(self._newest, snapshot)
        self._give(snapshot, [one for one in self._views if not self._is_past(one)])

    def show_past(self, snapshot: RunState, moment: str, instance: Instance) -> None:
        """Let views of one moment show an earlier state, which ``moment`` names.

        ``instance`` is what was solved then. It is the one in sight unless cities have changed.
        """
        views = self._moment_views
        self._show_then(instance, views)
        for view in views:
            if not self._in_past:
                view.begin_run()  # parts that are not recorded are of the newest state
            view.moment = moment
        self._in_past = True
        self._give(snapshot, views)

    def show_present(self) -> None:
        """Let all views show the newest state again."""
        if not self._in_past:
            return
        self._in_past = False
        views = self._moment_views
        self._show_then(self._instance, views)
        for view in views:
            view.begin_run()
            view.moment = ""
        if self._newest is not None:
            self._give(self._newest, views)

    def complete(self, recorded: RunState) -> None:
        """Let views of one moment show what is ``recorded`` of the end, and was not shown yet."""
        newest = self._newest = (
            recorded if self._newest is None else with_former_parts(recorded, self._newest)
        )
        if not self._in_past:
            self._give(newest, self._moment_views)

    @property
    def _views(self) -> Collection[View]:
        """Those of the problem that is shown."""
        return self._of_problem()

    @property
    def _moment_views(self) -> list[View]:
        return [view for view in self._views if view.of_moment]

    def _show_then(self, instance: Instance | None, views: Sequence[View]) -> None:
        """Let ``views`` show the cities of ``instance``."""
        if instance is not self._instance_then:
            self._instance_then = instance
            for view in views:
                view.show_edited(instance)
            self.aged.emit()

    def _give(self, snapshot: RunState, views: Sequence[View]) -> None:
        for view in views:
            view.take_in(snapshot)
        self._queue.add(views)

    def _is_past(self, view: View) -> bool:
        return self._in_past and view.of_moment

    def _forget(self) -> None:
        """Forget the former run."""
        self._queue.clear()
        self._newest, self._in_past = None, False
        for view in self._all_views:
            view.moment = ""


def with_former_parts(before: RunState | None, after: RunState) -> RunState:
    """Return ``after``, with the parts that it lacks as they were ``before``.

    A snapshot has only the parts that were asked for; views keep the others as they are. Ants are
    those of one iteration alone.
    """
    if before is None:
        return after
    lacking: dict[str, Any] = {
        field.name: getattr(before, field.name)
        for field in fields(after)
        if getattr(after, field.name) is None and getattr(before, field.name) is not None
        if field.name != "walks" or before.iteration == after.iteration
    }
    return replace(after, **lacking)

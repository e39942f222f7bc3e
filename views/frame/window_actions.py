"""What the window's actions do, and which of them can be done now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from views.decision.step_controls import KEYS as STEP_KEYS
from views.frame.about import about_box, keys_box
from views.frame.activity import Activity

if TYPE_CHECKING:
    from views.frame.files import Files
    from views.frame.main_window import MainWindow


class WindowActions:
    """Binds every action of a window, and enables those that are possible.

    Parameters
    ----------
    window : MainWindow
        Whose actions these are; all its parts are there.
    files : Files
        Asks for files.
    """

    def __init__(self, window: MainWindow, files: Files) -> None:
        self._window = window
        self._actions = act = window.actions_
        for name, slot in (
            ("open", window.ask_for_instance),
            ("quit", window.close),
            ("start", window.start_requested.emit),
            ("pause", self._toggle_pause),
            ("step", window.step_requested.emit),
            ("stop", window.stop_requested.emit),
            ("toggle", self._toggle_run),
            ("seed", window.setup.draw_seed),
            ("bundled", window.setup.instance.bundled_button.click),
            ("panel", self._show_panel),
            ("alone", window.dashboard.toggle_alone),
            ("present", self._present),
            ("theme", window.choose_other_theme),
            ("fit", window.dashboard.fit),
            ("keys", lambda: keys_box(window, [*act.keys(), *STEP_KEYS])),
            ("about", lambda: about_box(window)),
        ):
            act[name].triggered.connect(lambda _=False, slot=slot: slot())
        for name, action in act.exports.items():
            action.triggered.connect(lambda _=False, name=name: files.ask_for_export(name))
        for (key, form), action in act.pictures.items():
            action.triggered.connect(
                lambda _=False, key=key, form=form: files.ask_for_picture(key, form)
            )
        for key, action in act.views.items():
            action.triggered.connect(lambda _=False, key=key: window.dashboard.show_view(key))
        for name, action in act.themes.items():
            action.triggered.connect(lambda _=False, name=name: window.choose_theme(name))

    def enable(self) -> None:
        """Enable what can be done now, and say why no run can be started if none can."""
        act, window, activity = self._actions, self._window, self._window.activity
        problem = "" if activity.has_run else window.problem
        act["start"].setEnabled(not activity.has_run and not problem)
        act["start"].setToolTip(problem or "Start a run with these choices (Space)")
        rests, going = activity.rests, activity.has_run and activity is not Activity.STOPPING
        act["pause"].setText("Resume" if rests else "Pause")
        act["pause"].setToolTip(f"{'Go on' if rests else 'Rest'} (Space or P)")
        act["pause"].setEnabled(going)
        act["stop"].setEnabled(going)
        steps = activity in (Activity.RUNNING, Activity.PAUSED) or act["start"].isEnabled()
        act["step"].setEnabled(steps)
        act["seed"].setEnabled(not activity.has_run)
        act["fit"].setEnabled(window.instance is not None)
        compared = window.comparison.report is not None
        possible = {"window": True, "speedup": bool(window.speedup.reports)}
        possible |= {"comparison": compared, "comparison-lines": compared}
        for name, action in act.exports.items():
            action.setEnabled(possible.get(name, window.has_state))
        if not activity.has_run:
            window.run_bar.state.setText(problem or Activity.IDLE.value)

    def _toggle_pause(self) -> None:
        window = self._window
        (window.resume_requested if window.activity.rests else window.pause_requested).emit()

    def _toggle_run(self) -> None:
        for name in ("start", "pause"):
            if self._actions[name].isEnabled():
                self._actions[name].trigger()
                return

    def _show_panel(self) -> None:
        self._window.setup.setVisible(self._actions["panel"].isChecked())

    def _present(self) -> None:
        window, present = self._window, self._window.presenting
        window.menuBar().setVisible(not present)
        window.setup.setVisible(not present and self._actions["panel"].isChecked())
        window.setWindowState(
            window.windowState() | Qt.WindowState.WindowFullScreen
            if present
            else window.windowState() & ~Qt.WindowState.WindowFullScreen
        )
        window.apply_theme()

"""A study: what is compared, how far it is, and what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QProgressBar, QStackedWidget, QVBoxLayout

from gpu.core.formats import number_of, whole
from gpu.core.words import counted
from views.batch.claims_part import ClaimsPart
from views.batch.study_form import StudyForm
from views.batch.study_results import StudyResultsPart
from views.widgets.controls import OptionButtons, make_button
from views.widgets.labels import make_label, plain_tip, set_role
from views.widgets.layouts import FlowLayout, fill, scrolled
from views.widgets.theme import Theme, icon
from views.widgets.view import View, ViewSource

if TYPE_CHECKING:
    from gpu.studies.study import StudyProgress

PLOT_EXPORTS = ("study-png", "study-svg", "study-pdf", "study-csv")
STUDY_EXPORTS = ("study", "study-report", "study-table", *PLOT_EXPORTS)

_PAGES = {"form": "Set up", "results": "Results", "claims": "What the paper says"}
_BAR_STEPS = 1000  # of the bar
_BUSY_TIP = "no single run, race or measurement can be started until it ends"


class StudyView(View):
    """The set-up and the results, one of them in sight, with the buttons above."""

    key = "study"
    title = "Study"
    has_values = True
    of_run = False
    shortcut = "Ctrl+U"

    looked_at = Signal()  # the view has come into sight
    new_requested = Signal()  # an empty form, for another study
    open_requested = Signal()
    save_requested = Signal()
    start_requested = Signal()
    pause_requested = Signal()
    resume_requested = Signal()
    cancel_requested = Signal()
    estimate_requested = Signal()  # of the time, by short trials
    download_requested = Signal()  # of instances that are not here

    def __init__(self) -> None:
        super().__init__()
        self.state = ""  # what the study does; see :meth:`show_state`
        self._ready = self._found = self._unknown = False
        self._title, self._start_tip = "Study", ""
        self.retries = False  # whether Start does failed runs again
        self.form, self.results, self.claims = StudyForm(), StudyResultsPart(), ClaimsPart()
        self.pages = OptionButtons(_PAGES, "What is compared, what came out, what a paper says")
        self.pages.buttons["claims"].hide()
        self.start = make_button("", "Start", clicked=self.start_requested)
        self.pause = make_button("", "Pause", "Let the runs wait", self._toggle_pause)
        tip = "End the study. Finished runs are kept: Resume does the others"
        self.cancel = make_button("", "Cancel", tip, self.cancel_requested)
        self.new = make_button("", "New", "Begin another study", self.new_requested)
        tip = "Open a study: its design (TOML) or its results (SQLite)"
        self.open = make_button("", "Open…", tip, self.open_requested)
        tip = "Save the design as a TOML file"
        self.save = make_button("", "Save…", tip, self.save_requested)
        tip = "Try each colony for a second"
        self.estimate = make_button("", "Foresee the time", tip, self.estimate_requested)
        for button in (self.start, self.pause, self.cancel):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.plan = make_label("", wrap=True)
        self.download = make_button("", clicked=self.download_requested)
        self.bar = QProgressBar(textVisible=False, maximum=_BAR_STEPS)
        self.bar.setAccessibleName("Progress of the study")
        self.bar.setFixedHeight(8)
        self.progress = make_label("note", wrap=True)
        files = self.new, self.open, self.save
        buttons = self.start, self.pause, self.cancel, self.download, *files, self.estimate
        top = FlowLayout(self.pages, *buttons)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.form)
        self._stack.addWidget(scrolled(self.results))
        self._stack.addWidget(self.claims)
        parts = top, self.plan, self.bar, self.progress, (self._stack, 1)
        fill(QVBoxLayout(self), *parts, margins=(8, 8, 8, 6), spacing=5)
        self.pages.chosen.connect(self.show_page)
        self.apply_theme(self.theme)
        self.show_state("", "")
        self.show_plan("", "", unknown=False)
        self.show_rest(0, 0)

    @property
    def busy(self) -> bool:
        """Whether the study goes on, paused or not."""
        return bool(self.state)

    @property
    def set_up(self) -> bool:
        """Whether there is something to be started, or to go on."""
        return self.busy or self._found or bool(self.form.rows)

    @property
    def problem(self) -> str:
        """Why the study cannot start, or nothing."""
        if self._ready:
            return ""
        planned = self.plan.text().strip("…")
        return planned or "The study is being planned"

    @property
    def exports(self) -> Mapping[str, bool]:
        """The design, the report, the table and the plot in sight."""
        found = dict.fromkeys(("study-report", "study-table"), self._found)
        plots = dict.fromkeys(PLOT_EXPORTS, self._found and bool(self.results.plot))
        return {"study": self._ready, **found, **plots}

    @property
    def source(self) -> ViewSource | None:
        """Which study it is."""
        if not self._ready and not self._found:
            return None
        seed = self.form.first.text
        number = int(seed) if seed.isascii() and seed.isdecimal() else 0
        return ViewSource(self._title, "study", number, self._title)

    def show_page(self, key: str) -> None:
        """Bring the set-up (form), the results, or the claims of a paper into sight."""
        self.pages.buttons[key].setChecked(True)
        self._stack.setCurrentIndex([*_PAGES].index(key))

    def show_claims(self, title: str, counts: str, claims: Sequence[Sequence[str]]) -> None:
        """Show what a paper says of the results; without claims, their page is not offered."""
        self.claims.show_claims(title, counts, claims)
        button = self.pages.buttons["claims"]
        button.setVisible(bool(claims))
        if not claims and button.isChecked():
            self.show_page("results")

    def show_plan(
        self, text: str, problem: str, *, unknown: bool, away: Sequence[str] = ()
    ) -> None:
        """Say how many runs there are and how long they take, or why the study cannot start.

        If the time is ``unknown``, short trials can foresee it. Instances that are ``away`` can be
        downloaded: that is no fault.
        """
        self._ready = bool(text) and not problem
        self._title = " ".join(self.form.title.text().split()) or "Study"
        self.plan.setText(problem or text or "…")
        set_role(self.plan, "problem" if problem and not away else "")
        self.download.setVisible(bool(away))
        self.download.setText(f"Download {counted(len(away), 'instance')}")
        self.download.setToolTip(plain_tip(", ".join(away)))
        self._unknown = unknown
        self._enable()

    def show_trial(self, what: str) -> None:
        """Say that the time of ``what`` is being tried; the study cannot start meanwhile."""
        self._ready = self._unknown = False
        self.plan.setText(f"Trying {what} …")
        self._enable()

    def show_state(self, text: str, state: str) -> None:
        """Say what the study does now, and allow what can be done.

        The ``state`` is "paused", "stopping", empty for nothing, or anything else.
        """
        self.state = state
        self.bar.setVisible(self.busy)
        self.progress.setText(f"{text}: {_BUSY_TIP}." if state else text)
        self.progress.setVisible(bool(text))
        self.results.show_state(state)
        self.form.lock(locked=self.busy)
        self._enable()

    def show_progress(self, state: str, progress: StudyProgress, left: str) -> None:
        """Show how far the study is; ``left`` is the time until its end, for people."""
        ended = progress.done + progress.failed
        self.bar.setValue(round(_BAR_STEPS * ended / max(1, progress.total)))
        parts = [f"{whole(ended)} of {number_of(progress.total, 'run')}"]
        if progress.failed:
            parts.append(f"{whole(progress.failed)} failed")
        if progress.running:
            parts.append(f"{progress.running} under way")
        if left:
            parts.append(f"about {left} left")
        self.progress.setText(f"{'  ·  '.join(parts)}. {state}: {_BUSY_TIP}.")
        self.progress.show()

    def show_rest(self, left: int, failed: int) -> None:
        """Say at the button what it does with the runs of the results' file.

        If none is ``left`` to be done but some have ``failed``, it does those again.
        """
        self.retries = failed > 0 and not left
        tip = "Do all runs that are not done yet"
        if self.retries:
            tip = f"Do the {counted(failed, 'run')} that failed again"
        elif left:
            tip = f"Do the {counted(left, 'run')} left; what is done is not done again"
        texts = "Retry failed" if self.retries else "Resume" if left else "Start"
        self.start.setText(texts)
        self._start_tip = tip
        self._enable()

    def show_found(self, *, found: bool) -> None:
        """Note whether there are results."""
        self._found = found
        self.exports_changed.emit()
        self._enable()

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that the view is looked at."""
        super().showEvent(event)
        self.looked_at.emit()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        super().apply_theme(theme)
        self.start.setIcon(icon("play", theme, "text"))
        self.cancel.setIcon(icon("stop", theme, "text"))
        self._show_pause()

    def _toggle_pause(self) -> None:
        (self.resume_requested if self.state == "paused" else self.pause_requested).emit()

    def _show_pause(self) -> None:
        text, tip, sign = "Pause", "Let the runs wait; their time stops, too", "pause"
        if self.state == "paused":
            text, tip, sign = "Resume", "Let the runs go on", "play"
        self.pause.setText(text)
        self.pause.setToolTip(plain_tip(tip))
        self.pause.setIcon(icon(sign, self.theme, "text"))

    def _enable(self) -> None:
        self._show_pause()
        self.start.setVisible(not self.busy)
        self.start.setEnabled(self._ready and not self.busy)
        self.start.setToolTip(plain_tip(self._start_tip if self._ready else self.plan.text()))
        for button in (self.pause, self.cancel):
            button.setVisible(self.busy)
            button.setEnabled(self.state != "stopping")
        self.estimate.setVisible(self._unknown and not self.busy)
        self.open.setEnabled(not self.busy)
        self.new.setEnabled(self.set_up and not self.busy)
        self.save.setEnabled(self._ready)
        self.results.report.setEnabled(self._found)
        self.exports_changed.emit()

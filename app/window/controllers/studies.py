"""Sets up a study, runs it, and shows what it finds."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QImage

from app.window.controllers import study_work as work
from app.window.controllers.controller import Controller, Parts
from app.window.controllers.study_work import Found, Opened, Planned
from app.window.models.study import StudyState
from app.window.threads.tasks import Task
from gpu.core.errors import FormicariumError
from gpu.core.processors import usable_cores
from gpu.core.words import counted
from gpu.problems.bundled import bundled
from gpu.study.design import Design
from gpu.study.study import Progress
from views.frame.activity import Activity
from views.study.colony_row import design_of
from views.study.study_view import EXPORTS, PLOT_EXPORTS, StudyView
from views.widgets.formats import duration, whole

PLAN_AFTER = 300  # milliseconds without a change, after which the design is planned
LOOK_EVERY = 250  # milliseconds between two looks at the progress
REST = 4.0  # times as long as reading the results took, nothing reads them again


class StudyController(Controller):
    """Connects the window's study with its view. Files and plots are worked on in threads."""

    begun = Signal()  # the study wants the machine for itself

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._model, self._view = parts.runs.study, parts.window.view(StudyView)
        self._planned: Planned | None = None  # what the form says; None until that is known
        self._planning: Task[Planned] | None = None
        self._results: Path | None = None  # the file in sight
        self._found: Found | None = None  # what was in it
        self._reading: Task[Found] | None = None
        self._read_again = self._draw_again = False
        self._seen = -1  # runs that had ended when the results were read
        self._due = 0.0
        self._drawing: Task[QImage] | None = None
        self._plan_soon = QTimer(self, singleShot=True, interval=PLAN_AFTER)
        self._plan_soon.timeout.connect(self._plan)
        self._timer = QTimer(self, interval=LOOK_EVERY)
        self._timer.timeout.connect(self._look)
        self._connect()

    def _connect(self) -> None:
        view, form, window = self._view, self._view.form, self._window
        form.show_bundled([(f"{one.name}:  {whole(one.n)}", one.name) for one in bundled()])
        form.changed.connect(self._changed)
        form.add_requested.connect(self.add)
        form.instance_requested.connect(self._add_instance)
        form.files_requested.connect(self._ask_for_instances)
        form.results_requested.connect(self._ask_for_results)
        view.open_requested.connect(self._ask_to_open)
        view.save_requested.connect(lambda: window.dialogs.ask_for_export("study"))
        view.start_requested.connect(self.start)
        view.pause_requested.connect(self._model.pause)
        view.resume_requested.connect(self._model.resume)
        view.cancel_requested.connect(self._model.cancel)
        view.estimate_requested.connect(lambda: self._plan(trying=True))
        view.results.plot_wanted.connect(self._draw)
        view.results.file_wanted.connect(window.dialogs.ask_for_export)
        window.dialogs.to_export.connect(self._export)
        self._model.state_changed.connect(self._show_state)
        self._model.ended.connect(self._ended)
        self._changed()

    @Slot()
    def add(self) -> None:
        """Put what is set up in the panel into the table of colonies."""
        setup, form = self._window.setup, self._view.form
        if problem := setup.measure_problem:  # the limits do not matter here
            self._window.tell(problem)
            return
        choices, system = setup.choices(limited=False), setup.colony.system
        assert system is not None
        usual = system.parameters().to_dict()
        chosen = system.parameters.from_mapping(choices.parameters).to_dict()
        given = {name: value for name, value in chosen.items() if value != usual[name]}
        taken = {row.name for row in form.rows}
        form.add_colony(design_of(choices.colony, choices.device, given, taken))
        if not form.instances:
            self._add_instance()

    @Slot(object)
    def open(self, path: Path) -> None:
        """Show a study: its design, and its results where there are some."""
        if self._model.busy:
            self._window.tell("A study goes on: cancel it before another one is opened")
            return
        task = Task(lambda _: work.open_study(path), self._opened, self._window.tell)
        self._background.start(task)

    @Slot()
    def start(self) -> None:
        """Do all runs that are not done yet."""
        found, form = self._planned, self._view.form
        if found is None or self._model.busy:
            return
        if self._runs.busy or self._window.activity is not Activity.IDLE:
            self._window.tell("Stop the run or measurement first: it would disturb the study")
            return
        if not form.results:
            form.results_entry.setText(str(work.free_results(found.plan.design.title)))
        path = Path(form.results).expanduser().absolute()
        form.results_entry.setText(str(path))
        if path != self._results:
            self._forget()
        self._results, self._seen = path, -1
        self._window.banner.clear()
        retry = self._found is not None and self._found.left == 0
        self.begun.emit()
        self._model.start(
            self._background, found.plan, path, processes=form.processes, retry_failed=retry
        )
        self._view.show_page("results")
        self._timer.start()

    def _opened(self, found: Opened) -> None:
        view = self._view
        try:
            view.form.show_design(found.design)
        except FormicariumError as error:
            self._window.tell(str(error))
            return
        view.form.results_entry.setText(str(found.results))
        self._forget()
        self._results = found.results
        self._window.dashboard.show_view(StudyView.key)
        view.show_page("results" if found.begun else "form")
        if found.begun:
            self._read()

    def _forget(self) -> None:
        self._found = None
        self._view.results.show_nothing()
        self._view.show_found(found=False)
        self._view.show_rest(0)

    @Slot()
    def _add_instance(self) -> None:
        instance = self._instance.value
        if instance is None or instance.path is None:
            self._window.tell("Open an instance from a file first")
            return
        names = {one.path: one.name for one in bundled()}
        path = instance.path.absolute()
        self._view.form.add_instances([names.get(path, str(path))])

    @Slot()
    def _ask_for_instances(self) -> None:
        def chosen(paths: list[Path]) -> None:
            self._view.form.add_instances([str(path) for path in paths])

        self._window.dialogs.ask_for_files("Instances of the study", "open-folder", chosen)

    @Slot()
    def _ask_for_results(self) -> None:
        def chosen(path: Path) -> None:
            self._view.form.results_entry.setText(str(path))
            self._changed()

        stem = self._view.form.title.text() or "study"
        self._window.dialogs.ask_for_results(stem, chosen)

    @Slot()
    def _ask_to_open(self) -> None:
        self._window.dialogs.ask_for_study(self.open)

    @Slot()
    def _changed(self) -> None:
        """Plan the design that the form has now, as soon as nothing changes for a moment."""
        self._planned = None
        if self._planning is not None:
            self._planning.cancel()
            self._planning = None
        try:
            self._design()
        except FormicariumError as error:
            self._plan_soon.stop()
            self._view.show_plan("", str(error), unknown=False)
        else:
            self._view.show_plan("", "", unknown=False)
            self._plan_soon.start()

    def _design(self) -> Design:
        form = self._view.form
        design, _ = form.design, form.processes
        return design

    @Slot()
    def _plan(self, trying: bool = False) -> None:
        try:
            design, processes = self._design(), self._view.form.processes
        except FormicariumError:
            return
        if trying and (self._runs.busy or self._model.busy):
            self._window.tell("Stop the run first: it would disturb the trials", "info")
            return

        def plan(task: Task[Planned]) -> Planned:
            def tell(text: str) -> None:
                task.post(self._view.show_trial, text)

            def cancelled() -> bool:
                return task.cancelled

            return work.planned(design, processes, trying=trying, cancelled=cancelled, tell=tell)

        task = Task(plan, self._show_plan, self._not_planned)
        self._planning = self._background.start(task)

    def _show_plan(self, found: Planned) -> None:
        self._planning, self._planned = None, found
        time = work.time_text(found.time, duration)
        text = f"{found.sizes}  ·  {time}"
        self._view.show_plan(text, "", unknown=found.time is None)

    def _not_planned(self, sentence: str) -> None:
        self._planning = None
        self._view.show_plan("", sentence, unknown=False)

    @Slot(object)
    def _show_state(self, state: StudyState) -> None:
        busy = self._model.busy
        self._view.show_state(
            self._state_text(state),
            busy=busy,
            paused=state is StudyState.PAUSED,
            stopping=state is StudyState.STOPPING,
        )
        self._window.show_study(goes_on=busy)
        self._window.block("study", "A study goes on: no run can start" if busy else "")
        self._look()

    def _state_text(self, state: StudyState) -> str:
        """Say what the study does, and how many cores it uses."""
        if state is not StudyState.RUNNING or self._planned is None:
            return state.value
        kinds = {run.configuration.device for run in self._planned.plan.runs}
        cores = usable_cores()
        used = cores if "cpu" in kinds else min(cores, self._view.form.processes or cores)
        which = f"all {cores} cores" if used == cores else f"{used} of {cores} cores"
        return f"{state.value} on {which}" if kinds != {"cuda"} else f"{state.value} on the GPUs"

    @Slot()
    def _look(self) -> None:
        """Show how far the study is; read its results where there are new ones."""
        progress, state = self._model.progress, self._model.state
        if progress is None or not self._model.busy:
            return
        seconds = progress.seconds_left or 0.0
        left = duration(seconds) if seconds >= 1 else ""  # less is nothing to plan by
        if state is not StudyState.STOPPING:
            self._view.show_progress(self._state_text(state), progress, left)
        ended = progress.done + progress.failed
        if ended != self._seen and self._reading is None and time.monotonic() >= self._due:
            self._seen = ended
            self._read()

    def _ended(self, last: Progress | None, why: str) -> None:
        self._timer.stop()
        self._read()
        if why:
            self._window.tell(why)
        if last is None:
            return
        done = f"{counted(last.done, 'run')} done"
        failed = f", {last.failed} failed" if last.failed else ""
        if last.complete and not why:
            severity = "warning" if last.failed else "done"
            self._window.tell(f"The study has ended: {done}{failed}", severity)  # type: ignore[arg-type]
        elif not why:
            left = last.total - last.done - last.failed
            text = f"The study was cancelled: {done}{failed}, {left} left; Resume goes on"
            self._window.tell(text, "info")

    def _read(self) -> None:
        """Read the results in sight, one reading at a time."""
        path, began = self._results, time.monotonic()
        if path is None:
            return
        if self._reading is not None:
            self._read_again = True
            return
        self._read_again = False

        def over() -> None:
            self._reading = None
            self._due = time.monotonic() + REST * (time.monotonic() - began)
            if self._read_again:
                self._read()

        def show(found: Found) -> None:
            if path == self._results:
                self._show_found(found)
            over()

        def refuse(sentence: str) -> None:
            if not self._model.busy:
                self._window.tell(sentence)
            over()

        self._reading = self._background.start(
            Task(lambda _: work.find_results(path), show, refuse)
        )

    def _show_found(self, found: Found) -> None:
        self._found = found
        titles = {name: plot.title for name, plot in found.plots.items()}
        self._view.results.show_results(found.analysis, titles)
        self._view.show_found(found=True)
        self._view.show_rest(found.left or found.failed)

    @Slot()
    def _draw(self) -> None:
        """Draw the chosen plot in the size and the colours of its place, one at a time."""
        found, part = self._found, self._view.results
        if found is None or part.plot not in found.plots or not part.picture.isVisible():
            return
        if self._drawing is not None:
            self._draw_again = True
            return
        self._draw_again = False
        plot, size, dark = found.plots[part.plot], part.picture.size(), self._view.theme.dark

        def over() -> None:
            self._drawing = None
            if self._draw_again:
                self._draw()

        def show(picture: QImage) -> None:
            if part.plot == plot.name:
                part.show_plot(picture, plot.text)
            over()

        def refuse(sentence: str) -> None:
            self._window.tell(sentence)
            over()

        draw = partial(work.drawn, plot, size.width(), size.height(), dark=dark)
        self._drawing = self._background.start(Task(lambda _: draw(), show, refuse))

    @Slot(str, object)
    def _export(self, name: str, path: Path) -> None:
        """Write what is asked for, in the background."""
        if name not in EXPORTS:
            return
        found, results, tell = self._found, self._results, self._window.tell
        plot = found.plots.get(self._view.results.plot) if found is not None else None
        if name == "study" and self._planned is not None:
            writing = partial(work.save_design, path, self._planned.plan.design)
        elif name == "study-report" and results is not None:
            writing = partial(work.write_report, path, results, lambda share, text: None)
        elif name == "study-table" and found is not None:
            writing = partial(work.write_table, path, found.analysis)
        elif name in PLOT_EXPORTS and plot is not None:
            writing = partial(work.write_plot, path, plot, name.removeprefix("study-"))
        else:
            return
        if name == "study-report":
            tell("The report is being written", "info")
        written = f"{path.name} is written"
        self._background.start(Task(lambda _: writing(), lambda _: tell(written, "done"), tell))

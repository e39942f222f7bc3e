"""Sets up a study, and runs it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.window.controllers.batch import study_work as work
from app.window.controllers.batch.study_work import Opened, Planned
from app.window.controllers.controller import Controller, Parts
from app.window.models.batch import BatchState
from app.window.threads.tasks import Task
from gpu import catalog
from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.files import exists
from gpu.core.formats import duration, number_of
from gpu.core.machine.devices import Device
from gpu.core.machine.processors import usable_cores
from gpu.core.problem import Problem
from gpu.core.system import System
from gpu.core.words import counted
from gpu.problems.bundled import bundled, name_or_path
from gpu.problems.reading import ReadAs
from gpu.studies.design import Design
from gpu.studies.execution.executor import BatchControl
from gpu.studies.execution.local import LocalExecutor
from gpu.studies.store import Store
from gpu.studies.study import Study
from views.batch.colony_row import design_of
from views.batch.study_view import StudyView
from views.frame.activity import Activity
from views.frame.banner import Severity
from views.runs.runs_view import RunsView
from views.widgets.steps import StepQueue, Steps

STUDY_PLAN_AFTER = 300  # milliseconds without a change, after which the design is planned
STUDY_LOOK_EVERY = 250  # milliseconds between two looks at the progress
_IS_RUNNING = "A study is running: cancel it before you open another one"
_NO_RUN = "A study is running: start a run when it has ended"
_STATE_TEXTS = {
    BatchState.IDLE: "",
    BatchState.PREPARING: "Preparing the study",
    BatchState.RUNNING: "The study runs",
    BatchState.PAUSED: "The study is paused",
    BatchState.STOPPING: "The study is being ended",
}


class StudyController(Controller):
    """Connects the window's study with its form and its buttons. Threads read and plan."""

    begun = Signal()  # the study wants the machine for itself
    # path of the file whose results are to be in sight; None for those of no study
    results_chosen = Signal(object)
    results_grown = Signal()  # there may be more in it
    fetch_wanted = Signal(object)  # list of the names of instances that the study needs

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._model, self._view = parts.runs.batch, parts.window.view(StudyView)
        self._of_file: tuple[Design, str] | None = None  # the design opened, and its results
        self._planned: Planned | None = None  # what the form says; None until that is known
        self._only_read = False  # whether the results in sight came with the program
        self._planning: Task[Planned] | None = None
        self._away: tuple[str, ...] = ()  # instances of the design that can be downloaded
        self._opening: Task[Opened] | None = None  # the file that was chosen last
        self._study: Study | None = None  # the one under way or the last one
        self._seen = -1  # runs that had ended when others were told of it
        self._steps = StepQueue(self._view)  # of studies that are opened
        self._looked = False  # whether the view has been in sight
        self._plan_soon = QTimer(self, singleShot=True, interval=STUDY_PLAN_AFTER)
        self._plan_soon.timeout.connect(self._plan)
        self._timer = QTimer(self, interval=STUDY_LOOK_EVERY)
        self._timer.timeout.connect(self._look)
        for timer in (self._plan_soon, self._timer):
            self._window.closing.connect(timer.stop)
        self._connect()

    def _connect(self) -> None:
        view, form, window = self._view, self._view.form, self._window
        form.instances.show_bundled(
            {
                problem: [
                    (f"{one.name}:  {number_of(one.n, problem.words.place)}", one.name)
                    for one in bundled()
                    if one.problem is problem
                ]
                for problem in Problem
            }
        )
        form.changed.connect(self._changed)
        form.add_requested.connect(self.add)
        form.instances.this_requested.connect(self._add_instance)
        form.instances.files_requested.connect(self._ask_for_instances)
        form.results_requested.connect(self._ask_for_results)
        view.looked_at.connect(self._open_last)
        view.new_requested.connect(self._begin_anew)
        view.open_requested.connect(self._ask_to_open)
        view.save_requested.connect(lambda: window.dialogs.ask_for_export("study"))
        view.start_requested.connect(self.start)
        view.pause_requested.connect(self._model.pause)
        view.resume_requested.connect(self._model.resume)
        view.cancel_requested.connect(self._model.cancel)
        view.estimate_requested.connect(lambda: self._plan(trying=True))
        view.download_requested.connect(self._download)
        window.dialogs.to_export.connect(self._save)
        commands = window.study
        commands.start.connect(view.start.click)  # which says what it does, and can be pressed
        commands.pause.connect(self._model.pause)
        commands.resume.connect(self._model.resume)
        commands.stop.connect(self._model.cancel)
        self._model.state_changed.connect(self._show_state)
        self._changed()

    @property
    def _goes_on(self) -> bool:
        """Whether the batch under way is a study."""
        return self._model.kind == "study"

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
        added = design_of(choices.colony, choices.device, given, taken)
        if same := next((row.name for row in form.rows if row.equals(added)), ""):
            other = _next_system(system, setup.colony.device, {row.family for row in form.rows})
            said = "the new row is equal: change one of the two"
            if other is not None:
                added = design_of(other.name, choices.device, {}, taken)
                said = f"{added.label} was added. Its row can have any other colony"
            self._window.tell(f"{same} is in the study already: {said}", "info")
        form.add_colony(added)
        if not form.instances.texts:
            self._add_instance()

    @Slot(object)
    def open(self, path: Path) -> None:
        """Show a study: its design, and its results where there are some.

        Of several that are opened while the first is still read, the last is shown.
        """
        if self._goes_on:
            self._window.tell(_IS_RUNNING)
            return
        if self._opening is not None:
            self._opening.cancel()
        task = Task(lambda _: work.open_study(path), self._opened, self._window.tell)
        self._opening = self._background.start(task)

    @Slot()
    def start(self) -> None:
        """Do all runs that are not done yet."""
        found, form = self._planned, self._view.form
        if found is None or self._goes_on:
            return
        if self._runs.busy or self._window.activity is not Activity.IDLE:
            self._window.tell("Stop the run or measurement first: it would disturb the study")
            return
        if not form.results or self._is_another(form.design):
            form.results_entry.setText(str(work.free_results(found.plan.design.title)))
        path = Path(form.results).expanduser().absolute()
        form.results_entry.setText(str(path))
        self._seen = -1
        self._window.banner.clear()
        retry = self._view.retries  # before other results are shown
        self.results_chosen.emit(path)
        self.begun.emit()
        plan, processes = found.plan, form.processes

        def do_runs(task: Task[None], control: BatchControl) -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with Store(path) as store:
                executor = LocalExecutor(processes, control=control)
                study = Study(plan, store, executor, retry_failed=retry)
                executor.check(study.cases)
                self._study = study
                task.post(self._model.begin)
                study.run()

        self._study = None
        self._model.start(self._background, "study", do_runs, lambda _, why: self._ended(why))
        self._view.show_page("results")
        self._timer.start()

    def _is_another(self, design: Design) -> bool:
        """Whether the results named are those of a file opened, and the design is changed since.

        Changed before any run, it is a study of its own: the file's results are for the file.
        """
        if self._of_file is None:
            return False
        opened, results = self._of_file
        return design != opened and self._view.form.results == results and not exists(Path(results))

    def _opened(self, found: Opened) -> None:
        if self._goes_on:  # it was started meanwhile
            self._window.tell(_IS_RUNNING)
            return
        self._steps.begin(lambda: self._show_opened(found), lambda _: None)

    def _show_opened(self, found: Opened) -> Steps[None]:
        """Bring the study into sight, step by step: all at once would hold up the window."""
        view = self._view
        try:
            rows = yield from view.form.make_rows(found.design)
        except FormicariumError as error:
            self._window.tell(str(error))
            return
        self._window.dashboard.show_view(StudyView.key)
        yield
        view.form.show_design(found.design, rows)
        view.form.results_entry.setText(str(found.results))
        self._of_file = view.form.design, view.form.results
        self._only_read = found.shown is not None and found.shown != found.results
        self.results_chosen.emit(found.shown or found.results)
        view.show_page("results" if found.shown else "form")
        if found.shown:
            self.results_grown.emit()

    @Slot()
    def tell_of_instance(self) -> None:
        """Say how the instance that was opened gets into the study, where its form is seen."""
        form, instance = self._view.form, self._instance.value
        if instance is None or instance.path is None or not form.isVisible() or self._goes_on:
            return
        if name_or_path(instance.path) not in form.instances.texts:
            self._window.tell(
                f"{instance.name} is not in the study yet: press This instance to add it", "info"
            )

    @Slot()
    def _add_instance(self) -> None:
        instance = self._instance.value
        if instance is None or instance.path is None:
            self._window.tell("Open an instance from a file first")
            return
        text, said = name_or_path(instance.path), ReadAs.parse(instance.read_as)
        self._view.form.instances.add([text], {text: said})

    @Slot()
    def _ask_for_instances(self) -> None:
        def chosen(paths: list[Path]) -> None:
            self._view.form.instances.add([str(path) for path in paths])

        self._window.dialogs.ask_for_files("Instances of the study", "open-folder", chosen)

    @Slot()
    def _ask_for_results(self) -> None:
        def chosen(path: Path) -> None:
            self._view.form.results_entry.setText(str(path))
            self._changed()

        stem = self._view.form.title.text() or "study"
        title, filter_ = "Results of the study", "Results of a study (*.sqlite)"
        self._window.dialogs.ask_to_save(title, stem, ".sqlite", filter_, chosen)

    @Slot()
    def _open_last(self) -> None:
        """Begin with the results of the last study, where the view is seen for the first time."""
        first, self._looked = not self._looked, True
        if not first or self._view.set_up or self._opening is not None:
            return
        studies = reversed(self._window.view(RunsView).studies)
        if (last := next(filter(exists, studies), None)) is not None:
            self.open(last)

    @Slot()
    def _begin_anew(self) -> None:
        """Show an empty form; the study that was in sight stays in its file."""
        self._of_file, self._only_read = None, False
        self.results_chosen.emit(None)
        self._view.form.begin_anew()
        self._view.show_page("form")

    @Slot()
    def _ask_to_open(self) -> None:
        filter_ = "Studies (*.toml *.sqlite);;All files (*)"
        self._window.dialogs.ask_for_file("Open a study", filter_, "study-folder", self.open)

    @Slot()
    def _changed(self) -> None:
        """Plan the design that the form has now, as soon as nothing changes for a moment."""
        self._planned, self._away = None, ()
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

    def _design(self) -> tuple[Design, int | None]:
        """The design, and the cores to use; FormicariumError if one of them is none."""
        return self._view.form.design, self._view.form.processes

    @Slot()
    def _plan(self, trying: bool = False) -> None:
        try:
            design, processes = self._design()
        except FormicariumError:
            return
        results = Path(self._view.form.results).expanduser() if self._view.form.results else None
        if trying and (self._runs.busy or self._model.busy):
            self._window.tell(
                "Stop the run or measurement first: it would disturb the trials", "info"
            )
            return

        def plan(task: Task[Planned]) -> Planned:
            if away := work.to_download(design):
                task.post(self._note_away, away)
                one = len(away) == 1
                some = f"{away[0]} is" if one else f"{counted(len(away), 'instance')} are"
                raise InstanceError(f"{some} not here yet")

            def tell(text: str) -> None:
                task.post(self._view.show_trial, text)

            def cancelled() -> bool:
                return task.cancelled

            return work.planned(
                design, processes, results, trying=trying, cancelled=cancelled, tell=tell
            )

        task = Task(plan, self._show_plan, self._not_planned)
        self._planning = self._background.start(task)

    def _note_away(self, names: tuple[str, ...]) -> None:
        self._away = names

    @Slot()
    def _download(self) -> None:
        """Fetch what the study needs, with the page of downloads in sight."""
        away = list(self._away)
        self._window.pages.show_gallery()
        self._window.gallery.show_page("download")
        self.fetch_wanted.emit(away)

    @Slot()
    def look_again(self) -> None:
        """Plan again: there is an instance more."""
        if self._away:
            self._changed()

    def _show_plan(self, found: Planned) -> None:
        self._planning, self._planned = None, found
        self._view.show_plan(work.plan_text(found), "", unknown=found.unknown)

    def _not_planned(self, sentence: str) -> None:
        self._planning = None
        if (
            self._only_read and not self._away
        ):  # what it needs may be missing, and its results are there
            sentence = f"It cannot be run again yet. {sentence}"
        self._view.show_plan("", sentence, unknown=False, away=self._away)

    @Slot(object)
    def _show_state(self, state: BatchState) -> None:
        busy = self._goes_on
        self._view.show_state(self._state_text(state) if busy else "", state if busy else "")
        self._window.block("study", _NO_RUN if busy else "")
        self._look()

    def _state_text(self, state: BatchState) -> str:
        """Say what the study does, and how many cores it uses."""
        said = _STATE_TEXTS[state]
        if state is not BatchState.RUNNING or self._planned is None:
            return said
        kinds = {case.device for case in self._planned.plan.cases}
        cores = usable_cores()
        used = cores if "cpu" in kinds else min(cores, self._view.form.processes or cores)
        which = f"all {cores} cores" if used == cores > 1 else f"{used} of {counted(cores, 'core')}"
        return f"{said} on the GPUs" if kinds == {"cuda"} else f"{said} on {which}"

    @Slot()
    def _look(self) -> None:
        """Show how far the study is; read its results where there are new ones."""
        if self._study is None or not self._goes_on:
            return
        progress, state = self._study.progress, self._model.state
        seconds = progress.seconds_left or 0.0
        left = duration(seconds) if seconds >= 1 else ""  # less is nothing to plan by
        if state is not BatchState.STOPPING:
            self._view.show_progress(self._state_text(state), progress, left)
        ended = progress.done + progress.failed
        if ended != self._seen:
            self._seen = ended
            self.results_grown.emit()

    def _ended(self, why: str) -> None:
        last = None if self._study is None else self._study.progress
        self._timer.stop()
        self.results_grown.emit()
        self._changed()  # fewer runs are left
        if why:
            self._window.tell(why)
        if last is None:
            return
        done = f"{counted(last.done, 'run')} done"
        failed = f", {last.failed} failed" if last.failed else ""
        if last.complete and not why:
            severity: Severity = "warning" if last.failed else "done"
            self._window.tell(f"The study has ended: {done}{failed}", severity)
        elif not why:
            left = last.total - last.done - last.failed
            text = f"The study was cancelled: {done}{failed}, {left} left. Resume does them"
            self._window.tell(text, "info")

    @Slot(str, object)
    def _save(self, name: str, path: Path) -> None:
        """Write the design."""
        if name != "study" or self._planned is None:
            return
        design, window = self._planned.plan.design, self._window
        task = Task(
            lambda _: work.save_design(path, design),
            lambda _: window.tell_written(path),
            window.tell,
        )
        self._background.start(task)


def _next_system(system: System, device: Device | None, used: Collection[str]) -> System | None:
    """Return the first variant that runs on ``device`` of the next family that is not ``used``."""
    families = list(catalog.families(system.problem).items())
    at = [family for family, _ in families].index(catalog.family_of(system))
    for family, rows in (*families[at + 1 :], *families[:at]):
        here = [one for one in rows if device is not None and one.runs_on(device)]
        if here and family.name not in used:
            return here[0]
    return None

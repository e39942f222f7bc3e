"""Opens files, with their instances, and keeps the best-known cost that the user types in."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QInputDialog

from app.files.importing import Reading
from app.files.library import keep_best_known
from app.files.loading import OpenedFile, load_any
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.errors import InstanceError
from gpu.core.instance import Instance
from gpu.problems.loading import with_wanted_route
from gpu.problems.reading import AS_FOUND, ReadAs
from gpu.problems.tsp.instance import TspInstance
from views.frame.activity import Activity
from views.problem_display import STUDY_SUFFIXES
from views.reading_words import in_window
from views.setup.presets import Choices
from views.widgets.labels import plain_tip
from views.widgets.layers import corners
from views.widgets.steps import StepQueue, Steps

_LONGEST_NUMBER = 40  # characters of a cost that is typed


def _measured(found: OpenedFile | Reading) -> OpenedFile | Reading:
    """Look how large the map is, which views ask for in the thread of the window."""
    if found.instance is not None and (places := found.instance.map_places) is not None:
        corners(places)
    return found


class FileController(Controller):
    """Loads one file at a time; of several, the last one that can be read is shown."""

    stop_wanted = Signal()  # a loaded instance waits for the end of the run
    race_opened = Signal(object)  # the OpenedRace that came with the shown instance
    shown = Signal()  # the window shows another instance, with the choices of its session
    study_chosen = Signal(object)  # path of the design of a study, or of its results
    recorded = Signal(object)  # the Recorded of a log or a session that was opened, then
    refused = Signal()  # a file could not be read
    ready = Signal()  # there are an instance and a device: a run can start
    unsure = Signal(object)  # the Reading of a file that does not say all itself

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._loading: Task[OpenedFile | Reading] | None = None
        self._steps = StepQueue(self._window)
        self._route: ReadAs | None = None  # of the instance whose file is read otherwise
        self._runs.left.connect(self._show_waiting)
        self._runs.preparing_changed.connect(self._show_waiting)
        self._window.open_requested.connect(self.open)
        self._window.open_as_requested.connect(self.open_as)
        self._window.setup.instance.reading_requested.connect(self.read_otherwise)

    @Slot(object)
    def open_as(self, path: Path) -> None:
        """Let the user say how the file at ``path`` is to be read, even if it says that itself."""
        self.open(path, ask=True)

    @Slot()
    def read_otherwise(self) -> None:
        """Let the user change how the file of the instance in sight is read."""
        instance = self._instance.value
        if instance is not None and instance.path is not None:
            said = self._last_reading(instance.path)
            now = ReadAs.parse(instance.read_as)
            said = now if said == AS_FOUND else said
            self.open(instance.path, str(said.of_file), ask=True)
            self._route = now.of_route

    @Slot(object)
    @Slot(object, str)
    def open(self, path: Path, read_as: str = "", *, ask: bool = False) -> None:
        """Load the instance, the recorded session, the tour or the study at ``path``.

        ``read_as`` is what the user has said of it. If a file does not say all itself, he is asked,
        unless he has said it earlier; and of any other, if he wants to be asked. The run or the
        measurement under way is ended, but only after the file has been read without an error, and
        the user has agreed.
        """
        self._window.banner.clear()
        self._route = None
        if path.suffix.lower() in STUDY_SUFFIXES:
            self.study_chosen.emit(path)
            return
        self._window.setup.show_loading(path.name)
        if self._loading is not None:
            self._loading.cancel()
        shown, last = self._instance.value, self._last_reading(path)
        last = last.of_file if ask else last
        task = Task(
            lambda _: _measured(load_any(path, shown, read_as, last=str(last), ask=ask)),
            self._loaded,
            self._not_loaded,
        )
        self._loading = self._background.start(task)

    def _last_reading(self, path: Path) -> ReadAs:
        """Return how the user had the file at ``path`` read last."""
        try:
            return ReadAs.parse(self._window.dialogs.reading_of(path))
        except InstanceError:  # kept by another version, or damaged
            return AS_FOUND

    @Slot()
    def announce(self) -> None:
        """Emit ``ready`` if there are an instance and a device."""
        if self._instance.value is not None and self._window.setup.colony.device is not None:
            self.ready.emit()

    @Slot()
    def give_up(self) -> None:
        """Open nothing after all."""
        self._show_waiting()
        self.refused.emit()

    @Slot(object)
    def take(self, found: OpenedFile) -> None:
        """Show what the user has looked at, with the route that was wanted before if it can be."""
        wanted, self._route = self._route, None
        instance = found.instance
        if wanted is None or not wanted.asks_for_route or not isinstance(instance, TspInstance):
            self._loaded(found)
            return

        def with_route(_: object) -> OpenedFile:
            return OpenedFile(with_wanted_route(instance, wanted))

        def made(found: OpenedFile) -> None:
            if (path := found.instance.path) is not None:
                self._window.dialogs.remember_reading(path, found.instance.read_as)
            self._loaded(found)

        def without(sentence: str) -> None:
            self._loaded(found)
            self._window.tell(sentence)

        self._background.start(Task(with_route, made, without))

    def _loaded(self, found: OpenedFile | Reading) -> None:
        self._loading = None
        if isinstance(found, Reading):
            self._window.setup.show_loading("")
            self.unsure.emit(found)
            return
        if found.instance is self._instance.value:  # a tour of it: a run may go on
            self._window.setup.show_loading("")
            self._instance.give(found.tour)
            self._show_waiting()
            return
        activity, name = self._window.activity, found.instance.name
        if activity is Activity.MEASURING:
            lost = "What it has measured is lost."
            question = f"A measurement goes on. Stop it and show {name}? {lost}"
        elif activity.goes_on:
            what = "race" if self._runs.race.busy else "run"
            shown = self._instance.value
            if shown is not None and shown.path is not None and shown.path == found.instance.path:
                name += "" if shown.read_as == found.instance.read_as else " as you want it now"
            question = f"A {what} goes on. Stop it and show {name}? Its log is kept."
        else:
            self._show_soon(found)
            return
        self._window.setup.show_loading("")
        self._window.ask(question, "Stop and show", "Go on", partial(self._show_soon, found))

    def _show_soon(self, found: OpenedFile) -> None:
        """Show what was loaded, as soon as the run has ended."""
        self._instance.next = found
        self._show_waiting()
        if self._runs.busy:
            self.stop_wanted.emit()

    def _not_loaded(self, sentence: str) -> None:
        self._loading = None
        self._window.setup.show_loading("")
        self._show_waiting()
        self._window.tell(in_window(sentence))
        self.refused.emit()

    @Slot()
    def _show_waiting(self) -> None:
        """Show what was loaded, unless a run goes on or a newer file is being loaded."""
        if self._waiting() is not None:
            self._steps.begin(self._choose_in_steps, self._show_after_pictures)

    def _waiting(self) -> OpenedFile | None:
        """What was loaded, and can be shown now."""
        return None if self._loading is not None or self._runs.busy else self._instance.next

    def _choose_in_steps(self) -> Steps[None]:
        """Let the panel choose for the instance, which takes its time."""
        if (found := self._waiting()) is None:
            return
        setup = self._window.setup
        with QSignalBlocker(setup):  # nobody hears of it yet, and nothing can start until then
            setup.show_instance(found.instance)
            setup.show_loading(found.instance.name)
        yield

    def _show_after_pictures(self, _: None) -> None:
        """Show the instance as soon as pictures of what is in sight are made."""
        self._window.steps.begin(self._show_in_steps, _nothing)

    def _show_in_steps(self) -> Steps[None]:
        """Show the instance, or what is loaded meanwhile."""
        if self._waiting() is None:
            return
        self._runs.clear()
        yield
        if (found := self._waiting()) is None:
            return
        self._window.arrange(found.instance)
        yield
        if (found := self._waiting()) is None:
            return
        self._instance.next = None
        self._show(found)
        yield  # until the views are in sight
        self.announce()

    def _show(self, found: OpenedFile) -> None:
        instance, recorded, race, tour = found
        self._instance.change(instance)
        self._window.show_instance(instance)
        if recorded is not None:
            session = recorded.log.session
            choices = Choices(
                device=session.device,
                colony=session.colony,
                parameters=session.chosen.to_dict(),
                seed=session.seed,
                stop=session.stop.to_dict(),
            )
            if missing := self._window.setup.set_choices(choices):
                sentence = f"This machine cannot run {missing}: choose another colony or device"
                self._window.tell(sentence)
        if race is not None:
            self.race_opened.emit(race)
        self._instance.give(tour)
        self.shown.emit()
        if recorded is not None:
            self.recorded.emit(recorded)
        if instance.note:
            self._window.tell(f"{instance.name}: {in_window(instance.note)}", "info")


def _nothing(_: object) -> None:
    """Nothing is made in steps but what they show."""


class BestKnownController(Controller):
    """Asks for a number, and has what is in sight loaded again, which then has it.

    That is the log of the run that has ended, or the file of the instance. While a run or a
    measurement goes on, nothing is loaded.
    """

    kept = Signal(object, str)  # path of a log or an instance, and how the instance is read

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._window.setup.instance.best_known_requested.connect(self.ask)

    @Slot()
    def ask(self) -> None:
        """Ask for the best-known cost."""
        instance = self._instance.value
        if instance is None:
            return
        known = instance.problem.words.known
        dialog = QInputDialog(self._window)
        dialog.setObjectName("best-known")
        dialog.setWindowTitle("Best known")
        question = f"{known[:1].upper()}{known[1:]} (0 forgets what you gave):"
        dialog.setLabelText(plain_tip(question))
        known = instance.cost_unit.text(instance.optimum, "") if instance.optimum else ""
        dialog.setTextValue(known)
        dialog.textValueSelected.connect(self._keep)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def _keep(self, text: str) -> None:
        instance, plain = self._instance.value, "".join(text.split())
        if instance is None:
            return
        try:
            cost = instance.cost_unit.cost(plain) if len(plain) < _LONGEST_NUMBER else -1
        except ValueError:
            cost = -1
        if cost < 0:
            unit, known = instance.cost_unit, instance.problem.words.known
            kind = "a whole number" if unit.whole else f"a number such as {unit.text(1234, '')}"
            self._window.tell(
                f"{text[:40]!r} is not kept: {known} is {kind} above 0, or 0 for none"
            )
            return
        self._background.start(
            Task(
                lambda _: keep_best_known(instance, cost),
                lambda _: self._show(instance),
                self._window.tell,
            )
        )

    def _show(self, instance: Instance) -> None:
        """Have ``instance`` loaded again, if it is still the one in sight and nothing goes on."""
        if instance is not self._instance.value:
            return
        if self._window.activity is Activity.IDLE:
            self.kept.emit(self._in_sight(instance), instance.read_as)
        else:
            known = instance.problem.words.known
            self._window.tell(f"{known} is kept, for when {instance.name} is opened again", "info")

    def _in_sight(self, instance: Instance) -> Path | None:
        """Return the log of the ended run on ``instance``, or else the file of the instance."""
        run = self._runs.current
        ended = run is not None and not self._runs.busy and run.instance is instance
        return run.recorder.path if run and ended and not run.recorder.lost else instance.path

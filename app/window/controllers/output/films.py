"""Makes films of the run in sight, in the background."""

from __future__ import annotations

import queue
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Slot

from app.files.film import FilmCancelledError, check_film, write_film
from app.files.film_source import FilmSource, Scene
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance
from gpu.run.frames.past import Past
from gpu.run.log.archive import SUFFIX
from views.film.film_dialog import FilmDialog
from views.film.film_stage import FilmStage
from views.widgets.steps import StepByStep, Steps


class FilmController(Controller):
    """Asks what film is wanted, paints its frames, and has a thread do all the rest.

    Qt paints views in the window's thread alone. So a thread reads the scenes and writes the film,
    and asks for one frame at a time: between two of them the window answers.
    """

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self.dialog: FilmDialog | None = None
        self.task: Task[None] | None = None

    @Slot(object, str)
    def ask(self, past: Past, title: str) -> None:
        """Ask what film of ``past`` is wanted."""
        if self.dialog is not None:
            self.dialog.raise_()
            self.dialog.activateWindow()
            return
        window, instance, log = self._window, past.instance, past.path.with_suffix(SUFFIX)
        dialog = FilmDialog(window, instance.problem, title, dark=window.theme.dark)
        self.dialog = dialog
        dialog.save_wanted.connect(
            lambda ending, form: window.dialogs.ask_to_save_film(
                dialog,
                f"{window.dialogs.stem_of('film')}-film",
                ending,
                form,
                lambda out: self.make(out, log, instance),
            )
        )
        dialog.cancelled.connect(self.cancel)
        dialog.finished.connect(self._closed)
        dialog.show()

    def make(self, out: Path, log: Path, instance: Instance) -> None:
        """Make the film ``out`` of the run whose log is ``log``, as the dialog says."""
        dialog = self.dialog
        if dialog is None or self.task is not None:
            return
        try:
            choices = dialog.choices(out)
            check_film(choices)
            stage = FilmStage(choices, instance)
        except FormicariumError as error:
            dialog.tell(str(error), wrong=True)
            return
        what = out.name if choices.form else f"the folder {out.name}"
        stage.setParent(dialog, stage.windowFlags())
        turns = StepByStep(stage)
        dialog.show_making(making=True)

        def work(task: Task[None]) -> None:
            source = FilmSource(log, instance)

            def picture(number: int) -> NDArray[np.uint8]:
                return _painted(task, stage, turns, source.scene(number, choices, stage.keys))

            write_film(
                choices, picture, lambda share: task.report(share, ""), lambda: task.cancelled
            )

        def ended(sentence: str, wrong: bool) -> None:
            self.task = None
            stage.deleteLater()
            if self.dialog is not None:
                self.dialog.show_making(making=False)
                self.dialog.tell(sentence, wrong=wrong)
            self._window.tell(sentence, "error" if wrong else "done")

        task = Task[None](
            work,
            lambda _: ended(f"{what} is written", False),
            lambda sentence: ended(sentence, True),
            dialog.show_progress,
        )
        self.task = self._background.start(task)
        task.ended.connect(stage.deleteLater)

    @Slot()
    def cancel(self) -> None:
        """Give up the film; its thread removes what is written of it."""
        task, self.task = self.task, None
        if task is not None:
            task.cancel()
        if self.dialog is not None:
            self.dialog.show_making(making=False)
            self.dialog.tell("The film was given up")

    @Slot()
    def _closed(self) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            dialog.deleteLater()


def _painted(
    task: Task[None], stage: FilmStage, turns: StepByStep, scene: Scene
) -> NDArray[np.uint8]:
    """Have a frame painted in the window's thread, and wait for it."""
    answer: queue.Queue[NDArray[np.uint8] | Exception] = queue.Queue(1)

    def paint() -> Steps[NDArray[np.uint8] | Exception]:
        try:
            return (
                yield from stage.paint(
                    scene.instance, scene.snapshot, scene.caption, scene.pictures
                )
            )
        except Exception as error:  # the thread that waits for it must end
            return error

    def begin() -> None:
        try:
            turns.begin(paint, answer.put)
        except RuntimeError as error:  # the dialog is closed, and all of it deleted
            answer.put(error)

    task.post(begin)
    while not task.cancelled:
        try:
            found = answer.get(timeout=0.1)
        except queue.Empty:
            continue
        if isinstance(found, Exception):
            raise found
        return found
    raise FilmCancelledError("the film was given up")

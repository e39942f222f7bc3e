"""Pictures and films of what the window shows."""

from __future__ import annotations

import queue
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication, QImage

from app.files.film import FilmCancelledError, FilmSource, Scene, check_film, write_film
from app.files.pictures import write_picture
from app.files.walk_film import WalkSource, filmed_ants
from app.window.controllers.controller import Controller, Parts
from app.window.controllers.runs.run_text import caption_of, title_of
from app.window.threads.tasks import Task
from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance
from gpu.run.frames.past import Past
from gpu.run.log.archive import LOG_SUFFIX
from views.film import FilmDialog, FilmStage
from views.frame.print_picture import PICTURE_MAKERS, PicturedView, preview
from views.graph.classes_view import ClassesView
from views.graph.graph_view import GraphView
from views.tour.tour_view import TourView
from views.widgets.picture_export import image_steps
from views.widgets.steps import StepQueue, Steps
from views.widgets.view import View


class PictureController(Controller):
    """Draws pictures as the user wants them, and writes them in the background."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        window = self._window
        self._dialogs = window.dialogs
        window.actions_.connect(
            {
                "picture": lambda: self.ask(window.dashboard.front.key),
                "copy-picture": self.copy_picture,
            }
        )
        for pane in window.dashboard.panes:
            pane.picture_requested.connect(self.ask)
        self._dialogs.to_picture.connect(self.export_picture)
        self._dialogs.preview_wanted.connect(self._preview)

    def caption_of(self, view: View) -> str:
        """What a picture of ``view`` shows, in one line."""
        if (source := view.source) is not None:
            return source.text
        if (run := self._runs.current) is not None:
            return f"{title_of(run)}  ·  {view.moment}" if view.moment else caption_of(run)
        return self._instance.value.name if self._instance.value else ""

    @Slot(str)
    def ask(self, key: str) -> None:
        """Let the user say how a picture of the view ``key`` is to look."""
        titles = {one: view.title for one, view in self._window.dashboard.views.items()}
        self._dialogs.ask_for_look(titles, key)

    @Slot(str, str, object)
    def export_picture(self, key: str, form: str, path: Path) -> None:
        """Write a picture of the view ``key``, in a form of ``FORMS``, as was chosen last."""
        look = self._dialogs.look
        self._window.steps.begin(
            lambda: PICTURE_MAKERS[form](self._subject(key), look),
            lambda picture: self._write(path, picture),
        )

    def _write(self, path: Path, picture: QImage | bytes) -> None:
        window = self._window
        task = Task(
            lambda _: write_picture(path, picture),
            lambda _: window.tell_written(path),
            window.tell,
        )
        self._background.start(task)

    @Slot()
    def copy_picture(self) -> None:
        """Put a picture of the view in front on the clipboard."""
        window = self._window
        view = window.dashboard.front

        def make() -> Steps[QImage]:
            yield from view.theme_steps()
            view.draw_all()
            return (yield from image_steps(view, window.theme, self.caption_of(view)))

        def copy(image: QImage) -> None:
            QGuiApplication.clipboard().setImage(image)
            window.tell(f"A picture of the view {view.title} is on the clipboard", "done")

        window.steps.begin(make, copy)

    @Slot()
    def _preview(self) -> None:
        self._window.steps.begin(self._make_preview, self._show_preview)

    def _make_preview(self) -> Steps[tuple[QImage, float] | None]:
        dialog = self._dialogs.picture
        if dialog is None or not dialog.isVisible() or dialog.look.problem:
            return None
        return (yield from preview(self._subject(dialog.key), dialog.look, dialog.room))

    def _show_preview(self, made: tuple[QImage, float] | None) -> None:
        dialog = self._dialogs.picture
        if made is not None and dialog is not None and not dialog.look.problem:
            dialog.show_preview(*made)

    def _subject(self, key: str) -> PicturedView:
        view = self._window.dashboard.views[key]
        return PicturedView(view, self.caption_of(view), self._window.theme)


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
        window, instance, log = self._window, past.instance, past.path.with_suffix(LOG_SUFFIX)
        walking = window.view(TourView).walking.on or window.view(GraphView).walking.on
        ants = filmed_ants(log, instance, on=walking)
        dialog = FilmDialog(window, instance.problem, title, dark=window.theme.dark, ants=ants)
        self.dialog = dialog

        def ask_where(ending: str, form: str) -> None:
            filter_ = f"{form} (*{ending})" if ending else form
            stem = f"{window.dialogs.stem_of('film')}-film"
            chosen = partial(self.make, log=log, instance=instance)
            window.dialogs.ask_to_save(form, stem, ending, filter_, chosen, dialog)

        dialog.save_wanted.connect(ask_where)
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
            stage = FilmStage(choices, instance, self._window.view(ClassesView).kept)
        except FormicariumError as error:
            dialog.tell(str(error), wrong=True)
            return
        what = out.name if choices.form else f"the folder {out.name}"
        stage.setParent(dialog, stage.windowFlags())
        turns = StepQueue(stage)
        dialog.show_making(making=True)

        def work(task: Task[None]) -> None:
            def look() -> None:
                if task.cancelled:
                    raise FilmCancelledError("the film was given up")

            made = FilmSource(log, instance)
            if choices.ants:
                made = WalkSource(log, instance, look)
            with closing(made) as source:

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
            if wrong:
                self._window.tell(sentence)
            else:
                self._window.tell_written(out)

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
    task: Task[None], stage: FilmStage, turns: StepQueue, scene: Scene
) -> NDArray[np.uint8]:
    """Have a frame painted in the window's thread, and wait for it."""
    answer: queue.Queue[NDArray[np.uint8] | Exception] = queue.Queue(1)

    def paint() -> Steps[NDArray[np.uint8] | Exception]:
        try:
            return (
                yield from stage.paint(
                    scene.instance, scene.snapshot, scene.caption, scene.pictures, scene.walk
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

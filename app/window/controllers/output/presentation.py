"""Plays scripts in the window, and turns pages where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from app.files.scripts import Script, ScriptError, ScriptStep, example, load_script
from app.window.controllers.controller import Controller, Parts
from app.window.threads.solver import SolverState
from app.window.threads.tasks import Task
from gpu.run.outcome import Ending
from gpu.run.stopping import StopSettings
from views.decision.decision_view import DecisionView
from views.frame.activity import Activity

_SCRIPT_LOOKS_EVERY = 40  # milliseconds between two looks whether a step is done

_LOOKS_IN_VAIN = 10  # looks in vain after which the window says what a step waits for


class Awaited(NamedTuple):
    """What a step waits for."""

    came: Callable[[], bool]
    what: str = ""  # in words; empty if nobody needs to know
    # Whether the steps that follow need it, too: it is waited for even if the speaker goes on.
    needed: bool = False


_NOTHING_AWAITED = Awaited(lambda: True)


class PresentationController(Controller):
    """Goes through the steps of a script, one after the other.

    A step is a generator of what it waits for. A timer asks for it, so that the window answers.
    What a step says is shown once it is true: until then it waits, and the window says for what.
    """

    start_wanted = Signal(object)  # begin a run; the iterations after which it pauses, or None

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self.script: Script | None = None
        self.place = -1  # of the step that is played; -1: none; behind the last one: all are done
        self._done = -1  # place of the last step that was done, not only shown again
        self._true: set[int] = set()  # places of steps of which all that they say has come
        self._steps: Iterator[Awaited] | None = None  # what the step still waits for
        self._awaited = _NOTHING_AWAITED
        self._looks = 0  # in vain for what is awaited
        self._timer = QTimer(self, interval=_SCRIPT_LOOKS_EVERY)
        self._timer.timeout.connect(self._look)
        shows = self._window.presentation
        shows.paged.connect(self._page)
        shows.begun.connect(self._begin)
        shows.ended.connect(self.leave)
        self._window.actions_.connect(
            {
                "script": lambda: self._window.dialogs.ask_for_file(
                    "Play a script", "Scripts (*.toml);;All files (*)", "script-folder", self.open
                ),
                "example": lambda: self.open(example()),
            }
        )

    @property
    def plays(self) -> bool:
        """Whether a step is being played, or waits for the speaker."""
        return self._steps is not None

    @property
    def _is_over(self) -> bool:
        """Whether the last step is done, and the window still presents."""
        return self.script is not None and self.place == len(self.script.steps)

    @Slot(object)
    def open(self, path: Path) -> None:
        """Play the script at ``path``."""
        task = Task(lambda _: load_script(path), self.play, self._window.tell)
        self._background.start(task)

    def play(self, script: Script) -> None:
        """Play ``script`` from its first step."""
        self.script = script
        self._window.presentation.begin()
        self._begin(True)

    @Slot(bool)
    def _begin(self, anew: bool) -> None:
        if self.script is not None:
            if anew:
                self._steps, self._done, self._true = None, -1, set()
            self._go_to(0 if anew or self._is_over else max(0, self.place))

    @Slot(int)
    def _page(self, way: int) -> None:
        """Go to the next step or to the one before; with no script, to another view."""
        if not (self.plays or (self._is_over and way < 0)):
            self._window.presentation.turn(way)
        elif self.place + way >= 0:
            self._go_to(self.place + way)

    @Slot()
    def leave(self) -> None:
        """Play no more; a run goes on."""
        self._timer.stop()
        self._steps, self._looks = None, 0
        self._window.presentation.wait_for("")
        if self._is_over:
            self.place = -1

    def _go_to(self, place: int) -> None:
        assert self.script is not None
        steps = self.script.steps
        if place >= len(steps):
            self.leave()
            self.place = len(steps)  # Page Up leads back
            self._window.tell(f"{self.script.title}: this was the last step", "info")
            return
        self.place = place
        self._steps = _after(self._steps, self._awaited, self._perform(steps, place))
        self._awaited = _NOTHING_AWAITED
        if self._looks < _LOOKS_IN_VAIN:  # else the window says already that the script waits
            self._looks = 0
        self._timer.start()
        self._look()

    @Slot()
    def _look(self) -> None:
        """Go on as far as what is awaited has come, and say what has not."""
        while self._steps is not None:
            if not self._awaited.came():
                self._say_what_is_awaited()
                return
            try:
                self._awaited = next(self._steps)
            except StopIteration:
                self._steps = None
                self._go_to(self.place + 1)
                return
            except ScriptError as error:
                self._fail(str(error))
                return

    def _say_what_is_awaited(self) -> None:
        if what := self._awaited.what:
            self._looks += 1
            if self._looks >= _LOOKS_IN_VAIN:
                self._window.presentation.wait_for(what)

    def _say(self, text: str | None) -> None:
        self._looks = 0
        self._window.presentation.say(text or "")

    def _fail(self, sentence: str) -> None:
        """Say what is wrong with a step; if the script goes on, the step is done anew."""
        assert self.script is not None
        self._done = self.place - 1
        self.leave()
        self._window.tell(f"{self.script.path.name}, {sentence}")

    def _perform(self, steps: Sequence[ScriptStep], place: int) -> Iterator[Awaited]:
        """Do the step at ``place``; if it was done before, show and say again what it does."""
        again, self._done = place <= self._done, max(self._done, place)
        step, seen = steps[place], _as_seen(steps[: place + 1])
        try:
            yield from self._show(seen if again else step, again=again)
            if place in self._true:
                self._say(seen.say)
                yield from self._decide(step, may_lack=True)
            else:
                if not again:
                    yield from self._run(step)
                yield from self._come(step, again=again)
                yield from self._decide(step, may_lack=again)
                self._say(seen.say)
                self._true.add(place)
        except ScriptError as error:
            where = f"line {step.line}" if step.line else f"step {place + 1}"
            raise ScriptError(f"{where}: {error}") from None
        yield self._end_of(replace(step, wait="click") if again else step)

    def _show(self, step: ScriptStep, *, again: bool) -> Iterator[Awaited]:
        """Open, choose and show what ``step`` names; ``again``, only show it."""
        window, shows = self._window, self._window.presentation
        if step.theme:
            window.theme_choice.choose(step.theme)
        if step.open is not None and not again:
            yield from self._open(step.open)
        if not again:
            self._choose(step)
        if step.show:
            keys = {view.name(): key for key, view in window.dashboard.views.items()}
            missing = [name for name in step.show if name not in keys]
            if missing and not again:
                raise ScriptError(f"there is no view {missing[0]} for this instance")
            if not missing:  # on the way back, another problem's views may be asked for
                shows.show([keys[name] for name in step.show])

    def _open(self, path: Path) -> Iterator[Awaited]:
        window = self._window
        yield from self._stop()
        window.open_requested.emit(path)
        yield Awaited(
            lambda: not window.setup.instance.loading and not self._runs.busy, path.name, True
        )
        value = self._instance.value
        if value is None or value.path is None or value.path.absolute() != path:
            raise ScriptError(window.banner.text or f"{path.name} cannot be opened")
        yield Awaited(lambda: window.setup.colony.device is not None, "the devices", True)

    def _choose(self, step: ScriptStep) -> None:
        """Choose what the next run is, as far as the step says it."""
        setup = self._window.setup
        chosen = step.device, step.colony, step.parameters, step.limits, step.seed is not None
        if any(chosen):
            if setup.measure_problem and not step.colony:
                raise ScriptError(setup.measure_problem)
            if self._runs.busy:
                raise ScriptError("nothing can be chosen while a run goes on: stop it before")
            now = setup.chosen
            if (step.device or step.colony) and not setup.colony.choose(
                step.device or now.device, step.colony or now.colony
            ):
                what = f"{step.colony or now.colony} on {step.device or now.device}"
                raise ScriptError(f"this machine cannot run {what}")
            values = {name: str(value) for name, value in step.parameters.items()}
            if unknown := [name for name in values if name not in setup.parameters.fields]:
                raise ScriptError(f"the colony has no parameter {unknown[0]}")
            setup.parameters.set_values({**setup.parameters.values(), **values})
            if step.seed is not None:
                setup.seed_field.text = str(step.seed)
            if problem := setup.measure_problem:
                raise ScriptError(problem)
            choices = setup.choices(limited=False)
            if step.limits:
                stop = StopSettings.from_dict(step.limits).to_dict()
                setup.set_choices(replace(choices, stop=stop))
            else:
                setup.set_choices(choices, limited=False)
        if step.pace is not None:
            paces = self._window.run_bar.pace
            offered = [float(paces.itemData(place)) for place in range(paces.count())]
            if step.pace not in offered:
                raise ScriptError(f"pace must be one of {', '.join(f'{p:g}' for p in offered)}")
            paces.choose(step.pace)

    def _run(self, step: ScriptStep) -> Iterator[Awaited]:
        """Have the run started, paused or stopped; :meth:`_come` waits for what it comes to."""
        runs, window = self._runs, self._window
        if step.run or step.run_to:
            yield Awaited(lambda: not runs.preparing, "the run", needed=True)
        if step.run == "stop":
            yield from self._stop()
        elif step.run == "pause":
            window.run.pause.emit()
        elif step.run and runs.active is not None:
            window.run.resume.emit()
        elif step.run_to and runs.active is not None:
            runs.active.go_to(step.run_to)
        elif step.run or step.run_to:
            before = runs.current
            self.start_wanted.emit(step.run_to or None)
            if not runs.busy:
                raise ScriptError(window.problem or "no run can start now")
            yield Awaited(lambda: not runs.preparing, "the run", needed=True)
            if runs.current is before:
                raise ScriptError(window.banner.text or "the run did not start")

    def _come(self, step: ScriptStep, *, again: bool) -> Iterator[Awaited]:
        """Wait until the run has come to what ``step`` says; ``again``, while it still may."""
        run, goal = self._runs.current, step.run_to
        if run is None or step.run == "stop" or not (step.run or goal):
            return

        def made() -> int:
            """The iterations that the window shows."""
            return 0 if run.snapshot is None else run.snapshot.iteration

        def came() -> bool:
            rests = run.state is SolverState.PAUSED
            if run.outcome is not None:
                return True
            if goal:
                return made() > goal or (made() == goal and (rests or again))
            return rests or again if step.run == "pause" else run.state is not SolverState.BUILDING

        what = f"iteration {goal}" if goal else "the run"
        yield Awaited(came, f"the pause of {what}" if step.run == "pause" else what)
        if run.outcome is not None and not again:
            if run.outcome.ending is Ending.FAILED:
                raise ScriptError(run.outcome.reason)
            if made() < goal:
                raise ScriptError(f"the run has ended before iteration {goal}")

    def _stop(self) -> Iterator[Awaited]:
        runs = self._runs
        if runs.busy:
            (self._window.race if runs.race.busy else self._window.run).stop.emit()
            yield Awaited(lambda: not runs.busy, "the end of the run", needed=True)
        elif self._window.activity is Activity.MEASURING:
            self._window.run.stop.emit()
            yield Awaited(
                lambda: self._window.activity is not Activity.MEASURING,
                "the end of the measurement",
                needed=True,
            )

    def _decide(self, step: ScriptStep, *, may_lack: bool) -> Iterator[Awaited]:
        """Show the decision of ``step``: the view asks for it once it can be answered.

        If there is none, the script ends, unless it ``may_lack``.
        """
        if step.decision is None:
            return
        ant, number = step.decision
        window = self._window
        view = window.view(DecisionView)
        window.dashboard.show_view(view.key)
        run, system = self._runs.current, window.setup.colony.system
        if run is not None:
            system = run.session.system
        if system is not None and not system.rule:
            if may_lack:
                return
            raise ScriptError(f"the decisions of {system.name} cannot be replayed")
        yield Awaited(lambda: view.controls.isEnabled(), "a pause of the run")
        view.controls.ant.setValue(ant)
        view.controls.go_to(number)
        yield Awaited(lambda: view.answered, "the decision")
        if view.decision is None and not may_lack:
            raise ScriptError(view.hint.text())

    def _end_of(self, step: ScriptStep) -> Awaited:
        """Return what the step waits for at last; "click" is a page that the speaker turns."""
        if step.wait == "click":
            return Awaited(lambda: False)
        if step.wait == "end":
            return Awaited(lambda: not self._runs.busy)
        clock, seconds = QElapsedTimer(), step.wait
        clock.start()
        return Awaited(lambda: clock.elapsed() >= 1000 * seconds)


def _after(
    former: Iterator[Awaited] | None, awaited: Awaited, steps: Iterator[Awaited]
) -> Iterator[Awaited]:
    """Do what the ``former`` step, which waits for ``awaited``, must still do, then ``steps``."""
    while former is not None and awaited.needed:
        yield awaited
        awaited = next(former, _NOTHING_AWAITED)
    yield from steps


def _as_seen(steps: Sequence[ScriptStep]) -> ScriptStep:
    """Return the last of ``steps``; what it neither shows nor says is that of steps before it."""
    step = steps[-1]
    for earlier in reversed(steps[:-1]):
        step = replace(
            step,
            theme=step.theme or earlier.theme,
            show=step.show or earlier.show,
            say=earlier.say if step.say is None else step.say,
        )
    return replace(step, say=step.say or "")

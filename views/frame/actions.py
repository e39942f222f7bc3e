"""All actions of the menus and keys."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from gpu.core.problem import Problem
from views.frame.activity import Activity
from views.problem_display import DISPLAYS, OPEN_TIP
from views.widgets.labels import plain_item, plain_tip

# What can be exported beside pictures of views: text in the menu, end of the file's name, filter of
# the dialog.
EXPORTS = {
    words.solution: (f"Best {words.solution}…", words.suffix, row.solution_format)
    for row in DISPLAYS.values()
    for words in [row.words]
} | {
    "route": ("Route as CSV…", "-route.csv", "CSV table (*.csv)"),
    "gpx": ("Route as GPX…", ".gpx", "GPX (*.gpx)"),
    "kml": ("Route as KML…", ".kml", "KML (*.kml)"),
    "geojson": ("Route as GeoJSON…", ".geojson", "GeoJSON (*.geojson)"),
    "classes": ("Classes as CSV…", "-classes.csv", "CSV table (*.csv)"),
    "class-columns": ("Classes as columns of CSV…", "-columns.csv", "CSV table (*.csv)"),
    "log": ("Run as JSON Lines…", "-run.jsonl", "JSON Lines (*.jsonl)"),
    "csv": ("Run as CSV…", "-run.csv", "CSV table (*.csv)"),
    "session": ("Session…", "-session.json", "Formicarium session (*.json)"),
    "speedup": ("Measured speedups as JSON…", "-speedup.json", "JSON (*.json)"),
    "comparison": ("Comparison as CSV…", "-comparison.csv", "CSV table (*.csv)"),
    "comparison-lines": ("Comparison as JSON Lines…", "-comparison.jsonl", "JSON Lines (*.jsonl)"),
    "race": ("Save race…", ".race.json", "Formicarium race (*.race.json)"),
    "race-curves": ("Race as CSV…", "-race.csv", "CSV table (*.csv)"),
    "study": ("Save study…", ".toml", "Formicarium study (*.toml)"),
    "study-report": ("Report of the study…", "-report.html", "HTML page (*.html)"),
    "study-table": ("Results of the study as CSV…", "-results.csv", "CSV table (*.csv)"),
    "study-png": ("Plot of the study as PNG…", ".png", "PNG picture (*.png)"),
    "study-svg": ("Plot of the study as SVG…", ".svg", "SVG picture (*.svg)"),
    "study-pdf": ("Plot of the study as PDF…", ".pdf", "PDF (*.pdf)"),
    "study-csv": ("Plot of the study as CSV…", "-plot.csv", "CSV table (*.csv)"),
    "window": ("Picture of the window…", "-window.png", "PNG picture (*.png)"),
}

STOP_KEYS = "Ctrl+."  # nobody presses them by mistake, as Esc to leave a card or a full screen

_ACTION_TEXTS = {  # text, keys, tip
    "open": ("Open…", "Ctrl+O", OPEN_TIP),
    "open-as": ("Open as…", "Ctrl+Shift+O", "Open any file, and say how it is to be read"),
    "gallery": ("Gallery", "Ctrl+G", "Instances as pictures, and ways to get more of them"),
    "draw": ("Draw cities…", "Ctrl+Shift+D", "Draw an instance of your own, or trace a picture"),
    "script": ("Play a script…", "", "Play the steps of a demonstration, which a file describes"),
    "example": ("Play the example script", "", "How ants find a short tour, step by step"),
    "quit": ("Quit", "Ctrl+Q", "Close the window"),
    "start": ("Start", "Ctrl+Return", "Start a run with these choices"),
    "pause": ("Pause", "P", "Pause when the present iteration ends"),
    "step": ("Step", "N", "Make one iteration, then pause"),
    "stop": ("Stop", STOP_KEYS, "End the run; its log is kept"),
    "toggle": ("Start, pause or resume", "Space", "Whichever of them is possible"),
    "improve": (
        "Improve the best solution",
        "Ctrl+I",
        "A colony that can begin with a tour or a coloring goes on from the best one",
    ),
    "improve-given": (
        "Improve the opened solution",
        "Ctrl+Shift+I",
        "A colony goes on from the tour or the coloring that was opened",
    ),
    "more-time": (
        "30 s more",
        "Ctrl+Shift+Return",
        "Raise the time limit of the run, or let a run that has ended go on",
    ),
    "edit-cities": ("Edit cities", "E", "Add, move and remove cities on the map, in a run too"),
    "save-cities": ("Save cities…", "", "Write the instance, as it was edited, as a TSPLIB file"),
    "seed": ("Draw another seed", "Ctrl+D", "Draw a new random seed for the next run"),
    "undo": ("Undo", "Ctrl+Z", "Take back the last change in the setup panel"),
    "redo": ("Redo", "Ctrl+Shift+Z", "Make the change again that was taken back"),
    "copy-command": (
        "Copy command",
        "Ctrl+Shift+C",
        "The command line that does the same as the window, for a terminal",
    ),
    "picture": ("Export picture…", "Ctrl+E", "A picture of a view, for print or for a page"),
    "print": (
        "Print…",
        "Ctrl+P",
        "The best solution as a picture and a list, on paper or as PDF",
    ),
    "copy-picture": ("Copy picture", "Ctrl+Alt+C", "A picture of the view in front"),
    "past-back": ("Improvement before", ",", "Show the run as it was at the improvement before"),
    "past-next": ("Next improvement", ".", "Show the run as it was at the next improvement"),
    "past-play": ("Play the past", "Shift+P", "Play the recorded run, or pause"),
    "past-live": ("Back to the newest state", "Shift+L", "Show the run as it is now"),
    "film": ("Film…", "Ctrl+Shift+F", "Make a film of the recorded run"),
    "bundled": ("Bundled instances", "Ctrl+B", "Instances that come with the program"),
    "panel": ("Setup panel", "F9", "Show or hide the panel at the left"),
    "alone": ("One pane alone", "M", "Show the pane under the mouse alone, or all again"),
    "present": ("Presentation", "F11", "Full screen with larger type; Esc leaves it"),
    "begin": ("Present from the start", "F5", "A script plays from its first step"),
    "go-on": ("Present from here", "Shift+F5", "A script goes on where it was"),
    "next": ("Next view or step", "PgDown", "Go on in a presentation"),
    "previous": ("Previous view or step", "PgUp", "Go back in a presentation"),
    "black": ("Black screen", "B", "Make the screen black in a presentation"),
    "pick": ("What the presentation shows…", "V", "Pick one to three views"),
    "theme": ("Change the theme", "Ctrl+T", "From dark to light and back"),
    "fit": ("Show the whole picture", "F", "Undo zooming and moving"),
    "guide": ("Guide", "F1", "Read about the part of the window that has the focus"),
    "tour": ("Tour of the window", "", "Seven steps, which can be left at any moment"),
    "keys": ("Keys", "Ctrl+K", "What the keys do"),
    "explain": ("Explain this view", "Shift+F1", "What the view in front shows, and a paper"),
    "still": ("Reduce motion", "", "Nothing glides or fades: ants go from city to city at once"),
    "larger": ("Larger text", "Ctrl++", "Text and all around it, from the next start on"),
    "smaller": ("Smaller text", "Ctrl+-", "Text and all around it, from the next start on"),
    "values": ("Values as a table", "T", "What the plot in front shows, as a table to be copied"),
    "about": ("About Formicarium", "", "What Formicarium is"),
}

_MENU_ROLES = {  # of what is in the program's own menu on macOS
    "About Formicarium": QAction.MenuRole.AboutRole,
    "Quit": QAction.MenuRole.QuitRole,
}

Key = TypeVar("Key")
Subject = Literal["run", "race", "study"]  # what the buttons and keys of a run are for

_STARTS = {
    "run": "Start a run with these choices",
    "race": "Start all lanes of the race",
    "study": "Do all runs of the study in sight that are not done yet",
}


def call_with_key(actions: Mapping[Key, QAction], slot: Callable[[Key], object]) -> None:
    """Have ``slot`` called with the key of the action that is chosen."""
    for key, action in actions.items():
        action.triggered.connect(lambda _=False, key=key: slot(key))


class Actions:
    """The window's actions by name, and its menus."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window
        self._all = {name: self._make(*parts) for name, parts in _ACTION_TEXTS.items()}
        for name in ("panel", "present", "edit-cities", "still"):
            self._all[name].setCheckable(True)
        self.exports = {name: self._make(text) for name, (text, _, _) in EXPORTS.items()}
        self.views: dict[str, QAction] = {}  # by the view's key
        names = {"system": "As the system", "light": "Light", "dark": "Dark"}
        self.themes = {name: self._make(text) for name, text in names.items()}
        group = QActionGroup(window)
        for action in self.themes.values():
            action.setCheckable(True)
            group.addAction(action)
        self._fill_menus()

    def offer_views(self, titles: Mapping[str, str]) -> None:
        """List the views, whose titles are given by their keys."""
        tip = "Bring the view {} into sight"
        self.views = {key: self._make(text, tip=tip.format(text)) for key, text in titles.items()}
        first = self._view_menu.actions()[0]
        self._view_menu.insertActions(first, list(self.views.values()))
        self._view_menu.insertSeparator(first)

    def __getitem__(self, name: str) -> QAction:
        return self._all[name]

    @property
    def commands(self) -> dict[str, QAction]:
        """All actions but those that show a view, write a file or choose a theme, by name."""
        return dict(self._all)

    def keys(self) -> list[tuple[str, str]]:
        """Return the keys and the text of every action that has keys."""
        shown = [action for action in self.views.values() if action.isVisible()]
        actions = [*self._all.values(), *sorted(shown, key=lambda one: one.shortcut().toString())]
        return [
            (action.shortcut().toString(QKeySequence.SequenceFormat.NativeText), action.text())
            for action in actions
            if not action.shortcut().isEmpty()
        ]

    def connect(self, slots: Mapping[str, Callable[[], object]]) -> None:
        """Have each of ``slots`` called when the action of its name is chosen."""
        for name, slot in slots.items():
            self._all[name].triggered.connect(lambda _=False, slot=slot: slot())

    def enable(
        self,
        activity: Activity,
        problem: str,
        *,
        instance: bool,
        tour: bool,
        given: bool,
        exports: Mapping[str, bool],
        subject: Subject = "run",
    ) -> None:
        """Enable what can be done now with the ``subject``.

        ``problem`` says why it cannot start, ``instance`` whether one is shown, ``tour`` whether
        a run has found one, ``given`` whether one was opened, ``exports`` for every name in
        ``EXPORTS`` whether there is something to export.
        """
        starts = not activity.has_run and not problem
        steps = starts or activity in (Activity.RUNNING, Activity.PAUSED)
        single = starts and subject == "run"
        possible = {
            "start": starts,
            "pause": activity.goes_on,
            "step": steps and subject != "study",
        }
        possible["stop"] = activity.goes_on or activity is Activity.MEASURING
        possible["improve"] = single and tour
        possible["improve-given"] = single and given
        possible["copy-command"] = instance and not problem
        possible |= {"seed": not activity.has_run, "fit": instance}
        for name, enabled in possible.items():
            self[name].setEnabled(enabled)
        why_not = "" if activity.has_run else problem
        self["start"].setToolTip(plain_tip(why_not or f"{_STARTS[subject]} (Space)"))
        self["pause"].setText("Resume" if activity.rests else "Pause")
        self["pause"].setToolTip(f"{'Go on' if activity.rests else 'Pause'} (Space or P)")
        measures = activity is Activity.MEASURING
        self["stop"].setText("Cancel" if measures else "Stop")
        tip = "Give up the measurement" if measures else _ACTION_TEXTS["stop"][2]
        if subject == "study":
            tip = "End the study; finished runs are kept"
        self["stop"].setToolTip(plain_tip(f"{tip} ({STOP_KEYS})"))
        for name, action in self.exports.items():
            action.setEnabled(exports[name])

    def show_problem(self, problem: Problem, shortcuts: Mapping[str, str]) -> None:
        """Offer the views of ``problem``, by their keys, each with its shortcut.

        Those that have none get the numbers 1 to 9 and then 0, in their order.
        """
        free = itertools.chain("1234567890", itertools.repeat(""))
        given = {key: own or next(free) for key, own in shortcuts.items()}
        for key, action in self.views.items():
            action.setShortcut(QKeySequence(given.get(key, "")))
            action.setVisible(key in given)
        for one, row in DISPLAYS.items():
            self.exports[row.words.solution].setVisible(one is problem)
            for name in row.routes:
                self.exports[name].setVisible(one is problem)

    def show_recent(self, paths: Sequence[Path], choose: Callable[[Path], None]) -> None:
        """List the files that were opened last."""
        self.recent_menu.clear()
        for path in paths:
            action = self.recent_menu.addAction(plain_item(path.name, 80))
            action.setToolTip(plain_tip(str(path)))
            action.triggered.connect(lambda _=False, path=path: choose(path))
        self.recent_menu.setEnabled(bool(paths))

    def _make(self, text: str, keys: str = "", tip: str = "") -> QAction:
        action = self._window.addAction(text, QKeySequence(keys))
        action.setToolTip(plain_tip(f"{tip} ({keys})" if keys else tip or text))
        # Else macOS would take "Setup panel" for the program's settings.
        action.setMenuRole(_MENU_ROLES.get(text, QAction.MenuRole.NoRole))
        return action

    def _fill_menus(self) -> None:
        bar = self._window.menuBar()
        titles = ("&File", "&Edit", "&Run", "&View")
        file_menu, edit, run, view = (bar.addMenu(title) for title in titles)
        export, themes = QMenu("Export", file_menu), QMenu("Theme", view)
        self.recent_menu = QMenu("Open recent", file_menu)
        for menu in (file_menu, self.recent_menu):
            menu.setToolTipsVisible(True)
        saving = [self.exports["race"], self.exports["study"]]
        opening = [
            *self._named("gallery", "open", "open-as", "draw", "bundled"),
            self.recent_menu.menuAction(),
        ]
        taking = [*saving, self["picture"], export.menuAction(), self["print"]]
        playing, last = self._named("script", "example"), self._named("quit")
        _fill(file_menu, opening, taking, playing, last)
        exports = [one for one in self.exports.values() if one not in saving]
        _fill(export, exports)
        _fill(
            edit,
            self._named("undo", "redo"),
            self._named("edit-cities", "save-cities"),
            self._named("copy-command", "copy-picture"),
        )
        _fill(
            run,
            self._named("start", "pause", "step", "stop"),
            self._named("toggle", "more-time", "improve", "improve-given", "seed"),
            self._named("past-back", "past-next", "past-play", "past-live", "film"),
        )
        run.addSeparator()
        self.run_menu = run
        presenting = QMenu("Presentation", view)
        _fill(presenting, self._named("present", "begin", "go-on"))
        _fill(presenting, self._named("next", "previous", "black", "pick"))
        panes = [*self._named("alone", "fit", "values", "panel"), presenting.menuAction()]
        self.text_menu = QMenu("Text size", view)
        self.text_menu.addActions(self._named("larger", "smaller"))
        self.text_menu.addSeparator()
        looks = [themes.menuAction(), self.text_menu.menuAction(), *self._named("still")]
        self._view_menu = view
        _fill(view, panes, looks)
        _fill(themes, self.themes.values(), self._named("theme"))
        _fill(
            bar.addMenu("&Help"),
            self._named("guide", "explain", "tour"),
            self._named("keys", "about"),
        )

    def _named(self, *names: str) -> list[QAction]:
        return [self[name] for name in names]


def _fill(menu: QMenu, *groups: Iterable[QAction]) -> None:
    """Add groups of actions, with lines between them."""
    for group in groups:
        if not menu.isEmpty():
            menu.addSeparator()
        menu.addActions(list(group))

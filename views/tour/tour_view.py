"""The map: best tour, iteration best before and after local search, optimum, trails."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from gpu.core.formats import number_of, percent
from gpu.core.snapshot import RunState, Wanted
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.routes.stops import in_order
from views.problem_display import WELCOME, display_of, is_on_globe, measured_in_words
from views.tour import tour_layers
from views.tour.city_editing import CityEditing, EditLayer
from views.tour.coast_layer import CoastLayer, outline_folder
from views.tour.globe_layer import GlobeLayer
from views.tour.label_layers import EndsLayer, Labels, LabelsLayer, RouteEnds
from views.tour.map_layer import LitLayer, MapLayer
from views.tour.tour_layers import Tour, places_of, what_is_at
from views.tour.walk_layer import WalkLayer
from views.tour.walk_scene import TourScene
from views.walks.walk_bar import WalkBar
from views.walks.walking import Walking
from views.widgets.canvas_view import CanvasView
from views.widgets.chip_row import ChipRow
from views.widgets.controls import Chip, make_button
from views.widgets.labels import make_label, plain_tip
from views.widgets.layers import corners
from views.widgets.layouts import fill
from views.widgets.pointing import CLICK, Pointing
from views.widgets.theme import Theme, icon
from views.widgets.view import NOTHING, Pointed

_BEFORE_AND_AFTER = (
    "The iteration's best tour before and after local search: "
    "edges given up are dashed, edges gained are bold"
)

_BEST_TIP = "The best tour so far, dashed until it is better than what the run began with"
_ANTS_TIP = "Every ant of an iteration walks along its tour; then trails are laid"

_EDIT_TIP = "Add, move and remove cities, even while a colony runs (E)"
_HOW = "Click: add · drag: move · right click or Delete: remove · Ctrl+Z: undo"

_NARROWEST = 0.1  # of a map near a pole: how wide a degree of longitude is in one of latitude
_ALL_AT_ONCE = 1000  # most cities of an instance whose layers are all drawn at once


class TourView(CanvasView):
    """The map, with y up and the same scale on both axes."""

    key = "tour"
    title = "Tour"
    of_moment = True
    fit_tip = "Show the whole map (F)"
    redraw_interval = 0.0  # people look at what moves
    edited = Signal(object)  # a tuple of edits of cities that the user asks for
    editing_switched = Signal(bool)  # whether the user edits cities now
    city_chosen = Signal(int)  # the user has clicked this city, from 0
    menu_wanted = Signal(int, object)  # a right click on this city, and where on the screen

    def __init__(self) -> None:
        super().__init__()
        self._instance: TspInstance | None = None
        self._places = places_of(None)  # where its cities are drawn
        self._improved: tuple[Tour, Tour] | None = None  # before and after local search
        self._begun = False  # whether the best tour is what the run began with
        self._plan = False  # whether only the plan of the route is shown
        self._pressed: QPointF | None = None  # where a button of the mouse went down, in pixels
        self._comparison = ""  # of the tour that was opened with the best one
        self._pointing, self._clicks = Pointing(self), Pointing(self)
        self._changed: dict[str, Any] = {}  # what layers are still to show, and "improved" tours
        self.lit = LitLayer(8)
        trails, coming, walk = (
            tour_layers.TrailsLayer(0),
            tour_layers.TrailsLayer(0.5),
            WalkLayer(6.5),
        )
        self.layers: dict[str, MapLayer[Any]] = {
            "trails": trails,
            "coming": coming,
            "cities": tour_layers.CitiesLayer(1),
            "optimum": tour_layers.TourLayer(2, "optimum", dashes=True),
            "latest": tour_layers.TourLayer(3, "latest"),
            "best": tour_layers.TourLayer(4, "best", bold=True),
            "given": tour_layers.TourLayer(5, "gap", dashes=True),
            "improved": tour_layers.ImprovementLayer(6),
            "walk": walk,
            "labels": LabelsLayer(7),
            "ends": EndsLayer(7.5),
            "globe": GlobeLayer(-1),
            "coasts": CoastLayer(-2),
            "lit": self.lit,
        }
        self._edit_layer = EditLayer(8)
        self.editing = CityEditing(self, self._edit_layer)
        self.editing.asked.connect(self.edited)
        trails_tip = "The strongest trails: the wider, the more τ"
        self.chips = {  # the first ones have room in a small window
            "best": Chip("Best", "best", "line", _BEST_TIP),
            "walk": Chip("Ants", "lane2 lane1 lane3", "dots", _ANTS_TIP),
            "trails": Chip("Trails", "trail", "band", trails_tip),
            "latest": Chip("Iteration", "latest", "thin", "The best tour of the last iteration"),
            "optimum": Chip("Best known", "optimum", "dashes", "A tour of the best known length"),
            "given": Chip("Opened", "gap", "dashes"),
            "improved": Chip("Local search", "latest", "line", _BEFORE_AND_AFTER),
            "cities": Chip("Cities", "city", "dots", "The cities"),
            "names": Chip("Names", "text", "dots", "The names of the cities, where there is room"),
            "numbers": Chip(
                "Numbers",
                "text",
                "dots",
                "The numbers of the stops of the best route, where there is room, and its start",
            ),
            "coasts": Chip("Coasts", "muted", "line", "Coastlines and borders"),
            "globe": Chip("Grid", "muted", "thin", "Latitudes and longitudes, and a scale bar"),
        }
        self.chips["improved"].setChecked(False)
        self.chips["walk"].setChecked(False)
        self.chips["improved"].hide()
        self.layers["improved"].setVisible(False)
        self.chips["given"].hide()
        for name, layer in self.layers.items():
            self.box.addItem(layer, ignoreBounds=name in ("globe", "coasts"))
        self.box.addItem(self._edit_layer, ignoreBounds=True)
        self.graphics.installEventFilter(self)
        self.edit_button = make_button("plain", tip=_EDIT_TIP)
        self.edit_button.setCheckable(True)
        self.edit_button.setAccessibleName("Edit cities")
        self.edit_button.toggled.connect(self._switch_editing)
        self.walking = Walking(WalkBar(), TourScene(walk, trails, coming))
        self.walking.released.connect(self._show_released)
        self.hover = make_label("note")
        self.editing.told.connect(self.hover.setText)
        self.welcome = self._label_over(WELCOME)
        self.welcome.setWordWrap(True)

        for name, chip in self.chips.items():
            chip.toggled.connect(lambda shown, name=name: self._show_layer(name, shown))
        self.chip_row = ChipRow(list(self.chips.values()))
        top = fill(QHBoxLayout(), (self.chip_row, 1))
        for button in (self.edit_button, self.fit_button):
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        bottom = fill(QHBoxLayout(), (self.caption, 1), self.hover)
        fill(
            QVBoxLayout(self),
            top,
            (self.graphics, 1),
            self.walking.bar,
            bottom,
            margins=(8, 6, 8, 6),
        )
        self.apply_theme(self.theme)
        self.show_instance(None)

    def in_picture(self, *, on: bool) -> None:
        """Show all chips in a picture: they are its legend."""
        self.chip_row.show_whole(whole=on)

    @property
    def wanted(self) -> Wanted:
        """The tours and trails whose layers are switched on."""
        wanted = Wanted.SOLUTION
        if self.chips["latest"].isChecked():
            wanted |= Wanted.ITERATION_SOLUTION
        if self.chips["trails"].isChecked():
            wanted |= Wanted.TRAILS
        if self.chips["improved"].isChecked() and self.chips["improved"].offered:
            wanted |= Wanted.ITERATION_SOLUTION | Wanted.BUILT_SOLUTION
        if self.chips["walk"].isChecked():
            wanted |= Wanted.WALKS
        return wanted

    def show_instance(self, instance: TspInstance | None) -> None:
        """Show the cities of ``instance``, and its optimal tour if it is known."""
        self._comparison = ""
        self.chips["given"].hide()
        self._show_cities(instance)
        self.editing.begin(self._places)
        self.chips["numbers"].setChecked(instance is not None and bool(instance.names))
        self.box.setAspectLocked(True, _narrowing(instance))
        self.fit()

    def show_edited(self, instance: TspInstance) -> None:
        """Show the same cities, some of which are new, have moved or are gone."""
        self._show_cities(instance)

    def _show_cities(self, instance: TspInstance | None) -> None:
        self._instance = instance
        self.begin_run()
        for pointing in (self._pointing, self._clicks):
            pointing.forget()
        points = self._places = places_of(instance)
        around = np.array(corners(points)) if len(points) else points  # once for all layers
        for layer in self.layers.values():
            layer.set_cities(points, around)
            if isinstance(layer, tour_layers.TourLayer):
                layer.directed = instance is not None and instance.directed
                if instance is not None:
                    layer.route_of = instance.route_of
            if isinstance(layer, tour_layers.TrailsLayer):
                layer.on_route = None if instance is None else instance.on_route
        self._show_labels()
        self.chips["names"].setVisible(instance is not None and bool(instance.names))
        on_globe = is_on_globe(instance)
        self.layers["globe"].show_part(on_globe or None)
        self.chips["globe"].setVisible(on_globe)
        has_coasts = on_globe and outline_folder() is not None
        self.layers["coasts"].show_part(has_coasts or None)
        self.chips["coasts"].setVisible(has_coasts)
        self.layers["optimum"].show_part(None if instance is None else instance.optimal_tour)
        has_optimum = instance is not None and instance.optimal_tour is not None
        self.chips["optimum"].setVisible(has_optimum)
        self.welcome.setVisible(instance is None)
        self.fit_button.setEnabled(instance is not None)
        self.hover.clear()
        self.caption.setToolTip(plain_tip("" if instance is None else instance.comment))

    def apply_theme(self, theme: Theme) -> None:
        """Use the colours and the type of ``theme``."""
        super().apply_theme(theme)
        self.edit_button.setIcon(icon("edit", theme, "muted"))

    def offer_editing(self, why_not: str) -> None:
        """Let the user edit cities, unless a sentence says why that is not possible now."""
        self.edit_button.setEnabled(not why_not)
        self.edit_button.setToolTip(plain_tip(why_not or _EDIT_TIP))

    def forget_edits(self, count: int | None, places: NDArray[np.float64]) -> None:
        """Note that ``count`` edits are made, after which the cities are at these ``places``.

        None: those that wait were refused.
        """
        self.editing.made(count, places)

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Give mouse and keys to the tool that edits cities, if it is in use."""
        if watched is self.graphics:  # it gets the keys, and its viewport the mouse
            return self.editing.handle_key(event)
        if self.editing.handle_mouse(event):
            return True
        if not self.editing.on and isinstance(event, QMouseEvent):
            self._notice_click(event)
        return super().eventFilter(watched, event)

    def _notice_click(self, event: QMouseEvent) -> None:
        """Tell of a click on a city."""
        if event.type() == QEvent.Type.MouseButtonPress:
            self._pressed = event.position()
        elif event.type() == QEvent.Type.MouseButtonRelease and self._pressed is not None:
            way, self._pressed = event.position() - self._pressed, None
            at = self.graphics.mapToScene(event.position().toPoint())
            instance = self._instance
            if instance is None or math.hypot(way.x(), way.y()) > CLICK:
                return
            left = event.button() == Qt.MouseButton.LeftButton
            if left and self.walking.follow_at(event.position()):
                return
            place, pixel = self.box.mapSceneToView(at), self.box.viewPixelSize()
            look = partial(what_is_at, self._places, None, place, pixel)
            chosen = partial(self._take_click, event.button(), event.globalPosition().toPoint())
            self._clicks.ask(len(self._places), look, chosen)

    def _take_click(self, button: Qt.MouseButton, on_screen: QPoint, found: Pointed) -> None:
        """Tell of the city that was clicked, if there was one."""
        for city in found.places:
            if button == Qt.MouseButton.LeftButton:
                self.city_chosen.emit(city)
            elif button == Qt.MouseButton.RightButton:
                self.menu_wanted.emit(city, on_screen)

    def _switch_editing(self, on: bool) -> None:
        self.editing.switch(on=on)
        if on:
            self.graphics.setFocus(Qt.FocusReason.OtherFocusReason)
        self._describe()
        self.editing_switched.emit(on)

    def show_given(self, tour: Tour | None, name: str) -> None:
        """Show the ``tour`` from the file ``name`` beside those of the run; None for no tour."""
        self.layers["given"].show_part(tour)
        chip = self.chips["given"]
        chip.setVisible(tour is not None)
        chip.setChecked(True)
        chip.setToolTip(plain_tip(f"The tour of the file {name}"))
        self.compare_given("")
        self.exports_changed.emit()  # a run can begin with it

    @property
    def has_given(self) -> bool:
        """Whether a tour from a file is shown."""
        return self.layers["given"].shown is not None

    def compare_given(self, comparison: str) -> None:
        """Say how the tour that was opened compares with the best one."""
        self._comparison = comparison
        self._describe()

    def begin_run(self) -> None:
        """Remove the tours and trails of the former run."""
        self.walking.forget()
        self._changed.clear()
        self._improved = None
        for name in ("best", "latest", "trails", "improved"):
            self.layers[name].show_part(None)
        self._offer_improved(offered=False)
        self._show_labels()
        self._describe()

    @property
    def behind(self) -> bool:
        """Whether a layer is still to be drawn."""
        return bool(self._changed)

    def take_in(self, snapshot: RunState) -> None:
        """Keep the latest tours and trails; what the snapshot lacks stays as it was."""
        built, latest = snapshot.built_solution, snapshot.iteration_solution
        best, begun = snapshot.best_solution, not snapshot.best_iteration
        parts = {
            "best": None if best is None else (best, begun),
            "latest": latest,
            "trails": snapshot.trails,
            "improved": None if built is None or latest is None else (built, latest),
        }
        known = {name: part for name, part in parts.items() if part is not None}
        if not self.moment:  # there are no ants in a run's past
            known = self.walking.take_in(snapshot, known)
        self._changed |= known  # a layer that waits keeps its place in the order
        if (snapshot.moves is not None) != self.chips["improved"].offered:
            self._offer_improved(offered=snapshot.moves is not None)

    @Slot(object)
    def _show_released(self, parts: dict[str, Any]) -> None:
        """Draw what the ants' walk has held back."""
        self._changed |= parts
        self.catch_up()

    def draw(self) -> None:
        """Draw what was taken in; for a large instance only one layer, which is quick."""
        few = self._instance is not None and self._instance.n <= _ALL_AT_ONCE
        for name in list(self._changed)[: None if few else 1]:
            part = self._changed.pop(name)
            if name == "improved":
                self._improved = part
                self._describe()
                assert self._instance is not None
                part = tour_layers.changes(*map(self._instance.route_of, part))
            if name == "best":
                part, self._begun = part
                self._show_begun()
            self.layers[name].show_part(part)
            if name == "best" and self.chips["numbers"].isChecked():
                self._show_labels()

    def _show_begun(self) -> None:
        """Draw the best tour as one with which the run began, or as any other, as on paper."""
        layer, begun = self.layers["best"], self._begun and not self._plan
        assert isinstance(layer, tour_layers.TourLayer)
        if layer.begun != begun:
            layer.begun = begun
            layer.refresh()

    def point_at(self, place: QPointF) -> None:
        """Say which city is under the mouse, or else which edge of the best tour."""
        instance, best = self._instance, self.layers["best"]
        if instance is None:
            return
        shown = best.shown if best.isVisible() else None
        order = None if shown is None else instance.route_of(shown)
        look = partial(what_is_at, self._places, order, place, self.box.viewPixelSize())
        self._pointing.ask(len(self._places), look, self._point)

    def _point(self, found: Pointed) -> None:
        """Say what is under the mouse, here and in the other views."""
        self.point_out(found)
        self.point_to(found)

    def point_out(self, part: Pointed) -> None:
        """Light up a city or an edge, and say what it is."""
        self.lit.light(part)
        text = ""
        if self._instance is not None and self.lit.shown is not None:
            text = _words(self._instance, part)
        self.hover.setText(text)

    def leave(self) -> None:
        """Point at nothing."""
        self._pointing.forget()
        self._point(NOTHING)

    def _show_labels(self) -> None:
        """Show names and numbers beside the cities, as far as the user wants them."""
        instance, best = self._instance, self.layers["best"].shown
        wanted = {name: self._plan or self.chips[name].isChecked() for name in ("names", "numbers")}
        names = instance.names[: instance.real_n] if instance and wanted["names"] else ()
        order, ends = None, None
        if instance is not None and best is not None and wanted["numbers"]:
            order, closed = in_order(instance, best)
            ends = RouteEnds(int(order[0]), None if closed else int(order[-1]))
        bar = is_on_globe(instance) and self.chips["globe"].isChecked()
        labels = Labels(names, order, bar) if names or order is not None else None
        self.layers["labels"].show_part(labels)
        self.layers["ends"].show_part(ends)

    def show_plan(self, *, on: bool) -> None:
        """Show nothing but the best route with all labels, as on paper; or what was there."""
        for name in ("trails", "latest", "optimum", "given", "improved", "walk", "lit"):
            self.layers[name].setVisible(not on and (name == "lit" or self.chips[name].isChecked()))
        self._plan = on
        self._show_begun()
        if on:
            self.leave()
        self._show_labels()

    def show_city(self, city: int) -> None:
        """Light up ``city``, and bring it into sight."""
        if self._instance is None or not city < self._instance.n:
            return
        x, y = self._instance.display[city].tolist()
        seen = self.box.viewRect()
        if not seen.contains(QPointF(x, y)):
            self.box.translateBy(x=x - seen.center().x(), y=y - seen.center().y())
        self.point_out(Pointed(places=(city,)))

    def _show_layer(self, name: str, shown: bool) -> None:
        if name in ("names", "numbers", "globe"):
            self._show_labels()
        if name in ("names", "numbers"):
            return
        if name == "walk":
            self.walking.switch(on=shown)
            self.wanted_changed.emit()
            return
        self.layers[name].setVisible(shown)
        if name in ("improved", "given"):
            self._describe()
        self.wanted_changed.emit()

    def _offer_improved(self, *, offered: bool) -> None:
        """Show or hide the switch that compares tours before and after local search."""
        self.chips["improved"].setVisible(offered)
        if self.chips["improved"].isChecked():
            self.wanted_changed.emit()

    def _describe(self) -> None:
        """Describe the instance, and what local search has changed if that is shown."""
        instance = self._instance
        improved = self._improved if self.chips["improved"].isChecked() else None
        text = "" if instance is None else _HOW if self.editing.on else _caption(instance)
        if instance is not None and improved is not None:
            before, after = (instance.tour_length(tour) for tour in improved)
            unit = instance.cost_unit
            gain = percent(100 * (before - after) / max(before, 1))
            made = f"{unit.text(before)} → {unit.text(after)} (−{gain})"
            if after == before:
                made = f"left {unit.text(before)} as it was"
            text = f"local search {made}  ·  {text}"
        if self._comparison and self.chips["given"].isChecked():
            text = f"{self._comparison}  ·  {text}"
        self.caption.setText(text)


def _narrowing(instance: TspInstance | None) -> float:
    """Return how many times as long a degree of latitude is as one of longitude, upside down.

    So a map of the globe has the same scale in both directions, in the middle of its cities.
    """
    if instance is None or not instance.geographic:
        return 1.0
    low, high = corners(instance.display)
    return max(_NARROWEST, math.cos(math.radians(float(low[1] + high[1]) / 2)))


def _words(instance: TspInstance, part: Pointed) -> str:
    """Return what is said of a city or an edge."""
    display = display_of(instance)
    names = [display.name_of(instance, place) for place in part.places]
    if len(names) == 2:
        start, end = np.array(part.places)
        length = instance.cost_unit.amount(int(instance.distances(start, end)))
        return f"{' → '.join(names)}, length {length}"
    x, y = instance.display[part.places[0]]
    where = f"latitude {y:g}, longitude {x:g}" if instance.geographic else f"({x:g}, {y:g})"
    return f"{names[0]} at {where}"


def _caption(instance: TspInstance) -> str:
    kind = "directed, " if instance.directed else ""
    cities = f"{kind}{number_of(instance.real_n, 'city')}"
    found = instance.name, cities, instance.wish, measured_in_words(instance)
    parts = [one for one in found if one]
    if instance.optimum:
        parts.append(f"best known {instance.cost_unit.amount(instance.optimum)}")
    if instance.computed_layout:
        parts.append("computed layout")
    return "  ·  ".join(parts)

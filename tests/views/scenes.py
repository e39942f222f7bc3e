"""What tests of views look at, how it comes into sight, and which texts are cut there."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox, QLabel, QTabBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import (
    STRONGEST_TRAILS,
    MovesMade,
    RunState,
    Trails,
    TrailTable,
    Updates,
    Wanted,
)
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.colonies import progress_of
from views.widgets.labels import ElidedLabel
from views.widgets.plot import PlotWidget
from views.widgets.view import View


def uniform(n: int, seed: int = 1, *, known: bool = True) -> TspInstance:
    """Cities drawn uniformly; the "optimum" is a good tour, which is all that a view needs."""
    points = np.random.default_rng(seed).random((n, 2)) * [1200.0, 900.0]
    points = np.round(points, 1)
    tour = snake(points)
    bare = TspInstance("uniform", "Uniform cities", Metric.EUC_2D, points, None, points)
    return TspInstance(
        name=f"uniform{n}",
        comment="Uniform cities for tests",
        metric=Metric.EUC_2D,
        coordinates=points,
        matrix=None,
        display=points,
        optimum=round(length(bare, tour)) if known else None,
        optimal_tour=tour if known else None,
    )


def snake(points: NDArray[np.float64]) -> NDArray[np.int32]:
    """A tour in strips, up one and down the next."""
    strips = max(1, round(np.sqrt(len(points) / 2)))
    column = (points[:, 0] / (points[:, 0].max() + 1) * strips).astype(int)
    height = np.where(column % 2, -points[:, 1], points[:, 1])
    return np.lexsort((height, column)).astype(np.int32)


def length(instance: TspInstance, tour: NDArray[np.int32]) -> float:
    steps = instance.display[tour] - instance.display[np.roll(tour, -1)]
    return float(np.hypot(steps[:, 0], steps[:, 1]).sum())


def shuffled(tour: NDArray[np.int32], swaps: int, seed: int) -> NDArray[np.int32]:
    """The tour with some neighbours exchanged: a little longer, still a permutation."""
    random = np.random.default_rng(seed)
    result = tour.copy()
    for at in random.integers(0, len(tour) - 2, swaps):
        result[at : at + 2] = result[at : at + 2][::-1]
    return result


def best_at(instance: TspInstance, iteration: int) -> tuple[NDArray[np.int32], int]:
    """The best tour after so many iterations, and its length."""
    base = snake(instance.display)
    best = shuffled(base, max(0, round(instance.n / 3 / (1 + iteration / 40))), 1)
    return best, round(length(instance, best) * 1.01)


def snapshot(
    instance: TspInstance,
    iteration: int,
    *,
    wanted: Wanted = Wanted.EVERYTHING,
    memory: bool = False,
    improved: bool = False,
    generation: int = 1,
) -> RunState:
    """A state of a run that closes in on the optimum as ``iteration`` grows."""
    n = instance.n
    base = snake(instance.display)
    best, best_length = best_at(instance, iteration)
    found = max(1, iteration - 3)
    new = iteration == 1 or best_length < best_at(instance, iteration - 1)[1]
    last = shuffled(base, round(n / 3 / (1 + iteration / 40)) + n // 12, iteration)
    last_length = max(best_length, round(length(instance, last) * 1.02))
    random = np.random.default_rng(iteration)
    edges = np.stack([best, np.roll(best, -1)], axis=1).astype(np.int32)
    other = np.stack([last, np.roll(last, -1)], axis=1).astype(np.int32)
    pairs = np.concatenate([edges, other, random.integers(0, n, (2 * n, 2)).astype(np.int32)])
    strength = np.concatenate(
        [0.7 + 0.3 * random.random(n), 0.05 + 0.3 * random.random(n), np.full(2 * n, 1 / n)]
    ).astype(np.float32)
    order = np.argsort(-strength, kind="stable")[:STRONGEST_TRAILS]
    strength = strength[order] / strength[order[0]]
    return RunState(
        iteration=iteration,
        solutions_built=iteration * n,
        best_cost=best_length,
        best_iteration=found,
        iteration_best=last_length,
        iteration_mean=last_length * 1.06,
        best_solution=best if Wanted.SOLUTION in wanted else None,
        ants_best=best,
        iteration_solution=last if Wanted.ITERATION_SOLUTION in wanted else None,
        built_solution=shuffled(last, 1 + n // 9, iteration + 1)
        if improved and Wanted.BUILT_SOLUTION in wanted
        else None,
        moves=MovesMade(31 * n, 12 * n) if improved else None,
        pheromone=picture(n, iteration, memory=memory) if Wanted.PHEROMONE in wanted else None,
        strip=table(best, n, iteration, 0) if Wanted.STRIP in wanted else None,
        band=table(best, n, iteration, 8) if Wanted.BAND in wanted else None,
        trails=Trails(pairs[order], strength) if Wanted.TRAILS in wanted else None,
        updates=Updates(
            iteration * n * 90,
            iteration * n * 100,
            round(iteration * n * (1 - 0.6 / (1 + iteration))),
            iteration * n,
        )
        if memory
        else None,
        branching=2.0 + 4.0 / (1 + iteration / 20) if Wanted.BRANCHING in wanted else None,
        phases={
            "construction": 2.1 + 0.1 * random.random(),
            **({"local search": 4.2} if improved else {}),
            "update": 0.2,
            "lengths": 0.05,
        },
        progress=progress_of(
            iteration,
            iteration * 0.02,
            last_length,
            last_length * 1.06,
            [(found, best_length)] if new else [],
        ),
        elapsed=iteration * 0.02,
        generation=generation,
    )


def picture(n: int, iteration: int, *, memory: bool = False) -> NDArray[np.float32]:
    size = min(512, n)
    random = np.random.default_rng(iteration)
    place = np.arange(size)
    apart = np.abs(place[:, None] - place[None, :])
    apart = np.minimum(apart, size - apart)
    trails = 1.0 + n * 0.05 * np.exp(-apart / 6.0) * random.random((size, size)) ** 4
    trails[apart == 1] = n * (0.8 + 0.2 * random.random((apart == 1).sum()))
    trails[apart == 0] = 1.0
    if memory:
        trails[trails < 3] = 1.0
    return np.asarray(np.maximum(trails, trails.T), dtype=np.float32)


def show_state(view: View, state: RunState) -> None:
    """Show a view one state of a run."""
    view.take_in(state)
    if view.catch_up():
        view.draw_all()


def feed(view: View, instance: TspInstance, count: int = 30) -> None:
    """Show a view so many states of a run."""
    for iteration in range(1, count + 1):
        show_state(view, snapshot(instance, iteration, memory=True))


def table(best: NDArray[np.int32], n: int, iteration: int, reach: int) -> TrailTable:
    """A band with the cities ``reach`` places around each; with 0 a strip of ten candidates."""
    steps = np.arange(-reach, reach + 1) if reach else np.array([1, -1, 2, -2, 3, -3, 4, -4, 5, -5])
    others = best[(np.arange(n)[:, None] + steps) % n]
    noise = np.random.default_rng(iteration).random(others.shape)
    values = 1 + 90 * noise / (1 + np.abs(steps)) ** 3 * min(1.0, iteration / 10)
    values[:, steps == 0] = 0
    return TrailTable(best, others, values.astype(np.float32))


Shown = TypeVar("Shown", bound=QWidget)


def in_sight(qtbot: QtBot, widget: Shown, width: int = 0, height: int = 0) -> Shown:
    """Show ``widget``, in this size if one is given, wait until it is there, and return it.

    It is closed at the test's end.
    """
    qtbot.addWidget(widget)
    if width:
        widget.resize(width, height)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def colours_in(picture: QImage, step: int = 1) -> set[str]:
    """The names of the colours of all pixels, or of those in every ``step``-th row and column."""
    plain = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(plain.constBits(), np.uint32).reshape(plain.height(), -1)
    seen = np.unique(pixels[::step, : plain.width() : step])
    return {f"#{pixel & 0xFFFFFF:06x}" for pixel in seen.tolist()}


def pixel_of(shown: Any, x: float, y: float) -> QPoint:
    """The pixel of a place of a map, or of a plot."""
    graphics = shown.widget if isinstance(shown, PlotWidget) else shown.graphics
    place: QPoint = graphics.mapFromScene(shown.box.mapViewToScene(QPointF(x, y)))
    return place


def cut_texts(window: QWidget) -> list[str]:
    """Return each text that is in sight, and is cut though it is not meant to be shortened."""
    short = []
    for widget in window.findChildren(QToolButton):
        if isinstance(widget.parent(), QTabBar):
            continue  # its arrows, where not all tabs fit
        if widget.isVisible() and widget.width() < widget.sizeHint().width():
            short.append(widget.text() or widget.toolTip())
    for label in window.findChildren(QLabel):
        whole = label.wordWrap() or isinstance(label, ElidedLabel)
        needed = max(
            map(label.fontMetrics().horizontalAdvance, label.text().replace("&", "").split("\n"))
        )
        if label.isVisible() and not whole and label.width() < needed:
            short.append(label.text())
    short += [
        box.currentText()
        for box in window.findChildren(QComboBox)
        if box.isVisible() and box.height() < box.sizeHint().height()
    ]
    return short

"""The instances of the gallery: where they lie, what runs have found for them, their pictures."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import platformdirs
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize
from PySide6.QtGui import QImage, QImageReader

from app.files import downloads, own_instances
from app.files.library import digest_of, kept_cost, with_kept
from app.files.pictures import write_picture
from gpu import APPLICATION
from gpu.core.cost_unit import NO_UNIT, CostUnit
from gpu.core.errors import FormicariumError
from gpu.core.files import exists, read_regular
from gpu.core.formats import number_of, percent
from gpu.core.instance import Instance, Solution
from gpu.core.problem import Problem
from gpu.problems.bundled import bundled
from gpu.problems.document import read_bytes
from gpu.problems.loading import is_read_one_way, load_likely
from gpu.problems.tsp.instance import TspInstance
from gpu.run.log.recorded import recorded_of
from gpu.run.log.rows import RunRow, RunSummary
from gpu.run.log.run_log import read_log
from views.gallery.instances_page import DRAW, THUMBNAIL_SIZE, Entry, Shelf
from views.problem_display import DISPLAYS
from views.widgets.theme import Theme

MOST_OWN = 40  # drawn instances that are shown, the latest first
PICTURED_LARGEST = 4 << 20  # bytes of a file; a larger one is not read for a picture

Runs = Mapping[str, Sequence[RunSummary]]
"""Earlier runs by the digest of their instance, the best first."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was found out about an instance."""

    entry: Entry
    picture: QImage | None  # None where the file cannot be read


def shelves(recent: Sequence[Path]) -> list[Shelf]:
    """List all instances: ``recent`` files, bundled ones, those of the user, and downloads."""
    taken: set[Path] = {one.path for one in bundled()}

    def rest(paths: Iterable[Path], kind: str) -> tuple[Entry, ...]:
        new = [path for path in dict.fromkeys(paths) if path not in taken]
        taken.update(new)
        return tuple(Entry(path, path.name.partition(".")[0], kind=kind) for path in new)

    first = Shelf("Opened last", rest(recent, ""))
    given = [Shelf(row.shelf, tuple(_bundled(row.problem))) for row in DISPLAYS.values()]
    made = rest(_latest(own_instances.drawings_folder(), own_instances.made_folder()), "")
    own = Shelf("Your own", (DRAW, *made))
    fetched = Shelf("Downloaded", rest(downloads.downloaded(), ""))
    shelves = first, given[0], own, *given[1:], fetched
    return [shelf for shelf in shelves if shelf.entries]


def runs_by_instance(rows: Iterable[RunRow]) -> Runs:
    """Sort earlier runs by their instances, the best run first; of equal ones the latest.

    Those whose cities changed are left out: their best solution is one of another instance.
    """
    found: dict[str, list[RunSummary]] = {}
    for row in rows:
        if row.run.best is not None and row.run.digest and not row.run.of_other_cities:
            found.setdefault(row.run.digest.strip(), []).append(row.run)
    for runs in found.values():
        runs.sort(key=lambda run: run.best or 0)
    return found


def look_at(entry: Entry, runs: Runs, theme: Theme, ratio: float) -> Look:
    """Find out what there is to say of an instance, and draw it unless a picture is kept."""
    path = entry.path
    if path == DRAW.path:
        from views.gallery.thumbnail import draw_invitation  # imports pyqtgraph

        return Look(entry, draw_invitation(theme, ratio))
    try:
        if (length := path.stat().st_size) > PICTURED_LARGEST:
            text = f"{length / (1 << 20):.0f} MB: too large for a picture"
            return Look(replace(entry, size=text), None)
        data = read_bytes(path)
        digest = _digest(path, data)
        earlier = runs.get(digest, ())
        best = earlier[0].best if earlier else None
        key = thumbnail_key(digest, best, theme, ratio)
        found = kept_thumbnail(key, ratio)
        if found is None:
            found = _drawn(with_kept(load_likely(path, data)[0]), earlier, theme, ratio)
            keep_thumbnail(key, found)
    except (FormicariumError, OSError) as error:
        why = str(error).removeprefix(f"{path}: ")
        return Look(replace(entry, found=f"Cannot be shown: {why}"), None)
    known = kept_cost(digest) or found.known
    name, size = found.name or entry.name, found.size
    return Look(
        replace(entry, name=name, size=size, found=_found(best, known, found.unit)), found.picture
    )


def _digest(path: Path, data: bytes) -> str:
    """Return by what runs on the instance in this file are found."""
    if is_read_one_way(path, data):
        return hashlib.sha256(data).hexdigest()
    return digest_of(load_likely(path, data)[0])  # how it is read belongs to it


def _bundled(problem: Problem) -> list[Entry]:
    some = sorted((one for one in bundled() if one.problem is problem), key=lambda one: one.n)
    return [Entry(one.path, one.name, _size(one.n, problem), one.kind) for one in some]


def _latest(*folders: Path) -> list[Path]:
    """Return the files in ``folders``, the one that was written last at the front."""
    found = [path for folder in folders if exists(folder) for path in folder.glob("[!.]*")]
    found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    return found[:MOST_OWN]


def _size(n: int, problem: Problem) -> str:
    return number_of(n, problem.words.place)


def _found(best: int | None, known: int | None, unit: CostUnit) -> str:
    """Say what the best solution so far costs, or the best known one."""
    if best is None:
        return "" if known is None else f"best known {unit.amount(known)}"
    if not known:
        return f"best {unit.amount(best)}"
    gap = 100.0 * (best - known) / known
    return f"best {unit.amount(best)}  ·  " + (percent(gap) if gap > 0 else "as good as known")


def _drawn(instance: Instance, runs: Sequence[RunSummary], theme: Theme, ratio: float) -> Thumbnail:
    picture = drawn_thumbnail(instance, _solution(instance, runs), theme, ratio)
    size, known = _size(instance.real_n, instance.problem), instance.optimum
    published = None if instance.optimum_by_user else known
    return Thumbnail(
        picture, instance.name, size, published, CostUnit(instance.unit, instance.decimals)
    )


def _solution(instance: Instance, runs: Sequence[RunSummary]) -> Solution | None:
    """Return the best solution of earlier runs whose log can be read, else the known one."""
    for run in runs[:3]:
        try:
            recorded = recorded_of(read_log(run.path), instance)
        except FormicariumError:
            continue
        state = recorded.state
        if recorded.instance is instance and state is not None and state.best_solution is not None:
            return state.best_solution
    return instance.known_solution


MOST_THUMBNAILS = 400  # pictures that are kept; those that were not used for longest go
THUMBNAIL_LOOK = 2  # of the pictures: a new one makes all of them anew
_PNG_END = b"IEND\xaeB`\x82"  # of a whole PNG file
_THUMBNAIL_NAME = re.compile(r"[0-9a-f]{40}\.png")  # of a picture; see thumbnail_key
_THUMBNAIL_TEXT_LONGEST = 200  # characters of a text in a picture


@dataclass(frozen=True, slots=True, eq=False)
class Thumbnail:
    """A picture, and what the file of the instance says."""

    picture: QImage
    name: str
    size: str  # in words
    known: int | None  # best known cost, but not the user's own
    unit: CostUnit = NO_UNIT  # of costs


def thumbnail_folder() -> Path:
    """Return the folder of the pictures."""
    return platformdirs.user_cache_path(APPLICATION, appauthor=False) / "thumbnails"


def thumbnail_key(digest: str, best: int | None, theme: Theme, ratio: float) -> str:
    """Return the name of the picture of an instance, with a solution that costs ``best``."""
    parts = (
        THUMBNAIL_LOOK,
        digest,
        best,
        theme.dark,
        THUMBNAIL_SIZE.width(),
        THUMBNAIL_SIZE.height(),
        ratio,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:40]


def kept_thumbnail(key: str, ratio: float) -> Thumbnail | None:
    """Return the picture of this name; None if it is not there, or damaged."""
    path = thumbnail_folder() / f"{key}.png"
    if not exists(path):
        return None
    try:
        content = read_regular(path, FormicariumError)
    except FormicariumError:
        return None
    if not content.endswith(_PNG_END):
        return None
    data = QByteArray(content)  # the buffer does not own it
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(b"png"))
    if reader.size() != THUMBNAIL_SIZE * ratio:
        return None
    picture = reader.read()
    known = picture.text("known")
    if picture.isNull() or not picture.text("size") or not (known.isdecimal() or not known):
        return None
    picture.setDevicePixelRatio(ratio)
    with suppress(OSError):
        os.utime(path)  # it was used
    name, size = (picture.text(text)[:_THUMBNAIL_TEXT_LONGEST] for text in ("name", "size"))
    unit, decimals = picture.text("unit")[:_THUMBNAIL_TEXT_LONGEST], picture.text("decimals")
    counted = int(decimals[:3]) if decimals.removeprefix("-").isdecimal() else 0
    cost = int(known[:18]) if known else None
    return Thumbnail(picture, name, size, cost, CostUnit(unit, counted))


def keep_thumbnail(key: str, thumbnail: Thumbnail) -> None:
    """Keep a picture; where that is impossible, it is drawn anew the next time."""
    picture = thumbnail.picture.copy()
    known = "" if thumbnail.known is None else str(thumbnail.known)
    unit = thumbnail.unit
    said = {"name": thumbnail.name, "size": thumbnail.size, "known": known, "unit": unit.name}
    for name, text in {**said, "decimals": str(unit.decimals)}.items():
        picture.setText(name, text)
    with suppress(FormicariumError):
        write_picture(thumbnail_folder() / f"{key}.png", picture)
    _forget_old()


def drawn_thumbnail(
    instance: Instance,
    solution: Solution | None,
    theme: Theme,
    ratio: float,
    size: QSize = THUMBNAIL_SIZE,
) -> QImage:
    """Draw an instance of any problem with a solution, if there is one."""
    from views.gallery.thumbnail import draw_graph, draw_places  # imports pyqtgraph

    if (places := instance.map_places) is not None:
        cities: Any = instance
        path = None if solution is None else cities.route_of(solution).path
        return draw_places(places[: instance.real_n], path, theme, ratio, size)
    from gpu.drawing.draw import GraphArtist  # imports SciPy and Numba

    graph: Any = instance  # what has no map is a graph
    artist = GraphArtist(graph)
    artist.settle(None)
    return draw_graph(graph, artist.draw(None, solution), theme, ratio, size)


def picture_of(instance: Instance, theme: Theme, ratio: float, size: QSize) -> QImage:
    """Draw the map of an instance, or the matrix of one that has none of its own."""
    if isinstance(instance, TspInstance) and instance.computed_layout:
        base = getattr(instance, "base", None) or instance  # with the real cities alone
        if base.matrix is not None:
            from views.gallery.thumbnail import draw_matrix  # imports pyqtgraph

            barred = getattr(instance, "barred", None)
            return draw_matrix(base.matrix, barred, theme, ratio, size)
    return drawn_thumbnail(instance, None, theme, ratio, size)


def _forget_old() -> None:
    """Remove the pictures that were not used for longest, beyond the most; others stay."""
    with suppress(OSError):
        found = [
            path
            for path in thumbnail_folder().glob("*.png")
            if _THUMBNAIL_NAME.fullmatch(path.name)
        ]
        if len(found) > MOST_THUMBNAILS:
            found.sort(key=lambda path: path.stat().st_mtime)
            for path in found[: len(found) - MOST_THUMBNAILS]:
                path.unlink(missing_ok=True)

"""The file of a run's frames: what its solutions and trails were, moment by moment.

A line of JSON says of which run they are. Behind it come frames, each with a checksum, so that a
file whose writer was killed can be read up to its last whole frame. See docs/log.md.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import FormicariumError
from gpu.core.instance import MOST_EDITS, CityEdit, Instance, Solution
from gpu.core.snapshot import STRONGEST_TRAILS, Trails

FORMAT = 2  # since then cities may change; files of format 1 are read, too
FRAMES_SUFFIX = ".frames"  # takes the place of the log's ending
LONGEST_HEADER = 4096  # bytes of the first line
LARGEST_FRAME = 1 << 28  # bytes of one that is read
FRAME_PICTURE_SIZE = 256  # largest width and height of a recorded picture of the trails, in pixels

SOLUTION, TRAILS, CANDIDATES, CITIES = 1, 2, 3, 4  # kinds of frames; cities that change
FRAME_CANDIDATES_MOST = 4_000_000  # of all cities; trails to more are not recorded
WHOLE, PIECES, CHANGES = 0, 1, 2  # how a solution is written

_HEAD = struct.Struct("<BBHIqqqd")  # kind, form, zero, bytes, iteration, built, cost, seconds
_CHECKSUM = struct.Struct("<I")  # of all of the frame but itself
# Size of the picture, number of edges, candidates a city; least and largest trail of each picture.
_PICTURES = struct.Struct("<HIHffff")


class FramesError(FormicariumError):
    """A file of frames that cannot be read or written."""


class Frame(NamedTuple):
    """One frame, as it is in the file."""

    kind: int  # SOLUTION, TRAILS, CANDIDATES or CITIES
    form: int  # how it is written; 0 for others
    iteration: int
    built: int  # solutions built until then
    cost: int  # of the solution; for trails of the best one at that time
    seconds: float  # of the run
    data: bytes  # packed

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return _HEAD.size + _CHECKSUM.size + len(self.data)


class FramePlace(NamedTuple):
    """Where a frame is in the file, and when it was."""

    frame: Frame  # without its data
    start: int  # bytes before it
    end: int


def header_of(log: Mapping[str, Any], name: str, n: int) -> dict[str, object]:
    """Return what the first line says of the run whose log, ``name``, begins with ``log``.

    Its ants visit ``n`` cities (vertices), auxiliary ones among them.
    """
    session = log["session"]
    return {
        "kind": "frames",
        "format": FORMAT,
        "log": name,
        "started": log["started"],
        "colony": session["colony"],
        "seed": session["seed"],
        "sha256": session["instance"]["sha256"],
        "n": n,
    }


def packed(frame: Frame) -> bytes:
    """Return the bytes of ``frame`` in the file."""
    head = _HEAD.pack(
        *(frame.kind, frame.form, 0, len(frame.data)),
        *(frame.iteration, frame.built, frame.cost, frame.seconds),
    )
    return head + _CHECKSUM.pack(zlib.crc32(frame.data, zlib.crc32(head))) + frame.data


def read_frame(file: BinaryIO) -> Frame | None:
    """Read the frame that begins here; None if none does, or only a part of one."""
    head = file.read(_HEAD.size + _CHECKSUM.size)
    if len(head) < _HEAD.size + _CHECKSUM.size:
        return None
    (checksum,) = _CHECKSUM.unpack(head[_HEAD.size :])
    kind, form, _, length, iteration, built, cost, seconds = _HEAD.unpack(head[: _HEAD.size])
    if length > LARGEST_FRAME:
        return None
    data = file.read(length)
    if len(data) < length or zlib.crc32(data, zlib.crc32(head[: _HEAD.size])) != checksum:
        return None
    return Frame(kind, form, iteration, built, cost, seconds, data)


def places_of(file: BinaryIO, start: int) -> Iterator[FramePlace]:
    """Find all whole frames from the byte ``start`` on."""
    file.seek(start)
    while (frame := read_frame(file)) is not None:
        end = start + frame.size
        yield FramePlace(frame._replace(data=b""), start, end)
        start = end


def write_solution(solution: Solution, before: Solution | None) -> tuple[int, bytes]:
    """Return how ``solution`` is written, and its bytes; after ``before``, if that is shorter.

    A tour is a few pieces of the tour before it, and a coloring has a few other colors.
    """
    if before is not None and before.shape == solution.shape:
        if _is_order(solution) and _is_order(before):
            pieces = _pieces(solution, before)
            if pieces.nbytes < solution.nbytes // 2:
                return PIECES, shrunk(pieces)
        else:
            return CHANGES, shrunk(solution - before)
    return WHOLE, shrunk(_small(solution))


def read_solution(frame: Frame, n: int, before: Solution | None) -> Solution:
    """Return the solution of ``frame``, of ``n`` numbers, which was written after ``before``.

    ValueError if it is none.
    """
    data = grown(frame.data, 8 * n)
    if frame.form == WHOLE:
        kind = np.uint16 if len(data) == 2 * n else np.int32
        solution = np.frombuffer(data, kind).astype(np.int32)
    elif before is None:
        raise ValueError("the solution before it is missing")
    elif frame.form == CHANGES:
        solution = before + np.frombuffer(data, np.int32)
    elif frame.form == PIECES:
        starts, lengths = np.frombuffer(data, np.int32).reshape(2, -1).astype(np.int64)
        counts = np.abs(lengths)
        if counts.sum() != n:
            raise ValueError("its pieces are not a whole tour")
        ends = np.cumsum(counts)
        within = np.arange(n) - np.repeat(ends - counts, counts)
        solution = before[np.repeat(starts, counts) + within * np.repeat(np.sign(lengths), counts)]
    else:
        raise ValueError(f"it is written in an unknown form, {frame.form}")
    if solution.shape != (n,):
        raise ValueError("it has another number of places")
    return frozen(np.ascontiguousarray(solution, np.int32))


def write_trails(
    trails: Trails | None,
    picture: NDArray[np.float32] | None,
    listed: NDArray[np.float32] | None,
    n: int,
) -> bytes:
    """Return the bytes of the strongest trails, the picture, and the trails to candidates.

    All trails are in 8 bits. ``listed``, shape (n, w), has a row for each city in their order.
    """
    edges = np.empty(0, np.int64)
    strength = np.empty(0, np.uint8)
    if trails is not None:
        levels = np.round(255 * trails.strength).astype(np.uint8)
        seen = levels > 0
        edges = trails.edges[seen, 0].astype(np.int64) * n + trails.edges[seen, 1]
        order = np.argsort(edges)
        edges, strength = np.diff(edges[order], prepend=0), levels[seen][order]
    nothing = np.empty((0, 0), np.float32)
    shades, *around = _levels(nothing if picture is None else _reduced(picture))
    values, *limits = _levels(nothing if listed is None else listed)
    head = _PICTURES.pack(len(shades), len(edges), values.shape[1], *around, *limits)
    return shrunk(head, edges, strength, shades, values)


def read_trails(
    data: bytes, n: int
) -> tuple[Trails, NDArray[np.float32] | None, NDArray[np.float32] | None]:
    """Return what :func:`write_trails` was given; ValueError if it is none."""
    most = _PICTURES.size + 9 * STRONGEST_TRAILS + FRAME_PICTURE_SIZE**2 + FRAME_CANDIDATES_MOST
    plain = grown(data, most)
    if len(plain) < _PICTURES.size:
        raise ValueError("its trails are damaged")
    size, count, width, low, high, least, largest = _PICTURES.unpack_from(plain)
    if len(plain) != _PICTURES.size + 9 * count + size**2 + n * width:
        raise ValueError("its trails are damaged")
    at = _PICTURES.size
    pairs = np.cumsum(np.frombuffer(plain, np.int64, count, at))
    strength = np.frombuffer(plain, np.uint8, count, at + 8 * count)
    if count and not (pairs.min() >= 0 and pairs.max() < n * n):
        raise ValueError("its trails lead to no city")
    order = np.argsort(-strength.astype(np.int16), kind="stable")
    edges = np.column_stack(np.divmod(pairs[order], n)).astype(np.int32)
    trails = Trails(frozen(edges), frozen((strength[order] / np.float32(255)).astype(np.float32)))
    at += 9 * count
    shades = np.frombuffer(plain, np.uint8, size**2, at).reshape(size, size)
    values = np.frombuffer(plain, np.uint8, n * width, at + size**2).reshape(n, width)
    picture = _values(shades, low, high) if size else None
    return trails, picture, _values(values, least, largest) if width else None


def write_candidates(others: NDArray[np.int32]) -> bytes:
    """Return the bytes of the candidates of each city, shape (n, w)."""
    return shrunk(others.astype(np.int32))


def read_candidates(data: bytes, n: int) -> NDArray[np.int32]:
    """Return the candidates of each city; ValueError if they are none."""
    plain = np.frombuffer(grown(data, 4 * FRAME_CANDIDATES_MOST), np.int32)
    if not len(plain) or len(plain) % n or plain.min() < 0 or plain.max() >= n:
        raise ValueError("its candidates are no cities")
    return frozen(plain.reshape(n, -1).copy())


def _levels(values: NDArray[np.float32]) -> tuple[NDArray[np.uint8], float, float]:
    """Return ``values`` in levels, 0 for none, and the values of the levels 1 and 255."""
    laid = values > 0
    if not laid.any():
        return np.zeros(values.shape, np.uint8), 1.0, 1.0
    low, high = float(values[laid].min()), float(values.max())
    span = float(np.log(high / low)) or 1.0
    levels = 1 + np.log(np.maximum(values, low) / low) * (254 / span)
    return np.where(laid, np.round(levels), 0).astype(np.uint8), low, high


def _values(levels: NDArray[np.uint8], low: float, high: float) -> NDArray[np.float32]:
    if not 0 < low <= high < np.inf:
        raise ValueError("its trails are damaged")
    values = low * np.exp((levels.astype(np.float32) - 1) * (np.log(high / low) / 254))
    return frozen(np.where(levels > 0, values, 0).astype(np.float32))


def _is_order(solution: NDArray[np.int32]) -> bool:
    """Whether every place is in ``solution`` once, as in a tour."""
    n = len(solution)
    inside = bool(n) and int(solution.min()) >= 0 and int(solution.max()) < n
    return inside and bool((np.bincount(solution, minlength=n) == 1).all())


def _pieces(tour: NDArray[np.int32], before: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the pieces of ``before`` that follow each other in ``tour``.

    The first row has the place where each begins, the second one its length, which is negative if
    it is passed backwards.
    """
    place = np.empty(len(before), np.int32)
    place[before] = np.arange(len(before), dtype=np.int32)
    places = place[tour]
    steps = np.diff(places)
    # A piece goes on as long as the places grow by one, or shrink by one, in each step. It cannot
    # turn round: no place comes twice.
    firsts = np.flatnonzero(np.abs(np.append(0, steps)) != 1)
    lengths = np.diff(firsts, append=len(places))
    # A piece with one city has no direction. The step into its second city has that of others.
    backwards = np.zeros(len(firsts), bool)
    long = lengths > 1
    backwards[long] = steps[firsts[long]] < 0
    return np.stack([places[firsts], np.where(backwards, -lengths, lengths)]).astype(np.int32)


def _reduced(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """Make ``picture`` small enough for a frame; each pixel is the largest of its square."""
    p = len(picture)
    if p <= FRAME_PICTURE_SIZE:
        return picture
    first = -(-np.arange(FRAME_PICTURE_SIZE) * p // FRAME_PICTURE_SIZE)
    rows = np.maximum.reduceat(picture, first, axis=0)
    return np.maximum.reduceat(rows, first, axis=1)


def _small(solution: NDArray[np.int32]) -> NDArray[Any]:
    """Return ``solution`` in 2 bytes a number, if that is enough."""
    fits = len(solution) <= 1 << 16 and bool((solution == solution.astype(np.uint16)).all())
    return solution.astype(np.uint16) if fits else solution


def shrunk(*parts: bytes | NDArray[Any]) -> bytes:
    """Return all ``parts`` together, packed."""
    machine = zlib.compressobj(1)
    # One after the other: to put them together would hold up other threads.
    packed = [
        machine.compress(part if isinstance(part, bytes) else np.ascontiguousarray(part).data)
        for part in parts
    ]
    return b"".join([*packed, machine.flush()])


def grown(data: bytes, most: int) -> bytes:
    """Unpack ``data``; ValueError if that is damaged or has more than ``most`` bytes."""
    try:
        machine = zlib.decompressobj()
        found = machine.decompress(data, most + 1)
    except zlib.error as error:
        raise ValueError("it is damaged") from error
    if len(found) > most or not machine.eof:
        raise ValueError("it is damaged")
    return found


_LONGEST_EDIT = 200  # bytes of its text
_KEPT = 4  # instances, of which the newest may be asked for again

Edits = tuple[CityEdit, ...]


def write_edits(edits: Sequence[Mapping[str, object]]) -> bytes:
    """Return the bytes of ``edits``, in the form of a line of a log."""
    return shrunk(json.dumps(list(edits)).encode("ascii"))


def read_edits(data: bytes) -> Edits:
    """Return the edits of one change; ValueError if they are none."""
    try:
        edits = json.loads(grown(data, _LONGEST_EDIT * MOST_EDITS))
        return tuple(CityEdit.from_dict(one) for one in edits)
    except (AttributeError, TypeError, RecursionError, FormicariumError) as error:
        raise ValueError("its changes of cities are none") from error


class Eras:
    """The instances of a run. An era is the time from one change of cities to the next."""

    def __init__(self, instance: Instance) -> None:
        self.sizes = [instance.n]  # cities in each era
        self._edits: list[Edits] = []  # with which each era but the first one begins
        self._known: dict[int, Instance] = {0: instance}

    def add(self, edits: Edits) -> None:
        """Begin another era; ValueError if it cannot begin with these edits."""
        if why := self._known[0].why_not_editable:
            raise ValueError(why)
        kinds = [edit.kind for edit in edits]
        left = self.sizes[-1] + kinds.count("add") - kinds.count("remove")
        if left < self._known[0].fewest:
            raise ValueError("its changes of cities are none")
        self.sizes.append(left)
        self._edits.append(edits)

    def instance(self, era: int) -> Instance:
        """Return the instance of an era, counted from 0; InstanceError if it is impossible."""
        if era not in self._known:
            near = max(one for one in self._known if one < era)
            found, waiting = self._known[near], Edits()
            for edits in (*self._edits[near:era], None):
                # several changes at once take less time than one after the other
                if edits is None or len(waiting) + len(edits) > MOST_EDITS:
                    found, waiting = found.edited(waiting).instance, Edits()
                waiting += edits or Edits()
            self._known[era] = found
            for old in list(self._known)[1:-_KEPT]:  # the first one stays
                del self._known[old]
        return self._known[era]

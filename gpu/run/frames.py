"""The file of a run's frames: what its solutions and trails were, moment by moment.

A line of JSON says of which run they are. Behind it come frames, each with a checksum, so that a
file whose writer was killed can be read up to its last whole frame. See docs/log.md.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import FormicariumError
from gpu.core.snapshot import STRONGEST_TRAILS, Trails

FORMAT = 1
SUFFIX = ".frames"  # takes the place of the log's ending
LONGEST_HEADER = 4096  # bytes of the first line
LARGEST_FRAME = 1 << 28  # bytes of one that is read
PICTURE_SIZE = 256  # largest width and height of a recorded picture of the trails, in pixels

SOLUTION, TRAILS = 1, 2  # kinds of frames
WHOLE, PIECES, CHANGES = 0, 1, 2  # how a solution is written

_HEAD = struct.Struct("<BBHIqqqd")  # kind, form, zero, bytes, iteration, built, cost, seconds
_CHECKSUM = struct.Struct("<I")  # of all of the frame but itself
_PICTURE = struct.Struct("<HIff")  # size, number of edges, least and largest trail


class FramesError(FormicariumError):
    """A file of frames that cannot be read or written."""


class Frame(NamedTuple):
    """One frame, as it is in the file."""

    kind: int  # SOLUTION or TRAILS
    form: int  # how it is written; 0 for trails
    iteration: int
    built: int  # solutions built until then
    cost: int  # of the solution; for trails of the best one at that time
    seconds: float  # of the run
    data: bytes  # packed

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return _HEAD.size + _CHECKSUM.size + len(self.data)


class Place(NamedTuple):
    """Where a frame is in the file, and when it was."""

    frame: Frame  # without its data
    start: int  # bytes before it
    end: int


def header_of(log: Mapping[str, Any], name: str) -> dict[str, object]:
    """Return what the first line says of the run whose log, ``name``, begins with ``log``."""
    session, instance = log["session"], log["instance"]
    return {
        "kind": "frames",
        "format": FORMAT,
        "log": name,
        "started": log["started"],
        "colony": session["colony"],
        "seed": session["seed"],
        "sha256": session["instance"]["sha256"],
        "n": instance["n"],
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


def places_of(file: BinaryIO, start: int) -> Iterator[Place]:
    """Find all whole frames from the byte ``start`` on."""
    file.seek(start)
    while (frame := read_frame(file)) is not None:
        end = start + frame.size
        yield Place(frame._replace(data=b""), start, end)
        start = end


def write_solution(
    solution: NDArray[np.int32], before: NDArray[np.int32] | None
) -> tuple[int, bytes]:
    """Return how ``solution`` is written, and its bytes; after ``before``, if that is shorter.

    A tour is a few pieces of the tour before it, and a coloring has a few other colors.
    """
    if before is not None and before.shape == solution.shape:
        if _is_order(solution) and _is_order(before):
            pieces = _pieces(solution, before)
            if pieces.nbytes < solution.nbytes // 2:
                return PIECES, _shrunk(pieces)
        else:
            return CHANGES, _shrunk(solution - before)
    return WHOLE, _shrunk(_small(solution))


def read_solution(frame: Frame, n: int, before: NDArray[np.int32] | None) -> NDArray[np.int32]:
    """Return the solution of ``frame``, which was written after ``before``; ValueError if none."""
    data = _grown(frame.data, 8 * n)
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


def write_trails(trails: Trails | None, picture: NDArray[np.float32] | None, n: int) -> bytes:
    """Return the bytes of the strongest trails and of the picture, both in 8 bits."""
    edges = np.empty(0, np.int64)
    strength = np.empty(0, np.uint8)
    if trails is not None:
        levels = np.round(255 * trails.strength).astype(np.uint8)
        seen = levels > 0
        edges = trails.edges[seen, 0].astype(np.int64) * n + trails.edges[seen, 1]
        order = np.argsort(edges)
        edges, strength = np.diff(edges[order], prepend=0), levels[seen][order]
    low = high = 1.0
    shades = np.empty((0, 0), np.uint8)
    if picture is not None:
        picture = _reduced(picture)
        laid = picture > 0
        if laid.any():
            low, high = float(picture[laid].min()), float(picture.max())
        span = np.log(high / low) or 1.0
        values = 1 + np.log(np.maximum(picture, low) / low) * (254 / span)
        shades = np.where(laid, np.round(values), 0).astype(np.uint8)
    head = _PICTURE.pack(len(shades), len(edges), low, high)
    return _shrunk(head, edges, strength, shades)


def read_trails(data: bytes, n: int) -> tuple[Trails, NDArray[np.float32] | None]:
    """Return the strongest trails, and the picture if there is one; ValueError if it is none."""
    plain = _grown(data, _PICTURE.size + 9 * STRONGEST_TRAILS + PICTURE_SIZE**2)
    if len(plain) < _PICTURE.size:
        raise ValueError("its trails are damaged")
    size, count, low, high = _PICTURE.unpack_from(plain)
    if len(plain) != _PICTURE.size + 9 * count + size**2 or not 0 < low <= high < np.inf:
        raise ValueError("its trails are damaged")
    at = _PICTURE.size
    pairs = np.cumsum(np.frombuffer(plain, np.int64, count, at))
    strength = np.frombuffer(plain, np.uint8, count, at + 8 * count)
    if count and not (pairs.min() >= 0 and pairs.max() < n * n):
        raise ValueError("its trails lead to no city")
    order = np.argsort(-strength.astype(np.int16), kind="stable")
    edges = np.column_stack(np.divmod(pairs[order], n)).astype(np.int32)
    trails = Trails(frozen(edges), frozen((strength[order] / np.float32(255)).astype(np.float32)))
    if not size:
        return trails, None
    shades = np.frombuffer(plain, np.uint8, size**2, at + 9 * count).reshape(size, size)
    levels = low * np.exp((shades.astype(np.float32) - 1) * (np.log(high / low) / 254))
    return trails, frozen(np.where(shades > 0, levels, 0).astype(np.float32))


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
    """Make ``picture`` at most ``PICTURE_SIZE`` wide; each pixel is the largest of its square."""
    p = len(picture)
    if p <= PICTURE_SIZE:
        return picture
    first = -(-np.arange(PICTURE_SIZE) * p // PICTURE_SIZE)
    rows = np.maximum.reduceat(picture, first, axis=0)
    return np.maximum.reduceat(rows, first, axis=1)


def _small(solution: NDArray[np.int32]) -> NDArray[Any]:
    """Return ``solution`` in 2 bytes a place, if that is enough."""
    return solution.astype(np.uint16) if len(solution) <= 1 << 16 else solution


def _shrunk(*parts: bytes | NDArray[Any]) -> bytes:
    whole = b"".join(
        part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes() for part in parts
    )
    return zlib.compress(whole, 1)


def _grown(data: bytes, most: int) -> bytes:
    """Unpack ``data``; ValueError if that is damaged or has more than ``most`` bytes."""
    try:
        machine = zlib.decompressobj()
        found = machine.decompress(data, most + 1)
    except zlib.error as error:
        raise ValueError("it is damaged") from error
    if len(found) > most or not machine.eof:
        raise ValueError("it is damaged")
    return found

"""Files of instances: their bytes, unpacked, and their text."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.core.files import PACKED_SUFFIXES, archived, packed_as, read_regular, unpacked
from gpu.core.words import shown

_START = 2_000  # bytes at the beginning of a file that tell what it is

ROW_LONGEST = 1 << 22
"""Characters of a row of a table, and bytes of one of whole numbers."""

GIVE_INSTANCE = (
    "write places as a table (.csv), a graph as a DIMACS graph (.col), distances as a TSPLIB file "
    "(.tsp)"
)
"""What to give in place of a file that holds an instance, but in a format that is not read."""

GIVE_TOUR = "write the tour as a TSPLIB file with a TOUR_SECTION"
"""What to give in place of one that may hold a tour."""

_PACKED_BY = "it is packed by {}; unpack it, or pack it by gzip, bzip2 or xz"

_BY_BYTES = (  # what matches at the beginning, and what is said of such a file
    (
        rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\x00|MM\x00\*|RIFF.{4}WEBP",
        "it is a picture, not an instance; File > Draw cities… in the window can trace it",
    ),
    (
        rb".{4}ftyp|\x1aE\xdf\xa3|RIFF.{4}AVI |\x00\x00\x01[\xb3\xba]",
        "it is a film or a sound, not an instance",
    ),
    (rb"%PDF-", "it is a PDF, not an instance"),
    (
        rb"PK\x03\x04|\xd0\xcf\x11\xe0",
        "it is a document of an office program, not an instance; save its table as CSV",
    ),
    (rb"\x28\xb5\x2f\xfd", _PACKED_BY.format("zstd")),
    (rb"\x1f\x9d", _PACKED_BY.format("compress")),
    (rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|.{257}ustar", "it is an archive; unpack it"),
    (
        rb"\x93NUMPY|\x89HDF\r\n|\x80[\x04\x05]\x95|PAR1\x15",
        "it holds arrays or objects of a program, which are not read",
    ),
    (
        rb"SQLite format 3\x00",
        "it is an SQLite database, not an instance; formicarium report shows a study's results",
    ),
    (
        rb"version https://git-lfs\.github\.com/",
        "it is a pointer of Git LFS, not the file itself; git lfs pull fetches that",
    ),
    (
        rb"\S*/annex/objects/",
        "it is a pointer of git-annex, not the file itself; git annex get fetches that",
    ),
    (
        rb"\s*<(!doctype html|html\b|\?.*<html\b)",
        "it is a web page, not an instance; download the file itself",
    ),
    (rb"\s*<(svg\b|[?!].*<svg\b)", "it is an SVG picture, not an instance"),
    (rb"\s*<[?!a-z]", "it is XML, which is not read"),
    (
        rb">>digraph6<<",
        "it is a directed graph as digraph6, which is not read; write it as graph6",
    ),
    (
        rb'\s*\{\s*"kind"\s*:\s*"session"',
        "it is the log of a run, not an instance; formicarium replay runs it again",
    ),
    (
        rb'\s*\{\s*"kind"\s*:\s*"frames"',
        "it is the past of a run, not an instance; formicarium film takes the log beside it",
    ),
    (
        rb'\s*\{\s*"kind"\s*:\s*"race"',
        "it is a race, not an instance; formicarium race runs it",
    ),
    (
        rb'\s*(#[^\n]*\n\s*)*(title\s*=\s*"|instances\s*=|\[budget\]|\[\[colony\]\])',
        "it is the design of a study, not an instance; formicarium study runs it",
    ),
    (
        rb"([^\n]*\n)*?\s*PROBLEM_FILE\s*=",
        "it holds parameters for LKH, not an instance; solve the file that PROBLEM_FILE names",
    ),
)
_PATTERNS = tuple((re.compile(rb"(?is)" + start), said) for start, said in _BY_BYTES)
_ONLY_NUMBERS = re.compile(r"[-+.,;0-9eE\s]+")


def what_else(data: bytes, instead: str) -> str:
    """Return what to say of the file ``data`` if it is of such a kind, or nothing.

    ``instead`` says what to give in place of a format that is not read: for example GIVE_INSTANCE.
    """
    start = data[:_START].removeprefix(b"\xef\xbb\xbf")
    said = next((said for pattern, said in _PATTERNS if pattern.match(start)), "")
    return f"{said}; {instead}" if said.endswith("not read") else said


def of_no_kind(line: str, instead: str) -> str:
    """Return what to say of the first ``line`` of a text that is of no known kind."""
    if only_numbers(line):
        return f"has numbers alone, and nothing says what they are; {instead}"
    return f"is no line of a format that is read here; {instead}"


def only_numbers(line: str) -> bool:
    """Whether ``line`` has numbers and nothing else."""
    return _ONLY_NUMBERS.fullmatch(line) is not None


INSTANCE_NAME_LONGEST, LONGEST_COMMENT = 80, 2_000  # characters that are kept
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16's, with which it begins
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""How texts begin that have several bytes for each letter."""

_NOT_IN_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # bytes without a meaning in cp1252
_DECODED_PIECE = 1 << 20  # bytes that are decoded without a pause


def name_of(text: str) -> str:
    """Return the name in ``text`` of a file, as it can be shown, written and logged: one line."""
    return shown(text.replace("\n", " "), INSTANCE_NAME_LONGEST)


def comment_of(lines: Iterable[str]) -> str:
    """Return the comment of an instance from the comment lines of its file, likewise."""
    return shown("\n".join(line.replace("\t", " ") for line in lines), LONGEST_COMMENT)


def has_line_beyond(text: str | bytes, most: int) -> bool:
    """Whether ``text`` has a line of more than ``most`` characters, or bytes."""
    begin = 0
    while len(text) - begin > most:
        if isinstance(text, str):
            last = max(text.rfind(end, begin, begin + most + 1) for end in "\r\n")
        else:
            last = max(text.rfind(end, begin, begin + most + 1) for end in (b"\r", b"\n"))
        if last < 0:
            return True
        begin = last + 1
    return False


def each_line(text: str, begin: int = 0) -> Iterator[str]:
    """Yield the lines of ``text``, with their ends, from a character on, without a copy of all."""
    while begin < len(text):
        end = text.find("\n", begin) + 1 or len(text)
        yield text[begin:end]
        begin = end


def shortened(text: str) -> str:
    """Quote ``text`` from a file for a message: printable and never long."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def lines_of(path: Path, data: bytes, instead: str = GIVE_INSTANCE) -> Iterable[str]:
    """Return the lines of ``data``, with their ends; raise InstanceError where it is no text.

    They are decoded piece by piece: all at once, a million lines would hold up the window, and
    every other thread, for longer than it may be.
    """
    return decoded_lines(data, encoding_of(path, data, instead))


def decoded_lines(data: bytes, encoding: str) -> Iterable[str]:
    """Return the lines of ``data``, likewise, in the encoding that is known."""
    return io.TextIOWrapper(io.BytesIO(data), encoding, newline=None)


def text_of(path: Path, data: bytes) -> str:
    """Decode ``data``, or raise InstanceError where it is no text."""
    return data.decode(encoding_of(path, data))


def decoded(data: bytes) -> str | None:
    """Return the text ``data``, whatever it says; None if it is none."""
    if wide := _wide(data):
        return data.decode(wide, "replace")
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(_one_byte(data))


def encoding_of(path: Path, data: bytes, instead: str = GIVE_INSTANCE) -> str:
    """Return the encoding of the text ``data``, or raise InstanceError where it is no text."""
    if other := what_else(data, instead):
        raise InstanceError(f"{path}: {other}")
    if wide := _wide(data):
        try:
            data.decode(wide)
        except UnicodeDecodeError as error:
            raise InstanceError(f"{path}: it is damaged UTF-16 text; save it as UTF-8") from error
        return wide
    if b"\0" in data:
        raise InstanceError(f"{path}: it is a binary file; save it as plain ASCII or UTF-8 text")
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        for first in range(0, len(data), _DECODED_PIECE):
            decoder.decode(data[first : first + _DECODED_PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        # Formats are ASCII; names and comments are where older encodings occur.
        return _one_byte(data)
    return "utf-8-sig"


def _wide(data: bytes) -> str:
    """Return the encoding of text that has two or four bytes for each letter; empty if it is none.

    Without a mark at its beginning it shows by zeros beside the letters of Latin scripts.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    start = data[: _START & ~1]
    for zeros, letters, name in (
        (start[1::2], start[::2], "utf-16-le"),
        (start[::2], start[1::2], "utf-16-be"),
    ):
        if 2 * zeros.count(0) > len(zeros) and not letters.count(0) and not len(data) % 2:
            return name
    return ""


def _one_byte(data: bytes) -> str:
    """Return the older encoding of a text that is not UTF-8."""
    return "latin-1" if _NOT_IN_WINDOWS.search(data) else "cp1252"


def in_utf8(path: Path, data: bytes, encoding: str = "") -> bytes:
    """Return the text ``data`` of the file at ``path`` in UTF-8, if it must be made so.

    That is where its user says the ``encoding``, or where it has several bytes for each letter;
    all else is as it was. InstanceError if it is no text in this encoding.
    """
    wanted = encoding or _wide(data)
    if not wanted:
        return data
    try:
        text = data.decode(wanted)
    except LookupError as error:
        raise InstanceError(
            f"{path}: encoding = {shortened(wanted)} is none that is known"
        ) from error
    except UnicodeError as error:
        raise InstanceError(f"{path}: it is no text in the encoding {wanted[:40]}") from error
    if "\0" in text:
        raise InstanceError(f"{path}: it is no text in the encoding {wanted[:40]}")
    return text.encode("utf-8", "replace")


def read_bytes(path: Path) -> bytes:
    """Return what is in the instance's file at ``path``, unpacked, or raise InstanceError."""
    return plain(path, read_regular(path, InstanceError))


def plain(path: Path, data: bytes) -> bytes:
    """Return ``data`` of the file at ``path``, unpacked if they are a packed file's."""
    what = packed_as(data)
    try:
        if not what or _is_document(data):
            return data
        found = unpacked(data)
    except ValueError as error:
        raise InstanceError(f"{path}: {error}") from error
    if not found.strip():
        raise InstanceError(f"{path}: it is {what} with nothing in it")
    return found


def _is_document(data: bytes) -> bool:
    """Whether ``data`` are an archive that is a file of some program, as spreadsheets are."""
    if not data.startswith(b"PK"):
        return False
    names = archived(data)
    own = ("[Content_Types].xml", "mimetype")
    return any(name in own for name in names) or (
        bool(names) and all(name.endswith(".npy") for name in names)
    )


def plain_name(path: Path) -> str:
    """Return the name of the file at ``path`` as it is when unpacked."""
    whole = path.name
    ending = next((one for one in PACKED_SUFFIXES if whole.lower().endswith(one)), "")
    return whole[: len(whole) - len(ending)]


def stem_of(path: Path) -> str:
    """Return that name without its ending."""
    return Path(plain_name(path)).stem


@contextmanager
def in_memory(path: Path) -> Iterator[None]:
    """Name the file at ``path`` if what is made of it does not fit into memory."""
    try:
        yield
    except MemoryError as error:
        raise InstanceError(f"{path}: it does not fit into this machine's memory") from error


def lines_with(letter: str, rows: NDArray[np.integer]) -> bytes:
    """Return lines of a ``letter`` and the numbers of each of the ``rows``, which are not negative.

    A million lines take a tenth of the time that they would take one by one.
    """
    width = len(str(rows.max(initial=0)))
    powers = 10 ** np.arange(width - 1, -1, -1, dtype=np.int64)
    digits = rows[:, :, None] // powers
    cells = np.empty((*rows.shape, 1 + width), np.uint8)
    cells[:, :, 0] = ord(" ")
    cells[:, :, 1:] = digits % 10 + ord("0")
    kept = np.ones(cells.shape, np.bool_)
    kept[:, :, 1:-1] = digits[:, :, :-1] > 0  # no zeros before a number
    flat = len(rows), cells.shape[1] * cells.shape[2]
    first, last = (np.full((len(rows), 1), ord(one), np.uint8) for one in (letter, "\n"))
    here = np.ones(first.shape, np.bool_)
    text = np.hstack((first, cells.reshape(flat), last))
    written: bytes = text[np.hstack((here, kept.reshape(flat), here))].tobytes()
    return written


def text_of_cities(
    name: str,
    comment: str,
    points: NDArray[np.float64],
    decimals: int | None = None,
    *,
    metric: str = "EUC_2D",
    exact: bool = False,
) -> str:
    """Return the file of an instance ``name``: ``points``, shape (n, 2), in the metric's units.

    Each coordinate has so many ``decimals``, by default as many as it needs for 15 digits, or for
    all of them if it shall be ``exact``.
    """
    form = ".15g" if decimals is None else f".{decimals}f"

    def text(value: float) -> str:
        return repr(value).removesuffix(".0") if exact else f"{value:{form}}"

    lines = [f"NAME: {name}", f"COMMENT: {comment}", "TYPE: TSP"]
    lines += [f"DIMENSION: {len(points)}", f"EDGE_WEIGHT_TYPE: {metric}", "NODE_COORD_SECTION"]
    lines += [f"{i} {text(x)} {text(y)}" for i, (x, y) in enumerate(points.tolist(), 1)]
    return "\n".join([*lines, "EOF", ""])

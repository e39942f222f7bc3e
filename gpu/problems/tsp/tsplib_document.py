"""The outer form of TSPLIB's files: a specification, keyword by keyword, and sections of data.

It is taken as it is found: keywords in any case, with a colon, an equals sign or nothing behind
them, comment lines of programs, an end in any spelling.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from gpu.core.errors import InstanceError
from gpu.problems.document import (
    GIVE_INSTANCE,
    lines_of,
    of_no_kind,
    only_numbers,
    plain_name,
    shortened,
)

TSPLIB_SUFFIXES = (".tsp", ".atsp", ".hcp", ".hpp", ".tour")

_KEYWORDS = frozenset({
    "NAME", "TYPE", "COMMENT", "DIMENSION", "CAPACITY", "EDGE_WEIGHT_TYPE", "EDGE_WEIGHT_FORMAT",
    "EDGE_DATA_FORMAT", "NODE_COORD_TYPE", "DISPLAY_DATA_TYPE", "GRID_SIZE", "SCALE", "SALESMEN",
    "DEPOTS", "VEHICLES", "DISTANCE", "DEMAND_DIMENSION", "SERVICE_TIME", "GTSP_SETS",
})  # fmt: skip
"""Keywords that need no colon behind them: other words may begin a line of anything."""

_OTHER_NAMES = {
    "NODE_COORDS_SECTION": "NODE_COORD_SECTION",
    "NODE_COORDINATES_SECTION": "NODE_COORD_SECTION",
    "EDGE_WEIGHTS_SECTION": "EDGE_WEIGHT_SECTION",
    "FIXED_EDGE_SECTION": "FIXED_EDGES_SECTION",
}
"""Sections under names that TSPLIB does not have."""

_LINES_FORGOTTEN = 10_000  # that are given back without a pause
_NO_KEYWORD = frozenset("0123456789+-.")  # no keyword begins so
_COMMENT_MARKS = ("#", "%", "//")
_BEFORE = ("c ", ";")  # comments as other programs write them, before the data
_BEHIND = re.compile(r"(?<![ \t])[ \t]+(?:#|%|//)")  # a run of blanks is tried once
_SECTION = re.compile(
    r"([A-Za-z]+(?:[ _-][A-Za-z]+)*[ _-]SECTION)\b\s*[:=]?\s*(.*)", re.ASCII | re.I
)
_ASSIGNED = re.compile(r"([A-Za-z]\w*(?:[ -]\w+)*)\s*[:=]\s*(.*)", re.ASCII)
_FIRST_WORD = re.compile(r"([A-Za-z]\w*)(?:\s+(.*))?", re.ASCII)
_LOOKED_AT = 1 << 16
_LOOKS = re.compile(  # lines, which may end with a return alone, that nothing else has
    rb"(?i)(?:^|[\r\n]|\xef\xbb\xbf)[ \t]*(?:"
    rb"(?:NODE[ _-]COORD\w*|EDGE[ _-]WEIGHTS?|TOUR|DISPLAY[ _-]DATA|FIXED[ _-]EDGES?|EDGE[ _-]DATA)"
    rb"[ _-]SECTION\b|(?:EDGE[ _-]WEIGHT[ _-](?:TYPE|FORMAT)|EDGE[ _-]DATA[ _-]FORMAT)[ \t]*[:=\s])"
)


@dataclass(frozen=True, slots=True)
class Document:
    """A TSPLIB file taken apart."""

    path: Path  # where it came from; every message names it
    sha256: str  # digest of the file's bytes, unpacked, hexadecimal
    # keyword, in capitals, to value, without comments
    specification: dict[str, str] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)  # the COMMENT lines
    # keyword to data lines, stripped and not empty
    sections: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # what was assumed, for the user

    def error(self, what: str) -> InstanceError:
        """Build the error that names this file and says ``what`` is wrong with it."""
        return InstanceError(f"{self.path}: {what}")

    def word(self, keyword: str) -> str:
        """Return the first word of the value of ``keyword`` in capitals; empty if there is none.

        Some files of the library have a name in brackets after it.
        """
        return (self.specification.get(keyword, "").upper().split() or [""])[0]

    def forget_lines(self) -> None:
        """Give back the memory of all data lines.

        They go piece by piece: a million at once would hold up all other threads.
        """
        for lines in self.sections.values():
            while lines:
                del lines[-_LINES_FORGOTTEN:]

    def dimension(self) -> int | None:
        """Return the value of DIMENSION, None if there is none; InstanceError if it is no size."""
        text = self.specification.get("DIMENSION", "")
        if not text:
            return None
        if not re.fullmatch(r"[0-9]{1,18}(?:\.0*)?", text):
            raise self.error(f"DIMENSION {shortened(text)} is not a number of cities")
        return int(text.partition(".")[0])


def looks_like_tsplib(data: bytes) -> bool:
    """Whether the file ``data`` has the keywords of TSPLIB."""
    return _LOOKS.search(data, 0, _LOOKED_AT) is not None


def document_of(path: Path, data: bytes, instead: str = GIVE_INSTANCE) -> Document:
    """Take the file ``data`` that was at ``path`` apart.

    InstanceError if it is not text, or has a line that belongs nowhere. If it is in a format that
    is not read, the message says what to give ``instead``.
    """
    document = Document(path, hashlib.sha256(data).hexdigest())
    section: list[str] | None = None
    lines = enumerate(lines_of(path, data, instead), 1)
    for number, raw in lines:
        line = raw.strip()
        if not line or (section is not None and line[0] in _NO_KEYWORD):  # a million of numbers
            if line and section is not None:
                section.append(line)
            continue
        if line.startswith(_COMMENT_MARKS) or (section is None and line.startswith(_BEFORE)):
            continue
        keyword, value = _keyword_of(line)
        if keyword == "EOF":
            break
        if keyword.endswith("_SECTION"):
            if keyword in document.sections:
                raise document.error(f"it has two of {shortened(keyword)}")
            section = document.sections[keyword] = [value] if value else []
        elif keyword == "COMMENT":
            section = None
            document.comments.append(value)
        elif keyword:
            section = None
            value = _BEHIND.split(value, maxsplit=1)[0] if keyword != "NAME" else value
            known = document.specification.setdefault(keyword, value)
            if known != value:
                raise document.error(
                    f"{shortened(keyword)} is first {shortened(known)}, then {shortened(value)}"
                )
        elif section is None or _stands_alone(line):
            begun = document.specification or document.comments or document.sections
            named = plain_name(path).lower().endswith(TSPLIB_SUFFIXES) and not only_numbers(line)
            wrong = "is no line of a TSPLIB file" if begun or named else of_no_kind(line, instead)
            raise document.error(f"line {number}, {shortened(line)}, {wrong}")
        else:
            section.append(line)
    if document.sections and any(_begins_another(raw.strip()) for _, raw in lines):
        raise document.error("another problem stands behind its EOF; keep one of them in a file")
    return document


def _begins_another(line: str) -> bool:
    """Whether ``line`` begins a section of data."""
    return line[:1] not in _NO_KEYWORD and _keyword_of(line)[0].endswith("_SECTION")


def _keyword_of(line: str) -> tuple[str, str]:
    """Return the keyword that ``line`` begins with, in capitals, and what follows; or "" twice."""
    if match := _SECTION.fullmatch(line):
        name = _in_capitals(match[1])
        return _OTHER_NAMES.get(name, name), match[2]
    if match := _ASSIGNED.fullmatch(line):
        name = _in_capitals(match[1])
        if name in _KEYWORDS or name == "EOF" or name == match[1]:
            return name, match[2].strip()
    if match := _FIRST_WORD.fullmatch(line):
        name, value = match[1].upper(), match[2] or ""
        if name == "EOF" or (value and name in _KEYWORDS):
            return name, value
    return "", ""


def _in_capitals(name: str) -> str:
    return re.sub("[ -]+", "_", name).upper()


def _stands_alone(line: str) -> bool:
    """Whether ``line`` is a single word like a keyword: data are none."""
    return re.fullmatch(r"[A-Z][A-Z0-9_]*", line) is not None

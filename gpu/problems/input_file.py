"""A file with an instance, as every format's reader gets it."""

from __future__ import annotations

import codecs
import hashlib
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from gpu.core.errors import InstanceError
from gpu.problems.document import ROW_LONGEST, decoded, has_line_beyond, stem_of, text_of, what_else
from gpu.problems.edge_lines import edge_lines
from gpu.problems.integers import IntegerRows, all_rows
from gpu.problems.reading import AS_FOUND, ReadAs
from gpu.problems.structured import begins_as_value, structured

_START = 2_000  # bytes that tell what most files are
_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|[#%][^\r\n]*+)*+([^\r\n]*+)")
_NUMBER = re.compile(rb"[0-9]+")
_FIRST_MOST = 4  # numbers in the first line of a list


@dataclass(frozen=True)
class InputFile:
    """A file's bytes, unpacked, and what the user has said of it.

    Texts are in UTF-8 by now if they have several bytes for each letter, or if the user says their
    encoding; else they may be in an older one, of one byte.

    What several formats look at is made once, when it is first asked for.
    """

    path: Path  # where it came from; every message names it
    data: bytes = field(repr=False)
    read_as: ReadAs = AS_FOUND

    def error(self, what: str) -> InstanceError:
        """Return the error that names this file and says ``what`` is wrong with it."""
        return InstanceError(f"{self.path}: {what}")

    @property
    def start(self) -> bytes:
        """Its first bytes."""
        return self.data[:_START].removeprefix(b"\xef\xbb\xbf")

    @property
    def stem(self) -> str:
        """Its name without folder and ending."""
        return stem_of(self.path)

    @cached_property
    def sha256(self) -> str:
        """Digest of its bytes, hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def text(self) -> str | None:
        """Its text; None if it is none."""
        return decoded(self.data)

    def text_for_sure(self) -> str:
        """Return its text; InstanceError if it is none."""
        return text_of(self.path, self.data)

    @property
    def is_value(self) -> bool:
        """Whether it begins as a value in JSON or Python, and is none of what is never read."""
        return begins_as_value(self.start) and not what_else(self.start, "")

    @cached_property
    def integers(self) -> IntegerRows | None:
        """The numbers in its lines, if it has nothing else but comments, and few in its first line.

        None of a matrix, therefore: lists begin with one edge, or with how much is in them.
        """
        first = _FIRST_LINE.match(self.data)
        if first is None or len(_NUMBER.findall(first[1][:_START])) > _FIRST_MOST:
            return None
        if has_line_beyond(self.data, ROW_LONGEST):
            return None
        return all_rows(self.data.removeprefix(codecs.BOM_UTF8))

    @cached_property
    def edge_lines(self) -> list[list[str]] | None:
        """The rows of lines that each write an edge in a way of their own; None if of others."""
        return None if self.text is None else edge_lines(self.text)

    @cached_property
    def value(self) -> Any | None:
        """The value that it writes as JSON, as JSON line by line or in Python; None if none.

        InstanceError if it begins as such a value and is none.
        """
        return structured(self.path, self.data) if self.is_value else None

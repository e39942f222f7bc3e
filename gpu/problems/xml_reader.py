"""XML, element by element, with limits: no entities, no endless depth, nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.parsers import expat

from gpu.problems.input_file import InputFile

_DEEPEST = 1_000  # elements within each other
_PIECE = 1 << 20  # bytes that are taken apart without a pause


class XmlReader:
    """What is read of an XML file, element by element; a subclass knows its format."""

    kept: frozenset[str] = frozenset()  # elements whose text is wanted

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self.path: list[str] = []  # the elements around, without their namespaces
        self._text: list[str] | None = None
        # It is UTF-8 by now, whatever is declared, if its user has said the encoding or if it had
        # two bytes for each letter.
        wide = re.match(
            rb"\s*<\?xml[^>]*encoding=.(utf-?16|ucs|utf-?32)", file.start, re.IGNORECASE
        )
        self._parser = expat.ParserCreate("utf-8" if file.read_as.encoding or wide else None)
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._entity

    def read(self, data: bytes | None = None) -> None:
        """Read the whole file, or ``data`` in it; InstanceError if it is broken."""
        data = self.file.data if data is None else data
        try:
            for first in range(0, len(data), _PIECE):
                self._parser.Parse(data[first : first + _PIECE], False)
            self._parser.Parse(b"", True)
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise self.file.error(f"it is no whole XML: {error}") from error

    @property
    def line(self) -> int:
        """Where it is being read."""
        return self._parser.CurrentLineNumber

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take in the beginning of an element."""

    def end(self, tag: str, text: str) -> None:
        """Take in the end of an element, with its text if it is wanted."""

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if len(self.path) >= _DEEPEST:
            raise self.file.error(f"line {self.line}: its elements are too deep in each other")
        self.path.append(tag)
        self._text = [] if tag in self.kept else None
        self.begin(tag, attributes)

    def _end(self, _: str) -> None:
        tag = self.path.pop()
        text, self._text = "".join(self._text or ()), None
        self.end(tag, text)

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _entity(self, *_: object) -> None:
        raise self.file.error("it declares entities, which no such file needs")

"""TSPLIB's files in XML: for each vertex the costs of its edges, by the others' numbers from 0."""

from __future__ import annotations

import re
from array import array
from xml.parsers import expat

import numpy as np

from gpu.core.machine.processors import SPARE, free_memory
from gpu.problems.document import in_memory
from gpu.problems.input_file import InputFile
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.matrices.given_distances import GivenDistances, instance_of

_ROOT = re.compile(
    rb"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*<(?:\w+:)?travellingSalesmanProblemInstance\b", re.S
)
_TEXT_MOST = 40  # characters of a number
_AN_ENTRY = 24  # bytes of an entry of the matrix while it is made


def is_tsplib_xml(file: InputFile) -> bool:
    """Whether ``file`` is a TSPLIB file in XML."""
    return _ROOT.match(file.start) is not None


class _Reader:
    """Takes in the elements of a file, one after the other."""

    def __init__(self, file: InputFile) -> None:
        self.vertices = 0
        self.starts, self.ends, self.costs = array("q"), array("q"), array("d")
        self._file = file
        self._cost: str | None = None  # of the edge whose element is open
        self._text = ""

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in the beginning of an element."""
        if tag == "vertex":
            self.vertices += 1
        elif tag == "edge":
            self._cost, self._text = attributes.get("cost", ""), ""

    def text(self, some: str) -> None:
        """Take in what stands in an element."""
        if self._cost is not None and len(self._text) < _TEXT_MOST:
            self._text += some

    def end(self, tag: str) -> None:
        """Take in the end of an element."""
        if tag != "edge" or self._cost is None:
            return
        to = self._text.strip()
        if not re.fullmatch(r"[0-9]{1,9}", to):
            raise self._file.error(f"vertex {self.vertices} of it has an edge to no vertex")
        try:
            cost = float(self._cost)
        except ValueError:
            raise self._file.error(
                f"the edge from vertex {self.vertices} to {int(to) + 1} has no cost"
            ) from None
        self.starts.append(self.vertices - 1)
        self.ends.append(int(to))
        self.costs.append(cost)
        self._cost = None

    def refuse(self, *_: object) -> None:
        """Refuse what could name other files, or grow without end."""
        raise self._file.error("it declares a document type, which is not read")


def load_tsplib_xml(file: InputFile) -> TspInstance:
    """Load the distances in ``file``; InstanceError if it is no whole file of that kind."""
    reader, parser = _Reader(file), expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = reader.begin, reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = reader.refuse
    try:
        parser.Parse(file.data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise file.error(f"it is no whole XML: {error}") from error
    n = reader.vertices
    starts, ends = np.frombuffer(reader.starts, np.int64), np.frombuffer(reader.ends, np.int64)
    if not len(ends):
        raise file.error("it has no edges")
    if ends.max() >= n or starts.min() < 0:
        raise file.error(f"it names vertex {int(ends.max())}; there are 0 to {n - 1}")
    if n * n * _AN_ENTRY > free_memory() - SPARE:
        raise file.error(f"its {n:,} × {n:,} distances do not fit into memory")
    with in_memory(file.path):
        values = np.full((n, n), np.nan)
        values[starts, ends] = np.frombuffer(reader.costs)
        return instance_of(file, GivenDistances(values, seen=["TSPLIB's XML"]))

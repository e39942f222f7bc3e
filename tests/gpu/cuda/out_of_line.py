"""Find functions out of line whose lanes leave loops at different times and do not meet again.

See ``SELDOM`` in gpu/cuda/kernels/portable.cuh. The text of the sources tells enough:

* A loop is left at different times unless all lanes meet in it, it is unrolled whole, or its
  function is one of ``AS_MANY_TURNS``.
* Lanes meet in the functions of CUDA whose names end in ``_sync``, in ``__syncwarp`` and
  ``__syncthreads``, and in functions of ours that call them.
* A function is out of line unless it is ``INLINE``; so is what it calls, as far as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gpu.cuda import arguments as c
from gpu.cuda.kernels import Geometry
from gpu.cuda.loader import KernelSource


class MeasureBy(c.KernelArguments):
    geometry: Geometry
    ants: c.Int32
    tours: c.ConstPointer[c.Int32]
    lengths: c.Pointer[c.UInt64]


AS_MANY_TURNS = ("weight_of",)
"""Functions whose loops have as many turns for all lanes of a warp."""

SHAPES = ("MeetsInside", "MeetsOutside")

OUT_OF_LINE = KernelSource(
    "tests/gpu/cuda/out_of_line.cu", {f"measure_by<{shape}>": MeasureBy for shape in SHAPES}
)
"""The smallest kernel that has the shape, and one that does not."""

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_DIRECTIVE = re.compile(r"^\s*#(?!pragma unroll$).*(?:\\\n.*)*$", re.MULTILINE)
_ATTRIBUTE = re.compile(r"(?:__launch_bounds__|__attribute__|__align__|alignas)\s*\(")
_NAME = re.compile(r"(\w+)\s*\(")
_MEETING = re.compile(r"__\w+_sync|__syncwarp|__syncthreads\w*")
_LOOP = re.compile(r"(#pragma unroll\s+)?\b(for|while|do)\b")
_CALL = re.compile(r"\b(\w+)\s*(?:<[\w\s,:]*>\s*)?(?=\()")


@dataclass(frozen=True, slots=True)
class Function:
    """A function's text."""

    name: str
    head: str
    body: str

    @property
    def out_of_line(self) -> bool:
        """Whether it may be called from a kernel and not be a part of it."""
        words = ("SELDOM", "__noinline__", "__device__")
        return "INLINE" not in self.head and any(word in self.head for word in words)


def left_apart(text: str) -> list[str]:
    """The names of the functions in ``text`` that are out of line and have the shape."""
    found = list(_functions(text))
    meeting: set[str] = set()
    apart: set[str] = set()
    while True:  # until no more is known of what is called
        more = {one.name for one in found if _meets(one.body, meeting)}
        others = {
            one.name
            for one in found
            if one.name not in AS_MANY_TURNS and _ends_apart(one.body, more, apart)
        }
        if (more, others) == (meeting, apart):
            break
        meeting, apart = more, others
    return [one.name for one in found if one.out_of_line and one.name in apart]


def _meets(text: str, meeting: Collection[str], behind: int = 0) -> bool:
    """Whether lanes meet in a call that ends behind a place."""
    return any(
        (call[1] in meeting or _MEETING.fullmatch(call[1]))
        and _end_of_pair(text, call.end()) > behind
        for call in _CALL.finditer(text)
    )


def _ends_apart(body: str, meeting: Collection[str], apart: Collection[str]) -> bool:
    """Whether lanes leave a loop at different times, and do not meet after it."""
    last = 0
    for loop in _LOOP.finditer(body):
        end = _end_of_statement(body, loop.end())
        if not loop[1] and not _meets(body[loop.start() : end], meeting):
            last = max(last, end)
    for call in _CALL.finditer(body):
        if call[1] in apart:
            last = max(last, _end_of_pair(body, call.end()))
    return last > 0 and not _meets(body, meeting, last)


def _functions(text: str) -> Iterator[Function]:
    """The functions that a text defines, with those of its structures."""
    text = _DIRECTIVE.sub("", _COMMENT.sub(" ", text))
    place = start = 0  # ``start``: behind the last statement or brace
    while place < len(text):
        if text[place] == "{":
            head = _without_attributes(text[start:place])
            name = _NAME.search(head)
            if name and "=" not in head[: name.start()]:
                end = _end_of_pair(text, place)
                yield Function(name[1], head, text[place:end])
                place = end - 1
            start = place + 1
        elif text[place] in ";}":
            start = place + 1
        place += 1


def _without_attributes(head: str) -> str:
    while found := _ATTRIBUTE.search(head):
        head = head[: found.start()] + head[_end_of_pair(head, found.end() - 1) :]
    return head


def _end_of_pair(text: str, place: int) -> int:
    """Where the bracket at ``place``, or the first one behind it, is closed."""
    depth = 0
    for i in range(place, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0 and text[i] in ")]}":
            return i + 1
    return len(text)


def _end_of_statement(text: str, place: int) -> int:
    """Where the loop ends whose keyword ends at ``place``."""
    depth = 0
    for i in range(place, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth <= 0 and text[i] in ";}":
            return i + 1
    return len(text)

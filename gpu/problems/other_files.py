"""Files that people take for instances: pictures, films, web pages, archives."""

from __future__ import annotations

import re

_START = 2_000  # bytes at the beginning of a file that tell what it is
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
        rb"PK\x03\x04",
        "it is a ZIP archive or a spreadsheet, not an instance; unpack it, or save the table as "
        "CSV",
    ),
    (
        rb"\s*<(!doctype html|html\b)",
        "it is a web page, not an instance; download the file itself",
    ),
    (rb"\s*<(svg\b|[?!].*<svg\b)", "it is an SVG picture, not an instance"),
)
_PATTERNS = tuple((re.compile(rb"(?is)" + start), said) for start, said in _BY_BYTES)


def what_else(data: bytes) -> str:
    """Return what to say of the file ``data`` if it is of such a kind, or nothing."""
    start = data[:_START].removeprefix(b"\xef\xbb\xbf")
    return next((said for pattern, said in _PATTERNS if pattern.match(start)), "")

"""How the text of a file is read: its encoding, the ends of its lines, and piece by piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu.core.errors import InstanceError
from gpu.problems import document
from gpu.problems.document import document_of, lines_of, text_of

FILE = Path("some.tsp")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbfNAME: a\n", "NAME: a\n"),
        ("COMMENT: Zürich\n".encode(), "COMMENT: Zürich\n"),
        ("COMMENT: Zürich\n".encode("latin-1"), "COMMENT: Zürich\n"),
        ("COMMENT: Züri".encode()[:-3], "COMMENT: ZÃ"),  # cut off in the middle of a letter
    ],
)
@pytest.mark.parametrize("piece", [1, 3, 1 << 20])
def test_text_is_utf_8_or_else_latin_1(
    data: bytes, text: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "_PIECE", piece)
    assert text_of(FILE, data) == text
    assert "".join(lines_of(FILE, data)) == text


def test_lines_may_end_as_on_any_system() -> None:
    assert list(lines_of(FILE, b"a\r\nb\rc\n\nd")) == ["a\n", "b\n", "c\n", "\n", "d"]


def test_what_has_zeros_is_no_text() -> None:
    with pytest.raises(InstanceError, match="UTF-16"):
        lines_of(FILE, "a".encode("utf-16"))


def test_lines_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "_LINES", 2)
    found = document_of(FILE, b"NAME: a\nNODE_COORD_SECTION\n1 0 0\n2 0 1\n3 1 1\nEOF\n")
    lines = found.sections["NODE_COORD_SECTION"]
    assert len(lines) == 3
    found.forget_lines()
    assert not lines
    assert found.specification == {"NAME": "a"}

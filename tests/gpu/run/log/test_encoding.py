"""Lines of a log in JSON: the same text in pieces as at once."""

from __future__ import annotations

import json

import pytest

from gpu.run.log import encoding
from gpu.run.log.encoding import encoded

LINE: dict[str, object] = {
    "kind": "outcome",
    "gap": None,
    "phases_ms": {"a": 1.5},
    "name": 'Q "ü" ☃',
    "none": [],
}


@pytest.mark.parametrize("cities", [0, 1, 4, 5, 6, 10, 11])
def test_a_line_is_what_json_makes_of_it(cities: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "PIECE", 5)
    line = {**LINE, "tour": list(range(cities)), "pairs": [[1, 2]] * cities}
    assert encoded(line) == json.dumps(line)


def test_no_line_has_a_number_that_json_does_not_know() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encoded({"seconds": float("nan")})


def test_no_piece_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    encode = encoding._encode

    def note(value: object) -> str:
        sizes.append(len(value) if isinstance(value, list) else 1)
        return encode(value)

    monkeypatch.setattr(encoding, "_encode", note)
    tour = list(range(10 * encoding.PIECE + 1))
    assert json.loads(encoded({"tour": tour}))["tour"] == tour
    assert max(sizes) == encoding.PIECE

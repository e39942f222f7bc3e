from __future__ import annotations

import pytest

from views.tour.globe_layer import angle, kilometres


@pytest.mark.parametrize(
    ("degrees", "step", "text"),
    [
        (10.0, 10.0, "10° N"),
        (-10.0, 10.0, "10° S"),
        (0.0, 10.0, "0°"),
        (52.5, 0.5, "52°30′ N"),
        (-0.0125, 0.0125, "0°00′45″ S"),
    ],
)
def test_angles_are_as_exact_as_the_lines_need(degrees: float, step: float, text: str) -> None:
    assert angle(degrees, step, "N", "S").replace("\u202f", " ") == text


@pytest.mark.parametrize(
    ("length", "text"), [(500.0, "500 km"), (1.0, "1 km"), (0.5, "500 m"), (0.0005, "0.5 m")]
)
def test_short_lengths_are_metres(length: float, text: str) -> None:
    assert kilometres(length).replace("\u202f", " ") == text

from __future__ import annotations

import pytest

from views.widgets.canvas.axis import logarithmic_texts, logarithmic_ticks, tick_texts
from views.widgets.formats import THIN


def test_ticks_have_the_texts_that_people_expect() -> None:
    assert tick_texts([50000, 60000], 1, 10000) == ["50\u202f000", "60\u202f000"]
    assert tick_texts([0.1, 0.2], 1, 0.1) == ["0.1", "0.2"]
    major, minor = logarithmic_ticks(0, 2.2, 500)
    assert major[1] == [0, 1, 2]
    assert [round(10**place) for place in minor[1]] == [2, 5, 20, 50]
    assert logarithmic_texts([-1, 3], 1, 1) == ["0.1", "1\u202f000"]


@pytest.mark.parametrize("size", [40, 130, 500])
@pytest.mark.parametrize(
    ("low", "high"),
    [(2.1, 2.15), (2.38, 2.58), (1.9, 2.1), (1.62, 1.98), (-0.1, 0.15), (-3.2, -3.1), (-3, 4)],
)
def test_a_logarithmic_axis_of_any_range_has_two_ticks_or_more(
    low: float, high: float, size: float
) -> None:
    """Of one instance of 300 vertices, an axis had none: they were at 200 and 500."""
    levels = logarithmic_ticks(low, high, size)
    places = [place for _, level in levels for place in level if low <= place <= high]
    assert len(places) >= 2
    texts = logarithmic_texts(places, 1, 1)
    assert len(set(texts)) == len(texts)
    for place, text in zip(places, texts, strict=True):
        assert float(text.replace(THIN, "")) == pytest.approx(10**place)

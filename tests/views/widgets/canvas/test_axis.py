from __future__ import annotations

from views.widgets.canvas.axis import logarithmic_texts, logarithmic_ticks, tick_texts


def test_ticks_have_the_texts_that_people_expect() -> None:
    assert tick_texts([50000, 60000], 1, 10000) == ["50\u202f000", "60\u202f000"]
    assert tick_texts([0.1, 0.2], 1, 0.1) == ["0.1", "0.2"]
    major, minor = logarithmic_ticks(0, 2.2, 500)
    assert major[1] == [0, 1, 2]
    assert [round(10**place) for place in minor[1]] == [2, 5, 20, 50]
    assert logarithmic_texts([-1, 3], 1, 1) == ["0.1", "1\u202f000"]

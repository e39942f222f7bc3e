from __future__ import annotations

import math

import pytest

from views.widgets import formats


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (formats.whole(1234567), "1 234 567"),
        (formats.whole(-999.6), "-1 000"),
        (formats.compact(99.4), "99.4"),
        (formats.compact(1234), "1 234"),
        (formats.compact(123456), "123 k"),
        (formats.compact(9_990_000), "9.99 M"),
        (formats.compact(math.nan), "–"),
        (formats.significant(0.01234), "0.0123"),
        (formats.significant(1.234e-6), "1.23e-06"),
        (formats.significant(0), "0"),
        (formats.percent(None), "–"),
        (formats.percent(0.791), "0.79 %"),
        (formats.duration(5.25), "5.2 s"),
        (formats.duration(245), "4:05"),
        (formats.duration(3723), "1:02:03"),
        (formats.duration(math.inf), "–"),
        (formats.byte_size(80 * 2**30), "80.0 GiB"),
        (formats.byte_size(512), "512 B"),
        (formats.milliseconds(0.2), "0.200 ms"),
    ],
)
def test_numbers_as_people_read_them(made: str, expected: str) -> None:
    assert made.replace(formats.THIN, " ") == expected

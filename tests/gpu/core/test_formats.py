"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest

from gpu.core import formats


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
        (formats.probability(1.0), "100 %"),
        (formats.probability(0.99999), "> 99.99 %"),
        (formats.probability(0.6124), "61.24 %"),
        (formats.probability(2.9e-6), "2.9·10⁻⁴ %"),
        (formats.probability(0.0), "0.00 %"),
        (formats.quantity(1.0), "1.00"),
        (formats.quantity(1234567.0), "1.2·10⁶"),
        (formats.signed(1200), "+1 200"),
        (formats.signed(-3), "−3"),
        (formats.signed(0), "0"),
        (formats.power("3", 2.0), "3²"),
        (formats.power("3", 1.5), "3^1.5"),
        (formats.power("1.2·10⁶", 4.0), "(1.2·10⁶)⁴"),
        (formats.stop_text(0.99999), "0.9999"),
        (formats.stop_text(None), "–"),
    ],
)
def test_numbers_as_people_read_them(made: str, expected: str) -> None:
    assert made.replace(formats.THIN, " ") == expected


@pytest.mark.parametrize(
    ("q", "q0", "texts"),
    [
        (0.03, 0.9, ("0.030", "0.90")),
        (0.899951, 0.9, ("0.89995", "0.90")),
        (0.5, 0.5, ("0.500", "0.50")),
        (0.0, 1.0, ("0.000", "1.00")),
        (0.8451, 0.845, ("0.8451", "0.845")),
        (0.5, 0.9999, ("0.5000", "0.9999")),
        (0.5, 0.99999999, ("0.5000000", "0.99999999")),
        (0.9999, 0.9, ("0.9999", "0.90")),
    ],
)
def test_draws_have_as_many_digits_as_tell_them_apart(
    q: float, q0: float, texts: tuple[str, str]
) -> None:
    assert formats.apart(q, q0) == texts

from __future__ import annotations

import pytest

from views.widgets.picture_look import PictureLook


def test_a_look_is_kept_as_text() -> None:
    look = PictureLook(width=1920.0, height=1080.0, unit="px", dpi=96, theme="dark", title=False)
    assert PictureLook.from_text(look.to_text()) == look


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"dpi": 300', '"dpi": 9999999'),
        ('"width": 17.0', '"width": 1e999'),
        ('"width": 17.0', '"width": -1'),
        ('"width": 17.0', f'"width": {"9" * 400}'),
        ('"dpi": 300', f'"dpi": {"9" * 400}'),
        ('"unit": "cm"', '"unit": "mile"'),
        ('"theme": "print"', '"theme": 3'),
        ('"title": true', '"titel": true'),
        ("{", "["),
    ],
)
def test_a_text_that_is_no_look_counts_as_none(old: str, new: str) -> None:
    text = PictureLook().to_text()
    assert old in text
    assert PictureLook.from_text(text.replace(old, new, 1)) == PictureLook()


def test_sizes_in_centimetres_and_in_pixels() -> None:
    look = PictureLook(width=25.4, height=12.7, dpi=100)
    assert (look.pixels.width(), look.pixels.height()) == (1000, 500)
    assert look.in_unit("px").pixels == look.pixels
    assert look.in_unit("px").in_unit("cm") == look


def test_what_cannot_be_drawn_is_said() -> None:
    assert PictureLook().problem == ""
    assert "fewer dpi" in PictureLook(width=100, height=100, dpi=1200).problem
    assert "another size" in PictureLook(width=64, height=64, unit="px", dpi=1200).problem

"""The colours of both themes can be told from what is behind them, by WCAG 2.2."""

from __future__ import annotations

import pytest

from views.widgets.theme import DARK, LIGHT, Theme

TEXT, LARGE_OR_LINE = 4.5, 3.0  # least contrasts: criteria 1.4.3 and 1.4.11
BACKGROUNDS = "window", "panel", "field"
TYPE = "text", "muted", "accent", "good", "danger", "found"
LINES = "best", "latest", "mean", "optimum", "bound", "trail", "gap", "city", "local", "overall"
THEMES = DARK, LIGHT, DARK.presented, LIGHT.presented


def luminance(colour: str) -> float:
    """The relative luminance of WCAG."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return sum(share * one for share, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(theme: Theme, one: str, other: str) -> float:
    low, high = sorted((luminance(theme[one]), luminance(theme[other])))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=str)
def test_type_can_be_read_and_lines_can_be_seen(theme: Theme) -> None:
    for behind in BACKGROUNDS:
        for role in TYPE:
            assert contrast(theme, role, behind) >= TEXT, (role, behind)
    assert contrast(theme, "on_accent", "accent") >= TEXT
    runs, lanes = (f"run{at}" for at in range(1, 7)), (f"lane{at}" for at in range(1, 13))
    for role in (*LINES, *runs, *lanes):  # plots and maps lie on panels; large numbers, too
        assert contrast(theme, role, "panel") >= LARGE_OR_LINE, role

from __future__ import annotations

import re
from pathlib import Path

import pytest

from views.help import guide

ROOT = Path(__file__).resolve().parents[3]


def test_the_list_of_pages_has_every_guide() -> None:
    there = {f"guide/{path.name}" for path in (ROOT / "docs" / "guide").glob("*.md")}
    assert set(guide.guides()) == there
    assert guide.guides()[0] == "guide/begin.md"


def test_every_link_and_picture_of_a_guide_is_there() -> None:
    for page in guide.guides():
        place = (guide.folder() / page).parent
        for target in re.findall(r"\]\(([^)]+)\)", (guide.folder() / page).read_text("utf-8")):
            path, _, anchor = target.partition("#")
            if path.startswith("https://"):
                continue
            file = (place / path).resolve() if path else guide.folder() / page
            assert file.is_file(), (page, target)
            if anchor:
                name = file.relative_to(guide.folder().resolve()).as_posix()
                assert anchor in {one.anchor for one in guide.passages(name)}, (page, target)


def test_a_target_is_a_page_or_a_section_of_it() -> None:
    found = guide.find("watch#how-far-from-the-optimum")
    assert (found.title, found.heading) == (
        "See what the ants have learned",
        "How far from the optimum",
    )
    assert guide.find("watch").heading == found.title
    for wrong in ("watch#nowhere", "nothing", "../README", "watch#"):
        if wrong != "watch#":
            with pytest.raises(KeyError):
                guide.find(wrong)


def test_search_finds_sections_with_every_word_and_headings_first() -> None:
    found = guide.search("Trails")
    assert found[0][0].heading == "Trails"
    (lower, excerpt), *_ = guide.search("held  karp")
    assert lower.anchor == "how-far-from-the-optimum"
    assert "Held and Karp" in excerpt
    assert not set("*`[]") & set(excerpt)
    assert len(excerpt) < 160
    assert guide.search("no-such-word trails") == []
    assert guide.search("  ") == []


def test_headings_in_code_are_none() -> None:
    for page in guide.guides():
        text = (guide.folder() / page).read_text("utf-8")
        shells = re.findall(r"```.*?```", text, re.DOTALL)
        comments = {line for shell in shells for line in re.findall(r"(?m)^# (.+)$", shell)}
        assert not comments & {one.heading for one in guide.passages(page)}

"""The pages name the menus as the window has them, and with their keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from app.window.application import Application
from tests.test_readme import PAGES, ROOT


def _entries(menu: QMenu, path: str) -> Iterator[tuple[str, str]]:
    """Return every entry below ``menu`` as a page names it, with its key."""
    for action in menu.actions():
        if action.isSeparator():
            continue
        name = re.sub("^(Undo|Redo) .*", r"\1", action.text())  # what is undone stands behind it
        here = f"{path} > {name}"
        yield here, action.shortcut().toString(QKeySequence.SequenceFormat.PortableText)
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _entries(below, here)


@pytest.fixture(scope="module")
def entries(shared: Application) -> dict[str, str]:
    """All entries of the menus, and their keys."""
    found: dict[str, str] = {}
    for action in shared.window.menuBar().actions():
        menu = action.menu()
        assert isinstance(menu, QMenu)
        found |= _entries(menu, action.text().replace("&", ""))
    return found


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_menus_that_exist_and_their_keys(page: str, entries: dict[str, str]) -> None:
    text = " ".join(ROOT.joinpath(page).read_text("utf-8").split())
    for named in re.finditer(r"\b(?:File|Edit|View|Run|Help) > .{60}", text):
        known = [entry for entry in entries if named[0].startswith(entry)]
        assert known, named[0]
        entry = max(known, key=len)
        key = re.match(r"\*+ \((\S+)\)", named[0][len(entry) :])
        assert key is None or key[1].replace("Enter", "Return") == entries[entry], named[0]

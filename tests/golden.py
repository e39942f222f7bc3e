"""Texts that people read, compared with what somebody has read: the files of tests/golden-files.

``pytest --rewrite-golden`` writes them anew; ``git diff`` then shows what has become of each.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).with_name("golden-files")
OPTION = "--rewrite-golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, action="store_true", help="write the files of tests/golden-files anew")


class Golden:
    """Compares texts with those files, or writes these."""

    def __init__(self, rewrite: bool) -> None:
        self._rewrite = rewrite

    def __call__(self, name: str, text: str) -> None:
        """Compare ``text`` with NAME.txt."""
        path, text = FOLDER / f"{name}.txt", text.rstrip("\n") + "\n"
        if self._rewrite:
            path.write_text(text, "utf-8")
        assert text == path.read_text("utf-8"), f"if it is better so: pytest {OPTION}"

    def table(self, name: str, told: Callable[[str], str]) -> None:
        """Compare what is ``told`` of each input in NAME.txt with the indented lines below it.

        A new case is a new line there with its input.
        """
        lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
        inputs = [line for line in lines if line and not line.startswith(("    ", "#"))]
        assert len({*inputs}) == len(inputs)
        head = [line for line in lines if line.startswith("#")]
        rows = [
            "\n".join([one, *(f"    {line}" for line in told(one).splitlines())]) for one in inputs
        ]
        self(name, "\n".join([*head, *rows]))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(request.config.getoption(OPTION))

from __future__ import annotations

from pathlib import Path

import pytest

from gpu.core.errors import InstanceError
from gpu.study import patterns
from gpu.study.patterns import matching
from tests.systems import make_pipe


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with files in folders of it, a pipe, and a link that leads back."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("1.tsp", "2.col", ".hidden.tsp", "a/3.tsp", "a/b/4.tsp"):
        (tmp_path / name).write_text("x")
    (tmp_path / "a" / "back").symlink_to(tmp_path)
    make_pipe(tmp_path / "pipe.tsp")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.tsp", [".hidden.tsp", "1.tsp"]),
        ("[12].*", ["1.tsp", "2.col"]),
        ("*/*.tsp", ["a/3.tsp"]),
        ("a/back/?.col", ["a/back/2.col"]),
        ("**/*.tsp", [".hidden.tsp", "1.tsp", "a/3.tsp", "a/b/4.tsp"]),
        ("**/**/b/**/*.tsp", ["a/b/4.tsp"]),
        ("a/**", ["a/3.tsp", "a/b/4.tsp"]),
        ("a/../*.tsp", ["a/../.hidden.tsp", "a/../1.tsp"]),
    ],
)
def test_what_fits_a_pattern(tree: Path, pattern: str, found: list[str]) -> None:
    assert matching(tree, pattern) == [tree / name for name in found]
    assert matching(Path("elsewhere"), f"{tree}/{pattern}") == [tree / name for name in found]


def test_no_fitting_file_is_a_sentence_with_the_folder(tree: Path) -> None:
    with pytest.raises(InstanceError, match=rf"^\*.vrp: no file in {tree} fits this pattern$"):
        matching(tree, "*.vrp")
    for none in ("/nowhere/*.tsp", "\0*", f"{'a' * 5000}*", f"{tree}/1.tsp/*"):
        with pytest.raises(InstanceError, match=r"no file (in .* )?fits this pattern"):
            matching(tree, none)


def test_a_pattern_does_not_look_at_a_whole_disk(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "MOST_LOOKED_AT", 9)  # all that is below the folder
    assert len(matching(tree, "**/*.tsp")) == 4
    monkeypatch.setattr(patterns, "MOST_LOOKED_AT", 8)
    with pytest.raises(InstanceError, match="goes through more than 8 files and folders"):
        matching(tree, "**/*.tsp")
    assert len(matching(tree, "*.tsp")) == 2

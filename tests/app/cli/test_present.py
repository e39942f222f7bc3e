from __future__ import annotations

from pathlib import Path

from tests.app.conftest import Command
from tests.processes import refused


def test_a_wrong_script_and_a_missing_display_are_one_sentence(
    inside: Command, tmp_path: Path
) -> None:
    path = tmp_path / "a.toml"
    path.write_text("[[step]]\nwait = 'clik'\n")
    assert f'{path}, line 1: wait must be "click", "end"' in refused(inside("present", path))
    assert "there is no display" in refused(inside("present"))

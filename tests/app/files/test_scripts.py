from __future__ import annotations

from pathlib import Path

import pytest

from app.files.scripts import ScriptError, example, load_script
from tests.app.in_window import RING


def test_the_example_can_be_read() -> None:
    script = load_script(example())
    assert len(script.steps) > 3
    assert any(step.decision for step in script.steps)
    lines = example().read_text("utf-8").splitlines()
    assert [lines[step.line - 1] for step in script.steps] == ["[[step]]"] * len(script.steps)


def test_an_instance_beside_the_script_comes_first(tmp_path: Path) -> None:
    (tmp_path / "ring-50").write_bytes(RING.read_bytes())
    path = tmp_path / "a.toml"
    path.write_text('[[step]]\nopen = "ring-50"\n[[step]]\nopen = "grid-100"\n')
    beside, bundled = (step.open for step in load_script(path).steps)
    assert beside == tmp_path / "ring-50"
    assert bundled.name == "grid-100.tsp"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b"\xff\xfe", "line 1: it is not UTF-8"),
        (b"[[step]\n", "at line 1"),
        (b"title = 'x'\n", r"begin each of them with a line \[\[step\]\]"),
        (b"step = 3\n", "it has no steps"),
        (b"speed = 3\n", "there is no 'speed'"),
        (b"\n[[step]]\nsay = 'a'\n[[step]]\nsai = 'b'\n", "line 4: there is no 'sai' .*mean say"),
        (b"[[step]]\nrun_to = 0\n", "line 1: run_to must be a whole number from 1"),
        (b"[[step]]\nrun_to = true\n", "whole number"),
        (b"[[step]]\nwait = nan\n", "wait must be"),
        (b"[[step]]\nwait = -1\n", "wait must be"),
        (b"[[step]]\nshow = ['tour', 'moon']\n", "show must be a list"),
        (b"[[step]]\nopen = 'no-such'\n", "line 1: open: no-such: there is no such file"),
        (b"[[step]]\ncolony = 'acss'\n", "line 1: colony: there is no colony"),
        (
            b"[[step]]\ncolony = 'acs'\n",
            "colony: 'acs' is short for acs-gpu-alt, .* or acs-seq: name one of them",
        ),
        (b"[[step]]\nlimits = { hours = 3 }\n", "no stop criterion"),
        (b"[[step]]\nrun = 'start'\nrun_to = 3\n", "one too many"),
        (b"step = [{ theme = 'pink' }]\n", "step 1: theme must be one of light, dark"),
        (b"step = " + b"[" * 100_000, "it is no TOML file"),
        (b"[[step]]\nopen = '" + b"a" * 300 + b"'\n", "line 1: open: a+: there is no such file"),
        (b"[[step]]\npace = " + b"9" * 5000, "it is no TOML file: a number or a date"),
        (b"[[step]]\nwait = 2026-02-31\n", "it is no TOML file"),
        (b".".join([b"a"] * 5000) + b" = 1\n", "more than 8 parts with dots"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(ScriptError, match=said):
        load_script(path)

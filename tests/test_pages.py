"""The pages of docs/ say what was measured, how it came about, and where it differs from papers."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.processes import environment

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
MEASUREMENTS = DOCS / "measurements"
MEASURED = [
    *("crossing", "defaults", "faco", "focused", "gaps-gpu"),
    *("published-acs", "published-mmas"),
]
RULES = ("| device | cities |", "| cities or vertices |")
"""Tables that say what the program does, not what was measured."""
SCRIPTS = sorted(
    path
    for folder in (MEASUREMENTS, DOCS / "images")
    for path in folder.glob("*.py")
    if "__main__" in path.read_text("utf-8")
)
FAMILIES = ["Ant Colony Systems", "Ant Systems", "MAX-MIN Ant Systems", "Coloring colonies"]


@pytest.mark.parametrize("page", [*MEASURED, "README"])
def test_a_page_is_what_report_writes(page: str, measurements: Any) -> None:
    assert DOCS.joinpath(f"{page}.md").read_text("utf-8") == measurements("report").text_of(page)


@pytest.mark.parametrize("path", sorted(MEASUREMENTS.glob("*.json")), ids=lambda path: path.stem)
def test_every_row_says_how_it_was_made(path: Path, measurements: Any) -> None:
    measured = json.loads(path.read_text("utf-8"))
    assert measured["rows"]
    for row in measured["rows"]:
        assert row["experiment"] in measurements("experiments").EXPERIMENTS
        made = measured["made"][row["made"]]
        assert made["command"]
        assert made["device"]
        assert made["version"]
        assert "commit" in made


@pytest.mark.parametrize("page", MEASURED)
def test_every_table_names_its_command_its_device_and_its_commit(page: str) -> None:
    blocks = DOCS.joinpath(f"{page}.md").read_text("utf-8").split("\n\n")
    tables = [
        place
        for place, block in enumerate(blocks)
        if block.startswith("| ") and not block.startswith(RULES)
    ]
    assert tables
    for place in tables:
        below = blocks[place + 1]
        assert below.startswith("*Made by "), blocks[place]
        assert "commit" in below.lower()
        assert re.search(r"NVIDIA|Intel", below)


@pytest.mark.parametrize("page", MEASURED)
def test_all_figures_of_a_page_are_of_one_version(page: str) -> None:
    text = DOCS.joinpath(f"{page}.md").read_text("utf-8")
    made = [block for block in text.split("\n\n") if block.startswith("*Made by ")]
    assert len(set(re.findall(r"commit\s(\w+)", "\n".join(made)))) == 1
    assert "*Not measured yet.*" not in text


def test_only_commands_are_written_as_commands() -> None:
    texts = [path.read_text("utf-8") for path in DOCS.glob("*.md")]
    blocks = [block for text in texts for block in text.split("\n\n")]
    made = "\n".join(block for block in blocks if block.startswith("*Made by "))
    commands = re.findall(r"\bby\s`([^`]*)`", made)
    scripts = {word for one in commands for word in one.split() if word.endswith(".py")}
    modules = re.findall(r"python -m (\S+)", "\n".join(commands))
    assert all(importlib.util.find_spec(module) for module in modules)
    assert "docs/measurements/measure.py" in scripts
    assert all(DOCS.parent.joinpath(script).exists() for script in scripts)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_says_where_it_differs_from_its_paper(family: str) -> None:
    text = DOCS.joinpath("differences.md").read_text("utf-8")
    section = text.partition(f"\n## {family}\n")[2].partition("\n## ")[0]
    points = re.findall(r"^- ", section, re.MULTILINE)
    assert len(points) > 7
    assert len(re.findall(r"Sections?|[Ee]quation|Algorithm|Table|Fig\.", section)) > 5


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_each_script_says_how_it_is_used(script: Path) -> None:
    asked = [sys.executable, str(script), "--help"]
    done = subprocess.run(asked, capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: {script.name}")

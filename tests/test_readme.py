"""README, CHANGELOG and pages agree with the program."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from app.cli.commands import cli
from gpu import __version__
from gpu.catalog import CATALOG

ROOT = Path(__file__).resolve().parents[1]
_DOCS = [*sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("docs/guide/*.md"))]
PAGES = ["README.md", *(str(page.relative_to(ROOT)) for page in _DOCS)]
README = ROOT.joinpath("README.md").read_text("utf-8")


def test_readme_lists_every_colony_and_where_it_runs() -> None:
    places = {"cuda": "GPU", "cpu": "all cores", "cpu:1": "one core"}
    rows = re.findall(r"^\| `([\w`, -]+)` \| ([^|]+) \| ([^|]+) \|", README, re.MULTILINE)
    listed = []
    for cell, where, repeats in rows:
        first, *endings = cell.split("`, `")
        names = [first, *(first[: -len(ending)] + ending for ending in endings)]
        listed += [(name, where, repeats) for name in names]
    assert listed == [
        (
            system.name,
            ", ".join(places[place] for place in system.builders),
            f"same {system.problem.words.solutions}" if system.deterministic else "may differ",
        )
        for system in CATALOG
    ]


def test_readme_lists_every_view() -> None:
    from views.frame.view_table import VIEWS

    titles = {row.view.title for row in VIEWS}
    table = README.partition("| view | shows |")[2].partition("\n\n")[0]
    listed = set(re.findall(r"^\| (\w[\w ]+) \|", table, re.MULTILINE))
    assert listed == titles, "README has a table of all views"


def _examples() -> list[tuple[str, str]]:
    """Every line of a shell block that calls the program, with its page."""
    found, fenced = [], False
    for page in PAGES:
        text = ROOT.joinpath(page).read_text("utf-8").replace("\\\n", " ")
        for line in text.splitlines():
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif fenced or line.startswith("    "):
                found.append((page, line.partition(" #")[0].strip()))
    return [(page, line) for page, line in found if line.startswith("formicarium")]


@pytest.mark.parametrize(("page", "line"), _examples())
def test_pages_show_commands_that_exist(page: str, line: str) -> None:
    context = cli.make_context("formicarium", shlex.split(line)[1:])
    if arguments := [*context._protected_args, *context.args]:
        name, command, rest = cli.resolve_command(context, arguments)
        try:
            command.make_context(name, rest, parent=context)
        except click.BadParameter as error:
            if "does not exist" not in error.message:  # the files of an example are not here
                raise


def test_readme_shows_every_command() -> None:
    lines = [line for page, line in _examples() if page == "README.md"]
    shown = {(shlex.split(line)[1:] or [""])[0] for line in lines}
    commands = {name for name, command in cli.commands.items() if not command.hidden}
    assert commands - shown == set(), "README's block of commands lacks these"


@pytest.mark.parametrize("page", PAGES)
def test_pages_lead_to_files_that_exist(page: str) -> None:
    path = ROOT / page
    places = re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8"))
    assert [place for place in places if not (path.parent / place).exists()] == []


def test_changelog_knows_this_version() -> None:
    assert f"## [{__version__}]" in ROOT.joinpath("CHANGELOG.md").read_text("utf-8")


MEASURED = [
    *("colorings", "crossing", "defaults", "faco", "focused", "gaps-gpu", "gaps-cores"),
    *("published-acs", "published-mmas"),
]


@pytest.mark.parametrize("page", MEASURED)
def test_all_figures_of_a_page_are_of_one_version(page: str) -> None:
    text = ROOT.joinpath("docs", f"{page}.md").read_text("utf-8")
    made = [block for block in text.split("\n\n") if block.startswith("*Made by ")]
    assert len(set(re.findall(r"commit\s(\w+)", "\n".join(made)))) == 1
    assert "*Not measured yet.*" not in text


def test_what_is_tuned_on_is_not_what_is_reported_on(measurements: Any) -> None:
    plans = measurements("experiments").EXPERIMENTS.values()
    names = [Path(name) for plan in plans for name in plan.names]
    reported = {name.stem for name in names if name.parent.name == "report"}
    assert reported
    assert not reported & {name.stem for name in names if name.parent.name != "report"}

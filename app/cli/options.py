"""What the commands that compute share: options, the output folder, and how they exit."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from gpu.core.errors import FormicariumError, sentence_for
from gpu.core.problem import Problem
from gpu.core.stop_limits import STOP_LIMITS
from gpu.problems.reading import COORDINATES, OPEN, FileKind, ReadAs

_SAID_OF_FILE = [field.name for field in fields(ReadAs) if field.name != "kind"]


class _CostType(click.ParamType):  # type: ignore[type-arg]  # none in older versions
    """A cost as its user writes it, in the unit of the file; checked here, and counted later."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text of a finite number."""
        try:
            finite = math.isfinite(float(value))
        except ValueError:
            finite = False
        if not finite:
            self.fail(f"{value!r} is not a number.", param, ctx)
        return str(value)


COST = _CostType()

_Command = TypeVar("_Command", bound=Callable[..., Any])

colony_option = click.option(
    "--colony", help="See formicarium colonies; by default acs for tours, coloring for graphs."
)
device_option = click.option(
    "--device", default="auto", show_default=True, help="auto, cpu, cpu:1, cuda:0, ..."
)


def parameter_options(command: _Command) -> _Command:
    """Add the options of a colony's parameters; the command gets ``parameters``, by name."""

    @click.option(
        "--ants",
        help="Number of ants; each builds one solution an iteration. auto: as many as in the "
        "colony's paper.",
    )
    @click.option(
        "--local-search",
        metavar="KIND",
        help="Improve every tour: 2opt, 2opt-all, 2opt-largest, 2opt+oropt, oropt or none, "
        "where the colony can.",
    )
    @click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter to a number, or to one of its options; formicarium colonies lists "
        "them. Repeatable.",
    )
    @functools.wraps(command)
    def with_parameters(
        ants: str | None, local_search: str | None, settings: tuple[str, ...], **others: Any
    ) -> Any:
        short = {"ants": ants, "local_search": local_search}
        return command(parameters=_by_name(settings, short), **others)

    return cast(_Command, with_parameters)


def reading_options(command: _Command) -> _Command:
    """Add the options that say what a file is read as; the command gets ``read_as``."""

    @click.option(
        "--read-as",
        "kind",
        type=click.Choice([kind.value for kind in FileKind]),
        help="What FILE is, where it can be several things.",
    )
    @click.option(
        "--coordinates",
        type=click.Choice(COORDINATES),
        help="What the numbers in a table of places are, where its header does not say it: places "
        "in a plane; latitude and longitude, in decimal degrees; or these, with distances of "
        "whole kilometres as TSPLIB's GEO has them.",
    )
    @click.option(
        "--columns",
        metavar="A,B[,C]",
        help="Which columns of a table count, where its header does not say it. Of places: x and "
        "y, or latitude and longitude, then names; of edges (--read-as edges): both ends, then "
        "distances. Two or three names or numbers, the first column being 1.",
    )
    @click.option("--unit", help="What a matrix or a list of distances counts in, as in min or km.")
    @click.option("--encoding", help="Of a text file, as in utf-8 or cp1252.")
    @click.option("--separator", help='Of the columns of a table: a character, or "blank".')
    @click.option("--decimal", type=click.Choice([".", ","]), help="What stands before decimals.")
    @click.option(
        "--header",
        type=click.Choice(["yes", "no"]),
        help="Whether the first row of a table names its columns.",
    )
    @click.option("--sheet", help="Which sheet of a spreadsheet is read; by default the first.")
    @click.option(
        "--from",
        "route_from",
        metavar="CITY",
        help="Where the route begins: the name of a city, or its number in FILE.",
    )
    @click.option(
        "--to",
        "route_to",
        metavar="CITY",
        help="Where the route ends. If that is not where it begins, it does not return.",
    )
    @click.option(
        "--open",
        "route",
        flag_value=OPEN,
        help="The route does not return to its start.",
    )
    @functools.wraps(command)
    def with_reading(kind: str | None, **others: Any) -> Any:
        said = {name: others.pop(name) or "" for name in _SAID_OF_FILE}
        read_as = ReadAs(FileKind(kind) if kind else None, **said)
        return command(read_as=read_as, **others)

    return cast(_Command, with_reading)


def limit_options(command: _Command) -> _Command:
    """Add the limits of a run but for the cost; the command gets ``limits``, by name."""
    kinds = {name: limit for name, limit in STOP_LIMITS.items() if name != "target_length"}

    @functools.wraps(command)
    def with_limits(**others: Any) -> Any:
        return command(limits={name: others.pop(name) for name in kinds}, **others)

    for name, limit in reversed(kinds.items()):
        options = dict.fromkeys(limit.option.format(problem.words) for problem in Problem)
        number = int if limit.whole else float
        with_limits = click.option(*options, name, type=number, help=f"{limit.tip}.")(with_limits)
    return cast(_Command, with_limits)


def _by_name(settings: tuple[str, ...], short: Mapping[str, str | None]) -> Mapping[str, str]:
    """Return by name the parameters of ``--set``, and those that have an option of their own."""
    chosen = {name: value for name, value in short.items() if value is not None}
    for setting in settings:
        name, equals, value = setting.partition("=")
        name = name.strip()
        if not equals or not name:
            raise FormicariumError(f"--set {setting}: write it as NAME=VALUE")
        if name in chosen:
            raise FormicariumError(f"--set {setting}: {name} is given twice")
        chosen[name] = value
    return chosen


class Folder(click.Path):
    """A folder that exists or can be made; an empty name is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or refuse the empty one."""
        if not os.fspath(value):
            self.fail("name a folder; . is the current one", param, ctx)
        return super().convert(value, param, ctx)


def out_option(text: str, default: Path | None = None) -> Callable[[_Command], _Command]:
    """Return the option for the output folder."""
    kind = Folder(file_okay=False, path_type=Path)
    shown = default is not None
    return click.option("--out", type=kind, default=default, show_default=shown, help=text)


def json_option(text: str) -> Callable[[_Command], _Command]:
    """Return the option ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help=text)


def make_folder(out: Path | None) -> None:
    """Make the output folder; raise FormicariumError if nothing can be written there."""
    if out is None:
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        error.filename = None
        raise FormicariumError(f"{out}: cannot be made ({sentence_for(error)})") from error
    if not os.access(out, os.W_OK):  # else all work would be done before that is found out
        raise FormicariumError(f"{out}: you may not write into this folder; name another one")

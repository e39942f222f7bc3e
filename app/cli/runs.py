"""The command that lists the recorded runs: runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.options import json_option
from app.cli.terminal import one_line, say, table
from gpu.core.errors import FormicariumError
from gpu.core.files import exists
from gpu.core.tables import Column
from gpu.core.words import shown

if TYPE_CHECKING:
    from gpu.run.log.rows import RunRow


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option(
    "--folder",
    "folders",
    type=click.Path(file_okay=False, path_type=Path),
    multiple=True,
    help="A folder of logs, by default that of the window. Repeatable.",
)
@click.option(
    "--study",
    "studies",
    type=click.Path(path_type=Path),
    multiple=True,
    help="The results of a study (.sqlite), whose runs are listed instead. Repeatable.",
)
@json_option("Print a JSON array.")
def runs(
    words: tuple[str, ...], folders: tuple[Path, ...], studies: tuple[Path, ...], as_json: bool
) -> None:
    """List the recorded runs, the latest first; with WORDs, those that have all of them.

    A word may be anywhere: in the instance, the colony, the state, a parameter with its value, or
    in the name and the note that were written in the window. A number behind a parameter's name, or
    behind seed, is its value: beta 4. The word starred is in those with a star.
    """
    from gpu.run.log.archive import Archive, ArchiveRows
    from gpu.run.log.names import default_log_folder
    from gpu.run.log.rows import RunRow
    from gpu.studies.study_runs import summaries

    for folder in folders:
        if not (exists(folder) and folder.is_dir()):
            raise FormicariumError(f"{folder}: there is no such folder")
    if studies:
        ended = (row for study in studies for row in summaries(study) if row.members is None)
        found = ArchiveRows([RunRow(row) for row in ended], "")
        folders = folders or studies
    else:
        found = Archive(folders or (default_log_folder(),)).read()
    if found.wrong:
        say(one_line(found.wrong))
    rows = [row for row in found.rows if row.matches(" ".join(words))]
    if as_json:
        click.echo(json.dumps([_values(row) for row in rows], indent=2))
    elif rows:
        click.echo(shown(table(_columns(), rows)))
    else:
        where = ", ".join(map(str, folders or (default_log_folder(),)))
        what = "no run has all these words" if found.rows else "no run is recorded here"
        elsewhere = "" if folders else "; --folder DIR lists those of formicarium solve --out DIR"
        say(f"{where}: {what}{elsewhere}")


def _columns() -> Sequence[Column[RunRow]]:
    return (
        Column("STARTED", lambda row: row.run.started, "{:%Y-%m-%d %H:%M}".format),
        Column("INSTANCE", lambda row: row.run.instance),
        Column("COLONY", lambda row: row.run.colony),
        Column("DEVICE", lambda row: row.run.device),
        Column("SEED", lambda row: row.run.seed),
        Column("BEST", _best),
        Column("GAP", lambda row: row.run.gap_percent, "{:.2f} %".format),
        Column("SECONDS", lambda row: row.run.seconds, "{:.2f}".format),
        Column("STATE", lambda row: "proved" if row.run.proved else row.run.state),
        Column("NAME", lambda row: "★ " * row.note.starred + one_line(row.note.name)),
        Column("LOG", lambda row: row.run.path.name),
    )


def _best(row: RunRow) -> str | None:
    return None if row.run.best is None else row.run.cost_unit.amount(row.run.best, "")


def _values(row: RunRow) -> dict[str, object]:
    """Return one run, ready for JSON; what is unknown is None."""
    run, note = row.run, row.note
    words = None if run.problem is None else run.problem.words
    return {
        "log": str(run.path),
        "name": note.name,
        "note": note.note,
        "starred": note.starred,
        "state": run.state,
        "reason": run.reason,
        "started": None if run.started is None else run.started.isoformat(),
        "problem": None if run.problem is None else run.problem.value,
        "instance": run.instance or None,
        "n": run.n,
        "colony": run.colony or None,
        "device": run.device or None,
        "seed": run.seed,
        "parameters": dict(run.parameters),
        "iterations": run.iterations,
        f"{words.solutions if words else 'solutions'}_built": run.solutions,
        "seconds": run.seconds,
        f"best_{words.cost if words else 'cost'}": run.best_value,
        "unit": run.unit or None,
        "gap_percent": run.gap_percent,
        "proved": run.proved,
        "version": run.version or None,
    }

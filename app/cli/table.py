"""The command that shows a study's results as a table: table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option
from app.cli.terminal import say, table
from gpu.core.errors import FormicariumError
from gpu.core.tables import Column, csv_of
from gpu.core.words import shown

_VALUES = "gap", "result", "seconds", "found", "iterations", "solutions"
_STATISTICS = "mean", "median", "least", "most", "deviation", "runs"


@click.command("table")
@click.argument("results", metavar="RESULTS.sqlite", type=click.Path(path_type=Path))
@click.option("--rows", "rows_by", default="configuration", show_default=True, metavar="FIELD")
@click.option("--columns", "columns_by", default="instance", show_default=True, metavar="FIELD")
@click.option("--value", type=click.Choice(_VALUES), default="gap", show_default=True)
@click.option("--statistic", type=click.Choice(_STATISTICS), default="mean", show_default=True)
@click.option("--importance", is_flag=True, help="Show which parameters matter most instead.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the table as CSV.")
@json_option("Print a JSON array.")
def table_command(
    results: Path,
    rows_by: str,
    columns_by: str,
    value: str,
    statistic: str,
    importance: bool,
    as_csv: bool,
    as_json: bool,
) -> int:
    """Print a pivot table of a study's runs: a statistic for each row and column.

    A FIELD is instance, configuration, colony, device or seed, a parameter that has several values,
    or all. With --importance, each parameter's share of the variance of the gaps is printed, by an
    analysis of variance.
    """
    from gpu.studies.results.analysis import analyse
    from gpu.studies.results.importance import IMPORTANCE_COLUMNS, importances
    from gpu.studies.results.pivot import fields_of, pivot, runs_of
    from gpu.studies.store import read_results

    runs = runs_of(analyse(read_results(results)))
    if importance:
        found = importances(runs)
        _print(IMPORTANCE_COLUMNS, found, as_csv, as_json)
        if not found:
            say(f"{results}: no colony has runs with several values of a parameter")
        return 0
    fields = fields_of(runs)
    for name in (rows_by, columns_by):
        if name not in fields:
            raise FormicariumError(
                f"{name}: there is no such field; these runs have {', '.join(fields)}"
            )
    made = pivot(runs, fields, rows_by, columns_by, value, statistic)
    _print(made.columns, made.rows, as_csv, as_json)
    return 0


def _print(columns: Sequence[Column[Any]], rows: Sequence[Any], csv: bool, as_json: bool) -> None:
    if as_json:
        objects: list[Mapping[str, Any]] = [
            {column.title: column.value(row) for column in columns} for row in rows
        ]
        click.echo(json.dumps(objects, indent=2))
    elif csv:
        click.echo(csv_of(columns, rows), nl=False)
    elif rows:
        click.echo(shown(table(columns, rows, "-")))

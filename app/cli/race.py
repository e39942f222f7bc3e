"""The command that runs a race: two to twelve colonies, one instance, one budget."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.options import json_option, make_folder, out_option
from app.cli.terminal import beside_known, one_line, say, show_progress, succeeds, table
from gpu.core.tables import Column

if TYPE_CHECKING:
    from gpu.core.instance import Instance
    from gpu.races.race import Race
    from gpu.races.race_standings import LaneRecord, LaneStanding, RaceStandings
    from gpu.run.session import Session


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@out_option("Folder for each lane's log (.jsonl), and for the race with its results (.race.json).")
@json_option("Print the results as one JSON object.")
def race(file: Path, out: Path | None, as_json: bool) -> int:
    """Run the race of FILE (a .race.json that the window has saved) again, with no display.

    Each lane is a colony with its own device, parameters and seed; all have the same instance and
    the same budget. Lanes run at the same time or one after the other, as the file says.
    """
    from app.cli import headless
    from app.files.library import find_again
    from gpu.core.machine import devices
    from gpu.races.race import RunningRace, sharing_text
    from gpu.races.race_file import read_race
    from gpu.races.race_standings import standings_of
    from gpu.run.log.names import free_path, stem
    from gpu.run.log.recorder import Recorder

    recorded = read_race(file)
    plan = recorded.race
    instance = find_again(plan.instance, beside=file)

    def recorder_for(session: Session) -> Recorder:
        assert out is not None
        return Recorder(free_path(out, stem(session), ".jsonl"), session, instance, say)

    running = RunningRace(instance, plan, None if out is None else recorder_for)
    make_folder(out)  # the last that can be refused
    names = [session.device for session in plan.sessions]
    if not plan.in_turn and (shared := sharing_text(names, devices.find("cpu").cores)):
        say(shared)
    departure = headless.attend(
        running.work, running.cancel, lambda: show_progress(_progress(running.now(), instance))
    )
    records = running.now()
    found = standings_of(records, instance)
    written = out is None or _export(out, plan, records, instance)
    if as_json:
        click.echo(json.dumps(_as_dict(plan, records, instance, found)))
    else:
        click.echo(_text(plan, records, instance, found))
    failed = [one for one in records if one.ending == "failed"]
    for one in failed:
        say(one_line(one.reason))
    nothing = any(one.cost is None for one in records)
    status = departure.status or int(bool(failed) or nothing or not written)
    departure.leave(status)
    return status


def _progress(records: Sequence[LaneRecord], instance: Instance) -> str:
    """Return how far the lanes are, in one line."""
    parts, unit = [], instance.cost_unit
    for number, record in enumerate(records, 1):
        if not record.spent:
            parts.append(f"{number}: –" if record.ending is None else f"{number}: ended")
            continue
        gap = None if record.cost is None else instance.gap_percent(record.cost)
        best = (
            ""
            if record.cost is None
            else f" {unit.text(record.cost, '')}"
            if gap is None
            else f" {gap:.2f} %"
        )
        if record.proved:
            best = f" {unit.text(record.cost or 0, '')} proved"
        parts.append(f"{number}: {record.spent:.1f} s{best}")
    return "   ".join(parts)


def _export(out: Path, plan: Race, records: Sequence[LaneRecord], instance: Instance) -> bool:
    """Write the race with its results; return whether that was possible."""
    from app.files.exports import export_race
    from gpu.races.race_file import RACE_FILE_ENDING
    from gpu.run.log.names import free_path, named

    path = free_path(out, named(instance.name), RACE_FILE_ENDING)
    return succeeds(lambda: export_race(path, plan, records, instance))


def _as_dict(
    plan: Race, records: Sequence[LaneRecord], instance: Instance, found: RaceStandings
) -> dict[str, object]:
    words, equal = instance.problem.words, found.equal_cost

    def value(cost: int | None) -> int | float | None:
        return None if cost is None else instance.cost_unit.value(cost)

    lanes: list[dict[str, object]] = []
    for session, record, standing in zip(plan.sessions, records, found.lanes, strict=True):
        solution = record.solution
        lanes.append(
            {
                "colony": session.colony,
                "device": session.device,
                "seed": session.seed,
                "parameters": session.parameters.to_dict(),
                "iterations": record.iterations,
                f"{words.solutions}_built": record.solutions,
                "seconds": round(record.spent, 6),
                f"best_{words.cost}": value(record.cost),
                "best_cost": record.cost,
                "gap_percent": standing.gap_percent,
                "proved": standing.proved,
                "seconds_to_equal": standing.equal_seconds,
                "times_as_fast_to_equal": standing.equal_ratio,
                f"seconds_per_{words.solution}": standing.solution_seconds,
                f"speedup_per_{words.solution}": standing.speedup,
                "ending": record.ending,
                "reason": record.reason,
                "log": record.log,
                words.written: None if solution is None else instance.written(solution),
            }
        )
    return {
        "instance": instance.name,
        "n": instance.real_n,
        "unit": instance.unit or None,
        "decimals": instance.decimals,
        "optimum": value(instance.optimum),
        "lower_bound": None if found.bound is None else value(found.bound.cost),
        "lower_bound_by": None if found.bound is None else found.bound.why,
        "budget": {plan.budget.kind: plan.budget.amount},
        "in_turn": plan.in_turn,
        f"equal_{words.cost}": value(equal),
        "equal_gap_percent": None if equal is None else instance.gap_percent(equal),
        "lanes": lanes,
    }


def _text(
    plan: Race, records: Sequence[LaneRecord], instance: Instance, found: RaceStandings
) -> str:
    """Return the results for people."""
    from gpu.core.bounds import KnownCosts
    from gpu.core.words import counted

    words, budget, equal = instance.problem.words, plan.budget, found.equal_cost
    known = KnownCosts(instance.optimum, found.bound)

    def gap(row: tuple[int, Session, LaneRecord, LaneStanding]) -> str | None:
        above = None if row[3].cost is None else known.gap_percent(row[3].cost)
        return "proved" if row[3].proved else None if above is None else _number(above)

    amount = f"{budget.amount:g} s"
    if budget.kind != "seconds":
        noun = words.solution if budget.kind == "solutions" else "iteration"
        amount = counted(int(budget.amount), noun)
    how = "one after the other" if plan.in_turn else "at the same time"
    lines = [f"{instance.name}, {instance.size}: {amount} for each lane, {how}"]
    columns: Sequence[Column[tuple[int, Session, LaneRecord, LaneStanding]]] = (
        Column("LANE", lambda row: row[0]),
        Column("COLONY", lambda row: row[1].colony),
        Column("DEVICE", lambda row: row[1].device),
        Column("SEED", lambda row: row[1].seed),
        Column("BEST", lambda row: row[3].cost, lambda cost: instance.cost_unit.text(cost, "")),
        Column("TO BOUND %" if known.by_bound else "GAP %", gap),
        Column("ITERATIONS", lambda row: row[2].iterations),
        Column("SECONDS", lambda row: row[2].spent, "{:.2f}".format),
        Column("s TO EQUAL", lambda row: row[3].equal_seconds, _number),
        Column("× LANE 1", lambda row: row[3].equal_ratio, _number),
        Column(
            f"µs/{words.solution.upper()}",
            lambda row: row[3].solution_seconds,
            lambda seconds: _number(1e6 * seconds),
        ),
        Column("× SLOWEST", lambda row: row[3].speedup, _number),
    )
    lanes = zip(itertools.count(1), plan.sessions, records, found.lanes)
    lines.append(table(columns, lanes, unknown="–"))
    if (bound := found.bound) is not None:
        least = instance.cost_unit.amount(bound.cost, "")
        lines.append(f"no {words.solution} {words.none_below.format(least)} ({bound.why})")
    if equal is not None:
        beside = beside_known(instance.gap_percent(equal), words)
        lines.append(
            f"equal: all lanes have reached {instance.cost_unit.amount(equal, '')}{beside}"
        )
    lines += [
        f"lane {number}: {one_line(record.reason) if record.ending else 'was not run'}"
        for number, record in enumerate(records, 1)
        if record.ending != "failed"  # why it failed is an error, which standard error has
    ]
    return "\n".join(lines)


def _number(value: float) -> str:
    """Return two decimals, or where they would say little two digits that count."""
    return f"{value:.2g}" if 0 < value < 0.1 else f"{value:.2f}"

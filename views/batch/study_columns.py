"""The columns of what a study has found: of its configurations, and of its runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gpu.core.formats import duration, percent, whole
from gpu.core.tables import Column
from gpu.studies.results.pivot import StudyRun

if TYPE_CHECKING:
    from gpu.studies.results.analysis import ResultRow

MARKS_TIP = (
    "Bold: significantly better than every other configuration on the instance. + or −: "
    "significantly better or worse than the configuration with the lowest mean. ≈: no significant "
    "difference from it. The level is 0.05 after Holm's correction. †: some of the runs were added "
    "after the study had begun"
)


def _runs(row: ResultRow) -> str:
    done = row.summary.done
    every = done + row.summary.lost + row.summary.waiting
    return str(done) if done == every else f"{done} of {every}"


def _runs_tip(row: ResultRow) -> str:
    lost, added = row.summary.lost, row.summary.added
    tips = [f"{lost} failed"] if lost else []
    return "; ".join([*tips, *([f"{added} were added after the study had begun"] * bool(added))])


def _mark(row: ResultRow) -> str:
    mark = "best" if row.best else "lowest mean" if row.lowest else row.mark
    return f"{mark} †".strip() if row.summary.added else mark.strip()


def _mark_tip(row: ResultRow) -> str:
    tested = _tested(row)
    return f"{tested}. {MARKS_TIP}" if tested else MARKS_TIP


def _bold(row: ResultRow) -> str:
    return "bold" if row.best else ""


def _costs(
    title: str, name: str, mark: Callable[[ResultRow], str] = lambda _: ""
) -> Column[ResultRow]:
    """Return the column of a cost in the summary, in the unit of its instance."""

    def text(row: ResultRow) -> str | None:
        value: int | float | None = getattr(row.summary, name)
        unit = row.sample.cost_unit
        if value is None:
            return None
        if isinstance(value, int) or (unit.whole and abs(value) >= 1e5):
            return unit.text(value)
        return unit.mean(value)

    def about(row: ResultRow) -> str:
        return f"in {unit}" if (unit := row.sample.cost_unit.name) else ""

    def order(row: ResultRow) -> float | None:
        value = getattr(row.summary, name)
        return None if value is None else row.sample.cost_unit.scaled(float(value))

    return Column(title, text, tip=about, number=True, mark=mark, order=order)


def _tested(row: ResultRow) -> str:
    """Say what the rank-sum test and the size of the effect are, or why there is no test."""
    part = row.tested
    if part is None:
        return row.untested
    if part.test.equal:
        return f"compared with {part.against}: {part.test.method}"
    size, low, high = (
        f"{100 * value:.0f} %"
        for value in (part.effect.a12, part.effect.interval.low, part.effect.interval.high)
    )
    return (
        f"compared with {part.against}: rank-sum test p = {part.test.p:.3g}, by Holm "
        f"{part.corrected_p:.3g}; better in {size} of the pairs of runs (A12; {low} to {high}), "
        f"effect {part.effect.size}"
    )


RESULT_COLUMNS: Sequence[Column[ResultRow]] = (
    Column(
        "Instance",
        lambda row: row.sample.instance,
        tip=lambda row: f"{whole(row.sample.n)} cities or vertices",
    ),
    Column(
        "Configuration", lambda row: row.sample.label, tip=lambda row: row.sample.label, mark=_bold
    ),
    Column("Runs", _runs, tip=_runs_tip, number=True, order=lambda row: row.summary.done),
    _costs("Mean", "mean", mark=_bold),
    _costs("Median", "median"),
    _costs("Best", "best"),
    _costs("Deviation", "deviation"),
    Column("Gap", lambda row: row.summary.mean_gap, percent, number=True, mark=_bold),
    Column("Mark", _mark, tip=_mark_tip),
)


def _state(run: StudyRun) -> str:
    return {"failed": "danger", "running": "good"}.get(run.row.state, "")


RUN_COLUMNS: Sequence[Column[StudyRun]] = (
    Column("Instance", lambda run: run.row.instance),
    Column("Configuration", lambda run: run.sample.label, tip=lambda run: run.sample.label),
    Column("Seed", lambda run: run.row.seed, number=True),
    Column(
        "Best",
        lambda run: None if run.row.best is None else run.row.cost_unit.text(run.row.best),
        tip=lambda run: f"in {unit}" if (unit := run.row.cost_unit.name) else "",
        number=True,
        order=lambda run: run.best,
    ),
    Column("Gap", lambda run: run.gap, percent, number=True),
    Column("Time", lambda run: run.row.seconds if run.ended else None, duration, number=True),
    Column(
        "Found after",
        lambda run: run.found_after,
        duration,
        number=True,
        about="Until the best solution was found",
    ),
    Column("Iterations", lambda run: run.row.iterations if run.ended else None, whole, number=True),
    Column("State", lambda run: run.row.state, tip=lambda run: run.row.error, mark=_state),
)

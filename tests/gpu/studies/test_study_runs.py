"""The runs of a study in a list of runs, and as logs that are opened and repeated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.files.study_runs import write_case_log
from gpu.core.errors import FormicariumError
from gpu.problems.loading import load_instance
from gpu.run.log.recorded import comparison, recorded_of, repeated
from gpu.run.log.rows import RunRow
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Result
from gpu.run.run import Run
from gpu.studies.cases import DONE, CaseRow
from gpu.studies.store import StoreError, write_slim
from gpu.studies.study_runs import StudyArchive, curves_of, place_of, study_of, summaries
from tests.gpu.studies.toy_studies import folder_with, studied, toy_family


@pytest.fixture(scope="module", autouse=True)
def toys() -> Iterator[None]:
    """The toy family, in the catalog."""
    with toy_family():
        yield


@pytest.fixture(scope="module")
def rows(toys: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[CaseRow, ...]]:
    """The file of a study of twelve runs, and its rows."""
    folder = folder_with(tmp_path_factory.mktemp("study"))
    return folder / "a.sqlite", studied(folder)


def test_a_study_is_a_row_with_a_row_for_each_run(
    rows: tuple[Path, tuple[CaseRow, ...]], tmp_path: Path
) -> None:
    file, cases = rows
    whole, *runs = summaries(file)
    assert (whole.study, whole.members, whole.state) == ("Toys", 12, "12 of 12 runs")
    assert [(one.instance, one.seed, one.best) for one in runs] == [
        (one.instance, one.seed, one.best) for one in cases
    ]
    assert {one.study for one in runs} == {"Toys"}
    assert RunRow(runs[0]).matches("toys seed 1 ants 2")
    same = [one for one in runs if one.alike == runs[0].alike]
    assert {one.seed for one in same} == {1, 2, 3}
    assert {(one.instance, one.changed) for one in same} == {(runs[0].instance, runs[0].changed)}
    archive = StudyArchive()
    found, wrong = archive.read([file, tmp_path / "gone.sqlite", file])
    assert (found, wrong) == ([whole, *runs], "")
    (broken := tmp_path / "broken.sqlite").write_text("no database", "utf-8")
    assert archive.read([broken]) == ([], f"{broken}: it is not the file of a study")


def test_each_run_becomes_a_log_that_gives_the_same_tour_again(
    rows: tuple[Path, tuple[CaseRow, ...]], tmp_path: Path
) -> None:
    file, cases = rows
    for case in (cases[0], cases[-1]):
        place = place_of(file, case.key)
        assert study_of(place) == file
        log = read_log(write_case_log(place, tmp_path))
        assert log.path.stem.endswith(case.key)
        instance = load_instance(Path(log.session.instance.path))
        found = recorded_of(log, instance)
        assert found.warning == ""
        assert found.state is not None
        assert found.state.best_solution is not None
        assert (found.state.cost, found.state.iteration) == (case.best, case.iterations)
        session = repeated(log)
        run = Run(instance, session)
        same, sentence = comparison(log, Result.of(instance, session, run.finish()))
        assert same
        assert sentence.startswith("the same tour as recorded")
        curve = curves_of(place)
        assert curve.best.costs[-1] == case.best
        assert curve.best.iterations[-1] == case.iterations


def test_what_is_not_kept_is_said(rows: tuple[Path, tuple[CaseRow, ...]], tmp_path: Path) -> None:
    """Results that come with the program have neither curves nor solutions, nor instances."""
    file, cases = rows
    write_slim(file, slim := tmp_path / "slim.sqlite")
    case = next(one for one in cases if one.state == DONE)
    place = place_of(slim, case.key)
    with pytest.raises(FormicariumError, match="instance is not there"):
        write_case_log(place, tmp_path)
    folder_with(tmp_path)
    log = read_log(write_case_log(place, tmp_path))
    state = recorded_of(log, load_instance(tmp_path / f"{case.instance}.tsp")).state
    assert state is not None
    assert (state.cost, state.best_solution) == (case.best, None)
    with pytest.raises(StoreError, match="keeps no curve of toy, ants 2 on five, seed 1"):
        curves_of(place)
    with pytest.raises(StoreError, match=r"it has no run 0{32}"):
        curves_of(place_of(file, "0" * 32))
    assert study_of(tmp_path / "run.jsonl") is None

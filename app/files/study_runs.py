"""Runs of studies as files: a log for each, which can be opened and repeated as any other."""

from __future__ import annotations

from pathlib import Path

from app.files.library import find_again
from app.files.writing import write_whole
from gpu.run.log.names import stem
from gpu.run.log.recorder import encoded
from gpu.studies.study_runs import case_log


def write_case_log(place: Path, folder: Path) -> Path:
    """Write the log of a run of a study into ``folder``, and return its path.

    ``place`` is that of :func:`gpu.studies.study_runs.place_of`. The name of the log ends in the
    run's key.

    FormicariumError if the study has no such run, its instance is not there, or the log cannot be
    written.
    """
    log = case_log(place, find_again)
    path = folder / f"{stem(log.session)}-{place.name}.jsonl"
    text = "".join(f"{encoded(line)}\n" for line in log.lines)
    write_whole(path, lambda part: part.write_text(text, "utf-8"))
    return path

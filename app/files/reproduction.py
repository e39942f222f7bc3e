"""Tables and figures of papers: what of them can be run here, and the page of their results."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from app.files.downloads import downloadable
from app.files.library import files_of, kept_files
from gpu.core.errors import InstanceError
from gpu.core.files import exists
from gpu.papers.coverage import kept_coverage
from gpu.papers.items import WHOLE_STUDY, Item, Readiness, Trial, limited_seconds


def find_in(folder: Path | None, text: str) -> Path:
    """Return the file of the instance ``text``: one in ``folder``, or a kept one.

    InstanceError if there is none; it names the command that fetches it, where there is one.
    """
    for name in files_of(text) if folder is not None else ():
        if folder is not None and exists(folder / name):
            return folder / name
    if kept := kept_files(text):
        return kept[0]
    if text in downloadable():
        raise InstanceError(f"it is not here: formicarium download {text}")
    raise InstanceError("it is not here: put its file into a folder, and name that by --instances")


def results_name(item: Item, trial: Trial = WHOLE_STUDY) -> str:
    """Return the name of the results without its ending; a trial has another one."""
    return "-".join(filter(None, (item.path.stem, trial.suffix)))


def row_of(item: Item, ready: Readiness) -> dict[str, object]:
    """Return what the list says of an item, ready for JSON."""
    return {
        "name": item.name,
        "paper": item.paper,
        "item": item.item,
        "shows": item.shows,
        "runs": "yes" if ready.whole else _part(ready),
        "why": "" if ready.whole else why_not(item, ready),
        "seconds_at_most": limited_seconds(item.design),
        "hours_in_paper": item.hours,
        "hours_on_h100": item.h100_hours,
        "kept": _kept(item),
    }


def _kept(item: Item) -> dict[str, object] | None:
    """Return how many runs of an item come with the program, and of which commits."""
    found = kept_coverage(item)
    if found.missing == found.planned:
        return None
    return {**found.counts, "commits": list(found.commits)}


def _part(ready: Readiness) -> str:
    return "no" if ready.design is None else "in part"


def why_not(item: Item, ready: Readiness) -> str:
    """Say what is left out, and why; each reason once."""
    lacking = what_lacks(item, ready)
    said = [f"needs a GPU: {', '.join(lacking.colonies)}"] if lacking.colonies else []
    if lacking.published:
        said.append(f"to fetch: formicarium download {' '.join(lacking.published)}")
    if lacking.others:
        others = ", ".join(lacking.others)
        said.append(f"{others}: put them into a folder, and name it by --instances")
    return "; ".join(said)


class Lacking(NamedTuple):
    """What an item needs that is not here."""

    colonies: tuple[str, ...]  # that need a GPU
    published: tuple[str, ...]  # instances that can be downloaded
    others: tuple[str, ...]  # other instances


def what_lacks(item: Item, ready: Readiness) -> Lacking:
    """Return what is left out of ``item``; each name once."""
    unable = dict.fromkeys(
        one.colony or one.aim for one in item.design.colonies if one.label in ready.colonies
    )
    known = downloadable()
    published = tuple(name for name in ready.instances if name in known)
    others = tuple(name for name in ready.instances if name not in known)
    return Lacking(tuple(unable), published, others)

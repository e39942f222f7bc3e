"""What the command reproduce does with ``--outcomes``: pages that are kept, paper by paper."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from app.cli.options import make_folder
from app.cli.terminal import say, show_progress
from gpu.core.words import counted

RESULTS = "results"  # the folder of results, beside the pages


def write_outcomes(folder: Path, kept: Path | None) -> None:
    """Write a page for each paper, and one that lists them, to ``folder``.

    They are made from the files in its folder :data:`RESULTS`; those of the folder ``kept``, if
    there is one, are taken over first, without curves and solutions.
    """
    from app.files.exports import write_text, write_whole
    from app.report.outcome import Outcome, index_page, paper_page
    from gpu.batch.analysis import analyse
    from gpu.batch.papers import items
    from gpu.batch.reading import read_results
    from gpu.batch.slim import write_slim

    results = folder / RESULTS
    make_folder(results)
    papers: dict[str, list[Outcome]] = {}
    taken = 0
    for item in items():
        name = f"{item.path.stem}.sqlite"
        show_progress(item.name)
        if kept is not None and (kept / name).is_file():
            write_whole(results / name, partial(write_slim, kept / name))
            taken += 1
        analysis = None
        if (results / name).is_file():
            found = read_results(results / name)
            labels = {row.label for row in found.rows}
            analysis = analyse(found, item.baseline if item.baseline in labels else "")
        page = f"{item.name.partition('/')[0]}.md"
        papers.setdefault(page, []).append(Outcome(item, analysis, f"{RESULTS}/{name}"))
    show_progress("")
    texts = {page: paper_page(several) for page, several in papers.items()}
    texts["README.md"] = index_page(papers)
    for page, text in texts.items():
        write_text(folder / page, text)
    if kept is not None:
        say(f"taken over: {counted(taken, 'file')} of results to {results}")
    say(f"written: {counted(len(texts), 'page')} in {folder}")

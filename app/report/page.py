"""The report of a study as one HTML page that refers to nothing outside itself."""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from xml.etree.ElementTree import Element

from app.report import words
from app.report.html import document, download, element
from app.report.paper import paper_parts
from app.report.plot import PlotLook, PrintPlot, figure
from app.report.plots import all_plots
from app.report.tables import (
    comparisons_table,
    design_table,
    failures_table,
    hosts_table,
    results_table,
    runs_csv,
    seeds_table,
    summary_csv,
)
from gpu import __version__
from gpu.papers.items import Item
from gpu.studies.results.analysis import Analysis
from gpu.studies.results.statistics import Friedman

NOTHING_ABSENT: Mapping[str, str] = MappingProxyType({})

Progress = Callable[[float, str], object]
"""Is called with the share that is done, in [0, 1], and what is being done; may raise to stop."""


def page(
    analysis: Analysis,
    look: PlotLook,
    progress: Progress = lambda share, text: None,
    item: Item | None = None,
    absent: Mapping[str, str] = NOTHING_ABSENT,
) -> str:
    """Return the report. It needs no window: any thread may call this.

    If the study reproduces the ``item`` of a paper, the report begins with a comparison; ``absent``
    says why instances and configurations, by name, could not be run.
    """
    style = importlib.resources.files("resources").joinpath("report/page.css").read_text("utf-8")
    plots = all_plots(analysis)
    figures: dict[str, list[tuple[PrintPlot, Element]]] = {}
    told: set[str] = set()  # what a kind of plot shows is said once
    for at, plot in enumerate(plots):
        progress(at / len(plots), plot.title)
        figures.setdefault(plot.instance, []).append((plot, figure(plot, look, told)))
    body = [
        *_beginning(analysis, item),
        *(paper_parts(item, analysis, look, absent) if item else ()),
        *_results(analysis),
        *_over_instances(analysis, [figure for _, figure in figures.get("", ())]),
    ]
    if analysis.instances:
        body.append(element("h2", "Each instance", id="instances"))
    for name in analysis.instances:
        body += [element("h3", name), *_folded(figures.get(name, ()))]
    body += _ending(analysis)
    progress(1.0, "the page is ready")
    return document(analysis.results.title or "Study", style, body, look.theme.name)


def _beginning(analysis: Analysis, item: Item | None) -> Iterator[Element]:
    results = analysis.results
    yield element("h1", results.title or "Study")
    begun = results.created[:16].replace("T", " ") + " UTC"  # without seconds and time zone
    yield element("p", f"A study begun on {begun}. Report by Formicarium {__version__}.")
    links = (
        *((("paper", "Against the paper"),) if item else ()),
        ("results", "Results"),
        ("tests", "Tests"),
        ("overall", "Over all instances"),
        ("instances", "Each instance"),
        ("design", "Design and machines"),
    )
    yield element("nav", *(element("a", text, href=f"#{name}") for name, text in links))
    yield element("ul", *(element("li", text) for text in words.planned(analysis)))
    yield element("p", f"Each run ends {words.limits(results.budget)}.")


def _results(analysis: Analysis) -> Iterator[Element]:
    yield element("h2", "Results", id="results")
    if not analysis.samples:
        yield element("p", "The study has no run.")
        return
    yield results_table(analysis)
    yield element("ul", *(element("li", text) for text in words.marks(analysis)))
    yield element("p", " ".join(words.references(analysis)))
    yield element(
        "p",
        download("results.csv", summary_csv(analysis), "This table as CSV"),
        ", ",
        download("runs.csv", runs_csv(analysis), "every run as CSV"),
    )
    yield element("h2", "Tests", id="tests")
    for text in (words.ABOUT_RANK_SUM, words.ABOUT_HOLM, words.A12, words.ABOUT_INTERVALS):
        yield element("p", text)
    yield comparisons_table(analysis)


def _over_instances(analysis: Analysis, figures: Sequence[Element]) -> Iterator[Element]:
    if not analysis.samples:
        return
    yield element("h2", "Over all instances", id="overall")
    yield element("p", words.ABOUT_FRIEDMAN)
    yield element("ul", *(element("li", text) for text in words.over_instances(analysis)))
    yield from figures
    if any(isinstance(test, Friedman) for test in analysis.comparisons.by_seed.values()):
        yield element("p", words.BY_SEED)
        yield seeds_table(analysis)


def _ending(analysis: Analysis) -> Iterator[Element]:
    failures = failures_table(analysis)
    if failures is not None:
        yield element("h2", "Runs that failed", id="failed")
        yield failures
    yield element("h2", "Design and machines", id="design")
    yield design_table(analysis)
    if analysis.results.hosts:
        yield element("p", "The runs took place here:")
        yield hosts_table(analysis)


def _folded(figures: Sequence[tuple[PrintPlot, Element]]) -> Iterator[Element]:
    """Return figures, the less wanted ones folded away."""
    if not figures:
        yield element("p", "No run has finished on this instance.")
        return
    yield from (figure for plot, figure in figures if not plot.aside)
    aside = [figure for plot, figure in figures if plot.aside]
    if aside:
        summary = element("summary", "By iterations, and by tours or colorings built")
        yield element("details", summary, *aside)

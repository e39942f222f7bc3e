"""A plot as a figure of a page, with its words and its numbers."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from app.report.html import download, element, image
from app.report.plot import Look, Plot, rendered
from gpu.core.tables import csv_text


def figure(plot: Plot, look: Look, told: set[str]) -> Element:
    """Return a plot with its numbers, and with its words unless they were ``told`` before."""
    csv = download(f"{plot.name}.csv", csv_text(plot.columns, plot.rows), "The numbers as CSV")
    text = "" if plot.text in told else f"{plot.text} "
    told.add(plot.text)
    words_below = element("figcaption", text, csv)
    return element("figure", image(rendered(plot, "svg", look), plot.title), words_below)

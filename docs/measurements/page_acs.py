"""The tables of the pages on the Ant Colony Systems, and the picture of Fig. 6."""

from __future__ import annotations

import statistics
from pathlib import Path

import pyqtgraph as pg
from papers import PUBLISHED_ACS, PUBLISHED_LENGTHS, TABLE_9
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from runs import Row
from scipy.stats import ranksums
from tables import Sources, grouped, pivot, table

DOCS = Path(__file__).parents[1]
LOOKS = (30, 60, 80, 100)
"""Runs of a280 after which p was looked at."""

COLOURS = {"a280": "#0072b2", "pcb442": "#009e73", "pr1002": "#d55e00"}


def table_9(rows: list[Row]) -> str:
    """The rows of Table 9, each with its verdict."""
    lines = []
    for row in sorted(rows, key=lambda row: list(TABLE_9).index(row["instance"])):
        alt, spm = row["acs-gpu-alt"], row["acs-gpu-spm"]
        share = f" in {row['share']:.0%}" if "share" in row else ""
        iterations = f"{alt['iterations']} / {spm['iterations']}{share}"
        errors_of = [
            f"{one['mean_error']:.2f} % ({one['paper_mean_error']:.2f})" for one in (alt, spm)
        ]
        best, chance = f"{alt['best']} / {spm['best']}", f"{row['p_value']:.2g}"
        better = "SPM" if spm["mean_error"] < alt["mean_error"] else "Alt"
        verdict = better if row["p_value"] < 0.05 else "neither"
        runs = str(len(alt["lengths"]))
        lines.append([row["instance"], runs, iterations, *errors_of, best, chance, verdict])
    means = [f"{one}: mean error (paper)" for one in ("Alt", "SPM")]
    head = ["instance", "runs", "iterations Alt / SPM", *means, "best Alt / SPM"]
    return table([*head, "p (rank sum)", "significantly better"], lines, left=(0, 2, 7))


def looks(rows: list[Row]) -> str:
    """What p was at each look at runs that were continued."""
    lines = []
    for row in rows:
        alt, spm = (row[f"acs-gpu-{kind}"]["lengths"] for kind in ("alt", "spm"))
        chances = [ranksums(alt[:runs], spm[:runs]).pvalue for runs in LOOKS]
        budget = "a fifth of the seconds" if "share" in row else "the paper's iterations"
        lines.append([budget, *(f"{chance:.2g}" for chance in chances)])
    return table(["a280", *(f"{runs} runs" for runs in LOOKS)], lines)


def draw_fig_6(rows: list[Row], out: Path) -> None:
    """Draw the ratios against s: local updates solid, global ones dashed."""
    pg.mkQApp()
    pg.setConfigOptions(antialias=True, background="w", foreground="#222222")
    plot = pg.PlotWidget()
    plot.resize(900, 560)
    plot.setLabel("bottom", "s, trails remembered at each city")
    plot.setLabel("left", "updates that find their trail, %")
    plot.showGrid(x=True, y=True, alpha=0.2)
    legend = plot.addLegend(offset=(-20, -30))
    legend.setLabelTextSize("10pt")
    for name, colour in COLOURS.items():
        group = grouped(rows)[name]
        for kind, style in (("local", Qt.PenStyle.SolidLine), ("global", Qt.PenStyle.DashLine)):
            plot.plot(
                [row["s"] for row in group],
                [100 * row[kind] for row in group],
                pen=pg.mkPen(QColor(colour), width=2, style=style),
                symbol="o",
                symbolSize=6,
                symbolBrush=QColor(colour),
                symbolPen=None,
                name=f"{name}, {kind}",
            )
    plot.setYRange(0, 102)
    plot.show()
    plot.grab().save(str(out))
    plot.close()


def acs_quality(sources: Sources) -> dict[str, str]:
    """Table 9 and Fig. 6 of Skinderowicz 2016, and quality at equal iterations."""
    fig_6 = sources.rows("fig6", "acs-fig6")
    nine, equal = sources.rows("table9", "acs-table9"), sources.rows("equal_time", "acs-equal-time")
    later = sources.rows("earlier", "acs-table9", "acs-equal-time")
    report = sources.rows("acs_quality", "acs-quality-report")
    of_a280 = [row for row in later if row["instance"] == "a280"]
    return {
        "table_9": sources.under(table_9(nine), nine),
        "equal_time": sources.under(table_9(equal), equal),
        "against_published": sources.under(against_published(report), report),
        "later": sources.under(table_9(later), later),
        "looks": sources.under(looks(of_a280), of_a280),
        "fig_6": sources.under(
            pivot(
                "s",
                fig_6,
                "s",
                lambda row: f"{row['instance']} local / global",
                lambda row: f"{100 * row['local']:.1f} / {100 * row['global']:.1f} %",
                left=range(4),
            ),
            fig_6,
        ),
    }


def against_published(rows: list[Row]) -> str:
    """Mean lengths of the published program and of ours, after equally many iterations."""
    lines = []
    for name, group in grouped(rows).items():
        cells = [name]
        for row in group:
            own = row["mean"] if "mean" in row else statistics.mean(row["lengths"])
            theirs = PUBLISHED_LENGTHS[row["system"]][name]
            first, last = row["seeds"]
            worse = f"{100 * (own / theirs - 1):+.1f} %"
            cells += [str(theirs), f"{own:.0f} ({last - first + 1})", worse]
        lines.append(cells)
    head = [
        f"{kind}: {what}" for kind in ("Alt", "SPM") for what in ("published", "ours", "longer")
    ]
    return table(["instance", *head], lines)


def acs_speed(sources: Sources) -> dict[str, str]:
    """Milliseconds an iteration against the published program."""
    rows = sources.rows("acs_speed", "acs-speed", "acs-speed-report")
    tables = {}
    for kind, published in PUBLISHED_ACS.items():
        system, ants = kind.split(", ")
        own = [r for r in rows if (r["system"], "ants" in r) == (system, ants == "256")]
        lines = []
        for row in own:
            theirs = published.get(row["instance"])
            ratio = [f"{theirs:.3f}", f"{theirs / row['whole']:.2f}"] if theirs else ["", ""]
            phases = ("whole", "construction")
            times = (f"{row[phase]:.4f}" if phase in row else "" for phase in phases)
            lines.append([row["instance"], *times, *ratio])
        head = ["instance", "whole", "construction", "published", "ratio"]
        name = kind.removeprefix("acs-gpu").strip("-, ").replace(", ", "_") or "n"
        tables[name] = sources.under(table(head, lines), own)
    return tables

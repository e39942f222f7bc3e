"""Write the pages of docs/ from what was measured: acs-quality.md, and the picture of Fig. 6.

    python docs/measurements/report.py

Reads table9.json, equal_time.json and fig6.json beside this file, as acs_quality.py wrote them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pyqtgraph as pg
from acs_quality import TABLE_9
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

HERE = Path(__file__).parent
DOCS = HERE.parent
COLOURS = {"a280": "#0072b2", "pcb442": "#009e73", "pr1002": "#d55e00"}
ALPHA = 0.05


def table_9(measured: dict[str, Any]) -> list[str]:
    """The rows of Table 9, each with its verdict."""
    lines = [
        "| instance | runs | iterations Alt / SPM | Alt: mean error (paper) "
        "| SPM: mean error (paper) | best Alt / SPM | p (rank sum) | significantly better |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for row in sorted(measured["rows"], key=lambda row: list(TABLE_9).index(row["instance"])):
        alt, spm = row["acs-gpu-alt"], row["acs-gpu-spm"]
        better = "SPM" if spm["mean_error"] < alt["mean_error"] else "Alt"
        share = f" in {row['share']:.0%}" if "share" in row else ""
        lines.append(
            f"| {row['instance']} | {len(alt['lengths'])} "
            f"| {alt['iterations']} / {spm['iterations']}{share} "
            f"| {alt['mean_error']:.2f} % ({alt['paper_mean_error']:.2f}) "
            f"| {spm['mean_error']:.2f} % ({spm['paper_mean_error']:.2f}) "
            f"| {alt['best']} / {spm['best']} | {row['p_value']:.2g} "
            f"| {better if row['p_value'] < ALPHA else 'neither'} |"
        )
    return lines


def fig_6(measured: dict[str, Any]) -> list[str]:
    """The ratios of Fig. 6 as a table."""
    names = list(dict.fromkeys(row["instance"] for row in measured["rows"]))
    sizes = list(dict.fromkeys(row["s"] for row in measured["rows"]))
    found = {(row["instance"], row["s"]): row for row in measured["rows"]}
    lines = [
        "| s | " + " | ".join(f"{name} local / global" for name in names) + " |",
        "| --- |" + " --- |" * len(names),
    ]
    for size in sizes:
        cells = [
            f"{100 * found[name, size]['local']:.1f} / {100 * found[name, size]['global']:.1f} %"
            for name in names
        ]
        lines.append(f"| {size} | " + " | ".join(cells) + " |")
    return lines


def draw_fig_6(measured: dict[str, Any], out: Path) -> None:
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
        rows = [row for row in measured["rows"] if row["instance"] == name]
        sizes = [row["s"] for row in rows]
        for kind, style in (("local", Qt.PenStyle.SolidLine), ("global", Qt.PenStyle.DashLine)):
            plot.plot(
                sizes,
                [100 * row[kind] for row in rows],
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


def main() -> None:
    """Write the pages."""
    quality = json.loads((HERE / "table9.json").read_text())
    timed = json.loads((HERE / "equal_time.json").read_text())
    ratios = json.loads((HERE / "fig6.json").read_text())
    draw_fig_6(ratios, DOCS / "images" / "fig6.png")
    text = [
        "# Quality of the Ant Colony Systems: Table 9 and Fig. 6 of Skinderowicz 2016",
        "",
        "By `acs_quality.py` in `measurements/`, which says how the budgets follow from the paper;",
        "all lengths are in the JSON files beside it. The paper's figures",
        "stand in brackets. Both colonies let updates race, so a repetition gives other tours of",
        "the same quality. 256 ants, local update every 4th step; two-sided rank-sum test, level",
        "0.05.",
        "",
        "## Table 9: pheromone matrix (Alt) against selective memory (SPM)",
        "",
        f"As many iterations as the paper's seconds bought there. On {quality['device']}.",
        "",
        *table_9(quality),
        "",
        "## The same over equal time",
        "",
        "As many iterations as the named share of the paper's seconds buys here, the same seconds",
        "for both colonies.",
        f"On {timed['device']}.",
        "",
        *table_9(timed),
        "",
        "## Fig. 6: hit ratio against the size of the memory",
        "",
        "m = n, k = 1, 500 iterations; the data are in `measurements/fig6.json`.",
        "",
        "![hit ratio against s; local updates solid, global ones dashed](images/fig6.png)",
        "",
        *fig_6(ratios),
        "",
        (HERE / "remarks.md").read_text().strip(),
        "",
    ]
    (DOCS / "acs-quality.md").write_text("\n".join(text))


if __name__ == "__main__":
    main()

"""What the papers and the published programs reached, in the order of the pages' tables."""

from __future__ import annotations

TABLE_9 = {
    "a280": (2.5, 2.0, 3.77, 1.50),
    "lin318": (2.84, 2.3, 1.89, 1.90),
    "pcb442": (5.52, 4.6, 2.69, 2.29),
    "rat783": (17.64, 14.4, 3.20, 2.51),
    "pr1002": (26.39, 21.3, 5.31, 3.06),
    "nrw1379": (56.77, 43.296, 4.09, 3.17),
    "pr2392": (174.51, 131.238, 6.05, 4.05),
}
"""Of Skinderowicz 2016: seconds, milliseconds for n tours at k = 4, mean errors of Alt and SPM."""

TARGETS = {
    "pr1002": (0.26, 4.0),
    "pr2392": (0.49, 10.3),
    "fnl4461": (0.58, 34.9),
    "rl5915": (0.38, 49.3),
    "pla7397": (0.54, 58.0),
    "rl11849": (0.58, 247.4),
    "usa13509": (0.93, 224.2),
    "brd14051": (1.14, 228.4),
    "d15112": (0.86, 404.2),
    "d18512": (0.96, 335.5),
}
"""The mean error in % and the seconds on a V100 of the MAX-MIN paper (Tables 9 and 10)."""

PUBLISHED = {
    "d198": (0.148, 0.129),
    "pcb442": (0.412, 0.240),
    "rat783": (0.978, 0.454),
    "pr1002": (1.530, 0.629),
    "pcb1173": (2.099, 0.727),
    "pr2392": (14.84, 1.835),
}
"""Construction by the published program on an H100, ms: MMAS-WRS-CT, and its best with lists."""

TABLE_1 = {
    "DSJC500.1": (18, 12.452, 0.464),
    "DSJC500.5": (68, 10.454, 0.448),
    "DSJC500.9": (167, 10.232, 0.426),
    "DSJC1000.1": (28, 100.866, 2.740),
    "DSJC1000.5": (121, 84.922, 2.642),
    "DSJC1000.9": (308, 49.551, 2.517),
}
"""Table I of the 2017 coloring paper: colors on the GPU, seconds on its CPU and on its GPU."""

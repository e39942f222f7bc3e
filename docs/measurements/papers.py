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

REPORT_TARGETS = {
    "pr299": (0.0127, 1.1),
    "fl417": (0.0, 1.6),
    "gr431": (0.0033, 1.5),
    "rat575": (0.1255, 1.9),
    "dsj1000": (0.0955, 4.4),
    "u1817": (0.3972, 7.0),
    "u2152": (0.4157, 7.1),
}
"""The same of instances that nothing was tuned on, from the mean lengths of its Table 10."""

PUBLISHED = {
    "d198": {"wrs-ct": 0.148, "rwm-lc": 0.274, "wrs-bt-cl": 0.129, "wrs-ct-cl": 0.133},
    "pcb442": {
        **{"wrs-ct": 0.412, "rwm-lc": 0.731},
        **{"wrs-bt-cl": 0.240, "rwm-bt-cl": 0.244, "wrs-ct-cl": 0.255},
    },
    "rat783": {
        **{"wrs-ct": 0.978, "rwm-lc": 1.452},
        **{"wrs-bt-cl": 0.454, "rwm-bt-cl": 0.463, "wrs-ct-cl": 0.481},
    },
    "pr1002": {
        **{"wrs-ct": 1.530, "rwm-lc": 2.086},
        **{"wrs-bt-cl": 0.629, "rwm-bt-cl": 0.647, "wrs-ct-cl": 0.646},
    },
    "pcb1173": {
        **{"wrs-ct": 2.099, "rwm-lc": 2.717},
        **{"wrs-bt-cl": 0.727, "rwm-bt-cl": 0.742, "wrs-ct-cl": 0.755},
    },
    "pr2392": {
        **{"wrs-ct": 14.84, "rwm-lc": 25.09},
        **{"wrs-bt-cl": 1.923, "rwm-bt-cl": 1.880, "wrs-ct-cl": 1.835},
    },
}
"""Construction by the published MAX-MIN program on an H100, in ms, by variant."""

PUBLISHED_ACS = {
    "acs-gpu-alt, 256": {
        **{"d198": 0.224, "pcb442": 0.436, "pr1002": 0.931, "pr2392": 2.277},
        **{"fl417": 0.378, "u1060": 1.099, "dsj1000": 0.999, "u2152": 2.147},
    },
    "acs-gpu-alt, n": {
        **{"d198": 0.272, "a280": 0.357, "lin318": 0.402, "pcb442": 0.543},
        **{"rat783": 0.959, "pr1002": 1.239, "nrw1379": 1.789, "pr2392": 3.379},
    },
    "acs-gpu-spm, 256": {
        **{"d198": 0.407, "pcb442": 0.986, "pr1002": 2.126, "pr2392": 5.007},
        **{"fl417": 0.898, "u1060": 2.331, "dsj1000": 2.135, "u2152": 4.576},
    },
    "acs-gpu-spm, n": {
        **{"d198": 0.510, "a280": 0.667, "lin318": 0.744, "pcb442": 1.068},
        **{"rat783": 1.912, "pr1002": 2.448, "nrw1379": 3.488, "pr2392": 6.341},
    },
    "acs-gpu, n": {
        **{"d198": 5.68, "a280": 4.38, "lin318": 4.84, "pcb442": 8.00, "rat783": 23.9},
        **{"pr1002": 30.8, "nrw1379": 46.7, "pr2392": 133.6, "u1060": 49.6, "u2152": 83.8},
    },
}
"""Whole iterations of the published ACS program on an H100, in ms, by system and ants."""

PUBLISHED_LENGTHS = {
    "acs-gpu-alt": {
        "fl417": 12270,
        "u1060": 249107,
        "dsj1000": 19867775,
        "u2152": 70164,
        "pr1002": 280809,
    },
    "acs-gpu-spm": {
        "fl417": 12057,
        "u1060": 232083,
        "dsj1000": 19446300,
        "u2152": 66817,
        "pr1002": 268736,
    },
}
"""Mean lengths of 4 runs of that program: 256 ants, k = 4, 1700 iterations, no stale reads."""

TABLE_1 = {
    "DSJC500.1": (18, 12.452, 0.464),
    "DSJC500.5": (68, 10.454, 0.448),
    "DSJC500.9": (167, 10.232, 0.426),
    "DSJC1000.1": (28, 100.866, 2.740),
    "DSJC1000.5": (121, 84.922, 2.642),
    "DSJC1000.9": (308, 49.551, 2.517),
}
"""Table I of the 2017 coloring paper: colors on the GPU, seconds on its CPU and on its GPU."""

"""On which instances it is measured, for how long, and what was aimed at on them."""

from __future__ import annotations

SYMMETRIC = [
    f"report/{name}.tsp"
    for name in (
        *("rd100", "pr299", "fl417", "gr431", "rat575", "dsj1000", "u1060", "rl1304", "fl1577"),
        *("vm1748", "u1817", "rl1889", "u2152", "rl5934"),
    )
]
"""All symmetric instances of ``report``."""

DIRECTED = [
    f"report/{name}.atsp" for name in ("p43", "ft70", "kro124p", "ftv170", "rbg323", "rbg443")
]
"""All directed instances of ``report``."""

CORE_AIMS = {
    "pr2392": {10.0: 0.05},
    "u2319": {10.0: 0.0},
    "d15112": {20.0: 0.1, 60.0: 0.08},
    "E31k.0": {60.0: 0.12},
    "C31k.0": {60.0: 0.3},
    "mona-lisa100K": {60.0: 0.08},
    "E1M.0": {120.0: 1.0},
}
"""Gaps in % that were aimed at on two cores, by instance and seconds."""

GPU_AIMS = {
    "u2319": {2.0: 0.0},
    "u2152": {2.0: 0.01},
    "pr2392": {2.0: 0.01},
    "rl5934": {5.0: 0.1},
    "E10k.0": {10.0: 0.003, 60.0: 0.003},
    "C10k.0": {10.0: 0.003, 60.0: 0.003},
    "rl11849": {10.0: 0.005},
    "usa13509": {10.0: 0.005},
    "d15112": {5.0: 0.01, 60.0: 0.002},
    "d18512": {5.0: 0.01, 60.0: 0.002},
    "E31k.0": {10.0: 0.03, 60.0: 0.005},
    "C31k.0": {10.0: 0.05, 60.0: 0.02},
    "pla33810": {10.0: 0.1, 60.0: 0.03},
    "pla85900": {20.0: 0.1, 60.0: 0.04},
    "E100k.0": {20.0: 0.04, 60.0: 0.02},
    "C100k.0": {20.0: 0.1, 60.0: 0.05},
    "mona-lisa100K": {1.0: 0.06, 10.0: 0.01, 60.0: 0.004},
    "E316k.0": {30.0: 0.1},
    "E1M.0": {20.0: 0.2, 60.0: 0.08},
    "E10M.0": {60.0: 2.0, 300.0: 0.6},
}
"""The same on an H100."""

AIMED = [
    *("report/u2319.tsp", "report/u2152.tsp", "tsplib/pr2392.tsp", "report/rl5934.tsp"),
    *("dimacs/E10k.0.tsp", "dimacs/C10k.0.tsp", "tsplib/rl11849.tsp", "tsplib/usa13509.tsp"),
]
LARGER_AIMED = [
    *("tsplib/d15112.tsp", "tsplib/d18512.tsp", "dimacs/E31k.0.tsp", "dimacs/C31k.0.tsp"),
    *("tsplib/pla33810.tsp", "tsplib/pla85900.tsp", "dimacs/E100k.0.tsp", "dimacs/C100k.0.tsp"),
    *("art/mona-lisa100K.tsp", "dimacs/E316k.0.tsp"),
]
HUGE = ["dimacs/E1M.0.tsp", "dimacs/E10M.0.tsp"]
"""Instances of a million cities and more."""

TWELVE = [
    *("dimacs/E10k.0.tsp", "dimacs/C10k.0.tsp", "tsplib/rl11849.tsp", "tsplib/usa13509.tsp"),
    *("tsplib/d15112.tsp", "tsplib/d18512.tsp", "dimacs/E31k.0.tsp", "dimacs/C31k.0.tsp"),
    *("tsplib/pla33810.tsp", "tsplib/pla85900.tsp", "dimacs/E100k.0.tsp"),
    "art/mona-lisa100K.tsp",
]
"""Uniform, clustered and real instances of 10,000 to 100,000 cities."""

CORE_LIMITS = {"pr2392": 10.0, "u2319": 10.0, "E1M.0": 120.0}

GPU_LIMITS = {name: max(aims) for name, aims in GPU_AIMS.items()}

BEST_KNOWN = {
    **{"mona-lisa100K": 5_757_191, "E10k.0": 71_865_826, "E31k.0": 127_282_138},
    **{"E100k.0": 225_784_127, "E316k.0": 401_301_206, "E1M.0": 713_187_688},
    **{"E10M.0": 2_253_040_346, "C10k.0": 33_001_034, "C31k.0": 59_545_390},
    **{"C100k.0": 104_617_752, "u2319": 234_256},
}
"""What gaps are measured from, beside the optima of TSPLIB. E and C are the uniform and the
clustered instances of the DIMACS challenge, as its generators make them."""


GRAPHS = [
    *("dimacs/DSJC250.5.col", "dimacs/DSJC500.5.col", "dimacs/DSJC1000.1.col"),
    *("dimacs/DSJC1000.5.col", "dimacs/DSJC1000.9.col", "dimacs/flat1000_50_0.col.gz"),
    *("report/flat300_28_0.col", "report/le450_25d.col.gz", "report/latin_square_10.col.gz"),
    *("dimacs/qg.order40.col.gz", "report/school1.col.gz", "report/wap06a.col.gz"),
    *("report/DSJR500.5.col", "report/r1000.5.col.gz"),
]
"""Random, flat, geometric, Leighton, school, wap and Latin square graphs."""

FEWEST_COLORS = {
    **{"DSJC250.5": 28, "DSJC500.5": 47, "DSJC1000.1": 20, "DSJC1000.5": 82, "DSJC1000.9": 222},
    **{"flat1000_50_0": 50, "flat300_28_0": 28, "le450_25d": 25, "latin_square_10": 97},
    **{"qg.order40": 40, "school1": 14, "wap06a": 40, "DSJR500.5": 122, "r1000.5": 234},
}
"""The fewest colors that are known."""

COLOR_AIMS: dict[str, dict[float, float]] = {
    "DSJC250.5": {1.0: 28},
    "DSJC500.5": {60.0: 48},
    "flat1000_50_0": {20.0: 50},
    "school1": {0.5: 14},
    "DSJR500.5": {5.0: 122},
    "r1000.5": {60.0: 236},
}
"""Colors that were aimed at on two cores, by graph and seconds."""

TOLD_COLORS = FEWEST_COLORS | {
    **{"DSJC1000.5": 86, "DSJC1000.9": 226, "flat300_28_0": 30, "latin_square_10": 103}
}
"""What HEAD is told: where ours did not reach the fewest that are known, one fewer than it had."""

REPORT_MARKS: dict[str, tuple[float, ...]] = {
    name.split("/")[1][:-4]: (5.0, 20.0) for name in SYMMETRIC
}
REPORT_MARKS |= {"u1060": (5.0, 10.0, 20.0), "u2152": (5.0, 10.0, 20.0)}

FACO = ["tsplib/pr2392.tsp", "tsplib/d15112.tsp", "art/mona-lisa100K.tsp"]

TRAILED = [
    f"report/{name}.tsp" for name in ("u1060", "rl1304", "fl1577", "vm1748", "u1817", "rl1889")
]
"""Instances on which it is measured what trails add."""

PUBLISHED = [
    *("report/fl417.tsp", "report/u1060.tsp", "report/dsj1000.tsp", "report/u2152.tsp"),
    "tsplib/pr1002.tsp",  # on which much was tuned
]

TIMED_ACS = [
    f"tsplib/{name}.tsp"
    for name in ("d198", "a280", "lin318", "pcb442", "rat783", "pr1002", "nrw1379", "pr2392")
]

TIMED_MMAS = [
    f"tsplib/{name}.tsp"
    for name in ("d198", "pcb442", "rat783", "pr1002", "pcb1173", "pr2392", "fl3795")
]

CHOSEN_GPU = [
    *("tsplib/kroA100.tsp", "tsplib/d198.tsp", "tsplib/rat783.tsp", "tsplib/pr2392.tsp"),
    *("tsplib/pla7397.tsp", "tsplib/d15112.tsp", "tsplib/pla33810.tsp"),
]

CHOSEN_CORES = [
    *("tsplib/berlin52.tsp", "tsplib/kroA100.tsp", "tsplib/d198.tsp", "tsplib/pcb442.tsp"),
    *("tsplib/rat783.tsp", "tsplib/pr1002.tsp", "tsplib/pr2392.tsp", "tsplib/fnl4461.tsp"),
    *("tsplib/pla7397.tsp", "tsplib/d15112.tsp", "tsplib/pla33810.tsp"),
]

LARGER = dict.fromkeys(("fnl4461", "pla7397", "d15112", "pla33810"), 4.0)

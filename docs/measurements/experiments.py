"""The table of experiments: what is measured, on what, and how often. All of it is fixed before.

Every row of an experiment has the same number of runs and the same budget. Some parameters were
tuned on instances in ``tsplib`` and ``art``. Those in ``report`` were never tuned on.
"""

from __future__ import annotations

from methods import against_time, at_iterations, solved, speed
from runs import RIVAL, Case, Experiment, of

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
    "u1060": {10.0: 0.05},
    "u2152": {10.0: 0.05},
    "pr2392": {10.0: 0.05},
    "rl5934": {20.0: 0.3},
    "d15112": {60.0: 0.25},
}
"""Gaps in % that were aimed at on two cores, by instance and seconds."""

GPU_AIMS = {
    "u2152": {2.0: 0.01},
    "pr2392": {2.0: 0.01},
    "rl5934": {5.0: 0.1},
    "d15112": {3.0: 0.1, 20.0: 0.05},
    "d18512": {4.0: 0.1},
    "pla33810": {10.0: 0.3},
    "pla85900": {20.0: 0.3},
    "mona-lisa100K": {1.0: 0.06, 10.0: 0.03},
    "uniform1M": {20.0: 0.5},
}
"""The same on an H100."""

AIMED = [
    *("report/u2152.tsp", "tsplib/pr2392.tsp", "report/rl5934.tsp", "tsplib/d15112.tsp"),
    *("tsplib/d18512.tsp", "tsplib/pla33810.tsp", "tsplib/pla85900.tsp"),
    *("art/mona-lisa100K.tsp", "large/uniform1M.tsp"),
]
GPU_LIMITS = {name: max(aims) for name, aims in GPU_AIMS.items()}

NOT_OF_TSPLIB = {"mona-lisa100K": 5_757_191, "uniform1M": 71_240_712}
"""What gaps are measured from: the best known length, and 0.7124 √(n · area) for a million cities,
which ``formicarium generate uniform 1000000 uniform1M.tsp --seed 1`` makes."""


def rivals(*threads: int) -> list[Case]:
    """fast-tsp with so many threads."""
    return [Case({"system": RIVAL, "threads": count}, RIVAL, {}) for count in threads]


def options(system: str, parameter: str, values: tuple[object, ...]) -> list[Case]:
    """A colony with each value of a parameter."""
    return [
        Case({"system": system, "option": f"{parameter}={value}"}, system, {parameter: value})
        for value in values
    ]


REPORT_MARKS: dict[str, tuple[float, ...]] = {
    name.split("/")[1][:-4]: (5.0, 20.0) for name in SYMMETRIC
}
REPORT_MARKS |= {"u1060": (5.0, 10.0, 20.0), "u2152": (5.0, 10.0, 20.0)}

SCHEDULE = {"deposit": "schedule", "restart": 250}
SEARCHED = {"local_search": "2opt+oropt"}
CORES_MMAS = {"ants": 32, "rho": 0.5, "candidates": 32, **SCHEDULE}
GPU_MMAS = {"ants": 800, "rho": 0.3, **SCHEDULE}
FORMER = [
    of("acs-gpu", ants=8, **SEARCHED),
    of("mmas-cores", **CORES_MMAS, **SEARCHED),
]
"""What was chosen for cores before there was a focused colony."""

FACO = ["tsplib/pr2392.tsp", "tsplib/d15112.tsp", "art/mona-lisa100K.tsp"]
FACO_CASES = [
    Case({"system": "faco-seq", "option": name}, "faco-seq", values)
    for name, values in (
        ("always 8", {}),
        ("always 6", {"new_edges": 6}),
        ("4 to 8 by Exp3", {"adaptation": "exp3"}),
    )
]
"""New edges of an ant; 6 is the mean of what Exp3 begins with."""

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
    f"tsplib/{name}.tsp" for name in ("d198", "pcb442", "rat783", "pr1002", "pcb1173", "pr2392")
]
STARRED = {"ants": 256, "update_period": 4}
ACS_CASES = [
    Case({"system": system, "option": option}, system, values)
    for system, option, values in (
        ("acs-gpu", "n", {}),
        ("acs-gpu-alt", "n", {}),
        ("acs-gpu-alt", "256", STARRED),
        ("acs-gpu-spm", "n", {}),
        ("acs-gpu-spm", "256", STARRED),
    )
]
MMAS_CASES = [
    of(f"mmas-{kind}", weights="full")
    for kind in ("wrs-ct", "rwm-lc", "wrs-bt-cl", "rwm-bt-cl", "wrs-ct-cl")
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
GPU_CHOICES = [
    *(
        of("mmas-rwm-bt-cl", ants=ants, rho=rho, **SCHEDULE, **SEARCHED)
        for ants, rho in ((800, 0.3), (800, 0.5), (200, 0.3))
    ),
    *(
        of(system, ants=ants, **SEARCHED)
        for system in ("acs-gpu-alt", "acs-gpu-spm")
        for ants in (256, 1024)
    ),
]
CORES_CHOICES = [
    *(of("acs-gpu", ants=ants, **SEARCHED) for ants in (8, 16, 32, 96)),
    *(of("mmas-cores", **{**CORES_MMAS, "rho": rho}, **SEARCHED) for rho in (0.5, 0.2)),
    of("acs-cores-spm", ants=16, **SEARCHED),
]

EXPERIMENTS = {
    "cores": Experiment(
        against_time,
        SYMMETRIC,
        [of("focused-cores"), of("crossing-cores"), *rivals(1, 2)],
        "focused",
        90,
        seconds=20.0,
        marks=REPORT_MARKS,
        device="cpu",
    ),
    "cores-larger": Experiment(
        against_time,
        ["tsplib/pr2392.tsp", "tsplib/d15112.tsp"],
        [of("focused-cores"), of("crossing-cores"), *rivals(1, 2)],
        "focused",
        22,
        limits={"pr2392": 10.0, "d15112": 60.0},
        device="cpu",
    ),
    "cores-former": Experiment(
        against_time, SYMMETRIC, FORMER, "focused", 5, (1, 2), seconds=5.0, device="cpu"
    ),
    "directed": Experiment(
        against_time,
        DIRECTED,
        [of("focused-cores"), of("mmas-cores", **CORES_MMAS, local_search="oropt")],
        "focused",
        4,
        seconds=5.0,
        device="cpu",
    ),
    "trails-focused": Experiment(
        at_iterations,
        TRAILED,
        options("focused-seq", "focus", (1, 0)),
        "trails",
        6,
        (1, 8),
        stops=(10, 30, 100),
        device="cpu:1",
    ),
    "trails-crossing": Experiment(
        at_iterations,
        TRAILED,
        options("crossing-seq", "weight", ("trails", "gain")),
        "trails",
        8,
        (1, 8),
        stops=(20, 40, 80, 160, 320),
        device="cpu:1",
    ),
    "trails-gpu": Experiment(
        at_iterations,
        TRAILED,
        options("focused-gpu", "focus", (1, 0)),
        "trails",
        3,
        (1, 8),
        stops=(250, 500, 1000),
    ),
    "gpu": Experiment(
        against_time,
        AIMED,
        [of("focused-gpu"), of("crossing-gpu"), *rivals(1, 8)],
        "focused_gpu",
        21,
        limits=GPU_LIMITS,
        goals=NOT_OF_TSPLIB,
        marks={name: tuple(aims) for name, aims in GPU_AIMS.items()},
        step=8,
    ),
    "gpu-report": Experiment(
        against_time,
        [name for name in SYMMETRIC if name not in AIMED],
        [
            *(of("focused-gpu"), of("crossing-gpu")),
            of("mmas-rwm-bt-cl", **GPU_MMAS, **SEARCHED),  # what was chosen before
            *rivals(1, 8),
        ],
        "focused_gpu",
        9,
        seconds=2.0,
        step=8,
    ),
    "faco-gpu": Experiment(
        at_iterations,
        FACO,
        [of("faco-gpu")],
        "faco",
        2,
        stops=(500, 1000, 5000),
        goals=NOT_OF_TSPLIB,
    ),
    "faco-cores": Experiment(
        at_iterations,
        FACO,
        [of("faco-cores")],
        "faco",
        5,
        stops=(500,),
        goals=NOT_OF_TSPLIB,
        device="cpu",
    ),
    "faco-edges": Experiment(
        at_iterations,
        ["tsplib/pr1002.tsp", "tsplib/d1291.tsp", "tsplib/nrw1379.tsp", "tsplib/pcb3038.tsp"],
        FACO_CASES,
        "faco",
        5,
        stops=(300, 1000),
        device="cpu:1",
    ),
    "acs-quality": Experiment(
        at_iterations,
        PUBLISHED,
        [of(system, **STARRED) for system in ("acs-gpu-alt", "acs-gpu-spm")],
        "published",
        4,
        (1, 10),
        stops=(1700,),
    ),
    "acs-speed": Experiment(
        speed, TIMED_ACS, ACS_CASES, "published", 3, (1, 3), seconds=0.3, stops=(100,)
    ),
    "mmas-speed": Experiment(
        speed, TIMED_MMAS, MMAS_CASES, "published", 2, (1, 3), seconds=0.3, stops=(100,)
    ),
    "defaults-gpu": Experiment(
        solved, CHOSEN_GPU, GPU_CHOICES, "defaults", 4, (1, 1), limits=LARGER, seconds=2.0
    ),
    "defaults-cores": Experiment(
        solved,
        CHOSEN_CORES,
        CORES_CHOICES,
        "defaults",
        6,
        (1, 1),
        limits=LARGER,
        seconds=2.0,
        device="cpu",
    ),
    "defaults-colors": Experiment(
        solved,
        ["dimacs/DSJC500.5.col", "dimacs/DSJC1000.5.col"],
        [of("aco-rlf-tabu")],
        "defaults",
        10,
        seconds=60.0,
        device="cpu",
    ),
}

"""The table of experiments: what is measured, on what, and how often. All of it is fixed before.

Every row of an experiment has the same number of runs and the same budget. Some parameters were
tuned on instances in ``tsplib`` and ``art``. Those in ``report`` were never tuned on, for tours.
"""

from __future__ import annotations

from dataclasses import replace

from instances import (
    AIMED,
    BEST_KNOWN,
    CHOSEN_CORES,
    CHOSEN_GPU,
    CORE_LIMITS,
    DIRECTED,
    FACO,
    FEWEST_COLORS,
    GPU_AIMS,
    GPU_LIMITS,
    GRAPHS,
    HUGE,
    LARGER,
    LARGER_AIMED,
    PUBLISHED,
    REPORT_MARKS,
    SYMMETRIC,
    TIMED_ACS,
    TIMED_MMAS,
    TOLD_COLORS,
    TRAILED,
    TWELVE,
)
from methods import against_time, at_iterations, colors_against_time, solved, speed
from runs import FAST_TSP, GA_EAX, GCOL, HEAD, LKH, TOLD_HEAD, Case, Experiment, of


def fast_tsp(*threads: int) -> list[Case]:
    """fast-tsp with so many threads."""
    return [Case({"system": FAST_TSP, "threads": count}, FAST_TSP, {}) for count in threads]


def rival(system: str) -> Case:
    """Another program, on one core."""
    return Case({"system": system, "threads": 1}, system, {})


def options(system: str, parameter: str, values: tuple[object, ...]) -> list[Case]:
    """A colony with each value of a parameter."""
    return [
        Case({"system": system, "option": f"{parameter}={value}"}, system, {parameter: value})
        for value in values
    ]


SCHEDULE = {"deposit": "schedule", "restart": 250}
SEARCHED = {"local_search": "2opt+oropt"}
CORES_MMAS = {"ants": 32, "rho": 0.5, "candidates": 32, **SCHEDULE}
FORMER = [
    of("acs-gpu", ants=8, **SEARCHED),
    of("mmas-cores", **CORES_MMAS, **SEARCHED),
]
"""What was chosen for cores before there was a focused colony."""

FACO_CASES = [
    Case({"system": "faco-seq", "option": name}, "faco-seq", values)
    for name, values in (
        ("always 8", {}),
        ("always 6", {"new_edges": 6}),
        ("4 to 8 by Exp3", {"adaptation": "exp3"}),
    )
]
"""New edges of an ant; 6 is the mean of what Exp3 begins with."""


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
    for kind in (
        *("wrs-ct", "wrs-lc", "wrs-bt", "rwm-lc", "rwm-ct", "rwm-bt"),
        *("wrs-bt-cl", "rwm-bt-cl", "wrs-ct-cl"),
    )
]

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

GPU_AIMED = Experiment(
    against_time,
    AIMED,
    [of("crossing-gpu"), *fast_tsp(8), rival(LKH), rival(GA_EAX)],
    "focused_gpu",
    30,
    limits=GPU_LIMITS,
    goals=BEST_KNOWN,
    marks={name: tuple(aims) for name, aims in GPU_AIMS.items()},
    anytime=120.0,
    step=8,
)

EXPERIMENTS = {
    "cores": Experiment(
        against_time,
        SYMMETRIC,
        [of("focused-cores"), of("crossing-cores"), *fast_tsp(1, 2)],
        "focused",
        90,
        seconds=20.0,
        marks=REPORT_MARKS,
        device="cpu",
    ),
    "cores-larger": Experiment(
        against_time,
        ["tsplib/pr2392.tsp", "report/u2319.tsp", *TWELVE, "dimacs/E1M.0.tsp"],
        [of("focused-cores"), of("crossing-cores"), *fast_tsp(1, 2), rival(LKH)],
        "focused",
        60,
        (1, 1),
        seconds=60.0,
        limits=CORE_LIMITS,
        goals=BEST_KNOWN,
        marks=dict.fromkeys(("d15112", "d18512", "E10k.0", "C10k.0", "E31k.0"), (20.0, 60.0)),
        anytime=60.0,
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
        cores=1,
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
        cores=1,
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
    "gpu": GPU_AIMED,
    "gpu-larger": replace(GPU_AIMED, names=LARGER_AIMED, minutes=40, seeds=(1, 2)),
    "gpu-huge": Experiment(
        against_time,
        HUGE,
        [of("crossing-gpu")],
        "focused_gpu",
        7,
        (1, 1),
        limits=GPU_LIMITS,
        goals=BEST_KNOWN,
        step=8,
    ),
    "gpu-focused": Experiment(
        against_time,
        ["tsplib/d15112.tsp", "art/mona-lisa100K.tsp", "dimacs/E1M.0.tsp"],
        [of("focused-gpu")],
        "focused_gpu",
        2,
        (1, 1),
        limits={"d15112": 10.0, "mona-lisa100K": 10.0, "E1M.0": 60.0},
        goals=BEST_KNOWN,
        step=8,
    ),
    "gpu-long": Experiment(
        against_time,
        ["dimacs/E31k.0.tsp"],
        [of("crossing-gpu")],
        "focused_gpu",
        10,
        (1, 1),
        seconds=450.0,
        goals=BEST_KNOWN,
        step=8,
    ),
    "gpu-report": Experiment(
        against_time,
        [name for name in SYMMETRIC if name not in AIMED],
        [of("crossing-gpu"), *fast_tsp(8)],
        "focused_gpu",
        5,
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
        goals=BEST_KNOWN,
    ),
    "faco-cores": Experiment(
        at_iterations,
        FACO,
        [of("faco-cores")],
        "faco",
        5,
        stops=(500,),
        goals=BEST_KNOWN,
        device="cpu",
        cores=8,
    ),
    "faco-edges": Experiment(
        at_iterations,
        ["tsplib/pr1002.tsp", "tsplib/d1291.tsp", "tsplib/nrw1379.tsp", "tsplib/pcb3038.tsp"],
        FACO_CASES,
        "faco",
        5,
        stops=(300, 1000),
        device="cpu:1",
        cores=1,
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
        speed, TIMED_MMAS, MMAS_CASES, "published", 4, (1, 3), seconds=0.3, stops=(100,)
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
        cores=4,
    ),
    "colorings": Experiment(
        colors_against_time,
        GRAPHS,
        [of("gpx-cores"), rival(HEAD)],
        "colorings",
        15,
        (1, 2),
        seconds=20.0,
        goals=FEWEST_COLORS,
        device="cpu",
    ),
    "colorings-told": Experiment(
        colors_against_time,
        GRAPHS,
        [rival(TOLD_HEAD)],
        "colorings",
        3,
        (1, 1),
        seconds=10.0,
        goals=FEWEST_COLORS,
        told=TOLD_COLORS,
        device="cpu",
    ),
    "colorings-gcol": Experiment(
        colors_against_time,
        GRAPHS,
        [rival(GCOL)],
        "colorings",
        2,
        (1, 1),
        seconds=5.0,
        goals=FEWEST_COLORS,
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

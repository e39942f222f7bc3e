"""The table of experiments: what is measured, on what, and how often. All of it is fixed before.

Every row of an experiment has the same number of runs and the same budget. Some parameters were
tuned on instances in ``tsplib`` and ``art``. Those in ``report`` were never tuned on.
"""

from __future__ import annotations

from methods import against_time, quality
from runs import Case, Experiment, of

REPORTED = ("fl417", "u1060", "dsj1000", "u2152")
PUBLISHED = (*REPORTED, "../tsplib/pr1002")  # on which much was tuned
RACING = ("acs-gpu-alt", "acs-gpu-spm")
RACING_CASES = [of(system, ants=256, update_period=4) for system in RACING]

SYMMETRIC = (
    *("rd100", "pr299", "fl417", "gr431", "rat575", "dsj1000", "u1060", "rl1304", "fl1577"),
    *("vm1748", "u1817", "rl1889", "u2152", "rl5934"),
)
"""All symmetric instances of ``report``."""

DIRECTED = ("p43", "ft70", "kro124p", "ftv170", "rbg323", "rbg443")
"""All directed instances of ``report``."""

FORMER_MMAS = {
    **{"ants": 32, "rho": 0.5, "candidates": 32},
    **{"deposit": "schedule", "restart": 250},
}
FORMER_CASES = [
    of("acs-gpu", ants=8, local_search="2opt+oropt"),
    of("mmas-cores", **FORMER_MMAS, local_search="2opt+oropt"),
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

AIMED = {
    "u2152": 2.0,
    "pr2392": 2.0,
    "rl5934": 5.0,
    "d15112": 20.0,
    "d18512": 4.0,
    "pla33810": 10.0,
    "pla85900": 20.0,
    "mona-lisa100K": 10.0,
    "uniform1M": 20.0,
}
"""Seconds of a GPU's run on each instance."""

LARGE = ("d15112", "d18512", "pla33810", "pla85900", "mona-lisa100K")
"""Of these, those that a crossing colony was measured on, too."""

NOT_OF_TSPLIB = {"mona-lisa100K": 5_757_191, "uniform1M": 71_240_712}
"""What gaps are measured from: the best known length, and 0.7124 √(n · area) for a million cities,
which ``formicarium generate uniform 1000000 uniform1M.tsp --seed 1`` makes."""

FOLDERS = {"u2152": "report", "rl5934": "report", "mona-lisa100K": "art", "uniform1M": "large"}

EXPERIMENTS = {
    "acs-quality-report": Experiment(
        quality, PUBLISHED, RACING_CASES, "acs_quality", 2, folder="report", iterations=1700
    ),
    "focused-report": Experiment(
        against_time,
        SYMMETRIC,
        [of("focused-cores")],
        "focused",
        10,
        (1, 2),
        folder="report",
        seconds=20.0,
        device="cpu",
    ),
    "crossing-report": Experiment(
        against_time,
        SYMMETRIC,
        [of("crossing-cores")],
        "focused",
        10,
        (1, 2),
        folder="report",
        seconds=20.0,
        device="cpu",
    ),
    "focused-rival": Experiment(
        against_time,
        SYMMETRIC,
        [Case({"system": "fast-tsp"}, "focused-cores", {})],
        "focused",
        12,
        (1, 2),
        folder="report",
        marks=(5.0, 20.0),
        device="cpu",
    ),
    "focused-former": Experiment(
        against_time,
        SYMMETRIC,
        FORMER_CASES,
        "focused",
        5,
        (1, 2),
        folder="report",
        seconds=5.0,
        device="cpu",
    ),
    "focused-gpu": Experiment(
        against_time,
        [f"../{FOLDERS.get(name, 'tsplib')}/{name}" for name in AIMED],
        [of("focused-gpu")],
        "focused_gpu",
        5,
        (1, 2),
        limits=AIMED,
        goals=NOT_OF_TSPLIB,
        step=8,
    ),
    "crossing-gpu": Experiment(
        against_time,
        ["../tsplib/pr2392", *(f"../report/{name}" for name in SYMMETRIC)],
        [of("crossing-gpu")],
        "focused_gpu",
        3,
        (1, 5),
        limits={name: AIMED[name] for name in ("u2152", "rl5934")},
        seconds=2.0,
        step=8,
    ),
    "crossing-gpu-large": Experiment(
        against_time,
        [f"../{FOLDERS.get(name, 'tsplib')}/{name}" for name in LARGE],
        [of("crossing-gpu")],
        "focused_gpu",
        6,
        (1, 5),
        limits=AIMED,
        goals=NOT_OF_TSPLIB,
        step=8,
    ),
    "focused-gpu-rival": Experiment(
        against_time,
        [f"../{FOLDERS.get(name, 'tsplib')}/{name}" for name in list(AIMED)[:5]],
        [
            Case({"system": "fast-tsp", "threads": threads}, "focused-cores", {})
            for threads in (1, 8)
        ],
        "focused_gpu",
        4,
        (1, 2),
        limits=AIMED,
        device="cpu",
    ),
    "focused-gpu-former": Experiment(
        against_time,
        ("gr431", "rat575", "dsj1000", "u1060", "fl1577", "rl1889"),
        [
            of("focused-gpu"),
            of(
                "mmas-rwm-bt-cl",
                ants=800,
                rho=0.3,
                deposit="schedule",
                restart=250,
                local_search="2opt+oropt",
            ),
        ],
        "focused_gpu",
        2,
        (1, 1),
        folder="report",
        seconds=3.0,
        step=4,
    ),
    "faco-edges": Experiment(
        quality,
        ("pr1002", "d1291", "nrw1379", "pcb3038"),
        FACO_CASES,
        "faco",
        5,
        (1, 3),
        iterations=300,
        device="cpu:1",
    ),
    "focused-directed": Experiment(
        against_time,
        DIRECTED,
        [of("focused-cores"), of("mmas-cores", **FORMER_MMAS, local_search="oropt")],
        "focused_directed",
        2,
        (1, 2),
        folder="report",
        seconds=5.0,
        device="cpu",
        suffix=".atsp",
    ),
}

"""The table of experiments: what is measured, on what, and how often. All of it is fixed before.

Every row of an experiment has the same number of runs and the same budget. Instances of the
papers, in ``tsplib`` and ``dimacs``, are for comparing with the papers; some parameters were tuned
on them, too. Those in ``report`` were never tuned on: what is tuned is reported there.
"""

from __future__ import annotations

from functools import partial

from methods import (
    SELECTIONS,
    against_time,
    color,
    compare,
    equal,
    hits,
    quality,
    reward,
    search,
    speed,
    tabu,
)
from papers import REPORT_TARGETS, TABLE_1, TABLE_9, TARGETS
from runs import Case, Experiment, Row, of

TABLE_8 = ("d198", "pcb442", "rat783", "pr1002", "pcb1173", "pr2392")
SPEEDS = ("d198", *TABLE_9)
SIZES = (*SPEEDS, "fnl4461")
REPORTED = ("fl417", "u1060", "dsj1000", "u2152")
PUBLISHED = (*REPORTED, "../tsplib/pr1002")  # on which much was tuned
EIGHT_REPORTED = ("rd100", "pr299", "fl417", "gr431", "rat575", "dsj1000", "u1060", "rl1304")
ALL_CITIES = [f"mmas-{draw}-{tabu}" for draw in ("rwm", "wrs") for tabu in ("bt", "ct", "lc")]
LISTED = [f"{system}-cl" for system in ALL_CITIES]

RACING = ("acs-gpu-alt", "acs-gpu-spm")
RACING_CASES = [of(system, ants=256, update_period=4) for system in RACING]
ACS_CASES = [*map(of, ("acs-gpu", *RACING)), *RACING_CASES]
MEMORIES = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
AS_SYSTEMS = (
    *("as-st-dynamic", "as-st-group-stc-tr", "as-st-group-stc", "as-st-group", "as-i-roulette"),
    *("as-data", "as-task", "as-seq"),
)
OPTIONS = {
    ("update", "update"): ("atomic-tiled", "atomic", "reduction", "tiled-gather", "gather"),
    ("choice info", "power"): ("precise", "fast"),
    ("construction", "launches"): ("tour", "step"),
}
"""The phase that a parameter decides, the parameter, and its options."""

OPTION_CASES = [
    Case({"phase": phase, "option": option}, "as-st-dynamic", {parameter: option})
    for (phase, parameter), options in OPTIONS.items()
    for option in options
]
RULES = {"as-st-group": "roulette", "as-st-dynamic": "tour list", "as-i-roulette": "I"}
RULE_CASES = [Case({"system": system, "rule": rule}, system, {}) for system, rule in RULES.items()]
KINDS = [
    Case(
        {"kind": kind},
        "mmas-rwm-bt-cl",
        {"ants": 800, "deposit": "schedule", "restart": 250, "local_search": kind},
    )
    for kind in ("2opt", "2opt+oropt")
]
"""They begin anew after 250 iterations in vain if their trails have settled."""

WARPS_OF = ("mmas-rwm-bt", "mmas-rwm-lc", "mmas-wrs-bt", "mmas-wrs-ct")
REWARDS: list[Row] = [
    {"deposit": deposit, "reward": amount}
    for deposit in ("class", "tour")
    for amount in (1, 10, 30, 100, 300, 1000, 10000)
]
REWARD_CASES = [Case(values, "aco-rlf-seq", values) for values in REWARDS]
COLORINGS = [
    *(of(f"aco-rlf-{selection}") for selection in ("prefix", "hybrid", "trial")),
    Case({"system": "aco-rlf-seq"}, "aco-rlf-seq", {"selection": "wheel"}),
]
GOALS = {"DSJC500.5": 50, "DSJC1000.5": 90}

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

graphs = partial(Experiment, folder="dimacs", suffix=".col")

EXPERIMENTS = {
    "acs-speed": Experiment(speed, SPEEDS, ACS_CASES, "acs_speed", 4, iterations=2000, seconds=0.5),
    "acs-speed-report": Experiment(
        speed, REPORTED, ACS_CASES, "acs_speed", 2, folder="report", iterations=2000, seconds=0.5
    ),
    "acs-table9": Experiment(compare, tuple(TABLE_9), RACING_CASES, "table9", 5, (1, 30)),
    "acs-equal-time": Experiment(
        compare, tuple(TABLE_9), RACING_CASES, "equal_time", 10, (1, 30), share=0.2
    ),
    "acs-quality-report": Experiment(
        quality, PUBLISHED, RACING_CASES, "acs_quality", 2, folder="report", iterations=1700
    ),
    "acs-fig6": Experiment(
        hits,
        ("a280", "pcb442", "pr1002"),
        [Case({"s": size}, "acs-gpu-spm", {"memory": size}) for size in MEMORIES],
        "fig6",
        2,
        (1, 1),
        iterations=500,
    ),
    "as-speed": Experiment(speed, SIZES, [*map(of, AS_SYSTEMS)], "as_speed", 7),
    "as-options": Experiment(
        speed, ("d198", "pcb442", "pr1002", "pr2392"), OPTION_CASES, "as_options", 4
    ),
    "as-quality": Experiment(quality, SPEEDS, RULE_CASES, "as_quality", 18, iterations=1000),
    "as-quality-report": Experiment(
        quality, EIGHT_REPORTED, RULE_CASES, "as_quality", 6, folder="report", iterations=1000
    ),
    "as-orders": Experiment(
        quality, ("lin318", "a280"), RULE_CASES[:2], "as_rules", 1, (11, 110), iterations=300
    ),
    "as-equal": Experiment(
        equal,
        ("nrw1379", "pr2392", "fnl4461"),
        [*map(of, SELECTIONS)],
        "as_equal",
        5,
        (1, 1),
        iterations=10,
    ),
    "mmas-speed": Experiment(
        speed,
        TABLE_8,
        [*map(of, (*ALL_CITIES, *LISTED)), of("mmas-rwm-bt", weights="full")],
        "mmas",
        6,
    ),
    "mmas-warps": Experiment(
        speed,
        TABLE_8,
        [of(system, warps=count) for system in WARPS_OF for count in (1, 2, 4)],
        "mmas",
        5,
    ),
    "mmas-quality": Experiment(
        quality, TABLE_8, [*map(of, ALL_CITIES)], "mmas", 6, (1, 30), apart=True
    ),
    "mmas-search": Experiment(search, tuple(TARGETS), KINDS, "mmas", 80, seconds=60.0),
    "mmas-search-report": Experiment(
        search, tuple(REPORT_TARGETS), KINDS, "mmas", 4, folder="report", seconds=60.0
    ),
    "mmas-curve": Experiment(
        partial(search, curve=True), ("pr2392", "d15112"), KINDS, "mmas", 8, (1, 1), seconds=150.0
    ),
    "coloring-speed": graphs(color, tuple(TABLE_1), COLORINGS, "coloring_speed", 4, iterations=50),
    "coloring-report": graphs(
        color,
        ("DSJR500.5", "flat300_28_0", "le450_15b"),
        COLORINGS,
        "coloring_speed",
        2,
        folder="report",
        iterations=50,
    ),
    "coloring-tabu": graphs(
        tabu, tuple(GOALS), [of("aco-rlf-tabu")], "coloring_tabu", 2, seconds=60.0, goals=GOALS
    ),
    "coloring-descent": graphs(
        tabu, tuple(GOALS), [of("aco-rlf-tabu")], "coloring_tabu", 3, (1, 1), seconds=60.0
    ),
    "coloring-reward": graphs(
        reward,
        ("DSJC500.1", "DSJC500.5", "DSJC500.9", "DSJC1000.5"),
        REWARD_CASES,
        "coloring_reward",
        8,
        (1, 2),
        iterations=50,
        device="cpu:1",
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

"""Measure what the pages of docs/ show.

    python docs/measurements/measure.py EXPERIMENT FOLDER OUT.json [NAME...] [--only WORD...]
        [--seeds FIRST LAST] [--iterations COUNT] [--seconds S] [--goal COST] [--share S]
        [--device DEVICE]

FOLDER has TSPLIB's files, or the DIMACS graphs. NAMEs are instances in it. Without options an
experiment runs as EXPERIMENTS below says; --only keeps the systems, rules or kinds of local search
with these names. Each row is printed and written to OUT.json as it comes, in place of a former one
of the same instance, system and settings. Kernels are compiled before anything is timed.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
from papers import TABLE_1, TABLE_9, TARGETS
from runs import Case, Experiment, Row, build, follow, of, run, timed, warm_up
from scipy.stats import ranksums

from gpu.core import devices
from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.problems.loading import load_instance

SELECTIONS = {
    "as-st-dynamic": "stc-roulette",
    "as-st-group": "roulette",
    "as-i-roulette": "i-roulette",
}
"""What the CPU's colony must choose by to build the tours of an Ant System."""

SLOW, QUICK, LARGE = 0.3, 0.5, 7000
"""Evaporation with local search: as in the paper quicker from so many cities on."""

GATHERING = ("reduction", "tiled-gather", "gather")
SLOWEST_GATHER = 1500
"""Cities from which on n⁴ looks take too long to be repeated."""


def speed(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Time iterations of every case, or say why there is no time."""
    for case in plan.cases:
        if case.values.get("update") in GATHERING and instance.n > SLOWEST_GATHER:
            continue
        try:
            with closing(build(instance, case)) as colony:
                yield case.labels | timed(colony, plan.iterations, min(plan.seconds, 3.0))
        except FormicariumError as error:
            yield case.labels | {"refused": str(error)}


def quality(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Best lengths of every case."""
    for place, case in enumerate(plan.cases):
        seeds: Sequence[int] = plan.all_seeds
        if plan.apart:
            seeds = [1 + len(plan.cases) * (seed - 1) + place for seed in seeds]
        chosen = case
        if plan.device.startswith("cpu") and plan.apart:  # the colony that builds the same tours
            drawing = "stc-roulette" if case.system.endswith(("lc", "ct")) else "roulette"
            drawing = "wrs" if "wrs" in case.system else drawing
            chosen = case._replace(system="mmas", values={"selection": drawing})
        lengths = [run(instance, chosen, seed, plan, plan.device)[0].best_cost for seed in seeds]
        how = {"seeds": plan.seeds, "iterations": plan.iterations}
        yield case.labels | how | {"lengths": lengths, "optimum": instance.optimum}


def compare(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Compare the errors of ACS-GPU-Alt and ACS-GPU-SPM, all seeds side by side on one GPU.

    The paper gave both as long as ACS-GPU-Alt took for 1000 iterations with m = n and k = 1. Here
    both get as many iterations as these seconds bought there: ACS-GPU-Alt by the times of Tables 3,
    4 and 8; ACS-GPU-SPM, which ran with these parameters as fast as ACS-GPU-Alt with m = n and
    k = 1 (Fig. 10), 1000 n / 256. With a share, both get the iterations that this share of the
    paper's seconds buys on this GPU, where each runs alone.
    """
    seconds, milliseconds, *papers = TABLE_9[instance.name]
    budgets = (seconds / (1e-3 * milliseconds * 256 / instance.n), 1000 * instance.n / 256)
    row: Row = {"optimum": instance.optimum}
    row |= {"share": plan.share, "seconds": plan.share * seconds} if plan.share else {}
    errors = []
    for case, paper, budget in zip(plan.cases, papers, budgets, strict=True):
        if plan.share:
            with closing(build(instance, case)) as colony:
                budget = 1e3 * row["seconds"] / timed(colony, 512)["whole"]
        limited = dataclasses.replace(plan, iterations=round(budget))
        with ThreadPoolExecutor(30) as pool:
            ends = [pool.submit(run, instance, case, seed, limited) for seed in plan.all_seeds]
        lengths = [end.result()[0].best_cost for end in ends]
        errors.append([instance.gap_percent(length) or 0.0 for length in lengths])
        row[case.system] = {
            "iterations": limited.iterations,
            "lengths": lengths,
            "mean_error": statistics.mean(errors[-1]),
            "best": min(lengths),
            "paper_mean_error": paper,
        }
    yield row | {"p_value": float(ranksums(errors[0], errors[1]).pvalue)}


def hits(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Share of the updates that find their trail in a selective memory of each size."""
    for case in plan.cases:
        end, _ = run(instance, case, 1, plan)
        assert end.updates is not None
        ratios = {"local": end.updates.local_ratio, "global": end.updates.global_ratio}
        yield case.labels | ratios | {"best_length": end.best_cost}


def equal(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Count iterations after which tours, means and trails are those of all cores."""
    for case in plan.cases:
        theirs = of("as-cores", selection=SELECTIONS[case.system])
        with closing(build(instance, case)) as one, closing(build(instance, theirs)) as other:
            same = 0
            for _ in range(plan.iterations):
                states = []
                for colony in (one, other):
                    colony.iterate(1)
                    end = colony.snapshot(Wanted.ITERATION_SOLUTION)
                    assert end.iteration_solution is not None
                    numbers = (end.best_cost, end.iteration_mean)
                    parts = (numbers, end.iteration_solution, colony.trails_from(0))
                    states.append(np.concatenate(parts))
                same += np.array_equal(states[0], states[1])
            found = {"iterations": plan.iterations, "same": same, "best": end.best_cost}
            yield case.labels | found


def search(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Seconds to the paper's mean error, or the error against time.

    Time counts from before the colony is built, its neighbour lists included. A run takes half of
    the paper's time at most.
    """
    gap, seconds = TARGETS[instance.name]
    assert instance.optimum is not None
    curve = plan.labels["what"] == "curve"
    goal = 0.0 if curve else instance.optimum * (1 + gap / 100)
    for case in plan.cases:
        case = case._replace(values={"rho": SLOW if instance.n < LARGE else QUICK, **case.values})
        warm_up(instance, case)
        runs = []
        for seed in plan.all_seeds:
            start = time.perf_counter()
            with closing(build(instance, case, seed)) as colony:
                found = follow(colony, start, goal, min(plan.seconds, seconds / 2))
            runs.append([(when, count, instance.gap_percent(cost)) for when, count, cost in found])
            shown = {"curve": runs[0]} if curve else {"runs": [each[-1] for each in runs]}
            yield case.labels | {"settings": case.values} | shown


def color(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Colors, and seconds of all iterations; on one core with the first seed alone."""
    for case in plan.cases:
        phases = dict(warm_up(instance, case))
        for seed in plan.all_seeds[:1] if case.system.endswith("-seq") else plan.all_seeds:
            end, seconds = run(instance, case, seed, plan)
            row = {"seed": seed, "iterations": end.iteration, "seconds": seconds}
            found = {"colors": end.best_cost, "found_in": end.best_iteration, "phases": phases}
            yield case.labels | row | found


def reward(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Colors of all seeds."""
    for case in plan.cases:
        ends = [run(instance, case, seed, plan)[0] for seed in plan.all_seeds]
        yield case.labels | {"colors": [end.best_cost for end in ends]}


def tabu(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Note when how few colors were reached."""
    for case in plan.cases:
        warm_up(instance, case)
        for seed in plan.all_seeds:
            with closing(build(instance, case, seed)) as colony:
                colony.snapshot(Wanted.NUMBERS)
                *found, end = follow(colony, time.perf_counter(), plan.goal, plan.seconds)
            row = {"seed": seed, "seconds": end[0], "iterations": end[1], "goal": plan.goal}
            yield case.labels | row | {"steps": [(when, colors) for when, _, colors in found]}


TABLE_8 = ("d198", "pcb442", "rat783", "pr1002", "pcb1173", "pr2392")
SPEEDS = ("d198", *TABLE_9)
SIZES = (*SPEEDS, "fnl4461")
ALL_CITIES = [f"mmas-{draw}-{tabu}" for draw in ("rwm", "wrs") for tabu in ("bt", "ct", "lc")]
LISTED = [f"{system}-cl" for system in ALL_CITIES]

RACING = ("acs-gpu-alt", "acs-gpu-spm")
TABLE_9_CASES = [of(system, ants=256, update_period=4) for system in RACING]
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

EXPERIMENTS = {
    "acs-speed": Experiment(
        speed,
        SPEEDS,
        [*map(of, ("acs-gpu", *RACING)), *TABLE_9_CASES],
        iterations=2000,
        seconds=0.5,
    ),
    "acs-table9": Experiment(compare, tuple(TABLE_9), TABLE_9_CASES, seeds=(1, 30)),
    "acs-equal-time": Experiment(compare, tuple(TABLE_9), TABLE_9_CASES, seeds=(1, 30), share=0.2),
    "acs-fig6": Experiment(
        hits,
        ("a280", "pcb442", "pr1002"),
        [Case({"s": size}, "acs-gpu-spm", {"memory": size}) for size in MEMORIES],
        iterations=500,
    ),
    "as-speed": Experiment(speed, SIZES, [*map(of, AS_SYSTEMS)]),
    "as-options": Experiment(speed, SIZES, OPTION_CASES),
    "as-quality": Experiment(quality, SIZES, RULE_CASES, iterations=1000),
    "as-equal": Experiment(equal, SIZES, [*map(of, SELECTIONS)], iterations=1000),
    "mmas-speed": Experiment(
        speed,
        TABLE_8,
        [*map(of, (*ALL_CITIES, *LISTED)), of("mmas-rwm-bt", weights="full")],
        labels={"what": "speed"},
    ),
    "mmas-warps": Experiment(
        speed,
        TABLE_8,
        [of(system, warps=count) for system in WARPS_OF for count in (1, 2, 3, 4, 6, 8)],
        labels={"what": "warps"},
    ),
    "mmas-quality": Experiment(
        quality, TABLE_8, [*map(of, ALL_CITIES)], apart=True, labels={"what": "quality"}
    ),
    "mmas-search": Experiment(search, tuple(TARGETS), KINDS, labels={"what": "search"}),
    "mmas-curve": Experiment(search, tuple(TARGETS), KINDS, (1, 1), labels={"what": "curve"}),
    "coloring-speed": Experiment(color, tuple(TABLE_1), COLORINGS, iterations=50, suffix=".col"),
    "coloring-tabu": Experiment(
        tabu, ("DSJC500.5", "DSJC1000.5"), [of("aco-rlf-tabu")], seconds=60.0, suffix=".col"
    ),
    "coloring-reward": Experiment(
        reward,
        ("DSJC500.1", "DSJC500.5", "DSJC500.9", "DSJC1000.5"),
        REWARD_CASES,
        seeds=(1, 2),
        iterations=50,
        device="cpu:1",
        suffix=".col",
    ),
}


KEY = (
    *("what", "instance", "system", "phase", "option", "rule", "seed", "goal"),
    *("update_period", "s", "warps", "weights", "kind", "deposit", "reward"),
)
"""What tells rows apart."""


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("experiment", choices=EXPERIMENTS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--seeds", nargs=2, type=int)
    for option in ("iterations", "goal"):
        parser.add_argument(f"--{option}", type=int)
    for option in ("seconds", "share"):
        parser.add_argument(f"--{option}", type=float)
    parser.add_argument("--device")
    given = {name: value for name, value in vars(parser.parse_args()).items() if value}
    plan, only = EXPERIMENTS[given.pop("experiment")], given.pop("only", None)
    folder, out = given.pop("folder"), given.pop("out")
    plan = dataclasses.replace(
        plan,
        cases=[case for case in plan.cases if not only or {*only} & {*case.labels.values()}],
        **given,
    )
    device = str(devices.find(plan.device))
    measured: Row = json.loads(out.read_text()) if out.exists() else {"rows": []}
    measured["devices"] = [device, str(devices.find("cpu:1"))]
    for name in plan.names:
        instance = load_instance(folder / f"{name}{plan.suffix}")
        where = {"instance": name, "n": instance.n, "device": device}
        for row in plan.measure(instance, plan):
            new = {**plan.labels, **where, **row}
            others = [old for old in measured["rows"] if any(old.get(k) != new.get(k) for k in KEY)]
            measured["rows"] = [*others, new]
            print(json.dumps(new), flush=True)
            out.write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()

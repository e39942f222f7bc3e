"""Measure what the pages of docs/ show.

    python docs/measurements/measure.py all FOLDER [--out OUT]
    python docs/measurements/measure.py EXPERIMENT FOLDER [NAME...] [--out OUT] [--only WORD...]
        [--seeds FIRST LAST] [--iterations COUNT] [--seconds S] [--device DEVICE]
        [--head PROGRAM] [--lkh PROGRAM] [--ga-eax PROGRAM]

FOLDER has the folders tsplib, art, report, dimacs and large with their instances. OUT is where the
JSON files are, docs/measurements if it is not given. Each row is printed and written as it comes,
in place of a former one of the same experiment, instance, system and settings, with the commit, the
device, how many cores the process had, and the command that made it. Kernels are compiled before
anything is timed.

``all`` runs every experiment. Called again, it goes on behind the last instance that was finished
at the same commit and on the same device. What fails is left out and named at the end. When an
experiment is complete, its older rows are dropped. ``report.py`` then writes the pages.

NAMEs are those of the experiment's instances that are wanted. --only keeps the systems or options
with these names, --seeds these seeds. So an experiment can be measured in parts, each into a folder
OUT of its own and side by side, and put together by ``gather.py``. Budgets of the pages are fixed:
whoever changes one by another option names another OUT.

fast-tsp and gcol are run where they are installed, and programs where an option says which they
are: HEAD, made from github.com/graphcoloring/HEAD by its Makefile; LKH 3, from
github.com/cerebis/LKH3 by its Makefile; GA-EAX, the folder Large of
github.com/nagata-yuichi/GA-EAX, by g++ -O3. The rows say what was not there.

--try tries every experiment in a few seconds each, on a small bundled instance. Without a GPU the
colonies of the CPU stand in for those of a GPU.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments import EXPERIMENTS
from made import commit_here, how
from runs import PROGRAMS, RIVALS, Case, Experiment, Row

from gpu import catalog
from gpu.core.errors import DeviceError, FormicariumError
from gpu.core.machine import devices
from gpu.problems.document import stem_of
from gpu.problems.loading import load_instance
from gpu.run.session import choose

HERE = Path(__file__).parent
BUNDLED = HERE.parents[1] / "resources" / "instances"

FOUND = {
    *("n", "made", "limit", "curve", "marks", "built", "whole", "phases", "refused"),
    *("cost", "gap", "iterations", "seconds"),
}
"""What a row says of its runs. All else tells rows apart."""

TRIED, TRIED_GRAPH = "ring-50.tsp", "mycielski-47.col"
"""Instances for a trial."""


def key_of(made: Row) -> str:
    """Return what rows call it by."""
    return f"{made['date']} {made['experiment']} on {made['device']}"


def label_of(row: Row) -> Row:
    """Return what tells a row apart from others."""
    return {name: value for name, value in row.items() if name not in FOUND}


class Rows:
    """A file of rows, and how they were made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        found: Row = json.loads(path.read_text()) if path.exists() else {"made": {}, "rows": []}
        self.made: dict[str, Row] = found["made"]
        self.rows: list[Row] = found["rows"]

    def finished(self, here: Row, part: str) -> bool:
        """Whether this part was measured to its end at this commit, on this device."""
        if here["commit"].endswith("-dirty"):
            return False
        return any(part in self.made[key].get("finished", ()) for key in self._alike(here))

    def _alike(self, here: Row) -> set[str]:
        """Keys of what was made at this commit, on this device."""
        same = ("commit", "device")
        return {key for key, made in self.made.items() if all(made[k] == here[k] for k in same)}

    def add(self, here: Row, row: Row) -> None:
        """Put a row in the place of a former one, and write the file."""
        self.put(here, row)
        self.write()

    def put(self, here: Row, row: Row) -> None:
        """Put a row in the place of a former one."""
        self.made[key_of(here)] = here
        self.rows = [old for old in self.rows if label_of(old) != label_of(row)]
        self.rows.append({**row, "made": key_of(here)})

    def finish(self, here: Row, part: str) -> None:
        """Note that all rows of this part are there."""
        self.made[key_of(here)] = here
        here.setdefault("finished", []).append(part)
        self.write()

    def drop_older(self, commit: str, experiment: str) -> None:
        """Drop the experiment's rows of other commits."""
        same = {key for key, made in self.made.items() if made["commit"] == commit}
        self.rows = [r for r in self.rows if r["experiment"] != experiment or r["made"] in same]
        self.write()

    def write(self) -> None:
        """Write the file, so that it is whole at any time."""
        used = {row["made"] for row in self.rows}
        made = {key: value for key, value in self.made.items() if key in used}
        lines = ",\n".join(map(json.dumps, self.rows))
        part = self.path.with_suffix(".part")
        part.write_text(f'{{"made": {json.dumps(made, indent=1)},\n"rows": [\n{lines}\n]}}\n')
        part.replace(self.path)


def measure(
    name: str,
    plan: Experiment,
    folder: Path,
    rows: Rows,
    here: Callable[[str], Row],
    resume: bool,
) -> list[str]:
    """Make the rows of an experiment; return what could not be measured, and why.

    ``here`` says how rows are made on a device.
    """
    failed = []
    for file in plan.names:
        path = folder / file
        part = f"{name} {stem_of(path)}"
        if resume and rows.finished(here(plan.device), part):
            print(f"{part}: finished before", flush=True)
            continue
        where: Row = {"experiment": name, "instance": stem_of(path)}
        ways: dict[str, Row] = {}
        try:
            instance = load_instance(path)
            for row in plan.measure(instance, plan):
                device = plan.device_of(row["system"])
                ways[device] = here(device)
                rows.add(ways[device], {**where, "n": instance.n, **row})
                print(json.dumps({**where, **row}), flush=True)
        except FormicariumError as error:
            failed.append(f"{part}: {error}")
            print(failed[-1], flush=True)
        else:
            for made in ways.values():
                rows.finish(made, part)
    return failed


def tried(plan: Experiment) -> Experiment:
    """Return the experiment at its smallest."""
    cases = [case if case.system in RIVALS else _stand_in(case) for case in plan.cases]
    name = TRIED_GRAPH if ".col" in plan.names[0] else TRIED
    less: Row = {"seeds": (1, 2), "stops": (1, 2), "seconds": 0.1, "limits": {}, "marks": {}}
    less["anytime"] = less["seconds"]
    return dataclasses.replace(plan, cases=cases, goals={}, names=(name,), device="auto", **less)


def _stand_in(case: Case) -> Case:
    """Return the case with a colony that runs here, and the parameters that this one takes."""
    try:
        choose(case.system, "auto")
    except DeviceError:
        alias = next(row.alias for row in catalog.CATALOG if row.name == case.system)
        _, system = choose(alias, "cpu:1")
        known = system.parameters().to_dict()
        values = {name: value for name, value in case.values.items() if name in known}
        return case._replace(system=system.name, values=values)
    return case


def _arguments() -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    parser = argparse.ArgumentParser()
    parser.add_argument("experiment", choices=["all", *EXPERIMENTS])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--seeds", nargs=2, type=int)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--device")
    for option, (who, *_) in PROGRAMS.items():
        said = f"the program {who}, built from its source"
        parser.add_argument(option_of(option), type=Path, help=said)
    parser.add_argument("--commit", help="of these files, where they are no Git checkout")
    parser.add_argument("--try", action="store_true", dest="tries")
    return parser, parser.parse_args()


def main() -> None:
    """Measure what the command line asks for."""
    parser, asked = _arguments()
    changes: dict[str, Any] = {
        name: getattr(asked, name)
        for name in ("seconds", "device")
        if getattr(asked, name) is not None
    }
    if asked.seconds is not None:
        changes |= {"limits": {}, "marks": {}}
    if asked.iterations is not None:
        changes["stops"] = (asked.iterations,)
    if asked.out.resolve() == HERE and (changes or asked.only or asked.seeds or asked.tries):
        parser.error("runs and budgets of the pages are fixed: name another folder by --out")
    commit = asked.commit or commit_here()
    if not commit:
        parser.error("this is no Git checkout: say by --commit which commit is measured")
    programs = {name: getattr(asked, name) for name in PROGRAMS if getattr(asked, name)}
    chosen = {
        name: dataclasses.replace(plan, programs=programs)
        for name, plan in EXPERIMENTS.items()
        if asked.experiment in ("all", name)
    }
    asked.out.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []
    for name, whole in chosen.items():
        plan = _part(whole, asked)
        within = {*plan.all_seeds} <= {*whole.all_seeds}
        plan = tried(plan) if asked.tries else dataclasses.replace(plan, **changes)
        # A part of an experiment is what the whole of it makes, too. These paths are no reader's.
        used = {case.system for case in plan.cases}
        kept = {name: path for name, path in programs.items() if used & {*PROGRAMS[name]}}
        own = [word for name in kept for word in (option_of(name), PROGRAMS[name][0])]
        words = [name, "FOLDER", *own]
        if changes or asked.tries or not within:
            names = {path: PROGRAMS[name][0] for name, path in programs.items()}
            names[asked.folder] = "FOLDER"
            words = [names.get(Path(word), word) for word in sys.argv[1:]]
        command = shlex.join(["python", "docs/measurements/measure.py", *words])
        rows = Rows(asked.out / f"{plan.file}.json")

        @functools.cache
        def here(device: str, name: str = name, command: str = command) -> Row:
            return how(name, commit, devices.find(device), command)

        print(f"{name}: about {plan.minutes:g} minutes in all", flush=True)
        folder = BUNDLED if asked.tries else asked.folder
        missed = measure(name, plan, folder, rows, here, resume=asked.experiment == "all")
        if plan == whole and not missed:
            rows.drop_older(commit, name)
        failed += missed
    if failed:
        sys.exit("not measured:\n" + "\n".join(failed))


def option_of(program: str) -> str:
    """Return the option that says where a program is."""
    return f"--{program.replace('_', '-')}"


def _part(plan: Experiment, asked: argparse.Namespace) -> Experiment:
    """Return what is wanted of an experiment."""
    if asked.names:
        names = [name for name in plan.names if stem_of(Path(name)) in asked.names]
        plan = dataclasses.replace(plan, names=names)
    if asked.only:
        cases = [case for case in plan.cases if {*asked.only} & {*map(str, case.labels.values())}]
        plan = dataclasses.replace(plan, cases=cases)
    return dataclasses.replace(plan, seeds=tuple(asked.seeds)) if asked.seeds else plan


if __name__ == "__main__":
    main()

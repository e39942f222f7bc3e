"""Put together what was measured in parts.

    python docs/measurements/gather.py FOLDER... [--out OUT]

Each FOLDER is what ``measure.py`` was given by --out for a part of an experiment. Their rows go to
OUT, docs/measurements if it is not given, in place of the same rows there; an experiment's rows of
other commits are dropped. At the end it says which rows an experiment lacks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from experiments import EXPERIMENTS
from measure import HERE, Rows, label_of
from runs import Row

from gpu.problems.document import stem_of

SAME = ("experiment", "commit", "version", "device", "detail", "host", "command")
"""What parts that were measured alike have in common."""


def gather(folders: Iterable[Path], out: Path) -> None:
    """Put the rows of all folders into the files in ``out``."""
    newest: dict[str, str] = {}  # commit, by experiment
    ways: dict[tuple[str, ...], Row] = {}
    for path in sorted(path for folder in folders for path in folder.glob("*.json")):
        part, whole = Rows(path), Rows(out / path.name)
        for row in part.rows:
            made = part.made[row.pop("made")]
            newest[row["experiment"]] = made["commit"]
            whole.put(ways.setdefault(tuple(made[name] for name in SAME), made), row)
        whole.write()
    for experiment, commit in newest.items():
        Rows(out / f"{EXPERIMENTS[experiment].file}.json").drop_older(commit, experiment)


def missing(experiment: str, out: Path) -> list[str]:
    """Return the instances and systems of an experiment of which some runs are not there."""
    plan = EXPERIMENTS[experiment]
    rows = Rows(out / f"{plan.file}.json").rows
    there = [row for row in rows if row["experiment"] == experiment]
    found = {json.dumps(label_of(row), sort_keys=True) for row in there}
    refused = {(row["instance"], row["system"]) for row in there if "refused" in row}
    lacking = []
    for name in plan.names:
        for case in plan.cases:
            instance, system = stem_of(Path(name)), case.labels["system"]
            label = {"experiment": experiment, "instance": instance, **case.labels}
            every = [
                json.dumps({**label, "seed": seed}, sort_keys=True)
                for seed in plan.seeds_of(system)
            ]
            count = len({*every} - found)
            if count and (instance, system) not in refused:
                lacking.append(f"{experiment}: {instance}, {case.labels}: {count} of {len(every)}")
    return lacking


def main() -> None:
    """Gather, and say what is missing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=HERE)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    gather(asked.folders, asked.out)
    lacking = [line for name in EXPERIMENTS for line in missing(name, asked.out)]
    print("\n".join(lacking) or "nothing is missing")


if __name__ == "__main__":
    main()

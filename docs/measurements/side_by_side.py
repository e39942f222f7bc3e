"""Measure all experiments in parts, side by side, each on cores and a GPU of its own.

    python docs/measurements/side_by_side.py FOLDER OUT [--seconds S] [--commit C] [--list]
        [--of EXPERIMENT...] [--tiny] [--head PROGRAM] [--lkh PROGRAM] [--ga-eax PROGRAM]

FOLDER is that of ``measure.py``. A part is what one system does on one instance of an experiment.
Parts on a GPU begin first, then long ones. Each has a folder in OUT/parts for its rows and for what
it said; OUT itself has all rows, put together.

After S seconds what still runs is stopped; a part that would take longer does not begin. Called
again with the same OUT, it goes on with the parts that are left. --list only shows them. --tiny
gives each a tiny budget, to see that all is there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from experiments import EXPERIMENTS
from gather import gather
from made import commit_here
from measure import HERE, option_of
from runs import ANYTIME, FAST_TSP, PROGRAMS, RIVALS, Case, Experiment

from gpu.problems.document import stem_of

FIRST = 20.0  # seconds that a part may take for compilers and lists, before it measures
BESIDE_GPU = 4  # cores of a part on a GPU
WIDE_GPU = "crossing-gpu"  # its first tours are made on cores: it gets twice as many
LOOK_EVERY = 0.2  # seconds
TINY = ["--seeds", "1", "1", "--seconds", "0.3", "--iterations", "2"]


@dataclass(frozen=True)
class Part:
    """What is measured in one process."""

    experiment: str
    instance: str
    systems: tuple[str, ...]  # for --only
    cores: int
    gpu: bool
    seconds: float  # that it takes, about

    @property
    def name(self) -> str:
        """The name of its folder."""
        return "+".join([self.experiment, self.instance, *self.systems])

    def command(self, asked: argparse.Namespace, out: Path) -> list[str]:
        """Return what measures it."""
        words = [self.experiment, str(asked.folder), self.instance, "--only", *self.systems]
        kept = ["--out", str(out), "--commit", asked.commit]
        given = {name: getattr(asked, name) for name in PROGRAMS if getattr(asked, name)}
        kept += [word for name in given for word in (option_of(name), str(given[name]))]
        return [sys.executable, str(HERE / "measure.py"), *words, *kept]


def parts_of(name: str, plan: Experiment) -> list[Part]:
    """Return the parts of an experiment."""
    found = []
    for file in plan.names:
        instance = stem_of(Path(file))
        groups: dict[tuple[str, int, bool], list[Case]] = {}
        for case in plan.cases:
            gpu = plan.device_of(case.system) == "cuda"
            word = str(case.labels["threads" if case.system == FAST_TSP else "system"])
            groups.setdefault((word, _cores(plan, case), gpu), []).append(case)
        for (word, cores, gpu), cases in groups.items():
            seconds = FIRST + len(cases) * _seconds(plan, instance, cases[0].system)
            found.append(Part(name, instance, (word,), cores, gpu, seconds))
    return found


def _cores(plan: Experiment, case: Case) -> int:
    if case.system in RIVALS:
        return int(case.labels["threads"])
    if plan.device == "cuda":
        return 2 * BESIDE_GPU if case.system == WIDE_GPU else BESIDE_GPU
    return plan.cores


def _seconds(plan: Experiment, instance: str, system: str) -> float:
    """Return how long all runs of a case take, about."""
    limit = plan.limit(instance)
    if system in ANYTIME:
        return len(plan.seeds_of(system)) * plan.anytime
    if system in RIVALS:
        return len(plan.all_seeds) * sum(plan.marks_on(instance))
    if limit < plan.minutes * 60:
        return len(plan.all_seeds) * 1.1 * limit
    return plan.minutes * 60 / len(plan.names) / len(plan.cases)


def all_parts(wanted: list[str]) -> list[Part]:
    """Return the parts of the wanted experiments, in the order in which they begin."""
    found = [part for name in wanted for part in parts_of(name, EXPERIMENTS[name])]
    return sorted(found, key=lambda part: (not part.gpu, -part.seconds * part.cores))


class Machine:
    """The cores and GPUs that no part has."""

    def __init__(self) -> None:
        self.cores = sorted(os.sched_getaffinity(0), key=_first_sibling)
        self.all = len(self.cores)
        self.gpus = [str(number) for number in range(_gpus())]

    def take(self, part: Part) -> tuple[list[int], str] | None:
        """Take what ``part`` needs, if it is there; a machine with fewer cores gives them all."""
        count = min(part.cores, self.all)
        if len(self.cores) < count or (part.gpu and not self.gpus):
            return None
        taken, self.cores = self.cores[:count], self.cores[count:]
        return taken, self.gpus.pop(0) if part.gpu else ""

    def give_back(self, cores: list[int], gpu: str) -> None:
        """Take back what a part had."""
        self.cores = sorted([*self.cores, *cores], key=_first_sibling)
        self.gpus += [gpu] if gpu else []


def _first_sibling(core: int) -> tuple[int, int]:
    """Return what puts the threads of a physical core side by side."""
    path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
    try:
        return int(path.read_text().replace("-", ",").split(",")[0]), core
    except (OSError, ValueError):
        return core, core


def _gpus() -> int:
    if not (tool := shutil.which("nvidia-smi")):
        return 0
    said = subprocess.run([tool, "-L"], capture_output=True, text=True, check=False).stdout
    return sum(line.startswith("GPU") for line in said.splitlines())


@dataclass
class Running:
    """A part that goes on."""

    part: Part
    process: subprocess.Popen[bytes]
    cores: list[int]
    gpu: str
    began: float
    said: IO[bytes]


def measure_all(asked: argparse.Namespace, todo: list[Part]) -> None:
    """Measure the parts, as many at once as the machine has room for."""
    machine, began, running = Machine(), time.monotonic(), list[Running]()

    def left() -> float:
        return float(asked.seconds - (time.monotonic() - began))

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:6.1f} {text}", flush=True)

    say(f"{machine.all} cores, {len(machine.gpus)} GPUs, {len(todo)} parts")
    waiting = list(todo)
    while (waiting or running) and left() > 0:
        for one in [one for one in running if one.process.poll() is not None]:
            running.remove(one)
            machine.give_back(one.cores, one.gpu)
            one.said.close()
            status = one.process.returncode
            if status == 0:
                (asked.out / "parts" / one.part.name / "done").touch()
            spent = f"{time.monotonic() - one.began:.0f} of {one.part.seconds:.0f} s"
            say(f"{one.part.name}: {'done' if status == 0 else f'FAILED ({status})'} in {spent}")
        for part in list(waiting):
            if not asked.tiny and part.seconds > left():
                continue
            if room := machine.take(part):
                waiting.remove(part)
                running.append(_begin(part, *room, asked))
        if not running:
            break
        time.sleep(LOOK_EVERY)
    for one in running:
        os.killpg(one.process.pid, signal.SIGTERM)
        one.process.wait(10)
        one.said.close()
        say(f"{one.part.name}: stopped")
    say(f"{len(waiting) + len(running)} parts are left")


def _begin(part: Part, cores: list[int], gpu: str, asked: argparse.Namespace) -> Running:
    folder = asked.out / "parts" / part.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = part.command(asked, folder) + (TINY if asked.tiny else [])
    said = (folder / "said.txt").open("wb")
    pinned = ["taskset", "-c", ",".join(map(str, cores)), *command]
    seen: dict[str, Any] = {**os.environ, "CUDA_VISIBLE_DEVICES": gpu}
    process = subprocess.Popen(pinned, env=seen, stdout=said, stderr=said, start_new_session=True)
    return Running(part, process, cores, gpu, time.monotonic(), said)


def main() -> None:
    """Measure what is left, and put all rows together."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=24 * 3600.0)
    parser.add_argument("--commit", default=commit_here())
    parser.add_argument("--of", nargs="+", choices=list(EXPERIMENTS), default=list(EXPERIMENTS))
    parser.add_argument("--list", action="store_true", dest="only_list")
    parser.add_argument("--tiny", action="store_true")
    for program in PROGRAMS:
        parser.add_argument(option_of(program), type=Path)
    asked = parser.parse_args()
    if not asked.commit:
        parser.error("this is no Git checkout: say by --commit which commit is measured")
    parts = asked.out / "parts"
    todo = [part for part in all_parts(asked.of) if not (parts / part.name / "done").exists()]
    if asked.only_list:
        for part in todo:
            where = f"{part.cores} cores{', a GPU' if part.gpu else ''}"
            print(f"{part.name}: {part.seconds:.0f} s on {where}")
        gpu = sum(part.seconds for part in todo if part.gpu)
        cores = sum(part.seconds * part.cores for part in todo)
        print(f"{len(todo)} parts, {gpu:.0f} s of a GPU, {cores:.0f} s of a core")
        return
    measure_all(asked, todo)
    gather(sorted(path.parent for path in parts.glob("*/done")), asked.out)


if __name__ == "__main__":
    main()

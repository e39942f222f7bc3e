"""How the programs are run that are no colonies of ours, and what they find against time."""

from __future__ import annotations

import importlib
import io
import os
import random
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Self

import numpy as np
from numpy.typing import NDArray
from runs import FAST_TSP, GA_EAX, GCOL, HEAD, LKH, TOLD_HEAD, Case, Experiment

from gpu.core.errors import DeviceError, ParameterError
from gpu.core.instance import Instance
from gpu.cpu.compilation import cached
from gpu.cpu.geometry import CityGeometry, distance, geometry_of
from gpu.problems.coloring.dimacs import write_graph
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.tsp.instance import TspInstance

Followed = tuple[int, list[tuple[float, int, int]]]
"""A seed, and its run: seconds, iteration and cost of improvements."""

Follow = Callable[[Instance, Case, Experiment], Iterator[Followed]]
"""Makes the runs of a case on an instance."""

LEAST_SECONDS = 0.001  # that a run of HEAD takes, however long reading takes
MOST_DISTANCE = 2**16 - 1  # that fast-tsp takes
MOST_FOR_FAST_TSP = 40_000
"""Cities: the matrix that fast-tsp takes would be larger than 3 GiB."""


def _installed(name: str, package: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DeviceError(f"{package} is not installed: pip install {package}") from error


def fast_tsp(instance: Instance, case: Case, plan: Experiment) -> Iterator[Followed]:
    """Run fast-tsp, which shows nothing on its way: once for each mark.

    It gets the distances as a matrix, whose making does not count. It has no seed.
    """
    program = _installed("fast_tsp", FAST_TSP)
    assert isinstance(instance, TspInstance)
    matrix, threads = _matrix(instance), case.labels["threads"]
    for seed in plan.all_seeds:
        found = []
        for seconds in plan.marks_on(instance.name):
            tour = program.find_tour(matrix, seconds, max_threads=threads)
            found.append((seconds, 0, instance.tour_length(np.array(tour))))
        yield seed, found


def _matrix(instance: TspInstance) -> NDArray[np.uint16]:
    if instance.n > MOST_FOR_FAST_TSP:
        size = 2 * instance.n**2 / 2**30
        raise ParameterError(f"the matrix that fast-tsp takes would have {size:.0f} GiB")
    matrix = np.zeros((instance.n, instance.n), np.uint16)
    if not _fill(geometry_of(instance, 1.0), matrix):
        raise ParameterError(f"fast-tsp takes no distances as long as those of {instance.name}")
    return matrix


@cached
def _fill(geometry: CityGeometry, matrix: NDArray[np.uint16]) -> bool:
    """Write all distances; return False at one that is too long."""
    for a in range(len(matrix)):
        for b in range(a):
            here = distance(geometry, a, b)
            if here > MOST_DISTANCE:
                return False
            matrix[a, b] = matrix[b, a] = here
    return True


def head(instance: Instance, case: Case, plan: Experiment) -> Iterator[Followed]:
    """Run HEAD: with a color fewer than DSATUR, then with a color fewer than it found, and so on.

    HEAD itself knows one number of colors; it is given DSATUR's coloring. When it is told a number,
    it searches for that alone. A run of HEAD that ends without, because its two colorings are
    alike, is followed by another one. The time in which it reads the graph does not count. The
    iteration is the number of its runs.
    """
    where = plan.program("head")
    assert isinstance(instance, GraphInstance)
    goal, limit = plan.goal(instance), plan.limit(instance.name)
    greedy = int(dsatur_coloring(instance).max()) + 1
    first = greedy - 1
    if case.system == TOLD_HEAD:
        goal = first = plan.told.get(instance.name, goal)
    with TemporaryDirectory() as folder:
        program = HeadProgram(where, Path(folder), instance)
        for seed in plan.all_seeds:
            found = [] if case.system == TOLD_HEAD else [(0.0, 0, greedy)]
            spent, colors, runs = 0.0, first, 0
            while colors >= max(goal, 1) and spent < limit:
                runs += 1
                took, cost = program.color(colors, 1000 * seed + runs, limit - spent)
                spent += took
                if cost is not None and spent <= limit:
                    found.append((spent, runs, cost))
                    colors = cost - 1
            yield seed, found


@dataclass
class HeadProgram:
    """The program HEAD, at work on a graph in a folder of its own."""

    program: Path
    folder: Path
    graph: GraphInstance

    def __post_init__(self) -> None:
        # It takes no longer path than 79 characters: it gets a short one, in the folder.
        write_graph(self.folder / "graph.col", self.graph)
        self.reading = statistics.median(self._run(9, "-g", "0")[0] for _ in range(5))

    def color(self, colors: int, seed: int, seconds: float) -> tuple[float, int | None]:
        """Search for so many colors: the seconds it took, and how many were found, if any."""
        saved = self.folder / "coloring"
        saved.unlink(missing_ok=True)
        try:
            words = ("-d", str(seed), "-o", saved.name)
            took, said = self._run(colors, *words, seconds=seconds + self.reading)
        except subprocess.TimeoutExpired:
            return seconds, None
        cost = None
        if re.search(r"^nb conflicted edges: 0$", said, re.MULTILINE):
            (line,) = (one for one in saved.read_text().splitlines() if one and one[0] != "#")
            _, numbers = np.unique(np.array(line.split(), np.int64), return_inverse=True)
            cost = self.graph.cost_of(numbers)  # checks it
        return max(LEAST_SECONDS, took - self.reading), cost

    def _run(self, colors: int, *words: str, seconds: float | None = None) -> tuple[float, str]:
        command = [str(self.program), "-q", "-r", "1", *words, "graph.col", str(colors)]
        one_core = {**os.environ, "OMP_NUM_THREADS": "1"}
        began = time.perf_counter()
        ended = subprocess.run(
            command,
            cwd=self.folder,
            env=one_core,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
        )
        return time.perf_counter() - began, ended.stdout


def gcol(instance: Instance, case: Case, plan: Experiment) -> Iterator[Followed]:
    """Run gcol: DSATUR and its tabu search, which takes one color after the other away.

    The graph as networkx has it is made before; that does not count. What gcol says on its way has
    the number of colors alone: the coloring that it returns is checked.
    """
    node_coloring = _installed("gcol", GCOL).node_coloring
    networkx = _installed("networkx", "networkx")
    assert isinstance(instance, GraphInstance)
    graph = networkx.Graph()
    graph.add_nodes_from(range(instance.n))
    graph.add_edges_from(instance.edges.tolist())
    for seed in plan.all_seeds:
        random.seed(seed)
        limit = plan.limit(instance.name)
        told = GcolWords(time.perf_counter(), limit, plan.goal(instance))
        with redirect_stdout(told):
            colors = node_coloring(graph, opt_alg=2, it_limit=UntilOver(told), verbose=1)
        cost = instance.cost_of(np.array([colors[vertex] for vertex in range(instance.n)]))
        if cost < told.least:
            told.note(cost)
        assert cost == told.least, f"gcol says {told.least} colors, and its coloring has {cost}"
        yield seed, [each for each in told.found if each[0] <= limit]


class GcolWords(io.StringIO):
    """Reads what gcol prints: when it has found so many colors."""

    def __init__(self, began: float, limit: float, goal: int) -> None:
        super().__init__()
        self.began, self.limit, self.goal = began, limit, goal
        self.found: list[tuple[float, int, int]] = []

    @property
    def least(self) -> float:
        """The least number of colors so far."""
        return self.found[-1][2] if self.found else float("inf")

    @property
    def over(self) -> bool:
        """Whether the goal is reached, or the time is up."""
        return self.least <= self.goal or time.perf_counter() - self.began >= self.limit

    def write(self, text: str) -> int:
        """Take in a part of a line; a number of colors is a part by itself."""
        if text.isdigit() and self.getvalue().endswith("Found solution with "):
            self.note(int(text))
        return super().write(text)

    def note(self, colors: int) -> None:
        """Note that so many colors are found now."""
        self.found.append((time.perf_counter() - self.began, len(self.found), colors))


class UntilOver(int):
    """A number of iterations for gcol, which knows no other limit: reached when time is up."""

    words: GcolWords

    def __new__(cls, words: GcolWords) -> Self:
        """Make one that asks ``words`` whether it is reached."""
        made = super().__new__(cls, 2**62)
        made.words = words
        return made

    def __le__(self, done: int) -> bool:
        return self.words.over

    def __gt__(self, done: int) -> bool:
        return not self.words.over

    def __sub__(self, done: int) -> Self:
        return self


POPMUSIC_FROM = 10_000
"""Cities from which LKH gets candidates by POPMUSIC: those by alpha take it minutes."""


def lkh(instance: Instance, case: Case, plan: Experiment) -> Iterator[Followed]:
    """Run LKH, once, for as long as the plan has it. Its time has reading and candidates in it."""
    program, limit = plan.program("lkh"), plan.anytime
    assert isinstance(instance, TspInstance)
    for seed in plan.seeds_of(LKH):
        with TemporaryDirectory() as folder:
            write_cities(Path(folder) / "cities.tsp", instance)
            words = {
                **{"PROBLEM_FILE": "cities.tsp", "RUNS": 1, "MAX_TRIALS": 10**9, "SEED": seed},
                **{"TRACE_LEVEL": 1, "OPTIMUM": plan.goal(instance), "STOP_AT_OPTIMUM": "YES"},
            }
            if instance.n >= POPMUSIC_FROM:
                words |= {"CANDIDATE_SET_TYPE": "POPMUSIC", "INITIAL_PERIOD": 100}
            lines = [f"{key} = {value}\n" for key, value in words.items()]
            (Path(folder) / "parameters").write_text("".join(lines))
            command = [str(program), "parameters"]
            yield seed, listen(command, Path(folder), r"^(?:\* |Run )\d+: Cost = (\d+)", limit)


def ga_eax(instance: Instance, case: Case, plan: Experiment) -> Iterator[Followed]:
    """Run GA-EAX, once, for as long as the plan has it: 300 tours, 30 children of a pair.

    Its time has reading and first tours in it. A line is a generation.
    """
    program, limit = plan.program("ga_eax"), plan.anytime
    assert isinstance(instance, TspInstance)
    for seed in plan.seeds_of(GA_EAX):
        with TemporaryDirectory() as folder:
            write_cities(Path(folder) / "cities.tsp", instance)
            command = [str(program), "1", "found", "300", "30", "cities.tsp"]
            yield seed, listen(command, Path(folder), r"^\d+: (\d+) ", limit)


def write_cities(path: Path, instance: TspInstance) -> None:
    """Write cities as TSPLIB has them, with the blanks that GA-EAX wants around colons."""
    assert instance.coordinates is not None
    lines = [
        *("NAME : cities", "TYPE : TSP", f"DIMENSION : {instance.n}"),
        *(f"EDGE_WEIGHT_TYPE : {instance.metric.value}", "NODE_COORD_SECTION"),
    ]
    places = enumerate(instance.coordinates.tolist(), 1)
    lines += [f"{number} {x:.17g} {y:.17g}" for number, (x, y) in places]
    path.write_text("\n".join([*lines, "EOF", ""]))


def listen(
    command: list[str], folder: Path, line: str, seconds: float
) -> list[tuple[float, int, int]]:
    """Run a program for so long: seconds, line and cost of improvements, as it says itself."""
    found: list[tuple[float, int, int]] = []
    began = time.perf_counter()
    # Programs hold lines back unless they write to a terminal, or are told not to.
    words = ["timeout", f"{seconds}", "stdbuf", "--output=L", *command]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        said = 0
        for text in running.stdout:
            if told := re.match(line, text):
                said += 1
                if not found or int(told[1]) < found[-1][2]:
                    found.append((time.perf_counter() - began, said, int(told[1])))
    if not found and running.returncode != TIME_IS_UP:
        raise DeviceError(f"{Path(command[0]).name} failed: it ended with {running.returncode}")
    return found


TIME_IS_UP = 124
"""What ``timeout`` ends with when it ended the program."""

FOLLOW: dict[str, Follow] = {
    **{FAST_TSP: fast_tsp, HEAD: head, TOLD_HEAD: head, GCOL: gcol},
    **{LKH: lkh, GA_EAX: ga_eax},
}
"""How each of them is run."""

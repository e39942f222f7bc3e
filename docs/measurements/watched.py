"""How soon ants find a better tour than the nearest neighbours' one: what is worth watching.

    python docs/measurements/watched.py

Prints a row for each map of the gallery, colony and number of ants: the first iteration with such a
tour ("-" if there is none among the first 100), and how many percent the best tour is from that of
the nearest neighbours after 1 iteration and after 20, each for seeds 1 to 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

from made import commit_here, how, sentence

from gpu import catalog
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.cpu.first_tours import nearest_neighbour_length
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance

MAPS = "ring-50", "uniform-100", "ring-200", "clustered-500", "uniform-1000"
COLONIES: Mapping[str, Mapping[str, object]] = {
    "acs-seq": {},
    "mmas-seq": {"rho": 0.1, "candidates": 16},
}
ANTS, SEEDS = (10, 20), (1, 2, 3)
LOOKS, MOST = (1, 20), 100  # iterations


def watch(instance: TspInstance, colony: str, ants: int, seed: int) -> tuple[str, list[str]]:
    """Return the iteration of the first better tour, and gaps at some iterations."""
    first, gaps, nearest = "-", [], nearest_neighbour_length(instance)
    system, device = catalog.named(colony), devices.find("cpu:1")
    parameters = system.parameters.from_mapping({**COLONIES[colony], "ants": ants})
    with closing(catalog.build(system, instance, parameters, device, seed)) as built:
        for iteration in range(1, MOST + 1):
            built.iterate(1)
            gap = 100 * (built.snapshot(Wanted.NUMBERS).cost / nearest - 1)
            if iteration in LOOKS:
                gaps.append(f"{gap:+.1f}")
            if gap < 0 and first == "-":
                first = str(iteration)
            if first != "-" and iteration >= LOOKS[-1]:
                break
    return first, gaps


def main() -> None:
    """Print all rows."""
    made = how("watched", commit_here(), devices.find("cpu:1"), "watched.py")
    print(f"Made {sentence([made])}")
    print("| map | colony | ants | first better tour | % after 1 | % after 20 |")
    print("| --- | --- | ---: | --- | --- | --- |")
    for name in MAPS:
        instance = load_instance(next(one.path for one in bundled() if one.name == name))
        assert isinstance(instance, TspInstance)
        for colony in COLONIES:
            for ants in ANTS:
                found = [watch(instance, colony, ants, seed) for seed in SEEDS]
                cells = ", ".join(first for first, _ in found)
                gaps = [", ".join(gaps[at] for _, gaps in found) for at in range(len(LOOKS))]
                print(f"| {name} | {colony} | {ants} | {cells} | {' | '.join(gaps)} |", flush=True)


if __name__ == "__main__":
    main()

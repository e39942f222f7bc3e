"""The kernels of the Ant Colony Systems."""

from __future__ import annotations

from gpu.cuda.kernels import pictures_of
from gpu.cuda.loader import KernelSource

CAPACITIES = (8, 16, 32)
"""Sizes of a city's selective memory that kernels are instantiated for."""

_WALKS = ("MatrixWalk", *(f"SelectiveWalk<{size}>" for size in CAPACITIES))

ALL_TOURS = KernelSource(
    "gpu/acs/cuda/all_tours.cu", tuple(f"build_tours<{walk}, EveryTour>" for walk in _WALKS)
)
TOURS = KernelSource(
    "gpu/acs/cuda/tours.cu", tuple(f"build_tours<{walk}, BestOfWarp>" for walk in _WALKS)
)
STEPS = KernelSource("gpu/acs/cuda/steps.cu", ("step_tours",))
REPLICAS = KernelSource("gpu/acs/cuda/replicas.cu", ("weigh_edges", "step_tours_on_replicas"))
TURNS = KernelSource("gpu/acs/cuda/turns.cu", ("step_many_tours",))
UPDATE = KernelSource(
    "gpu/acs/cuda/update.cu",
    (
        "start_matrix",
        "start_memory",
        "update_matrix",
        *(f"update_memory<{size}>" for size in CAPACITIES),
    ),
)
PICTURES = KernelSource(
    "gpu/acs/cuda/pictures.cu",
    pictures_of("MatrixTrails", *(f"MemoryTrails<{size}>" for size in CAPACITIES)),
)

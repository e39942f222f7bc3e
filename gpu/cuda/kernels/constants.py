"""Numbers that kernels of several families and their launchers share; see gpu/cuda/arguments.py."""

from __future__ import annotations

import enum

import numpy as np

from gpu.core import history, random, trails
from gpu.core.random import Purpose as Purpose  # which C++ gets too
from gpu.cuda import arguments as c
from gpu.problems.tsp import neighbours

LANES: c.Int32 = 32  # threads of a warp, and candidates in a row

ANT_BITS: c.Int32 = 20
"""Low bits of an iteration's best that name the ant: enough for the million that may be asked."""

KEPT_COSTS: c.UInt64 = history.HISTORY_KEPT

CITY_BITS: c.Int32 = 24  # of a packed candidate, for its city
NOT_LISTED: c.UInt32 = neighbours.NOT_LISTED
BACKUP_ROWS: c.Int32 = neighbours.BACKUP // LANES  # of a city's backup list: cities a lane has

LEAST_WEIGHT: c.Float64 = neighbours.LEAST_WEIGHT
LIGHTEST: c.Float32 = neighbours.LIGHTEST
HEAVIEST: c.Float32 = neighbours.HEAVIEST
LEAST_TRAIL: c.Float32 = trails.LEAST_TRAIL
LAMBDA: c.Float32 = np.float32(trails.LAMBDA)

PHILOX_ROUNDS: c.Int32 = random.ROUNDS
PHILOX_MULTIPLIERS: tuple[c.UInt32, ...] = random.MULTIPLIERS
PHILOX_KEY_STEPS: tuple[c.UInt32, ...] = random.KEY_STEPS
SPARE_BITS: c.Int32 = 32 - random.DRAW_BITS  # low bits of a random word that a draw leaves out
DRAW_UNIT: c.Float32 = np.float32(2.0**-random.DRAW_BITS)
LOG2_TERMS: tuple[c.Float32, ...] = tuple(np.float32(term) for term in random.LOG2_TERMS)
ROOT_HALF_BITS: c.Int32 = random.ROOT_HALF_BITS
ROUNDER: c.Float32 = np.float32(random.ROUNDER)
ROUNDER_BITS: c.UInt32 = random.ROUNDER_BITS
SCALE_BITS: c.UInt32 = random.SCALE_BITS


class MetricNumber(enum.IntEnum):
    """The metrics by which kernels compute distances from coordinates; others come as a matrix."""

    MATRIX = 0
    EUC_2D = 1
    CEIL_2D = 2
    ATT = 3
    MAN_2D = 4
    MAX_2D = 5

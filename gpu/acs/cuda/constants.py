"""Numbers that the kernels of the Ant Colony Systems share with their launchers."""

from __future__ import annotations

from gpu.cuda import arguments as c
from gpu.cuda.kernels.constants import LANES

TAIL_STRIDE: c.Int32 = 4
"""Words from one city's tail to the next: 16 bytes, the least that can be read ahead."""

NO_FAR_CITY: c.Int32 = -1  # a place in ``far`` that has none
TOO_MANY_FAR: c.Int32 = -2  # stands in the last place where there is no room for all

SLOT_WORDS: c.Int32 = 2 * 4 * LANES  # of shared memory into which a warp reads two cities ahead

ANT_RECORD_WORDS: c.Int32 = 6  # of an ant that takes turns, in pairs, without its tabu bits

TIME_BITS: c.Int32 = 20  # for the number of a step at which a trail was updated

PLACE_BITS: c.UInt32 = 14
"""For a place in the candidate lists, or past their end a city, in what an ant reports of a step to
blocks with replicas; the highest place stands for none."""

OUTSIDE_PLACES: c.UInt32 = 512  # the highest places: cities

STEP_THREADS: c.Int32 = 640  # of a block whose ants have a warp each, at most
TURNING_WARPS: c.Int32 = 16  # of a block of ants that take turns

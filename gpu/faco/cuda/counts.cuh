// What a colony of Focused ACO counts besides its state, and how it keeps tours.
#pragma once

#include "slices.cuh"
#include "walk.cuh"

// The same order as in colony.py.
enum Count : int {
    MOVES_NOW,  // of the iteration under way
    MOVES,      // of the last one
    CROWDED     // ants of all iterations that stopped searching because no room was left
};

// Rows of a tour that is kept: int4 (slices, origin, direction, mirrored), then its slices. The
// same in kernels.py.
constexpr int MOST_KEPT = 1 + MOST_SLICES;
constexpr int MOST_BUILT = 1 + 2 * MOST_RUNS;  // before the local search

// How an ant of the Ant System tells of its tour.
#pragma once

#include "colony_state.cuh"
#include "geometry.cuh"

// All lanes of the warp call this once the tour stands in memory.
__device__ __forceinline__ void report_tour(ColonyState* state, const Geometry& geometry,
                                            const int* tour, int ant, Word* lengths, int lane) {
    Word length = tour_length(geometry, tour, lane);
    if (lane == 0) lengths[ant] = length;
    report_tours(state, length << ANT_BITS | static_cast<Word>(ant), length, lane);
}

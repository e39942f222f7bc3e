// How an ant of an Ant System reports its tour.
#pragma once

#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/geometry.cuh"
#include "gpu/cuda/kernels/philox.cuh"

// The length of a tour, computed while it is built. A warp holds 32 cities at a time, one a lane,
// so the tour need not be read again. All lanes of the warp call these.
struct GrowingTour {
    Geometry geometry;
    int start, last;
    Word sum = 0;  // over the edges that this lane has seen

    // Cities at places `first` to before `end` of the tour, at most 32; `first` is a multiple
    // of 32.
    INLINE void add(int city, int first, int end, int lane) {
        int before = __shfl_up_sync(ALL_LANES, city, 1);
        if (lane == 0) before = last;
        int place = first + lane;
        if (place > 0 && place < end) sum += geometry.distance(before, city);
        last = __shfl_sync(ALL_LANES, city, end - first - 1);
    }

    // Closes the tour and reports it.
    INLINE void report(ColonyState* state, int ant, Word* lengths, int lane) {
        if (lane == 0) sum += geometry.distance(last, start);
        Word length = warp_sum(sum);
        if (lane == 0) lengths[ant] = length;
        report_tours(state, length << ANT_BITS | Word(ant), length, lane);
    }
};

// Reports a tour that is in memory. All lanes of the warp call this.
INLINE void report_tour(ColonyState* state, const Geometry& geometry, const int* tour, int ant,
                        Word* lengths, int lane) {
    Word length = tour_length(geometry, tour, lane);
    if (lane == 0) lengths[ant] = length;
    report_tours(state, length << ANT_BITS | Word(ant), length, lane);
}

// The few numbers that a colony keeps on the device between launches, as 64-bit words.
#pragma once

#include "portable.cuh"

typedef unsigned long long Word;

struct ColonyState {
    Word iteration;       // iterations finished
    Word running_best;    // of the iteration under way: length << ANT_BITS | ant, or ~0
    Word running_sum;     // of the iteration under way: sum of the tours' lengths
    Word best_length;     // of all iterations, or ~0
    Word best_iteration;  // that found it, from 1
    Word iteration_best;  // of the last iteration: length << ANT_BITS | ant
    Word iteration_sum;   // of the last iteration
    Word local_hits;      // of the selective memory
    Word local_total;
    Word global_hits;
    Word global_total;
    unsigned finished;  // blocks of the global update that have done their part
    unsigned arrivals;  // of the grid barrier
};

// What an iteration found. Those of the last KEPT iterations lie behind the state: that of
// iteration i at i mod KEPT.
struct Costs {
    Word best;  // of its best tour
    Word sum;   // of all its tours
};

INLINE Costs* costs_of(ColonyState* state, Word iteration) {
    return reinterpret_cast<Costs*>(state + 1) + iteration % KEPT;
}

// Counts an iteration. One thread calls this, when the iteration before had this number.
INLINE void count_iteration(ColonyState* state, Word before, Word best, Word sum) {
    state->iteration = before + 1;
    state->iteration_best = best;
    state->iteration_sum = sum;
    *costs_of(state, before + 1) = {best >> ANT_BITS, sum};
}

// A warp reports the tours it built: the best as length << ANT_BITS | ant, or ~0 for none.
INLINE void report_tours(ColonyState* state, Word best, Word sum, int lane) {
    if (lane != 0 || best == ~0ull) return;
    atomicMin(&state->running_best, best);
    atomicAdd(&state->running_sum, sum);
}

// Every lane of a warp reports the tour that it built: length << ANT_BITS | ant, or ~0 and 0 for
// none.
INLINE void report_each(ColonyState* state, Word key, Word length, int lane) {
    key = warp_reduced(key, [](Word one, Word other) { return min(one, other); });
    report_tours(state, key, warp_sum(length), lane);
}

// The few numbers that a colony keeps on the device between launches, as 64-bit words.
#pragma once

#include "order.cuh"
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

// What an iteration found. Those of the last KEPT_COSTS iterations lie behind the state: that of
// iteration i at i mod KEPT_COSTS.
struct Costs {
    Word best;  // of its best tour
    Word sum;   // of all its tours
};

INLINE Costs* costs_of(ColonyState* state, Word iteration) {
    return reinterpret_cast<Costs*>(state + 1) + iteration % KEPT_COSTS;
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

// The end of an iteration: which ant was the best, and what the state reports of it.

// Which ant built the best tour of the iteration, and whether it is the best of all. Every block of
// the update works this out for itself; one block writes it down.
struct Election {
    const int* winner;  // the best tour of the iteration
    const int* tour;    // the best tour of all, wherever it stands now
    bool improved;
    double length;

    __device__ Election(const ColonyState* state, const int* tours, const int* holders, int rows,
                        int n, const int* best_tour) {
        Word running = state->running_best, best = state->best_length;
        improved = running >> ANT_BITS < best;
        length = double(improved ? running >> ANT_BITS : best);
        int row = int(running & ((1 << ANT_BITS) - 1)) % rows;
        winner = tours + (holders ? 2ll * row + holders[row] : row) * n;
        tour = improved ? winner : best_tour;
    }

    __device__ void keep(int* best_tour, int i) const {
        if (improved) best_tour[i] = tour[i];
    }
};

// All threads call this when they have read the state; the last block to do so closes the
// iteration. One thread of each block asks for its number at once and looks at it at the end. It
// releases what its block has read, and the last one acquires it: nobody reads what that one
// writes.
struct Closing {
    unsigned number = 0;
    Word iteration, best, sum;  // as all blocks read them

    INLINE explicit Closing(ColonyState* state) {
        if (threadIdx.x == 0) {
            iteration = state->iteration;
            best = state->running_best;
            sum = state->running_sum;
        }
        __syncthreads();
        if (threadIdx.x == 0) number = count_released(&state->finished);
    }

    // Whether this thread closes the iteration.
    INLINE bool is_last() const {
        if (threadIdx.x != 0 || number != gridDim.x - 1) return false;
        acquire();
        return true;
    }

    INLINE void finish(ColonyState* state, bool improved) const {
        if (!is_last()) return;
        state->finished = 0;
        state->arrivals = 0;
        count_iteration(state, iteration, best, sum);
        if (improved) {
            state->best_length = best >> ANT_BITS;
            state->best_iteration = iteration + 1;
        }
        state->running_best = ~0ull;
        state->running_sum = 0;
    }
};

// Before the first iteration.
INLINE void reset(ColonyState* state) {
    *state = ColonyState{};
    state->running_best = state->best_length = ~0ull;
}

// The end of an iteration: which ant was the best, and what the state reports of it.
#pragma once

#include "colony_state.cuh"
#include "order.cuh"

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

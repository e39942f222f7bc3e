// MMAS-RWM with candidate lists (2020): the roulette wheel.
#include "mmas_lists.cuh"
#include "roulette.cuh"

struct RouletteWheel {
    unsigned words;  // for 32 steps, one a lane

    __device__ __forceinline__ RouletteWheel(const Draws& draws, int step, int lane)
        : words(draws.spin((step & -LANES) + lane)) {}

    // The city that is drawn, or -1 where no candidate is left.
    template <int ROWS, class Tabu>
    __device__ __forceinline__ int choose(const CandidateLists& lists, const Tabu& tabu, int from,
                                          int step, int lane) const {
        int first = from * lists.width + lane, cities[ROWS];
        float weights[ROWS], top = 0.0f;
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            bool there = ROWS == 1 || row * LANES < lists.width;
            cities[row] = there ? lists.cities[first + row * LANES] : from;
            weights[row] = there ? lists.weights[first + row * LANES] : 0.0f;
        }
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            if (tabu.visited(cities[row], step)) weights[row] = 0.0f;
            top = fmaxf(top, weights[row]);
        }
        unsigned largest = warp_max(__float_as_uint(top));
        if (largest == 0) return -1;
        Wheel wheel(__uint_as_float(largest));
        unsigned units[ROWS], totals[ROWS], all = 0;
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            units[row] = wheel.units(weights[row]);
            totals[row] = warp_total(units[row]);
            all += totals[row];  // 2^31 at most
        }
        unsigned stop = __umulhi(__shfl_sync(ALL_LANES, words, step & (LANES - 1)), all);
        unsigned own = units[0];
        int city = cities[0];
        bool found = false;
#pragma unroll
        for (int row = 0; row + 1 < ROWS; ++row) {
            found = found || stop < totals[row];
            if (found) continue;
            stop -= totals[row];
            own = units[row + 1];
            city = cities[row + 1];
        }
        unsigned beyond = __ballot_sync(ALL_LANES, prefix_sums_at_once(own, lane) > stop);
        return __shfl_sync(ALL_LANES, city, __ffs(beyond) - 1);
    }
};

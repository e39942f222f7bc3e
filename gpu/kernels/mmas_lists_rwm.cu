// MMAS-RWM with candidate lists (2020): the roulette wheel.
#include "mmas_lists.cuh"
#include "roulette.cuh"

struct RouletteWheel {
    unsigned words;  // for 32 steps, one a lane

    __device__ __forceinline__ RouletteWheel(const Draws& draws, int step, int lane)
        : words(draws.spin((step & -LANES) + lane)) {}

    // Draws a city and marks it; false where no candidate is left.
    template <int ROWS, class Lists, class Tabu>
    __device__ __forceinline__ bool choose(const Lists& lists, const Tabu& tabu, int& city,
                                           int step, int lane) const {
        int from = city;
        int first = from * lists.width + lane, cities[ROWS];
        float weights[ROWS], top = 0.0f;
        unsigned seen[ROWS];
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            cities[row] = from;
            weights[row] = 0.0f;
            if (ROWS == 1 || row * LANES < lists.width)
                lists.read(first + row * LANES, cities[row], weights[row]);
        }
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            seen[row] = tabu.seen(cities[row]);
            if (tabu.visited(seen[row], cities[row], step)) weights[row] = 0.0f;
            top = row == 0 ? weights[0] : fmaxf(top, weights[row]);
        }
        unsigned largest = warp_max(__float_as_uint(top));
        if (largest == 0) return false;
        Wheel wheel(__uint_as_float(largest));
        unsigned units[ROWS], totals[ROWS], all = 0;
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            units[row] = wheel.units(weights[row]);
            totals[row] = warp_total(units[row]);
            all += totals[row];  // 2^31 at most
        }
        unsigned stop = __umulhi(__shfl_sync(ALL_LANES, words, step & (LANES - 1)), all);
        unsigned own = units[0], own_seen = seen[0];
        city = cities[0];
        bool found = false;
#pragma unroll
        for (int row = 0; row + 1 < ROWS; ++row) {
            found = found || stop < totals[row];
            if (found) continue;
            stop -= totals[row];
            own = units[row + 1];
            own_seen = seen[row + 1];
            city = cities[row + 1];
        }
        unsigned passed = __ballot_sync(ALL_LANES, prefix_sums_soon(own, lane) <= stop);
        int winner = __popc(passed);  // lanes before it
        __syncwarp();                 // all have read the tabu
        if (lane == winner) tabu.mark(own_seen, city, step);
        city = __shfl_sync(ALL_LANES, city, winner);
        return true;
    }
};

// MMAS-RWM with candidate lists (2020): the roulette wheel.
#include "gpu/construction/cuda/roulette.cuh"
#include "lists.cuh"

struct RouletteWheel {
    EightSums eights;
    unsigned words;  // for 32 steps, one a lane

    INLINE RouletteWheel(const Draws& draws, int first, int lane)
        : eights(lane), words(draws.spin(first + lane)) {}

    // Draws a city and marks it; false where no candidate is left.
    template <int ROWS, class Lists, class Tabu>
    INLINE bool choose(const Lists& lists, const Tabu& tabu, int& city, int first, int place,
                       int lane) const {
        int step = first + place, start = city * (ROWS == 1 ? LANES : lists.width);
        int cities[ROWS];
        float weights[ROWS], top = 0.0f;
        unsigned seen[ROWS], word = __shfl_sync(ALL_LANES, words, place);
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            cities[row] = city;
            weights[row] = 0.0f;
            if (ROWS == 1 || row * LANES < lists.width)
                lists.read(start + row * LANES, cities[row], weights[row]);
        }
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            seen[row] = tabu.seen(cities[row]);
            if (tabu.visited(seen[row], cities[row], step)) weights[row] = 0.0f;
            top = row == 0 ? weights[0] : fmaxf(top, weights[row]);
        }
        unsigned largest = warp_max(__float_as_uint(top));
        Wheel wheel(__uint_as_float(largest));
        unsigned units[ROWS], totals[ROWS], all = 0;
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            units[row] = wheel.units(weights[row]);
            totals[row] = warp_total(units[row]);
            all += totals[row];  // 2^31 at most
        }
        unsigned stop = __umulhi(word, all), own = units[0], own_seen = seen[0];
        int own_city = cities[0];
        bool found = false;
#pragma unroll
        for (int row = 0; row + 1 < ROWS; ++row) {
            found = found || stop < totals[row];
            if (found) continue;
            stop -= totals[row];
            own = units[row + 1];
            own_seen = seen[row + 1];
            own_city = cities[row + 1];
        }
        bool here = eights.stops_here(own, stop, lane);  // nowhere, if no candidate is left
        __syncwarp();                                    // all have read the tabu
        if (here) tabu.mark(own_seen, own_city, step);
        own_city = int(warp_max(here ? unsigned(own_city) : 0));
        if (largest == 0) return false;
        city = own_city;
        return true;
    }
};

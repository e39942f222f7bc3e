// MMAS-WRS with candidate lists (2020): weighted reservoir sampling.
#include "lists.cuh"
#include "reservoir.cuh"

struct ReservoirSampling {
    OwnWords keys;  // of 32 steps, one a lane

    INLINE ReservoirSampling(const Draws& draws, int first, int lane)
        : keys(draws, first + lane, RESERVOIR) {}

    // Draws a city and marks it; false where no candidate is left.
    template <int ROWS, class Lists, class Tabu>
    INLINE bool choose(const Lists& lists, const Tabu& tabu, int& city, int first, int place,
                       int lane) const {
        int step = first + place, start = city * (ROWS == 1 ? LANES : lists.width);
        OwnWords words(keys, place);
        Sample best = Sample::none();
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            if (ROWS > 1 && row * LANES >= lists.width) break;
            int other;
            float inverse;
            lists.read(start + row * LANES, other, inverse);
            unsigned seen = tabu.seen(other);
            float key = Reservoir::minus_log2(words.of(other)) * inverse;
            if (!tabu.visited(seen, other, step)) best.offer(key, other, int(seen));
        }
        unsigned bits = __float_as_uint(best.key), least = warp_min(bits);
        unsigned mine = bits == least ? unsigned(best.city) : ~0u;
        unsigned winner = warp_min(mine);
        if (least == 0x7f800000u) return false;
        __syncwarp();  // all have read the tabu
        if (mine == winner) tabu.mark(unsigned(best.place), best.city, step);
        city = int(winner);
        return true;
    }
};

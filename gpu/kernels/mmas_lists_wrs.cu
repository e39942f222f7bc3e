// MMAS-WRS with candidate lists (2020): weighted reservoir sampling.
#include "mmas_lists.cuh"
#include "reservoir.cuh"

struct ReservoirSampling {
    Reservoir reservoir;

    __device__ __forceinline__ ReservoirSampling(const Draws& draws, int, int) : reservoir{draws} {}

    // The city that is drawn, or -1 where no candidate is left.
    template <int ROWS, class Tabu>
    __device__ __forceinline__ int choose(const CandidateLists& lists, const Tabu& tabu, int from,
                                          int step, int lane) const {
        int first = from * lists.width + lane;
        Sample best = Sample::none();
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            if (ROWS > 1 && row * LANES >= lists.width) break;
            int city = lists.cities[first + row * LANES];
            float inverse = lists.weights[first + row * LANES];
            float key = Reservoir::minus_log2(reservoir.word(step, city)) * inverse;
            if (city != from && !tabu.visited(city, step)) best.offer(key, city, 0);
        }
        unsigned bits = __float_as_uint(best.key), least = warp_min(bits);
        if (least == 0x7f800000u) return -1;
        return static_cast<int>(warp_min(bits == least ? static_cast<unsigned>(best.city) : ~0u));
    }
};

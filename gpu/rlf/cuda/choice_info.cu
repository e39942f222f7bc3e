// What ants of ACO-RLF choose by: tau^beta of all pairs that are not adjacent, and for stochastic
// trials the prefix sums of each row (2017, Section IV-B), computed before each iteration.
//
// Matrices have a row of `columns` numbers a vertex. Where there is no trail, and behind the n-th,
// tau^beta is 0 and the prefix sum does not grow. A warp a row.
#include "gpu/cuda/kernels/choice.cuh"
#include "kernels.py"

// The prefix sums of a row, in units of its largest number.
INLINE void add_up(int columns, const float* info, float largest, Word* prefixes, int lane) {
    Wheel wheel(largest);
    Word passed = 0;
    for (int first = 0; first < columns; first += LANES) {
        unsigned sum = warp_prefix(wheel.units(info[first + lane]), lane);
        prefixes[first + lane] = passed + sum;
        passed += __shfl_sync(ALL_LANES, sum, LANES - 1);
    }
}

template <class Power, bool SUMMED>
__global__ void __launch_bounds__(WEIGHING_THREADS) weigh_pairs(const WeighPairs arguments) {
    const auto [n, columns, beta, trails, info, prefixes] = arguments;
    Power power(beta);
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    for (int vertex = blockIdx.x * warps + threadIdx.x / LANES; vertex < n;
         vertex += gridDim.x * warps) {
        long long row = static_cast<long long>(vertex) * columns;
        float largest = 0.0f;
#pragma unroll 4
        for (int other = lane; other < columns; other += LANES) {
            float trail = __ldcs(&trails[row + other]);
            float weight = trail > 0.0f ? choice(power(trail), 1.0f) : 0.0f;
            info[row + other] = weight;
            largest = fmaxf(largest, weight);
        }
        if constexpr (SUMMED) {
            largest = __uint_as_float(warp_max(__float_as_uint(largest)));
            add_up(columns, info + row, largest, prefixes + row, lane);
        }
    }
}

// Trails in one matrix: their start, and what pictures read of them.
#include "__init__.py"
#include "colony_state.cuh"
#include "pictures.cuh"

// All trails of a city, in rows of `columns` numbers. The trail from a city to itself is the level
// of an edge that never got a deposit.
struct DenseTrails {
    static constexpr float BLANK = 0.0f;
    const float* trails;
    int columns, n;

    __device__ explicit DenseTrails(const PicturedTrails& given)
        : trails(static_cast<const float*>(given.trails)), columns(given.memory_size), n(given.n) {}

    __device__ float to_candidate(int city, int candidate, int) const {
        return __ldcg(&trails[static_cast<long long>(city) * columns + candidate]);
    }

    INLINE float between(int city, int other) const { return to_candidate(city, other, 0); }

    template <class Visitor>
    INLINE void each_trail(int city, int lane, Visitor visit) const {
        for (int other = lane; other < n; other += LANES)
            visit(other, to_candidate(city, other, lane));
    }

    INLINE bool draws(int city, int other, bool directed) const { return directed || city < other; }
};

// The level without deposits and the largest trail of a matrix; `range` begins with zeros. A block
// a city.
__global__ void measure_trails(const MeasureTrails arguments) {
    const auto [n, columns, trails, range] = arguments;
    float largest = 0.0f;
    for (int city = blockIdx.x; city < n; city += gridDim.x)
        for (int other = threadIdx.x; other < n; other += blockDim.x)
            largest = fmaxf(largest, trails[static_cast<long long>(city) * columns + other]);
    unsigned bits = warp_max(__float_as_uint(largest));
    if (threadIdx.x % LANES == 0) atomicMax(reinterpret_cast<unsigned*>(&range[1]), bits);
    if (blockIdx.x == 0 && threadIdx.x == 0) range[0] = trails[0];
}

// The state before the first iteration.
__global__ void start_trails(const StartTrails arguments) {
    const auto [quarters, trails, state] = arguments;
    long long first = grid_thread(), stride = grid_threads();
    for (long long i = first; i < quarters; i += stride)
        trails[i] = make_float4(1.0f, 1.0f, 1.0f, 1.0f);
    if (first == 0) reset(state);
}

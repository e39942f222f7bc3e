// What the views show of the trails, reduced on the device: a picture of at most 512 x 512
// pixels, the strongest trails for the map, and the branching factor.
#include "candidates.cuh"
#include "colony_state.cuh"
#include "gpu/acs/cuda/selective_memory.cuh"
#include "gpu/acs/cuda/trail_matrix.cuh"

// All trails of a city that may differ from the initial level, each to one lane.
struct MatrixTrails {
    static constexpr float BLANK = 1.0f;  // what the picture shows where no trail is visited
    const uint2* rows;
    const float* listed;
    const float* outside;
    int n;

    __device__ MatrixTrails(const uint2* rows_, const void* listed_, const void* outside_, int,
                            int n_)
        : rows(rows_),
          listed(static_cast<const float*>(listed_)),
          outside(static_cast<const float*>(outside_)),
          n(n_) {}

    __device__ float to_candidate(int city, int, int lane) const {
        return __ldcg(&listed[static_cast<long long>(city) * LANES + lane]);
    }

    template <class Visitor>
    __device__ void each(int city, int lane, Visitor visit) const {
        long long place = static_cast<long long>(city) * LANES + lane;
        int candidate = Candidate{rows[place]}.city();
        if (candidate != city) visit(candidate, __ldcg(&listed[place]));
        for (int other = lane; other < n; other += LANES)
            visit(other, __ldcg(&outside[static_cast<long long>(city) * n + other]));
    }

    // Both directions of an edge are kept, so the map need draw one.
    __device__ bool draws(int city, int other, bool directed) const {
        return directed || city < other;
    }
};

// All trails of a city, with rows of `columns` numbers. From a city to itself stands the level of
// an edge that never got a deposit.
struct DenseTrails {
    static constexpr float BLANK = 0.0f;
    const float* trails;
    int columns, n;

    __device__ DenseTrails(const uint2*, const void* trails_, const void*, int columns_, int n_)
        : trails(static_cast<const float*>(trails_)), columns(columns_), n(n_) {}

    __device__ float to_candidate(int city, int candidate, int) const {
        return __ldcg(&trails[static_cast<long long>(city) * columns + candidate]);
    }

    template <class Visitor>
    __device__ void each(int city, int lane, Visitor visit) const {
        for (int other = lane; other < n; other += LANES)
            visit(other, to_candidate(city, other, lane));
    }

    __device__ bool draws(int city, int other, bool directed) const {
        return directed || city < other;
    }
};

template <int CAPACITY>
struct MemoryTrails {
    static constexpr float BLANK = 1.0f;
    SelectiveMemory<CAPACITY> memory;

    __device__ MemoryTrails(const uint2*, const void* records, const void*, int size, int)
        : memory{static_cast<Record*>(const_cast<void*>(records)), nullptr, size} {}

    __device__ float to_candidate(int city, int candidate, int) const {
        return memory.read(city).trail_to(candidate);
    }

    template <class Visitor>
    __device__ void each(int city, int lane, Visitor visit) const {
        if (lane >= memory.size) return;
        Record record = __ldcg(&memory.records[static_cast<long long>(city) * CAPACITY + lane]);
        if (record_city(record) != NOBODY) visit(record_city(record), record_trail(record));
    }

    // The other city may have forgotten the edge; then this direction is the one to draw.
    __device__ bool draws(int city, int other, bool directed) const {
        if (directed || city < other) return true;
        for (int slot = 0; slot < memory.size; ++slot)
            if (record_city(__ldcg(
                    &memory.records[static_cast<long long>(other) * CAPACITY + slot])) == city)
                return false;
        return true;
    }
};

template <class Trails>
__global__ void blank_picture(int pixels, float* picture, int n, const int* tour, int* places) {
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (int i = first; i < pixels; i += stride) picture[i] = Trails::BLANK;
    for (int i = first; i < n; i += stride) places[tour[i]] = i;
}

// Each pixel is the largest trail in its square; rows and columns follow `places`. A warp a city.
template <class Trails>
__global__ void paint_picture(int n, int size, const uint2* rows, const void* trails,
                              const void* more_trails, int memory_size, const int* places,
                              float* picture) {
    Trails all(rows, trails, more_trails, memory_size, n);
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    for (int city = blockIdx.x * warps + threadIdx.x / LANES; city < n; city += gridDim.x * warps) {
        long long row = static_cast<long long>(places[city]) * size / n * size;
        all.each(city, lane, [&](int other, float trail) {
            if (trail <= Trails::BLANK) return;
            int column = static_cast<int>(static_cast<long long>(places[other]) * size / n);
            if (trail <= __ldcg(&picture[row + column])) return;
            atomicMax(reinterpret_cast<unsigned*>(&picture[row + column]), __float_as_uint(trail));
        });
    }
}

// Lists the edges whose trail exceeds `threshold`. `count` may end above `capacity`: then the
// list is incomplete, and the caller asks again with a higher threshold. A warp a city.
template <class Trails>
__global__ void collect_trails(int n, const uint2* rows, const void* trails,
                               const void* more_trails, int memory_size, int directed,
                               float threshold, int capacity, int2* edges, float* strengths,
                               int* count) {
    Trails all(rows, trails, more_trails, memory_size, n);
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    for (int city = blockIdx.x * warps + threadIdx.x / LANES; city < n; city += gridDim.x * warps) {
        all.each(city, lane, [&](int other, float trail) {
            if (trail <= threshold || !all.draws(city, other, directed)) return;
            int place = atomicAdd(count, 1);
            if (place >= capacity) return;
            edges[place] = make_int2(city, other);
            strengths[place] = trail;
        });
    }
}

// Adds up how many candidates of each city have a trail of at least min + 0.05 (max - min): the
// lambda-branching factor times n. A warp a city.
template <class Trails>
__global__ void count_branches(int n, const uint2* rows, const void* trails,
                               const void* more_trails, int memory_size, Word* total) {
    Trails all(rows, trails, more_trails, memory_size, n);
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    for (int city = blockIdx.x * warps + threadIdx.x / LANES; city < n; city += gridDim.x * warps) {
        int candidate = Candidate{rows[static_cast<long long>(city) * LANES + lane]}.city();
        bool listed = candidate != city;
        float trail = all.to_candidate(city, candidate, lane);
        float most = __uint_as_float(warp_max(listed ? __float_as_uint(trail) : 0));
        float least = __uint_as_float(warp_min(listed ? __float_as_uint(trail) : ~0u));
        bool branch = listed && trail >= least + 0.05f * (most - least);
        unsigned branches = __ballot_sync(ALL_LANES, branch);
        if (lane == 0) atomicAdd(total, static_cast<Word>(__popc(branches)));
    }
}

// The level without deposits and the largest trail of a matrix; `range` begins with zeros. A block
// a city.
__global__ void measure_trails(int n, int columns, const float* trails, float* range) {
    float largest = 0.0f;
    for (int city = blockIdx.x; city < n; city += gridDim.x)
        for (int other = threadIdx.x; other < n; other += blockDim.x)
            largest = fmaxf(largest, trails[static_cast<long long>(city) * columns + other]);
    unsigned bits = warp_max(__float_as_uint(largest));
    if (threadIdx.x % LANES == 0) atomicMax(reinterpret_cast<unsigned*>(&range[1]), bits);
    if (blockIdx.x == 0 && threadIdx.x == 0) range[0] = trails[0];
}

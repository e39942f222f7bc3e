// MMAS-RWM-BT (2020): the roulette wheel over all cities in the order of their numbers, with tabu
// bits in registers. A block is an ant; each of its warps looks after some tiles of cities.
//
// Unlike with a tour list, a step reads whole lines of weights, visited cities and all: fewer
// requests than a look at every unvisited city by itself, and of half the bytes.
#include "colony_state.cuh"
#include "geometry.cuh"
#include "group.cuh"
#include "numbered_rows.cuh"
#include "philox.cuh"
#include "roulette.cuh"
#include "tour_report.cuh"

// The city where the wheel stops, or -1 in warps where it does not.
template <class Row, int TILES>
__device__ __forceinline__ int turn(const Group<>& group, LaneCities<TILES>& cities,
                                    const typename Row::Stored* row, int from, unsigned word) {
    unsigned words[TILES][Row::WORDS];
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) Row::read(row, cities, tile, words[tile]);
    if (cities.has(from)) cities.mark(from);  // while the weights are on their way
    constexpr int CHAINS = 4;                 // at once, or each maximum would wait for the last
    unsigned tops[CHAINS] = {};
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
        Row::mask(cities, tile, words[tile]);
#pragma unroll
        for (int i = 0; i < Row::WORDS; ++i)
            tops[i % CHAINS] = Row::larger(tops[i % CHAINS], words[tile][i]);
    }
    unsigned top = Row::larger(Row::larger(tops[0], tops[1]), Row::larger(tops[2], tops[3]));
    Wheel wheel(group.largest(__uint_as_float(Row::largest(top))));

    unsigned sums[TILES], totals[TILES];
    Word own = 0, before;
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
        unsigned sum = 0u - LANE_CITIES * Wheel::BASE_BITS;
#pragma unroll
        for (int j = 0; j < LANE_CITIES; ++j)
            sum += wheel.units_over_base(Row::weight(words[tile], j));
        sums[tile] = sum;
        totals[tile] = warp_total(sum);
        own += totals[tile];
    }
    Word all = group.sum(own, before), stop = Wheel::spin(word, all) - before;
    if (stop >= own) return -1;  // past the end in warps before the one

    unsigned rest[Row::WORDS], sum = sums[0];  // of the tile where it stops
#pragma unroll
    for (int i = 0; i < Row::WORDS; ++i) rest[i] = words[0][i];
    Word tile_end = totals[0], passed_tiles = 0;
    int place = 0;
#pragma unroll
    for (int tile = 1; tile < TILES; ++tile) {
        bool reached = stop >= tile_end;
        passed_tiles = reached ? tile_end : passed_tiles;
        place = reached ? tile : place;
        sum = reached ? sums[tile] : sum;
#pragma unroll
        for (int i = 0; i < Row::WORDS; ++i) rest[i] = reached ? words[tile][i] : rest[i];
        tile_end += totals[tile];
    }
    unsigned end = prefix_sums_soon(sum, cities.lane), left = static_cast<unsigned>(stop);
    unsigned ends[LANE_CITIES - 1],
        passed = 0;  // of its cities, while the shuffles are on their way
#pragma unroll
    for (int j = 0; j + 1 < LANE_CITIES; ++j) {
        passed += wheel.units(Row::weight(rest, j));
        ends[j] = passed;
    }
    left -= static_cast<unsigned>(passed_tiles);
    int winner = __popc(__ballot_sync(ALL_LANES, end <= left));  // lanes before it
    left -= end - sum;                                           // in the winner
    int j = 0;
#pragma unroll
    for (int i = 0; i + 1 < LANE_CITIES; ++i) j += ends[i] <= left;
    return __shfl_sync(ALL_LANES, cities.city(place, j), winner);
}

// One ant's tour, by all warps of its group.
template <class Row, int TILES>
__device__ __forceinline__ void build_tour(const Group<>& group, const Draws& draws,
                                           const Geometry& geometry,
                                           const typename Row::Stored* rows, int columns,
                                           int* tours, Word* lengths, ColonyState* state) {
    int n = geometry.n, ant = static_cast<int>(draws.ant);
    int* tour = tours + static_cast<long long>(ant) * n;
    LaneCities<TILES> cities(n, group.warp * TILES * TILE_CITIES, group.lane);
    int city = draws.start(n), step = 1, kept = city;  // the last cities, one a lane
    GrowingTour grown(geometry, city);
    while (step < n) {
        unsigned words = draws.spin((step & -LANES) + group.lane);  // for 32 steps, one a lane
        int pause = min(n, (step | (LANES - 1)) + 1);
        for (; step < pause; ++step) {
            const typename Row::Stored* row =
                rows + static_cast<unsigned long long>(static_cast<unsigned>(city)) *
                           static_cast<unsigned>(columns);
            unsigned word = __shfl_sync(ALL_LANES, words, step & (LANES - 1));
            int next = turn<Row, TILES>(group, cities, held_pointer(row), city, word);
            city = group.agree(next >= 0, next);
            if (group.lane == (step & (LANES - 1))) kept = city;
        }
        if (group.warp == 0) {
            int first = (step - 1) & -LANES, place = first + group.lane;
            if (place < step) tour[place] = kept;
            grown.add(kept, first, step, group.lane);
        }
    }
    if (group.warp == 0) grown.report(state, ant, lengths, group.lane);
}

template <class Row, int TILES>
__global__ void __launch_bounds__(512) build_tours_by_rows(int n, int ants, unsigned seed_low,
                                                           unsigned seed_high, int metric,
                                                           const double* coordinates,
                                                           const int* matrix, const void* weights,
                                                           int columns, int* tours, Word* lengths,
                                                           ColonyState* state) {
    __shared__ GroupMemory memory;
    int lane = threadIdx.x % LANES, ant = blockIdx.x;
    int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);  // known to be the same in all lanes
    Group<> group{memory, static_cast<int>(blockDim.x) / LANES, warp, lane};
    Draws draws{
        {seed_low, seed_high}, static_cast<unsigned>(ant), static_cast<unsigned>(state->iteration)};
    Geometry geometry{n, metric, 1.0, coordinates, matrix, nullptr};
    build_tour<Row, TILES>(group, draws, geometry,
                           static_cast<const typename Row::Stored*>(weights), columns, tours,
                           lengths, state);
}

// The same with all weights in the shared memory of each block, of which there is one a
// multiprocessor; a warp an ant.
template <int TILES>
__global__ void __launch_bounds__(512) build_tours_in_shared(int n, int ants, unsigned seed_low,
                                                             unsigned seed_high, int metric,
                                                             const double* coordinates,
                                                             const int* matrix, const void* weights,
                                                             int columns, int* tours, Word* lengths,
                                                             ColonyState* state) {
    extern __shared__ uint4 shared[];
    __shared__ GroupMemory memory;
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);
    uint4* own = held_shared(shared);
    const uint4* from = static_cast<const uint4*>(weights);
    for (int i = threadIdx.x; 8 * i < n * columns; i += blockDim.x) own[i] = __ldg(from + i);
    __syncthreads();
    Group<> group{memory, 1, 0, lane};
    Geometry geometry{n, metric, 1.0, coordinates, matrix, nullptr};
    for (int ant = blockIdx.x * warps + warp; ant < ants; ant += gridDim.x * warps) {
        Draws draws{{seed_low, seed_high},
                    static_cast<unsigned>(ant),
                    static_cast<unsigned>(state->iteration)};
        build_tour<SharedHalfRow, TILES>(group, draws, geometry,
                                         reinterpret_cast<const unsigned short*>(own), columns,
                                         tours, lengths, state);
    }
}

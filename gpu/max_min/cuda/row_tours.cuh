// Tours of the MAX-MIN Ant System by whole rows of weights, with tabu bits in registers (2020: BT).
// A block is an ant; each of its warps looks after some tiles of cities.
//
// Unlike with a tour list, a step reads whole lines of weights, also those of visited cities. These
// are fewer requests than one for every unvisited city, and half the bytes. How a city is
// drawn is a policy.
#pragma once

#include "gpu/construction/cuda/tour_report.cuh"
#include "gpu/cuda/kernels/group.cuh"
#include "kernels.py"
#include "numbered_rows.cuh"

// One ant's tour, by all warps of its group.
template <class Selection, class Row, int TILES>
INLINE void build_tour(const Group<>& group, const Draws& draws, const Geometry& geometry,
                       const typename Row::Stored* rows, int columns, int* tours, Word* lengths,
                       ColonyState* state) {
    int n = geometry.n, ant = int(draws.ant);
    int* tour = row_of(tours, ant, n);
    LaneCities<TILES> cities(n, group.warp * TILES * TILE_CITIES, group.lane);
    int city = draws.start(n), step = 1, kept = city;  // the last cities, one a lane
    if (cities.has(city)) cities.mark(city);
    GrowingTour grown{geometry, city, city};
    while (step < n) {
        Selection selection(draws, step, group.lane);
        int pause = min(n, (step | (LANES - 1)) + 1);
        for (; step < pause; ++step) {
            const typename Row::Stored* row =
                rows + static_cast<unsigned long long>(unsigned(city)) * unsigned(columns);
            city = selection.template choose<Row>(group, cities, Row::begin(row), city, step);
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

// The bound on the threads of a block. For many tiles it is larger than any block, so that threads
// use fewer registers, and all ants of a large instance run at once.
template <int TILES>
constexpr int most_threads = TILES > 8 ? 608 : 512;

template <class Selection, class Row, int TILES>
__global__ void __launch_bounds__(most_threads<TILES>) build_tours_by_rows(
    const __grid_constant__ BuildToursByRows arguments) {
    const auto& [construction, weights, columns] = arguments;
    const auto& [first_ant, end_ant, seed, geometry, tours, lengths, state] = construction;
    __shared__ GroupMemory memory;
    int lane = held(threadIdx.x % LANES), ant = first_ant + blockIdx.x;
    int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);  // known to be the same in all lanes
    Group<> group{memory, int(blockDim.x) / LANES, warp, lane};
    Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
    build_tour<Selection, Row, TILES>(group, draws, geometry,
                                      static_cast<const typename Row::Stored*>(weights), columns,
                                      tours, lengths, state);
}

// The same with all weights in the shared memory of each block, of which there is one a
// multiprocessor; a warp an ant.
template <class Selection, int TILES>
__global__ void __launch_bounds__(most_threads<TILES>) build_tours_in_shared(
    const BuildToursByRows arguments) {
    const auto [construction, weights, columns] = arguments;
    const auto [first_ant, end_ant, seed, geometry, tours, lengths, state] = construction;
    const int n = geometry.n;
    extern __shared__ uint4 shared[];
    __shared__ GroupMemory memory;
    static_assert(sizeof(memory) <= GROUP_BYTES, "as the host counts it");
    int lane = held(threadIdx.x % LANES), warps = blockDim.x / LANES;
    int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);
    uint4* own = held_shared(shared);
    start_copy(own, weights, n * columns / 8);
    copies_asked();
    copies_landed<0>();
    __syncthreads();
    Group<> group{memory, 1, 0, lane};
    int first = first_ant + blockIdx.x * warps + warp;
    for (int ant = first; ant < end_ant; ant += gridDim.x * warps) {
        Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
        build_tour<Selection, SharedHalfRow, TILES>(group, draws, geometry,
                                                    reinterpret_cast<const unsigned short*>(own),
                                                    columns, tours, lengths, state);
    }
}

// What the views show of the trails, reduced on the device: a picture of at most 512 x 512
// pixels, the strongest trails for the map, and the branching factor.
//
// A policy `Trails` reads a kind of trails; each kind is instantiated beside its colony.
#pragma once

#include "__init__.py"
#include "candidates.cuh"
#include "colony_state.cuh"

template <class Trails>
__global__ void blank_picture(const BlankPicture arguments) {
    const auto [pixels, picture, n, tour, places] = arguments;
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (int i = first; i < pixels; i += stride) picture[i] = Trails::BLANK;
    for (int i = first; i < n; i += stride) places[tour[i]] = i;
}

// Each pixel is the largest trail in its square; rows and columns follow `places`. A warp a city.
template <class Trails>
__global__ void paint_picture(const PaintPicture arguments) {
    const PicturedTrails& pictured = arguments.pictured;
    const int n = pictured.n, size = arguments.size;
    const int* places = arguments.places;
    float* picture = arguments.picture;
    Trails all(pictured);
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    for (int city = blockIdx.x * warps + threadIdx.x / LANES; city < n; city += gridDim.x * warps) {
        long long row = static_cast<long long>(places[city]) * size / n * size;
        all.each_trail(city, lane, [&](int other, float trail) {
            if (trail <= Trails::BLANK) return;
            int column = int(static_cast<long long>(places[other]) * size / n);
            if (trail <= __ldcg(&picture[row + column])) return;
            atomicMax(reinterpret_cast<unsigned*>(&picture[row + column]), __float_as_uint(trail));
        });
    }
}

// Lists the edges whose trail exceeds `threshold`. `count` may end above `capacity`: then the
// list is incomplete, and the caller asks again with a higher threshold. A warp a city.
template <class Trails>
__global__ void collect_trails(const CollectTrails arguments) {
    const PicturedTrails& pictured = arguments.pictured;
    const int n = pictured.n;
    Trails all(pictured);
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    for (int city = blockIdx.x * warps + threadIdx.x / LANES; city < n; city += gridDim.x * warps) {
        all.each_trail(city, lane, [&](int other, float trail) {
            if (trail <= arguments.threshold || !all.draws(city, other, arguments.directed)) return;
            int place = atomicAdd(arguments.edge_count, 1);
            if (place >= arguments.capacity) return;
            arguments.edges[place] = make_int2(city, other);
            arguments.strengths[place] = trail;
        });
    }
}

// Adds up how many candidates of each city have a trail of at least min + 0.05 (max - min): the
// lambda-branching factor times n. A warp a city.
template <class Trails>
__global__ void count_branches(const CountBranches arguments) {
    const auto [pictured, total] = arguments;
    const int n = pictured.n;
    const uint2* rows = pictured.rows;
    Trails all(pictured);
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    for (int city = blockIdx.x * warps + threadIdx.x / LANES; city < n; city += gridDim.x * warps) {
        int candidate = Candidate{rows[static_cast<long long>(city) * LANES + lane]}.city();
        bool listed = candidate != city;
        float trail = all.to_candidate(city, candidate, lane);
        float most = __uint_as_float(warp_max(listed ? __float_as_uint(trail) : 0));
        float least = __uint_as_float(warp_min(listed ? __float_as_uint(trail) : ~0u));
        bool branch = listed && trail >= least + LAMBDA * (most - least);
        unsigned branches = __ballot_sync(ALL_LANES, branch);
        if (lane == 0) atomicAdd(total, Word(__popc(branches)));
    }
}

// Reads the trails of `count` pairs of cities. A thread a pair.
template <class Trails>
__global__ void read_trails(const ReadTrails arguments) {
    const auto [pictured, count, pairs, trails] = arguments;
    Trails all(pictured);
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (int i = first; i < count; i += stride) trails[i] = all.between(pairs[i].x, pairs[i].y);
}

// The lengths of tours, by a function out of line whose lanes take different numbers of turns. It
// and its caller together do what tour_length() in gpu/cuda/kernels/geometry.cuh does.
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/geometry.cuh"
#include "out_of_line.py"

// This lane's part of the length.
INLINE Word part_of_lane(const Geometry& geometry, const int* tour, int lane) {
    Word sum = 0;
    for (int i = lane; i < geometry.n; i += LANES)
        sum += geometry.distance(__ldcg(&tour[i]), __ldcg(&tour[i + 1 < geometry.n ? i + 1 : 0]));
    return sum;
}

struct MeetsInside {
    SELDOM Word length(Geometry geometry, const int* tour, int lane) {
        return warp_sum(part_of_lane(geometry, tour, lane));
    }
};

struct MeetsOutside {
    SELDOM Word own_part(Geometry geometry, const int* tour, int lane) {
        return part_of_lane(geometry, tour, lane);
    }

    static INLINE Word length(const Geometry& geometry, const int* tour, int lane) {
        return warp_sum(own_part(geometry, tour, lane));
    }
};

// A warp measures every so manieth tour; the sum of each is written by one lane.
template <class Shape>
__global__ void __launch_bounds__(256) measure_by(const MeasureBy arguments) {
    const auto& [geometry, ants, tours, lengths] = arguments;
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    int first = blockIdx.x * warps + threadIdx.x / LANES;
    for (int ant = first; ant < ants; ant += gridDim.x * warps) {
        Word length = Shape::length(geometry, row_of(tours, ant, geometry.n), lane);
        if (lane == 0) lengths[ant] = length;
    }
}

// The MAX-MIN Ant System with candidate lists (2020, Section 4.3): a warp an ant, a lane for every
// 32nd candidate. Where no candidate is left, the ant goes to the heaviest of all unvisited cities.
//
// Policies: the tabu, how a candidate is drawn (`Selection`), how many ROWS of 32 candidates there
// are at most, and whether the lists of all cities fit the SHARED memory of a multiprocessor.
#pragma once

#include "choice.cuh"
#include "colony_state.cuh"
#include "geometry.cuh"
#include "half_weights.cuh"
#include "list_tabus.cuh"
#include "philox.cuh"
#include "tour_report.cuh"

// The weight of an edge made of its trail.
static __device__ SELDOM float weight_of_trail(Geometry geometry, double alpha, int rounds,
                                               float trail, int from, int to) {
    bool whole = alpha == static_cast<int>(alpha);
    float power = whole ? WholePower(alpha)(trail) : RealPower(alpha)(trail);
    float weighed = choice(power, geometry.weight(from, to));
    return rounds ? rounded_to_half(weighed) : weighed;
}

// The weights of edges that are not on a list: a matrix, or made of trails where they are needed.
struct OtherWeights {
    const float* weights;  // or null
    const float* trails;
    int columns, rounds;
    double alpha;
    Geometry geometry;

    __device__ __forceinline__ float operator()(int from, int to) const {
        long long place = static_cast<long long>(from) * columns + to;
        return weights ? __ldg(&weights[place])
                       : weight_of_trail(geometry, alpha, rounds, __ldg(&trails[place]), from, to);
    }

    // The heaviest unvisited city, the lowest on a tie. All lanes of the warp call this.
    template <class Tabu>
    __device__ __forceinline__ int heaviest(const Tabu& tabu, int from, int step, int lane) const {
        unsigned most = 0, winner = ~0u;
        tabu.each_unvisited(geometry.n, step, lane, [&](int city) {
            unsigned own = __float_as_uint((*this)(from, city));
            if (own > most || (own == most && static_cast<unsigned>(city) < winner)) {
                most = own;
                winner = static_cast<unsigned>(city);
            }
        });
        __syncwarp();
        unsigned top = warp_max(most);
        return static_cast<int>(warp_min(most == top ? winner : ~0u));
    }
};

// Candidates in rows of 32, `width` a city.
struct CandidateLists {
    const unsigned short* cities;
    const float* weights;  // or their inverses
    int width;
};

template <class Tabu, class Selection, int ROWS, bool SHARED>
__global__ void __launch_bounds__(512, 1) build_tours_by_lists(
    int n, int ants, unsigned seed_low, unsigned seed_high, int metric, double beta,
    const double* coordinates, const int* matrix, const int* nearest,
    const unsigned short* candidates, const float* listed, int width, const float* weights,
    const float* trails, int columns, int rounds, double alpha, int tabu_bytes, int* tours,
    Word* lengths, ColonyState* state) {
    extern __shared__ uint4 shared[];
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    char* tabus = reinterpret_cast<char*>(shared);
    CandidateLists lists{candidates, listed, width};
    if constexpr (SHARED) {
        float* own_listed = reinterpret_cast<float*>(shared);
        unsigned short* own_candidates = reinterpret_cast<unsigned short*>(own_listed + n * width);
        const uint4* from = reinterpret_cast<const uint4*>(listed);
        for (int i = threadIdx.x; 4 * i < n * width; i += blockDim.x) shared[i] = __ldg(from + i);
        from = reinterpret_cast<const uint4*>(candidates);
        for (int i = threadIdx.x; 8 * i < n * width; i += blockDim.x)
            reinterpret_cast<uint4*>(own_candidates)[i] = __ldg(from + i);
        lists = {own_candidates, own_listed, width};
        tabus = reinterpret_cast<char*>(own_candidates + n * width);
        __syncthreads();
    }
    Geometry geometry{n, metric, beta, coordinates, matrix, nearest};
    OtherWeights others{weights, trails, columns, rounds, alpha, geometry};
    Tabu tabu(tabus + warp * tabu_bytes, n);
    for (int ant = blockIdx.x * warps + warp; ant < ants; ant += gridDim.x * warps) {
        Draws draws{{seed_low, seed_high},
                    static_cast<unsigned>(ant),
                    static_cast<unsigned>(state->iteration)};
        int* tour = tours + static_cast<long long>(ant) * n;
        int city = draws.start(n), step = 1, kept = city;  // the last cities, one a lane
        tabu.begin(n, city, lane);
        while (step < n) {
            Selection selection(draws, step, lane);
            int pause = min(n, (step | (LANES - 1)) + 1);
            for (; step < pause; ++step) {
                int from = city;
                city = selection.template choose<ROWS>(lists, tabu, city, step, lane);
                if (city < 0) city = others.heaviest(tabu, from, step, lane);
                tabu.mark(city, step, lane);
                if (lane == (step & (LANES - 1))) kept = city;
                __syncwarp();
            }
            int place = ((step - 1) & -LANES) + lane;
            if (place < step) tour[place] = kept;
        }
        __syncwarp();
        report_tour(state, geometry, tour, ant, lengths, lane);
    }
}

// The MAX-MIN Ant System with candidate lists (2020, Section 4.3): a warp an ant, a lane for every
// 32nd candidate. Where no candidate is left, the ant goes to the heaviest of all unvisited cities.
//
// Policies: the tabu, how a candidate is drawn (`Selection`), how candidates and their weights are
// stored (`Lists`), how many ROWS of 32 candidates there are at most, and whether the lists of all
// cities fit the SHARED memory of a multiprocessor.
#pragma once

#include "candidates.cuh"
#include "choice.cuh"
#include "colony_state.cuh"
#include "geometry.cuh"
#include "half_weights.cuh"
#include "list_tabus.cuh"
#include "philox.cuh"
#include "tour_report.cuh"

// Cities beyond the lists: where no candidate is left, an ant goes to the heaviest of them.
//
// Nearly all of these edges never got a deposit, and have the trail that a city has to itself.
// Then the heaviest is one of the nearest, and the backup lists do. A city from which a trail
// beyond its backup list has ever grown is `strayed`.
struct OtherCities {
    const float* weights;  // of all edges, or null: then they are made of trails
    const float* trails;
    const uint2* backup;  // BACKUP_ROWS rows of 32 a city; null if all are looked at at once
    const unsigned char* strayed;
    int columns, rounds, factors;
    double alpha;
    Geometry geometry;

    // The heaviest unvisited city, the lowest on a tie. All lanes of the warp call this.
    template <class Tabu>
    __device__ __forceinline__ int heaviest(const Tabu& tabu, int from, int step, int lane) const {
        long long row = static_cast<long long>(from) * columns;
        Heaviest found;
        if (backup) {
            const uint2* own = backup + static_cast<long long>(from) * BACKUP_ROWS * LANES;
            Candidate others[BACKUP_ROWS];
#pragma unroll
            for (int i = 0; i < BACKUP_ROWS; ++i) others[i] = {__ldg(&own[i * LANES + lane])};
            float tops[BACKUP_ROWS];
#pragma unroll
            for (int i = 0; i < BACKUP_ROWS; ++i) {
                int city = others[i].city();
                bool open = city != from && !tabu.visited(tabu.seen(city), city, step);
                tops[i] = open ? __ldg(&trails[row + city]) : 0.0f;
            }
#pragma unroll
            for (int i = 0; i < BACKUP_ROWS; ++i)
                if (tops[i] > 0.0f)
                    found.offer(weighed(tops[i], others[i].weight()), others[i].city());
            __syncwarp();
            float last = __shfl_sync(ALL_LANES, others[BACKUP_ROWS - 1].weight(), LANES - 1);
            float beyond = last > 0.0f ? weighed(__ldg(&trails[row + from]), last) : 0.0f;
            if (!strayed[from] && warp_max(found.most) > __float_as_uint(beyond))
                return found.city();
        }
        tabu.each_unvisited(
            geometry.n, step, lane,
            [&](const int (&cities)[AT_ONCE], const bool (&there)[AT_ONCE]) {
                float own[AT_ONCE];
#pragma unroll
                for (int i = 0; i < AT_ONCE; ++i)
                    own[i] =
                        there[i] ? __ldg(&(weights ? weights : trails)[row + cities[i]]) : 0.0f;
#pragma unroll
                for (int i = 0; i < AT_ONCE; ++i) {
                    if (!there[i]) continue;
                    if (!weights) own[i] = weighed(own[i], eta_of(geometry, from, cities[i]));
                    found.offer(own[i], cities[i]);
                }
            });
        __syncwarp();
        return found.city();
    }

  private:
    struct Heaviest {
        unsigned most = 0, lowest = ~0u;

        __device__ __forceinline__ void offer(float weight, int its_city) {
            unsigned own = __float_as_uint(weight), number = static_cast<unsigned>(its_city);
            bool better = own > most || (own == most && number < lowest);
            most = better ? own : most;
            lowest = better ? number : lowest;
        }

        __device__ __forceinline__ int city() const {
            unsigned top = warp_max(most);
            return static_cast<int>(warp_min(most == top ? lowest : ~0u));
        }
    };

    __device__ __forceinline__ float weighed(float trail, float eta) const {
        float power = factors == 1 ? trail : power_of(trail, factors, alpha);
        float own = choice(power, eta);
        return rounds ? rounded_to_half(own) : own;
    }

    static __device__ SELDOM float eta_of(Geometry geometry, int from, int to) {
        return geometry.weight(from, to);
    }

    // `factors` is alpha where that is whole, else -1.
    static __device__ SELDOM float power_of(float trail, int factors, double alpha) {
        return factors < 0 ? RealPower(alpha)(trail) : WholePower(alpha)(trail);
    }
};

// Candidates and their weights, `width` a city.
struct SplitLists {
    const unsigned short* cities;
    const float* weights;  // or their inverses
    int width;

    __device__ __forceinline__ SplitLists(const unsigned short* candidates, const void* listed,
                                          int width_)
        : cities(candidates), weights(static_cast<const float*>(listed)), width(width_) {}

    __device__ __forceinline__ void read(int slot, int& city, float& weight) const {
        city = cities[slot];
        weight = weights[slot];
    }

    // Copies all lists to shared memory; returns where they end. The block must synchronize then.
    __device__ __forceinline__ uint4* copy(uint4* shared, int n) {
        const uint4* from = reinterpret_cast<const uint4*>(weights);
        int floats = n * width / 4, shorts = n * width / 8;
        for (int i = threadIdx.x; i < floats; i += blockDim.x) shared[i] = __ldg(from + i);
        weights = reinterpret_cast<const float*>(shared);
        from = reinterpret_cast<const uint4*>(cities);
        shared += floats;
        for (int i = threadIdx.x; i < shorts; i += blockDim.x) shared[i] = __ldg(from + i);
        cities = reinterpret_cast<const unsigned short*>(shared);
        return shared + shorts;
    }
};

// Either in a half of a word, so that one read brings both.
struct PackedLists {
    const unsigned* words;
    int width;

    __device__ __forceinline__ PackedLists(const unsigned short*, const void* listed, int width_)
        : words(static_cast<const unsigned*>(listed)), width(width_) {}

    __device__ __forceinline__ void read(int slot, int& city, float& weight) const {
        unsigned word = words[slot];
        city = static_cast<int>(word & 0xffffu);
        weight = __uint_as_float(word & 0xffff0000u);
    }

    __device__ __forceinline__ uint4* copy(uint4* shared, int n) {
        const uint4* from = reinterpret_cast<const uint4*>(words);
        int size = n * width / 4;
        for (int i = threadIdx.x; i < size; i += blockDim.x) shared[i] = __ldg(from + i);
        words = reinterpret_cast<const unsigned*>(shared);
        return shared + size;
    }
};

template <class Tabu, class Selection, class Lists, int ROWS, bool SHARED>
__global__ void __launch_bounds__(640, 1) build_tours_by_lists(
    int n, int ants, unsigned seed_low, unsigned seed_high, int metric, double beta,
    const double* coordinates, const int* matrix, const int* nearest,
    const unsigned short* candidates, const void* listed, int width, const float* weights,
    const float* trails, int columns, const uint2* backup, const unsigned char* strayed, int rounds,
    int factors, double alpha, int tabu_bytes, int* tours, Word* lengths, ColonyState* state) {
    extern __shared__ uint4 shared[];
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);  // known to be the same in all lanes
    char* tabus = reinterpret_cast<char*>(shared);
    Lists lists(candidates, listed, width);
    if constexpr (SHARED) {
        tabus = reinterpret_cast<char*>(lists.copy(held_shared(shared), n));
        __syncthreads();
    }
    Geometry geometry{n, metric, beta, coordinates, matrix, nearest};
    OtherCities others{weights, trails, backup, strayed, columns, rounds, factors, alpha, geometry};
    Tabu tabu(held_shared(tabus + warp * tabu_bytes), n);
    for (int ant = blockIdx.x * warps + warp; ant < ants; ant += gridDim.x * warps) {
        Draws draws{{seed_low, seed_high},
                    static_cast<unsigned>(ant),
                    static_cast<unsigned>(state->iteration)};
        int* tour = tours + static_cast<long long>(ant) * n;
        int city = draws.start(n), step = 1, kept = city;  // the last cities, one a lane
        GrowingTour grown(geometry, city);
        tabu.begin(n, city, lane);
        while (step < n) {
            Selection selection(draws, step, lane);
            int pause = min(n, (step | (LANES - 1)) + 1);
            for (; step < pause; ++step) {
                int from = city;
                if (!selection.template choose<ROWS>(lists, tabu, city, step, lane)) {
                    city = others.heaviest(tabu, from, step, lane);
                    if (lane == 0) tabu.mark(tabu.seen(city), city, step);
                }
                if (lane == (step & (LANES - 1))) kept = city;
                __syncwarp();
            }
            int first = (step - 1) & -LANES;
            if (first + lane < step) tour[first + lane] = kept;
            grown.add(kept, first, step, lane);
        }
        grown.report(state, ant, lengths, lane);
    }
}

// MMAS-WRS (2020): weighted reservoir sampling over all unvisited cities, with any of three tabus.
// A block is an ant.
#include "colony_state.cuh"
#include "compact_list.cuh"
#include "geometry.cuh"
#include "numbered_rows.cuh"
#include "reservoir.cuh"
#include "tour_list.cuh"
#include "tour_report.cuh"

// LC and CT: a thread looks at unvisited cities one by one.
template <class List>
struct Listed {
    List list;

    __device__ __forceinline__ Listed(void* shared, int* tour, int n)
        : list(shared, nullptr, tour, n) {}

    __device__ __forceinline__ void begin(int start) const { list.begin(start, 0); }

    __device__ __forceinline__ Sample sample(const OwnWords& words, const float* row, int n,
                                             int step) const {
        Sample best = Sample::none();
        float limit = best.key;
        int threads = blockDim.x;
        for (int first = step; first < n; first += threads) {
            int place = first + threadIdx.x;
            if (place < n) {
                int city = list.city(place);
                float inverse = __ldg(row + city);
                unsigned word = words.of(city);
                if (Reservoir::bound(word) * inverse < limit) {
                    best.offer(Reservoir::minus_log2(word) * inverse, city, place);
                    limit = fminf(limit, best.key);
                }
            }
            __syncwarp();
            if (first == step) limit = __uint_as_float(warp_min(__float_as_uint(limit)));
        }
        return best;
    }

    // Called by all threads; one of them sampled the city that won.
    __device__ __forceinline__ void take(const Sample& own, int city, int step) const {
        if (own.city == city) list.take(own.place, city, step);
    }

    __device__ __forceinline__ void finish(int* tour, int lane) const { list.finish(tour, lane); }
};

// BT: a thread looks at eight cities with consecutive numbers, whose bits are a byte in shared
// memory.
struct Numbered {
    unsigned char* left;
    int* tour;
    int n;

    __device__ __forceinline__ Numbered(void* shared, int* tour_, int n_)
        : left(static_cast<unsigned char*>(shared)), tour(tour_), n(n_) {}

    __device__ __forceinline__ void begin(int start) const {
        for (int byte = threadIdx.x; LANE_CITIES * byte < n; byte += blockDim.x) {
            int cities = min(LANE_CITIES, n - LANE_CITIES * byte);
            unsigned bits = (1u << cities) - 1;
            if (start / LANE_CITIES == byte) bits &= ~(1u << start % LANE_CITIES);
            left[byte] = static_cast<unsigned char>(bits);
        }
        if (threadIdx.x == 0) tour[0] = start;
    }

    __device__ __forceinline__ Sample sample(const OwnWords& words, const float* row, int,
                                             int step) const {
        Sample best = Sample::none();
        float limit = best.key;
        for (int first = 0; LANE_CITIES * first < n; first += blockDim.x) {
            int byte = first + threadIdx.x;
            unsigned bits = LANE_CITIES * byte < n ? left[byte] : 0;
            if (bits) {
                const float4* from = reinterpret_cast<const float4*>(row) + 2 * byte;
                float4 low = __ldg(from), high = __ldg(from + 1);
                offer(words, low, bits, LANE_CITIES * byte, best, limit);
                offer(words, high, bits >> 4, LANE_CITIES * byte + 4, best, limit);
            }
            __syncwarp();
            if (first == 0) limit = __uint_as_float(warp_min(__float_as_uint(limit)));
        }
        return best;
    }

    __device__ __forceinline__ void take(const Sample& own, int city, int step) const {
        if (own.city != city) return;
        left[city / LANE_CITIES] &= static_cast<unsigned char>(~(1u << city % LANE_CITIES));
        tour[step] = city;
    }

    __device__ __forceinline__ void finish(int*, int) const {}

  private:
    static __device__ __forceinline__ void offer(const OwnWords& words, float4 inverses,
                                                 unsigned bits, int city, Sample& best,
                                                 float& limit) {
        float inverse[4] = {inverses.x, inverses.y, inverses.z, inverses.w};
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            unsigned word = words.of(city + j);
            if (!(bits >> j & 1) || !(Reservoir::bound(word) * inverse[j] < limit)) continue;
            best.offer(Reservoir::minus_log2(word) * inverse[j], city + j, 0);
            limit = fminf(limit, best.key);
        }
    }
};

template <class Tabu>
__global__ void __launch_bounds__(512) build_tours_by_reservoir(
    int n, int ants, unsigned seed_low, unsigned seed_high, int metric, const double* coordinates,
    const int* matrix, const float* inverses, int columns, int* tours, Word* lengths,
    ColonyState* state) {
    extern __shared__ unsigned shared[];
    __shared__ GroupMemory memory;
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, ant = blockIdx.x;
    Group<> group{memory, static_cast<int>(blockDim.x) / LANES, warp, lane};
    Draws draws{
        {seed_low, seed_high}, static_cast<unsigned>(ant), static_cast<unsigned>(state->iteration)};
    int* tour = tours + static_cast<long long>(ant) * n;
    Tabu tabu(shared, tour, n);
    int city = draws.start(n);
    tabu.begin(city);
    __syncthreads();
    for (int step = 1; step < n; ++step) {
        const float* row = inverses + static_cast<unsigned long long>(static_cast<unsigned>(city)) *
                                          static_cast<unsigned>(columns);
        Sample own = tabu.sample(OwnWords(draws, step, RESERVOIR), row, n, step);
        city = own.winner(group);
        tabu.take(own, city, step);
        __syncthreads();
    }
    if (warp > 0) return;
    tabu.finish(tour, lane);
    __syncwarp();
    report_tour(state, Geometry{n, metric, 1.0, coordinates, matrix, nullptr}, tour, ant, lengths,
                lane);
}

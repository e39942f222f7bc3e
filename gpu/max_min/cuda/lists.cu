// The MAX-MIN Ant System with candidate lists (2020, Section 4.3): a warp an ant, a lane for every
// 32nd candidate. Where no candidate is left, the ant goes to the heaviest of all unvisited cities.
//
// Policies: the tabu, how a candidate is drawn (`Selection`), how candidates and their weights are
// stored (`Lists`), how many ROWS of 32 candidates there are at most, whether the lists of `held`
// cities are in the SHARED memory of a multiprocessor, and whether weights of all edges are KEPT
// for certain, which needs fewer registers.
#include "gpu/construction/cuda/roulette.cuh"
#include "gpu/construction/cuda/tours.cuh"
#include "kernels.py"
#include "other_cities.cuh"
#include "reservoir.cuh"

// RWM: the roulette wheel.
struct RouletteWheel {
    EightSums eights;
    unsigned words;  // for 32 steps, one a lane

    INLINE RouletteWheel(const Draws& draws, int first, int lane)
        : eights(lane), words(draws.spin(first + lane)) {}

    // Draws a city and marks it; false where no candidate is left.
    template <int ROWS, class Lists, class Tabu>
    INLINE bool choose(const Lists& lists, const Tabu& tabu, int& city, int first, int place,
                       int lane) const {
        int step = first + place, start = city * (ROWS == 1 ? LANES : lists.width);
        int cities[ROWS];
        float weights[ROWS], top = 0.0f;
        unsigned seen[ROWS], word = __shfl_sync(ALL_LANES, words, place);
        UNROLL for (int row = 0; row < ROWS; ++row) {
            cities[row] = city;
            weights[row] = 0.0f;
            if (ROWS == 1 || row * LANES < lists.width)
                lists.read(start + row * LANES, cities[row], weights[row]);
        }
        UNROLL for (int row = 0; row < ROWS; ++row) {
            seen[row] = tabu.seen(cities[row]);
            if (tabu.visited(seen[row], cities[row], step)) weights[row] = 0.0f;
            top = row == 0 ? weights[0] : fmaxf(top, weights[row]);
        }
        unsigned largest = warp_max(__float_as_uint(top));
        Wheel wheel(__uint_as_float(largest));
        unsigned units[ROWS], totals[ROWS], all = 0;
        UNROLL for (int row = 0; row < ROWS; ++row) {
            units[row] = wheel.units(weights[row]);
            totals[row] = warp_total(units[row]);
            all += totals[row];  // 2^31 at most
        }
        unsigned stop = __umulhi(word, all), own = units[0], own_seen = seen[0];
        int own_city = cities[0];
        bool found = false;
        UNROLL for (int row = 0; row + 1 < ROWS; ++row) {
            found = found || stop < totals[row];
            if (found) continue;
            stop -= totals[row];
            own = units[row + 1];
            own_seen = seen[row + 1];
            own_city = cities[row + 1];
        }
        bool here = eights.stops_here(own, stop, lane);  // nowhere, if no candidate is left
        __syncwarp();                                    // all have read the tabu
        if (here) tabu.mark(own_seen, own_city, step);
        own_city = int(warp_max(here ? unsigned(own_city) : 0));
        if (largest == 0) return false;
        city = own_city;
        return true;
    }
};

// WRS: weighted reservoir sampling.
struct ReservoirSampling {
    OwnWords keys;  // of 32 steps, one a lane

    INLINE ReservoirSampling(const Draws& draws, int first, int lane)
        : keys(draws, first + lane, RESERVOIR) {}

    // Draws a city and marks it; false where no candidate is left.
    template <int ROWS, class Lists, class Tabu>
    INLINE bool choose(const Lists& lists, const Tabu& tabu, int& city, int first, int place,
                       int lane) const {
        int step = first + place, start = city * (ROWS == 1 ? LANES : lists.width);
        OwnWords words(keys, place);
        Sample best = Sample::none();
        UNROLL for (int row = 0; row < ROWS; ++row) {
            if (ROWS > 1 && row * LANES >= lists.width) break;
            int other;
            float inverse;
            lists.read(start + row * LANES, other, inverse);
            unsigned seen = tabu.seen(other);
            float key = Reservoir::minus_log2(words.of(other)) * inverse;
            if (!tabu.visited(seen, other, step)) best.offer(key, other, int(seen));
        }
        unsigned bits = __float_as_uint(best.key), least = warp_min(bits);
        unsigned mine = bits == least ? unsigned(best.city) : ~0u;
        unsigned winner = warp_min(mine);
        if (least == 0x7f800000u) return false;
        __syncwarp();  // all have read the tabu
        if (mine == winner) tabu.mark(unsigned(best.place), best.city, step);
        city = int(winner);
        return true;
    }
};

// Candidates and their weights, `width` a city, as a lane reads them: every 32nd.
struct SplitLists {
    const unsigned short* cities;
    const float* weights;  // or their inverses
    int width, lane;

    INLINE SplitLists(const unsigned short* candidates, const void* listed, int width_, int lane_)
        : cities(candidates + lane_),
          weights(static_cast<const float*>(listed) + lane_),
          width(width_),
          lane(lane_) {}

    // `place`: where a row of 32 begins.
    INLINE void read(int place, int& city, float& weight) const {
        city = cities[place];
        weight = weights[place];
    }

    // Starts to copy the lists of all cities to shared memory; returns the end of the copy.
    INLINE uint4* copy(uint4* shared, int count) {
        uint4* end = start_copy(shared, weights - lane, count * width / 4);
        weights = held_own_shared(reinterpret_cast<const float*>(shared) + lane);
        shared = end;
        end = start_copy(shared, cities - lane, count * width / 8);
        cities = held_own_shared(reinterpret_cast<const unsigned short*>(shared) + lane);
        return end;
    }
};

// City and weight in the halves of one word, so that one read gets both.
struct PackedLists {
    const unsigned* words;
    int width, lane;

    INLINE PackedLists(const unsigned short*, const void* listed, int width_, int lane_)
        : words(static_cast<const unsigned*>(listed) + lane_), width(width_), lane(lane_) {}

    INLINE void read(int place, int& city, float& weight) const {
        unpack(words[place], city, weight);
    }

    INLINE uint4* copy(uint4* shared, int count) {
        uint4* end = start_copy(shared, words - lane, count * width / 4);
        words = held_own_shared(reinterpret_cast<const unsigned*>(shared) + lane);
        return end;
    }

    static INLINE void unpack(unsigned word, int& city, float& weight) {
        city = int(word & 0xffffu);
        weight = __uint_as_float(word & 0xffff0000u);
    }
};

// The same where shared memory holds the lists of some cities: the others are read from global
// memory.
struct PartedLists {
    PackedLists near, far;
    int width, end = 0;  // of the lists in shared memory

    INLINE PartedLists(const unsigned short* candidates, const void* listed, int width_, int lane)
        : near(candidates, listed, width_, lane), far(near), width(width_) {}

    INLINE void read(int place, int& city, float& weight) const {
        unsigned word = place < end ? near.words[place] : __ldg(far.words + place);
        PackedLists::unpack(word, city, weight);
    }

    INLINE uint4* copy(uint4* shared, int count) {
        end = count * width;
        return near.copy(shared, count);
    }
};

template <class Tabu, class Selection, class Lists, int ROWS, bool SHARED, bool KEPT>
__global__ void __launch_bounds__(KEPT ? MOST_LIST_WARPS * LANES : 640, 1) build_tours_by_lists(
    const BuildToursByLists arguments) {
    const auto [construction, candidates, listed, width, copied, weights, trails, columns, backup,
                strayed, rounds, factors, alpha, tabu_bytes] = arguments;
    const auto [first_ant, end_ant, seed, geometry, tours, lengths, state] = construction;
    const int n = geometry.n;
    extern __shared__ uint4 shared[];
    // If KEPT, held() and this `end` save 5 % of the time on an H100; else registers would spill.
    int lane = KEPT ? held(threadIdx.x % LANES) : threadIdx.x % LANES, warps = blockDim.x / LANES;
    int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);  // known to be the same in all lanes
    char* tabus = reinterpret_cast<char*>(shared);
    Lists lists(candidates, listed, width, lane);
    AllWeights all{weights, n, columns, rounds};
    __shared__ OtherCities others;
    static_assert(sizeof(others) <= OTHERS_BYTES, "as the host counts it");
    if constexpr (SHARED) {
        tabus = reinterpret_cast<char*>(lists.copy(held_shared(shared), copied));
        copies_asked();
        copies_landed<0>();
    }
    if constexpr (!KEPT) {
        if (threadIdx.x == 0) others = {all, trails, backup, strayed, factors, alpha, geometry};
    }
    __syncthreads();
    Tabu tabu(held_shared(tabus + warp * tabu_bytes), n);
    int first_of_warp = first_ant + warp * gridDim.x + blockIdx.x;
    for (int ant = first_of_warp; ant < end_ant; ant += gridDim.x * warps) {
        Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
        int* tour = row_of(tours, ant, n);
        int city = draws.start(n), kept = city;  // the last cities, one a lane
        tabu.begin(n, city, lane);
        for (int first = 0; first < n; first += LANES) {
            Selection selection(draws, first, lane);
            int end = KEPT ? min(n, first + LANES) - first : min(LANES, n - first);
            for (int place = first == 0; place < end; ++place) {
                int from = city;
                if (!selection.template choose<ROWS>(lists, tabu, city, first, place, lane)) {
                    if constexpr (KEPT)
                        city = all.heaviest(tabu, from, first + place, lane).city();
                    else
                        city = others.heaviest(tabu, from, first + place, lane);
                    __syncwarp();  // all have read the tabu
                    if (lane == 0) tabu.mark(tabu.seen(city), city, first + place);
                }
                if (lane == place) kept = city;
                __syncwarp();
            }
            if (lane < end) tour[first + lane] = kept;
        }
        __syncwarp();
        report_tour(state, geometry, tour, ant, lengths, lane);
    }
}

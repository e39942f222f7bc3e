// Data-parallel construction of the Ant System (2013, Section 3.2): an ant is a block, and its
// threads are workers, each of which looks after some cities.
#include "gpu/construction/cuda/tours.cuh"
#include "gpu/cuda/kernels/choice.cuh"
#include "gpu/cuda/kernels/group.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"

// I-Roulette (2013, Section 3.2.3): every city draws a number of its own, and the largest product
// of number and weight wins. A reduction finds it in parallel, but it favours heavy weights more
// than the random proportional rule does.

struct IndependentDraws {
    OwnWords words;

    INLINE IndependentDraws(const Draws& draws, int step) : words(draws, step, INDEPENDENT) {}

    // The number of a city. Never 0, so that light cities have a chance.
    INLINE float of(int city) const { return odd_share(words.of(city)); }
};

// The cities of one worker: up to 8 quads, four cities with consecutive numbers each, so that
// one read brings four weights. The bits of one register tell which of them are visited.
struct WorkerCities {
    int n, worker, workers;
    unsigned visited;

    INLINE WorkerCities(int n_, int worker_, int workers_)
        : n(n_), worker(worker_), workers(workers_), visited(0) {
        for (int bit = 0; bit < CITIES_PER_WORKER; ++bit)
            if (worker >= workers || city(bit) >= n) visited |= 1u << bit;
    }

    INLINE int quad(int i) const { return i * workers + worker; }
    INLINE int city(int bit) const { return 4 * quad(bit / 4) + bit % 4; }

    INLINE void mark(int city) {
        int its_quad = city / 4;
        if (its_quad % workers == worker) visited |= 1u << (its_quad / workers * 4 + city % 4);
    }

    // Calls visit(quad) for every quad whose cities are all visited.
    template <class Visit>
    INLINE void each_visited_quad(Visit visit) const {
        for (int i = 0; worker < workers && 4 * quad(i) < n; ++i)
            if ((visited >> 4 * i & 15) == 15) visit(quad(i));
    }

    // Calls visit(quad, weights) for every other quad; the weights of visited cities are 0.
    template <class Visit>
    INLINE void each_quad(const float* row, Visit visit) const {
#pragma unroll 2
        for (int i = 0; 4 * i * workers < n; ++i) {
            unsigned bits = visited >> 4 * i & 15;
            if (bits == 15) continue;
            float4 weights = __ldg(reinterpret_cast<const float4*>(row) + quad(i));
            weights.x = bits & 1 ? 0.0f : weights.x;
            weights.y = bits & 2 ? 0.0f : weights.y;
            weights.z = bits & 4 ? 0.0f : weights.z;
            weights.w = bits & 8 ? 0.0f : weights.w;
            visit(quad(i), weights);
        }
    }
};

// The roulette wheel, turned by one of the workers over shared memory.
struct OneTurns {
    uint4* slots;  // a quad each
    int quads;

    INLINE OneTurns(void* shared, int n) : slots(static_cast<uint4*>(shared)), quads((n + 3) / 4) {}

    INLINE int choose(const Group<>& group, const WorkerCities& cities, const float* row,
                      const Draws& draws, int step) const {
        float top = 0.0f;
        cities.each_quad(
            row, [&](int, float4 w) { top = fmaxf(top, fmaxf(fmaxf(w.x, w.y), fmaxf(w.z, w.w))); });
        Wheel wheel(group.largest(top));
        cities.each_visited_quad([&](int quad) { slots[quad] = make_uint4(0, 0, 0, 0); });
        cities.each_quad(row, [&](int quad, float4 w) {
            slots[quad] =
                make_uint4(wheel.units(w.x), wheel.units(w.y), wheel.units(w.z), wheel.units(w.w));
        });
        __syncthreads();
        int city = 0;
        if (threadIdx.x == 0) city = turn(draws.spin(step));
        __syncwarp();  // a single warp writes the slots again at once
        city = __shfl_sync(ALL_LANES, city, 0);
        return group.agree(group.warp == 0, city);
    }

  private:
    INLINE int turn(unsigned word) const {
        Word sum = 0;
#pragma unroll 4
        for (int i = 0; i < quads; ++i) {
            uint4 slot = slots[i];
            sum += slot.x + slot.y + slot.z + slot.w;  // 2^25 at most
        }
        Word stop = Wheel::spin(word, sum);
        for (int i = 0;; ++i) {
            uint4 slot = slots[i];
            unsigned of_quad = slot.x + slot.y + slot.z + slot.w;
            if (stop >= of_quad) {
                stop -= of_quad;
                continue;
            }
            unsigned left = unsigned(stop), two = slot.x + slot.y;
            return 4 * i + (left < two ? left >= slot.x : 2 + (left >= two + slot.z));
        }
    }
};

// I-Roulette: each worker finds the best of its own cities.
struct EachDraws {
    INLINE EachDraws(void*, int) {}

    INLINE int choose(const Group<>& group, const WorkerCities& cities, const float* row,
                      const Draws& draws, int step) const {
        IndependentDraws numbers(draws, step);
        float best = 0.0f;
        int city = 0;
        cities.each_quad(row, [&](int quad, float4 w) {
            float weights[4] = {w.x, w.y, w.z, w.w};
            UNROLL for (int i = 0; i < 4; ++i) {
                float key = numbers.of(4 * quad + i) * weights[i];
                city = key > best ? 4 * quad + i : city;
                best = fmaxf(best, key);
            }
        });
        return group.first_of_largest(best, city);
    }
};

template <class Selection>
__global__ void __launch_bounds__(1024) build_tours_by_workers(
    const __grid_constant__ BuildToursByWorkers arguments) {
    const auto [construction, weights, columns, workers] = arguments;
    const auto [first_ant, end_ant, seed, geometry, tours, lengths, state] = construction;
    const int n = geometry.n;
    extern __shared__ uint4 shared[];
    __shared__ GroupMemory memory;
    int thread = threadIdx.x, ant = first_ant + blockIdx.x;
    Group<> group{memory, int(blockDim.x) / LANES, thread / LANES, thread % LANES};
    Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
    WorkerCities cities(n, thread, workers);
    Selection selection(shared, n);
    int* tour = row_of(tours, ant, n);
    int city = draws.start(n);
    for (int step = 1;; ++step) {
        cities.mark(city);
        if (thread == 0) tour[step - 1] = city;
        if (step == n) break;
        const float* row = row_of(weights, city, columns);
        city = selection.choose(group, cities, row, draws, step);
    }
    __syncthreads();
    if (thread >= LANES) return;
    report_tour(state, geometry, tour, ant, lengths, thread);
}

// Task-parallel construction of the Ant System (2013, Section 3.1.2): an ant a thread.
#include "gpu/construction/cuda/tours.cuh"
#include "gpu/cuda/kernels/choice.cuh"
#include "kernels.py"

// The cities that a thread's ant has visited, one bit a city. The words of the ants of a block, or
// of all ants, are side by side.
struct OwnTabu {
    unsigned* words;
    long long stride;

    // Cities that do not exist count as visited.
    INLINE void clear(int n) const {
        for (int first = 0; first < n; first += 32)
            words[first / 32 * stride] = n - first < 32 ? ~0u << (n - first) : 0;
    }

    INLINE void mark(int city) const { words[city / 32 * stride] |= 1u << city % 32; }

    // Calls visit(city) for every unvisited city in the order of their numbers, until visit()
    // returns that this was the last one it needs.
    template <class Visit>
    INLINE void each_unvisited(int n, Visit visit) const {
        for (int first = 0; first < n; first += 32)
            for (unsigned left = ~words[first / 32 * stride]; left; left &= left - 1)
                if (visit(first + __ffs(left) - 1)) return;
    }
};

// Algorithm 2 of the 2013 paper: three passes over the unvisited cities, of which the first finds
// the unit of the wheel. A row of `weights` has `columns` floats. `words_memory` holds the tabu
// bits where they do not fit shared memory, and is null where they do. A launch makes the steps
// from `first_step` to before `end_step`, of which a tour has n.
__global__ void __launch_bounds__(LANES) build_tours_by_threads(
    const BuildToursByThreads arguments) {
    const auto [construction, weights, columns, words_memory, first_step, end_step] = arguments;
    const auto [first_ant, ants, seed, geometry, tours, lengths, state] = construction;
    const int n = geometry.n;
    extern __shared__ unsigned shared_words[];
    int ant = blockIdx.x * blockDim.x + threadIdx.x;  // the first one is 0
    Word best = ~0ull, length = 0;
    if (ant < ants) {
        OwnTabu tabu{words_memory ? words_memory + ant : shared_words + threadIdx.x,
                     static_cast<long long>(words_memory ? ants : blockDim.x)};
        Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
        int* tour = row_of(tours, ant, n);
        int start = draws.start(n), city = start;
        if (first_step == 0) tour[0] = start;
        if (first_step == 0 || !words_memory) {
            tabu.clear(n);
            for (int step = 0; step < max(first_step, 1); ++step) tabu.mark(tour[step]);
        }
        if (first_step > 0) {
            city = tour[first_step - 1];
            length = lengths[ant];
        }
        for (int step = max(first_step, 1); step < end_step; ++step) {
            const float* row = row_of(weights, city, columns);
            float largest = 0.0f;
            tabu.each_unvisited(n, [&](int to) {
                largest = fmaxf(largest, __ldg(&row[to]));
                return false;
            });
            Wheel wheel(largest);
            Word sum = 0;
            tabu.each_unvisited(n, [&](int to) {
                sum += wheel.units(__ldg(&row[to]));
                return false;
            });
            Word spin = Wheel::spin(draws.spin(step), sum), before = 0;
            int next = city;
            tabu.each_unvisited(n, [&](int to) {
                before += wheel.units(__ldg(&row[to]));
                next = to;
                return before > spin;
            });
            length += geometry.distance(city, next);
            city = next;
            tabu.mark(city);
            tour[step] = city;
        }
        if (end_step == n) length += geometry.distance(city, start);
        lengths[ant] = length;
        best = length << ANT_BITS | Word(ant);
    }
    if (end_step == n) report_each(state, best, length, threadIdx.x);
}

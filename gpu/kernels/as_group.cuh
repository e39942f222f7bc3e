// Tour construction with a group of threads an ant (2017): ST-GROUP and what became of it.
//
// Policies: the order of the wheel (`Order`: NumberedCities, or a tour list), how the group finds
// where the wheel stops (`Selection`: PrefixSearch, TilingRoulette), whether the group SHRINKS with
// the cities left, and whether a launch builds whole tours (KE-ALL) or makes one step (KE-ONE).
//
// A thread keeps the weights of its cities in registers from the search for the largest to the
// turning of the wheel, so that each is read once a step.
#pragma once

#include "colony_state.cuh"
#include "geometry.cuh"
#include "group.cuh"
#include "philox.cuh"
#include "roulette.cuh"
#include "tour_report.cuh"

// The cities that one wheel is made of, as one warp of the group sees them: rows of `width` places
// each, of which it has those from row warp * rows on.
template <class Order>
struct Places {
    const Order& order;
    const float* row;  // of weights
    int first, width, lane;

    // The weights of COUNT rows from row `from` on, a row a register; 0 where there is none.
    // `padded` says that what the order holds beyond its end covers all of them.
    template <int COUNT>
    __device__ __forceinline__ void read(int from, bool padded, float (&weights)[COUNT]) const {
        int place = first + from * width + lane;
#pragma unroll
        for (int k = 0; k < COUNT; ++k)
            weights[k] = lane >= width ? 0.0f
                         : padded      ? order.weight(row, place + k * width)
                                       : order.weight_if_any(row, place + k * width);
    }

    // Of the slot `slot` of rows from row `from` on.
    __device__ __forceinline__ int place(int from, int slot) const {
        return first + (from + slot / LANES) * width + slot % LANES;
    }
};

template <int COUNT>
__device__ __forceinline__ float largest_of(const float (&weights)[COUNT]) {
    constexpr int CHAINS = COUNT < 4 ? COUNT : 4;  // at once, or each would wait for the last
    float tops[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) tops[k] = weights[k];
#pragma unroll
    for (int k = CHAINS; k < COUNT; ++k) tops[k % CHAINS] = fmaxf(tops[k % CHAINS], weights[k]);
#pragma unroll
    for (int k = 1; k < CHAINS; ++k) tops[0] = fmaxf(tops[0], tops[k]);
    return tops[0];
}

template <int COUNT>
__device__ __forceinline__ void measure(const Wheel& wheel, const float (&weights)[COUNT],
                                        unsigned (&units)[COUNT]) {
#pragma unroll
    for (int k = 0; k < COUNT; ++k) units[k] = wheel.units_over_base(weights[k]);
}

// The place where the wheel stops, or -1 in warps where it does not; COUNT rows a warp.
template <int COUNT, template <int> class Selection, class Order>
__device__ __forceinline__ int turn(const Group& group, const Places<Order>& places,
                                    unsigned word) {
    int from = group.warp * COUNT;
    float weights[COUNT];
    unsigned units[COUNT];
    places.read(from, true, weights);
    measure(Wheel(group.largest(largest_of(weights))), weights, units);
    Selection<COUNT> selection;
    Word before, own = selection.sum(units, places.lane), all = group.sum(own, before);
    Word stop = Wheel::spin(word, all) - before;  // past the end in warps before the one
    if (stop >= own) return -1;
    return places.place(from, selection.find(units, stop, places.lane));
}

// The same with more rows a warp than there are registers for: read anew for each of three passes,
// COUNT rows at a time.
template <int COUNT, template <int> class Selection, class Order>
__device__ __forceinline__ int turn_large(const Group& group, const Places<Order>& places,
                                          int rows, unsigned word) {
    int from = group.warp * rows, end = from + rows, lane = places.lane;
    float weights[COUNT], top = 0.0f;
    unsigned units[COUNT];
    for (int at = from; at < end; at += COUNT) {
        places.read(at, false, weights);
        top = fmaxf(top, largest_of(weights));
    }
    Wheel wheel(group.largest(top));
    Selection<COUNT> selection;
    Word before, own = 0;
    for (int at = from; at < end; at += COUNT) {
        places.read(at, false, weights);
        measure(wheel, weights, units);
        own += selection.sum(units, lane);
    }
    Word all = group.sum(own, before), stop = Wheel::spin(word, all) - before;
    if (stop >= own) return -1;
    for (int at = from;; at += COUNT) {
        places.read(at, false, weights);
        measure(wheel, weights, units);
        Word these = selection.sum(units, lane);
        if (stop < these) return places.place(at, selection.find(units, stop, lane));
        stop -= these;
    }
}

// Numbers of rows that there is code for.
__device__ constexpr int fewer_rows(int rows) {
    return rows > 8 ? rows - 8 : rows > 4 ? 4 : rows > 1 ? rows / 2 : 0;
}

// An ant under way, as each thread of its group sees it. Everything but `lane` and `words` is the
// same for all threads of a warp.
//
// MOST rows of weights fit a thread's registers. A group of WHOLE warps has rows of 32 places, any
// other of as many as it is told.
template <class Order, template <int> class Selection, bool SHRINKS, int MOST, bool WHOLE>
struct GroupWalk {
    static constexpr int LARGE = MOST < 8 ? MOST : 8;  // rows at once where there are too many

    const Order& order;
    const float* weights;
    Group group;
    Draws draws;
    int n, columns, width, share, step, city, rows;
    unsigned words;  // that spin the wheel at 32 steps, one a lane

    // Makes steps until the tour is whole; false in a warp that retires before.
    __device__ __forceinline__ bool finish() {
        while (step < n)
            if (!run<MOST>()) return false;
        return true;
    }

    // Makes one step with as many rows as it needs.
    template <int COUNT = MOST>
    __device__ __forceinline__ void step_once(unsigned word) {
        constexpr int FEWER = fewer_rows(COUNT);
        if constexpr (FEWER > 0)
            if (rows <= FEWER) return step_once<FEWER>(word);
        advance<COUNT>(word);
    }

    // Chooses a city and goes there.
    template <int COUNT>
    __device__ __forceinline__ void advance(unsigned word) {
        int lane = group.lane;
        const float* row = weights + static_cast<long long>(city) * columns;
        Places<Order> places{order, held_pointer(row), order.first(step),
                             WHOLE ? LANES : width, lane};
        int place = COUNT == MOST && rows > MOST
                        ? turn_large<LARGE, Selection>(group, places, rows_in_turns(), word)
                        : turn<COUNT, Selection>(group, places, word);
        int next = 0;
        if (place >= 0) {
            next = order.city(place);
            __syncwarp();
            if (lane == 0) order.take(place, next, step);
            __syncwarp();
        }
        city = group.agree(place >= 0, next);
    }

    // Rows for each warp, so that the group has them all.
    __device__ __forceinline__ int rows_of(int places) const {
        int a_row = group.warps * (WHOLE ? LANES : width);
        return (places + a_row - 1) / a_row;
    }

  private:
    __device__ __forceinline__ int rows_in_turns() const { return (rows + LARGE - 1) / LARGE * LARGE; }

    // Makes steps while COUNT rows a warp are what is needed.
    template <int COUNT>
    __device__ __forceinline__ bool run() {
        constexpr int FEWER = fewer_rows(COUNT);
        while (step < n && rows > FEWER && (COUNT == MOST || rows <= COUNT)) {
            if (step % LANES == 0) words = draws.spin(step + group.lane);
            advance<COUNT>(__shfl_sync(ALL_LANES, words, step % LANES));
            step += 1;
            int left = n - order.first(step), a_row = group.warps * (WHOLE ? LANES : width);
            if (SHRINKS && group.warps > 1 && left <= (a_row - width) * share) {
                group.warps -= 1;
                if (group.warp == group.warps) return false;
                rows = rows_of(left);
            } else if (left <= (rows - 1) * a_row) {
                rows -= 1;
            }
        }
        if constexpr (FEWER > 0)
            return run<FEWER>();
        else
            return true;
    }
};

// KE-ALL. A block is an ant's group. `share` is the number of rows a thread has at most in a
// group that shrinks.
template <class Order, template <int> class Selection, bool SHRINKS, int MOST, bool WHOLE>
__global__ void __launch_bounds__(MOST > 16 ? 640 : 1024)
    build_tours_by_groups(int n, int ants, unsigned seed_low, unsigned seed_high, int metric,
                          const double* coordinates, const int* matrix, const float* weights,
                          int columns, int width, int share, int padding, int* tours,
                          Word* lengths, ColonyState* state) {
    extern __shared__ unsigned shared[];
    __shared__ GroupMemory memory;
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES, ant = blockIdx.x;
    int* tour = tours + static_cast<long long>(ant) * n;
    Order order(shared, nullptr, tour, n);
    Draws draws{{seed_low, seed_high}, static_cast<unsigned>(ant),
                static_cast<unsigned>(state->iteration)};
    int start = draws.start(n);
    order.begin(start, padding);
    __syncthreads();
    GroupWalk<Order, Selection, SHRINKS, MOST, WHOLE> walk{
        order, weights, {memory, warps, static_cast<int>(threadIdx.x) / LANES, lane}, draws,
        n,     columns, width, share, 1, start, 0, draws.spin(lane)};
    walk.rows = walk.rows_of(n - order.first(1));
    if (!walk.finish()) {
        retire();
        return;
    }
    if (walk.group.warp > 0) return;
    order.finish(tour, lane);
    report_tour(state, Geometry{n, metric, 1.0, coordinates, matrix, nullptr}, tour, ant, lengths,
                lane);
}

// KE-ONE: the start, a step, and the end of all tours. `bits` has `bit_words` words an ant, or is
// null for an order that needs none.
template <class Order>
__global__ void start_steps(int n, int ants, unsigned seed_low, unsigned seed_high, unsigned* bits,
                            int bit_words, int padding, int* tours, const ColonyState* state) {
    int ant = blockIdx.x;
    Draws draws{{seed_low, seed_high}, static_cast<unsigned>(ant),
                static_cast<unsigned>(state->iteration)};
    Order order(nullptr, bits ? bits + static_cast<long long>(ant) * bit_words : nullptr,
                tours + static_cast<long long>(ant) * n, n);
    order.begin(draws.start(n), padding);
}

template <class Order, template <int> class Selection, int MOST>
__global__ void __launch_bounds__(1024)
    make_step(int n, int ants, unsigned seed_low, unsigned seed_high, const float* weights,
              int columns, int width, int step, unsigned* bits, int bit_words, int* tours,
              const ColonyState* state) {
    __shared__ GroupMemory memory;
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES, ant = blockIdx.x;
    int* tour = tours + static_cast<long long>(ant) * n;
    Order order(nullptr, bits ? bits + static_cast<long long>(ant) * bit_words : nullptr, tour, n);
    Draws draws{{seed_low, seed_high}, static_cast<unsigned>(ant),
                static_cast<unsigned>(state->iteration)};
    GroupWalk<Order, Selection, false, MOST, false> walk{
        order, weights, {memory, warps, static_cast<int>(threadIdx.x) / LANES, lane}, draws,
        n,     columns, width, 0, step, tour[step - 1], 0, 0};
    walk.rows = walk.rows_of(n - order.first(step));
    walk.step_once(draws.spin(step));
}

__global__ void finish_steps(int n, int metric, const double* coordinates, const int* matrix,
                             const int* tours, Word* lengths, ColonyState* state) {
    int ant = blockIdx.x;
    report_tour(state, Geometry{n, metric, 1.0, coordinates, matrix, nullptr},
                tours + static_cast<long long>(ant) * n, ant, lengths, threadIdx.x);
}

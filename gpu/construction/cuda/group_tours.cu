// Tour construction with a group of threads an ant (2017): ST-GROUP and its successors.
//
// Policies: the order of the wheel (`Order`: NumberedCities, or a list), how the group finds
// where the wheel stops (`Selection`: PrefixSearch, TilingRoulette), whether the group SHRINKS with
// the cities left, and whether a launch builds whole tours (KE-ALL) or makes one step (KE-ONE).
//
// A thread keeps the weights of its cities in registers while the group finds the largest and turns
// the wheel, so that each weight is read once a step.
#include "gpu/cuda/kernels/group.cuh"
#include "kernels.py"
#include "roulette.cuh"
#include "tours.cuh"
#include "unvisited.cuh"

// The cities on one wheel, in rows of 32 places, or of `width` in a group that is not of WHOLE
// warps.
template <class Order, bool WHOLE>
struct Places {
    const Order& order;
    const float* row;  // of weights
    int first, end, width, lane;

    // The weights of COUNT rows from row `from` on, a row a register; 0 where there is no city. In
    // the first FULL rows there is one in every place. `padded` says that the padding behind the
    // last city covers all of these rows.
    template <int FULL, int COUNT>
    INLINE void read(int from, bool padded, float (&weights)[COUNT]) const {
        int place = first + from * a_row() + lane;
        if (Order::PADDED ? padded : FULL == 0 && WHOLE && place - lane + COUNT * LANES <= end) {
            UNROLL for (int k = 0; k < COUNT; ++k) {
                bool there = WHOLE || lane < width;
                weights[k] = there ? order.weight(row, place + k * a_row()) : 0.0f;
            }
            return;
        }
        UNROLL for (int k = 0; k < COUNT; ++k) {
            int here = place + k * a_row();
            weights[k] = !WHOLE && lane >= width  ? 0.0f
                         : k < FULL || here < end ? order.weight(row, here)
                                                  : 0.0f;
        }
    }

    // Of a slot of rows from row `from` on.
    INLINE int place(int from, int slot) const {
        return WHOLE ? first + from * LANES + slot
                     : first + (from + (slot >> 5)) * width + (slot & (LANES - 1));
    }

  private:
    INLINE int a_row() const { return WHOLE ? LANES : width; }
};

template <int COUNT>
INLINE float largest_of(const float (&weights)[COUNT]) {
    constexpr int CHAINS = COUNT < 4 ? COUNT : 4;  // side by side, or each would wait for the last
    float tops[CHAINS];
    UNROLL for (int k = 0; k < CHAINS; ++k) tops[k] = weights[k];
    UNROLL for (int k = CHAINS; k < COUNT; ++k) {
        tops[k % CHAINS] = fmaxf(tops[k % CHAINS], weights[k]);
    }
    UNROLL for (int k = 1; k < CHAINS; ++k) tops[0] = fmaxf(tops[0], tops[k]);
    return tops[0];
}

template <int COUNT>
INLINE void measure(const Wheel& wheel, const float (&weights)[COUNT], unsigned (&units)[COUNT]) {
    UNROLL for (int k = 0; k < COUNT; ++k) units[k] = wheel.units_over_base(weights[k]);
}

// The place where the wheel stops, or -1 in warps where it does not; COUNT rows a warp.
template <int COUNT, template <int> class Selection, bool ALONE, class Order, bool WHOLE>
INLINE int turn(const Group<ALONE>& group, const Places<Order, WHOLE>& places, unsigned word) {
    int from = group.number() * COUNT;
    float weights[COUNT];
    unsigned units[COUNT];
    places.template read<ALONE ? fewer_rows(COUNT, true) : 0>(from, true, weights);
    measure(Wheel(group.largest(largest_of(weights))), weights, units);
    Selection<COUNT> selection;
    Word before, own = selection.sum(units, places.lane), all = group.sum(own, before);
    Word stop = Wheel::spin(word, all) - before;  // past the end in the warps before it
    if (!ALONE && stop >= own) return -1;
    return places.place(from, selection.find(units, stop, places.lane));
}

// The same with more rows a warp than fit its registers: each of three passes reads the weights
// again, COUNT rows at a time.
template <int COUNT, template <int> class Selection, bool ALONE, class Order, bool WHOLE>
INLINE int turn_large(const Group<ALONE>& group, const Places<Order, WHOLE>& places, int rows,
                      unsigned word) {
    int from = group.number() * rows, end = from + rows, lane = places.lane;
    float weights[COUNT], top = 0.0f;
    unsigned units[COUNT];
    for (int at = from; at < end; at += COUNT) {
        places.template read<0>(at, false, weights);
        top = fmaxf(top, largest_of(weights));
    }
    Wheel wheel(group.largest(top));
    Selection<COUNT> selection;
    Word before, own = 0;
    for (int at = from; at < end; at += COUNT) {
        places.template read<0>(at, false, weights);
        measure(wheel, weights, units);
        own += selection.sum(units, lane);
    }
    Word all = group.sum(own, before), stop = Wheel::spin(word, all) - before;
    if (stop >= own) return -1;
    for (int at = from;; at += COUNT) {
        places.template read<0>(at, false, weights);
        measure(wheel, weights, units);
        Word these = selection.sum(units, lane);
        if (stop < these) return places.place(at, selection.find(units, stop, lane));
        stop -= these;
    }
}

// An ant on its way, as each thread of its group sees it. Everything except `lane` is the same for
// all threads of a warp.
//
// MOST rows of weights fit a thread's registers.
template <class Order, template <int> class Selection, bool SHRINKS, int MOST, bool WHOLE>
struct GroupWalk {
    const Order& order;
    const float* weights;
    GroupMemory& memory;
    Draws draws;
    int warps, warp, lane, n, columns, width, share, step, city;

    // Makes steps until the tour is complete. Returns false in a warp that retires before.
    INLINE bool finish() {
        while (step < n) {
            if constexpr (WHOLE) {
                if (warps == 1 && left() <= MOST * slots()) {
                    run_down<MOST, true>();
                    continue;
                }
            }
            int before = warps;
            if (!run<LARGE, true, false>(MOST)) return false;
            if (warps == before && !run_down<MOST, false>()) return false;
        }
        return true;
    }

    // Makes one step, with as many rows as it needs.
    template <int COUNT = MOST>
    INLINE void step_once() {
        constexpr int FEWER = fewer_rows(COUNT, false);
        if (COUNT == MOST && left() > MOST * slots()) {
            advance<LARGE, true, false>(draws.spin(step));
        } else if (FEWER == 0 || left() > FEWER * slots()) {
            advance<COUNT, false, false>(draws.spin(step));
        } else if constexpr (FEWER > 0) {
            step_once<FEWER>();
        }
    }

  private:
    static constexpr int LARGE = MOST < 8 ? MOST : 8;  // rows at once where there are too many

    INLINE int left() const { return Order::SHORTENS ? n - step : n; }

    // Of a row of all warps.
    INLINE int slots() const { return warps * (WHOLE ? LANES : width); }

    // The first step at which no more than so many places are left.
    INLINE int step_with(int places) const {
        return Order::SHORTENS ? max(n - places, 0) : n <= places ? 0 : n;
    }

    // Makes steps until a warp retires, or to the end. Returns false in the warp that retires.
    template <int COUNT, bool ALONE>
    INLINE bool run_down() {
        constexpr int FEWER = fewer_rows(COUNT, ALONE);
        int before = warps;
        if (!run<COUNT, false, ALONE>(FEWER)) return false;
        if constexpr (FEWER > 0)
            if (warps == before) return run_down<FEWER, ALONE>();
        return true;
    }

    // Makes steps while there are more than `fewer` rows.
    template <int COUNT, bool IS_LARGE, bool ALONE>
    INLINE bool run(int fewer) {
        int end = min(n, step_with(fewer * slots()));
        bool retires = SHRINKS && !ALONE && step_with((slots() - slots() / warps) * share) <= end;
        if (retires) end = step_with((slots() - slots() / warps) * share);
        while (step < end) {
            unsigned words = draws.spin((step & -LANES) + lane);  // for 32 steps, one a lane
            int pause = min(end, (step | (LANES - 1)) + 1);
            for (; step < pause; ++step)
                advance<COUNT, IS_LARGE, ALONE>(__shfl_sync(ALL_LANES, words, step & (LANES - 1)));
        }
        if (!retires || step >= n) return true;
        warps -= 1;
        return warp != warps;
    }

    // Chooses a city and goes there.
    template <int COUNT, bool IS_LARGE, bool ALONE>
    INLINE void advance(unsigned word) {
        Group<ALONE> group{memory, warps, warp, lane};
        const float* row =
            weights + static_cast<unsigned long long>(unsigned(city)) * unsigned(columns);
        Places<Order, WHOLE> places{
            order, held_pointer(row), order.first(step), order.end(step), width, lane};
        int place;
        if constexpr (IS_LARGE) {
            int rows = (left() + slots() - 1) / slots();
            rows = (rows + COUNT - 1) / COUNT * COUNT;
            place = turn_large<COUNT, Selection>(group, places, rows, word);
        } else {
            place = turn<COUNT, Selection>(group, places, word);
        }
        int next = 0;
        if (ALONE || place >= 0) {
            next = order.city(place);
            __syncwarp();
            if (lane == 0) order.take(place, next, step);
            __syncwarp();
        }
        city = group.agree(place >= 0, next);
    }
};

// KE-ALL. A block is the group of an ant. `share` is the most rows of a thread in a group that
// shrinks.
template <class Order, template <int> class Selection, bool SHRINKS, int MOST, bool WHOLE>
__global__ void __launch_bounds__(MOST > 16 ? 640 : 1024) build_tours_by_groups(
    const BuildToursByGroups arguments) {
    const auto [construction, weights, columns, width, share, padding] = arguments;
    const auto [first_ant, end_ant, seed, geometry, tours, lengths, state] = construction;
    const int n = geometry.n;
    extern __shared__ unsigned shared[];
    __shared__ GroupMemory memory;
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    int ant = first_ant + blockIdx.x;
    int* tour = row_of(tours, ant, n);
    Order order(shared, nullptr, tour, n);
    Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
    int start = draws.start(n);
    order.begin(start, padding);
    __syncthreads();
    GroupWalk<Order, Selection, SHRINKS, MOST, WHOLE> walk{
        order, weights, memory, draws, warps, warp, lane, n, columns, width, share, 1, start};
    if (!walk.finish()) {
        retire();
        return;
    }
    if (warp > 0) return;
    order.finish(tour, lane);
    report_tour(state, geometry, tour, ant, lengths, lane);
}

// KE-ONE: the start, a step, and the end of all tours. `bits` has `bit_words` words an ant, or is
// null for an order that needs none.
template <class Order>
__global__ void start_steps(const StartSteps arguments) {
    const auto [n, ants, seed, bits, bit_words, padding, tours, state] = arguments;
    int ant = blockIdx.x;
    Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
    Order order(nullptr, bits ? bits + static_cast<long long>(ant) * bit_words : nullptr,
                row_of(tours, ant, n), n);
    order.begin(draws.start(n), padding);
}

template <class Order, template <int> class Selection, int MOST>
__global__ void __launch_bounds__(1024) make_step(const MakeStep arguments) {
    const auto [n, ants, seed, weights, columns, width, step, bits, bit_words, tours, state] =
        arguments;
    __shared__ GroupMemory memory;
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    int ant = blockIdx.x;
    int* tour = row_of(tours, ant, n);
    Order order(nullptr, bits ? bits + static_cast<long long>(ant) * bit_words : nullptr, tour, n);
    Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
    GroupWalk<Order, Selection, false, MOST, false> walk{
        order, weights, memory, draws, warps, warp,          lane,
        n,     columns, width,  0,     step,  tour[step - 1]};
    walk.step_once();
}

__global__ void finish_steps(const FinishSteps arguments) {
    const auto [geometry, tours, lengths, state] = arguments;
    const int n = geometry.n;
    int ant = blockIdx.x;
    report_tour(state, geometry, row_of(tours, ant, n), ant, lengths, threadIdx.x);
}

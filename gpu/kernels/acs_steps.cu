// ACS-GPU (2016, Section 3.1.2): all ants take one step, then the next; local updates are atomic.
//
// The paper launches one kernel a step. Here one cooperative launch takes all steps of an
// iteration, and a barrier over the grid stands where a launch ended: the same order of events at
// a fraction of the cost. The colony is reproducible: all ants choose from the trails as they were
// before the step's updates, and an edge that c ants took is updated c times, in whichever order.
#include "acs_walk.cuh"
#include "colony_state.cuh"
#include "philox.cuh"

// A trail that ants read while others update it, in one word: when it was last updated (20 bits;
// steps between two barriers have one number), the trail before that (31, for it is positive), and
// how many updates it then got (13). So a step needs no second barrier between choices and
// updates: whoever reads an update of his own time takes the trail before it.
//
// The paper updates by compare-and-swap; ants that follow the best tour together fail and retry it
// one after the other. Here an update is a maximum, which all of an edge's updates of one time
// agree on, then a count: c of them have their effect in one round, whatever c is.
namespace stamped {

constexpr int COUNT_BITS = 13, TRAIL_BITS = 31;

__device__ __forceinline__ Word make(unsigned time, float trail) {
    return static_cast<Word>(time) << (COUNT_BITS + TRAIL_BITS) |
           static_cast<Word>(__float_as_uint(trail)) << COUNT_BITS;
}

// The trail before any update of `time`.
__device__ __forceinline__ float trail(Word word, unsigned time, LocalUpdate change) {
    float value = __uint_as_float(static_cast<unsigned>(word >> COUNT_BITS) & 0x7fffffffu);
    unsigned count = static_cast<unsigned>(word) & ((1u << COUNT_BITS) - 1);
    if (static_cast<unsigned>(word >> (COUNT_BITS + TRAIL_BITS)) == time) count = 0;
    for (; count > 0; --count) value = change(value);
    return value;
}

// The result is to be waited for by performed().
__device__ __forceinline__ unsigned update(Word* place, unsigned time, float trail) {
    atomicMax(place, make(time, trail));
    return static_cast<unsigned>(atomicAdd(place, 1ull));
}

}  // namespace stamped

// Updates of edges that are on no list, of one time and of the next by turns: they are noted by
// the ants that make them, and made once the barrier has been passed. Until then, and while they
// are made, whoever reads such a trail looks it up here.
//
// There are few: an update changes nothing of a trail at the initial level, and the others are
// those of edges that were once on a best tour.
struct OutsideLog {
    Word* entries;     // (2, 2 ants, 2): edge, trail before the update
    unsigned* counts;  // (n + 1), by time
    int capacity;      // 2 ants
    unsigned time;     // that is read: the one before the present
    LocalUpdate change;

    __device__ __forceinline__ Word* entry(unsigned at, unsigned i) const {
        return entries + 2ll * (static_cast<long long>(at & 1) * capacity + i);
    }

    static __device__ __forceinline__ Word edge(int from, int to) {
        return static_cast<Word>(from) << 32 | static_cast<unsigned>(to);
    }

    // Notes an update of the present time. The result is to be waited for by performed().
    __device__ unsigned note(int from, int to, float trail) const {
        Word* mine = entry(time + 1, atomicAdd(&counts[time + 1], 1u));
        Word seen = atomicExch(mine, edge(from, to));
        return static_cast<unsigned>(seen + atomicExch(mine + 1, __float_as_uint(trail)));
    }

    // Calls visit(to, trail before) for every update of a trail from `city`. All lanes of the warp
    // call this, and all get every update.
    template <class Visit>
    __device__ __forceinline__ void each(int city, Visit visit) const {
        unsigned lane = threadIdx.x % LANES;
        unsigned count = __ldcg(&counts[time]);
        for (unsigned first = 0;; first += LANES) {
            // The first are read before it is known how many there are; what is no entry of this
            // time is not looked at.
            unsigned i = min(first + lane, static_cast<unsigned>(capacity) - 1);
            Word edge = __ldcg(entry(time, i)), before = __ldcg(entry(time, i) + 1);
            unsigned found = __ballot_sync(
                ALL_LANES, first + lane < count && static_cast<int>(edge >> 32) == city);
            for (; found; found &= found - 1) {
                int from = __ffs(found) - 1;
                visit(static_cast<int>(__shfl_sync(ALL_LANES, static_cast<unsigned>(edge), from)),
                      __uint_as_float(__shfl_sync(ALL_LANES, static_cast<unsigned>(before), from)));
            }
            if (first + LANES >= count) return;
        }
    }

    // The trail after its updates; `read` if it had none. All lanes of the warp call this.
    __device__ __forceinline__ float trail(int from, int to, float read) const {
        bool found = false;
        each(from, [&](int city, float before) {
            if (city != to) return;
            read = change(found ? read : before);
            found = true;
        });
        return read;
    }
};

// An update that was noted and is to be made, the same in all lanes of a warp.
struct NotedUpdate {
    int from = 0, to = 0;
    bool there = false, back = false;

    // All lanes of the warp call this; the result is to be waited for by performed().
    __device__ __forceinline__ unsigned make(const OutsideLog& log, const TrailMatrix& trails,
                                             int lane) const {
        if (!there && !back) return 0;
        float trail = there ? log.trail(from, to, 1.0f) : log.trail(to, from, 1.0f);
        unsigned seen = 0;
        if (there && lane == 0)
            seen += __float_as_uint(atomicExch(trails.outside_at(from, to), trail));
        if (back && lane == 1)
            seen += __float_as_uint(atomicExch(trails.outside_at(to, from), trail));
        return seen;
    }
};

// The nearest unvisited cities of the warps that ask, worked out by all warps of a block.
struct NearestOfBlock {
    static constexpr int MOST_WARPS = 32;

    int asked[MOST_WARPS];  // the warp's city, or -1
    Word found[MOST_WARPS];

    // All threads of the block call this. `tabus` are the warps' bits, one after the other.
    __device__ void work_out(unsigned* tabus, int words, const Geometry& geometry, int lane) {
        constexpr int AT_ONCE = 2;
        for (unsigned warp = 0; warp < blockDim.x / LANES; ++warp) {
            int city = asked[warp];
            if (city < 0) continue;
            BitTabu tabu(tabus + warp * words, words);
            Word nearest = ~0ull;
            for (int first = threadIdx.x; first < geometry.n; first += AT_ONCE * blockDim.x) {
                int from[AT_ONCE], to[AT_ONCE], lengths[AT_ONCE];
                bool free[AT_ONCE], any = false;
#pragma unroll
                for (int i = 0; i < AT_ONCE; ++i) {
                    to[i] = min(first + i * static_cast<int>(blockDim.x), geometry.n - 1);
                    from[i] = city;
                    free[i] = !tabu.visited(to[i]);
                    any = any || free[i];
                }
                if (!any) continue;
                geometry.distances(from, to, lengths);
#pragma unroll
                for (int i = 0; i < AT_ONCE; ++i)
                    if (free[i]) nearest = min(nearest, OutsideLog::edge(lengths[i], to[i]));
            }
            unsigned high = static_cast<unsigned>(nearest >> 32), least = warp_min(high);
            unsigned low = warp_min(high == least ? static_cast<unsigned>(nearest) : ~0u);
            if (lane == 0) atomicMin(&found[warp], static_cast<Word>(least) << 32 | low);
        }
    }
};

// Chooses the next city; one lane gets the trail to a city that is no candidate. `trail` is the
// one to this lane's candidate.
template <class Memory>
__device__ __forceinline__ int choose(const WalkBase& walk, const TrailMatrix& trails, float trail,
                                      bool stuck, const OutsideOptions& options,
                                      const Memory& memory, bool explores, const Draws& draws,
                                      int step, OutsideTrail& chosen) {
    if (stuck)
        return trails.choose_outside(options, walk.geometry, walk.tabu, memory, walk.city,
                                     walk.lane, chosen);
    float weight = trail * walk.candidate.weight();
    if (explores) return walk.spin(weight, draws.roulette(step));
    unsigned key = weight_key(weight, walk.free());
    return best_city(key, warp_max(key), walk.candidate.city());
}

// Builds the tours of one iteration with a warp for every ant. `tours` has a row an ant;
// `stamps` is (n, 32), `log` and `log_counts` as OutsideLog has them.
//
// What a step needs and no update can change (the next city's candidates, its tabu bits) is done
// between arriving at a barrier and waiting there.
__global__ void __launch_bounds__(640) step_tours(
    int n, int ants, unsigned threshold, int period, float keep, float add, unsigned seed_low,
    unsigned seed_high, const uint2* rows, const uint2* backup, int metric, double beta,
    const double* coordinates, const int* matrix, const int* nearest, int directed, float* listed,
    float* outside, int* far, int tabu_words, Word* stamps, Word* log_entries, unsigned* log_counts,
    int* tours, ColonyState* state) {
    extern __shared__ unsigned shared[];
    __shared__ NearestOfBlock helpers;
    int lane = held(threadIdx.x % LANES), warp = held(threadIdx.x / LANES);
    // Neighbouring ants go to different multiprocessors, so that all have as many.
    int ant = blockIdx.x + warp * gridDim.x;
    bool works = ant < ants;  // the same for all lanes of a warp
    unsigned* tabus = held_shared(shared);
    BitTabu tabu(tabus + warp * tabu_words, tabu_words);
    CandidateLists lists{rows, backup};
    Geometry geometry{n, metric, beta, coordinates, matrix, nearest};
    LocalUpdate change{keep, add};
    Seed seed{seed_low, seed_high};
    unsigned iteration = static_cast<unsigned>(state->iteration);
    GridBarrier barrier(&state->arrivals);
    TrailMatrix trails{listed, outside, far, n, static_cast<bool>(directed)};
    WalkBase walk(lists, geometry, tabu, change, directed, lane);
    Draws draws{seed, static_cast<unsigned>(ant), iteration};
    OutsideLog log{log_entries, log_counts, 2 * ants, 0, change};
    int* tour = tours + static_cast<long long>(ant) * n;
    int start = draws.start(n), kept = start, until_update = period;
    unsigned explorations = 0, time = 1;
    NotedUpdate noted;
    bool stuck = false;  // whether the city has no candidate left; then `options` are prepared
    OutsideOptions options;

    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < n * LANES; i += threads) stamps[i] = stamped::make(0, listed[i]);
    for (int i = thread; i <= n; i += threads) log_counts[i] = 0;
    __threadfence();
    barrier.arrive();
    if (lane == 0) helpers.asked[warp] = -1;
    if (works) {
        walk.look(start);
        tabu.clear(n, lane);
        walk.visit(start);
        explorations = draws.explorations(0, threshold, lane);
    }
    barrier.wait();

    for (int step = 1; step <= n; ++step) {
        bool due = --until_update == 0;
        if (due) until_update = period;
        log.time = time - 1;
        if (works) {
            Word word = __ldcg(&stamps[static_cast<long long>(walk.city) * LANES + lane]);
            unsigned seen_noted = noted.make(log, trails, lane), seen_outside = 0;
            noted.there = noted.back = false;
            int from = walk.city, next = start;
            float trail = stamped::trail(word, time, change);
            OutsideTrail outside_trail;
            if (step < n)
                next = choose(walk, trails, trail, stuck, options, log,
                              explorations >> step % LANES & 1, draws, step, outside_trail);
            unsigned rank = walk.candidate.reverse();
            bool chosen = walk.candidate.city() == next;
            if (step == n && !__any_sync(ALL_LANES, chosen)) {
                float* place = trails.outside_at(from, next);
                outside_trail.trail = log.trail(from, next, __ldcg(place));
                if (lane == 0) outside_trail.place = place;
            }
            if (!chosen) trail = outside_trail.trail;
            // An update that changes nothing need not be made.
            bool updates = due && (chosen || outside_trail.place) && change(trail) != trail;
            walk.look(next);
            // Two lanes update the edge's two directions at once; one after the other, the second
            // would wait for what the first returns.
            unsigned seen = 0;
            unsigned taker = __ballot_sync(ALL_LANES, updates && chosen);
            if (taker) {
                int source = __ffs(taker) - 1;
                float before = __shfl_sync(ALL_LANES, trail, source);
                unsigned its_rank = __shfl_sync(ALL_LANES, rank, source);
                bool back = lane == (source ^ 1) && !directed && its_rank != NOT_LISTED;
                long long place = static_cast<long long>(back ? next : from) * LANES;
                if (back || lane == source)
                    seen =
                        stamped::update(stamps + (place + (back ? its_rank : lane)), time, before);
            }
            // Where the chosen city was on no list, its own list may still have this one.
            if (__any_sync(ALL_LANES, updates && (!chosen || (!directed && rank == NOT_LISTED)))) {
                int found = __ffs(__ballot_sync(ALL_LANES, walk.candidate.city() == from)) - 1;
                bool there = updates && !chosen, back = updates && !directed && found < 0;
                noted = NotedUpdate{from, next, __any_sync(ALL_LANES, there) != 0,
                                    __any_sync(ALL_LANES, back) != 0};
                if (updates) {
                    if (there) seen_outside += log.note(from, next, trail);
                    if (back) seen_outside += log.note(next, from, trail);
                    if (there && !directed && found >= 0)
                        seen_outside += stamped::update(
                            stamps + (static_cast<long long>(next) * LANES + found), time, trail);
                }
            }
            performed(seen + seen_noted + seen_outside);
        }
        if (due) barrier.arrive();
        if (works) {
            int next = walk.city;
            walk.visit(next);
            if (lane == step % LANES) kept = next;
            if (step % LANES == LANES - 1 && step < n) tour[step - LANES + 1 + lane] = kept;
            if (step % LANES == LANES - 1)
                explorations = draws.explorations(step + 1, threshold, lane);
            stuck = step + 1 < n && !__any_sync(ALL_LANES, walk.free());
        }
        Fallback fallback;
        int far_city = TrailMatrix::NONE;
        if (stuck) {
            far_city = trails.far_of(walk.city, lane);
            fallback.look(lists, tabu, walk.city, lane);
        }
        bool asks = stuck && !fallback.any;
        if (asks && lane == 0) {
            helpers.asked[warp] = walk.city;
            helpers.found[warp] = ~0ull;
        }
        if (__syncthreads_or(asks)) {
            helpers.work_out(tabus, tabu_words, geometry, lane);
            __syncthreads();
            if (asks) {
                fallback.nearest = static_cast<int>(helpers.found[warp] & 0xffffffffu);
                __syncwarp();
                if (lane == 0) helpers.asked[warp] = -1;
            }
        }
        if (stuck) options = trails.options(fallback, far_city, geometry, tabu, walk.city, lane);
        if (due) {
            barrier.wait();
            time += 1;
        }
    }
    log.time = time - 1;
    noted.make(log, trails, lane);
    for (int i = thread; i < n * LANES; i += threads)
        listed[i] = stamped::trail(__ldcg(&stamps[i]), 0, change);
    if (!works) return;
    if (lane < n % LANES) tour[n - n % LANES + lane] = kept;
    __syncwarp();
    Word length = tour_length(geometry, tour, lane);
    report_tours(state, length << ANT_BITS | ant, length, lane);
}

// A local update that waits for the end of the choices; `back` is null if directed.
struct StepUpdate {
    float* there;
    float* back;  // the reverse edge's trail, equal to this one's

    __device__ __forceinline__ void apply(LocalUpdate change) const {
        swap(there, change);
        if (back) swap(back, change);
    }

  private:
    __device__ __forceinline__ static void swap(float* place, LocalUpdate change) {
        unsigned* bits = reinterpret_cast<unsigned*>(place);
        unsigned before = __ldcg(bits), seen;
        while ((seen = atomicCAS(bits, before, __float_as_uint(change(__uint_as_float(before))))) !=
               before)
            before = seen;
    }
};

// One ant between two steps, where a warp takes turns among several. Its tabu bits follow it.
struct AntRecord {
    StepUpdate update;
    unsigned explorations;
    int city;
};

constexpr int ANT_RECORD_WORDS = (sizeof(AntRecord) + 7) / 8 * 2;

// The same for more ants than the device has room for warps. The ants live in shared memory, or
// in `ants_memory` if there are too many for that; all updates are swaps.
__global__ void __launch_bounds__(512) step_many_tours(
    int n, int ants, unsigned threshold, int period, float keep, float add, unsigned seed_low,
    unsigned seed_high, const uint2* rows, const uint2* backup, int metric, double beta,
    const double* coordinates, const int* matrix, const int* nearest, int directed, float* listed,
    float* outside, int* far, int tabu_words, unsigned long long* ants_memory, int* tours,
    ColonyState* state) {
    extern __shared__ unsigned long long shared_ants[];
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    int first = blockIdx.x + threadIdx.x / LANES * gridDim.x, all_warps = gridDim.x * warps;
    int mine = first < ants ? (ants - 1 - first) / all_warps + 1 : 0;
    int at_most = (ants - 1) / all_warps + 1;
    long long record_words = ANT_RECORD_WORDS + (tabu_words + 1) / 2 * 2;
    unsigned* home = ants_memory
                         ? reinterpret_cast<unsigned*>(ants_memory) + first * at_most * record_words
                         : reinterpret_cast<unsigned*>(shared_ants) +
                               threadIdx.x / LANES * at_most * record_words;
    CandidateLists lists{rows, backup};
    Geometry geometry{n, metric, beta, coordinates, matrix, nearest};
    LocalUpdate change{keep, add};
    Seed seed{seed_low, seed_high};
    unsigned iteration = static_cast<unsigned>(state->iteration);
    GridBarrier barrier(&state->arrivals);

    int until_update = period;
    for (int step = 0; step <= n; ++step) {
        bool due = step > 0 && --until_update == 0;
        if (due) until_update = period;
        for (int i = 0; i < mine; ++i) {
            AntRecord& ant = *reinterpret_cast<AntRecord*>(home + i * record_words);
            BitTabu tabu(home + i * record_words + ANT_RECORD_WORDS, tabu_words);
            MatrixWalk walk(lists, geometry, tabu, change, listed, outside, far, 0, directed, lane);
            int number = first + i * all_warps;
            Draws draws{seed, static_cast<unsigned>(number), iteration};
            int from = step == 0 ? 0 : ant.city, next = draws.start(n);
            if (step == 0) {
                tabu.clear(n, lane);
            } else {
                walk.arrive(from);
                if (step == 1 || step % LANES == 0) {
                    unsigned drawn = draws.explorations(step & -LANES, threshold, lane);
                    if (lane == 0) ant.explorations = drawn;
                    __syncwarp();
                }
                if (step < n) {
                    OutsideTrail unused;
                    OutsideOptions options;
                    bool stuck = !__any_sync(ALL_LANES, walk.free());
                    if (stuck) {
                        Fallback fallback;
                        fallback.prepare(lists, tabu, geometry, from, lane);
                        options = walk.trails.options(fallback, walk.trails.far_of(from, lane),
                                                      geometry, tabu, from, lane);
                    }
                    next = choose(walk, walk.trails, walk.trail, stuck, options, AsRead{},
                                  ant.explorations >> step % LANES & 1, draws, step, unused);
                }
                float* there = walk.trails.find(lists, from, next, lane);
                float* back = directed ? nullptr : walk.trails.find(lists, next, from, lane);
                if (lane == 0) ant.update = StepUpdate{there, back};
                __syncwarp();
            }
            walk.visit(next);
            if (lane == 0) {
                ant.city = next;
                if (step < n) tours[static_cast<long long>(number) * n + step] = next;
            }
            __syncwarp();
        }
        if (!due) continue;
        barrier.arrive();
        barrier.wait();
        for (int i = lane; i < mine; i += LANES)
            reinterpret_cast<AntRecord*>(home + i * record_words)->update.apply(change);
        barrier.arrive();
        barrier.wait();
    }

    Word best = ~0ull, sum = 0;
    for (int i = 0; i < mine; ++i) {
        int number = first + i * all_warps;
        Word length = tour_length(geometry, tours + static_cast<long long>(number) * n, lane);
        best = min(best, length << ANT_BITS | number);
        sum += length;
    }
    report_tours(state, best, sum, lane);
}

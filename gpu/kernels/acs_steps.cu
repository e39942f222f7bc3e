// ACS-GPU (2016, Section 3.1.2): all ants take one step, then the next; local updates are atomic.
//
// The paper launches one kernel a step. Here one cooperative launch takes all steps of an
// iteration, and a barrier over the grid stands where a launch ended: the same order of events at
// a fraction of the cost. A second barrier parts the choices of a step from its updates, which
// makes the colony reproducible: all ants choose from the trails as the step found them, and an
// edge that c ants took is updated c times, in whichever order.
#include "acs_walk.cuh"
#include "colony_state.cuh"
#include "philox.cuh"

// A local update that waits for the end of the choices, in one lane of a warp; in the others
// `there` is null.
//
// The paper updates by compare-and-swap; ants that follow the best tour together fail and retry
// it one after the other. Here ants that take the same edge in the same step are numbered by an
// atomic counter, and number i writes the trail as it is after i updates, unless it already shows
// more: c updates have their effect in one round, the very numbers that c swaps give. Edges that
// are not on both cities' lists are seldom taken; they have no counter, and are swapped.
//
// Counters start at 0 and come in two sets, for updates in turn: number 0 sets back what it used
// while the other set is in use.
struct StepUpdate {
    float* there;
    float* back;              // the reverse edge's trail, equal to this one's; null if directed
    float trail;              // as the step found it
    unsigned* counter_there;  // null where the edge has none
    unsigned* counter_back;
    unsigned number_there, number_back;

    // The result is to be waited for by performed(); the atomics are under way at once.
    __device__ __forceinline__ unsigned apply(LocalUpdate change) const {
        if (!there) return 0;
        if (counter_there) {
            unsigned seen = outdo(there, number_there, change);
            return back ? seen + outdo(back, number_back, change) : seen;
        }
        swap(there, change);
        if (back) swap(back, change);
        return 0;
    }

    __device__ __forceinline__ void take_numbers() {
        if (counter_there) number_there = atomicAdd(counter_there, 1u);
        if (counter_back) number_back = atomicAdd(counter_back, 1u);
    }

    __device__ __forceinline__ unsigned set_back_counters() const {
        unsigned seen = 0;
        if (counter_there && number_there == 0) seen += atomicExch(counter_there, 0u);
        if (counter_back && number_back == 0) seen += atomicExch(counter_back, 0u);
        return seen;
    }

  private:
    // Repeated updates only fall, or only rise: the last of them is the least, or the greatest.
    __device__ __forceinline__ unsigned outdo(float* place, unsigned number,
                                              LocalUpdate change) const {
        float value = change(trail);
        bool rises = value > trail;
        for (unsigned i = 0; i < number; ++i) value = change(value);
        unsigned* bits = reinterpret_cast<unsigned*>(place);
        return rises ? atomicMax(bits, __float_as_uint(value))
                     : atomicMin(bits, __float_as_uint(value));
    }

    __device__ __forceinline__ void swap(float* place, LocalUpdate change) const {
        unsigned* bits = reinterpret_cast<unsigned*>(place);
        unsigned before = __float_as_uint(trail), seen;
        while ((seen = atomicCAS(bits, before, __float_as_uint(change(__uint_as_float(before))))) !=
               before)
            before = seen;
    }
};

// Chooses the next city; one lane gets the trail to a city that is no candidate.
__device__ __forceinline__ int choose(const MatrixWalk& walk, bool stuck, const Fallback& fallback,
                                      bool explores, const Draws& draws, int step,
                                      OutsideTrail& chosen) {
    if (stuck)
        return walk.trails.choose_outside(fallback, walk.geometry, walk.tabu, walk.city, walk.lane,
                                          chosen);
    float weight = walk.trail * walk.candidate.weight();
    if (explores) return walk.spin(weight, draws.roulette(step));
    unsigned key = weight_key(weight, walk.free());
    return best_city(key, warp_max(key), walk.candidate.city());
}

// Builds the tours of one iteration with a warp for every ant. `tours` has a row an ant;
// `counters` has two sets of (n, 32), zeros between launches.
//
// What a step needs and no update can change (the next city's candidates, its tabu bits) is done
// between arriving at a barrier and waiting there.
__global__ void __launch_bounds__(640) step_tours(
    int n, int ants, unsigned threshold, int period, float keep, float add, unsigned seed_low,
    unsigned seed_high, const uint2* rows, const uint2* backup, int metric, double beta,
    const double* coordinates, const int* matrix, const int* nearest, int directed, float* listed,
    float* outside, int* far, int tabu_words, unsigned* counters, int* tours, ColonyState* state) {
    extern __shared__ unsigned shared[];
    int lane = threadIdx.x % LANES;
    // Neighbouring ants go to different multiprocessors, so that all have as many.
    int ant = blockIdx.x + threadIdx.x / LANES * gridDim.x;
    bool works = ant < ants;  // the same for all lanes of a warp
    BitTabu tabu(shared + threadIdx.x / LANES * tabu_words, tabu_words);
    CandidateLists lists{rows, backup};
    Geometry geometry{n, metric, beta, coordinates, matrix, nearest};
    LocalUpdate change{keep, add};
    Seed seed{seed_low, seed_high};
    unsigned iteration = static_cast<unsigned>(state->iteration);
    GridBarrier barrier(&state->arrivals);
    MatrixWalk walk(lists, geometry, tabu, change, listed, outside, far, 0, directed, lane);
    Draws draws{seed, static_cast<unsigned>(ant), iteration};
    int* tour = tours + static_cast<long long>(ant) * n;
    int start = draws.start(n), kept = start, until_update = period;
    unsigned explorations = 0;
    StepUpdate previous{};
    bool second_set = false;
    bool stuck = false;  // whether the city has no candidate left; then `fallback` is prepared
    Fallback fallback;
    if (works) {
        walk.begin(start);
        tabu.clear(n, lane);
        walk.visit(start);
        explorations = draws.explorations(0, threshold, lane);
    }
    for (int step = 1; step <= n; ++step) {
        bool due = --until_update == 0;
        if (due) until_update = period;
        int from = walk.city, next = start;
        StepUpdate update{};
        update.trail = walk.trail;
        if (works) {
            OutsideTrail outside_trail{nullptr, 1.0f};
            if (step < n)
                next = choose(walk, stuck, fallback, explorations >> step % LANES & 1, draws, step,
                              outside_trail);
            unsigned rank = walk.candidate.reverse();
            bool chosen = walk.candidate.city() == next;
            if (step == n && !__any_sync(ALL_LANES, chosen) && lane == 0) {
                outside_trail.place = walk.trails.outside_at(from, next);
                outside_trail.trail = __ldcg(outside_trail.place);
            }
            if (due && chosen) {
                update.there = walk.trails.listed_at(from, lane);
                if (!directed) update.back = walk.reverse_at(from, next, rank);
                if (directed || rank != NOT_LISTED) {
                    unsigned* set = counters + (second_set ? 32ll * n : 0);
                    update.counter_there = set + (update.there - listed);
                    if (!directed) update.counter_back = set + (update.back - listed);
                    update.take_numbers();
                }
            } else if (due && outside_trail.place) {
                update.there = outside_trail.place;
                update.trail = outside_trail.trail;
            }
        }
        if (due) barrier.arrive();
        if (works) {
            walk.look(next);
            // Where the chosen city was on no list, its own list may still have this one.
            if (due && !directed && __any_sync(ALL_LANES, update.there && !update.back)) {
                unsigned found = __ballot_sync(ALL_LANES, walk.candidate.city() == from);
                if (update.there) update.back = walk.trails.at(next, from, __ffs(found) - 1);
            }
            walk.visit(next);
            if (lane == step % LANES) kept = next;
            if (step % LANES == LANES - 1 && step < n) tour[step - LANES + 1 + lane] = kept;
            if (step % LANES == LANES - 1)
                explorations = draws.explorations(step + 1, threshold, lane);
            stuck = step + 1 < n && !__any_sync(ALL_LANES, walk.free());
            if (stuck) fallback.prepare(lists, tabu, geometry, next, lane);
        }
        if (due) {
            barrier.wait();
            unsigned set_back = previous.set_back_counters();
            performed(update.apply(change) + set_back);
            previous = update;
            second_set = !second_set;
            barrier.arrive();
            barrier.wait();
        }
        if (works) walk.sense();
    }
    previous.set_back_counters();
    if (!works) return;
    if (lane < n % LANES) tour[n - n % LANES + lane] = kept;
    __syncwarp();
    Word length = tour_length(geometry, tour, lane);
    report_tours(state, length << ANT_BITS | ant, length, lane);
}

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
                walk.begin(from);
                if (step == 1 || step % LANES == 0) {
                    unsigned drawn = draws.explorations(step & -LANES, threshold, lane);
                    if (lane == 0) ant.explorations = drawn;
                    __syncwarp();
                }
                if (step < n) {
                    OutsideTrail unused;
                    Fallback fallback;
                    bool stuck = !__any_sync(ALL_LANES, walk.free());
                    if (stuck) fallback.prepare(lists, tabu, geometry, from, lane);
                    next = choose(walk, stuck, fallback, ant.explorations >> step % LANES & 1,
                                  draws, step, unused);
                }
                float* there = walk.trails.find(lists, from, next, lane);
                float* back = directed ? nullptr : walk.trails.find(lists, next, from, lane);
                if (lane == 0) ant.update = StepUpdate{there, back, __ldcg(there)};
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

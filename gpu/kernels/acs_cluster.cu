// ACS-GPU (2016, Section 3.1.2) where all ants fit into one thread-block cluster: the same tours
// as those of step_tours, and every step sooner.
//
// A usual step calls nothing and keeps all it needs in registers: a multiprocessor has up to 20
// ants and, beside the shared memory they use, hardly any L1 cache. What else can happen is done by
// functions that are given a copy of the ant in memory, so that no register has to outlive a call.
#include "cluster_trails.cuh"
#include "colony_state.cuh"
#include "philox.cuh"
#include "step_updates.cuh"

// What the usual step has no need of; in shared memory.
struct StepTask {
    unsigned threshold;
    unsigned iteration;
    Seed seed;
    LocalUpdate change;
    CandidateLists lists;
    Geometry geometry;
    TrailMatrix trails;
    Word* outside;                    // (n, n), trails of edges that are on no list, stamped
    const NearCandidate* candidates;  // (n, 32), in shared memory, as are the warps' tabu bits
    unsigned* tabus;
    int tabu_words;
    int* tours;

    __device__ __forceinline__ Word* outside_at(int from, int to) const {
        return &outside[static_cast<long long>(from) * geometry.n + to];
    }

    __device__ __forceinline__ float outside_trail(int from, int to, unsigned time) const {
        return stamped::trail(__ldcg(outside_at(from, to)), time, change);
    }

    __device__ __forceinline__ BitTabu tabu() const {
        return BitTabu(tabus + threadIdx.x / LANES * tabu_words, tabu_words);
    }
};

// All that a warp knows from step to step.
struct StepAnt {
    Meeting meeting;
    Address address;  // a lane a block
    int lane, number, start, city, kept, step = 0, until_update;
    unsigned explorations;
    int visited = 0;  // this lane's word of the tabu bits
    float spins = 0;  // a lane a step: what turns the roulette wheel
    bool free = false, stuck = false;
    NearCandidate candidate{};
    unsigned word = 0;  // to be sent if this lane's candidate is chosen; then the one to be sent
    float trail = 0;    // to the candidate

    __device__ __forceinline__ bool explores() const { return explorations >> step % LANES & 1; }

    __device__ __forceinline__ Draws draws(const StepTask* task) const {
        return Draws{task->seed, static_cast<unsigned>(number), task->iteration};
    }
};

// The compiler is to take it that `value`, which is in memory, has changed: if it saw that a
// function leaves part of it as it was, it would keep that part in registers all the same.
template <class Value>
__device__ __forceinline__ void changed_elsewhere([[maybe_unused]] Value& value) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    asm volatile("" ::"l"(&value) : "memory");
#endif
}

// Updates the trails of an edge as far as they are on no list, from the trail before. `there` is
// the place of the way there or NONE. All lanes of the warp call this. Returns the word for the
// rest.
static __device__ SELDOM unsigned update_outside(const StepTask* task, int from, int to,
                                                 float trail, unsigned there, unsigned time,
                                                 int lane) {
    bool directed = task->trails.directed;
    int back =
        __ffs(__ballot_sync(ALL_LANES, task->candidates[places::of(to, lane)].city() == from));
    if (task->change(trail) != trail) {  // or it need not be made
        unsigned seen = 0;
        if (lane == 0 && there == places::NONE)
            seen = stamped::update(task->outside_at(from, to), time, trail);
        if (lane == 1 && !directed && !back)
            seen = stamped::update(task->outside_at(to, from), time, trail);
        performed(seen);
    }
    return places::both(there, directed || !back ? places::NONE : places::of(to, back - 1));
}

// The choice of an ant that has no candidate.
static __device__ SELDOM void move_outside(const StepTask* task, const OutsideOptions* options,
                                           StepAnt* ant, bool due) {
    int lane = ant->lane, city = ant->city;
    unsigned time = ant->meeting.time;
    float found[OutsideOptions::COUNT];
    Offer best;
#pragma unroll
    for (int i = 0; i < OutsideOptions::COUNT; ++i)
        found[i] = options->open[i] ? task->outside_trail(city, options->city[i], time) : 0.0f;
#pragma unroll
    for (int i = 0; i < OutsideOptions::COUNT; ++i)
        if (options->open[i]) best.improve(options->city[i], found[i], options->weight[i]);
    if (options->all)
        task->tabu().each_unvisited(lane, [&](int other) {
            best.improve(other, task->outside_trail(city, other, time),
                         task->geometry.weight(city, other));
        });
    int next = best_city(best.key, warp_max(best.key), best.city);
    int chooser = __ffs(__ballot_sync(ALL_LANES, best.city == static_cast<unsigned>(next))) - 1;
    float trail = __shfl_sync(ALL_LANES, best.trail, chooser);
    ant->word = due ? update_outside(task, city, next, trail, places::NONE, time, lane) : 0;
    ant->city = next;
}

// An update whose way back is on no list; the ant is where the edge leads to.
static __device__ SELDOM void move_back_outside(const StepTask* task, StepAnt* ant, int from,
                                                int source) {
    float trail = __shfl_sync(ALL_LANES, ant->trail, source);
    ant->word = update_outside(task, from, ant->city, trail, ant->word & places::HALF,
                               ant->meeting.time, ant->lane);
}

// Draws for 32 steps, and stores the cities of the last 32.
static __device__ SELDOM void turn_page(const StepTask* task, StepAnt* ant) {
    int lane = ant->lane, step = ant->step;
    Draws draws = ant->draws(task);
    if (step > 0)
        task->tours[static_cast<long long>(ant->number) * task->geometry.n + step - LANES + lane] =
            ant->kept;
    ant->explorations = draws.explorations(step, task->threshold, lane);
    ant->spins = draws.roulette(step + lane);
}

// Finds what an ant without candidates can choose from.
static __device__ SELDOM void prepare_outside(const StepTask* task, StepAnt* ant,
                                              OutsideOptions* options) {
    BitTabu tabu = task->tabu();
    if (ant->lane < tabu.words) tabu.bits[ant->lane] = ant->visited;
    __syncwarp();
    int far_city = task->trails.far_of(ant->city, ant->lane);
    Fallback fallback;
    fallback.prepare(task->lists, tabu, task->geometry, ant->city, ant->lane);
    *options = task->trails.options(fallback, far_city, task->geometry, tabu, ant->city, ant->lane);
}

// The last step, back to where the tour began.
static __device__ SELDOM unsigned close_tour(const StepTask* task, StepAnt ant) {
    unsigned listed = __ballot_sync(ALL_LANES, ant.candidate.city() == ant.start);
    int source = listed ? __ffs(listed) - 1 : 0;
    unsigned there = listed ? places::of(ant.city, source) : places::NONE;
    float trail = listed ? __shfl_sync(ALL_LANES, ant.trail, source)
                         : task->outside_trail(ant.city, ant.start, ant.meeting.time);
    return update_outside(task, ant.city, ant.start, trail, there, ant.meeting.time, ant.lane);
}

// Builds the tours of one iteration in one cluster with a warp for every ant. The arguments are
// those of step_tours, but `stamps` is (n, n), for the edges that are on no list.
__global__ void ONE_CLUSTER __launch_bounds__(640) step_tours_in_cluster(
    int n, int ants, unsigned threshold, int period, float keep, float add, unsigned seed_low,
    unsigned seed_high, const uint2* rows, const uint2* backup, int metric, double beta,
    const double* coordinates, const int* matrix, const int* nearest, int directed, float* listed,
    float* outside, int* far, int tabu_words, Word* stamps, int* tours, ColonyState* state) {
    if constexpr (HAS_CLUSTERS) {
        extern __shared__ uint4 shared_words[];
        __shared__ StepTask task;
        LocalUpdate change{keep, add};
        ClusterTrails trails(shared_words, n, ants, change);
        trails.open(CandidateLists{rows, backup}, listed, directed);
        if (threadIdx.x == 0)
            task = StepTask{threshold,
                            static_cast<unsigned>(state->iteration),
                            Seed{seed_low, seed_high},
                            change,
                            CandidateLists{rows, backup},
                            Geometry{n, metric, beta, coordinates, matrix, nearest},
                            TrailMatrix{listed, outside, far, n, static_cast<bool>(directed)},
                            stamps,
                            trails.candidates(),
                            trails.rest(),
                            tabu_words,
                            tours};
        int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
        for (int i = thread; i < n * n; i += threads)
            stamps[i] = stamped::make(0, __ldcg(&outside[i]));
        meet_cluster();

        Meeting meeting{held(threadIdx.x)};
        int number = blockIdx.x + threadIdx.x / LANES * CLUSTER_BLOCKS;
        if (number < ants) {
            int lane = threadIdx.x % LANES, start, shift = 31 - __clz(tabu_words);
            StepAnt ant{meeting, trails.address(number, lane % CLUSTER_BLOCKS), lane, number};
            OutsideOptions options;
            start = ant.draws(&task).start(n);
            ant.start = ant.city = ant.kept = start;
            ant.until_update = period;
            task.tabu().clear(n, lane);
            ant.visited = task.tabu().bits[lane & (tabu_words - 1)];
            // Calls a function with the ant in memory, so that no register has to outlive the call.
            auto elsewhere = [&](auto function) {
                StepAnt copy = ant;
                function(&copy);
                changed_elsewhere(copy);
                ant = copy;
            };
            elsewhere([&](StepAnt* copy) { turn_page(&task, copy); });
            ant.step = 1;
            // What a step needs and no update can change is done while words are on their way.
            auto arrive = [&]() {
                unsigned place = places::of(ant.city, ant.lane);
                ant.candidate = trails.candidates()[place];
                int other = ant.candidate.city();
                ant.word = ant.candidate.word(place);
                if (ant.lane == (ant.city & (tabu_words - 1)))
                    ant.visited |= 1 << (ant.city >> shift);
                int its = __shfl_sync(ALL_LANES, ant.visited, other & (tabu_words - 1));
                ant.free = !(its >> (other >> shift) & 1);
                ant.stuck = ant.step < n && !__any_sync(ALL_LANES, ant.free);
                if (ant.step % LANES == 0) {
                    elsewhere([&](StepAnt* copy) { turn_page(&task, copy); });
                }
                if (ant.stuck) {
                    elsewhere([&](StepAnt* copy) { prepare_outside(&task, copy, &options); });
                }
            };
            arrive();

            while (ant.step < n) {
                bool due = --ant.until_update == 0;
                if (due) ant.until_update = period;
                if (ant.stuck) {
                    elsewhere([&](StepAnt* copy) { move_outside(&task, &options, copy, due); });
                } else {
                    int from = ant.city, source;
                    ant.trail = trails.read(ant.meeting, places::of(from, ant.lane));
                    float weight = ant.trail * ant.candidate.weight();
                    if (ant.explores()) {
                        source = roulette_lane(ant.free ? weight : 0.0f, ant.free,
                                               __shfl_sync(ALL_LANES, ant.spins, ant.step % LANES),
                                               ant.lane);
                    } else {
                        unsigned key = weight_key(weight, ant.free), top = warp_max(key);
                        unsigned best = __ballot_sync(ALL_LANES, key == top);
                        if (best & (best - 1)) {
                            int lowest = best_city(key, top, ant.candidate.city());
                            best = __ballot_sync(ALL_LANES, ant.candidate.city() == lowest);
                        }
                        source = __ffs(best) - 1;
                    }
                    ant.city = __shfl_sync(ALL_LANES, ant.candidate.city(), source);
                    ant.word = __shfl_sync(ALL_LANES, ant.word, source);
                    if (due && !directed && ant.word >> 16 == places::NONE) {
                        elsewhere(
                            [&](StepAnt* copy) { move_back_outside(&task, copy, from, source); });
                    }
                }
                if (due && ant.lane < static_cast<int>(CLUSTER_BLOCKS))
                    trails.send(ant.meeting, ant.address, ant.word);
                if (ant.lane == ant.step % LANES) ant.kept = ant.city;
                ant.step += 1;
                arrive();
                if (due) trails.meet(ant.meeting);
            }
            if (--ant.until_update == 0) {
                ant.trail = trails.read(ant.meeting, places::of(ant.city, ant.lane));
                unsigned word = close_tour(&task, ant);
                if (ant.lane < static_cast<int>(CLUSTER_BLOCKS))
                    trails.send(ant.meeting, ant.address, word);
                trails.meet(ant.meeting);
            }
            int* tour = tours + static_cast<long long>(number) * n;
            if (ant.lane < n % LANES) tour[n - n % LANES + ant.lane] = ant.kept;
            __syncwarp();
            Word length = tour_length(task.geometry, tour, ant.lane);
            report_tours(state, length << ANT_BITS | number, length, ant.lane);
            meeting = ant.meeting;
        } else {
            for (int left = n / period; left > 0; --left) trails.meet(meeting);
        }
        // Trails are left where the next launch finds them.
        for (int i = thread; i < n * LANES; i += threads) listed[i] = trails.read(meeting, i);
#pragma unroll 4
        for (int i = thread; i < n * n; i += threads) {
            Word stamp = __ldcg(&stamps[i]);
            if (stamped::time(stamp)) outside[i] = stamped::trail(stamp, 0, change);
        }
    }
}

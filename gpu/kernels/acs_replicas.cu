// ACS-GPU (2016, Section 3.1.2) where a multiprocessor's shared memory holds the candidate lists
// and all their trails: the same tours as those of step_tours, and every step sooner.
//
// Every block has all listed trails and makes all updates of them itself: an ant reads its city's
// trails at once, and tells all blocks of its step in one word. Threads beside the ants' warps
// listen to those words, one to an ant, and count the updates. No step waits for an atomic in
// global memory: those that update trails on no list are made while words are on their way.
#include "colony_state.cuh"
#include "philox.cuh"
#include "post.cuh"
#include "replica_trails.cuh"
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
    const float* weights;             // (n, n)
    Word* outside;                    // (n, n), trails of edges that are on no list, stamped
    unsigned* made;                   // (n + 1), ants that have updated some of them, by time
    const NearCandidate* candidates;  // (n, 32), in shared memory
    int tabu_words;
    int* tours;

    __device__ __forceinline__ long long between(int from, int to) const {
        return static_cast<long long>(from) * geometry.n + to;
    }

    // The place of the way from one city to another, or NONE. All lanes of the warp call this.
    __device__ __forceinline__ unsigned place(int from, int to, int lane) const {
        unsigned lanes = __ballot_sync(ALL_LANES, candidates[places::of(from, lane)].city() == to);
        return lanes ? places::of(from, __ffs(lanes) - 1) : places::NONE;
    }
};

// What a step tells, and what it began in global memory.
struct Told {
    unsigned word = 0;
    bool updates = false;
    unsigned seen = 0;  // to be waited for by performed()
};

// Begins to update the trails of an edge as far as they are on no list, from the trail before. All
// lanes of the warp call this.
static __device__ SELDOM Told update_outside(const StepTask* task, int from, int to, float trail,
                                             unsigned word, unsigned time, int lane) {
    unsigned there = places::there(word), back = places::back(word), seen = 0;
    if (there >= places::ELSEWHERE) {
        there = places::ELSEWHERE + from;
        if (lane == 0) seen = stamped::update(&task->outside[task->between(from, to)], time, trail);
    }
    if (!task->trails.directed && back >= places::ELSEWHERE) {
        back = places::ELSEWHERE + to;
        if (lane == 1) seen = stamped::update(&task->outside[task->between(to, from)], time, trail);
    }
    return {places::both(there, back), true, seen};
}

static __device__ SELDOM float updated_outside(Word stamp, unsigned time, LocalUpdate change) {
    return stamped::trail(stamp, time, change);
}

// All unvisited cities, some in each lane. `visited` is this lane's word of the tabu bits.
static __device__ SELDOM Offer offer_all(const StepTask* task, unsigned visited, int city,
                                         unsigned time, int lane) {
    constexpr int AT_ONCE = 2;
    // Where lanes are more than words, several share one.
    int words = task->tabu_words, sharing = LANES / words, first = lane & (words - 1);
    unsigned mine = static_cast<unsigned>(0xffffffffull / ((1ull << sharing) - 1)) << lane / words;
    unsigned left = ~__shfl_sync(ALL_LANES, visited, first) & mine;
    Offer best;
    while (left) {
        int other[AT_ONCE];
        float weight[AT_ONCE];
        Word stamp[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {  // past the end: the last city once more
            other[i] = left || i == 0 ? (__ffs(left) - 1) * words + first : other[i - 1];
            left &= left - 1;
            stamp[i] = __ldcg(&task->outside[task->between(city, other[i])]);
            weight[i] = __ldg(&task->weights[task->between(city, other[i])]);
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i)
            best.improve(other[i], stamped::trail(stamp[i], time, task->change), weight[i]);
    }
    return best;
}

// The choice of an ant that has no candidate.
struct OutsideChoice {
    int next;
    float trail;
    unsigned word;  // to be told if no trail on no list has to be updated
};

// It stands unless a trail from the city that is on no list is updated before `time`.
static __device__ SELDOM OutsideChoice choose_outside(const StepTask* task, unsigned visited,
                                                      int city, unsigned time, int lane) {
    constexpr int COUNT = BACKUP_ROWS + 1;
    int words = task->tabu_words, shift = 31 - __clz(words), other[COUNT];
    float weight[COUNT];
    Word stamp[COUNT];
    bool open[COUNT], backed = false, counted = false;
    int far_city = task->trails.far_of(city, lane);
    Backup backup = task->lists.backup_of(city, lane);
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        other[i] = i < BACKUP_ROWS ? backup.at[i % BACKUP_ROWS].city() : max(far_city, 0);
        unsigned its = __shfl_sync(ALL_LANES, visited, other[i] & (words - 1));
        open[i] = !(its >> (other[i] >> shift) & 1) && (i < BACKUP_ROWS || far_city >= 0);
        if (i < BACKUP_ROWS) backed = backed || open[i];
        stamp[i] = open[i] ? __ldcg(&task->outside[task->between(city, other[i])]) : 0;
    }
    Offer best;
    // As in TrailMatrix::options: what is on neither list can be chosen only if none of the backup
    // list can.
    if (!__any_sync(ALL_LANES, backed) ||
        __any_sync(ALL_LANES, far_city == TrailMatrix::TOO_MANY)) {
        best = offer_all(task, visited, city, time, lane);
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (i < BACKUP_ROWS)
                weight[i] = backup.at[i % BACKUP_ROWS].weight();
            else
                weight[i] = open[i] ? __ldg(&task->weights[task->between(city, other[i])]) : 0.0f;
            counted = counted || stamped::updated(stamp[i]);
        }
        bool all = __any_sync(ALL_LANES, counted);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            float trail =
                all ? updated_outside(stamp[i], time, task->change) : stamped::before(stamp[i]);
            if (open[i]) best.improve(other[i], trail, weight[i]);
        }
    }
    int next = best_city(best.key, warp_max(best.key), best.city);
    int chooser = __ffs(__ballot_sync(ALL_LANES, best.city == static_cast<unsigned>(next))) - 1;
    return {next, __shfl_sync(ALL_LANES, best.trail, chooser),
            places::both(places::NONE,
                         task->trails.directed ? places::NONE : task->place(next, city, lane))};
}

// The draws of 32 steps.
struct Page {
    unsigned explorations;  // a bit a step
    float spins;            // a lane a step: what turns the roulette wheel
};

// Draws for 32 steps from `step` on, and stores the cities of the last 32.
static __device__ SELDOM Page turn_page(const StepTask* task, int number, int step, int kept,
                                        int lane) {
    Draws draws{task->seed, static_cast<unsigned>(number), task->iteration};
    if (step > 0) task->tours[task->between(number, step - LANES + lane)] = kept;
    return {draws.explorations(step, task->threshold, lane), draws.roulette(step + lane)};
}

// The last step, back to where the tour began; `trail` is the one to this lane's candidate.
static __device__ SELDOM Told close_tour(const StepTask* task, int city, int start, float trail,
                                         unsigned time, int lane) {
    unsigned there = task->place(city, start, lane);
    unsigned back = task->trails.directed ? places::NONE : task->place(start, city, lane);
    if (there == places::NONE)
        trail =
            updated_outside(__ldcg(&task->outside[task->between(city, start)]), time, task->change);
    else
        trail = __shfl_sync(ALL_LANES, trail, there % LANES);
    Told told{places::both(there, back)};
    if (task->change(trail) == trail) return told;
    return update_outside(task, city, start, trail, told.word, time, lane);
}

// The weight of every edge, for those that are on no list.
__global__ void weigh_edges(int n, int metric, double beta, const double* coordinates,
                            const int* matrix, const int* nearest, float* weights) {
    Geometry geometry{n, metric, beta, coordinates, matrix, nearest};
    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < n * n; i += threads) weights[i] = geometry.weight(i / n, i % n);
}

// Builds the tours of one iteration in a cooperative launch. The arguments are those of step_tours,
// but `weights` are as weigh_edges made them, `stamps` is (n, n), for the edges that are on no
// list, and `words` (2 ants + n + 1). A block has a warp for each of its ants, then threads for all
// ants.
__global__ void __launch_bounds__(640) step_tours_on_replicas(
    int n, int ants, unsigned threshold, int period, float keep, float add, unsigned seed_low,
    unsigned seed_high, const uint2* rows, const uint2* backup, int metric, double beta,
    const double* coordinates, const int* matrix, const int* nearest, int directed, float* listed,
    float* outside, int* far, int tabu_words, const float* weights, Word* stamps, unsigned* words,
    int* tours, ColonyState* state) {
    extern __shared__ uint2 shared_trails[];
    __shared__ StepTask task;
    __shared__ OutsideNews news;
    LocalUpdate change{keep, add};
    ReplicaTrails trails(shared_trails, n, change);
    Post post{words, ants};
    GridBarrier barrier(&state->arrivals);
    unsigned* changed = trails.rest();
    trails.open(CandidateLists{rows, backup}, listed, directed);
    for (int i = threadIdx.x; i < n; i += blockDim.x) changed[i] = 0;
    if (threadIdx.x == 0) {
        news = OutsideNews{changed, {0, 0}};
        task = StepTask{threshold,
                        static_cast<unsigned>(state->iteration),
                        Seed{seed_low, seed_high},
                        change,
                        CandidateLists{rows, backup},
                        Geometry{n, metric, beta, coordinates, matrix, nearest},
                        TrailMatrix{listed, outside, far, n, static_cast<bool>(directed)},
                        weights,
                        stamps,
                        words + 2 * ants,
                        trails.candidates(),
                        tabu_words,
                        tours};
    }
    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (int i = thread; i < n * n; i += threads) stamps[i] = stamped::make(0, __ldcg(&outside[i]));
    for (int i = thread; i < 2 * ants + n + 1; i += threads) words[i] = 0;
    __threadfence();
    barrier.arrive();
    barrier.wait();

    int lane = held(threadIdx.x % LANES), number = blockIdx.x + threadIdx.x / LANES * gridDim.x;
    int walkers = (ants - 1) / gridDim.x + 1;  // warps
    int heard = held(static_cast<int>(threadIdx.x) - walkers * LANES);
    bool walks = number < ants && heard < 0, listens = heard >= 0 && heard < ants;
    Listener listener;
    unsigned time = 1;
    int until_update = period, shift = 31 - __clz(tabu_words);

    int start = 0, city = 0, kept = 0;
    unsigned visited = 0;  // this lane's word of the tabu bits
    Page page{};
    NearCandidate candidate{};
    bool free = false;   // whether the candidate is
    bool stuck = false;  // whether none is; then the next step is chosen already
    OutsideChoice choice{};
    unsigned word = 0;  // to be told if this lane's candidate is chosen
    // At a city where the ant takes its `step` at `then`: what no update can change is done while
    // words are on their way.
    auto arrive = [&](int step, unsigned then) {
        unsigned place = places::of(city, lane);
        candidate = trails.candidates()[place];
        if (lane == (city & (tabu_words - 1))) visited |= 1u << (city >> shift);
        int other = candidate.city();
        unsigned its = __shfl_sync(ALL_LANES, visited, other & (tabu_words - 1));
        free = !(its >> (other >> shift) & 1);
        word = candidate.word(place);
        stuck = step < n && !__any_sync(ALL_LANES, free);
        if (step % LANES == 0) page = turn_page(&task, number, step, kept, lane);
        if (stuck) choice = choose_outside(&task, visited, city, then, lane);
    };
    // Takes a step.
    auto choose = [&](int step, bool due) -> Told {
        Told told;
        int from = city;
        if (stuck) {
            if (changed[from] == time - 1) {
                while (latest(&task.made[time - 1]) < news.announced[time - 1 & 1]) {
                }
                choice = choose_outside(&task, visited, from, time, lane);
            }
            city = choice.next;
            told.word = choice.word;
            if (due && change(choice.trail) != choice.trail)
                told = update_outside(&task, from, city, choice.trail, told.word, time, lane);
            return told;
        }
        float trail = trails.read(places::of(from, lane), time, free);
        float weight = trail * candidate.weight();
        int source;
        if (page.explorations >> step % LANES & 1) {
            source = roulette_lane(free ? weight : 0.0f, free,
                                   __shfl_sync(ALL_LANES, page.spins, step % LANES), lane);
        } else {
            unsigned key = weight_key(weight, free), top = warp_max(key);
            unsigned best = __ballot_sync(ALL_LANES, key == top);
            if (best & (best - 1)) {
                int lowest = best_city(key, top, candidate.city());
                best = __ballot_sync(ALL_LANES, candidate.city() == lowest);
            }
            source = __ffs(best) - 1;
        }
        city = __shfl_sync(ALL_LANES, candidate.city(), source);
        told.word = __shfl_sync(ALL_LANES, word, source);
        if (due && !directed && places::back(told.word) == places::NONE) {
            trail = __shfl_sync(ALL_LANES, trail, source);
            if (change(trail) != trail)
                told = update_outside(&task, from, city, trail, told.word, time, lane);
        }
        return told;
    };
    if (walks) {
        start = city = kept =
            Draws{task.seed, static_cast<unsigned>(number), task.iteration}.start(n);
        // Bits of cities that do not exist count as visited.
        int cities = (n - 1 - (lane & (tabu_words - 1))) / tabu_words + 1;
        visited = cities < 32 ? ~0u << cities : 0;
        page = turn_page(&task, number, 0, kept, lane);
        arrive(1, time);
    }

    for (int step = 1; step <= n; ++step) {
        bool due = --until_update == 0;
        if (due) until_update = period;
        Told told;
        if (walks) {
            if (step < n)
                told = choose(step, due);
            else if (due)
                told = close_tour(&task, city, start, trails.read(places::of(city, lane), time),
                                  time, lane);
            if (due && lane == 0) post.send(number, time, told.word);
        } else if (due && listens) {
            listener.prepare(trails, time);
        }
        if (due) {
            __syncthreads();  // all trails have been read
            if (listens) listener.settle(trails, time);
            if (threadIdx.x == 0) news.announced[time - 1 & 1] = 0;
        }
        if (walks && step < n) {
            if (lane == step % LANES) kept = city;
            arrive(step + 1, time + due);
        }
        if (told.updates) {
            performed(told.seen);
            __syncwarp();
            if (lane == 0) atomicAdd(&task.made[time], 1u);
        }
        if (due) {
            post.meet();
            if (listens) listener.count(trails, news, post.await(heard, time), time);
            __syncthreads();
            time += 1;
        }
    }

    // Trails are left where the next launch finds them.
    for (int i = thread; i < n * LANES; i += threads) listed[i] = trails.read(i, time);
#pragma unroll 4
    for (int i = thread; i < n * n; i += threads) {
        Word stamp = __ldcg(&stamps[i]);
        if (stamped::time(stamp)) outside[i] = stamped::trail(stamp, 0, change);
    }
    if (!walks) return;
    int* tour = tours + static_cast<long long>(number) * n;
    if (lane < n % LANES) tour[n - n % LANES + lane] = kept;
    __syncwarp();
    Word length = tour_length(task.geometry, tour, lane);
    report_tours(state, length << ANT_BITS | number, length, lane);
}

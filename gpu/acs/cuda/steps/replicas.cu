// ACS-GPU (2016, Section 3.1.2) where a multiprocessor's shared memory holds the candidate lists
// and all their trails. The tours are those of step_tours, and every step is faster.
//
// Every block has all listed trails and makes all their updates itself: an ant reads its city's
// trails from shared memory, and reports its step to all blocks in one word. Threads beside the
// ants' warps read those words, one thread an ant, and count the updates. Trails on no list are in
// global memory; an ant updates them before it sends its word, so that all are done when all words
// have come.
#include "gpu/acs/cuda/kernels.py"
#include "gpu/acs/cuda/trail_matrix.cuh"
#include "gpu/cuda/kernels/order.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "step_updates.cuh"

// Mailboxes in global memory: every ant sends a word about each step to all blocks. Waiting for all
// words is also the barrier between two steps.

// The upper bits of a word are its time; a reader waits until they are right. Words of even and of
// odd times have separate places. So no sender overwrites a word that somebody may still have to
// read: a thread reaches a time only after it has read all words of the time before.
struct Mailboxes {
    static constexpr int BITS = 28;  // of a word that carry the message

    unsigned* words;  // (2, ants), 0 before the first time, which is 1
    int ants;

    INLINE unsigned* place(int ant, unsigned time) const {
        return &words[(time & 1 ? ants : 0) + ant];
    }

    // The word of an ant whose warp may have updated global memory before: who reads the word and
    // acquires sees that. All lanes of the warp call this.
    INLINE void send(int ant, unsigned time, unsigned word, bool updates, int lane) const {
        word |= time << BITS;
        if (updates) __syncwarp();  // all lanes' updates come before the word
        if (lane != 0) return;
        if (updates)
            store_released(place(ant, time), word);
        else
            store_now(place(ant, time), word);
    }

    // All threads call this before any of them waits.
    static INLINE void meet() {
#if defined(FORMICARIUM_EMULATION)
        emulation_grid_barrier();
#endif
    }

    // Waits for an ant's word.
    INLINE unsigned await(int ant, unsigned time) const {
        unsigned word;
        do word = latest(place(ant, time));
        while ((word ^ time << BITS) >> BITS);
        return word & ((1u << BITS) - 1);
    }
};

// Trails of listed edges where every block has them all, for ants that step together.

// What an ant reports of a step to all blocks, in one word: places of the edge's two directions,
// whose trails are to be updated. For one on no list: whether its trail is updated, and from
// which city it leads.
namespace places {

constexpr unsigned HALF = (1u << PLACE_BITS) - 1;
constexpr unsigned NONE = HALF, ELSEWHERE = HALF - OUTSIDE_PLACES;  // ELSEWHERE + city

INLINE unsigned of(int city, unsigned rank) { return city * LANES + rank; }

// The city that a place belongs to; more than any for NONE.
INLINE unsigned city(unsigned place) {
    return place < ELSEWHERE ? place / LANES : place - ELSEWHERE;
}

INLINE unsigned both(unsigned there, unsigned back) { return there | back << PLACE_BITS; }

INLINE unsigned there(unsigned word) { return word & HALF; }

INLINE unsigned back(unsigned word) { return word >> PLACE_BITS; }

}  // namespace places

// A candidate as it lies in shared memory. x: the city, then the place of the way back; y: the bits
// of the weight.
struct NearCandidate {
    uint2 packed;

    static INLINE NearCandidate of(Candidate candidate, bool directed) {
        unsigned city = candidate.city(), rank = candidate.reverse();
        bool back = !directed && rank != NOT_LISTED;
        return {make_uint2(places::both(city, back ? places::of(city, rank) : places::NONE),
                           candidate.packed.y)};
    }

    INLINE int city() const { return places::there(packed.x); }
    INLINE float weight() const { return __uint_as_float(packed.y); }

    // The report of a step to it from `place`.
    INLINE unsigned word(unsigned place) const { return place | (packed.x & ~places::HALF); }
};

// A trail and the number of its updates, at the last time and at the present one in turn. Ants read
// the trail from before the present updates, so no update has to wait until all ants have read.
class ReplicaTrails {
  public:
    // `shared` holds trails and counts, candidates, and changed().
    INLINE ReplicaTrails(uint2* shared, int n, LocalUpdate change)
        : size_(n * LANES), change_(change), trails_(shared) {}

    // All threads of the block call this; a barrier must follow.
    INLINE void open(const CandidateRows& lists, const float* listed, bool directed) const {
        for (int i = threadIdx.x; i < size_; i += blockDim.x) {
            trails_[i] = make_uint2(__float_as_uint(__ldcg(&listed[i])), 0);
            trails_[size_ + i] = NearCandidate::of(lists.at(i / LANES, i % LANES), directed).packed;
        }
    }

    INLINE const NearCandidate* candidates() const {
        return reinterpret_cast<const NearCandidate*>(trails_ + size_);
    }

    // (n), for OutsideNews.
    INLINE unsigned* changed() const { return reinterpret_cast<unsigned*>(trails_ + 2 * size_); }

    // The trail at a place before the updates of this time. If not `wanted`, an older value will
    // do: ants that walk together update an edge so often that it pays not to work out what nobody
    // needs.
    INLINE float read(unsigned place, unsigned time, bool wanted = true) const {
        constexpr unsigned AT_ONCE = 4;
        uint2 trail = trails_[place];
        float value = __uint_as_float(trail.x);
        unsigned times = wanted ? trail.y >> shift(time - 1) & COUNT : 0;
#pragma unroll 1
        for (; times >= AT_ONCE; times -= AT_ONCE) {
            UNROLL for (unsigned i = 0; i < AT_ONCE; ++i) value = change_(value);
        }
        UNROLL for (unsigned i = 1; i < AT_ONCE; ++i) {
            float next = change_(value);
            if (i <= times) value = next;
        }
        return value;
    }

    // Counts an update of this time. Returns the counts before.
    INLINE unsigned count(unsigned place, unsigned time) const {
        return atomicAdd(&trails_[place].y, 1u << shift(time));
    }

    // Whether an update was the first of the time before to be counted.
    static INLINE bool first(unsigned counts_before, unsigned time) {
        return !(counts_before >> shift(time - 1) & COUNT);
    }

    // Writes the trail that all updates of the time before lead to, once all ants have read.
    INLINE void settle(unsigned place, float value, unsigned time) const {
        trails_[place].x = __float_as_uint(value);
        atomicAnd(&trails_[place].y, COUNT << shift(time));
    }

  private:
    static constexpr unsigned COUNT = 0xffff;

    int size_;
    LocalUpdate change_;
    uint2* trails_;  // (2, n, 32): trail and counts, candidate

    static INLINE unsigned shift(unsigned at) { return (at & 1) * 16; }
};

// News of trails on no list, in shared memory: who chose among them while they were updated must
// choose again.
struct OutsideNews {
    static constexpr unsigned BITS = 9, SEVERAL = (1u << BITS) - 1;  // or unknown

    // In a city's word: the time of the last such update from it, and where to.
    static INLINE void note(unsigned* word, unsigned to, unsigned time) {
        unsigned own = time << BITS | min(to, SEVERAL), last = atomicMax(word, own);
        if (last >> BITS == time && last != own) atomicMax(word, own | SEVERAL);
    }
};

// A thread that reads the reports of one ant.
struct Listener {
    unsigned places[2] = {places::NONE, places::NONE}, before[2];
    bool settles[2];
    float settled;

    // Computes the updates of the time before, if this thread has to make them. Those of an edge's
    // two directions are equal.
    INLINE void prepare(const ReplicaTrails& trails, unsigned time) {
        UNROLL for (int i = 0; i < 2; ++i) {
            settles[i] = places[i] < places::ELSEWHERE && ReplicaTrails::first(before[i], time);
        }
        if (settles[0] || settles[1]) settled = trails.read(places[settles[0] ? 0 : 1], time);
    }

    // Makes them.
    INLINE void settle(const ReplicaTrails& trails, unsigned time) const {
        UNROLL for (int i = 0; i < 2; ++i) if (settles[i]) trails.settle(places[i], settled, time);
    }

    // Counts the updates that a report asks for.
    INLINE void count(const ReplicaTrails& trails, unsigned word, unsigned time) {
        places[0] = places::there(word);
        places[1] = places::back(word);
        bool elsewhere = false;
        UNROLL for (int i = 0; i < 2; ++i) {
            if (places[i] < places::ELSEWHERE) {
                before[i] = trails.count(places[i], time);
            } else if (places[i] != places::NONE) {
                OutsideNews::note(&trails.changed()[places[i] - places::ELSEWHERE],
                                  places::city(places[1 - i]), time);
                elsewhere = true;
            }
        }
        if (elsewhere) acquire();  // the ant updated them before it sent its word
    }
};

// What is rare for an ant that steps together with others, where every block has all listed trails:
// trails of edges on no list, draws, the closing edge. These are a few functions, out of line, so
// that the usual step stays short.

// What the usual step does not need; in shared memory.
struct StepTask {
    unsigned threshold;
    unsigned iteration;
    Seed seed;
    LocalUpdate change;
    CandidateRows lists;
    Distances geometry;
    TrailMatrix trails;
    const float* weights;             // (n, n)
    Word* outside;                    // (n, n), trails of edges that are on no list, stamped
    const NearCandidate* candidates;  // (n, 32), in shared memory
    int* tours;

    INLINE Word* outside_from(unsigned city) const {
        return global_address(held_pointer(outside + city * unsigned(geometry.n)));
    }

    INLINE const float* weights_from(unsigned city) const {
        return held_pointer(weights + city * unsigned(geometry.n));
    }

    // The place of the way from one city to another, or NONE. All lanes of the warp call this.
    INLINE unsigned place(int from, int to, int lane) const {
        unsigned lanes = __ballot_sync(ALL_LANES, candidates[places::of(from, lane)].city() == to);
        return lanes ? places::of(from, __ffs(lanes) - 1) : places::NONE;
    }
};

// The report of a step, and whether trails in global memory were updated.
struct StepReport {
    unsigned word = 0;
    bool updates = false;
};

// Updates those trails of an edge that are on no list, from the trail before. All lanes of the warp
// call this.
SELDOM StepReport update_outside(const StepTask* task, int from, int to, float trail, unsigned word,
                                 unsigned time, int lane) {
    unsigned there = places::there(word), back = places::back(word);
    if (there >= places::ELSEWHERE) {
        there = places::ELSEWHERE + from;
        if (lane == 0) stamped::update(task->outside_from(from) + to, time, trail);
    }
    if (!task->trails.directed && back >= places::ELSEWHERE) {
        back = places::ELSEWHERE + to;
        if (lane == 1) stamped::update(task->outside_from(to) + from, time, trail);
    }
    return {places::both(there, back), true};
}

// Offers all unvisited cities.
INLINE void offer_all(const StepTask* task, const LaneTabu& tabu, int city, unsigned time, int lane,
                      Offer& best) {
    constexpr int COUNT = 4;
    const Word* stamps = task->outside_from(city);
    const float* weights = task->weights_from(city);
    tabu.each_unvisited<COUNT>(lane, [&](const unsigned (&other)[COUNT]) {
        float weight[COUNT], trail[COUNT];
        Word stamp[COUNT];
        UNROLL for (int i = 0; i < COUNT; ++i) {
            stamp[i] = __ldcg(&stamps[other[i]]);
            weight[i] = __ldg(&weights[other[i]]);
        }
        stamped::trails(stamp, time, task->change, trail);
        UNROLL for (int i = 0; i < COUNT; ++i) best.improve(other[i], trail[i], weight[i]);
    });
}

// The same where the trails to all of them are at the initial level, except to cities that are
// offered after this.
INLINE void offer_nearest(const StepTask* task, const LaneTabu& tabu, int city, int lane,
                          Offer& best) {
    constexpr int COUNT = 4;
    const float* weights = task->weights_from(city);
    tabu.each_unvisited<COUNT>(lane, [&](const unsigned (&other)[COUNT]) {
        // The largest of all comes first; else the warp would wait for each read by itself.
        unsigned keys[COUNT], top = 0, city = other[0];
        UNROLL for (int i = 0; i < COUNT; ++i) {
            keys[i] = weight_key(__ldg(&weights[other[i]]), true);
        }
        UNROLL for (int i = 0; i < COUNT; ++i) top = max(top, keys[i]);
        UNROLL for (int i = COUNT - 1; i > 0; --i) city = keys[i] == top ? other[i] : city;
        best.improve_by(top, keys[0] == top ? other[0] : city, 1.0f);
    });
}

// The choice of an ant that has no candidate.
struct OutsideChoice {
    int next;
    float trail;
    unsigned word;  // the report, unless a trail on no list has to be updated
};

// It stays valid unless a trail from the city that is on no list is updated at the time before.
SELDOM OutsideChoice choose_outside(const StepTask* task, LaneTabu tabu, int city, unsigned time,
                                    int lane) {
    constexpr int COUNT = BACKUP_ROWS + 1;
    unsigned other[COUNT];
    float weight[COUNT], trail[COUNT];
    Word stamp[COUNT];
    bool open[COUNT], backed = false;
    const Word* stamps = task->outside_from(city);
    int far_city = task->trails.far_of(city, lane);
    Backup backup = task->lists.backup_of(city, lane);
    UNROLL for (int i = 0; i < COUNT; ++i) {
        other[i] = i < BACKUP_ROWS ? backup.at[i % BACKUP_ROWS].city() : max(far_city, 0);
        open[i] = !tabu.visited(other[i]) && (i < BACKUP_ROWS || far_city >= 0);
        if (i < BACKUP_ROWS) backed = backed || open[i];
        stamp[i] = open[i] ? __ldcg(&stamps[other[i]]) : 0;
    }
    Offer best;
    // As in TrailMatrix::options: a city on neither list is chosen only if no backup city can be,
    // and if its trail is at the initial level.
    if (__any_sync(ALL_LANES, far_city == TOO_MANY_FAR)) {
        offer_all(task, tabu, city, time, lane, best);
    } else {
        if (!__any_sync(ALL_LANES, backed)) offer_nearest(task, tabu, city, lane, best);
        UNROLL for (int i = 0; i < COUNT; ++i) {
            if (i < BACKUP_ROWS)
                weight[i] = backup.at[i % BACKUP_ROWS].weight();
            else
                weight[i] = open[i] ? __ldg(&task->weights_from(city)[other[i]]) : 0.0f;
        }
        stamped::trails(stamp, time, task->change, trail);
        UNROLL for (int i = 0; i < COUNT; ++i) best.improve(other[i], trail[i], weight[i], open[i]);
    }
    int next = best_city(best.key, warp_max(best.key), best.city);
    // A far city may have been offered twice: at the initial level, below which no trail is, and
    // with its own trail.
    unsigned trail_bits = warp_max(best.city == unsigned(next) ? __float_as_uint(best.trail) : 0);
    return {next, __uint_as_float(trail_bits),
            places::both(places::NONE,
                         task->trails.directed ? places::NONE : task->place(next, city, lane))};
}

// The draws of 32 steps.
struct StepDraws {
    unsigned explorations;  // a bit a step
    unsigned spins;         // a lane a step: what spins the roulette wheel
};

// Draws for 32 steps from `step` on, and stores the cities of the last 32.
SELDOM StepDraws draw_steps(const StepTask* task, int number, int step, int kept, int lane) {
    Draws draws{task->seed, unsigned(number), task->iteration};
    if (step > 0) task->tours[number * task->geometry.n + step - LANES + lane] = kept;
    return {draws.explorations(step, task->threshold, lane), draws.spin(step + lane)};
}

// The last step, back to where the tour began; `trail` is the one to this lane's candidate.
SELDOM StepReport close_tour(const StepTask* task, int city, int start, float trail, unsigned time,
                             int lane) {
    unsigned there = task->place(city, start, lane);
    unsigned back = task->trails.directed ? places::NONE : task->place(start, city, lane);
    if (there == places::NONE)
        trail = stamped::trail(__ldcg(task->outside_from(city) + start), time, task->change);
    else
        trail = __shfl_sync(ALL_LANES, trail, there % LANES);
    StepReport report{places::both(there, back)};
    if (task->change(trail) == trail) return report;
    return update_outside(task, city, start, trail, report.word, time, lane);
}

// The weight of every edge, for those that are on no list.
__global__ void weigh_edges(const WeighEdges arguments) {
    const auto [geometry, weights] = arguments;
    const int n = geometry.n;
    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < n * n; i += threads) weights[i] = geometry.weight(i / n, i % n);
}

// Builds the tours of one iteration in a cooperative launch. `listed`, `outside`, `far` and `tours`
// are as for step_tours; `weights` as weigh_edges made them, `stamps` is (n, n), for the edges that
// are on no list, and `words` (2, ants). A block has a warp for each of its ants, then threads for
// all ants.
__global__ void __launch_bounds__(STEP_THREADS) step_tours_on_replicas(
    const StepToursOnReplicas arguments) {
    const auto [common, listed, outside, far, tours, state, weights, stamps, words] = arguments;
    const auto [ants, threshold, period, rule, seed, lists, geometry, one_way] = common;
    const LocalUpdate change = rule;  // lambdas cannot capture what is bound above
    const bool directed = one_way;
    const int n = geometry.n;
    extern __shared__ uint2 shared_trails[];
    __shared__ StepTask task;
    ReplicaTrails trails(shared_trails, n, change);
    Mailboxes mailboxes{words, ants};
    GridBarrier barrier{&state->arrivals};
    unsigned* changed = trails.changed();
    trails.open(lists, listed, directed);
    for (int i = threadIdx.x; i < n; i += blockDim.x) changed[i] = 0;
    if (threadIdx.x == 0) {
        task = StepTask{threshold,
                        unsigned(state->iteration),
                        seed,
                        change,
                        lists,
                        geometry,
                        TrailMatrix{listed, outside, far, n, bool(directed)},
                        weights,
                        stamps,
                        trails.candidates(),
                        tours};
    }
    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (int i = thread; i < n * n; i += threads) stamps[i] = stamped::make(0, __ldcg(&outside[i]));
    for (int i = thread; i < 2 * ants; i += threads) words[i] = 0;
    barrier.arrive();
    barrier.wait();

    int lane = held(threadIdx.x % LANES), number = blockIdx.x + threadIdx.x / LANES * gridDim.x;
    int walkers = (ants - 1) / gridDim.x + 1;  // warps
    int heard = held(int(threadIdx.x) - walkers * LANES);
    bool walks = number < ants && heard < 0, listens = heard >= 0 && heard < ants;
    Listener listener;
    unsigned time = 1;
    int until_update = period;

    int start = 0, city = 0, kept = 0;
    LaneTabu tabu(n, lane);
    StepDraws random{};
    NearCandidate candidate{};
    bool free = false;   // whether this lane's candidate is unvisited
    bool stuck = false;  // whether no candidate is; then the next city is chosen
    OutsideChoice choice{};
    unsigned word = 0;  // the report if this lane's candidate is chosen
    // The ant is at the city of its step `step`, made at time `then`. What no update can change
    // is done here, while reports are on their way.
    auto arrive = [&](int step, unsigned then) {
        unsigned place = places::of(city, lane);
        candidate = trails.candidates()[place];
        tabu.visit(city, lane);
        free = !tabu.visited(candidate.city());
        word = candidate.word(place);
        stuck = step < n && !__any_sync(ALL_LANES, free);
        if (step % LANES == 0) random = draw_steps(&task, number, step, kept, lane);
        if (stuck) choice = choose_outside(&task, tabu, city, then, lane);
    };
    // Takes a step.
    auto choose = [&](int step, bool due) -> StepReport {
        StepReport report;
        int from = city;
        if (stuck) {
            // A trail back to where the ant has been does not matter.
            unsigned last = changed[from], to = last & OutsideNews::SEVERAL;
            if (last >> OutsideNews::BITS == time - 1 &&
                (to == OutsideNews::SEVERAL || !tabu.visited(to)))
                choice = choose_outside(&task, tabu, from, time, lane);
            city = choice.next;
            report.word = choice.word;
            if (due && change(choice.trail) != choice.trail)
                report = update_outside(&task, from, city, choice.trail, report.word, time, lane);
            return report;
        }
        float trail = trails.read(places::of(from, lane), time, free);
        float weight = trail * candidate.weight();
        unsigned key = weight_key(weight, free), top = warp_max(key);
        int source;
        if (random.explorations >> step % LANES & 1) {
            source = roulette_lane(free ? weight : 0.0f, top,
                                   __shfl_sync(ALL_LANES, random.spins, step % LANES), lane);
        } else {
            unsigned best = __ballot_sync(ALL_LANES, key == top);
            if (best & (best - 1)) {
                int lowest = best_city(key, top, candidate.city());
                best = __ballot_sync(ALL_LANES, candidate.city() == lowest);
            }
            source = __ffs(best) - 1;
        }
        city = __shfl_sync(ALL_LANES, candidate.city(), source);
        report.word = __shfl_sync(ALL_LANES, word, source);
        if (due && !directed && places::back(report.word) == places::NONE) {
            trail = __shfl_sync(ALL_LANES, trail, source);
            if (change(trail) != trail)
                report = update_outside(&task, from, city, trail, report.word, time, lane);
        }
        return report;
    };
    if (walks) {
        start = city = kept = Draws{task.seed, unsigned(number), task.iteration}.start(n);
        random = draw_steps(&task, number, 0, kept, lane);
        arrive(1, time);
    }

    for (int step = 1; step <= n; ++step) {
        bool due = --until_update == 0;
        if (due) until_update = period;
        StepReport report;
        if (walks) {
            if (step < n)
                report = choose(step, due);
            else if (due)
                report = close_tour(&task, city, start, trails.read(places::of(city, lane), time),
                                    time, lane);
            if (due) mailboxes.send(number, time, report.word, report.updates, lane);
        } else if (due && listens) {
            listener.prepare(trails, time);
        }
        if (due) {
            __syncthreads();  // all trails have been read
            if (listens) listener.settle(trails, time);
        }
        if (walks && step < n) {
            if (lane == step % LANES) kept = city;
            arrive(step + 1, time + due);
        }
        if (due) {
            mailboxes.meet();
            if (listens) listener.count(trails, mailboxes.await(heard, time), time);
            __syncthreads();
            time += 1;
        }
    }

    // Writes the trails to where the next launch reads them.
    for (int i = thread; i < n * LANES; i += threads) listed[i] = trails.read(i, time);
#pragma unroll 4
    for (int i = thread; i < n * n; i += threads) {
        Word stamp = __ldcg(&stamps[i]);
        if (stamped::time(stamp)) outside[i] = stamped::trail(stamp, 0, change);
    }
    if (!walks) return;
    int* tour = row_of(tours, number, n);
    if (lane < n % LANES) tour[n - n % LANES + lane] = kept;
    __syncwarp();
    Word length = tour_length(task.geometry, tour, lane);
    report_tours(state, length << ANT_BITS | number, length, lane);
}

// ACS-GPU (2016, Section 3.1.2) where a multiprocessor's shared memory holds the candidate lists
// and all their trails. The tours are those of step_tours, and every step is faster.
//
// Every block has all listed trails and makes all their updates itself: an ant reads its city's
// trails from shared memory, and reports its step to all blocks in one word. Threads beside the
// ants' warps read those words, one thread an ant, and count the updates. Trails on no list are in
// global memory; an ant updates them before it sends its word, so that all are done when all words
// have come.
#include "gpu/acs/cuda/constants.py"
#include "gpu/acs/cuda/kernels.py"
#include "gpu/cuda/kernels/order.cuh"
#include "mailboxes.cuh"
#include "replica_steps.cuh"

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

// ACS-GPU (2016, Section 3.1.2): all ants take one step, then the next; local updates are atomic.
//
// The paper launches one kernel a step. Here one cooperative launch takes all steps of an
// iteration, and a barrier over the grid stands where a launch ended: the same order of events at
// a fraction of the cost. The colony is reproducible: all ants choose from the trails as they were
// before the step's updates, and an edge that c ants took is updated c times, in whichever order.
#include "gpu/acs/cuda/kernels.py"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/order.cuh"
#include "step_updates.cuh"

// Builds the tours of one iteration with a warp for every ant. `tours` has a row an ant;
// `stamps` is (n, 32), `log_entries` and `log_counts` as OutsideLog
// has them.
//
// What a step needs and no update can change (the next city's candidates, its tabu bits) is done
// between arriving at a barrier and waiting there.
__global__ void __launch_bounds__(STEP_THREADS) step_tours(const StepTours arguments) {
    const auto [common, listed, outside, far, tours, state, tabu_words, stamps, log_entries,
                log_counts] = arguments;
    const auto [ants, threshold, period, change, seed, lists, geometry, directed] = common;
    const int n = geometry.n;
    extern __shared__ unsigned shared[];
    __shared__ NearestOfBlock helpers;
    int lane = held(threadIdx.x % LANES), warp = held(threadIdx.x / LANES);
    // Neighbouring ants go to different multiprocessors, so that all have as many.
    int ant = blockIdx.x + warp * gridDim.x;
    bool works = ant < ants;  // the same for all lanes of a warp
    unsigned* tabus = held_shared(shared);
    BitTabu tabu(tabus + warp * tabu_words, tabu_words);
    unsigned iteration = unsigned(state->iteration);
    GridBarrier barrier{&state->arrivals};
    TrailMatrix trails{listed, outside, far, n, bool(directed)};
    WalkBase walk{lists, geometry, tabu, change, bool(directed), lane};
    Draws draws{seed, unsigned(ant), iteration};
    OutsideLog log{log_entries, log_counts, 2 * ants, 0, change};
    int start = draws.start(n), kept = start, until_update = period;
    unsigned explorations = 0, time = 1;
    NotedUpdate noted;
    bool stuck = false;  // whether the city has no candidate left; then `options` are prepared
    OutsideOptions options;

    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread; i < n * LANES; i += threads) stamps[i] = stamped::make(0, listed[i]);
    for (int i = thread; i <= n; i += threads) log_counts[i] = 0;
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
            noted.perform(log, trails, lane);
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
            // Two lanes update the edge's two directions at once.
            unsigned taker = __ballot_sync(ALL_LANES, updates && chosen);
            if (taker) {
                int source = __ffs(taker) - 1;
                float before = __shfl_sync(ALL_LANES, trail, source);
                unsigned its_rank = __shfl_sync(ALL_LANES, rank, source);
                bool back = lane == (source ^ 1) && !directed && its_rank != NOT_LISTED;
                long long place = static_cast<long long>(back ? next : from) * LANES;
                if (back || lane == source)
                    stamped::update(stamps + (place + (back ? its_rank : lane)), time, before);
            }
            // Where the chosen city was on no list, its own list may still have this one.
            if (__any_sync(ALL_LANES, updates && (!chosen || (!directed && rank == NOT_LISTED)))) {
                int found = __ffs(__ballot_sync(ALL_LANES, walk.candidate.city() == from)) - 1;
                bool there = updates && !chosen, back = updates && !directed && found < 0;
                noted = NotedUpdate{from, next, __any_sync(ALL_LANES, there) != 0,
                                    __any_sync(ALL_LANES, back) != 0};
                if (updates) {
                    if (there) log.note(from, next, trail);
                    if (back) log.note(next, from, trail);
                    if (there && !directed && found >= 0)
                        stamped::update(stamps + (static_cast<long long>(next) * LANES + found),
                                        time, trail);
                }
            }
        }
        if (due) barrier.arrive();
        if (works) {
            int next = walk.city;
            walk.visit(next);
            if (lane == step % LANES) kept = next;
            if (step % LANES == LANES - 1 && step < n)
                tours[static_cast<long long>(ant) * n + step - LANES + 1 + lane] = kept;
            if (step % LANES == LANES - 1)
                explorations = draws.explorations(step + 1, threshold, lane);
            stuck = step + 1 < n && !__any_sync(ALL_LANES, walk.free());
        }
        Fallback fallback;
        int far_city = NO_FAR_CITY;
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
                fallback.nearest = int(helpers.found[warp] & 0xffffffffu);
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
    noted.perform(log, trails, lane);
    for (int i = thread; i < n * LANES; i += threads)
        listed[i] = stamped::trail(__ldcg(&stamps[i]), 0, change);
    if (!works) return;
    int* tour = row_of(tours, ant, n);
    if (lane < n % LANES) tour[n - n % LANES + lane] = kept;
    __syncwarp();
    Word length = tour_length(geometry, tour, lane);
    report_tours(state, length << ANT_BITS | ant, length, lane);
}

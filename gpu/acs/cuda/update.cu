// The end of an iteration: elect the best tour, then the global update (2016, equation 4).
#include "gpu/cuda/kernels/colony_state.cuh"
#include "kernels.py"
#include "selective_memory.cuh"
#include "trail_matrix.cuh"

// Equation 4: trail * (1 - alpha) + alpha / L, in units of tau0; computed like the local update.
typedef LocalUpdate GlobalUpdate;

// The cities after and before a place on a tour, and the next but one on either side.
INLINE int4 links_at(const int* tour, int i, int n) {
    return make_int4(tour[(i + 1) % n], tour[(i + n - 1) % n], tour[(i + 2) % n],
                     tour[(i + n - 2) % n]);
}

// A warp a city, which updates its trails to both neighbours on the best tour, and copies what both
// tours have at a place. `rows` is the number of warps that built tours; `holders` is null where
// each ant has its own row of `tours`, `links` where no walk reads ahead.
__global__ void update_matrix(const UpdateMatrix arguments) {
    const auto [n, keep, deposit, directed, tours, holders, rows, best_tour, iteration_tour, links,
                state, lists, listed, outside, far] = arguments;
    Election election(state, tours, holders, rows, n, best_tour);
    GlobalUpdate change{keep, float(deposit / election.length)};
    TrailMatrix trails{listed, outside, far, n, bool(directed)};
    Closing closing(state);
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    for (int i = blockIdx.x * warps + threadIdx.x / LANES; i < n; i += gridDim.x * warps) {
        int city = election.tour[i];
        int after = election.tour[i + 1 < n ? i + 1 : 0];
        int before = election.tour[i > 0 ? i - 1 : n - 1];
        if (lane == 0) {
            election.keep(best_tour, i);
            iteration_tour[i] = election.winner[i];
            if (links) links[city] = links_at(election.tour, i, n);
        }
        int own = lists.at(city, lane).city();
        int rank_after = __ffs(__ballot_sync(ALL_LANES, own == after)) - 1;
        int rank_before = __ffs(__ballot_sync(ALL_LANES, own == before)) - 1;
        if (lane < (directed ? 1 : 2)) {  // one lane a neighbour: two different ones, as n > 2
            float* place = trails.at(city, lane ? before : after, lane ? rank_before : rank_after);
            *place = change(__ldcg(place));
        }
        if (rank_after < 0 && !lists.backs_up(city, after, lane))
            trails.remember_far(city, after, lane);
        __syncwarp();
        if (!directed && rank_before < 0 && !lists.backs_up(city, before, lane))
            trails.remember_far(city, before, lane);
    }
    closing.finish(state, election.improved);
}

// A warp a city, which updates its trails to both neighbours, in the order of a walk along the
// tour.
template <int CAPACITY>
__global__ void update_memory(const UpdateMemory arguments) {
    const auto [n, keep, deposit, directed, tours, holders, rows, best_tour, iteration_tour, links,
                state, size, records, tails] = arguments;
    Election election(state, tours, holders, rows, n, best_tour);
    GlobalUpdate change{keep, float(deposit / election.length)};
    Closing closing(state);
    int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    unsigned hits = 0, total = 0;
    for (int i = blockIdx.x * warps + threadIdx.x / LANES; i < n; i += gridDim.x * warps) {
        int city = election.tour[i];
        int after = election.tour[i + 1 < n ? i + 1 : 0];
        int before = election.tour[i > 0 ? i - 1 : n - 1];
        if (lane == 0) {
            election.keep(best_tour, i);
            iteration_tour[i] = election.winner[i];
            if (links) links[city] = links_at(election.tour, i, n);
        }
        Ring ring;
        ring.open(row_of(records, city, CAPACITY), row_of(tails, city, TAIL_STRIDE), size, lane);
        if (!directed && i > 0) hits += ring.update(before, change, lane);
        hits += ring.update(after, change, lane);
        if (!directed && i == 0) hits += ring.update(before, change, lane);
        total += directed ? 1 : 2;
    }
    if (lane == 0 && total) {
        atomicAdd(&state->global_hits, Word(hits));
        atomicAdd(&state->global_total, Word(total));
    }
    closing.finish(state, election.improved);
}

// The state before the first iteration: trails at their initial level, memories empty.
__global__ void start_matrix(const StartMatrix arguments) {
    const auto [listed_size, listed, outside_size, outside, far, state] = arguments;
    long long first = grid_thread(), stride = grid_threads();
    for (long long i = first; i < outside_size; i += stride) outside[i] = 1.0f;
    for (long long i = first; i < listed_size; i += stride) {
        listed[i] = 1.0f;
        far[i] = NO_FAR_CITY;
    }
    if (first == 0) reset(state);
}

__global__ void start_memory(const StartMemory arguments) {
    const auto [records_size, records, n, tails, size, state] = arguments;
    long long first = grid_thread(), stride = grid_threads();
    for (long long i = first; i < records_size; i += stride) records[i] = make_record(NOBODY, 1.0f);
    for (long long i = first; i < n; i += stride) tails[i * TAIL_STRIDE] = size - 1;
    if (first == 0) reset(state);
}

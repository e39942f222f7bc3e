// The end of an iteration: the chosen changes are made, and the next iteration begins with what
// that gives, or with tours that the host gives.
#include "changes.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "kernels.py"

constexpr int NOWHERE = -1;

// Closes the iteration: the shortest of all tours is its best. One warp.
__global__ void elect(const Elect arguments) {
    const auto [tours, ants, lengths, elected, begun, state] = arguments;
    int lane = threadIdx.x;
    Word best = ~0ull, sum = 0;
    for (int tour = lane; tour < tours; tour += LANES) {
        best = min(best, static_cast<Word>(lengths[tour]) << ANT_BITS | unsigned(tour));
        sum += static_cast<Word>(lengths[tour]);
    }
    best = warp_least(best);
    sum = warp_sum(sum);
    if (lane != 0) return;
    *begun = 0;
    bool improved = best >> ANT_BITS < state->best_length;
    elected[0] = improved ? int(best & ((1 << ANT_BITS) - 1)) : NOWHERE;
    count_iteration(state, state->iteration, best, sum * ants + state->running_sum);
    state->running_sum = 0;
    if (!improved) return;
    state->best_length = best >> ANT_BITS;
    state->best_iteration = state->iteration;
}

// Brings all pieces to their places; the iteration that just ended has written the numbers. A
// thread a city of each tour.
__global__ void rewrite(const Rewrite arguments) {
    const auto [all, most, all_cuts, all_before, all_pieces, elected, state, locks, best_tour] =
        arguments;
    int n = all.n, words = (n + 31) / 32;
    unsigned long long iteration = state->iteration;
    long long cities = static_cast<long long>(all.tours) * n;
    for (long long i = grid_thread(); i < cities; i += grid_threads()) {
        int tour = int(i / n), place = int(i - static_cast<long long>(tour) * n);
        const unsigned* cuts = row_of(all_cuts, tour, words);
        int piece = row_of(all_before, tour, words)[place / 32] +
                    __popc(cuts[place / 32] & ((1u << place % 32) - 1));
        int4 way = row_of(all_pieces, tour, most)[piece];
        int to = way.w ? way.z + way.y - place : way.z + place - way.x;
        float4 record = all.tour_records_of(tour, iteration - 1)[place];
        int city = number_in(record);
        all.tour_records_of(tour, iteration)[to] = record;
        all.cities_of(tour)[city] = record_of(record.x, record.y, to);
        if (place < claims_of(n)) row_of(locks, tour, claims_of(n))[place] = 0;
        if (tour == elected[0]) best_tour[to] = city;
    }
}

// All trails evaporate; those of edges in tours get a deposit for each tour. A warp a city.
__global__ void lay_trails(const LayTrails arguments) {
    const auto [all, directed, keep, added, state, trails] = arguments;
    int lane = threadIdx.x % LANES, n = all.n, width = all.width;
    unsigned long long iteration = state->iteration;
    for (int city = int(grid_thread() / LANES); city < n; city += int(grid_threads() / LANES)) {
        bool listed = lane < width;
        int candidate = listed ? __ldg(&all.near[city * width + lane]) : NOWHERE;
        int times = 0;
        for (int first = 0; first < all.tours; first += LANES) {
            int tour = first + lane, before = NOWHERE, behind = NOWHERE;
            if (tour < all.tours) {
                int place = number_in(all.cities_of(tour)[city]);
                const float4* records = all.tour_records_of(tour, iteration);
                if (!directed) before = number_in(records[place > 0 ? place - 1 : n - 1]);
                behind = number_in(records[place + 1 < n ? place + 1 : 0]);
            }
            for (int rank = 0; rank < width; ++rank) {
                int other = __shfl_sync(ALL_LANES, candidate, rank);
                unsigned here = __ballot_sync(ALL_LANES, before == other || behind == other);
                if (lane == rank) times += __popc(here);
            }
        }
        if (!listed) continue;
        float* trail = &trails[static_cast<long long>(city) * width + lane];
        *trail = fmaxf(1.0f, *trail * keep + added * float(times));
    }
}

// All tours become the given ones. The best of all is kept, if it is the first of these.
__global__ void take_over(const TakeOverTours arguments) {
    const auto [all, given_lengths, given, points, lengths, locks, best_tour, state] = arguments;
    int n = all.n;
    unsigned long long iteration = state->iteration;
    bool improved = iteration > 0 && static_cast<Word>(given_lengths[0]) < state->best_length;
    long long cities = static_cast<long long>(all.tours) * n;
    for (long long i = grid_thread(); i < cities; i += grid_threads()) {
        int tour = int(i / n), place = int(i - static_cast<long long>(tour) * n), city = given[i];
        float x = points[2 * city], y = points[2 * city + 1];
        all.tour_records_of(tour, iteration)[place] = record_of(x, y, city);
        all.cities_of(tour)[city] = record_of(x, y, place);
        if (place < claims_of(n)) row_of(locks, tour, claims_of(n))[place] = 0;
        if (place == 0) lengths[tour] = given_lengths[tour];
        if (tour == 0 && improved) best_tour[place] = city;
    }
}

// The length of the best tour, if it was taken over. One thread, after take_over.
__global__ void count_best(const CountBest arguments) {
    const auto [given_lengths, state] = arguments;
    Word length = static_cast<Word>(given_lengths[0]);
    if (state->iteration == 0 || length >= state->best_length) return;
    state->best_length = costs_of(state, state->iteration)->best = length;
    state->best_iteration = state->iteration;
}

// The state and the trails before the first iteration.
__global__ void begin_tours(const BeginTours arguments) {
    const auto [count, trails, state] = arguments;
    for (long long i = grid_thread(); i < count; i += grid_threads()) trails[i] = 1.0f;
    if (grid_thread() == 0) reset(state);
}

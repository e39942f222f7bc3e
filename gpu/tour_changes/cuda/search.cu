// The ants: each moves three neighbouring stretches of a tour and searches around them; what it
// changes is noted, and claims the places that it touches. A warp an ant.
#include "changes.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/logarithm.cuh"
#include "gpu/cuda/kernels/philox.cuh"
#include "kernels.py"
#include "moves.cuh"

constexpr int LEAST_CITIES = 5;  // of a tour that has a double bridge
constexpr float LN2 = 0.69314718f;

// The temperature, in distances of near cities: it falls to 0 by the end of each cycle.
INLINE float heat_of(const double* cycle, unsigned long long iteration) {
    double first = cycle[0], length = cycle[1], heat = cycle[2];
    double left = (length - 1.0 - (double(iteration) - first)) / fmax(length - 1.0, 1.0);
    return float(heat * fmin(fmax(left, 0.0), 1.0));
}

// The trail of the edge behind a place.
template <int METRIC>
INLINE float trail_behind(const Source<METRIC>& source, const float* trails, int place, int lane) {
    int city = number_in(source.tour_records[place]);
    int next = number_in(source.tour_records[place + 1 < source.n ? place + 1 : 0]);
    bool listed =
        lane < source.width && source.candidate(city, min(lane, source.width - 1)) == next;
    unsigned found = __ballot_sync(ALL_LANES, listed);
    return found ? trails[static_cast<long long>(city) * source.width + __ffs(found) - 1] : 1.0f;
}

// Begins with a double bridge: the stretches behind p1 to p4 change places, and their ends wait.
// Returns the mean length of the edges that are given up.
template <int METRIC>
INLINE float double_bridge(LocalSearch<METRIC>& search, int p1, int p2, int p3, int p4) {
    const Source<METRIC>& source = search.source;
    int lane = search.lane, n = source.n, corner = lane & 3;
    AntTour& tour = search.tour;
    tour.turned = 0;
    tour.count = 5;
    tour.rank = lane == 1 ? 3 : lane == 3 ? 1 : lane;
    tour.first = lane == 0   ? 0
                 : lane == 1 ? p3 + 1
                 : lane == 2 ? p2 + 1
                 : lane == 3 ? p1 + 1
                             : p4 + 1;
    tour.last = lane == 0 ? p1 : lane == 1 ? p4 : lane == 2 ? p3 : lane == 3 ? p2 : n - 1;
    int place = corner == 0 ? p1 : corner == 1 ? p2 : corner == 2 ? p3 : p4;
    int other = corner == 0 ? p3 : corner == 1 ? p4 : corner == 2 ? p1 : p2;
    Spot from = source.at_place(place), to = source.at_place(place + 1);
    Spot joined = source.at_place(other + 1);
    int given_up = lane < 4 ? source.away(from, to) : 0;
    search.gain = int(warp_total(unsigned(lane < 4 ? given_up - source.away(from, joined) : 0)));
    search.waiting = lane < 4 ? from.city : lane < 8 ? to.city : -1;
    return float(warp_total(unsigned(given_up))) * 0.25f;
}

template <int METRIC>
__global__ void __launch_bounds__(SEARCH_WARPS* LANES, 8) search_around(
    const SearchAround arguments) {
    const auto [all, geometry, seed, ants, most_kick, focus, trails, cycle, changes, locks, begun,
                state] = arguments;
    __shared__ SegmentTable tables[SEARCH_WARPS];
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, n = all.n;
    SegmentTable* table = &tables[warp];
    unsigned long long iteration = state->iteration, lost = 0;
    float heat = heat_of(cycle, iteration);
    while (true) {
        // Whoever is done takes the next ant: what an ant does follows from its number alone.
        int number = lane == 0 ? atomicAdd(begun, 1) : 0;
        number = __shfl_sync(ALL_LANES, number, 0);
        if (number >= all.tours * ants) break;
        int tour = number / ants, ant = number - tour * ants;
        Source<METRIC> source{
            geometry, all.cities_of(tour), all.tour_records_of(tour, iteration), all.near, n,
            all.width};
        Change& change = changes[number];
        if (lane == 0) change.links = 0;
        __syncwarp();
        uint4 words = philox(seed, 0, number, unsigned(iteration), DOUBLE_BRIDGE);
        uint4 more = philox(seed, 1, number, unsigned(iteration), DOUBLE_BRIDGE);
        // Ants begin all along the tour. Of two places, an ant takes the one with the weaker trail.
        double stretch = double(n) / ants;
        int place = min(int((ant + share_of(words.x)) * stretch), n - 1);
        if (share_of(more.y) < focus) {
            int other = min(int((ant + share_of(more.x)) * stretch), n - 1);
            if (trail_behind(source, trails, other, lane) <
                trail_behind(source, trails, place, lane))
                place = other;
        }
        int longest = max(min(most_kick, (n - 2) / 3), 1);
        int b = below(words.y, longest) + 1, c = below(words.z, longest) + 1;
        int d = below(words.w, longest) + 1;
        place = max(0, min(place - below(more.w, b + c + d), n - 2 - b - c - d));
        LocalSearch<METRIC> search{source, table, lane, AntTour{0, n - 1, 0, lane, 1}};
        float unit = 0.0f;
        if (n >= LEAST_CITIES)
            unit = double_bridge(search, place, place + b, place + b + c, place + b + c + d);
        else
            search.waiting = lane < n ? lane : -1;
        search.run();

        search.tour.settle(n, lane);
        Comparison found(search.tour, n, lane);
        if (found.cuts == 0) continue;
        long long gain = found.gain(source);
        lost -= gain;
        bool kept = gain > 0;
        if (!kept && heat > 0.0f) {
            float u = (float(more.z >> 9) + 0.5f) * 1.1920928955078125e-7f;
            kept = float(-gain) < heat * fmaxf(unit, 1.0f) * LN2 * minus_log2(u);
        }
        if (!kept) continue;
        found.record(change, gain, rank_of(gain), table);
        claim(change, ant, row_of(locks, tour, claims_of(n)), n, lane);
    }
    if (lane == 0) atomicAdd(&state->running_sum, lost);
}

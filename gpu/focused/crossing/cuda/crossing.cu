// A round: each tour of the herd is crossed with another one. Ants of a tour make a child each, and
// the tour becomes the best of them, or takes all of their changes that fit together. What that is
// follows from tours and seed alone, not from the order in which threads run.
#include "child.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/logarithm.cuh"
#include "gpu/cuda/kernels/philox.cuh"
#include "kernels.py"

constexpr int WARPS = 4;       // of a block of ants
constexpr int BROOD = LANES;   // children of an ant, where a tour takes changes of many ants
constexpr float FREE = 1e-6f;  // loss of entropy that counts as none

// What an ant has made.
struct Result {
    long long gain;
    float worth;  // 0: nothing that is kept
    int count;    // pieces
    Pieces pieces;
};

// On the lists of a city and its neighbour: how many tours have the edge; 1 if no list has it.
INLINE int tours_with(const Tours& all, const int* counts, int city, int other) {
    for (int side = 0; side < 2; ++side) {
        long long row = static_cast<long long>(side ? other : city) * all.width;
        for (int rank = 0; rank < all.width; ++rank)
            if (__ldg(&all.near[row + rank]) == (side ? city : other)) return counts[row + rank];
    }
    return 1;
}

INLINE void count_edge(const Tours& all, int* counts, int city, int other, int by) {
    for (int side = 0; side < 2; ++side) {
        long long row = static_cast<long long>(side ? other : city) * all.width;
        for (int rank = 0; rank < all.width; ++rank)
            if (__ldg(&all.near[row + rank]) == (side ? city : other))
                atomicAdd(&counts[row + rank], by);
    }
}

// What an edge of so many tours adds to the entropy of the herd.
INLINE float spread(int times, int tours) {
    if (times <= 0 || times >= tours) return 0.0f;
    float share = float(times) / float(tours);
    return share * minus_log2(share);
}

// How much entropy the edges of the herd lose by a child.
template <int METRIC>
INLINE float lost(const Child<METRIC>& child, const Tours& all, const int* counts) {
    float sum = 0.0f;
    int tours = all.tours;
    child.each_change([&](int city, int other, int by) {
        int times = tours_with(all, counts, city, other);
        times = by > 0 ? min(times, tours - 1) : min(max(times, 1), tours);
        sum += spread(times, tours) - spread(times + by, tours);
    });
    __syncwarp();
    return warp_reduced(sum, [](float one, float other) { return one + other; });
}

// Makes the child of a circle. Returns what it is worth; 0: nothing.
template <int METRIC>
INLINE float child_of(const Herd& herd, Child<METRIC>& child, int tour, int circle) {
    int n = herd.all.n;
    const int* ends = row_of(herd.circle_ends, tour, n / 2 + 1);
    int begin = circle > 0 ? ends[circle - 1] : 0, size = ends[circle] - begin;
    if (!child.make(row_of(herd.circles, tour, 2 * n) + begin, size) || child.gain <= 0)
        return 0.0f;
    float worth = float(child.gain);
    return herd.focus ? worth / fmaxf(lost(child, herd.all, herd.counts), FREE) : worth;
}

// The child of each ant, which takes another circle of its tour than the others, if there are so
// many. A warp an ant.
template <int METRIC>
__global__ void __launch_bounds__(WARPS* LANES, 8) make_children(const MakeChildren arguments) {
    const auto [herd, geometry, results, state] = arguments;
    __shared__ ChildRoom rooms[WARPS];
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    int number = blockIdx.x * WARPS + warp;
    if (number >= herd.all.tours * herd.ants) return;
    int tour = number / herd.ants, ant = number % herd.ants, found = herd.circle_counts[tour];
    Result& result = results[number];
    if (lane == 0) result.worth = 0.0f;
    if (ant >= found) return;
    int circle = ant;
    if (found > herd.ants) {
        int from = below(philox(herd.seed, 2, tour, unsigned(state->iteration), CROSS).x, found);
        circle = int((from + static_cast<long long>(ant) * found / herd.ants) % found);
    }
    const Tours& all = arguments.herd.all;
    Source<METRIC> source{
        geometry, all.cities_of(tour), all.stops_of(tour, state->iteration), all.near, all.n,
        all.width};
    ChildRoom* room = &rooms[warp];
    Child<METRIC> child{source, room, lane};
    float worth = child_of(arguments.herd, child, tour, circle);
    if (worth <= 0.0f) return;
    for (int piece = lane; piece < child.count; piece += LANES) {
        result.pieces.last[piece] = room->pieces.last[piece];
        result.pieces.link[2 * piece] = room->pieces.link[2 * piece];
        result.pieces.link[2 * piece + 1] = room->pieces.link[2 * piece + 1];
    }
    if (lane != 0) return;
    result.gain = child.gain;
    result.count = child.count;
    result.worth = worth;
}

// All children of all ants, as changes of their tours. A warp a child.
//
// There are so many ants at work that each has BROOD circles or more to itself: those of the same
// part of the map, since circles are numbered by their cities.
template <int METRIC>
__global__ void __launch_bounds__(WARPS* LANES, 8) make_broods(const MakeBroods arguments) {
    const auto [herd, geometry, brood, state] = arguments;
    __shared__ ChildRoom rooms[WARPS];
    __shared__ SegmentTable tables[WARPS];
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, n = herd.all.n;
    int number = blockIdx.x * WARPS + warp;
    if (number >= herd.all.tours * herd.ants * BROOD) return;
    Change& change = brood[number];
    if (lane == 0) change.rank = 0;
    __syncwarp();
    int tour = number / (herd.ants * BROOD), ant = number / BROOD % herd.ants;
    int found = herd.circle_counts[tour], working = min(max(found / BROOD, 1), herd.ants);
    if (ant >= working) return;
    int first = int(static_cast<long long>(ant) * found / working);
    int end = int(static_cast<long long>(ant + 1) * found / working);
    int own = number % BROOD, circles = end - first;
    if (own >= circles) return;
    if (circles > BROOD) own = own * circles / BROOD;
    int from = below(philox(herd.seed, 2, tour, unsigned(state->iteration), CROSS).x, found);
    int circle = first + own + from;
    const Tours& all = arguments.herd.all;
    Source<METRIC> source{
        geometry, all.cities_of(tour), all.stops_of(tour, state->iteration), all.near, n,
        all.width};
    Child<METRIC> child{source, &rooms[warp], lane};
    float worth = child_of(arguments.herd, child, tour, circle < found ? circle : circle - found);
    if (worth <= 0.0f) return;
    child.cut_behind(n - 1);  // no segment goes on at the beginning of the source
    if (child.count > MOST_SEGMENTS) return;
    AntTour segments = child.as_segments();
    segments.settle(n, lane);
    int rank = int(__float_as_uint(worth) >> 1);  // ordered as the floats: they are > 0
    Comparison(segments, n, lane).record(change, child.gain, rank, &tables[warp]);
}

// Each ant takes the best one of its children, and claims what that changes. A warp an ant.
__global__ void choose_from_broods(const ChooseFromBroods arguments) {
    const auto [all, ants, brood, changes, locks] = arguments;
    int lane = threadIdx.x % LANES, number = int(grid_thread() / LANES);
    if (number >= all.tours * ants) return;
    const Change* own = brood + static_cast<long long>(number) * BROOD;
    unsigned rank = unsigned(own[lane].rank), best = warp_max(rank);
    Change& change = changes[number];
    if (best == 0) {
        if (lane == 0) change.links = 0;
        return;
    }
    int holder = __ffs(__ballot_sync(ALL_LANES, rank == best)) - 1;
    auto from = reinterpret_cast<const unsigned long long*>(&own[holder]);
    auto to = reinterpret_cast<unsigned long long*>(&change);
    for (int word = lane; word < int(sizeof(Change) / 8); word += LANES) to[word] = from[word];
    __syncwarp();
    int tour = number / ants;
    claim(change, number - tour * ants, row_of(locks, tour, claims_of(all.n)), all.n, lane);
}

// Each tour becomes the best child of its ants. A warp a tour.
__global__ void choose_children(const ChooseChildren arguments) {
    const auto [all, geometry, ants, most, all_results, counts, all_cuts, all_before, all_pieces,
                lengths, wins, state] = arguments;
    __shared__ ChildRoom room[1];
    int tour = blockIdx.x, lane = threadIdx.x, n = all.n, words = (n + 31) / 32;
    const Result* results = all_results + static_cast<long long>(tour) * ants;
    unsigned best = 0, won = 0;
    int holder = 0;
    for (int ant = lane; ant < ants; ant += LANES) {
        unsigned worth =
            __float_as_uint(results[ant].worth);  // ordered as the floats: they are >= 0
        won += worth > 0;
        if (worth <= best) continue;
        best = worth;
        holder = ant;
    }
    unsigned most_worth = warp_max(best);
    holder = int(warp_min(best == most_worth ? unsigned(holder) : ~0u));
    won = warp_total(won);
    Source<ANY_METRIC> source{
        geometry, all.cities_of(tour), all.stops_of(tour, state->iteration), all.near, n,
        all.width};
    Child<ANY_METRIC> child{source, &room[0], lane};
    const Result& result = results[holder];
    if (most_worth > 0) {
        child.count = result.count;
        for (int piece = lane; piece < child.count; piece += LANES) {
            room[0].pieces.last[piece] = result.pieces.last[piece];
            room[0].pieces.link[2 * piece] = result.pieces.link[2 * piece];
            room[0].pieces.link[2 * piece + 1] = result.pieces.link[2 * piece + 1];
            room[0].part[piece] = 0;
        }
        __syncwarp();
        const Tours& tours = arguments.all;
        int* times = arguments.counts;
        child.each_change(
            [&](int city, int other, int by) { count_edge(tours, times, city, other, by); });
        __syncwarp();
        child.cut_behind(n - 1);
    } else {
        child.count = 1;
        if (lane == 0) {
            room[0].pieces.last[0] = n - 1;
            room[0].pieces.link[0] = 1;
            room[0].pieces.link[1] = 0;
        }
        __syncwarp();
    }
    unsigned* cuts = row_of(all_cuts, tour, words);
    int* before = row_of(all_before, tour, words);
    for (int word = lane; word < words; word += LANES) {
        int ended = child.ended_before(32 * word);
        before[word] = ended;
        unsigned bits = 0;
        for (; ended < child.count && room[0].pieces.last[ended] < 32 * word + 32; ++ended)
            bits |= 1u << (room[0].pieces.last[ended] - 32 * word);
        cuts[word] = bits;
    }
    if (lane != 0) return;
    int4* pieces = row_of(all_pieces, tour, most);
    for (int end = 0, at = 0, step = 0; step < child.count; ++step) {
        int piece = end / 2, first = child.first(piece), last = room[0].pieces.last[piece];
        pieces[piece] = make_int4(first, last, at, end & 1);
        at += last - first + 1;
        end = room[0].pieces.link[end ^ 1];
    }
    if (most_worth == 0) return;
    lengths[tour] -= result.gain;
    atomicAdd(&wins[0], static_cast<unsigned long long>(won));
    atomicAdd(&wins[1], 1ull);
}

// Trails say how many tours have an edge. Counts the rounds in a row in which no tour got shorter:
// `rounds` has the changes made so far, and that number.
__global__ void note_trails(const NoteTrails arguments) {
    const auto [all, strongest, counts, wins, trails, rounds] = arguments;
    long long entries = static_cast<long long>(all.n) * all.width;
    float each = (strongest - 1.0f) / float(all.tours);
    for (long long i = grid_thread(); i < entries; i += grid_threads())
        trails[i] = 1.0f + each * float(counts[i]);
    if (grid_thread() != 0) return;
    int made = int(wins[1]);
    rounds[1] = made != rounds[0] ? 0 : rounds[1] + 1;
    rounds[0] = made;
}

// No tour has any edge, before they are counted.
__global__ void forget_edges(const ForgetEdges arguments) {
    const auto [all, counts] = arguments;
    long long entries = static_cast<long long>(all.n) * all.width;
    for (long long i = grid_thread(); i < entries; i += grid_threads()) counts[i] = 0;
}

// Counts the edges of all tours, from 0 on.
__global__ void count_edges(const CountEdges arguments) {
    const auto [all, counts, state] = arguments;
    long long cities = static_cast<long long>(all.tours) * all.n;
    for (long long i = grid_thread(); i < cities; i += grid_threads()) {
        int tour = int(i / all.n), place = int(i - static_cast<long long>(tour) * all.n);
        const float4* stops = all.stops_of(tour, state->iteration);
        int next = place + 1 < all.n ? place + 1 : 0;
        count_edge(all, counts, number_in(stops[place]), number_in(stops[next]), 1);
    }
}

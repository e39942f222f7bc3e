// A round: each tour of the herd is crossed with another one. Ants of a tour make a child each, and
// the tour becomes the best of them. What that is follows from tours and seed alone, not from the
// order in which threads run.
#include "child.cuh"
#include "circles.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/logarithm.cuh"
#include "gpu/cuda/kernels/philox.cuh"
#include "kernels.py"

constexpr int TRACERS = 256;   // threads that find the circles of a tour
constexpr int WARPS = 4;       // of a block of ants
constexpr float FREE = 1e-6f;  // loss of entropy that counts as none

// What an ant has made.
struct Result {
    long long gain;
    float worth;  // 0: nothing that is kept
    int count;    // pieces
    Pieces pieces;
};

// The circles of a tour and the one that it is crossed with. A block a tour.
__global__ void __launch_bounds__(TRACERS) find_circles(const FindCircles arguments) {
    const auto [all, seed, room, all_traced, all_numbers, all_circles, all_ends, counts, state] =
        arguments;
    extern __shared__ uint4 memory[];
    __shared__ int sums[TRACERS / LANES];
    int own = blockIdx.x, n = all.n, lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    unsigned long long iteration = state->iteration;
    uint4 words = philox(seed, 0, 0, unsigned(iteration), CROSS);
    int other = own + 1 + below(words.x, all.tours - 1);
    if (other >= all.tours) other -= all.tours;
    Source<ANY_METRIC> mine{{}, all.cities_of(own), all.stops_of(own, iteration), nullptr, n, 0};
    Source<ANY_METRIC> theirs{{}, all.cities_of(other), all.stops_of(other, iteration), nullptr, n,
                              0};
    int* numbers = row_of(all_numbers, own, n);
    int differing = 0;
    for (int first = 0; first < n; first += TRACERS) {
        int city = first + threadIdx.x;
        bool differs = false;
        if (city < n) {
            int2 one = beside(mine, city), two = beside(theirs, city);
            differs = !(has(two, one.x) && has(two, one.y));
        }
        unsigned lanes = __ballot_sync(ALL_LANES, differs);
        if (lane == 0) sums[warp] = __popc(lanes);
        __syncthreads();
        int number = differing + __popc(lanes & ((1u << lane) - 1));
        for (int i = 0; i < TRACERS / LANES; ++i) {
            if (i < warp) number += sums[i];
            differing += sums[i];
        }
        if (city < n) numbers[city] = differs ? number : -1;
        __syncthreads();
    }
    if (differing > MOST_TRACED) {  // the tours have too little in common
        if (threadIdx.x == 0) counts[own] = 0;
        return;
    }
    int words_each = (n * TRACED_BYTES + 7) / 8 + 2;
    bool fits = differing <= room;
    Tracing tracing(fits ? static_cast<void*>(memory) : row_of(all_traced, own, words_each),
                    fits ? room : n, philox(seed, 1, own, unsigned(iteration), CROSS).x);
    for (int city = threadIdx.x; city < n; city += TRACERS) {
        int number = numbers[city];
        if (number < 0) continue;
        int2 one = beside(mine, city), two = beside(theirs, city);
        unsigned left = NONE_LEFT, right = NONE_LEFT;
        if (!has(two, one.x)) left = left << 16 | unsigned(numbers[one.x]);
        if (!has(two, one.y)) left = left << 16 | unsigned(numbers[one.y]);
        if (!has(one, two.x)) right = right << 16 | unsigned(numbers[two.x]);
        if (!has(one, two.y)) right = right << 16 | unsigned(numbers[two.y]);
        tracing.mine[number] = left;
        tracing.theirs[number] = right;
        tracing.seen[number] = NONE_LEFT;
        tracing.cities[number] = city;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    int* circles = row_of(all_circles, own, 2 * n);
    int* ends = row_of(all_ends, own, n / 2 + 1);
    int found = 0, at = 0, begin = differing ? below(words.y, differing) : 0;
    for (int turn = 0; turn < differing; ++turn) {
        int number = begin + turn < differing ? begin + turn : begin + turn - differing;
        while (tracing.mine[number] != NONE_LEFT)
            found = tracing.trace(unsigned(number), found, at, circles, ends);
    }
    counts[own] = found;
}

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

// Each ant takes another circle of its tour, if there are so many. A warp an ant.
template <int METRIC>
__global__ void __launch_bounds__(WARPS* LANES, 8) make_children(const MakeChildren arguments) {
    const auto [all, geometry, seed, ants, focus, all_circles, all_ends, circle_counts, counts,
                results, state] = arguments;
    __shared__ ChildRoom rooms[WARPS];
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, n = all.n;
    int number = blockIdx.x * WARPS + warp;
    if (number >= all.tours * ants) return;
    int tour = number / ants, ant = number - tour * ants, found = circle_counts[tour];
    unsigned long long iteration = state->iteration;
    Result& result = results[number];
    if (lane == 0) result.worth = 0.0f;
    if (ant >= found) return;
    int circle = ant;
    if (found > ants) {
        int from = below(philox(seed, 2, tour, unsigned(iteration), CROSS).x, found);
        circle = int((from + static_cast<long long>(ant) * found / ants) % found);
    }
    const int* ends = row_of(all_ends, tour, n / 2 + 1);
    int begin = circle > 0 ? ends[circle - 1] : 0, size = ends[circle] - begin;
    Source<METRIC> source{geometry, all.cities_of(tour), all.stops_of(tour, iteration), all.near, n,
                          all.width};
    ChildRoom* room = &rooms[warp];
    Child<METRIC> child{source, room, lane};
    if (!child.make(row_of(all_circles, tour, 2 * n) + begin, size) || child.gain <= 0) return;
    float worth = float(child.gain);
    if (focus) worth /= fmaxf(lost(child, all, counts), FREE);
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

// Each tour becomes the best child of its ants. A warp a tour.
__global__ void choose_children(const ChooseChildren arguments) {
    const auto [all, geometry, ants, most, all_results, counts, all_cuts, all_before, all_pieces,
                lengths, wins, rounds, state] = arguments;
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
    atomicAdd(&rounds[0], 1);
    atomicAdd(&wins[0], static_cast<unsigned long long>(won));
    atomicAdd(&wins[1], 1ull);
}

// Trails say how many tours have an edge. Counts the rounds in a row in which no tour got shorter.
__global__ void note_trails(const NoteTrails arguments) {
    const auto [all, strongest, counts, trails, rounds] = arguments;
    long long entries = static_cast<long long>(all.n) * all.width;
    float each = (strongest - 1.0f) / float(all.tours);
    for (long long i = grid_thread(); i < entries; i += grid_threads())
        trails[i] = 1.0f + each * float(counts[i]);
    if (grid_thread() != 0) return;
    rounds[1] = rounds[0] ? 0 : rounds[1] + 1;
    rounds[0] = 0;
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

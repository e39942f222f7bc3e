// A round: each tour of the population is crossed with another one. Its offspring are made in
// groups. The tour takes what the best child of each group changes, of all these changes those that
// fit together. Which these are follows from tours and seed alone, not from the order in which
// threads run.
#include "child.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"

constexpr float FREE = 1e-6f;  // loss of entropy that counts as none
constexpr float EVEN = 1e-6f;  // what entropy is worth that a child as long as its parent brings

// A child that was made.
template <int PIECES>
struct ChildResult {
    long long gain;
    float worth;  // 0: nothing that is kept
    int count;    // pieces
    Pieces<PIECES> pieces;
};
static_assert(sizeof(ChildRoom<LONG_PIECES>) == LONG_ROOM_BYTES, "as the host counts it");
static_assert(sizeof(ChildResult<LONG_PIECES>) == LONG_RESULT_BYTES, "as the host counts it");
static_assert(sizeof(ChangeWriter<LONG_PIECES>) <= LONG_ROOM_BYTES, "it takes the child's room");

// Where a warp works: in shared memory, or for many pieces in memory, where each has its own.
template <class Room, int PIECES>
struct Rooms {
    static constexpr bool SHARED = PIECES <= MOST_PIECES;

    INLINE static Room* of(int warp, void* memory, int number) {
        if constexpr (SHARED) {
            __shared__ Room rooms[CHILD_WARPS];
            return &rooms[warp];
        } else {
            return reinterpret_cast<Room*>(static_cast<char*>(memory) +
                                           static_cast<long long>(number) * LONG_ROOM_BYTES);
        }
    }
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

// What an edge of so many tours adds to the entropy of the population.
INLINE float spread(int times, int tours) {
    if (times <= 0 || times >= tours) return 0.0f;
    float share = float(times) / float(tours);
    return share * minus_log2(share);
}

// How much entropy the edges of the population lose by a child.
template <int METRIC, int PIECES>
INLINE float lost(const Child<METRIC, PIECES>& child, const Tours& all, const int* counts) {
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

// Makes the child of AB-cycles. Returns what it is worth; 0: nothing. One that is as long as its
// parent is worth little, and nothing unless the population's edges gain entropy by it.
template <int METRIC, int PIECES>
INLINE float child_of(const ParentTours& population, Child<METRIC, PIECES>& child,
                      const AbCycles& ab_cycles) {
    if (!child.make(ab_cycles) || child.gain < 0) return 0.0f;
    if (!population.focus) return float(child.gain);
    float loss = lost(child, population.all, population.counts);
    return child.gain > 0 ? float(child.gain) / fmaxf(loss, FREE) : fmaxf(-EVEN * loss, 0.0f);
}

// Draws which AB-cycles a child exchanges, of so many that follow each other: the first, and three
// quarters of as many others as are drawn, up to `most` together.
INLINE unsigned chosen_of(int most, uint4 words) {
    unsigned others = words.z | words.w, width = below(words.y, most);
    return 1u | (others << 1 & ((2u << width) - 1));
}

// All children of all ants. A warp a child.
//
// The offspring of a group are of one ant, or of many that make a child each. There are only so
// many groups of a tour that each has as many AB-cycles to itself: those of the same part of the
// map, for AB-cycles are numbered by their cities. Where children exchange several AB-cycles, more
// children than there are AB-cycles differ in what else they exchange.
template <int METRIC, int PIECES>
__global__ void __launch_bounds__(CHILD_WARPS* LANES, 8) make_children(
    const MakeChildren arguments) {
    const auto [population, geometry, results, rooms, state] = arguments;
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, n = population.all.n;
    int number = blockIdx.x * CHILD_WARPS + warp, offspring = population.offspring;
    if (number >= population.all.tours * population.groups * offspring) return;
    auto& result = static_cast<ChildResult<PIECES>*>(results)[number];
    if (lane == 0) result.worth = 0.0f;
    int tour = number / (population.groups * offspring),
        group = number / offspring % population.groups;
    int found = population.ab_cycle_counts[tour],
        groups = min(max(found / offspring, 1), population.groups);
    if (group >= groups) return;
    int first = int(static_cast<long long>(group) * found / groups);
    int end = int(static_cast<long long>(group + 1) * found / groups);
    int own = number % offspring, ab_cycles = end - first;
    if (ab_cycles == 0 || (own >= ab_cycles && population.joined == 1)) return;
    if (ab_cycles > offspring) own = int(static_cast<long long>(own) * ab_cycles / offspring);
    int from = below(philox(population.seed, 2, tour, unsigned(state->iteration), CROSS).x, found);
    AbCycles taken{row_of(population.ab_cycles, tour, 2 * n),
                   row_of(population.ab_cycle_spans, tour, n / 2 + 1), found,
                   (first + own % ab_cycles + from) % found, 1};
    if (int most = min(population.joined, found); most > 1)
        taken.choose(
            chosen_of(most, philox(population.seed, 3, number, unsigned(state->iteration), CROSS)),
            PIECES);
    const Tours& all = arguments.population.all;
    Source<METRIC> source{
        geometry, all.cities_of(tour), all.tour_records_of(tour, state->iteration), all.near, n,
        all.width};
    auto* room = Rooms<ChildRoom<PIECES>, PIECES>::of(warp, rooms, number);
    Child<METRIC, PIECES> child{source, room, lane};
    float worth = child_of(arguments.population, child, taken);
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

// The best child of each group claims what it changes. A warp a group.
template <int PIECES>
__global__ void __launch_bounds__(CHILD_WARPS* LANES) choose_children(
    const ChooseChildren arguments) {
    const auto [all, groups, offspring, sharing, all_results, all_changes, rooms, locks, wins] =
        arguments;
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    int number = blockIdx.x * CHILD_WARPS + warp;
    if (number >= all.tours * groups) return;
    const auto* results =
        row_of(static_cast<const ChildResult<PIECES>*>(all_results), number, offspring);
    auto& change = static_cast<ChildChange<PIECES>*>(all_changes)[number];
    unsigned best = 0, better = 0;
    int holder = 0;
    for (int child = lane; child < offspring; child += LANES) {
        unsigned worth = __float_as_uint(results[child].worth);  // ordered as floats: they are >= 0
        better += worth > 0;
        if (worth <= best) continue;
        best = worth;
        holder = child;
    }
    unsigned most = warp_max(best);
    if (most == 0) {
        if (lane == 0) change.links = 0;
        return;
    }
    holder = int(warp_min(best == most ? unsigned(holder) : ~0u));
    better = warp_total(better);
    if (sharing && lane == 0)  // merge.cu counts one ant of each group
        atomicAdd(wins, static_cast<unsigned long long>(better - 1));
    const ChildResult<PIECES>& result = results[holder];
    auto& writer = *Rooms<ChangeWriter<PIECES>, PIECES>::of(warp, rooms, number);
    for (int piece = lane; piece < result.count; piece += LANES) {
        writer.pieces.last[piece] = result.pieces.last[piece];
        writer.pieces.link[2 * piece] = result.pieces.link[2 * piece];
        writer.pieces.link[2 * piece + 1] = result.pieces.link[2 * piece + 1];
    }
    __syncwarp();
    writer.write(change, result.count, all.n, result.gain, int(most >> 1), lane);
    int tour = number / groups;
    claim(change, number - tour * groups, row_of(locks, tour, claims_of(all.n)), all.n, lane);
}

// Counts the edges of all tours anew where they change. A warp a change.
template <int PIECES>
__global__ void count_changes(const CountChanges arguments) {
    const auto [all, groups, changes, counts, rounds, state] = arguments;
    int lane = threadIdx.x % LANES, number = int(grid_thread() / LANES), n = all.n;
    if (number >= all.tours * groups) return;
    const auto& change = static_cast<const ChildChange<PIECES>*>(changes)[number];
    if (lane == 0 && change.links > 0 && change.gain > 0) atomicAdd(&rounds[GAINS], 1);
    const float4* records = all.tour_records_of(number / groups, state->iteration);
    for (int i = lane; i < change.links; i += LANES) {
        int ends[2] = {change.link[i].x, change.link[i].y};
        count_edge(all, counts, number_in(records[ends[0] / 2]), number_in(records[ends[1] / 2]),
                   1);
        for (int end : ends) {
            int place = end / 2, next = place + 1 < n ? place + 1 : 0;
            if (end & 1)  // each edge that goes has one such end
                count_edge(all, counts, number_in(records[place]), number_in(records[next]), -1);
        }
    }
}

// Trails say how many tours have an edge. Counts the rounds in a row in which no tour got shorter.
__global__ void note_trails(const NoteTrails arguments) {
    const auto [all, strongest, counts, trails, rounds] = arguments;
    long long entries = static_cast<long long>(all.n) * all.width;
    float each = (strongest - 1.0f) / float(all.tours);
    for (long long i = grid_thread(); i < entries; i += grid_threads())
        trails[i] = 1.0f + each * float(counts[i]);
    if (grid_thread() != 0) return;
    rounds[IDLE] = rounds[GAINS] != rounds[GAINS_BEFORE] ? 0 : rounds[IDLE] + 1;
    rounds[GAINS_BEFORE] = rounds[GAINS];
}

// Counts the edges of all tours, from 0 on.
__global__ void count_edges(const CountEdges arguments) {
    const auto [all, counts, state] = arguments;
    long long cities = static_cast<long long>(all.tours) * all.n;
    for (long long i = grid_thread(); i < cities; i += grid_threads()) {
        int tour = int(i / all.n), place = int(i - static_cast<long long>(tour) * all.n);
        const float4* records = all.tour_records_of(tour, state->iteration);
        int next = place + 1 < all.n ? place + 1 : 0;
        count_edge(all, counts, number_in(records[place]), number_in(records[next]), 1);
    }
}

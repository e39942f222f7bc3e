// AB-cycles: closed ways along edges of one tour and of the other in turn (Nagata 1997).
//
// Each city has as many edges of the first tour alone as of the second alone. So a path that takes
// such edges in turn, at random, comes back to where an AB-cycle closes, and all edges fall into
// AB-cycles. Cities whose edges differ are numbered, for a few bytes of each are in shared memory.
// No AB-cycle leaves its component: cities that such edges join, directly or by others. So a thread
// finds the AB-cycles of a component, while others are at work on theirs. Where many cities differ,
// most of them are one component. So the map is cut into cells, at another place in each round, and
// AB-cycles are looked for within cells: edges between two cells are left out, and a path that
// would need one goes back.
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/group.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "gpu/tour_changes/cuda/spots.cuh"
#include "kernels.py"

// Numbers of so many bits, for the cities whose edges differ, and for steps of a path.
template <int BITS>
struct NumbersOf;

template <>
struct NumbersOf<SHORT_NUMBERS> {
    using Number = unsigned short;
    using Pair = unsigned;
};

template <>
struct NumbersOf<LONG_NUMBERS> {
    using Number = unsigned;
    using Pair = unsigned long long;
};

// The cells of a round.
struct Cells {
    float scale, right, up;  // a scale of 0 makes one cell of all

    INLINE int2 of(const float4& record) const {
        return make_int2(__float2int_rd(__fadd_rn(__fmul_rn(record.x, scale), right)),
                         __float2int_rd(__fadd_rn(__fmul_rn(record.y, scale), up)));
    }
};

// Two numbers in a word: the ends of edges that are left. The first comes first.
template <int BITS>
struct EndsOf {
    using Pair = typename NumbersOf<BITS>::Pair;
    static constexpr unsigned NO_NUMBER = unsigned((Pair(1) << BITS) - 1);
    static constexpr Pair NONE_LEFT = ~Pair(0);  // two times no number

    INLINE static unsigned first(Pair pair) { return unsigned(pair) & NO_NUMBER; }
    INLINE static unsigned second(Pair pair) { return unsigned(pair >> BITS); }
    INLINE static Pair with(Pair pair, unsigned number) { return pair << BITS | number; }
    INLINE static Pair without(Pair pair, unsigned number) {
        return (first(pair) == number ? pair >> BITS : pair) | Pair(NO_NUMBER) << BITS;
    }
    INLINE static int count(Pair pair) {
        return first(pair) != NO_NUMBER ? 1 + (second(pair) != NO_NUMBER) : 0;
    }
};

// The cities beside a city on a tour.
template <int METRIC>
INLINE int2 beside(const Source<METRIC>& tour, int city) {
    int place = number_in(tour.cities[city]), n = tour.n;
    return make_int2(number_in(tour.tour_records[place > 0 ? place - 1 : n - 1]),
                     number_in(tour.tour_records[place + 1 < n ? place + 1 : 0]));
}

INLINE bool has(int2 pair, int city) { return pair.x == city || pair.y == city; }

template <int BITS>
struct Tracing {
    using Number = typename NumbersOf<BITS>::Number;
    using Pair = typename NumbersOf<BITS>::Pair;

    Pair* mine;    // of each number: ends of edges of one's own tour alone that are left
    Pair* theirs;  // and of the other tour alone
    Pair* seen;    // where on the path it is, after an even and after an odd number
    int* cities;   // that the numbers stand for
    Number* path;  // a place for each edge

    // Lays it out in memory for `room` numbers.
    INLINE Tracing(void* memory, int room) {
        mine = static_cast<Pair*>(memory);
        theirs = mine + room;
        seen = theirs + room;
        cities = reinterpret_cast<int*>(seen + room);
        path = reinterpret_cast<Number*>(cities + room);
    }
    static_assert(3 * sizeof(Pair) + sizeof(int) + 2 * sizeof(Number) ==
                      (BITS == SHORT_NUMBERS ? SHORT_TRACED_BYTES : LONG_TRACED_BYTES),
                  "as the host counts it");

    // Before anything is traced: each number's component is called after its least number.
    INLINE unsigned* roots() const { return reinterpret_cast<unsigned*>(seen); }
    INLINE int* sizes() const { return reinterpret_cast<int*>(path); }

    INLINE unsigned root_of(unsigned number) const {
        const volatile unsigned* above = roots();
        while (above[number] != number) number = above[number];
        return number;
    }

    // Joins the components of a number and of its neighbours. Any number of threads may do so.
    INLINE void join(unsigned number) const {
        using Ends = EndsOf<BITS>;
        unsigned ends[4] = {Ends::first(mine[number]), Ends::second(mine[number]),
                            Ends::first(theirs[number]), Ends::second(theirs[number])};
        for (unsigned end : ends) {
            if (end > number) continue;  // the other end joins it; or there is none
            unsigned one = number, other = end;
            while ((one = root_of(one)) != (other = root_of(other))) {
                unsigned low = min(one, other), high = max(one, other);
                if (atomicCAS(&roots()[high], high, low) == high) break;
            }
        }
    }
};

// Finds the AB-cycles of a component.
template <int BITS>
struct Tracer {
    using Ends = EndsOf<BITS>;
    using Number = typename NumbersOf<BITS>::Number;
    using Pair = typename NumbersOf<BITS>::Pair;
    static constexpr unsigned NO_NUMBER = Ends::NO_NUMBER;
    static constexpr Pair NONE_LEFT = Ends::NONE_LEFT;

    const Tracing<BITS>& all;
    Number* path;
    int* ab_cycles;   // numbers of the cities, AB-cycle by AB-cycle
    int2* spans;      // of the AB-cycles: where each begins, and its end
    int end;          // of what is in `ab_cycles`
    unsigned room;    // places of the path
    unsigned random;  // never 0
    int found = 0;

    INLINE void run(unsigned number) {
        int next = end;
        trace(number);
        for (; next < end; ++next) {
            number = unsigned(ab_cycles[next]);
            while (all.mine[number] != NONE_LEFT) trace(number);
        }
    }

  private:
    INLINE unsigned draw() {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        return random;
    }

    // Takes an edge of a number at random; returns its other end.
    INLINE unsigned take(Pair* edges, unsigned number) {
        Pair pair = edges[number];
        bool second = Ends::second(pair) != NO_NUMBER && (draw() >> 16 & 1);
        unsigned to = second ? Ends::second(pair) : Ends::first(pair);
        edges[number] = Ends::without(pair, to);
        edges[to] = Ends::without(edges[to], number);
        return to;
    }

    // Follows edges until the path is used up. The first edge of each AB-cycle is one's own.
    INLINE void trace(unsigned begin) {
        unsigned first = draw() >> 16 & 1;  // 0: the path begins with an own edge
        if (all.mine[begin] == NONE_LEFT) first = 1;
        if (all.theirs[begin] == NONE_LEFT) first = 0;
        unsigned steps = 0, number = begin;
        path[0] = static_cast<Number>(begin);
        see(begin, 0, 0);
        while (true) {
            Pair* edges = (first + steps) & 1 ? all.theirs : all.mine;
            if (edges[number] == NONE_LEFT) {  // at the border of a cell
                see(number, steps & 1, NO_NUMBER);
                if (steps == 0) return;
                number = path[--steps];
                continue;
            }
            unsigned to = take(edges, number);
            Pair seen = all.seen[to];
            unsigned back = (steps + 1) & 1 ? Ends::second(seen) : Ends::first(seen);
            if (back == NO_NUMBER) {
                if (steps + 1 == room) continue;
                number = to;
                path[++steps] = static_cast<Number>(number);
                see(number, steps & 1, steps);
                continue;
            }
            number = to;
            unsigned size = ++steps - back, shift = (first + back) & 1;
            int from = end;
            for (unsigned step = 0; step < size; ++step) {
                unsigned taken = step + shift;
                ab_cycles[end++] = path[back + (taken < size ? taken : taken - size)];
            }
            spans[found++] = make_int2(from, end);
            for (unsigned step = back + 1; step < steps; ++step)
                see(path[step], step & 1, NO_NUMBER);
            steps = back;
            if (back == 0) {
                see(begin, 0, NO_NUMBER);
                return;
            }
        }
    }

    INLINE void see(unsigned number, unsigned odd, unsigned place) {
        int shift = int(odd) * BITS;
        all.seen[number] = (all.seen[number] & ~(Pair(NO_NUMBER) << shift)) | Pair(place) << shift;
    }
};

// Finds the AB-cycles of each tour of the population and another one.

constexpr int FEWEST_CELLS = 4;  // and otherwise one

INLINE Source<ANY_METRIC> tour_of(const Tours& all, int number, unsigned long long iteration) {
    return {{}, all.cities_of(number), all.tour_records_of(number, iteration), nullptr, all.n, 0};
}

// The other tour that a tour is crossed with: the same distance away for all.
INLINE int other_than(int own, int tours, unsigned word) {
    int other = own + 1 + below(word, tours - 1);
    return other < tours ? other : other - tours;
}

// Marks the cities whose edges differ between each tour and the other one: a bit each. A thread a
// city of each tour.
__global__ void mark_differing(const MarkDiffering arguments) {
    const auto [all, seed, all_differing, state] = arguments;
    int n = all.n, words = (n + LANES - 1) / LANES, lane = threadIdx.x % LANES;
    unsigned round = unsigned(state->iteration);
    long long warps = static_cast<long long>(all.tours) * words;
    for (long long warp = grid_thread() / LANES; warp < warps; warp += grid_threads() / LANES) {
        int own = int(warp / words), word = int(warp - static_cast<long long>(own) * words);
        int other = other_than(own, all.tours, philox(seed, 0, 0, round, CROSS).x);
        int city = word * LANES + lane;
        bool differs = false;
        if (city < n) {
            int2 one = beside(tour_of(all, own, round), city);
            int2 two = beside(tour_of(all, other, round), city);
            differs = !(has(two, one.x) && has(two, one.y));
        }
        unsigned marks = __ballot_sync(ALL_LANES, differs);
        if (lane == 0) row_of(all_differing, own, words)[word] = marks;
    }
}

// Numbers the cities that are marked, and lists them. Returns how many these are. All threads of
// the block call this.
INLINE int number_differing(const unsigned* differing, int n, int* numbers, int* list,
                            const Numbering& numbering) {
    int words = (n + LANES - 1) / LANES, count = 0, total;
    for (int first = 0; first < words; first += blockDim.x) {
        int word = first + threadIdx.x;
        unsigned marks = word < words ? differing[word] : 0;
        int number = count + numbering.before(__popc(marks), total);
        for (; marks; marks &= marks - 1, ++number) {
            int city = word * LANES + __ffs(marks) - 1;
            numbers[city] = number;
            list[number] = city;
        }
        count += total;
    }
    __syncthreads();
    return count;
}

// Cells for so many cities that differ, each with so many of them on average, of a map with sides
// of 1 / `per_map`.
INLINE Cells cells_for(int cities, int each, float per_map, uint4 words) {
    if (cities < FEWEST_CELLS * each) return {0.0f, 0.0f, 0.0f};
    int across = 1;
    while ((across + 1) * (across + 1) * each <= cities) ++across;
    return {float(across) * per_map, share_of(words.y), share_of(words.z)};
}

// Whether the edges of an AB-cycle that are given up are longer than those that are taken.
INLINE bool gains(const Distances& geometry, const int* ab_cycle, int size) {
    long long gain = 0;
    for (int i = 0; i < size; i += 2)
        gain += geometry.distance(ab_cycle[i], ab_cycle[i + 1]) -
                geometry.distance(ab_cycle[i + 1], ab_cycle[i + 2 < size ? i + 2 : 0]);
    return gain > 0;
}

// A block a tour. Threads find the AB-cycles of different components; then these are put in a row.
template <int BITS>
__global__ void __launch_bounds__(BITS == SHORT_NUMBERS ? TRACERS : MOST_TRACERS, 1) find_ab_cycles(
    const FindAbCycles arguments) {
    const auto [all, seed, room, cell_cities, shortest, enough, per_map, geometry, all_differing,
                all_traced, all_numbers, all_ab_cycles, all_spans, all_slots, counts, state] =
        arguments;
    using Ends = EndsOf<BITS>;
    using Pair = typename NumbersOf<BITS>::Pair;
    constexpr unsigned MOST_STEPS = Ends::NO_NUMBER - 1;  // edges of a component, at most
    extern __shared__ uint4 memory[];
    __shared__ int sums[LANES + 1];
    static_assert(sizeof(sums) <= TRACING_STATIC, "as the host counts it");
    Numbering numbering{sums};
    int own = blockIdx.x, n = all.n, total;
    unsigned round = unsigned(state->iteration);
    int other = other_than(own, all.tours, philox(seed, 0, 0, round, CROSS).x);
    Source<ANY_METRIC> mine = tour_of(all, own, round), theirs = tour_of(all, other, round);
    int* numbers = row_of(all_numbers, own, n);
    int* ab_cycles = row_of(all_ab_cycles, own, 2 * n);
    int2* spans = row_of(all_spans, own, n / 2 + 1);
    int2* slots = row_of(all_slots, own, n / 2 + 1);
    uint4 words = philox(seed, 1, own, round, CROSS);
    const unsigned* differing = row_of(all_differing, own, (n + LANES - 1) / LANES);
    const int* list = ab_cycles;  // until there are AB-cycles
    int cities = number_differing(differing, n, numbers, ab_cycles, numbering);
    bool fits = cities <= room;
    int words_each = int((static_cast<long long>(n) *
                              (BITS == SHORT_NUMBERS ? SHORT_TRACED_BYTES : LONG_TRACED_BYTES) +
                          7) /
                         8) +
                     2;
    Tracing<BITS> tracing(fits ? static_cast<void*>(memory) : row_of(all_traced, own, words_each),
                          fits ? room : n);
    Cells cells = cells_for(cities, cell_cities, per_map, words);
    for (int number = threadIdx.x; number < cities; number += blockDim.x) {
        int city = list[number];
        int2 one = beside(mine, city), two = beside(theirs, city);
        int2 cell = cells.of(mine.cities[city]);
        auto add = [&](Pair& edges, int2 pair, int to) {
            if (has(pair, to)) return;
            int2 other_cell = cells.of(mine.cities[to]);
            if (other_cell.x == cell.x && other_cell.y == cell.y)
                edges = Ends::with(edges, unsigned(numbers[to]));
        };
        Pair left = Ends::NONE_LEFT, right = Ends::NONE_LEFT;
        add(left, two, one.x);
        add(left, two, one.y);
        add(right, one, two.x);
        add(right, one, two.y);
        tracing.mine[number] = left;
        tracing.theirs[number] = right;
        tracing.roots()[number] = unsigned(number);
        tracing.sizes()[number] = 0;
        tracing.cities[number] = city;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < cities; i += blockDim.x) tracing.join(unsigned(i));
    __syncthreads();
    for (int i = threadIdx.x; i < cities; i += blockDim.x)
        atomicAdd(&tracing.sizes()[tracing.root_of(unsigned(i))], Ends::count(tracing.mine[i]));
    __syncthreads();
    // What is left of a component has at most as many edges in AB-cycles as its cities have own
    // ones.
    int* begins = numbers;
    int edges = 0;
    for (int first = 0; first < cities; first += blockDim.x) {
        int i = first + threadIdx.x;
        bool root = i < cities && tracing.roots()[i] == unsigned(i);
        int size = root ? tracing.sizes()[i] : 0;
        if (unsigned(size) > MOST_STEPS || size < LEAST_AB_CYCLE) size = 0;
        int begin = edges + numbering.before(size, total);
        if (i < cities) begins[i] = size > 0 ? begin : -1;
        if (size > 0) ab_cycles[begin] = size;  // until there are AB-cycles
        edges += total;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < cities; i += blockDim.x) tracing.seen[i] = Ends::NONE_LEFT;
    for (int i = threadIdx.x; i < edges / LEAST_AB_CYCLE; i += blockDim.x)
        slots[i] = make_int2(0, 0);
    __syncthreads();
    for (int i = threadIdx.x; i < cities; i += blockDim.x) {
        int begin = begins[i];
        if (begin < 0) continue;
        Tracer<BITS> tracer{tracing,
                            tracing.path + begin,
                            ab_cycles,
                            slots + begin / LEAST_AB_CYCLE,
                            begin,
                            unsigned(ab_cycles[begin]),
                            (words.x ^ unsigned(i) * 0x9e3779b9u) | 1};
        tracer.run(unsigned(i));
    }
    __syncthreads();
    int found = 0, slot_count = edges / LEAST_AB_CYCLE;
    for (int first = 0; first < slot_count; first += blockDim.x) {
        int slot = first + threadIdx.x;
        int2 span = slot < slot_count ? slots[slot] : make_int2(0, 0);
        for (int i = span.x; i < span.y; ++i) ab_cycles[i] = tracing.cities[ab_cycles[i]];
        bool kept = span.y - span.x >= shortest &&
                    (enough == 0 || gains(geometry, ab_cycles + span.x, span.y - span.x));
        int place = found + numbering.before(kept, total);
        if (kept) {
            spans[place] = span;
            slots[slot] = make_int2(0, 0);
        }
        found += total;
    }
    __syncthreads();
    // Others until there are enough, from anywhere on.
    int begin = slot_count > 0 ? below(words.w, slot_count) : 0;
    for (int first = 0; first < slot_count && found < enough; first += blockDim.x) {
        int slot = begin + first + threadIdx.x;
        if (slot >= slot_count) slot -= slot_count;
        int2 span = first + threadIdx.x < slot_count ? slots[slot] : make_int2(0, 0);
        bool kept = span.y - span.x >= shortest;
        int place = found + numbering.before(kept, total);
        if (kept && place < enough) spans[place] = span;
        found = min(found + total, enough);
    }
    if (threadIdx.x == 0) counts[own] = found;
}

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

constexpr unsigned NO_NUMBER = 0xffff;
constexpr unsigned NONE_LEFT = 0xffffffff;      // two times no number
constexpr int MOST_TRACED = int(NO_NUMBER);     // cities whose edges differ, at most
constexpr int MOST_STEPS = int(NO_NUMBER) - 1;  // edges of a component, at most

// The cells of a round.
struct Cells {
    float scale, right, up;  // a scale of 0 makes one cell of all

    INLINE int2 of(const float4& record) const {
        return make_int2(__float2int_rd(__fadd_rn(__fmul_rn(record.x, scale), right)),
                         __float2int_rd(__fadd_rn(__fmul_rn(record.y, scale), up)));
    }
};

// Two numbers of 16 bits in a word: the ends of edges that are left. The first comes first.
INLINE unsigned without(unsigned pair, unsigned number) {
    return (pair & 0xffff) == number ? pair >> 16 | NO_NUMBER << 16 : pair | NO_NUMBER << 16;
}

INLINE int ends_in(unsigned pair) {
    return (pair & 0xffff) != NO_NUMBER ? 1 + (pair >> 16 != NO_NUMBER) : 0;
}

// The cities beside a city on a tour.
template <int METRIC>
INLINE int2 beside(const Source<METRIC>& tour, int city) {
    int place = number_in(tour.cities[city]), n = tour.n;
    return make_int2(number_in(tour.tour_records[place > 0 ? place - 1 : n - 1]),
                     number_in(tour.tour_records[place + 1 < n ? place + 1 : 0]));
}

INLINE bool has(int2 pair, int city) { return pair.x == city || pair.y == city; }

struct Tracing {
    unsigned* mine;        // of each number: ends of edges of one's own tour alone that are left
    unsigned* theirs;      // and of the other tour alone
    unsigned* seen;        // where on the path it is, after an even and after an odd number
    int* cities;           // that the numbers stand for
    unsigned short* path;  // a place for each edge

    // Lays it out in memory for `room` numbers.
    INLINE Tracing(void* memory, int room) {
        mine = static_cast<unsigned*>(memory);
        theirs = mine + room;
        seen = theirs + room;
        cities = reinterpret_cast<int*>(seen + room);
        path = reinterpret_cast<unsigned short*>(cities + room);
    }

    // Before anything is traced: each number's component is called after its least number.
    INLINE unsigned* roots() const { return seen; }
    INLINE int* sizes() const { return reinterpret_cast<int*>(path); }

    INLINE unsigned root_of(unsigned number) const {
        const volatile unsigned* above = seen;
        while (above[number] != number) number = above[number];
        return number;
    }

    // Joins the components of a number and of its neighbours. Any number of threads may do so.
    INLINE void join(unsigned number) const {
        unsigned ends[4] = {mine[number] & 0xffff, mine[number] >> 16, theirs[number] & 0xffff,
                            theirs[number] >> 16};
        for (unsigned end : ends) {
            if (end > number) continue;  // the other end joins it; or there is none
            unsigned one = number, other = end;
            while ((one = root_of(one)) != (other = root_of(other))) {
                unsigned low = min(one, other), high = max(one, other);
                if (atomicCAS(&seen[high], high, low) == high) break;
            }
        }
    }
};

// Finds the AB-cycles of a component.
struct Tracer {
    const Tracing& all;
    unsigned short* path;
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
    INLINE unsigned take(unsigned* edges, unsigned number) {
        unsigned pair = edges[number];
        bool second = pair >> 16 != NO_NUMBER && (draw() >> 16 & 1);
        unsigned to = second ? pair >> 16 : pair & 0xffff;
        edges[number] = without(pair, to);
        edges[to] = without(edges[to], number);
        return to;
    }

    // Follows edges until the path is used up. The first edge of each AB-cycle is one's own.
    INLINE void trace(unsigned begin) {
        unsigned first = draw() >> 16 & 1;  // 0: the path begins with an own edge
        if (all.mine[begin] == NONE_LEFT) first = 1;
        if (all.theirs[begin] == NONE_LEFT) first = 0;
        unsigned steps = 0, number = begin;
        path[0] = static_cast<unsigned short>(begin);
        see(begin, 0, 0);
        while (true) {
            unsigned* edges = (first + steps) & 1 ? all.theirs : all.mine;
            if (edges[number] == NONE_LEFT) {  // at the border of a cell
                see(number, steps & 1, NO_NUMBER);
                if (steps == 0) return;
                number = path[--steps];
                continue;
            }
            unsigned to = take(edges, number);
            unsigned back = all.seen[to] >> ((steps + 1) & 1) * 16 & 0xffff;
            if (back == NO_NUMBER) {
                if (steps + 1 == room) continue;
                number = to;
                path[++steps] = static_cast<unsigned short>(number);
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
        unsigned shift = odd * 16;
        all.seen[number] = (all.seen[number] & ~(0xffffu << shift)) | place << shift;
    }
};

// Finds the AB-cycles of each tour of the population and another one.

constexpr int FEWEST_CELLS = 4;  // and otherwise one

// The other tour that a tour is crossed with: the same distance away for all.
INLINE int other_than(int own, int tours, unsigned word) {
    int other = own + 1 + below(word, tours - 1);
    return other < tours ? other : other - tours;
}

// Numbers the cities whose edges differ, and notes these edges: all of them, or as many as can have
// a number, from a city on. Returns how many these are. All threads of the block call this.
template <class Tour>
INLINE int differing(const Tour& mine, const Tour& theirs, int from, int* numbers,
                     const Numbering& numbering) {
    int n = mine.n, count = 0, total;
    for (int first = 0; first < n; first += TRACERS) {
        int i = first + threadIdx.x, city = i < n - from ? i + from : i - (n - from);
        bool differs = false;
        if (i < n) {
            int2 one = beside(mine, city), two = beside(theirs, city);
            differs = !(has(two, one.x) && has(two, one.y));
        }
        int number = count + numbering.before(differs, total);
        if (i < n) numbers[city] = differs && number < MOST_TRACED ? number : -1;
        count += total;
    }
    __syncthreads();
    return min(count, MOST_TRACED);
}

// Cells for so many cities that differ, each with so many of them on average, of a map with sides
// of 1 / `per_map`.
INLINE Cells cells_for(int cities, int each, float per_map, uint4 words) {
    if (cities < FEWEST_CELLS * each) return {0.0f, 0.0f, 0.0f};
    int across = 1;
    while ((across + 1) * (across + 1) * each <= cities) ++across;
    return {float(across) * per_map, share_of(words.y), share_of(words.z)};
}

// A block a tour. Threads find the AB-cycles of different components; then these are put in a row.
__global__ void __launch_bounds__(TRACERS, 1) find_ab_cycles(const FindAbCycles arguments) {
    const auto [all, seed, room, cell_cities, shortest, per_map, all_traced, all_numbers,
                all_ab_cycles, all_spans, all_slots, counts, state] = arguments;
    extern __shared__ uint4 memory[];
    __shared__ int sums[LANES + 1];
    static_assert(sizeof(sums) <= TRACING_STATIC, "as the host counts it");
    Numbering numbering{sums};
    int own = blockIdx.x, n = all.n, total;
    unsigned round = unsigned(state->iteration);
    int other = other_than(own, all.tours, philox(seed, 0, 0, round, CROSS).x);
    Source<ANY_METRIC> mine{
        {}, all.cities_of(own), all.tour_records_of(own, state->iteration), nullptr, n, 0};
    Source<ANY_METRIC> theirs{
        {}, all.cities_of(other), all.tour_records_of(other, state->iteration), nullptr, n, 0};
    int* numbers = row_of(all_numbers, own, n);
    int* ab_cycles = row_of(all_ab_cycles, own, 2 * n);
    int2* spans = row_of(all_spans, own, n / 2 + 1);
    int2* slots = row_of(all_slots, own, n / 2 + 1);
    uint4 words = philox(seed, 1, own, round, CROSS);
    int from = n > MOST_TRACED ? below(words.w, n) : 0;
    int cities = differing(mine, theirs, from, numbers, numbering);
    bool fits = cities <= room;
    int words_each = (n * TRACED_BYTES + 7) / 8 + 2;
    Tracing tracing(fits ? static_cast<void*>(memory) : row_of(all_traced, own, words_each),
                    fits ? room : n);
    Cells cells = cells_for(cities, cell_cities, per_map, words);
    for (int city = threadIdx.x; city < n; city += TRACERS) {
        int number = numbers[city];
        if (number < 0) continue;
        int2 one = beside(mine, city), two = beside(theirs, city);
        int2 cell = cells.of(mine.cities[city]);
        auto add = [&](unsigned& edges, int2 pair, int to) {
            if (has(pair, to) || numbers[to] < 0) return;
            int2 other_cell = cells.of(mine.cities[to]);
            if (other_cell.x == cell.x && other_cell.y == cell.y)
                edges = edges << 16 | unsigned(numbers[to]);
        };
        unsigned left = NONE_LEFT, right = NONE_LEFT;
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
    for (int i = threadIdx.x; i < cities; i += TRACERS) tracing.join(unsigned(i));
    __syncthreads();
    for (int i = threadIdx.x; i < cities; i += TRACERS)
        atomicAdd(&tracing.sizes()[tracing.root_of(unsigned(i))], ends_in(tracing.mine[i]));
    __syncthreads();
    // What is left of a component has at most as many edges in AB-cycles as its cities have own
    // ones.
    int* begins = numbers;
    int edges = 0;
    for (int first = 0; first < cities; first += TRACERS) {
        int i = first + threadIdx.x;
        bool root = i < cities && tracing.roots()[i] == unsigned(i);
        int size = root ? tracing.sizes()[i] : 0;
        if (size > MOST_STEPS || size < LEAST_AB_CYCLE) size = 0;
        int begin = edges + numbering.before(size, total);
        if (i < cities) begins[i] = size > 0 ? begin : -1;
        if (size > 0) ab_cycles[begin] = size;  // until there are AB-cycles
        edges += total;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < cities; i += TRACERS) tracing.seen[i] = NONE_LEFT;
    for (int i = threadIdx.x; i < edges / LEAST_AB_CYCLE; i += TRACERS) slots[i] = make_int2(0, 0);
    __syncthreads();
    for (int i = threadIdx.x; i < cities; i += TRACERS) {
        int begin = begins[i];
        if (begin < 0) continue;
        Tracer tracer{tracing,
                      tracing.path + begin,
                      ab_cycles,
                      slots + begin / LEAST_AB_CYCLE,
                      begin,
                      unsigned(ab_cycles[begin]),
                      (words.x ^ unsigned(i) * 0x9e3779b9u) | 1};
        tracer.run(unsigned(i));
    }
    __syncthreads();
    int found = 0;
    for (int first = 0; first < edges / LEAST_AB_CYCLE; first += TRACERS) {
        int slot = first + threadIdx.x;
        int2 span = slot < edges / LEAST_AB_CYCLE ? slots[slot] : make_int2(0, 0);
        bool kept = span.y - span.x >= shortest;
        int place = found + numbering.before(kept, total);
        if (kept) spans[place] = span;
        for (int i = span.x; i < span.y; ++i) ab_cycles[i] = tracing.cities[ab_cycles[i]];
        found += total;
    }
    if (threadIdx.x == 0) counts[own] = found;
}

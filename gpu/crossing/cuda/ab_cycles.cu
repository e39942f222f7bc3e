// Finds the AB-cycles of each tour of the population and another one.
#include "ab_cycles.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/philox.cuh"
#include "gpu/tour_changes/cuda/numbering.cuh"
#include "kernels.py"

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
    const auto [all, seed, room, cell_cities, per_map, all_traced, all_numbers, all_ab_cycles,
                all_spans, all_slots, counts, state] = arguments;
    extern __shared__ uint4 memory[];
    __shared__ int sums[LANES + 1];
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
        int place = found + numbering.before(span.y > 0, total);
        if (span.y > 0) spans[place] = span;
        for (int i = span.x; i < span.y; ++i) ab_cycles[i] = tracing.cities[ab_cycles[i]];
        found += total;
    }
    if (threadIdx.x == 0) counts[own] = found;
}

// Tabu searches for the ants of ACO-RLF: each starts from one of the best ants' colorings, and
// tries to use one color fewer than the best coloring so far. What it finds replaces the ant's
// coloring. A search goes on where it stopped in the iteration before.
#include "gpu/cuda/kernels/colony_state.cuh"
#include "kernels.py"
#include "search.cuh"

// The ants with the fewest colors, on a tie the lowest: ant_of[s] is the s-th of them.
__global__ void rank_ants(const RankAnts arguments) {
    const auto [ants, searches, costs, ant_of] = arguments;
    int ant = blockIdx.x * blockDim.x + threadIdx.x;
    if (ant >= ants) return;
    Word cost = costs[ant];
    int better = 0;
    for (int other = 0; other < ants; ++other) {
        Word theirs = costs[other];
        better += theirs < cost || (theirs == cost && other < ant);
    }
    if (better < searches) ant_of[better] = ant;
}

// Shared memory of a search: a bit a vertex, numbers by color, colors by vertex, then counts.
struct SharedTables {
    unsigned* loose;
    unsigned* sizes;
    Count* ranks;
    Count* hues;
    Count* counts;

    __device__ SharedTables(unsigned* shared, int n, int words, int longest)
        : loose(shared),
          sizes(loose + words),
          ranks(reinterpret_cast<Count*>(sizes + longest)),
          hues(ranks + longest + (longest & 1)),
          counts(hues + n + (n & 1)) {}
};

// From one row of counts to the next: rows begin in all banks of shared memory.
INLINE int stride_of(unsigned colors) { return int(colors + ((2u - colors) & 3u)); }

// Removes the smallest classes, on a tie the lowest, until `target` are left. `colors` is how many
// there are.
template <int OWN>
INLINE void squeeze(TabuSearch<OWN>& search, const SharedTables& tables, unsigned target) {
    int colors = int(search.colors), thread = threadIdx.x, threads = blockDim.x;
    unsigned dropped = search.colors - target;
    for (int c = thread; c < colors; c += threads) tables.sizes[c] = 0;
    __syncthreads();
#pragma unroll unrolled(OWN)
    for (int i = 0; i < OWN; ++i)
        if (search.exists(i)) atomicAdd(&tables.sizes[search.color[i]], 1u);
    __syncthreads();
    for (int c = thread; c < colors; c += threads) {
        unsigned size = tables.sizes[c], rank = 0;
        for (int other = 0; other < colors; ++other) {
            unsigned theirs = tables.sizes[other];
            rank += theirs < size || (theirs == size && other < c);
        }
        tables.ranks[c] = Count(rank);
    }
    __syncthreads();
    for (int c = thread; c < colors; c += threads) {
        unsigned name = 0;
        for (int other = 0; other < c; ++other) name += tables.ranks[other] >= dropped;
        tables.sizes[c] = tables.ranks[c] >= dropped ? name : LOOSE;
    }
    __syncthreads();
#pragma unroll unrolled(OWN)
    for (int i = 0; i < OWN; ++i)
        if (search.exists(i)) search.color[i] = tables.sizes[search.color[i]];
    long long all = static_cast<long long>(search.rules.n) * search.width;
    for (long long i = thread; i < all; i += threads) search.expiries[i] = 0;
    search.colors = target;
}

// Makes `moves` moves of every search. A row of the adjacency has `row` words. `longest` is the
// most colors that an ant can have used; `near` numbers of counts fit shared memory, and if more
// are needed they are in global memory.
template <int OWN, int THREADS>
__global__ void __launch_bounds__(THREADS, 1) search_colorings(const SearchColorings arguments) {
    const auto [n, row, most, longest, width, moves, near, seed, adjacency, ant_of, ants_colors,
                costs, colony, states, colors, counts, expiries, kept] = arguments;
    extern __shared__ unsigned shared[];
    __shared__ BlockVote::Memory memory;
    int number = blockIdx.x, warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    long long own = static_cast<long long>(number) * n;
    SearchState state = states[number];
    Word best = min(colony->best_length, colony->running_best >> ANT_BITS);
    unsigned target = unsigned(min(best - 1, Word(most)));
    if (target == 0) return;

    int words = (n + LANES - 1) / LANES;
    SharedTables tables(shared, n, words, longest);
    SearchRules rules{n, words, most, row, adjacency, seed};
    BlockVote vote{memory, int(blockDim.x) / LANES, warp, lane, 0};
    TabuSearch<OWN> search{rules, vote, number, warp * OWN};
    search.hues = tables.hues;
    search.width = width;
    search.expiries = expiries + own * width;
    bool begins = state.colors == 0;
    int ant = ant_of[number];
#pragma unroll unrolled(OWN)
    for (int i = 0; i < OWN; ++i) {
        search.color[i] = LOOSE;
        if (!search.exists(i)) continue;
        int vertex = search.vertex(i);
        search.color[i] =
            begins ? ants_colors[static_cast<long long>(ant) * n + vertex] : colors[own + vertex];
    }
    search.colors = begins ? unsigned(costs[ant]) : state.colors;
    search.time = state.time;
    bool fewer = search.colors > target;
    unsigned made = 0;
    uint4 random = search.words();
    while (true) {
        if (fewer) squeeze(search, tables, target);
        if (fewer || made == 0) {
            search.stride = stride_of(search.colors);
            bool fits = n * search.stride <= near;
            search.counts = fits ? tables.counts : counts + own * stride_of(most);
            search.build(tables.loose);
            search.fewest = fewer ? search.conflicts : state.fewest;
        }
        while (search.conflicts > 0 && made < unsigned(moves)) {
            if (search.time % 4 == 0) random = search.words();
            search.move(word_of(random, search.time & 3));
            ++made;
        }
        if (search.conflicts > 0) break;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i)
            if (search.exists(i)) kept[own + search.vertex(i)] = search.color[i];
        state.kept_colors = search.colors;
        if (search.colors == 1) break;
        target = search.colors - 1;
        fewer = true;
    }
#pragma unroll unrolled(OWN)
    for (int i = 0; i < OWN; ++i)
        if (search.exists(i)) colors[own + search.vertex(i)] = search.color[i];
    if (threadIdx.x == 0)
        states[number] = {search.colors, search.time, search.fewest, state.kept_colors};
}

// The searches' colorings replace their ants' where they have fewer colors.
// A block a search. `order` is that of visits: by color, then by number.
__global__ void take_over(const TakeOver arguments) {
    const auto [n, ant_of, states, kept, colors, order, costs, colony] = arguments;
    int ant = ant_of[blockIdx.x];
    long long from = static_cast<long long>(blockIdx.x) * n, to = static_cast<long long>(ant) * n;
    Word cost = states[blockIdx.x].kept_colors, before = costs[ant];
    if (cost == 0 || cost >= before) return;
    __syncthreads();
    for (int vertex = threadIdx.x; vertex < n; vertex += blockDim.x) {
        int color = kept[from + vertex];
        colors[to + vertex] = color;
        if (!order) continue;
        int place = 0;
        for (int other = 0; other < n; ++other) {
            int theirs = kept[from + other];
            place += theirs < color || (theirs == color && other < vertex);
        }
        order[to + place] = vertex;
    }
    if (threadIdx.x != 0) return;
    costs[ant] = cost;
    atomicMin(&colony->running_best, cost << ANT_BITS | Word(ant));
    atomicAdd(&colony->running_sum, cost - before);
}

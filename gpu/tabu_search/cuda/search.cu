// Tabu searches for the ants of ACO-RLF: each starts from one of the best ants' colorings, and
// tries to use one color fewer than the best coloring so far. What it finds replaces the ant's
// coloring. A search goes on where it stopped in the iteration before.
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"

// Tabu search for a coloring with a given number of colors (Hertz and de Werra 1987): all vertices
// have a color, and moves of one vertex each reduce the edges whose ends have the same color. The
// rule is that of gpu/tabu_search/cpu.py. A block is a search.
//
// A lane has one vertex of each of its warp's OWN words: its color, and its row of counts, which
// say how many neighbours have each color. So warps only exchange the best move of each, and a move
// takes one barrier.

typedef unsigned short Count;  // of neighbours, and the name of a color

constexpr unsigned LOOSE = 0xffffu;  // the color of a vertex that has none
constexpr unsigned EVEN = 1u << 15;  // added to what a move gains: no gain
constexpr unsigned long long NO_MOVE = ~0ull;

// Loops over so many words are unrolled, so that what is known of them stays in registers.
__device__ constexpr int unrolled(int count) { return count <= 8 ? count : 1; }

// A random number for each move and color, which decides on ties.
INLINE unsigned lot(unsigned vertex, unsigned color, unsigned salt) {
    unsigned mixed = ((vertex << 16 | color) ^ salt) * 0x9E3779B1u;
    mixed = (mixed ^ mixed >> 15) * 0x85EBCA77u;
    return mixed >> 16;
}

// What one warp tells the others: its best move (the smallest key is the best), the color that the
// vertex leaves, and how many of the warp's vertices are in conflict.
struct Proposal {
    unsigned long long key;  // gain, lot, vertex, color; 16 bits each
    unsigned from, conflicting;

    INLINE int vertex() const { return int(key >> 16 & 0xffff); }
    INLINE unsigned color() const { return key & 0xffff; }
    INLINE int gain() const { return int(key >> 48) - int(EVEN); }
};

// The vote of all warps of a block. Proposals of one round and of the next have separate places,
// because other warps may still read those of the last round.
struct BlockVote {
    struct Memory {
        Proposal proposals[2][LANES];
    };
    Memory& memory;
    int warps, warp, lane, round;

    // The best of the warps' proposals; each lane gives its own. All threads call this together.
    INLINE Proposal agree(unsigned long long key, unsigned from, unsigned conflicting) {
        Proposal best = of_warp(key, from);
        best.conflicting = conflicting;
        if (warps == 1) {
            __syncwarp();  // what was read may now be written
            return best;
        }
        if (lane == 0) memory.proposals[round][warp] = best;
        __syncthreads();
        Proposal theirs{NO_MOVE, 0, 0};
        if (lane < warps) theirs = memory.proposals[round][lane];
        round ^= 1;
        best = of_warp(theirs.key, theirs.from);
        best.conflicting = warp_total(theirs.conflicting);
        return best;
    }

    // The sum over all threads.
    INLINE unsigned total(unsigned mine) { return agree(NO_MOVE, 0, warp_total(mine)).conflicting; }

  private:
    INLINE Proposal of_warp(unsigned long long key, unsigned from) const {
        unsigned long long least = warp_least(key);
        int holder = __ffs(__ballot_sync(ALL_LANES, key == least)) - 1;
        return {least, __shfl_sync(ALL_LANES, from, holder), 0};
    }
};

// What all searches of a graph share.
struct SearchRules {
    int n, words, most;  // vertices, words of a set of them, colors that tables have room for
    int width;           // words of a row of the adjacency
    const unsigned* adjacency;
    Seed seed;

    INLINE long long row(int vertex) const { return static_cast<long long>(vertex) * width; }
};

template <int OWN>
struct TabuSearch {
    const SearchRules& rules;
    BlockVote vote;
    int search, first;   // its number, and the first own word
    Count* counts;       // a row a vertex, in shared memory or not
    int stride;          // from row to row
    Count* hues;         // colors of all vertices, in shared memory; up to date only in build()
    unsigned* expiries;  // until which move a vertex may not go back to a color: `width` a row
    int width;
    unsigned color[OWN];  // of the own vertices
    unsigned mine[OWN];   // their neighbours of the same color
    unsigned colors, time, fewest, conflicts;

    INLINE int vertex(int i) const { return LANES * (first + i) + vote.lane; }
    INLINE bool exists(int i) const { return vertex(i) < rules.n; }
    INLINE Count* row(int vertex) const { return row_of(counts, vertex, stride); }

    // Counts the neighbours of all own vertices by color, from `color`. Then gives each vertex
    // without a color, in the order of their numbers, the color that the fewest neighbours have.
    INLINE void build(unsigned* loose) {
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) {
            bool none = exists(i) && color[i] == LOOSE;
            unsigned bits = __ballot_sync(ALL_LANES, none);
            if (exists(i)) hues[vertex(i)] = Count(color[i]);
            if (vote.lane == 0 && first + i < rules.words) loose[first + i] = bits;
        }
        __syncthreads();
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) {
            mine[i] = 0;
            if (!exists(i)) continue;
            Count* own = row(vertex(i));
            for (unsigned c = 0; c < colors; ++c) own[c] = 0;
            const unsigned* near = rules.adjacency + rules.row(vertex(i));
            for (int word = 0; word < rules.words; ++word)
                for (unsigned bits = near[word]; bits; bits &= bits - 1) {
                    unsigned hue = hues[LANES * word + __ffs(bits) - 1];
                    if (hue != LOOSE) ++own[hue];
                }
            if (color[i] != LOOSE) mine[i] = own[color[i]];
        }
        for (int word = 0; word < rules.words; ++word)
            for (unsigned bits = loose[word]; bits; bits &= bits - 1)
                settle(LANES * word + __ffs(bits) - 1);
        unsigned sum = 0;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) sum += mine[i];
        conflicts = vote.total(sum) / 2;
        __syncthreads();  // hues and loose may be written again
    }

    // The best move of all; NO_MOVE if all are tabu.
    INLINE Proposal best_move(unsigned salt) {
        unsigned long long best = NO_MOVE;
        unsigned from = 0, conflicting = 0;
        __syncwarp();  // rows were changed by other lanes
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) {
            unsigned bits = __ballot_sync(ALL_LANES, mine[i] > 0);
            conflicting += __popc(bits);
            for (; bits; bits &= bits - 1) {
                int place = __ffs(bits) - 1;
                unsigned own = __shfl_sync(ALL_LANES, color[i], place);
                unsigned given_up = __shfl_sync(ALL_LANES, mine[i], place);
                for (unsigned c = 0; c < colors; c += STEPS * LANES)
                    weigh(LANES * (first + i) + place, own, given_up, c + vote.lane, salt, best,
                          from);
            }
        }
        return vote.agree(best, from, conflicting);
    }

    // Makes a move, or none if all are tabu. `word` is random.
    INLINE void move(unsigned word) {
        Proposal best = best_move(word);
        unsigned now = time++;
        if (best.key == NO_MOVE) return;
        unsigned tenure = __umulhi(word, 10u) + 3 * best.conflicting / 5;
        recolor(best.vertex(), best.from, best.color(), now + 1 + tenure);
        conflicts += best.gain();
        fewest = min(fewest, conflicts);
    }

    // The random words of four moves, of which the next is one.
    INLINE uint4 words() const { return philox(rules.seed, time >> 2, search, 0, TABU); }

  private:
    static constexpr int STEPS = 3;  // colors that a lane reads about before it looks at any

    // Moves of vertex `u` to the colors c, c + 32, … of its `own` and so many neighbours of it.
    INLINE void weigh(int u, unsigned own, unsigned given_up, unsigned c, unsigned salt,
                      unsigned long long& best, unsigned& from) const {
        const Count* of_u = row(u);
        const unsigned* its = row_of(expiries, u, width);
        unsigned there[STEPS], until[STEPS];
        UNROLL for (int k = 0; k < STEPS; ++k) {
            unsigned to = c + k * LANES;
            there[k] = to < colors ? of_u[to] : 0;
            until[k] = to < colors ? its[to] : ~0u;
        }
        UNROLL for (int k = 0; k < STEPS; ++k) {
            unsigned to = c + k * LANES, gain = EVEN + there[k] - given_up;
            bool free = time >= until[k] || conflicts + there[k] < fewest + given_up;
            if (to >= colors || to == own || !free || gain > best >> 48) continue;
            unsigned long long key = static_cast<unsigned long long>(gain) << 48 |
                                     static_cast<unsigned long long>(lot(u, to, salt)) << 32 |
                                     unsigned(u) << 16 | to;
            if (key >= best) continue;
            best = key;
            from = own;
        }
    }

    // Gives a loose vertex the color that the fewest neighbours have, on a tie the lowest.
    INLINE void settle(int u) {
        unsigned long long best = NO_MOVE;
        int place = u / LANES - first;
        __syncwarp();
        if (place >= 0 && place < OWN)
            for (unsigned c = vote.lane; c < colors; c += LANES)
                best = min(
                    best, static_cast<unsigned long long>(row(u)[c]) << 48 | unsigned(u) << 16 | c);
        recolor(u, LOOSE, vote.agree(best, 0, 0).color(), 0);
    }

    INLINE void recolor(int u, unsigned from, unsigned to, unsigned until) {
        const unsigned* near = rules.adjacency + rules.row(u);
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) {
            unsigned bits = first + i < rules.words ? __ldg(&near[first + i]) : 0;
            Count* own = row(vertex(i));
            if (bits >> vote.lane & 1) {
                if (from != LOOSE) --own[from];
                ++own[to];
                mine[i] += (color[i] == to) - (color[i] == from && from != LOOSE);
            }
            if (vertex(i) == u) {
                color[i] = to;
                mine[i] = own[to];
                if (from != LOOSE) expiries[static_cast<long long>(u) * width + from] = until;
            }
        }
    }
};

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
    static_assert(sizeof(memory) <= TABU_STATIC, "as the host counts it");
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
__global__ void take_over(const TakeOverColorings arguments) {
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

// A generation of ants that cross colorings: each makes a child of its own coloring and another
// one's of its island, and repairs it by tabu search. A block an ant. Whenever its coloring is
// proper, an ant gives up a class and goes on.
#include "gpu/cuda/kernels/colony_state.cuh"
#include "kernels.py"
#include "optimizer.cuh"
#include "search.cuh"

constexpr unsigned long long NO_RESULT = ~0ull;

// Whether so few vertices were left that both parents were the same but for them.
INLINE bool alike(unsigned left, int n) { return left * ALIKE <= unsigned(n); }

// What a block works with before it searches: it lies where the counts will be.
struct CrossRoom {
    unsigned* sizes[2];  // of each parent's classes: vertices that the child has not yet
    unsigned* sums;      // of trails, for each warp
    Color* child;

    __device__ CrossRoom(unsigned* shared, int most, int warps)
        : sizes{shared, shared + most},
          sums(shared + 2 * most),
          child(reinterpret_cast<Color*>(shared + (2 + warps) * most)) {}
};

INLINE Color random_color(int v, unsigned count, unsigned word) {
    return Color(lot(v, 1, word) * count >> 16);
}

INLINE void color_at_random(Color* coloring, int n, unsigned count, unsigned word) {
    for (int v = threadIdx.x; v < n; v += blockDim.x) coloring[v] = random_color(v, count, word);
}

// Takes the color from the smallest classes, of equals the lowest, until `target` are left; the
// others are numbered anew, in their order.
INLINE void give_up(Color* coloring, int n, unsigned count, unsigned target, unsigned* sizes) {
    int lane = threadIdx.x % LANES;
    for (; count > target; --count) {
        __syncthreads();
        for (unsigned c = threadIdx.x; c < count; c += blockDim.x) sizes[c] = 0;
        __syncthreads();
        for (int v = threadIdx.x; v < n; v += blockDim.x)
            if (coloring[v] != LOOSE) atomicAdd(&sizes[coloring[v]], 1u);
        __syncthreads();
        unsigned key = ~0u;
        for (unsigned c = lane; c < count; c += LANES) key = min(key, sizes[c] << 16 | c);
        unsigned gone = warp_min(key) & 0xffffu;
        for (int v = threadIdx.x; v < n; v += blockDim.x) {
            Color color = coloring[v];
            if (color == gone)
                coloring[v] = LOOSE;
            else if (color != LOOSE && color > gone)
                coloring[v] = Color(color - 1);
        }
    }
    __syncthreads();
}

// Greedy partition crossover (Galinier and Hao 1999). Vertices that are left join the class to
// whose vertices they have the strongest trails; without trails they get a random color. Returns
// how many were left.
INLINE unsigned cross(const CrossRoom& room, const Color* own, const Color* other, Color* coloring,
                      int n, unsigned most, unsigned count, const float* trails, int columns,
                      uint4 words) {
    int thread = threadIdx.x, threads = blockDim.x, lane = thread % LANES, warp = thread / LANES;
    __shared__ unsigned left;
    for (unsigned c = thread; c < 2 * most; c += threads) room.sizes[0][c] = 0;
    if (thread == 0) left = 0;
    __syncthreads();
    for (int v = thread; v < n; v += threads) {
        room.child[v] = LOOSE;
        atomicAdd(&room.sizes[0][own[v]], 1u);
        atomicAdd(&room.sizes[1][other[v]], 1u);
    }
    __syncthreads();
    for (unsigned made = 0; made < count; ++made) {
        const unsigned* sizes = room.sizes[0] + (made & 1) * most;
        unsigned long long key = NO_RESULT;
        for (unsigned c = lane; c < most; c += LANES)
            if (sizes[c] > 0)
                key = min(key, static_cast<unsigned long long>(~sizes[c]) << 32 |
                                   lot(made, c, words.x) << 16 | c);
        key = warp_least(key);
        __syncthreads();
        const Color* parent = made & 1 ? other : own;
        if (key != NO_RESULT)
            for (int v = thread; v < n; v += threads)
                if (room.child[v] == LOOSE && parent[v] == (key & 0xffffu)) {
                    room.child[v] = Color(made);
                    atomicSub(&room.sizes[0][own[v]], 1u);
                    atomicSub(&room.sizes[1][other[v]], 1u);
                }
        __syncthreads();
    }
    unsigned* sums = room.sums + warp * most;
    for (int v = warp; v < n; v += threads / LANES) {
        Color color = room.child[v];
        if (color == LOOSE) {
            color = random_color(v, count, words.y);
            if (trails) {
                const float* row = trails + static_cast<long long>(v) * columns;
                for (unsigned c = lane; c < count; c += LANES) sums[c] = 0;
                __syncwarp();
                for (int u = lane; u < n; u += LANES)
                    if (room.child[u] != LOOSE)
                        atomicAdd(&sums[room.child[u]], unsigned(row[u] * TRAIL_UNIT));
                __syncwarp();
                unsigned long long key = NO_RESULT;
                for (unsigned c = lane; c < count; c += LANES)
                    key = min(key, static_cast<unsigned long long>(~sums[c]) << 32 |
                                       lot(v, c, words.y) << 16 | c);
                color = Color(warp_least(key) & 0xffffu);
            }
            if (lane == 0) atomicAdd(&left, 1u);
        }
        if (lane == 0) coloring[v] = color;
    }
    __syncthreads();
    return left;
}

// What an ant reports of a generation. One thread calls this.
INLINE void report(ColonyState* state, unsigned found, unsigned best, int ant) {
    Word cost = found && found < best ? found : best;
    atomicMin(&state->running_best, cost << ANT_BITS | Word(ant));
    atomicAdd(&state->running_sum, cost);
}

// An ant that optimizes a partial coloring: it goes on with its own, or begins with the best
// coloring of all.
INLINE void optimize(const SearchGeneration& a, int ant, unsigned best, unsigned* shared,
                     SearchVote& vote, long long padded) {
    int n = a.n, thread = threadIdx.x, number = ant - a.crossing - a.explorers;
    OptimizerRoom room(shared, n);
    unsigned* weights = a.weights + static_cast<long long>(number) * n;
    Color* loose = a.loose + static_cast<long long>(number) * n;
    Color* coloring = a.scratch + ant * padded;
    AntRecord record = a.records[ant];
    bool begins = record.colors == 0, anew = begins || record.colors > best - 1;
    unsigned* sums = a.sums + static_cast<long long>(number) * a.most * n;
    OptimizerBlock own{a.adjacency,       n,         a.row, room, sums, vote, a.seed, unsigned(ant),
                       unsigned(a.noise), a.heaviest};
    own.colors = best - 1;
    own.time = record.time;
    own.count = int(record.conflicts);
    unsigned found = 0, end = record.time + (a.moves + OPTIMIZER_COST - 1) / OPTIMIZER_COST;
    if (anew) {
        // Sizes of classes need room that nothing else has yet.
        for (int v = thread; v < n; v += blockDim.x) coloring[v] = Color(a.best_coloring[v]);
        give_up(coloring, n, best, best - 1, shared);
    } else {
        own.colors = record.colors;
        for (int i = thread; i < own.count; i += blockDim.x) room.loose[i] = loose[i];
    }
    for (int v = thread; v < n; v += blockDim.x) {
        room.colors[v] = coloring[v];
        room.weights[v] = begins ? 1 : weights[v];
    }
    __syncthreads();
    if (anew) {
        own.list_loose();
        own.sum_up();
    }
    while (true) {
        while (own.count > 0 && own.time != end) own.move();
        if (own.count > 0) break;
        __syncthreads();
        for (int v = thread; v < n; v += blockDim.x)
            a.proper[ant * padded + v] = coloring[v] = room.colors[v];
        found = own.colors;
        if (own.colors == 1) break;
        __syncthreads();
        // The weights make way for the sizes of classes.
        for (int v = thread; v < n; v += blockDim.x) weights[v] = room.weights[v];
        give_up(coloring, n, own.colors, own.colors - 1, shared);
        for (int v = thread; v < n; v += blockDim.x)
            room.weights[v] = weights[v], room.colors[v] = coloring[v];
        --own.colors;
        own.list_loose();
        own.sum_up();
    }
    __syncthreads();
    for (int v = thread; v < n; v += blockDim.x) {
        weights[v] = room.weights[v];
        coloring[v] = room.colors[v];
    }
    for (int i = thread; i < own.count; i += blockDim.x) loose[i] = room.loose[i];
    if (thread != 0) return;
    a.records[ant] = {own.colors, unsigned(own.count), unsigned(n), own.time, 0, 0};
    report(a.state, found, best, ant);
}

template <int OWN, int FIELDS, bool FAR>
__global__ void __launch_bounds__(SEARCH_THREADS, 1) search_generation(
    const SearchGeneration arguments) {
    const auto& a = arguments;
    extern __shared__ __align__(16) unsigned shared_memory[];
    __shared__ SearchVote vote_memory;
    unsigned* shared = held_shared(shared_memory);
    SearchVote& vote = *held_shared(&vote_memory);
    int ant = a.first_ant + blockIdx.x, n = a.n, thread = threadIdx.x, warps = blockDim.x / LANES;
    int words = (n + FIELDS - 1) / FIELDS;
    long long padded = words * FIELDS, own = ant * padded,
              half = static_cast<long long>(a.ants) * padded;
    unsigned iteration = unsigned(a.state->iteration), best = unsigned(a.state->best_length);
    const Color* parents = a.colorings + (iteration & 1) * half;
    Color* child = a.colorings + (~iteration & 1) * half + own;
    Color* coloring = a.scratch + own;
    AntRecord record = a.records[ant];
    bool crossing = ant < a.crossing;
    unsigned target = best - 1;
    if (!crossing) target = min(target, max(1u, unsigned(float(best) * a.explored + 0.5f)));
    if (best <= 1) {
        if (thread == 0) report(a.state, 0, best, ant);
        return;
    }
    if (ant >= a.crossing + a.explorers) {
        optimize(a, ant, best, shared, vote, padded);
        return;
    }
    uint4 drawn = philox(a.seed, 0, ant, iteration, CROSS);
    for (int v = n + thread; v < padded; v += blockDim.x) coloring[v] = LOOSE;
    CrossRoom room(shared, a.most, warps);
    int first = ant / a.island * a.island, size = min(a.island, a.crossing - first);
    bool begins = record.colors == 0;
    record.left = n;
    if (crossing && !begins && !record.anew && size > 1) {
        int partner = below(drawn.z, size - 1);
        partner += first + (first + partner >= ant);
        const float* trails =
            a.island_trails
                ? a.island_trails + static_cast<long long>(ant / a.island) * n * a.columns
                : nullptr;
        record.left = cross(room, parents + own, parents + partner * padded, coloring, n, a.most,
                            target, trails, a.columns, drawn);
    } else if ((crossing && begins && (ant & 1) == 0 && a.greedy_start) ||
               (crossing && !begins && !record.anew)) {
        // From the best coloring; an ant alone goes on with its own.
        for (int v = thread; v < n; v += blockDim.x)
            coloring[v] = begins ? Color(a.best_coloring[v]) : parents[own + v];
        __syncthreads();
        give_up(coloring, n, begins ? best : record.colors, target, room.sizes[0]);
    } else if (!crossing && !begins && record.colors <= target &&
               record.stalled < unsigned(a.patience)) {
        target = record.colors;
        for (int v = thread; v < n; v += blockDim.x) coloring[v] = parents[own + v];
    } else {
        color_at_random(coloring, n, target, drawn.y);
        record.stalled = 0;
        record.conflicts = ~0u;
    }
    unsigned* ring = shared + static_cast<long long>(a.near) * a.stride;
    TabuBlock<OWN, FIELDS, FAR> search{
        a.adjacency,
        n,
        a.row,
        words,
        a.stride,
        a.near,
        shared,
        FAR ? a.far_counts + static_cast<long long>(ant) * (a.most - a.near) * a.stride : nullptr,
        {ring, reinterpret_cast<Color*>(ring + a.ring),
         reinterpret_cast<Color*>(ring + a.ring) + a.ring, unsigned(a.ring) - 1},
        vote,
        a.seed,
        unsigned(ant),
        thread,
        int(blockDim.x),
        thread % LANES,
        thread / LANES,
        warps};
    search.time = record.time;
    unsigned found = 0, end = record.time + a.moves, colors = target;
    // An explorer has many vertices in conflict: it makes fewer moves, so that nobody waits for it.
    unsigned effort = 0, most_effort = unsigned(a.moves) * MOVE_EFFORT;
    while (true) {
        search.build(coloring, colors);
        while (search.conflicts > 0 && search.time != end && effort < most_effort) {
            search.move(child);
            if (!crossing) effort += search.wrong + MOVE_EFFORT;
        }
        if (search.conflicts > 0) break;
        search.write(a.proper + own);
        search.write(coloring);
        found = colors;
        if (colors == 1) break;
        __syncthreads();
        give_up(coloring, n, colors, colors - 1, shared);
        --colors;
    }
    search.keep(child);
    if (thread != 0) return;
    unsigned fewest = search.fewest;
    record.stalled = !found && fewest >= record.conflicts ? record.stalled + 1 : 0;
    if (!crossing) fewest = min(fewest, record.stalled ? record.conflicts : fewest);
    a.records[ant] = {colors, fewest, record.left, search.time, record.stalled, record.anew};
    report(a.state, found, best, ant);
}

INLINE void copy_coloring(Color* to, const Color* from, long long count) {
    for (long long i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

// What comes of an island's children: whether all begin anew, and which elites there are. A block
// an island.
__global__ void gather_islands(const GatherIslands arguments) {
    const auto& a = arguments;
    int first = blockIdx.x * a.island, end = min(first + a.island, a.crossing);
    bool same = end - first > 1;
    unsigned long long least = NO_RESULT;
    int better = first;
    for (int ant = first; ant < end; ++ant) {
        const AntRecord& record = a.records[ant];
        same = same && alike(record.left, a.n);
        unsigned long long key =
            static_cast<unsigned long long>(record.colors) << 32 | record.conflicts;
        if (key < least) least = key, better = ant;
    }
    __syncthreads();
    for (int ant = first + threadIdx.x; ant < end; ant += blockDim.x) a.records[ant].anew = same;
    if (!a.elites) return;
    unsigned iteration = unsigned(a.state->iteration);
    long long padded = a.padded, half = static_cast<long long>(a.ants) * padded;
    Color* children = a.colorings + (~iteration & 1) * half;
    Color* elites = a.elites + 2 * padded * blockIdx.x;
    unsigned long long now = a.elite_keys[2 * blockIdx.x],
                       before = a.elite_keys[2 * blockIdx.x + 1];
    __syncthreads();
    if (same) {
        now = before = NO_RESULT;
    } else {
        if (least < now) {
            now = least;
            copy_coloring(elites, children + better * padded, padded);
        }
        if ((iteration + 1) % a.cycle == 0) {
            __syncthreads();
            if (before != NO_RESULT)
                copy_coloring(children + first * padded, elites + padded, padded);
            __syncthreads();
            copy_coloring(elites + padded, elites, padded);
            before = now;
            now = NO_RESULT;
        }
    }
    if (threadIdx.x != 0) return;
    a.elite_keys[2 * blockIdx.x] = now;
    a.elite_keys[2 * blockIdx.x + 1] = before;
}

// The trails of all islands, a row a turn: the share of colorings of late in which two vertices had
// one color.
__global__ void renew_island_trails(const RenewIslandTrails arguments) {
    const auto& a = arguments;
    const Color* children = a.colorings + (~unsigned(a.state->iteration) & 1) *
                                              static_cast<long long>(a.ants) * a.padded;
    int islands = (a.crossing + a.island - 1) / a.island;
    for (long long turn = blockIdx.x; turn < static_cast<long long>(islands) * a.n;
         turn += gridDim.x) {
        int island = int(turn / a.n), v = int(turn % a.n), first = island * a.island;
        int end = min(first + a.island, a.crossing);
        float* row = a.island_trails + turn * a.columns;
        bool anew = a.records[first].anew || a.state->iteration == 0;
        float share = (1.0f - a.keep) / float(end - first);
        for (int u = threadIdx.x; u < a.n; u += blockDim.x) {
            int together = 0;
            for (int ant = first; ant < end; ++ant)
                together += children[ant * a.padded + u] == children[ant * a.padded + v];
            float trail = (anew ? 0.0f : row[u] * a.keep) + share * float(together);
            if (a.records[first].anew) trail = 0.0f;
            row[u] = trail;
            if (island == *a.shown) a.trails[static_cast<long long>(v) * a.columns + u] = trail;
        }
    }
}

// Closes an iteration: the best coloring that was found. One block.
__global__ void close_generation(const CloseGeneration arguments) {
    const auto& a = arguments;
    ColonyState* state = a.state;
    Word running = state->running_best, sum = state->running_sum, before = state->iteration;
    unsigned ant = unsigned(running & ((1 << ANT_BITS) - 1));
    bool improved = running >> ANT_BITS < state->best_length;
    __syncthreads();
    if (improved)
        for (int v = threadIdx.x; v < a.n; v += blockDim.x)
            a.best_coloring[v] = a.proper[ant * a.padded + v];
    if (threadIdx.x != 0) return;
    if (improved) *a.shown = int(ant) < a.crossing ? int(ant) / a.island : *a.shown;
    if (improved || before == 0) state->best_iteration = before + 1;
    if (improved) state->best_length = running >> ANT_BITS;
    count_iteration(state, before, running, sum);
    state->running_best = ~0ull;
    state->running_sum = 0;
}

// Before the first iteration. One block.
__global__ void start_generations(const StartGenerations arguments) {
    const auto& a = arguments;
    for (int i = threadIdx.x; i < a.ants; i += blockDim.x) a.records[i] = AntRecord{};
    for (int i = threadIdx.x; i < 2 * a.islands; i += blockDim.x) a.elite_keys[i] = NO_RESULT;
    for (long long i = threadIdx.x; i < static_cast<long long>(a.n) * a.columns; i += blockDim.x)
        a.trails[i] = 0.0f;
    if (threadIdx.x != 0) return;
    *a.shown = 0;
    reset(a.state);
    a.state->best_length = a.colors;
}

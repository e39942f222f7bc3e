// Generations of ants that cross colorings: each makes a child of its own coloring and another
// one's of its island, and repairs it by tabu search. A block an ant. Whenever its coloring is
// proper, an ant gives up a class and goes on. An iteration is a generation, or as much of one as a
// block can do before somebody asks for the colony again; until the next one, searches lie in
// memory.
#include "gpu/cuda/kernels/colony_state.cuh"
#include "kernels.py"
#include "partial.cuh"
#include "search.cuh"

constexpr unsigned long long NO_RESULT = ~0ull;

// Whether so few vertices were left that both parents were the same but for them.
INLINE bool alike(unsigned left, int n) { return left * ALIKE <= unsigned(n); }

// Ants are numbered kind by kind.
INLINE int kind_of(int ant, int crossing, int optimizers, int partials) {
    if (ant < crossing) return CROSSING;
    if (ant < crossing + optimizers) return OPTIMIZING;
    return ant < crossing + optimizers + partials ? PARTIAL : EXPLORING;
}

// The ants of an island: those from its first one to before the first one of the next.
INLINE int first_ant(int island, int islands, int crossing) {
    return int(static_cast<long long>(crossing) * island / islands);
}
INLINE int island_of(int ant, int islands, int crossing) {
    return int((static_cast<long long>(islands) * (ant + 1) - 1) / crossing);
}

// What a tabu move takes with so many vertices in conflict.
INLINE Word tabu_effort(unsigned wrong, bool far) {
    return TABU_EFFORT + (far ? FAR_EFFORT : 0) + TABU_EFFORT * wrong / EFFORT_WRONG;
}

// Says what the ants do in the next iteration, if a move of an ant that crosses takes this effort,
// and for some it may be as `dear`. One thread calls this.
INLINE void plan_iteration(GenerationPlan& plan, const unsigned* halved, unsigned moves,
                           Word most_effort, Word effort, Word dear) {
    unsigned left = moves > plan.made ? moves - plan.made : 1;
    Word most = max(most_effort / dear, Word(1)), parts = (moves + most - 1) / most;
    Word whole = (moves + parts - 1) / parts;
    unsigned times = halved[CROSSING];
    plan.quota = unsigned(min(max(whole >> times, Word(1)), Word(left)));
    plan.ends = plan.quota == left;
    plan.work = min(whole, static_cast<Word>(plan.quota) << times) * effort;
}

// What a block works with before it searches: it lies where the counts will be.
struct CrossRoom {
    unsigned* sizes[2];  // of each parent's classes: vertices that the child has not yet
    unsigned* sums;      // of trails to each class
    Color* child;
    Color* left;

    __device__ CrossRoom(unsigned* shared, int n, int most)
        : sizes{shared, shared + most},
          sums(shared + 2 * most),
          child(reinterpret_cast<Color*>(shared + 3 * most)),
          left(child + n) {}
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

// Lists the vertices that a child has not, in ascending order; returns how many these are. All
// threads call this together.
INLINE int list_left(const CrossRoom& room, int n) {
    int lane = threadIdx.x % LANES, count = 0;
    for (int first = 0; first < n; first += LANES) {
        int v = first + lane;
        unsigned bits = __ballot_sync(ALL_LANES, v < n && room.child[v] == LOOSE);
        if (threadIdx.x < LANES && bits >> lane & 1)
            room.left[count + __popc(bits & ((1u << lane) - 1))] = Color(v);
        count += __popc(bits);
    }
    __syncthreads();
    return count;
}

// Colors the vertices that are left over, in random order, where their trails are strongest.
INLINE void follow_trails(const CrossRoom& room, int n, unsigned count,
                          const unsigned short* trails, int columns, int left, uint4 words) {
    int thread = threadIdx.x, threads = blockDim.x, lane = thread % LANES;
    if (thread == 0)
        for (int place = left - 1; place > 0; --place) {
            unsigned other = lot(place, 2, words.y) * unsigned(place + 1) >> 16;
            Color moved = room.left[place];
            room.left[place] = room.left[other];
            room.left[other] = moved;
        }
    for (unsigned c = thread; c < count; c += threads) room.sums[c] = 0;
    __syncthreads();
    for (int place = 0; place < left; ++place) {
        int v = room.left[place];
        const unsigned short* row = trails + static_cast<long long>(v) * columns;
        for (int u = thread; u < n; u += threads)
            if (room.child[u] != LOOSE && row[u]) atomicAdd(&room.sums[room.child[u]], row[u]);
        __syncthreads();
        unsigned long long key = NO_RESULT;
        for (unsigned c = lane; c < count; c += LANES)
            key = min(key, static_cast<unsigned long long>(~room.sums[c]) << 32 |
                               lot(v, c, words.x) << 16 | c);
        key = warp_least(key);
        __syncthreads();
        if (thread == 0) room.child[v] = Color(key & 0xffffu);
        for (unsigned c = thread; c < count; c += threads) room.sums[c] = 0;
        __syncthreads();
    }
}

// Greedy partition crossover (Galinier and Hao 1999). Vertices that are left join the class to
// whose vertices they have the strongest trails; without trails they get a random color. Returns
// how many were left. It is the rule of gpu/gpx/rule.py, to the last bit.
INLINE unsigned cross(const CrossRoom& room, const Color* own, const Color* other, Color* coloring,
                      int n, unsigned most, unsigned count, const unsigned short* trails,
                      int columns, uint4 words) {
    int thread = threadIdx.x, threads = blockDim.x, lane = thread % LANES;
    for (unsigned c = thread; c < 2 * most; c += threads) room.sizes[0][c] = 0;
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
    int left = list_left(room, n);
    if (trails) follow_trails(room, n, count, trails, columns, left, words);
    for (int v = thread; v < n; v += threads)
        coloring[v] = room.child[v] == LOOSE ? random_color(v, count, words.y) : room.child[v];
    __syncthreads();
    return unsigned(left);
}

// What an ant reports of an iteration. One thread calls this.
INLINE void report(ColonyState* state, unsigned found, unsigned best, int ant) {
    Word cost = found && found < best ? found : best;
    atomicMin(&state->running_best, cost << ANT_BITS | Word(ant));
    atomicAdd(&state->running_sum, cost);
}

// An ant with a partial coloring: it goes on with its own, or begins with the best coloring of all.
INLINE void color_in_part(const SearchGeneration& a, int ant, unsigned best, unsigned* shared,
                          SearchVote& vote, long long padded) {
    int n = a.n, thread = threadIdx.x, number = ant - a.crossing;
    bool by_tabu = number >= a.optimizers;
    PartialRoom room(shared, n);
    unsigned* weights = a.weights + static_cast<long long>(number) * n;
    Color* loose = a.loose + static_cast<long long>(number) * n;
    Color* coloring = a.scratch + ant * padded;
    AntRecord record = a.records[ant];
    unsigned fewer = by_tabu ? (number - a.optimizers) % PARTIAL_TARGETS : 0;
    unsigned target = best - 1 > fewer ? best - 1 - fewer : 1;
    bool begins = record.colors == 0, anew = begins || record.colors > target;
    unsigned* sums = a.sums + static_cast<long long>(number) * a.most * n;
    unsigned* expiries =
        by_tabu ? a.expiries + static_cast<long long>(number - a.optimizers) * a.most * n : nullptr;
    PartialBlock own{a.adjacency,       n,         a.row, room, sums, vote, a.seed, unsigned(ant),
                     unsigned(a.noise), a.heaviest};
    own.colors = target;
    own.time = record.time;
    own.count = int(record.conflicts);
    Word work = a.plan->work >> a.halved[by_tabu ? PARTIAL : OPTIMIZING], effort = 0;
    unsigned found = 0;
    if (anew) {
        // Sizes of classes need room that nothing else has yet.
        for (int v = thread; v < n; v += blockDim.x) coloring[v] = Color(a.best_coloring[v]);
        give_up(coloring, n, best, target, shared);
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
        if (by_tabu) own.begin_tabu(expiries, record);
    }
    while (true) {
        // The first move is always made.
        while (own.count > 0 && (effort == 0 || effort < work)) {
            if (by_tabu) {
                effort += own.effort_of_tabu();
                own.move_by_tabu(expiries, record);
            } else {
                effort += OPTIMIZER_EFFORT;
                own.optimize();
            }
        }
        if (own.count > 0) break;
        __syncthreads();
        for (int v = thread; v < n; v += blockDim.x)
            a.proper[ant * padded + v] = coloring[v] = room.colors[v];
        found = own.colors;
        if (own.colors == 1) break;
        __syncthreads();
        // The weights make way for the sizes of classes.
        for (int v = thread; v < n; v += blockDim.x) weights[v] = room.weights[v];
        target = found - 1 > fewer ? found - 1 - fewer : 1;
        give_up(coloring, n, found, target, shared);
        for (int v = thread; v < n; v += blockDim.x)
            room.weights[v] = weights[v], room.colors[v] = coloring[v];
        own.colors = target;
        own.list_loose();
        own.sum_up();
        if (by_tabu) own.begin_tabu(expiries, record);
    }
    __syncthreads();
    for (int v = thread; v < n; v += blockDim.x) {
        weights[v] = room.weights[v];
        coloring[v] = room.colors[v];
    }
    for (int i = thread; i < own.count; i += blockDim.x) loose[i] = room.loose[i];
    if (thread != 0) return;
    record.colors = own.colors, record.conflicts = own.count;
    record.left = n, record.time = own.time;
    a.records[ant] = record;
    report(a.state, found, best, ant);
}

// Where a search lies between two iterations: the rows of its counts, those that are never in
// shared memory at their place, and its ring.
struct SearchKept {
    unsigned* rows;
    unsigned* ring;
    unsigned* shared_rows;
    unsigned* shared_ring;
    int stride, ring_words;

    INLINE SearchKept(const SearchGeneration& a, int ant, unsigned* shared, unsigned* shared_ring)
        : shared_rows(shared), shared_ring(shared_ring), stride(a.stride), ring_words(2 * a.ring) {
        long long all = static_cast<long long>(a.most) * stride;
        rows = a.kept + ant * (all + ring_words);
        ring = rows + all;
    }
    INLINE void load(int near) const {
        copy(shared_rows, rows, near * stride);
        copy(shared_ring, ring, ring_words);
    }
    INLINE void store(int near) const {
        copy(rows, shared_rows, near * stride);
        copy(ring, shared_ring, ring_words);
    }

  private:
    INLINE static void copy(unsigned* to, const unsigned* from, int count) {
        for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
    }
};

template <int OWN, int FIELDS, bool FAR>
__global__ void __launch_bounds__(SEARCH_THREADS, OWN == 1 && !FAR ? 2 : 1) search_generation(
    const SearchGeneration arguments) {
    const auto& a = arguments;
    extern __shared__ __align__(16) unsigned shared_memory[];
    __shared__ SearchVote vote_memory;
    unsigned* shared = held_shared(shared_memory);
    SearchVote& vote = *held_shared(&vote_memory);
    int ant = a.first_ant + blockIdx.x, n = a.n, thread = threadIdx.x, warps = blockDim.x / LANES;
    int words = (n + FIELDS - 1) / FIELDS,
        kind = kind_of(ant, a.crossing, a.optimizers, a.partials);
    long long padded = words * FIELDS, own = ant * padded,
              half = static_cast<long long>(a.ants) * padded;
    unsigned best = unsigned(a.state->best_length), target = best - 1;
    const GenerationPlan& plan = *a.plan;
    const Color* parents = a.colorings + (plan.generations & 1) * half;
    Color* child = a.colorings + (~plan.generations & 1) * half + own;
    Color* coloring = a.scratch + own;
    AntRecord record = a.records[ant];
    bool crossing = kind == CROSSING;
    if (best <= 1) {
        if (thread == 0) report(a.state, 0, best, ant);
        return;
    }
    if (kind == OPTIMIZING || kind == PARTIAL) {
        color_in_part(a, ant, best, shared, vote, padded);
        return;
    }
    int setting = crossing ? 0 : (ant - a.crossing - a.optimizers - a.partials) % EXPLORER_SETTINGS;
    bool explores = !crossing && setting == 0;
    if (explores)
        target = min(target, max(a.least_explored, unsigned(float(best) * a.explored + 0.5f)));
    uint4 drawn = philox(a.seed, 0, ant, unsigned(a.state->iteration), CROSS);
    CrossRoom room(shared, n, a.most);
    bool begins = record.colors == 0, goes_on = false;
    unsigned colors = target;
    if (crossing ? begins || plan.made == 0
                 : begins || (explores && record.stalled >= unsigned(a.patience))) {
        for (int v = n + thread; v < padded; v += blockDim.x) coloring[v] = LOOSE;
        int island = crossing ? island_of(ant, a.islands, a.crossing) : 0;
        int first = first_ant(island, a.islands, a.crossing);
        int others = first_ant(island + 1, a.islands, a.crossing) - first - 1;
        record.left = n;
        record.stalled = 0;
        if (crossing && !begins && !record.anew && others > 0) {
            int partner = first + below(drawn.z, others);
            partner += partner >= ant;
            const unsigned short* trails =
                a.island_trails ? a.island_trails + static_cast<long long>(island) * n * a.columns
                                : nullptr;
            record.left = cross(room, parents + own, parents + partner * padded, coloring, n,
                                a.most, target, trails, a.columns, drawn);
        } else if (crossing ? (begins ? (ant & 1) == 0 && a.greedy_start : !record.anew)
                            : !explores) {
            // From the best coloring; an ant alone goes on with its own.
            for (int v = thread; v < n; v += blockDim.x)
                coloring[v] = begins ? Color(a.best_coloring[v]) : parents[own + v];
            __syncthreads();
            give_up(coloring, n, begins ? best : record.colors, target, room.sizes[0]);
        } else {
            color_at_random(coloring, n, target, drawn.y);
        }
    } else if (record.colors > target) {
        give_up(coloring, n, record.colors, target, room.sizes[0]);
    } else {
        goes_on = true;
        colors = record.colors;
    }
    unsigned* ring = shared + static_cast<long long>(a.near) * a.stride;
    SearchKept kept(a, ant, shared, ring);
    TabuBlock<OWN, FIELDS, FAR> search{
        a.adjacency,
        n,
        a.row,
        words,
        a.stride,
        a.near,
        shared,
        kept.rows + static_cast<long long>(a.near) * a.stride,
        ring + 2 * a.ring,
        {ring, reinterpret_cast<Color*>(ring + a.ring),
         reinterpret_cast<Color*>(ring + a.ring) + a.ring, unsigned(a.ring) - 1},
        vote,
        a.seed,
        unsigned(ant),
        setting == 1   ? LONG_SPREAD
        : setting == 2 ? LONGER_SPREAD
                       : SPREAD,
        thread,
        int(blockDim.x),
        thread % LANES,
        thread / LANES,
        warps};
    search.time = record.time;
    // An explorer has many vertices in conflict: it makes fewer moves, so that nobody waits for it.
    unsigned found = 0, end = record.time + (crossing ? plan.quota : ~0u);
    Word effort = 0, most_effort = crossing ? ~0ull : plan.work >> a.halved[EXPLORING];
    __syncthreads();  // all have read the record
    if (thread == 0) a.records[ant] = record;
    if (goes_on) kept.load(min(int(colors), a.near));
    while (true) {
        if (goes_on && !found)
            search.resume(coloring, colors, record.conflicts);
        else
            search.build(coloring, colors);
        while (search.conflicts > 0 && search.time != end && effort < most_effort) {
            search.move(child);
            effort += tabu_effort(search.wrong, FAR);
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
    search.write(coloring);
    if (!crossing || !a.plan->ends) {
        __syncthreads();
        kept.store(min(int(colors), a.near));
    }
    if (thread != 0) return;
    record = a.records[ant];
    bool gained = !goes_on || found || search.fewest < record.conflicts;
    record.stalled = crossing || gained ? 0 : record.stalled + a.plan->ends;
    if (crossing) {
        atomicAdd(&a.plan->effort, effort);
        atomicAdd(&a.plan->moves, Word(search.time - record.time));
    }
    a.records[ant] = {colors, search.fewest, record.left, search.time, record.stalled, record.anew};
    report(a.state, found, best, ant);
}

INLINE void copy_coloring(Color* to, const Color* from, long long count) {
    for (long long i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

// What comes of an island's children at the end of a generation: whether all begin anew, and which
// elites there are. A block an island.
__global__ void gather_islands(const GatherIslands arguments) {
    const auto& a = arguments;
    if (!a.plan->ends) return;
    int first = first_ant(blockIdx.x, a.islands, a.crossing),
        end = first_ant(blockIdx.x + 1, a.islands, a.crossing);
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
    unsigned generation = a.plan->generations;
    long long padded = a.padded, half = static_cast<long long>(a.ants) * padded;
    Color* children = a.colorings + (~generation & 1) * half;
    Color* elites = a.elites + 2 * padded * blockIdx.x;
    unsigned long long now = a.elite_keys[2 * blockIdx.x],
                       before = a.elite_keys[2 * blockIdx.x + 1];
    __syncthreads();
    // Elites with more colors than are tried now are of no use.
    if (now >> 32 > a.records[first].colors) now = NO_RESULT;
    if (before >> 32 > a.records[first].colors) before = NO_RESULT;
    if (same) {
        now = before = NO_RESULT;
    } else {
        if (least < now) {
            now = least;
            copy_coloring(elites, children + better * padded, padded);
        }
        if ((generation + 1) % a.cycle == 0) {
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

// The trails of all islands at the end of a generation, a row a turn: how often two vertices had
// one color in colorings of late.
__global__ void renew_island_trails(const RenewIslandTrails arguments) {
    const auto& a = arguments;
    if (!a.plan->ends) return;
    const Color* children =
        a.colorings + (~a.plan->generations & 1) * static_cast<long long>(a.ants) * a.padded;
    for (long long turn = blockIdx.x; turn < static_cast<long long>(a.islands) * a.n;
         turn += gridDim.x) {
        int island = int(turn / a.n), v = int(turn % a.n);
        int first = first_ant(island, a.islands, a.crossing),
            end = first_ant(island + 1, a.islands, a.crossing);
        unsigned short* row = a.island_trails + turn * a.columns;
        bool anew = a.records[first].anew;
        unsigned deposit = (WHOLE_KEEP - a.keep) * MOST_TRAIL / WHOLE_KEEP / unsigned(end - first);
        for (int u = threadIdx.x; u < a.n; u += blockDim.x) {
            unsigned together = 0;
            for (int ant = first; ant < end; ++ant)
                together += children[ant * a.padded + u] == children[ant * a.padded + v];
            unsigned trail = anew ? 0 : (row[u] * a.keep >> 16) + deposit * together;
            row[u] = static_cast<unsigned short>(trail);
            if (island == a.plan->shown)
                a.trails[static_cast<long long>(v) * a.columns + u] =
                    float(trail) / float(MOST_TRAIL);
        }
    }
}

// Which kinds of ants work how much: the less the longer others have found all. One thread calls
// this.
INLINE void share_work(const CloseGeneration& a, GenerationPlan& plan, bool improved) {
    plan.idle = improved ? 0 : plan.idle + 1;
    for (int kind = 0; kind < KINDS; ++kind) {
        unsigned& times = a.halved[kind];
        unsigned most = kind == EXPLORING ? EXPLORER_HALVINGS : MOST_HALVINGS;
        if (improved)
            times = kind == plan.found_by ? 0 : min(times + 1, most);
        else if (plan.idle % RECOVERY == 0 && times > 0)
            --times;
    }
}

// Closes an iteration: the best coloring that was found, and what the ants do next. One block.
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
    GenerationPlan& plan = *a.plan;
    if (improved) {
        plan.found_by = kind_of(int(ant), a.crossing, a.optimizers, a.partials);
        if (plan.found_by == CROSSING) plan.shown = island_of(int(ant), a.islands, a.crossing);
        state->best_iteration = before + 1;
        state->best_length = running >> ANT_BITS;
    }
    count_iteration(state, before, running, sum);
    state->running_best = ~0ull;
    state->running_sum = 0;
    share_work(a, plan, improved);
    plan.made = plan.ends ? 0 : plan.made + plan.quota;
    plan.generations += plan.ends;
    Word effort = plan.moves ? plan.effort / plan.moves : TABU_EFFORT;
    plan.effort = plan.moves = 0;
    plan_iteration(plan, a.halved, a.moves, a.most_effort, effort, effort);
}

// Before the first iteration. One block.
__global__ void start_generations(const StartGenerations arguments) {
    const auto& a = arguments;
    for (int i = threadIdx.x; i < a.ants; i += blockDim.x) a.records[i] = AntRecord{};
    for (int i = threadIdx.x; i < 2 * a.islands; i += blockDim.x) a.elite_keys[i] = NO_RESULT;
    for (long long i = threadIdx.x; i < static_cast<long long>(a.n) * a.columns; i += blockDim.x)
        a.trails[i] = 0.0f;
    if (threadIdx.x != 0) return;
    reset(a.state);
    a.state->best_length = a.colors;
    for (int kind = 0; kind < KINDS; ++kind) a.halved[kind] = 0;
    *a.plan = GenerationPlan{};
    a.plan->found_by = -1;
    // At first all vertices may be in conflict, and every move looks at them.
    plan_iteration(*a.plan, a.halved, a.moves, a.most_effort, tabu_effort(0, false),
                   tabu_effort(a.n, false));
}

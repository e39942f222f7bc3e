// ACO-RLF (2017): the ants of an iteration color the graph, a block an ant.
#include "gpu/cuda/kernels/choice.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/group.cuh"
#include "gpu/cuda/kernels/portable.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"

// The place of the r-th bit that is set, counted from 0; there are more than r.
INLINE int nth_bit(unsigned word, int r) {
    int place = 0;
    UNROLL for (int half = 16; half > 0; half /= 2) {
        int below = __popc(word & ((1u << half) - 1));
        bool above = r >= below;
        r -= above ? below : 0;
        word >>= above ? half : 0;
        place += above ? half : 0;
    }
    return place;
}

// A set of vertices in the registers of a warp, a bit a vertex.
// Vertex j is bit j & 31 of word j >> 5; a lane holds the words lane, lane + 32, … of ROWS rows.
// All lanes of the warp call these together.
template <int ROWS>
struct VertexSet {
    unsigned words[ROWS];

    static INLINE VertexSet of_all(int n, int lane) {
        VertexSet all;
        UNROLL for (int k = 0; k < ROWS; ++k) {
            int left = n - LANES * (k * LANES + lane);
            all.words[k] = left >= LANES ? ALL_LANES : left > 0 ? (1u << left) - 1 : 0;
        }
        return all;
    }

    // A row of the adjacency from the lane's first word on; it has `count` words, whole rows of 32.
    static INLINE VertexSet of_row(const unsigned* row, int count) {
        VertexSet read;
        UNROLL for (int k = 0; k < ROWS; ++k) {
            read.words[k] = k == 0 || k * LANES < count ? __ldg(&row[k * LANES]) : 0;
        }
        return read;
    }

    INLINE bool empty() const {
        unsigned any = 0;
        UNROLL for (int k = 0; k < ROWS; ++k) any |= words[k];
        return !__any_sync(ALL_LANES, any);
    }

    INLINE void remove(int vertex, int lane) {
        UNROLL for (int k = 0; k < ROWS; ++k) {
            if (vertex / LANES == k * LANES + lane) words[k] &= ~(1u << vertex % LANES);
        }
    }

    INLINE unsigned word(int place) const {
        unsigned of_row = words[0];
        UNROLL for (int k = 1; k < ROWS; ++k) of_row = place / LANES == k ? words[k] : of_row;
        return __shfl_sync(ALL_LANES, of_row, place % LANES);
    }

    INLINE bool has(int vertex) const { return word(vertex / LANES) >> vertex % LANES & 1; }

    INLINE int size() const {
        unsigned own = 0;
        UNROLL for (int k = 0; k < ROWS; ++k) own += __popc(words[k]);
        return int(warp_total(own));
    }

    // The r-th vertex of the set, counted from 0; it has more than r.
    INLINE int nth(int r, int lane) const {
        int found = 0;
        for (int k = 0; k < ROWS; ++k) {
            int own = __popc(words[k]), before = warp_prefix(own, lane);
            int all = __shfl_sync(ALL_LANES, before, LANES - 1);
            if (r >= all) {
                r -= all;
                continue;
            }
            int first = __ffs(__ballot_sync(ALL_LANES, before > r)) - 1;
            int place = (k * LANES + lane) * LANES;
            if (lane == first) place += nth_bit(words[k], r - (before - own));
            found = __shfl_sync(ALL_LANES, place, first);
            break;
        }
        return found;
    }
};

// An ant of ACO-RLF (2017, Algorithm 3): the class that it builds, and what it knows of the
// candidates. A block is an ant.
//
// Every warp holds all sets and changes them in the same way, so that no warp has to send any. The
// counts of the candidates are shared out: a warp has OWN consecutive words of vertices, a lane
// one vertex of each.

// Loops over this many words or rows are unrolled; larger ones would be too much code.
constexpr int FEW = 4;

__device__ constexpr int unrolled(int count) { return count <= FEW ? count : 1; }

// The adjacency as one lane reads it: a row of `words` words a vertex, whole rows of 32.
struct Graph {
    int n, words;
    const unsigned* lane_words;  // from the lane's first word on

    INLINE const unsigned* row(int vertex) const {
        return lane_words + unsigned(vertex) * unsigned(words);
    }
};

template <int ROWS, int OWN>
struct Walk {
    typedef VertexSet<ROWS> Set;
    Graph graph;
    int first, lane;                  // own words begin there
    Set uncolored, candidates, gone;  // gone: what the last visit made no candidates any more
    unsigned own[OWN];                // own words of the candidates
    int excluded[OWN];  // d: neighbours of the own vertex that the class keeps from it

    INLINE Walk(const Graph& graph_, int warp, int lane_)
        : graph(graph_), first(warp * OWN), lane(lane_), uncolored(Set::of_all(graph_.n, lane_)) {}

    INLINE void begin_class() {
        candidates = uncolored;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) excluded[i] = 0;
    }

    // Takes `vertex` into the class. Says whether there are candidates left.
    INLINE bool visit(int vertex) {
        gone = Set::of_row(graph.row(vertex), graph.words);
        uncolored.remove(vertex, lane);
        candidates.remove(vertex, lane);
        UNROLL for (int k = 0; k < ROWS; ++k) {
            unsigned before = candidates.words[k];
            candidates.words[k] = before & ~gone.words[k];
            gone.words[k] &= before;
        }
        if (candidates.empty()) return false;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) own[i] = candidates.word(first + i);
        return true;
    }

    // Updates the counts of the own candidates: how many neighbours of each have gone. It takes two
    // candidates of each of TOGETHER words at a time, so that there is always something to read;
    // their counts are added up in the two halves of one word.
    INLINE void count() {
#pragma unroll unrolled(OWN / TOGETHER)
        for (int i = 0; i < OWN; i += TOGETHER) {
            unsigned left[TOGETHER], any = 0;
            UNROLL for (int j = 0; j < TOGETHER; ++j) any |= left[j] = own[i + j];
            while (any) {
                int one[TOGETHER], other[TOGETHER];
                unsigned counts[TOGETHER];
                any = 0;
                UNROLL for (int j = 0; j < TOGETHER; ++j) {
                    one[j] = take(left[j]);
                    other[j] = take(left[j]);
                    any |= left[j];
                    counts[j] = own_part(one[j], first + i + j);
                    counts[j] |= own_part(other[j], first + i + j) << 16;
                }
                UNROLL for (int j = 0; j < TOGETHER; ++j) {
                    unsigned total = warp_total(counts[j]);
                    int more = lane == other[j] ? total >> 16 : 0;
                    excluded[i + j] += lane == one[j] ? total & 0xffff : more;
                }
            }
        }
    }

    INLINE int vertex(int i) const { return LANES * (first + i) + lane; }

    // Whether the i-th own vertex is a candidate.
    INLINE bool is_candidate(int i) const { return own[i] >> lane & 1; }

    INLINE int most_excluded() const {
        int most = 0;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) most = is_candidate(i) ? max(most, excluded[i]) : most;
        return most;
    }

  private:
    static constexpr int TOGETHER = OWN <= FEW ? OWN : 1;

    // The highest bit that is set, which is cleared; -1 if there is none.
    static INLINE int take(unsigned& bits) {
        int place = LANES - 1 - __clz(int(bits));
        bits &= ~(1u << (place & (LANES - 1)));
        return place;
    }

    // How many neighbours of a vertex of this word have gone, as far as the lane knows them.
    INLINE unsigned own_part(int place, int word) const {
        unsigned count = 0;
        if (place < 0) return count;
        Set near = Set::of_row(graph.row(LANES * word + place), graph.words);
        UNROLL for (int k = 0; k < ROWS; ++k) count += __popc(near.words[k] & gone.words[k]);
        return count;
    }
};

// How an ant of ACO-RLF draws the next vertex of a class: in proportion to d^alpha tau^beta
// (2017, equation 2), by prefix sums or by stochastic trials.

// What ants choose by, made anew before each iteration: a row of `columns` numbers a vertex.
struct Choices {
    int columns;
    const float* powers;   // d^alpha
    const float* info;     // tau^beta
    const Word* prefixes;  // inclusive sums of a row of info in units of its own

    INLINE long long row(int vertex) const { return static_cast<long long>(vertex) * columns; }
};

// Random words, one a step, of 128 steps at a time: a lane draws those of four.
struct StepWords {
    Purpose purpose;
    int end = 0;
    uint4 four;

    // Steps come in ascending order. All lanes of the warp call this together.
    INLINE unsigned at(const Draws& draws, int step, int lane) {
        if (step >= end) {
            int first = step / (4 * LANES) * LANES;
            four = philox(draws.seed, first + lane, draws.ant, draws.iteration, purpose);
            end = 4 * (first + LANES);
        }
        return __shfl_sync(ALL_LANES, word_of(four, step & 3), step / 4 % LANES);
    }
};

// A candidate, each with the same chance.
template <class Walk>
INLINE int any_candidate(const Group<>& group, const Walk& walk, unsigned word) {
    int vertex = 0;
    if (group.warp == 0) {
        unsigned size = unsigned(walk.candidates.size());
        vertex = walk.candidates.nth(int(__umulhi(word, size)), walk.lane);
    }
    return group.agree(group.warp == 0, vertex);
}

// The selection with prefix sums: a wheel over the candidates that are kept from a neighbour by
// the class, or any candidate if there is none.
template <int OWN>
struct PrefixSums {
    StepWords spins{ROULETTE};
    float info[OWN];

    INLINE PrefixSums(void*, int) {}

    // Starts to read what will be needed, while there is other work.
    template <class Walk>
    INLINE void look(const Walk& walk, const Choices& choices, int from) {
        const float* row = choices.info + choices.row(from);
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i)
            info[i] = walk.is_candidate(i) ? __ldcg(&row[walk.vertex(i)]) : 0.0f;
    }

    template <class Walk>
    INLINE int choose(const Group<>& group, const Walk& walk, const Choices& choices,
                      const Draws& draws, int step) {
        unsigned word = spins.at(draws, step, walk.lane);
        float fitness[OWN], top = 0.0f;
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i) {
            float weight = 0.0f;
            if (walk.is_candidate(i)) weight = __ldg(&choices.powers[walk.excluded[i]]) * info[i];
            fitness[i] = choice(weight, weight > 0.0f ? 1.0f : 0.0f);
            top = fmaxf(top, fitness[i]);
        }
        top = group.largest(top);
        if (top == 0.0f) return any_candidate(group, walk, word);
        Wheel wheel(top);
        unsigned of_word[OWN];
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i)
            of_word[i] = walk.own[i] ? warp_total(wheel.units(fitness[i])) : 0;
        Word own, all, before;
        if constexpr (OWN <= 8) {  // the sum fits 32 bits
            unsigned sum = 0;
#pragma unroll unrolled(OWN)
            for (int i = 0; i < OWN; ++i) sum += of_word[i];
            own = sum;
            all = group.small_sum(sum, before);
        } else {
            own = 0;
            for (int i = 0; i < OWN; ++i) own += of_word[i];
            all = group.sum(own, before);
        }
        Word stop = Wheel::spin(word, all) - before;
        bool here = stop < own;  // past the end in warps before the one
        int vertex = 0;
        if (here) vertex = find(walk, wheel, fitness, of_word, stop);
        return group.agree(here, vertex);
    }

  private:
    template <class Walk>
    static INLINE int find(const Walk& walk, const Wheel& wheel, const float (&fitness)[OWN],
                           const unsigned (&of_word)[OWN], Word stop) {
        int i = 0;
        unsigned sum = wheel.units(fitness[0]), left = 0;
        bool found = stop < of_word[0];
#pragma unroll unrolled(OWN)
        for (int next = 1; next < OWN; ++next) {
            if (!found) {
                stop -= of_word[next - 1];
                i = next;
                sum = wheel.units(fitness[next]);
                found = stop < of_word[next];
            }
        }
        left = unsigned(stop);
        sum = warp_prefix(sum, walk.lane);
        return LANES * (walk.first + i) + __ffs(__ballot_sync(ALL_LANES, sum > left)) - 1;
    }
};

// Stochastic trials: a vertex is drawn from the prefix sums of the static part of the fitness, and
// taken if it is a candidate, with a probability for the part that changes: d^alpha over the
// largest there is. After `most` trials in vain the wheel is turned.
//
// Each warp makes its own trial; of those that succeed, the one with the lowest number counts.
template <int OWN>
struct StochasticTrials {
    PrefixSums<OWN> wheel;
    unsigned short* excluded;  // d of all vertices, in shared memory
    int most, from;
    Word whole;

    INLINE StochasticTrials(void* shared, int most_)
        : wheel(shared, most_), excluded(static_cast<unsigned short*>(shared)), most(most_) {}

    template <class Walk>
    INLINE void look(const Walk& walk, const Choices& choices, int from_) {
        from = from_;
        whole = __ldcg(&choices.prefixes[choices.row(from) + walk.graph.n - 1]);
    }

    template <class Walk>
    INLINE int choose(const Group<>& group, const Walk& walk, const Choices& choices,
                      const Draws& draws, int step) {
        __shared__ int drawn[2][LANES];
        const Word* prefixes = choices.prefixes + choices.row(from);
        __syncwarp();  // a warp alone passes no barrier
#pragma unroll unrolled(OWN)
        for (int i = 0; i < OWN; ++i)
            if (walk.is_candidate(i))
                excluded[walk.vertex(i)] = static_cast<unsigned short>(walk.excluded[i]);
        int largest = int(group.largest(float(walk.most_excluded())));
        __syncwarp();
        if (largest == 0) return any_candidate(group, walk, wheel.spins.at(draws, step, walk.lane));
        float most_power = __ldg(&choices.powers[largest]);
        for (int trial = group.warp, round = 0; trial - group.warp < most;
             trial += group.warps, round ^= 1) {
            int vertex = -1;
            if (trial < most)
                vertex = try_once(walk, choices, draws, prefixes, most_power, step, trial);
            if (group.warps > 1) {
                if (walk.lane == 0) drawn[round][group.warp] = vertex;
                __syncthreads();
                vertex = walk.lane < group.warps ? drawn[round][walk.lane] : -1;
                unsigned taken = __ballot_sync(ALL_LANES, vertex >= 0);
                vertex = taken ? __shfl_sync(ALL_LANES, vertex, __ffs(taken) - 1) : -1;
            }
            if (vertex >= 0) return vertex;
        }
        wheel.look(walk, choices, from);
        return wheel.choose(group, walk, choices, draws, step);
    }

  private:
    // The vertex drawn, or -1 if it is not taken.
    template <class Walk>
    INLINE int try_once(const Walk& walk, const Choices& choices, const Draws& draws,
                        const Word* prefixes, float most_power, int step, int trial) const {
        Purpose purpose = static_cast<Purpose>(TRIAL | unsigned(trial >> 1) << 8);
        uint4 words = philox(draws.seed, step, draws.ant, draws.iteration, purpose);
        bool odd = trial & 1;
        Word stop = Wheel::spin(odd ? words.z : words.x, whole);
        int vertex = search(prefixes, walk.graph.n, stop, walk.lane);
        if (!walk.candidates.has(vertex)) return -1;
        float share = float((odd ? words.w : words.y) >> SPARE_BITS) * DRAW_UNIT;
        return share * most_power < __ldg(&choices.powers[excluded[vertex]]) ? vertex : -1;
    }

    // K-ary search with a warp, K = 32: the first prefix sum that is larger than `stop`.
    static INLINE int search(const Word* prefixes, int size, Word stop, int lane) {
        int first = 0;
        while (size > 1) {
            int stride = (size + LANES - 1) / LANES;
            int last = min((lane + 1) * stride, size) - 1;
            unsigned beyond = __ballot_sync(ALL_LANES, __ldcg(&prefixes[first + last]) > stop);
            int passed = (__ffs(beyond) - 1) * stride;
            first += passed;
            size = min(stride, size - passed);
        }
        return first;
    }
};

// Blocks have enough warps for each to own OWN words of vertices. `order` gets the vertices in the
// order of visits, or is null.
template <int ROWS, int OWN, template <int> class Selection>
__global__ void __launch_bounds__(LANES * LANES * ROWS / OWN, OWN == 1 || ROWS > 4 ? 1 : 2)
color_graph(const ColorGraph arguments) {
    const auto [n, words, seed, adjacency, columns, powers, info, prefixes, trials, colors, order,
                costs, state, first_ant] = arguments;
    extern __shared__ unsigned short shared[];
    __shared__ GroupMemory memory;
    int thread = threadIdx.x, ant = first_ant + blockIdx.x, lane = thread % LANES;
    Group<> group{memory, int(blockDim.x) / LANES, thread / LANES, lane};
    Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
    Graph graph{n, words, adjacency + lane};
    Choices choices{columns, powers, info, prefixes};
    Walk<ROWS, OWN> walk(graph, group.warp, lane);
    Selection<OWN> selection(shared, trials);
    StepWords starts{START};
    int* own_colors = row_of(colors, ant, n);
    int color = 0;
    for (int step = 0;; ++color) {
        walk.begin_class();
        unsigned word = starts.at(draws, step, lane);  // of n - step vertices any may be the first
        int vertex = walk.uncolored.nth(int(__umulhi(word, n - step)), lane);
        while (true) {
            if (thread == 0) {
                own_colors[vertex] = color;
                if (order) order[static_cast<long long>(ant) * n + step] = vertex;
            }
            bool more = walk.visit(vertex);
            ++step;
            if (!more) break;
            selection.look(walk, choices, vertex);
            walk.count();
            vertex = selection.choose(group, walk, choices, draws, step);
        }
        if (step == n) break;
    }
    Word cost = Word(color) + 1;
    if (thread == 0) costs[ant] = cost;
    if (group.warp == 0) report_tours(state, cost << ANT_BITS | Word(ant), cost, lane);
}

// How an ant of ACO-RLF draws the next vertex of a class: in proportion to d^alpha tau^beta
// (2017, equation 2), by prefix sums or by stochastic trials.
#pragma once

#include "gpu/cuda/kernels/choice.cuh"
#include "gpu/cuda/kernels/philox.cuh"
#include "gpu/cuda/kernels/wheel.cuh"
#include "walk.cuh"

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

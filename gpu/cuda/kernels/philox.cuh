// Philox4x32-10 (Salmon et al. 2011): random numbers that are a function of seed and counter, so
// that a draw depends on who draws it and when, not on the order in which threads run.
#pragma once

#include "portable.cuh"

struct Seed {
    unsigned low, high;
};

SELDOM uint4 philox(Seed seed, unsigned block, unsigned ant, unsigned iteration, Purpose purpose) {
    unsigned a = block, b = ant, c = iteration, d = purpose;
    unsigned key0 = seed.low, key1 = seed.high;
#pragma unroll
    for (int round = 0; round < PHILOX_ROUNDS; ++round) {
        unsigned high0 = __umulhi(PHILOX_MULTIPLIERS_0, a), low0 = PHILOX_MULTIPLIERS_0 * a;
        unsigned high1 = __umulhi(PHILOX_MULTIPLIERS_1, c), low1 = PHILOX_MULTIPLIERS_1 * c;
        a = high1 ^ b ^ key0;
        b = low1;
        c = high0 ^ d ^ key1;
        d = low0;
        key0 += PHILOX_KEY_STEPS_0;
        key1 += PHILOX_KEY_STEPS_1;
    }
    return make_uint4(a, b, c, d);
}

INLINE unsigned word_of(uint4 words, int index) {
    unsigned low = index & 1 ? words.y : words.x;
    unsigned high = index & 1 ? words.w : words.z;
    return index & 2 ? high : low;
}

// The draw of a word, an exact float32 in [0, 1).
INLINE float share_of(unsigned word) { return float(word >> SPARE_BITS) * DRAW_UNIT; }

// A whole number from 0 to limit - 1.
INLINE int below(unsigned word, int limit) { return int(__umulhi(word, unsigned(limit))); }

// An ant's random numbers in one iteration.
struct Draws {
    Seed seed;
    unsigned ant, iteration;

    // The city where the ant starts, uniform over n cities.
    INLINE int start(int n) const { return __umulhi(philox(seed, 0, ant, iteration, START).x, n); }

    // Which of 32 steps from `first` on, a multiple of 32, explore (q >= q0), one bit a step:
    // then a step costs the test of a bit. All lanes of the warp call this.
    INLINE unsigned explorations(int first, unsigned threshold, int lane) const {
        int step = first + lane;
        uint4 words = philox(seed, step >> 2, ant, iteration, EXPLOIT);
        return __ballot_sync(ALL_LANES, (word_of(words, step & 3) >> SPARE_BITS) >= threshold);
    }

    // What spins the roulette wheel at a step: 32 random bits.
    INLINE unsigned spin(int step) const {
        return word_of(philox(seed, step >> 2, ant, iteration, ROULETTE), step & 3);
    }
};

// Random numbers, and what is drawn by them; as gpu/core/random.py and gpu/cpu/philox.py have them.
#pragma once

#include "portable.cuh"

// Philox4x32-10 (Salmon et al. 2011): random numbers that are a function of seed and counter, so
// that a draw depends on who draws it and when, not on the order in which threads run.
struct Seed {
    unsigned low, high;
};

SELDOM uint4 philox(Seed seed, unsigned block, unsigned ant, unsigned iteration, Purpose purpose) {
    unsigned a = block, b = ant, c = iteration, d = purpose;
    unsigned key0 = seed.low, key1 = seed.high;
    UNROLL for (int round = 0; round < PHILOX_ROUNDS; ++round) {
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

// A random word for every city at a step, for selections without a wheel: one block of Philox a
// step, and five operations that make a word of it. See gpu.cpu.philox.own_word, which says why
// these are random enough.

struct OwnWords {
    uint4 key;

    INLINE OwnWords(const Draws& draws, int step, Purpose purpose)
        : key(philox(draws.seed, step, draws.ant, draws.iteration, purpose)) {
        key.x |= 1;
    }

    // The words of the step that another lane holds. All lanes of the warp call this.
    INLINE OwnWords(const OwnWords& mine, int lane)
        : key(make_uint4(
              __shfl_sync(ALL_LANES, mine.key.x, lane), __shfl_sync(ALL_LANES, mine.key.y, lane),
              __shfl_sync(ALL_LANES, mine.key.z, lane), __shfl_sync(ALL_LANES, mine.key.w, lane))) {
    }

    // The progression of words, at a city.
    INLINE unsigned at(int city) const { return key.x * unsigned(city) + key.y; }

    // The word of the city that is so many places later.
    INLINE unsigned from(unsigned x, int after) const {
        x += key.x * unsigned(after);
        unsigned long long product = x * static_cast<unsigned long long>(PHILOX_MULTIPLIERS_0);
        unsigned y = unsigned(product >> 32) ^ unsigned(product) ^ key.z;
        return y * PHILOX_MULTIPLIERS_1 + key.w;
    }

    INLINE unsigned of(int city) const { return from(at(city), 0); }

    // All bits of it flipped, at no more cost: odd_share() makes 1 - u of it.
    INLINE unsigned complement_of(int city) const {
        unsigned long long product =
            at(city) * static_cast<unsigned long long>(PHILOX_MULTIPLIERS_0);
        unsigned y = unsigned(product >> 32) ^ unsigned(product) ^ key.z;
        return y * (0u - PHILOX_MULTIPLIERS_1) + ~key.w;
    }
};

// A number in [1, 2) whose 23 bits after the point are the highest of a word.
INLINE float one_and_share(unsigned word) {
    return __uint_as_float(__funnelshift_r(word, 0x7fu, 9));
}

// An odd multiple of 2^-24 in (0, 1), of the same bits. It is exact, and needs no conversion from a
// whole number, which takes four times as long as an addition.
INLINE float odd_share(unsigned word) { return one_and_share(word) - (1.0f - 0x1p-24f); }

// A logarithm that is the same on all devices, in the emulation and on the CPU: a fixed sequence of
// float32 operations, that of gpu/cpu/random_keys.py.

// -log2(u) for u in (0, 1).
INLINE float minus_log2(float u) {
    int bits = int(__float_as_uint(u));
    int exponent = (bits - ROOT_HALF_BITS) >> 23;
    float f = __uint_as_float(unsigned(bits) - (unsigned(exponent) << 23)) - 1.0f;
    float sum = LOG2_TERMS_7;
    sum = sum * f + LOG2_TERMS_6;
    sum = sum * f + LOG2_TERMS_5;
    sum = sum * f + LOG2_TERMS_4;
    sum = sum * f + LOG2_TERMS_3;
    sum = sum * f + LOG2_TERMS_2;
    sum = sum * f + LOG2_TERMS_1;
    sum = sum * f + LOG2_TERMS_0;
    return float(-exponent) - f * sum;
}

// A random word for every city at a step, for selections without a wheel: one block of Philox a
// step, and five operations that make a word of it. See gpu.cpu.philox.own_word, which says why
// these are random enough.
#pragma once

#include "gpu/cuda/kernels/philox.cuh"

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
};

// A number in [1, 2) whose 23 bits after the point are the highest of a word.
INLINE float one_and_share(unsigned word) {
    return __uint_as_float(__funnelshift_r(word, 0x7fu, 9));
}

// An odd multiple of 2^-24 in (0, 1), of the same bits. It is exact, and needs no conversion from a
// whole number, which takes four times as long as an addition.
INLINE float odd_share(unsigned word) { return one_and_share(word) - (1.0f - 0x1p-24f); }

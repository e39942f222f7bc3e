// Philox4x32-10 (Salmon et al. 2011): random numbers that are a function of seed and counter, so
// that a draw depends on who draws it and when, not on the order in which threads run.
#pragma once

#include "portable.cuh"

enum Purpose : unsigned { START_CITY = 0, EXPLOITATION = 1, ROULETTE = 2 };

struct Seed {
    unsigned low, high;
};

__device__ __forceinline__ uint4 philox(Seed seed, unsigned block, unsigned ant,
                                        unsigned iteration, Purpose purpose) {
    unsigned a = block, b = ant, c = iteration, d = purpose;
    unsigned key0 = seed.low, key1 = seed.high;
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        unsigned high0 = __umulhi(0xD2511F53u, a), low0 = 0xD2511F53u * a;
        unsigned high1 = __umulhi(0xCD9E8D57u, c), low1 = 0xCD9E8D57u * c;
        a = high1 ^ b ^ key0;
        b = low1;
        c = high0 ^ d ^ key1;
        d = low0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return make_uint4(a, b, c, d);
}

__device__ __forceinline__ unsigned word_of(uint4 words, int index) {
    unsigned low = index & 1 ? words.y : words.x;
    unsigned high = index & 1 ? words.w : words.z;
    return index & 2 ? high : low;
}

// The city where an ant starts, uniform over n cities.
__device__ __forceinline__ int draw_start(Seed seed, unsigned ant, unsigned iteration, int n) {
    return __umulhi(philox(seed, 0, ant, iteration, START_CITY).x, n);
}

// The roulette wheel's number for a step, uniform in [0, 1) with 24 bits.
__device__ __forceinline__ float draw_roulette(Seed seed, unsigned ant, unsigned iteration,
                                               int step) {
    uint4 words = philox(seed, step >> 2, ant, iteration, ROULETTE);
    return static_cast<float>(word_of(words, step & 3) >> 8) * 5.9604644775390625e-8f;
}

// Which of the next 128 steps explore (q >= q0), one bit a step: one Philox call a lane serves
// 128 steps, and a step costs the test of one bit.
struct ExplorationBits {
    unsigned bits[4];

    // `first` is the first of the 128 steps, a multiple of 128; all lanes of the warp call this.
    __device__ __forceinline__ void draw(Seed seed, unsigned ant, unsigned iteration, int first,
                                         unsigned threshold, int lane) {
        uint4 words = philox(seed, (first >> 2) + lane, ant, iteration, EXPLOITATION);
        bits[0] = __ballot_sync(ALL_LANES, (words.x >> 8) >= threshold);
        bits[1] = __ballot_sync(ALL_LANES, (words.y >> 8) >= threshold);
        bits[2] = __ballot_sync(ALL_LANES, (words.z >> 8) >= threshold);
        bits[3] = __ballot_sync(ALL_LANES, (words.w >> 8) >= threshold);
    }

    __device__ __forceinline__ bool explores(int step) const {
        unsigned low = step & 1 ? bits[1] : bits[0];
        unsigned high = step & 1 ? bits[3] : bits[2];
        return ((step & 2 ? high : low) >> (step >> 2 & 31)) & 1;
    }
};

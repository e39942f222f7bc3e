// Tabu policies: which cities an ant has visited.
#pragma once

#include "portable.cuh"

// One bit a city. A warp shares it; after mark() the warp must synchronize before it asks again.
struct BitTabu {
    unsigned* bits;
    int words;

    __device__ __forceinline__ BitTabu(unsigned* bits_, int n)
        : bits(bits_), words((n + LANES - 1) / LANES) {}

    // Nothing visited; the bits beyond n count as visited, so that no scan ever finds them.
    __device__ __forceinline__ void clear(int n, int lane) {
        for (int word = lane; word < words; word += LANES)
            bits[word] = word == words - 1 && n % LANES ? ~0u << n % LANES : 0;
        __syncwarp();
    }

    __device__ __forceinline__ bool visited(int city) const {
        return bits[city >> 5] >> (city & 31) & 1;
    }

    // Called by one lane.
    __device__ __forceinline__ void mark(int city) { bits[city >> 5] |= 1u << (city & 31); }
};

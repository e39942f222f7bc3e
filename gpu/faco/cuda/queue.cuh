// The cities that wait to look for a move.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

constexpr int MOST_WAITING = 128;  // a power of two

// A city and its place in the source.
struct alignas(8) Waiting {
    int place, city;
};

struct Queue {
    Waiting* ring;  // shared, MOST_WAITING
    int lane;
    int head = 0, count = 0;

    INLINE const Waiting& at(int i) const { return ring[(head + i) & (MOST_WAITING - 1)]; }

    INLINE void put(int i, Waiting waiting) const {
        ring[(head + i) & (MOST_WAITING - 1)] = waiting;
    }

    INLINE void drop(int cities) {
        head += cities;
        count -= cities;
    }

    // Lets the cities of the first lanes wait, unless they do. All lanes of the warp call this.
    INLINE void add(Waiting waiting, int cities) {
        unsigned fresh = 0;
        for (int i = 0; i < cities; ++i) {
            int city = __shfl_sync(ALL_LANES, waiting.city, i);
            bool there = false;
            for (int j = lane; j < count; j += LANES) there = there || at(j).city == city;
            if (!__any_sync(ALL_LANES, there)) fresh |= 1u << i;
        }
        if (fresh >> lane & 1) put(count + __popc(fresh & ((1u << lane) - 1)), waiting);
        count += __popc(fresh);
        __syncwarp();
    }
};

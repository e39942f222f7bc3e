// What the threads of a block do together.
#pragma once

#include "colony_state.cuh"
#include "portable.cuh"

// What the warps of a group share. A step has three barriers, each between writing and reading one
// of these, so that none is written again before all have read it.
struct GroupMemory {
    unsigned tops[LANES];
    union {
        Word sums[LANES];
        unsigned small_sums[LANES];
        Word bests[LANES];
    };
    int city;
};

// The largest, the sum and the choice of all threads of a group of `warps` warps. All threads of
// the group call these together. A group that is known to be ALONE is one warp, which needs no
// barrier.
template <bool ALONE = false>
struct Group {
    GroupMemory& memory;
    int warps, warp, lane;

    INLINE int size() const { return ALONE ? 1 : warps; }
    INLINE int number() const { return ALONE ? 0 : warp; }

    // Waits until all have done what comes before.
    INLINE void meet() const {
        if (size() > 1)
            __syncthreads();
        else
            __syncwarp();
    }

    // A float that is not negative.
    INLINE float largest(float mine) const {
        unsigned top = warp_max(__float_as_uint(mine));
        if (size() > 1) {
            if (lane == 0) memory.tops[warp] = top;
            __syncthreads();
            top = warp_max(lane < warps ? memory.tops[lane] : 0);
        }
        return __uint_as_float(top);
    }

    // The sum over all warps; `before` becomes that over the warps before this one.
    INLINE Word sum(Word of_warp, Word& before) const {
        before = 0;
        if (size() == 1) return of_warp;
        if (lane == 0) memory.sums[warp] = of_warp;
        __syncthreads();
        Word all = 0;
        for (int other = 0; other < warps; ++other) {
            Word sum = memory.sums[other];
            before += other < warp ? sum : 0;
            all += sum;
        }
        return all;
    }

    // The same if the sum of each warp fits 32 bits.
    INLINE Word small_sum(unsigned of_warp, Word& before) const {
        before = 0;
        if (size() == 1) return of_warp;
        if (lane == 0) memory.small_sums[warp] = of_warp;
        __syncthreads();
        unsigned theirs = lane < warps ? memory.small_sums[lane] : 0;
        before = by_halves(lane < warp ? theirs : 0);
        return by_halves(theirs);
    }

    // The city of the largest key, the lowest such city on a tie; keys are not negative. MEETS: the
    // group meets before it calls this again.
    template <bool MEETS = false>
    INLINE int first_of_largest(float key, int city) const {
        unsigned bits = __float_as_uint(key), top = warp_max(bits);
        unsigned first = warp_min(bits == top ? unsigned(city) : ~0u);
        if (size() == 1) return int(first);
        if (lane == 0) memory.bests[warp] = Word(top) << 32 | ~first;
        __syncthreads();
        Word best = memory.bests[0];
        for (int other = 1; other < warps; ++other) best = max(best, memory.bests[other]);
        if (!MEETS) __syncthreads();  // they may be written again at once
        return int(~unsigned(best));
    }

    // The city that one warp has `chosen`; `city` is read in that warp only.
    INLINE int agree(bool chosen, int city) const {
        if (size() == 1) return city;
        if (chosen && lane == 0) memory.city = city;
        __syncthreads();
        return memory.city;
    }

  private:
    // The sum over the lanes, which may not fit 32 bits.
    static INLINE Word by_halves(unsigned value) {
        return (Word(warp_total(value >> 16)) << 16) + warp_total(value & 0xffff);
    }
};

// A block numbers those of its threads that are chosen, in their order.
struct Numbering {
    int* sums;  // (33,), shared

    // What the values of the threads before this one add up to; `total` of all. All threads call
    // it.
    INLINE int before(int value, int& total) const {
        int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
        int upto = warp_prefix(value, lane);
        __syncthreads();
        if (lane == LANES - 1) sums[warp] = upto;
        __syncthreads();
        if (warp == 0) {
            int own = lane < int(blockDim.x) / LANES ? sums[lane] : 0;
            int all = warp_prefix(own, lane);
            __syncwarp();
            sums[lane] = all - own;
            if (lane == LANES - 1) sums[LANES] = all;
        }
        __syncthreads();
        total = sums[LANES];
        return sums[warp] + upto - value;
    }
};

// Numbers for what the threads of a block choose.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

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

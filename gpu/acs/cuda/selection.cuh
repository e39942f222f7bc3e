// Selection policies over the 32 candidates that a warp holds, one a lane.
#pragma once

#include "gpu/cuda/kernels/wheel.cuh"

// A weight as an unsigned number of the same order; 0 for a city that may not be chosen.
// Weights are positive, so their bits compare as the numbers do.
INLINE unsigned weight_key(float weight, bool free) {
    return free ? __float_as_uint(weight) + 1 : 0;
}

// Equation 1 of the 2016 paper, greedy case: the city of the largest key, the lowest such city on
// a tie. A second reduction is faster than ballot, find-first-set and shuffle.
INLINE int best_city(unsigned key, unsigned top, int city) {
    return warp_min(key == top ? unsigned(city) : ~0u);
}

// The same, faster: the key has the lane in place of the weight's last bits, so that one reduction
// finds both. The result is certain unless another key is equal without the lane, or a lane has a
// rival that is no candidate.
INLINE unsigned hasty_key(float weight, bool free, int lane) {
    return free ? (__float_as_uint(weight) & ~(LANES - 1u)) | (LANES - 1 - lane) : 0;
}

INLINE int hasty_lane(unsigned top) { return ~top & (LANES - 1); }

INLINE bool stands(unsigned key, unsigned top, int lane, bool unrivalled = true) {
    return __all_sync(ALL_LANES, unrivalled && ((key ^ top) < LANES) == (lane == hasty_lane(top)));
}

// Whether a weight that is no candidate's is less than that of the hasty key `top`, for certain.
INLINE bool is_below(float weight, unsigned top) {
    return (__float_as_uint(weight) | (LANES - 1u)) < top;
}

// Equation 2: the lane drawn by the roulette wheel that a random word spins; `weight` is 0 where
// the city may not be chosen, and `top` the largest weight_key(). Parts of the wheel are whole
// numbers, see wheel.cuh: at most 2^28 in all, and none is 0 where the city may be chosen.
INLINE int roulette_lane(float weight, unsigned top, unsigned word, int lane) {
    unsigned prefix = warp_prefix(Wheel(__uint_as_float(top - 1)).units(weight), lane);
    unsigned stop = __umulhi(word, __shfl_sync(ALL_LANES, prefix, LANES - 1));
    return __ffs(__ballot_sync(ALL_LANES, prefix > stop)) - 1;
}

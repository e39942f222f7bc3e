// The roulette wheel of the Ant Systems, made of whole numbers: equation 1 of the 2013 paper.
//
// A sum of floats depends on the order of the additions, and every strategy of the papers has its
// own order. So weights are measured in whole units of 2^-23 of the largest one (rounded up to a
// power of two). Then sums are exact: one thread, a group, tiles and a CPU all turn the same wheel
// and build the same tours. Units are rounded up, so that every city with a weight can be drawn, as
// long as there are no more than 2^32 units: the wheel is turned by 32 random bits.
#pragma once

#include "colony_state.cuh"

// The unit of one wheel, from the largest weight on it. Weights are in [2^-100, 2^100], so that
// the scale is a normal number; a wheel with nothing on it may be given 0.
struct Wheel {
    float scale;  // 2^(23 - e), where 2^(e - 1) <= largest < 2^e

    INLINE explicit Wheel(float largest)
        : scale(__uint_as_float((SCALE_BITS - (__float_as_uint(largest) >> 23)) << 23)) {}

    // A weight in units, rounded up: at most 2^23, and 0 for 0 alone. Between 2^23 and 2^24 floats
    // are the whole numbers, so that adding 2^23 rounds.
    INLINE unsigned units(float weight) const { return units_over_base(weight) - ROUNDER_BITS; }

    // The same and ROUNDER_BITS, which may be taken off a sum in one go.
    INLINE unsigned units_over_base(float weight) const {
        return __float_as_uint(__fmaf_ru(weight, scale, ROUNDER));
    }

    // Where the wheel stops, word * sum / 2^32: uniform over [0, sum), of which it does not reach
    // every number if there are more than 2^32. The slot it stops in is the first whose inclusive
    // prefix sum is larger.
    static INLINE Word spin(unsigned word, Word sum) {
        // Without held(), ptxas joins it with a subtraction that may follow, and loses the borrow.
        unsigned low = here_and_now(__umulhi(word, unsigned(sum)));
        return Word(word) * (sum >> 32) + low;
    }
};

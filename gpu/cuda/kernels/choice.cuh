// The random proportional rule, equation 1 of the 2013 paper: the weights trail^alpha * eta^beta,
// and the roulette wheel.
#pragma once

#include "colony_state.cuh"
#include "portable.cuh"

// trail^alpha for a whole alpha: a repeated product, rounded as on the CPU.
struct WholePower {
    int alpha;

    INLINE explicit WholePower(double exponent) : alpha(int(exponent)) {}

    INLINE float operator()(float trail) const {
        float power = 1.0f;
        for (int factor = 0; factor < alpha; ++factor) power = power * trail;
        return power;
    }
};

struct RealPower {
    double alpha;

    INLINE explicit RealPower(double exponent) : alpha(exponent) {}

    INLINE float operator()(float trail) const { return float(pow(double(trail), alpha)); }
};

// What the GPU's own logarithm and exponential make of it: right to about five digits.
struct FastPower {
    float alpha;

    INLINE explicit FastPower(double exponent) : alpha(float(exponent)) {}

    INLINE float operator()(float trail) const { return __powf(trail, alpha); }
};

// Weights stay this far from the ends of float32, so that a roulette wheel can scale them without
// overflow, and none becomes a subnormal number, which a GPU takes for 0 and a CPU does not.
INLINE float choice(float power, float heuristic) {
    return heuristic > 0.0f ? fminf(fmaxf(power * heuristic, LIGHTEST), HEAVIEST) : 0.0f;
}

// Weights of half precision: the upper 16 bits of a float32 (8 significant ones), rounded to the
// nearest, on a tie to the even one. The caches hold twice as much of such a matrix.

INLINE unsigned half_bits(float weight) {
    unsigned bits = __float_as_uint(weight);
    return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

INLINE float rounded_to_half(float weight) { return __uint_as_float(half_bits(weight) << 16); }

// The roulette wheel of the Ant Systems, made of whole numbers: equation 1 of the 2013 paper.
//
// A sum of floats depends on the order of the additions, and every strategy of the papers has its
// own order. So weights are measured in whole units of 2^-23 of the largest one (rounded up to a
// power of two). Then sums are exact: one thread, a group, tiles and a CPU all turn the same wheel
// and build the same tours. Units are rounded up, so that every city with a weight can be drawn, as
// long as there are no more than 2^32 units: the wheel is turned by 32 random bits.

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

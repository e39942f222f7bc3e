// The random proportional rule's weights, trail^alpha * eta^beta: equation 1 of the 2013 paper.
#pragma once

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

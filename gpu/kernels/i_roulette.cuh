// I-Roulette (2013, Section 3.2.3): every city draws a number of its own, and the largest product
// of number and weight wins. It can be reduced in parallel, but favours heavy weights more than
// the random proportional rule does.
#pragma once

#include "philox.cuh"

struct IndependentDraws {
    Draws draws;

    // The numbers of cities 4 quad to 4 quad + 3 at a step, times 2^24, which changes no order.
    __device__ __forceinline__ float4 at(int step, int quad) const {
        Purpose purpose = static_cast<Purpose>(INDEPENDENT | static_cast<unsigned>(step) << 8);
        uint4 words = philox(draws.seed, quad, draws.ant, draws.iteration, purpose);
        return make_float4(number(words.x), number(words.y), number(words.z), number(words.w));
    }

  private:
    static constexpr unsigned INDEPENDENT = 3;  // a purpose for every step

    // Never 0, so that every city has a chance.
    static __device__ __forceinline__ float number(unsigned word) {
        return static_cast<float>(word >> 8 | 1);
    }
};

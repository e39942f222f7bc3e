// A logarithm that is the same on all devices, in the emulation and on the CPU: a fixed sequence of
// float32 operations, that of gpu/cpu/random_keys.py.
#pragma once

#include "portable.cuh"

// -log2(u) for u in (0, 1).
INLINE float minus_log2(float u) {
    int bits = int(__float_as_uint(u));
    int exponent = (bits - ROOT_HALF_BITS) >> 23;
    float f = __uint_as_float(unsigned(bits) - (unsigned(exponent) << 23)) - 1.0f;
    float sum = LOG2_TERMS_7;
    sum = sum * f + LOG2_TERMS_6;
    sum = sum * f + LOG2_TERMS_5;
    sum = sum * f + LOG2_TERMS_4;
    sum = sum * f + LOG2_TERMS_3;
    sum = sum * f + LOG2_TERMS_2;
    sum = sum * f + LOG2_TERMS_1;
    sum = sum * f + LOG2_TERMS_0;
    return float(-exponent) - f * sum;
}

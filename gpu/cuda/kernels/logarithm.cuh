// A logarithm that is the same on all devices, in the emulation and on the CPU: a fixed sequence of
// float32 operations, that of gpu/construction/cpu/random_keys.py.
#pragma once

#include "portable.cuh"

// -log2(u) for u in (0, 1).
INLINE float minus_log2(float u) {
    constexpr int ROOT_HALF_BITS = 0x3f3504f3;
    int bits = int(__float_as_uint(u));
    int exponent = (bits - ROOT_HALF_BITS) >> 23;
    float f = __uint_as_float(unsigned(bits) - (unsigned(exponent) << 23)) - 1.0f;
    float sum = -0.14580276608467102f;
    sum = sum * f + 0.2340385615825653f;
    sum = sum * f + -0.2488781213760376f;
    sum = sum * f + 0.2870992124080658f;
    sum = sum * f + -0.36023959517478943f;
    sum = sum * f + 0.48092323541641235f;
    sum = sum * f + -0.7213528156280518f;
    sum = sum * f + 1.4426950216293335f;
    return float(-exponent) - f * sum;
}

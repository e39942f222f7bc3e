// Weights of half precision: the upper 16 bits of a float32 (8 significant ones), rounded to the
// nearest, on a tie to the even one. The caches hold twice as much of such a matrix.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

INLINE unsigned half_bits(float weight) {
    unsigned bits = __float_as_uint(weight);
    return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

INLINE float rounded_to_half(float weight) { return __uint_as_float(half_bits(weight) << 16); }

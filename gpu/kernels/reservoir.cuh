// Weighted reservoir sampling (2020, Section 4.2.2): every city draws a u of its own in (0, 1), and
// the one with the smallest -log2(u) / w wins, with a probability in proportion to its weight w.
//
// The logarithm is a fixed sequence of float32 operations, so that the CPU draws the same cities.
// Weights come as their inverses, which are made once an iteration.
#pragma once

#include "group.cuh"
#include "own_words.cuh"

struct Reservoir {
    // -log2(u) for the u in (0, 1) that a word stands for; see gpu.random.minus_log2.
    static __device__ __forceinline__ float minus_log2(unsigned word) {
        float u = odd_share(word);
        int bits = static_cast<int>(__float_as_uint(u));
        int exponent = (bits - ROOT_HALF_BITS) >> 23;
        float f =
            __uint_as_float(static_cast<unsigned>(bits) - (static_cast<unsigned>(exponent) << 23)) -
            1.0f;
        float sum = -0.14580276608467102f;
        sum = sum * f + 0.2340385615825653f;
        sum = sum * f + -0.2488781213760376f;
        sum = sum * f + 0.2870992124080658f;
        sum = sum * f + -0.36023959517478943f;
        sum = sum * f + 0.48092323541641235f;
        sum = sum * f + -0.7213528156280518f;
        sum = sum * f + 1.4426950216293335f;
        return static_cast<float>(-exponent) - f * sum;
    }

    // A little less than -log2(u), for it is at least (1 - u) / ln 2: what cannot win by this need
    // have no logarithm taken.
    static __device__ __forceinline__ float bound(unsigned word) {
        return (1.0f - odd_share(word)) * 1.4426f;
    }

  private:
    static constexpr int ROOT_HALF_BITS = 0x3f3504f3;
};

// The best of the cities that a thread has looked at.
struct Sample {
    float key;
    int city, place;

    __device__ __forceinline__ static Sample none() {
        return {__uint_as_float(0x7f800000u), 0x7fffffff, 0};
    }

    // Ties go to the lowest city.
    __device__ __forceinline__ void offer(float other, int its_city, int its_place) {
        bool better = other < key || (other == key && its_city < city);
        key = better ? other : key;
        city = better ? its_city : city;
        place = better ? its_place : place;
    }

    // The city of the best sample of the group.
    __device__ __forceinline__ int winner(const Group<>& group) const {
        return group.first_of_largest(__uint_as_float(0x7f800000u - __float_as_uint(key)), city);
    }
};

// Wheel order policy: all cities in the order of their numbers, with one tabu bit each.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

// The bits are in shared memory, or in global memory where each step is a launch of its own. Cities
// that do not exist count as visited.
struct NumberedCities {
    unsigned* visited;
    int* tour;
    int n;

    // `bits` is null for bits in shared memory.
    INLINE NumberedCities(void* shared, unsigned* bits, int* tour_, int n_)
        : visited(bits ? bits : static_cast<unsigned*>(shared)), tour(tour_), n(n_) {}

    static constexpr bool SHORTENS = false;  // the same for all steps

    INLINE float weight(const float* row, int place) const {
        return visited[place / 32] >> place % 32 & 1 ? 0.0f : __ldg(row + place);
    }

    INLINE float weight_if_any(const float* row, int place) const {
        return place < n ? weight(row, place) : 0.0f;
    }

    INLINE int city(int place) const { return place; }

    INLINE void begin(int start, int padding) const {
        for (int word = threadIdx.x; 32 * word < n + padding; word += blockDim.x) {
            int left = n - 32 * word;
            unsigned none = left <= 0 ? ~0u : left < 32 ? ~0u << left : 0;
            visited[word] = none | (start / 32 == word ? 1u << start % 32 : 0);
        }
        if (threadIdx.x == 0) tour[0] = start;
    }

    INLINE void take(int, int city, int step) const {
        visited[city / 32] |= 1u << city % 32;
        tour[step] = city;
    }

    INLINE void finish(int*, int) const {}
};

// Wheel order policy: the compact tabu CT (2020, Section 4.1). It needs half the memory of a tour
// list that also knows the place of each city.
//
// As in the paper, but counted from the other end, so that its order is that of the tour list
// (tour_list.cuh): entries from the cursor on are the unvisited cities. A city whose own entry is
// there is unvisited if the entry is the city itself. The entry of another city says where it is,
// or that it is visited.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

struct CompactList {
    static constexpr unsigned short VISITED = 0xffff;
    unsigned short* entries;
    int* tour;
    int n;

    __device__ __forceinline__ CompactList(void* shared, unsigned*, int* tour_, int n_)
        : entries(static_cast<unsigned short*>(shared)), tour(tour_), n(n_) {}

    static constexpr bool SHORTENS = true;  // fewer places with each step

    __device__ __forceinline__ float weight(const float* row, int place) const {
        return __ldg(row + static_cast<unsigned>(entries[place]));
    }

    // For places that may lie behind the padding.
    __device__ __forceinline__ float weight_if_any(const float* row, int place) const {
        return place < n ? weight(row, place) : 0.0f;
    }

    __device__ __forceinline__ int city(int place) const { return entries[place]; }

    // All threads of the block call this.
    __device__ __forceinline__ void begin(int start, int padding) const {
        fill(start, padding, threadIdx.x, blockDim.x);
        if (threadIdx.x == 0) tour[0] = start;
    }

    // All of so many threads call this.
    __device__ __forceinline__ void fill(int start, int padding, int thread, int threads) const {
        for (int i = thread; i < n + padding; i += threads) {
            int entry = i == start ? 0 : min(i, n);
            if (i == 0) entry = start == 0 ? VISITED : start;
            entries[i] = static_cast<unsigned short>(entry);
        }
    }

    // One thread calls this.
    __device__ __forceinline__ void take(int place, int city, int step) const {
        tour[step] = city;
        drop(place, city, step);
    }

    // The first unvisited city moves to the place of the one that is visited, unless it is that.
    __device__ __forceinline__ void drop(int place, int city, int step) const {
        unsigned short first = entries[step];
        if (place != step) entries[place] = first;
        entries[step] = VISITED;
        if (place != step) entries[first] = static_cast<unsigned short>(place);
        if (city < step) entries[city] = VISITED;
    }

    __device__ __forceinline__ bool visited(int city, int step) const {
        return city < step ? entries[city] == VISITED : entries[city] != city;
    }

    // Of an unvisited city.
    __device__ __forceinline__ int place_of(int city, int step) const {
        return city < step ? entries[city] : city;
    }

    __device__ __forceinline__ void finish(int*, int) const {}
};

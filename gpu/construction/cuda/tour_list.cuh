// Wheel order policy: the tour list (2017, Definitions 1 to 3). It contains all cities. Those
// before the cursor are the tour so far, in order; the others are unvisited. A step swaps the next
// city to the cursor.
//
// An ant looks at unvisited cities only: the fewer there are, the less work is a step.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

// The list in shared memory, two bytes a city: for fewer than 65536 cities. Behind the end it holds
// n, where rows of weights have a 0, in as many places as a group may read there.
struct SharedList {
    unsigned short* cities;
    int n;

    __device__ __forceinline__ SharedList(void* shared, unsigned*, int*, int n_)
        : cities(static_cast<unsigned short*>(shared)), n(n_) {}

    static constexpr bool SHORTENS = true;  // fewer places with each step

    __device__ __forceinline__ float weight(const float* row, int place) const {
        return __ldg(row + static_cast<unsigned>(cities[place]));
    }

    // For places that may lie behind the padding.
    __device__ __forceinline__ float weight_if_any(const float* row, int place) const {
        return place < n ? weight(row, place) : 0.0f;
    }

    __device__ __forceinline__ int city(int place) const { return cities[place]; }

    // Definition 1, with the start city swapped to the front. All threads of the block call this.
    __device__ __forceinline__ void begin(int start, int padding) const {
        for (int i = threadIdx.x; i < n + padding; i += blockDim.x)
            cities[i] = static_cast<unsigned short>(i == 0 ? start : i == start ? 0 : min(i, n));
    }

    // Definition 3. One thread calls this.
    __device__ __forceinline__ void take(int place, int city, int step) const {
        cities[place] = cities[step];
        cities[step] = static_cast<unsigned short>(city);
    }

    // One warp writes the tour.
    __device__ __forceinline__ void finish(int* tour, int lane) const {
        for (int i = lane; i < n; i += LANES) tour[i] = cities[i];
        __syncwarp();
    }
};

// The list in global memory, in the place of the tour.
struct GlobalList {
    int* cities;
    int n;

    __device__ __forceinline__ GlobalList(void*, unsigned*, int* tour, int n_)
        : cities(tour), n(n_) {}

    static constexpr bool SHORTENS = true;  // fewer places with each step

    __device__ __forceinline__ float weight(const float* row, int place) const {
        return weight_if_any(row, place);
    }

    __device__ __forceinline__ float weight_if_any(const float* row, int place) const {
        return place < n ? __ldg(row + cities[place]) : 0.0f;
    }

    __device__ __forceinline__ int city(int place) const { return cities[place]; }

    __device__ __forceinline__ void begin(int start, int) const {
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            cities[i] = i == 0 ? start : i == start ? 0 : i;
    }

    __device__ __forceinline__ void take(int place, int city, int step) const {
        cities[place] = cities[step];
        cities[step] = city;
    }

    __device__ __forceinline__ void finish(int*, int) const {}
};

// Wheel order policy: the tour list (2017, Definitions 1 to 3). It contains all cities. Those
// before the cursor are the tour so far, in order; the others are unvisited. A step swaps the next
// city to the cursor.
//
// An ant looks at unvisited cities only: the fewer there are, the less work is a step.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

// A list in shared memory, two bytes an entry: for fewer than 65536 cities. Behind the end it holds
// n, where rows of weights have a 0, in as many places as a group may read there.
struct EntriesInShared {
    static constexpr bool SHORTENS = true;  // fewer places with each step
    unsigned short* entries;
    int n;

    INLINE float weight(const float* row, int place) const {
        return __ldg(row + unsigned(entries[place]));
    }

    // For places that may lie behind the padding.
    INLINE float weight_if_any(const float* row, int place) const {
        return place < n ? weight(row, place) : 0.0f;
    }

    INLINE int city(int place) const { return entries[place]; }
};

struct SharedList : EntriesInShared {
    INLINE SharedList(void* shared, unsigned*, int*, int n_)
        : EntriesInShared{static_cast<unsigned short*>(shared), n_} {}

    // Definition 1, with the start city swapped to the front. All threads of the block call this.
    INLINE void begin(int start, int padding) const {
        for (int i = threadIdx.x; i < n + padding; i += blockDim.x)
            entries[i] = static_cast<unsigned short>(i == 0 ? start : i == start ? 0 : min(i, n));
    }

    // Definition 3. One thread calls this.
    INLINE void take(int place, int city, int step) const {
        entries[place] = entries[step];
        entries[step] = static_cast<unsigned short>(city);
    }

    // One warp writes the tour.
    INLINE void finish(int* tour, int lane) const {
        for (int i = lane; i < n; i += LANES) tour[i] = entries[i];
        __syncwarp();
    }
};

// The list in global memory, in the place of the tour.
struct GlobalList {
    int* cities;
    int n;

    INLINE GlobalList(void*, unsigned*, int* tour, int n_) : cities(tour), n(n_) {}

    static constexpr bool SHORTENS = true;  // fewer places with each step

    INLINE float weight(const float* row, int place) const { return weight_if_any(row, place); }

    INLINE float weight_if_any(const float* row, int place) const {
        return place < n ? __ldg(row + cities[place]) : 0.0f;
    }

    INLINE int city(int place) const { return cities[place]; }

    INLINE void begin(int start, int) const {
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            cities[i] = i == 0 ? start : i == start ? 0 : i;
    }

    INLINE void take(int place, int city, int step) const {
        cities[place] = cities[step];
        cities[step] = city;
    }

    INLINE void finish(int*, int) const {}
};

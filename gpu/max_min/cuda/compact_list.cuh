// Wheel order policy: the compact tabu CT (2020, Section 4.1). It needs half the memory of a tour
// list that also knows the place of each city.
//
// As in the paper, but counted from the other end, so that its order is that of the tour list
// (tour_list.cuh): entries from the cursor on are the unvisited cities. A city whose own entry is
// there is unvisited if the entry is the city itself. The entry of another city says where it is,
// or that it is visited.
#pragma once

#include "gpu/construction/cuda/tour_list.cuh"

struct CompactList : EntriesInShared {
    static constexpr unsigned short VISITED = 0xffff;
    int* tour;

    INLINE CompactList(void* shared, unsigned*, int* tour_, int n_)
        : EntriesInShared{static_cast<unsigned short*>(shared), n_}, tour(tour_) {}

    // All threads of the block call this.
    INLINE void begin(int start, int padding) const {
        fill(start, padding, threadIdx.x, blockDim.x);
        if (threadIdx.x == 0) tour[0] = start;
    }

    // All of so many threads call this.
    INLINE void fill(int start, int padding, int thread, int threads) const {
        for (int i = thread; i < n + padding; i += threads) {
            int entry = i == start ? 0 : min(i, n);
            if (i == 0) entry = start == 0 ? VISITED : start;
            entries[i] = static_cast<unsigned short>(entry);
        }
    }

    // One thread calls this.
    INLINE void take(int place, int city, int step) const {
        tour[step] = city;
        drop(place, city, step);
    }

    // The first unvisited city moves to the place of the one that is visited, unless it is that.
    INLINE void drop(int place, int city, int step) const {
        unsigned short first = entries[step];
        if (place != step) entries[place] = first;
        entries[step] = VISITED;
        if (place != step) entries[first] = static_cast<unsigned short>(place);
        if (city < step) entries[city] = VISITED;
    }

    INLINE void finish(int*, int) const {}
};

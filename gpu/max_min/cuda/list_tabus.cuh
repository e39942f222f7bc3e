// Tabu policies for ants with candidate lists, a warp an ant (2020, Section 4.1): whether a city is
// visited, and which are not.
//
// seen() reads of a city what says whether it is visited, and what mark() can use. All lanes must
// have called it, and synchronize, before one of them marks; then the warp must synchronize
// again. unvisited_of(eight) has a bit for each of the cities from 8 eight on.
#pragma once

#include "compact_list.cuh"
#include "gpu/cuda/kernels/portable.cuh"

// BT: a bit a city.
struct BitmaskTabu {
    unsigned* bits;

    __device__ __forceinline__ BitmaskTabu(void* shared, int)
        : bits(static_cast<unsigned*>(shared)) {}

    // Numbers of no city count as visited.
    __device__ __forceinline__ void begin(int n, int start, int lane) {
        for (int word = lane; 32 * word < n; word += LANES) {
            unsigned own = n - 32 * word < 32 ? ~0u << n % 32 : 0;
            if (word == start / 32) own |= 1u << start % 32;
            bits[word] = own;
        }
        __syncwarp();
    }

    __device__ __forceinline__ unsigned seen(int city) const {
        return bits[static_cast<unsigned>(city) / 32];
    }

    __device__ __forceinline__ bool visited(unsigned seen, int city, int) const {
        return seen >> city % 32 & 1;
    }

    __device__ __forceinline__ void mark(unsigned seen, int city, int) const {
        bits[static_cast<unsigned>(city) / 32] = seen | 1u << city % 32;
    }

    __device__ __forceinline__ unsigned unvisited_of(int eight, int, int) const {
        return ~(bits[eight / 4] >> 8 * (eight % 4)) & 0xff;
    }
};

// Which of the cities from 8 eight on are unvisited, asked one by one.
template <class Tabu>
__device__ __forceinline__ unsigned unvisited_eight(const Tabu& tabu, int eight, int n, int step) {
    unsigned open = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        int city = min(8 * eight + i, n - 1);
        bool there = 8 * eight + i < n && !tabu.visited(tabu.seen(city), city, step);
        open |= there ? 1u << i : 0;
    }
    return open;
}

// CT: see gpu/max_min/cuda/compact_list.cuh.
struct CompactTabu {
    CompactList list;

    __device__ __forceinline__ CompactTabu(void* shared, int n)
        : list(shared, nullptr, nullptr, n) {}

    __device__ __forceinline__ void begin(int, int start, int lane) {
        list.fill(start, 0, lane, LANES);
        __syncwarp();
    }

    __device__ __forceinline__ unsigned seen(int city) const { return list.entries[city]; }

    __device__ __forceinline__ bool visited(unsigned seen, int city, int step) const {
        return seen != (city < step ? seen : static_cast<unsigned>(city)) ||
               seen == CompactList::VISITED;
    }

    __device__ __forceinline__ void mark(unsigned seen, int city, int step) const {
        list.drop(city < step ? static_cast<int>(seen) : city, city, step);
    }

    __device__ __forceinline__ unsigned unvisited_of(int eight, int n, int step) const {
        return unvisited_eight(*this, eight, n, step);
    }
};

// LC: the tour list, and the place of each city on it.
struct ListTabu {
    unsigned short *cities, *places;

    __device__ __forceinline__ ListTabu(void* shared, int n)
        : cities(static_cast<unsigned short*>(shared)), places(cities + n) {}

    __device__ __forceinline__ void begin(int n, int start, int lane) const {
        for (int i = lane; i < n; i += LANES) {
            int other = i == 0 ? start : i == start ? 0 : i;
            cities[i] = places[i] = static_cast<unsigned short>(other);
        }
        __syncwarp();
    }

    __device__ __forceinline__ unsigned seen(int city) const { return places[city]; }

    __device__ __forceinline__ bool visited(unsigned seen, int, int step) const {
        return seen < static_cast<unsigned>(step);
    }

    __device__ __forceinline__ void mark(unsigned seen, int city, int step) const {
        unsigned short first = cities[step];
        cities[seen] = first;
        places[first] = static_cast<unsigned short>(seen);
        cities[step] = static_cast<unsigned short>(city);
        places[city] = static_cast<unsigned short>(step);
    }

    __device__ __forceinline__ unsigned unvisited_of(int eight, int n, int step) const {
        return unvisited_eight(*this, eight, n, step);
    }
};

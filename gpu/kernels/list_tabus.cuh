// Tabu policies for ants with candidate lists, a warp an ant (2020, Section 4.1): whether a city is
// visited, and which are not.
//
// What a lane has seen() of a city tells whether it is visited, and is of use for its mark(). One
// lane marks; then the warp must synchronize.
#pragma once

#include "compact_list.cuh"
#include "tabu.cuh"

[[maybe_unused]] constexpr int AT_ONCE = 4;  // unvisited cities, so that reads for them overlap

// BT: a bit a city.
struct BitmaskTabu {
    BitTabu bits;

    __device__ __forceinline__ BitmaskTabu(void* shared, int n)
        : bits(static_cast<unsigned*>(shared), words(n)) {}

    static __device__ __forceinline__ int words(int n) {
        int words = 1;
        while (32 * words < n) words *= 2;
        return words;
    }

    __device__ __forceinline__ void begin(int n, int start, int lane) {
        bits.clear(n, lane);
        bits.mark(start, lane == 0);
        __syncwarp();
    }

    __device__ __forceinline__ unsigned seen(int city) const { return bits.word(city); }

    __device__ __forceinline__ bool visited(unsigned seen, int city, int) const {
        return bits.visited(city, seen);
    }

    __device__ __forceinline__ void mark(unsigned seen, int city, int) const {
        bits.bits[city & (bits.words - 1)] = seen | 1u << (city >> bits.shift);
    }

    // Calls visit(cities, there) for AT_ONCE places at a time; there[i] says whether cities[i] is
    // an unvisited city.
    template <class Visit>
    __device__ __forceinline__ void each_unvisited(int n, int, int lane, Visit visit) const {
        for (int word = lane; word < bits.words; word += LANES) {
            unsigned left = ~bits.bits[word];
            for (int first = 0; first << bits.shift < n; first += AT_ONCE) {
                int cities[AT_ONCE];
                bool there[AT_ONCE];
#pragma unroll
                for (int i = 0; i < AT_ONCE; ++i) {
                    cities[i] = (first + i << bits.shift) + word;
                    there[i] = left >> (first + i) & 1;
                }
                visit(cities, there);
            }
        }
    }
};

// CT: see compact_list.cuh.
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

    template <class Visit>
    __device__ __forceinline__ void each_unvisited(int n, int step, int lane, Visit visit) const {
        for (int first = step + lane; first < n; first += AT_ONCE * LANES) {
            int unvisited[AT_ONCE];
            bool there[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i) {
                int place = first + i * LANES;
                there[i] = place < n;
                unvisited[i] = list.city(there[i] ? place : first);
            }
            visit(unvisited, there);
        }
    }
};

// LC: the tour list, and where each city stands on it.
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

    template <class Visit>
    __device__ __forceinline__ void each_unvisited(int n, int step, int lane, Visit visit) const {
        for (int first = step + lane; first < n; first += AT_ONCE * LANES) {
            int unvisited[AT_ONCE];
            bool there[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i) {
                int place = first + i * LANES;
                there[i] = place < n;
                unvisited[i] = cities[there[i] ? place : first];
            }
            visit(unvisited, there);
        }
    }
};

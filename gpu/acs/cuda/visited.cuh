// Tabu policies: which cities an ant has visited.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

// One bit a city, shared by a warp. After mark() the warp must synchronize before it asks again.
// The number of words is a power of two, and consecutive cities have their bits in different
// words: cities that are near each other in the file are often near on the map, and a lane that
// scans its words for unvisited cities should not find all of a region alone.
struct BitTabu {
    unsigned* bits;
    int words, shift;

    INLINE BitTabu(unsigned* bits_, int words_)
        : bits(bits_), words(words_), shift(31 - __clz(words_)) {}

    // Nothing visited; bits of cities that do not exist count as visited, so no scan finds them.
    INLINE void clear(int n, int lane) {
        for (int word = lane; word < words; word += LANES) {
            int cities = word < n ? (n - 1 - word) / words + 1 : 0;
            bits[word] = cities < 32 ? ~0u << cities : 0;
        }
        __syncwarp();
    }

    // In two halves, of which the second needs no memory.
    INLINE unsigned word(int city) const { return bits[city & (words - 1)]; }

    INLINE bool visited(int city, unsigned its_word) const {
        return its_word >> (city >> shift) & 1;
    }

    INLINE bool visited(int city) const { return visited(city, word(city)); }

    // Called by all lanes, of which one `writes`: a store under a predicate, not a branch.
    INLINE void mark(int city, bool writes) {
        unsigned marked = bits[city & (words - 1)] | 1u << (city >> shift);
        if (writes) bits[city & (words - 1)] = marked;
    }

    // Calls visit(city) for every unvisited city, each in one lane.
    template <class Visit>
    INLINE void each_unvisited(int lane, Visit visit) const {
        for (int word = lane; word < words; word += LANES)
            for (unsigned left = ~bits[word]; left; left &= left - 1)
                visit((__ffs(left) - 1) * words + word);
    }
};

// One bit a city in the registers of a warp, for up to 992: bit city / 32 of lane city % 32. Cities
// that do not exist count as visited.
struct LaneTabu {
    unsigned bits;

    INLINE LaneTabu(int n, int lane) : bits(~0u << ((n - 1 - lane) / LANES + (lane < n))) {}

    INLINE void visit(int city, int lane) {
        if (lane == city % LANES) bits |= 1u << city / LANES;
    }

    // For a city of each lane. All lanes of the warp call this.
    INLINE bool visited(unsigned city) const {
        return __shfl_sync(ALL_LANES, bits, city % LANES) >> city / LANES & 1;
    }

    // Calls offer(cities) for all unvisited cities of this lane, COUNT at a time, the last one
    // several times if need be.
    template <int COUNT, class Offered>
    INLINE void each_unvisited(int lane, Offered offer) const {
        for (unsigned left = ~bits; left;) {
            unsigned cities[COUNT];
#pragma unroll
            for (int i = 0; i < COUNT; ++i) {
                cities[i] = left || i == 0 ? (__ffs(left) - 1) * LANES + lane : cities[i - 1];
                left &= left - 1;
            }
            offer(cities);
        }
    }
};

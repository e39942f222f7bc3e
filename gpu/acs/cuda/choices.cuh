// Among which cities an ant chooses, and which one it takes.
#pragma once

#include "gpu/cuda/kernels/candidates.cuh"
#include "gpu/cuda/kernels/choice.cuh"
#include "gpu/cuda/kernels/geometry.cuh"
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
            UNROLL for (int i = 0; i < COUNT; ++i) {
                cities[i] = left || i == 0 ? (__ffs(left) - 1) * LANES + lane : cities[i - 1];
                left &= left - 1;
            }
            offer(cities);
        }
    }
};

// The nearest of all unvisited cities, the lowest on a tie. All lanes of the warp call this.
SELDOM int nearest_of_all(BitTabu tabu, Distances geometry, int city, int lane) {
    constexpr int AT_ONCE = 4;
    unsigned shortest = ~0u, nearest = ~0u;
    for (int word = lane; word < tabu.words; word += LANES) {
        for (unsigned left = ~tabu.bits[word]; left;) {
            int from[AT_ONCE], to[AT_ONCE], lengths[AT_ONCE];
            int last = (__ffs(left) - 1) * tabu.words + word;
            UNROLL for (int i = 0; i < AT_ONCE; ++i) {  // past the end: the last city once more
                if (left) last = (__ffs(left) - 1) * tabu.words + word;
                from[i] = city;
                to[i] = last;
                left &= left - 1;
            }
            geometry.distances(from, to, lengths);
            UNROLL for (int i = 0; i < AT_ONCE; ++i) {
                unsigned length = lengths[i], other = to[i];
                if (length > shortest || (length == shortest && other > nearest)) continue;
                shortest = length;
                nearest = other;
            }
        }
    }
    return warp_min(shortest == warp_min(shortest) ? nearest : ~0u);
}

// For a city without candidates, before any trail is read: its unvisited neighbours on the backup
// list or, if there are none, the nearest unvisited city.
struct Fallback {
    Backup backup;
    bool free[BACKUP_ROWS];  // whether this lane's backup cities are unvisited
    bool any;                // whether any lane has one; then `nearest` is not set
    int nearest;

    INLINE void prepare(const CandidateRows& lists, const BitTabu& tabu, const Distances& geometry,
                        int city, int lane) {
        look(lists, tabu, city, lane);
        if (!any) nearest = nearest_of_all(tabu, geometry, city, lane);
    }

    // All but `nearest`.
    INLINE void look(const CandidateRows& lists, const BitTabu& tabu, int city, int lane) {
        backup = lists.backup_of(city, lane);
        any = false;
        UNROLL for (int i = 0; i < BACKUP_ROWS; ++i) {
            free[i] = !tabu.visited(backup.at[i].city());
            any = any || free[i];
        }
        any = __any_sync(ALL_LANES, any);
    }

    // The nearest unvisited city. The backup list is in order of distance.
    INLINE int nearest_city() const {
        int found = nearest;
        UNROLL for (int i = BACKUP_ROWS - 1; i >= 0; --i) {
            unsigned lanes = __ballot_sync(ALL_LANES, free[i]);
            int first = __shfl_sync(ALL_LANES, backup.at[i].city(), __ffs(lanes) - 1 & 31);
            if (lanes) found = first;
        }
        return found;
    }
};

// A weight as an unsigned number of the same order; 0 for a city that may not be chosen.
// Weights are positive, so their bits compare as the numbers do.
INLINE unsigned weight_key(float weight, bool free) {
    return free ? __float_as_uint(weight) + 1 : 0;
}

// Equation 1 of the 2016 paper, greedy case: the city of the largest key, the lowest such city on
// a tie. A second reduction is faster than ballot, find-first-set and shuffle.
INLINE int best_city(unsigned key, unsigned top, int city) {
    return warp_min(key == top ? unsigned(city) : ~0u);
}

// The same, faster: the key has the lane in place of the weight's last bits, so that one reduction
// finds both. The result is certain unless another key is equal without the lane, or a lane has a
// rival that is no candidate.
INLINE unsigned hasty_key(float weight, bool free, int lane) {
    return free ? (__float_as_uint(weight) & ~(LANES - 1u)) | (LANES - 1 - lane) : 0;
}

INLINE int hasty_lane(unsigned top) { return ~top & (LANES - 1); }

INLINE bool stands(unsigned key, unsigned top, int lane, bool unrivalled = true) {
    return __all_sync(ALL_LANES, unrivalled && ((key ^ top) < LANES) == (lane == hasty_lane(top)));
}

// Whether a weight that is no candidate's is less than that of the hasty key `top`, for certain.
INLINE bool is_below(float weight, unsigned top) {
    return (__float_as_uint(weight) | (LANES - 1u)) < top;
}

// Equation 2: the lane drawn by the roulette wheel that a random word spins; `weight` is 0 where
// the city may not be chosen, and `top` the largest weight_key(). Parts of the wheel are whole
// numbers, see choice.cuh: at most 2^28 in all, and none is 0 where the city may be chosen.
INLINE int roulette_lane(float weight, unsigned top, unsigned word, int lane) {
    unsigned prefix = warp_prefix(Wheel(__uint_as_float(top - 1)).units(weight), lane);
    unsigned stop = __umulhi(word, __shfl_sync(ALL_LANES, prefix, LANES - 1));
    return __ffs(__ballot_sync(ALL_LANES, prefix > stop)) - 1;
}

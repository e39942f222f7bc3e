// What an ant does when all candidates of its city have been visited.
#pragma once

#include "gpu/cuda/kernels/candidates.cuh"
#include "gpu/cuda/kernels/geometry.cuh"
#include "visited.cuh"

// The nearest of all unvisited cities, the lowest on a tie. All lanes of the warp call this.
SELDOM int nearest_of_all(BitTabu tabu, Geometry geometry, int city, int lane) {
    constexpr int AT_ONCE = 4;
    unsigned shortest = ~0u, nearest = ~0u;
    for (int word = lane; word < tabu.words; word += LANES) {
        for (unsigned left = ~tabu.bits[word]; left;) {
            int from[AT_ONCE], to[AT_ONCE], lengths[AT_ONCE];
            int last = (__ffs(left) - 1) * tabu.words + word;
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i) {  // past the end: the last city once more
                if (left) last = (__ffs(left) - 1) * tabu.words + word;
                from[i] = city;
                to[i] = last;
                left &= left - 1;
            }
            geometry.distances(from, to, lengths);
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i) {
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

    INLINE void prepare(const CandidateLists& lists, const BitTabu& tabu, const Geometry& geometry,
                        int city, int lane) {
        look(lists, tabu, city, lane);
        if (!any) nearest = nearest_of_all(tabu, geometry, city, lane);
    }

    // All but `nearest`.
    INLINE void look(const CandidateLists& lists, const BitTabu& tabu, int city, int lane) {
        backup = lists.backup_of(city, lane);
        any = false;
#pragma unroll
        for (int i = 0; i < BACKUP_ROWS; ++i) {
            free[i] = !tabu.visited(backup.at[i].city());
            any = any || free[i];
        }
        any = __any_sync(ALL_LANES, any);
    }

    // The nearest unvisited city. The backup list is in order of distance.
    INLINE int nearest_city() const {
        int found = nearest;
#pragma unroll
        for (int i = BACKUP_ROWS - 1; i >= 0; --i) {
            unsigned lanes = __ballot_sync(ALL_LANES, free[i]);
            int first = __shfl_sync(ALL_LANES, backup.at[i].city(), __ffs(lanes) - 1 & 31);
            if (lanes) found = first;
        }
        return found;
    }
};

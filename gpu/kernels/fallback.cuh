// What an ant does when all candidates of its city have been visited.
#pragma once

#include "candidates.cuh"
#include "geometry.cuh"
#include "tabu.cuh"

// The nearest of all unvisited cities, the lowest on a tie. All lanes of the warp call this.
static __device__ SELDOM int nearest_of_all(BitTabu tabu, Geometry geometry, int city, int lane) {
    unsigned shortest = ~0u, nearest = ~0u;
    for (int word = lane; word < tabu.words; word += LANES) {
        for (unsigned left = ~tabu.bits[word]; left;) {
            unsigned length[4], other[4];  // four at a time, so that their reads overlap
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                other[i] = left ? (__ffs(left) - 1) * tabu.words + word : city;
                length[i] = left ? geometry.distance(city, other[i]) : ~0u;
                left &= left - 1;
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                if (length[i] > shortest || (length[i] == shortest && other[i] > nearest)) continue;
                shortest = length[i];
                nearest = other[i];
            }
        }
    }
    return warp_min(shortest == warp_min(shortest) ? nearest : ~0u);
}

// What can be known of a city without candidates before any trail is read: its unvisited
// neighbours on the backup list or, if there is none, the nearest unvisited city.
struct Fallback {
    Backup backup;
    bool free[BACKUP_ROWS];  // whether this lane's backup cities are unvisited
    bool any;                // whether any lane's is; then `nearest` is not known
    int nearest;

    __device__ __forceinline__ void prepare(const CandidateLists& lists, const BitTabu& tabu,
                                            const Geometry& geometry, int city, int lane) {
        backup = lists.backup_of(city, lane);
        any = false;
#pragma unroll
        for (int i = 0; i < BACKUP_ROWS; ++i) {
            free[i] = !tabu.visited(backup.at[i].city());
            any = any || free[i];
        }
        any = __any_sync(ALL_LANES, any);
        if (!any) nearest = nearest_of_all(tabu, geometry, city, lane);
    }

    // The nearest unvisited city. The backup list is in order of distance.
    __device__ __forceinline__ int nearest_city() const {
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

// How ants that step together choose, and find the nearest city together.
#pragma once

#include "gpu/acs/cuda/walk.cuh"
#include "step_updates.cuh"

// The nearest unvisited cities for the warps that ask; all warps of a block search for them.
struct NearestOfBlock {
    static constexpr int MOST_WARPS = 32;

    int asked[MOST_WARPS];  // the warp's city, or -1
    Word found[MOST_WARPS];

    // All threads of the block call this. `tabus` are the warps' bits, one after the other.
    __device__ void work_out(unsigned* tabus, int words, const Geometry& geometry, int lane) {
        constexpr int AT_ONCE = 2;
        for (unsigned warp = 0; warp < blockDim.x / LANES; ++warp) {
            int city = asked[warp];
            if (city < 0) continue;
            BitTabu tabu(tabus + warp * words, words);
            Word nearest = ~0ull;
            for (int first = threadIdx.x; first < geometry.n; first += AT_ONCE * blockDim.x) {
                int from[AT_ONCE], to[AT_ONCE], lengths[AT_ONCE];
                bool free[AT_ONCE], any = false;
#pragma unroll
                for (int i = 0; i < AT_ONCE; ++i) {
                    to[i] = min(first + i * int(blockDim.x), geometry.n - 1);
                    from[i] = city;
                    free[i] = !tabu.visited(to[i]);
                    any = any || free[i];
                }
                if (!any) continue;
                geometry.distances(from, to, lengths);
#pragma unroll
                for (int i = 0; i < AT_ONCE; ++i)
                    if (free[i]) nearest = min(nearest, OutsideLog::edge(lengths[i], to[i]));
            }
            nearest = warp_least(nearest);
            if (lane == 0) atomicMin(&found[warp], nearest);
        }
    }
};

// Chooses the next city. If it is no candidate, one lane gets the trail to it. `trail` is the one
// to this lane's candidate.
template <class Memory>
INLINE int choose(const WalkBase& walk, const TrailMatrix& trails, float trail, bool stuck,
                  const OutsideOptions& options, const Memory& memory, bool explores,
                  const Draws& draws, int step, OutsideTrail& chosen) {
    if (stuck)
        return trails.choose_outside(options, walk.geometry, walk.tabu, memory, walk.city,
                                     walk.lane, chosen);
    float weight = trail * walk.candidate.weight();
    if (explores) return walk.spin(weight, draws.spin(step));
    unsigned key = weight_key(weight, walk.free());
    return best_city(key, warp_max(key), walk.candidate.city());
}

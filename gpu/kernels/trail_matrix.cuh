// The pheromone matrix: a policy for the construction kernels.
//
// The trails of candidate edges stand in rows beside the candidates, where one coalesced read
// finds all that a step needs; all other edges keep theirs in a full matrix. Trails are in units
// of the initial trail and read past the L1 cache, which is not coherent between multiprocessors.
#pragma once

#include "candidates.cuh"
#include "fallback.cuh"
#include "geometry.cuh"
#include "selection.cuh"
#include "tabu.cuh"

struct LocalUpdate {
    float keep, add;  // equation 3: trail * (1 - rho) + rho * tau0; leaves tau0 = 1 exactly as is

    __device__ __forceinline__ float operator()(float trail) const { return trail * keep + add; }
};

// The trail to a city that was on no list, in the one lane that chose it; in the others `place`
// is null.
struct OutsideTrail {
    float* place;
    float trail;
};

struct TrailMatrix {
    float* listed;   // (n, 32)
    float* outside;  // (n, n), read for edges that are on no list
    int* far;        // (n, 32), the cities past a city's backup list that ever got a deposit
    int n;
    bool directed;

    __device__ __forceinline__ float* listed_at(int city, int rank) const {
        return &listed[static_cast<long long>(city) * LANES + rank];
    }

    __device__ __forceinline__ float* outside_at(int from, int to) const {
        return &outside[static_cast<long long>(from) * n + to];
    }

    __device__ __forceinline__ float* at(int from, int to, int rank) const {
        return rank < 0 ? outside_at(from, to) : listed_at(from, rank);
    }

    // The trail from u to v, wherever it stands. All lanes of the warp call this.
    __device__ float* find(const CandidateLists& lists, int u, int v, int lane) const {
        return at(u, v, lists.lane_of(u, v, lane));
    }

    __device__ __forceinline__ int far_of(int city, int lane) const {
        return __ldcg(&far[static_cast<long long>(city) * LANES + lane]);
    }

    // Remembers that an edge past the lists got a deposit. Called by all lanes, by one warp at a
    // time for a city.
    __device__ void remember_far(int city, int other, int lane) const {
        int known = far_of(city, lane);
        if (__any_sync(ALL_LANES, known == other || known == TOO_MANY)) return;
        int place = __ffs(__ballot_sync(ALL_LANES, known == NONE)) - 1;
        if (lane == place)
            far[static_cast<long long>(city) * LANES + lane] = lane < LANES - 1 ? other : TOO_MANY;
    }

    // The next city when no candidate is left: the unvisited city of the largest trail * weight
    // (Fig. 3, line 18), the lowest on a tie. All lanes of the warp call this; one gets the trail.
    //
    // The whole row of the matrix need not be read: past the backup list all trails but those to
    // the few `far` cities are at the initial level, so that the nearest of those cities weighs
    // most, and less than any unvisited city of the backup list.
    __device__ int choose_outside(const Fallback& fallback, const Geometry& geometry,
                                  const BitTabu& tabu, int city, int lane,
                                  OutsideTrail& chosen) const {
        int far_city = far_of(city, lane);
        bool far_open = far_city >= 0 && !tabu.visited(far_city);
        Offer best;
        if (__any_sync(ALL_LANES, far_city == TOO_MANY)) {
            tabu.each_unvisited(lane, [&](int other) {
                best.improve(other, __ldcg(outside_at(city, other)), geometry.weight(city, other));
            });
        } else {
            float found[BACKUP_ROWS];
#pragma unroll
            for (int i = 0; i < BACKUP_ROWS; ++i)
                found[i] = fallback.free[i] ? __ldcg(outside_at(city, fallback.backup.at[i].city()))
                                            : 0.0f;
            if (far_open)
                best.improve(far_city, __ldcg(outside_at(city, far_city)),
                             geometry.weight(city, far_city));
#pragma unroll
            for (int i = 0; i < BACKUP_ROWS; ++i)
                if (fallback.free[i])
                    best.improve(fallback.backup.at[i].city(), found[i],
                                 fallback.backup.at[i].weight());
            if (!fallback.any && !__any_sync(ALL_LANES, far_city == fallback.nearest) && lane == 0)
                best.improve(fallback.nearest, 1.0f, geometry.weight(city, fallback.nearest));
        }
        int next = best_city(best.key, warp_max(best.key), best.city);
        chosen.trail = best.trail;
        chosen.place = best.city == next ? outside_at(city, next) : nullptr;
        return next;
    }

    static constexpr int NONE = -1, TOO_MANY = -2;  // in `far`

  private:
    // The best city that a lane has come across.
    struct Offer {
        unsigned key = 0, city = ~0u;
        float trail = 0;

        __device__ __forceinline__ void improve(unsigned other, float found, float weight) {
            unsigned offered = weight_key(found * weight, true);
            if (offered < key || (offered == key && other > city)) return;
            key = offered;
            city = other;
            trail = found;
        }
    };
};

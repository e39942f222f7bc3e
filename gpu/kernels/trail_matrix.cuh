// The pheromone matrix: a policy for the construction kernels.
//
// The trails of candidate edges stand in rows beside the candidates, where one coalesced read
// finds all that a step needs; all other edges keep theirs in a full matrix. Trails are in units
// of the initial trail and read past the L1 cache, which is not coherent between multiprocessors.
#pragma once

#include "candidates.cuh"
#include "geometry.cuh"
#include "selection.cuh"
#include "tabu.cuh"

struct LocalUpdate {
    float keep, add;  // equation 3: trail * (1 - rho) + rho * tau0; leaves tau0 = 1 exactly as is

    __device__ __forceinline__ float operator()(float trail) const { return trail * keep + add; }
};

struct TrailMatrix {
    float* listed;   // (n, 32)
    float* outside;  // (n, n), read for edges that are on no list
    float* beyond;   // (n), the largest trail ever deposited past a city's backup list
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

    // The next city when no candidate is left: the unvisited city of the largest trail * weight
    // (Fig. 3, line 18), the lowest on a tie. All lanes of the warp call this.
    //
    // Past the backup list trails are at the initial level unless `beyond` says otherwise; there
    // the nearest city weighs most, and the matrix need not be read.
    __device__ int choose_outside(const Backup& list, const Geometry& geometry,
                                  const BitTabu& tabu, int city, int lane) const {
        float most_beyond = __ldcg(&beyond[city]);
        bool free[BACKUP_ROWS], any = false;
        float trail[BACKUP_ROWS];
#pragma unroll
        for (int i = 0; i < BACKUP_ROWS; ++i) {
            free[i] = !tabu.visited(list.at[i].city());
            any = any || free[i];
            if (free[i]) trail[i] = __ldcg(outside_at(city, list.at[i].city()));
        }
        if (!__any_sync(ALL_LANES, any) && most_beyond <= 1.0f)
            return nearest_unvisited(list, tabu, geometry, city, lane);
        unsigned key = 0, best = ~0u;
#pragma unroll
        for (int i = 0; i < BACKUP_ROWS; ++i)
            if (free[i]) offer(list.at[i].city(), trail[i] * list.at[i].weight(), key, best);
        unsigned top = warp_max(key);
        float least = __shfl_sync(ALL_LANES, list.at[BACKUP_ROWS - 1].weight(), LANES - 1);
        if (top == 0 || key_weight(top) < fmaxf(1.0f, most_beyond) * least) {
            tabu.each_unvisited(lane, [&](int other) {
                offer(other, __ldcg(outside_at(city, other)) * geometry.weight(city, other), key,
                      best);
            });
            top = warp_max(key);
        }
        return best_city(key, top, best);
    }

  private:
    __device__ __forceinline__ static void offer(unsigned city, float weight, unsigned& key,
                                                 unsigned& best) {
        unsigned offered = weight_key(weight, true);
        if (offered > key || (offered == key && city < best)) {
            key = offered;
            best = city;
        }
    }
};

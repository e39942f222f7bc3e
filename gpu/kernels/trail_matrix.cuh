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
    // (Fig. 3, line 18), the lowest on a tie. One lane gets `mine`, and the trail to that city.
    // All lanes of the warp call this.
    //
    // Past the backup list trails are at the initial level unless `beyond` says otherwise; there
    // the nearest city weighs most, and the matrix need not be read.
    __device__ int choose_outside(const Backup& list, const Geometry& geometry,
                                  const BitTabu& tabu, int city, int lane, float& trail,
                                  bool& mine) const {
        float most_beyond = __ldcg(&beyond[city]);
        bool free[BACKUP_ROWS], any = false;
        float found[BACKUP_ROWS];
#pragma unroll
        for (int i = 0; i < BACKUP_ROWS; ++i) {
            free[i] = !tabu.visited(list.at[i].city());
            any = any || free[i];
            found[i] = free[i] ? __ldcg(outside_at(city, list.at[i].city())) : 0.0f;
        }
        if (!__any_sync(ALL_LANES, any) && most_beyond <= 1.0f) {
            trail = 1.0f;
            mine = lane == 0;
            return nearest_unvisited(list, tabu, geometry, city, lane);
        }
        Offer best;
#pragma unroll
        for (int i = 0; i < BACKUP_ROWS; ++i)
            if (free[i]) best.improve(list.at[i].city(), found[i], list.at[i].weight());
        unsigned top = warp_max(best.key);
        float least = __shfl_sync(ALL_LANES, list.at[BACKUP_ROWS - 1].weight(), LANES - 1);
        if (top == 0 || key_weight(top) < fmaxf(1.0f, most_beyond) * least) {
            tabu.each_unvisited(lane, [&](int other) {
                best.improve(other, __ldcg(outside_at(city, other)), geometry.weight(city, other));
            });
            top = warp_max(best.key);
        }
        int next = best_city(best.key, top, best.city);
        trail = best.trail;
        mine = best.city == next;
        return next;
    }

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

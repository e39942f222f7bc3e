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
    float keep, add;  // equation 3: trail * (1 - rho) + rho * tau0

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

    // The trail from u to v, wherever it stands. All lanes of the warp call this.
    __device__ float* find(const CandidateLists& lists, int u, int v, int lane) const {
        int rank = lists.lane_of(u, v, lane);
        return rank < 0 ? outside_at(u, v) : listed_at(u, rank);
    }

    // The next city when no candidate is left: the unvisited city of the largest trail * weight
    // (Fig. 3, line 18), the lowest on a tie. All lanes of the warp call this.
    __device__ int choose_outside(const CandidateLists& lists, const Geometry& geometry,
                                  const BitTabu& tabu, int city, int lane) const {
        unsigned key = 0;
        int best = 0x7fffffff;
        float least = 0;  // of the last backup city; no city past the list weighs more
        for (int rank = lane; rank < lists.width; rank += LANES) {
            Candidate candidate = lists.backup_at(city, rank);
            least = candidate.weight();
            if (candidate.city() == city || tabu.visited(candidate.city())) continue;
            offer(candidate.city(), __ldcg(outside_at(city, candidate.city())) * least, key, best);
        }
        least = __shfl_sync(ALL_LANES, least, LANES - 1);
        unsigned top = warp_max(key);
        if (top && key_weight(top) >= fmaxf(1.0f, __ldcg(&beyond[city])) * least)
            return best_city(key, top, best);
        for (int word = lane; word < tabu.words; word += LANES) {
            for (unsigned left = ~tabu.bits[word]; left; left &= left - 1) {
                int other = word * LANES + __ffs(left) - 1;
                offer(other, __ldcg(outside_at(city, other)) * geometry.weight(city, other), key,
                      best);
            }
        }
        return best_city(key, warp_max(key), best);
    }

  private:
    __device__ __forceinline__ static void offer(int city, float weight, unsigned& key,
                                                 int& best) {
        unsigned offered = weight_key(weight, true);
        if (offered > key || (offered == key && city < best)) {
            key = offered;
            best = city;
        }
    }
};

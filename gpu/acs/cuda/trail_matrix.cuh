// The pheromone matrix: a policy for the construction kernels.
//
// The trails of candidate edges are in rows beside the candidates: one coalesced read gets all that
// a step needs. All other edges have their trails in a full matrix. Trails are in units of the
// initial trail, and read past the L1 cache, which is not coherent between multiprocessors.
#pragma once

#include "choices.cuh"
#include "kernels.py"

struct LocalUpdate {
    float keep, add;  // equation 3: trail * (1 - rho) + rho * tau0; leaves tau0 = 1 exactly as is

    INLINE float operator()(float trail) const { return trail * keep + add; }
};

// What becomes of local updates of one edge at the same time: some are lost, as in the paper, or
// every one counts. Late ones store what they make of the trail that the ant chose by, so that more
// are lost.
enum LocalUpdates { RACING, LATE, ATOMIC };

// A compare-and-swap of a trail. It takes a while to know whether that took place, so nobody waits
// for it at once. Another ant may have changed the trail before; then settle() tries again.
struct TrailSwap {
    unsigned* bits = nullptr;
    unsigned expected = 0, seen = 0;

    // Call settle() before; `changed` is what the update makes of `trail`.
    INLINE void begin(float* place, float trail, float changed) {
        if (changed == trail) return;  // another ant's update would not have changed it either
        bits = reinterpret_cast<unsigned*>(place);
        expected = __float_as_uint(trail);
        seen = atomicCAS(bits, expected, __float_as_uint(changed));
    }

    INLINE void settle(LocalUpdate change) {
        while (seen != expected) {
            expected = seen;
            seen = atomicCAS(bits, expected, __float_as_uint(change(__uint_as_float(expected))));
        }
    }
};

// The trail to a city that was on no list, in the one lane that chose it; in the others `place`
// is null.
struct OutsideTrail {
    float* place = nullptr;
    float trail = 1.0f;
};

// The cities on no list among which an ant chooses, a few in each lane; see choose_outside().
struct OutsideOptions {
    static constexpr int COUNT = BACKUP_ROWS + 1;
    int city[COUNT];
    float weight[COUNT];
    bool open[COUNT];
    bool all;  // choose among all unvisited cities instead
};

// Trails read from memory; the alternative is in gpu/acs/cuda/steps/step_updates.cuh.
struct AsRead {
    template <class Visit>
    INLINE void each(int, Visit) const {}
    INLINE float change(float trail) const { return trail; }
};

// The best city that a lane has seen.
struct Offer {
    unsigned key = 1, city = ~0u;  // the smallest key: any open city is at least as good
    float trail = 0;

    INLINE void improve(unsigned other, float found, float weight, bool open = true) {
        improve_by(weight_key(found * weight, open), other, found);
    }

    INLINE void improve_by(unsigned offered, unsigned other, float found) {
        if (offered < key || (offered == key && other > city)) return;
        key = offered;
        city = other;
        trail = found;
    }
};

struct TrailMatrix {
    float* listed;   // (n, 32)
    float* outside;  // (n, n), read for edges that are on no list
    int* far;        // (n, 32), the cities past a city's backup list that ever got a deposit
    int n;
    bool directed;

    INLINE float* listed_at(int city, int rank) const {
        return &listed[static_cast<long long>(city) * LANES + rank];
    }

    INLINE float* outside_at(int from, int to) const {
        return &outside[static_cast<long long>(from) * n + to];
    }

    INLINE float* at(int from, int to, int rank) const {
        return rank < 0 ? outside_at(from, to) : listed_at(from, rank);
    }

    // The trail from u to v, wherever it is. All lanes of the warp call this.
    __device__ float* find(const CandidateRows& lists, int u, int v, int lane) const {
        return at(u, v, lists.lane_of(u, v, lane));
    }

    INLINE void overwrite(float* there, float* back, float value) const {
        *there = value;
        if (!directed) *back = value;
    }

    // Updates an edge as it is now, with plain reads and stores: an update that another ant makes
    // between the two is lost. One lane calls this.
    INLINE void race(float* there, float* back, LocalUpdate change) const {
        overwrite(there, back, change(__ldcg(there)));
    }

    // Updates an edge whose trail was read before. One lane calls this.
    template <LocalUpdates UPDATES>
    INLINE void renew(float* there, float* back, float trail, LocalUpdate change) const {
        if (UPDATES == RACING) {
            race(there, back, change);
            return;
        }
        float changed = change(trail);
        if (UPDATES == LATE) {
            overwrite(there, back, changed);
            return;
        }
        TrailSwap forth, reverse;
        forth.begin(there, trail, changed);
        if (!directed) reverse.begin(back, trail, changed);
        forth.settle(change);
        reverse.settle(change);
    }

    INLINE int far_of(int city, int lane) const {
        return __ldcg(&far[static_cast<long long>(city) * LANES + lane]);
    }

    // Remembers that an edge past the lists got a deposit. Called by all lanes, by one warp at a
    // time for a city.
    __device__ void remember_far(int city, int other, int lane) const {
        int known = far_of(city, lane);
        if (__any_sync(ALL_LANES, known == other || known == TOO_MANY_FAR)) return;
        int place = __ffs(__ballot_sync(ALL_LANES, known == NO_FAR_CITY)) - 1;
        if (lane == place)
            far[static_cast<long long>(city) * LANES + lane] =
                lane < LANES - 1 ? other : TOO_MANY_FAR;
    }

    // The cities that may weigh most when no candidate is left. All lanes of the warp call this;
    // no trail is read.
    //
    // There is no need to look at the whole row of the matrix. Past the backup list all trails
    // are at the initial level, except to the few `far` cities. So the nearest other one weighs
    // most of these, and less than any unvisited city of the backup list.
    // `far_city` is far_of(city, lane), which is best read early.
    INLINE OutsideOptions options(const Fallback& fallback, int far_city, const Distances& geometry,
                                  const BitTabu& tabu, int city, int lane) const {
        OutsideOptions found;
        UNROLL for (int i = 0; i < BACKUP_ROWS; ++i) {
            found.city[i] = fallback.backup.at[i].city();
            found.weight[i] = fallback.backup.at[i].weight();
            found.open[i] = fallback.free[i];
        }
        found.all = __any_sync(ALL_LANES, far_city == TOO_MANY_FAR);
        if (found.all) {
            UNROLL for (int i = 0; i < OutsideOptions::COUNT; ++i) found.open[i] = false;
            return found;
        }
        found.city[BACKUP_ROWS] = far_city;
        found.open[BACKUP_ROWS] = far_city >= 0 && !tabu.visited(far_city);
        found.weight[BACKUP_ROWS] =
            found.open[BACKUP_ROWS] ? geometry.weight(city, far_city) : 0.0f;
        if (!fallback.any && !__any_sync(ALL_LANES, far_city == fallback.nearest)) {
            // Where there is no other, its weight does not matter.
            bool alone = !__any_sync(ALL_LANES, found.open[BACKUP_ROWS]);
            if (lane == 0) {
                found.city[0] = fallback.nearest;
                found.weight[0] = alone ? 1.0f : geometry.weight(city, fallback.nearest);
                found.open[0] = true;
            }
        }
        return found;
    }

    // The next city when no candidate is left: the unvisited city of the largest trail * weight
    // (Fig. 3, line 18), the lowest on a tie. All lanes of the warp call this; one gets the trail.
    template <class Memory>
    __device__ int choose_outside(const OutsideOptions& options, const Distances& geometry,
                                  const BitTabu& tabu, const Memory& memory, int city, int lane,
                                  OutsideTrail& chosen) const {
        float found[OutsideOptions::COUNT];
        Offer best;
        UNROLL for (int i = 0; i < OutsideOptions::COUNT; ++i) {
            found[i] = options.open[i] ? __ldcg(outside_at(city, options.city[i])) : 0.0f;
        }
        unsigned changed = 0;
        memory.each(city, [&](int to, float before) {
            UNROLL for (int i = 0; i < OutsideOptions::COUNT; ++i) {
                if (!options.open[i] || options.city[i] != to) continue;
                found[i] = memory.change(changed >> i & 1 ? found[i] : before);
                changed |= 1u << i;
            }
        });
        if (options.all) all_options(best, geometry, tabu, memory, city, lane);
        UNROLL for (int i = 0; i < OutsideOptions::COUNT; ++i) {
            if (options.open[i]) best.improve(options.city[i], found[i], options.weight[i]);
        }
        int next = best_city(best.key, warp_max(best.key), best.city);
        chosen.trail = best.trail;
        chosen.place = best.city == next ? outside_at(city, next) : nullptr;
        return next;
    }

  private:
    // All unvisited cities, where there are too many far ones to be remembered.
    template <class Memory>
    __device__ void all_options(Offer& best, const Distances& geometry, const BitTabu& tabu,
                                const Memory& memory, int city, int lane) const {
        for (int word = lane; word < tabu.words + lane; word += LANES) {
            unsigned left = word < tabu.words ? ~tabu.bits[word] : 0;
            while (__any_sync(ALL_LANES, left != 0)) {
                int other = left ? (__ffs(left) - 1) * tabu.words + word : city;
                float trail = __ldcg(outside_at(city, other));
                bool changed = false;
                memory.each(city, [&](int to, float before) {
                    if (to != other) return;
                    trail = memory.change(changed ? trail : before);
                    changed = true;
                });
                if (left) best.improve(other, trail, geometry.weight(city, other));
                left &= left - 1;
            }
        }
    }
};

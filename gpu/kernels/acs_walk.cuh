// An ant's walk from city to city, with the pheromone matrix or with the selective memory.
//
// A step is a chain of latencies: read the trails of the city just reached, choose, read the next.
// So the reads for the next city are started the moment it is known, and all else that a step has
// to do (marking, updating, writing the tour) is done while they travel. An update writes from the
// register that the chosen lane already holds; nothing is read twice.
#pragma once

#include "colony_state.cuh"
#include "philox.cuh"
#include "selective_memory.cuh"
#include "trail_matrix.cuh"

// What both walks share: where the ant stands, the candidates there, and the pseudo-random
// proportional rule (equations 1 and 2).
struct WalkBase {
    CandidateLists lists;
    Geometry geometry;
    BitTabu tabu;
    LocalUpdate change;
    bool directed;
    int lane;
    int city = 0;
    Candidate candidate;

    __device__ __forceinline__ WalkBase(const CandidateLists& lists_, const Geometry& geometry_,
                                        const BitTabu& tabu_, LocalUpdate change_, bool directed_,
                                        int lane_)
        : lists(lists_),
          geometry(geometry_),
          tabu(tabu_),
          change(change_),
          directed(directed_),
          lane(lane_) {}

    __device__ __forceinline__ bool free() const { return !tabu.visited(candidate.city()); }

    // The candidate that the roulette wheel chooses. All lanes of the warp call this.
    __device__ __forceinline__ int spin(float weight, float number) const {
        bool allowed = free();
        int drawn = roulette_lane(allowed ? weight : 0.0f, allowed, number, lane);
        return __shfl_sync(ALL_LANES, candidate.city(), drawn);
    }

    __device__ __forceinline__ void visit(int next) {
        tabu.mark(next, lane == 0);
        __syncwarp();
    }
};

struct MatrixWalk : WalkBase {
    static constexpr int RESIDENT = 19;  // warps a multiprocessor, see build_tours
    TrailMatrix trails;
    float trail = 0;  // to this lane's candidate

    __device__ __forceinline__ MatrixWalk(const CandidateLists& lists_, const Geometry& geometry_,
                                          const BitTabu& tabu_, LocalUpdate change_, void* listed,
                                          void* outside, void* far, int, int directed_, int lane_)
        : WalkBase(lists_, geometry_, tabu_, change_, directed_, lane_),
          trails{static_cast<float*>(listed), static_cast<float*>(outside), static_cast<int*>(far),
                 geometry_.n, static_cast<bool>(directed_)} {}

    // Two halves of arriving at a city: what never changes, and the trails.
    __device__ __forceinline__ void look(int here) {
        city = here;
        candidate = lists.at(here, lane);
    }
    __device__ __forceinline__ void sense() { trail = __ldcg(trails.listed_at(city, lane)); }

    __device__ __forceinline__ void begin(int start) {
        look(start);
        sense();
    }

    // One step with plain stores: what other ants wrote in between is lost. Without races the
    // trails of an edge's two directions are equal, so one value serves both.
    __device__ __forceinline__ int step(bool explores, const Draws& draws, int number, bool due) {
        float weight = trail * candidate.weight();
        unsigned key = weight_key(weight, free()), top = warp_max(key);
        int from = city, next = best_city(key, top, candidate.city());
        if (__builtin_expect(explores || top == 0, 0))  // one branch parts both seldom cases
            next = top != 0 ? spin(weight, draws.roulette(number)) : step_outside(due);
        if (due && candidate.city() == next)
            overwrite(trails.listed_at(from, lane), reverse_at(from, next, candidate.reverse()),
                      change(trail));
        look(next);
        sense();
        visit(next);
        return next;
    }

    // The closing edge.
    __device__ __forceinline__ void finish(int start, bool due) {
        if (!due) return;
        float* there = trails.find(lists, city, start, lane);
        float* back = trails.find(lists, start, city, lane);
        if (lane == 0) overwrite(there, back, change(__ldcg(there)));
    }

    // Where the reverse of a candidate edge has its trail; `rank` is the candidate's `reverse`.
    __device__ __forceinline__ float* reverse_at(int from, int to, unsigned rank) const {
        return rank == NOT_LISTED ? trails.outside_at(to, from) : trails.listed_at(to, rank);
    }

    __device__ __forceinline__ void report(ColonyState*) const {}

  private:
    __device__ __forceinline__ int step_outside(bool due) const {
        Fallback fallback;
        fallback.prepare(lists, tabu, geometry, city, lane);
        OutsideTrail chosen;
        int next = trails.choose_outside(fallback, geometry, tabu, city, lane, chosen);
        if (!due) return next;
        float* back = trails.find(lists, next, city, lane);
        if (chosen.place) overwrite(chosen.place, back, change(chosen.trail));
        return next;
    }

    __device__ __forceinline__ void overwrite(float* there, float* back, float value) const {
        *there = value;
        if (!directed) *back = value;
    }
};

// The update of the reverse edge waits until the ant stands at its city, where the records are
// read anyway: a step reads one ring, whatever it updates.
template <int CAPACITY>
struct SelectiveWalk : WalkBase {
    static constexpr int RESIDENT = CAPACITY > 8 ? 16 : 19;
    SelectiveMemory<CAPACITY> memory;
    typename SelectiveMemory<CAPACITY>::Page page;
    Ring ring;
    unsigned hits = 0, total = 0;
    int previous = -1;  // the city whose trail is to be updated at this one, or -1

    __device__ __forceinline__ SelectiveWalk(const CandidateLists& lists_,
                                             const Geometry& geometry_, const BitTabu& tabu_,
                                             LocalUpdate change_, void* records, void* tails, void*,
                                             int size, int directed_, int lane_)
        : WalkBase(lists_, geometry_, tabu_, change_, directed_, lane_),
          memory{static_cast<Record*>(records), static_cast<unsigned*>(tails), size} {}

    __device__ __forceinline__ void begin(int start) {
        previous = -1;
        arrive(start);
    }

    __device__ __forceinline__ int step(bool explores, const Draws& draws, int number, bool due) {
        float trail = page.trail_to(candidate.city());
        unsigned evicted = settle();
        if (candidate.city() == evicted) trail = 1.0f;
        float weight = trail * candidate.weight();
        unsigned key = weight_key(weight, free()), top = warp_max(key);
        int next = best_city(key, top, candidate.city());
        if (__builtin_expect(explores || top == 0, 0))
            next = top != 0 ? spin(weight, draws.roulette(number)) : step_outside();
        if (due) {
            // Planned before the reads of the next city overwrite this one's, written after.
            Ring::Plan plan = ring.plan(next, change, lane);
            Ring left = ring;
            previous = directed ? -1 : city;
            arrive(next);
            count(plan.hit);
            left.carry_out(plan, left.mine, left.last, lane);
        } else {
            arrive(next);
        }
        visit(next);
        return next;
    }

    __device__ __forceinline__ void finish(int start, bool due) {
        settle();
        if (due) {
            count(ring.update(start, change, lane));
            if (!directed) previous = city;
        }
        __syncwarp();
        memory.open(ring, start, lane);
        settle();
    }

    __device__ __forceinline__ void report(ColonyState* state) const {
        if (lane) return;
        atomicAdd(&state->local_hits, static_cast<Word>(hits));
        atomicAdd(&state->local_total, static_cast<Word>(total));
    }

  private:
    __device__ int step_outside() const {
        Fallback fallback;
        fallback.prepare(lists, tabu, geometry, city, lane);
        return memory.choose_outside(fallback, geometry, tabu, ring, city, lane);
    }

    __device__ __forceinline__ void arrive(int here) {
        city = here;
        candidate = lists.at(here, lane);
        page = memory.read(here);
        memory.open(ring, here, lane);
    }

    __device__ __forceinline__ void count(bool hit) {
        hits += hit;
        total += 1;
    }

    // Updates the trail back to where the ant came from, if that is due. Returns the city whose
    // record had to make room, NOBODY if none had.
    __device__ __forceinline__ unsigned settle() {
        if (previous < 0) return NOBODY;
        unsigned oldest = ring.last + 1 < ring.size ? ring.last + 1 : 0;
        unsigned evicted = record_city(__shfl_sync(ALL_LANES, ring.mine, oldest));
        bool hit = ring.update(previous, change, lane);
        count(hit);
        previous = -1;
        return hit ? NOBODY : evicted;
    }
};

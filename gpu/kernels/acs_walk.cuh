// An ant's walk from city to city, with the pheromone matrix or with the selective memory.
//
// A step depends on one round trip to the L2 cache: the trails of the city just reached. All else
// is arranged around it: candidates and weights are requested together with the trails, the
// tabu bits are looked up while they travel, and an update writes from the register that the
// chosen lane already holds.
#pragma once

#include "colony_state.cuh"
#include "selective_memory.cuh"
#include "trail_matrix.cuh"

// What both walks share: the pseudo-random proportional rule (equations 1 and 2).
struct WalkBase {
    const CandidateLists& lists;
    const Geometry& geometry;
    BitTabu& tabu;
    LocalUpdate change;
    bool directed;
    int lane;

    __device__ __forceinline__ WalkBase(const CandidateLists& lists_, const Geometry& geometry_,
                                        BitTabu& tabu_, LocalUpdate change_, bool directed_,
                                        int lane_)
        : lists(lists_),
          geometry(geometry_),
          tabu(tabu_),
          change(change_),
          directed(directed_),
          lane(lane_) {}

    // The next city among the candidates, or -1 when all have been visited.
    __device__ __forceinline__ int choose(int city, float weight, bool explores,
                                          float number) const {
        bool free = !tabu.visited(city);
        unsigned key = weight_key(weight, free), top = warp_max(key);
        if (top == 0) return -1;
        if (!explores) return best_city(key, top, city);
        int drawn = roulette_lane(free ? weight : 0.0f, free, number, lane);
        return __shfl_sync(ALL_LANES, city, drawn);
    }

    __device__ __forceinline__ void visit(int city, bool marks) {
        if (marks) tabu.mark(city);
        __syncwarp();
    }
};

// A local update that waits for the end of the choices; `there` is null where none does.
struct PendingUpdate {
    float* there;
    float* back;  // the reverse edge's trail, or null
    float expected;

    // Trails of an edge's two directions are equal here, so both swaps can start at once.
    __device__ __forceinline__ void apply(LocalUpdate change) const {
        if (!there) return;
        float before_there = expected, before_back = expected;
        bool changes_there = true, changes_back = back != nullptr;
        while (changes_there || changes_back) {
            float seen_there = before_there, seen_back = before_back;
            if (changes_there) seen_there = swap(there, before_there, change);
            if (changes_back) seen_back = swap(back, before_back, change);
            changes_there = changes_there && seen_there != before_there;
            changes_back = changes_back && seen_back != before_back;
            before_there = seen_there;
            before_back = seen_back;
        }
    }

  private:
    __device__ __forceinline__ static float swap(float* place, float before, LocalUpdate change) {
        return __uint_as_float(atomicCAS(reinterpret_cast<unsigned*>(place),
                                         __float_as_uint(before),
                                         __float_as_uint(change(before))));
    }
};

struct MatrixWalk : WalkBase {
    TrailMatrix trails;

    __device__ __forceinline__ MatrixWalk(const CandidateLists& lists_, const Geometry& geometry_,
                                          BitTabu& tabu_, LocalUpdate change_, void* listed,
                                          void* outside, void* beyond, int, int directed_,
                                          int lane_)
        : WalkBase(lists_, geometry_, tabu_, change_, directed_, lane_),
          trails{static_cast<float*>(listed), static_cast<float*>(outside),
                 static_cast<float*>(beyond), geometry_.n, static_cast<bool>(directed_)} {}

    __device__ __forceinline__ void begin(int) {}

    __device__ __forceinline__ int step(int city, bool explores, float number, bool due) {
        float* place = trails.listed_at(city, lane);
        float trail = __ldcg(place);
        Candidate candidate = lists.at(city, lane);
        int next = choose(candidate.city(), trail * candidate.weight(), explores, number);
        if (next < 0) return step_outside(city, due);
        bool chosen = candidate.city() == next;
        if (due && chosen) {
            trail = change(trail);
            *place = trail;
            if (!directed) *reverse_place(city, next, candidate.reverse()) = trail;
        }
        visit(next, chosen);
        return next;
    }

    // The closing edge.
    __device__ __forceinline__ void finish(int last, int start, bool due) {
        if (due) update(last, start);
    }

    __device__ __forceinline__ void report(ColonyState*) const {}

    // A step of which the update is left to the caller: one lane gets it in `pending`.
    __device__ __forceinline__ int step_pending(int city, bool explores, float number, bool due,
                                                PendingUpdate& pending) {
        float* place = trails.listed_at(city, lane);
        float trail = __ldcg(place);
        Candidate candidate = lists.at(city, lane);
        int next = choose(candidate.city(), trail * candidate.weight(), explores, number);
        if (next < 0) {
            next = trails.choose_outside(lists, geometry, tabu, city, lane);
            visit(next, lane == 0);
            if (due) finish_pending(city, next, pending);
            return next;
        }
        bool chosen = candidate.city() == next;
        if (due && chosen) {
            float* back = directed ? nullptr : reverse_place(city, next, candidate.reverse());
            pending = PendingUpdate{place, back, trail};
        }
        visit(next, chosen);
        return next;
    }

    // The update of any edge, left to the caller.
    __device__ void finish_pending(int u, int v, PendingUpdate& pending) {
        float* there = trails.find(lists, u, v, lane);
        float* back = directed ? nullptr : trails.find(lists, v, u, lane);
        if (lane == 0) pending = PendingUpdate{there, back, __ldcg(there)};
    }

  private:
    __device__ __forceinline__ float* reverse_place(int city, int next, unsigned rank) const {
        return rank == NOT_LISTED ? trails.outside_at(next, city) : trails.listed_at(next, rank);
    }

    __device__ int step_outside(int city, bool due) {
        int next = trails.choose_outside(lists, geometry, tabu, city, lane);
        visit(next, lane == 0);
        if (due) update(city, next);
        return next;
    }

    __device__ void update(int u, int v) {
        float* there = trails.find(lists, u, v, lane);
        float* back = directed ? there : trails.find(lists, v, u, lane);
        if (lane == 0) {
            float trail = change(__ldcg(there));
            *there = trail;
            *back = trail;
        }
    }
};

// The update of the reverse edge waits until the ant stands at its city, where the records are
// read anyway: a step reads one ring, whatever it updates.
template <int CAPACITY>
struct SelectiveWalk : WalkBase {
    SelectiveMemory<CAPACITY> memory;
    unsigned hits = 0, total = 0;
    int previous = -1;  // the city whose trail is to be updated at the next one, or -1

    __device__ __forceinline__ SelectiveWalk(const CandidateLists& lists_,
                                             const Geometry& geometry_, BitTabu& tabu_,
                                             LocalUpdate change_, void* records, void* tails,
                                             void*, int size, int directed_, int lane_)
        : WalkBase(lists_, geometry_, tabu_, change_, directed_, lane_),
          memory{static_cast<Record*>(records), static_cast<unsigned*>(tails), size} {}

    __device__ __forceinline__ void begin(int) { previous = -1; }

    __device__ __forceinline__ int step(int city, bool explores, float number, bool due) {
        Ring ring;
        memory.open(ring, city, lane);
        Candidate candidate = lists.at(city, lane);
        float trail = memory.look_up(city, candidate.city());
        unsigned evicted = settle(ring);
        if (candidate.city() == evicted) trail = 1.0f;
        int next = choose(candidate.city(), trail * candidate.weight(), explores, number);
        if (next < 0) {
            next = memory.choose_outside(lists, geometry, tabu, ring, city, lane);
            visit(next, lane == 0);
        } else {
            visit(next, candidate.city() == next);
        }
        if (due) {
            count(ring.update(next, change, lane));
            if (!directed) previous = city;
        }
        return next;
    }

    __device__ __forceinline__ void finish(int last, int start, bool due) {
        Ring ring;
        memory.open(ring, last, lane);
        settle(ring);
        if (due) {
            count(ring.update(start, change, lane));
            if (!directed) previous = last;
        }
        __syncwarp();
        memory.open(ring, start, lane);
        settle(ring);
    }

    __device__ __forceinline__ void report(ColonyState* state) const {
        if (lane) return;
        atomicAdd(&state->local_hits, static_cast<Word>(hits));
        atomicAdd(&state->local_total, static_cast<Word>(total));
    }

  private:
    __device__ __forceinline__ void count(bool hit) {
        hits += hit;
        total += 1;
    }

    // Updates the trail back to where the ant came from, if that is due. Returns the city whose
    // record had to make room, NOBODY if none had.
    __device__ __forceinline__ unsigned settle(Ring& ring) {
        if (previous < 0) return NOBODY;
        unsigned oldest = ring.last + 1 < ring.size ? ring.last + 1 : 0;
        unsigned evicted = record_city(__shfl_sync(ALL_LANES, ring.mine, oldest));
        bool hit = ring.update(previous, change, lane);
        count(hit);
        previous = -1;
        return hit ? NOBODY : evicted;
    }
};

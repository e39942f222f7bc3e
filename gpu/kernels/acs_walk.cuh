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

    __device__ __forceinline__ void look(int here) {
        city = here;
        candidate = lists.at(here, lane);
    }

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

// The next city where no candidate is left, and the update of the edge to it.
[[maybe_unused]] static __device__ SELDOM int step_outside(CandidateLists lists, Geometry geometry,
                                                           BitTabu tabu, TrailMatrix trails,
                                                           LocalUpdate change, int city, int lane,
                                                           bool due) {
    int far_city = trails.far_of(city, lane);
    Fallback fallback;
    fallback.prepare(lists, tabu, geometry, city, lane);
    OutsideTrail chosen;
    int next = trails.choose_outside(trails.options(fallback, far_city, geometry, tabu, city, lane),
                                     geometry, tabu, AsRead{}, city, lane, chosen);
    if (!due) return next;
    float* back = trails.find(lists, next, city, lane);
    if (chosen.place) trails.overwrite(chosen.place, back, change(chosen.trail));
    return next;
}

struct MatrixWalk : WalkBase {
    static constexpr int RESIDENT = 19;  // warps a multiprocessor, see build_tours
    TrailMatrix trails;
    const uint2* rows;    // this lane's column of the candidate lists
    const float* column;  // and of their trails
    float trail = 0;      // to this lane's candidate
    unsigned bits = 0;    // the tabu word of this lane's candidate

    __device__ __forceinline__ MatrixWalk(const CandidateLists& lists_, const Geometry& geometry_,
                                          const BitTabu& tabu_, LocalUpdate change_, void* listed,
                                          void* outside, void* far, int, int directed_, int lane_)
        : WalkBase(lists_, geometry_, tabu_, change_, directed_, lane_),
          trails{static_cast<float*>(listed), static_cast<float*>(outside), static_cast<int*>(far),
                 geometry_.n, static_cast<bool>(directed_)},
          rows(held(lists_.rows + lane_)),
          column(held(trails.listed + lane_)) {}

    __device__ __forceinline__ void arrive(int here) {
        city = here;
        candidate.packed = __ldg(rows + static_cast<long long>(here) * LANES);
        trail = __ldcg(column + static_cast<long long>(here) * LANES);
    }

    // To be called once for the start city, after arrive(); step() does so itself.
    __device__ __forceinline__ void enter() {
        visit(city);
        bits = tabu.word(candidate.city());
    }

    // One step with plain stores: what other ants wrote in between is lost. Without races the
    // trails of an edge's two directions are equal, so one value serves both.
    //
    // The greedy choice is made in haste, from the weights without their last bits, and the reads
    // for it start before it is known whether it stands; all that is used after them is worked out
    // before, because registers that a read is to fill cannot hold anything else.
    template <bool EXPLORES>
    __device__ __forceinline__ int step(float number, bool due) {
        int from = city, mine = candidate.city(), next;
        unsigned rank = candidate.reverse();
        bool allowed = !tabu.visited(mine, bits);
        float weight = trail * candidate.weight(), changed = here_and_now(change(trail));
        if (EXPLORES && __any_sync(ALL_LANES, allowed)) {
            int drawn = roulette_lane(allowed ? weight : 0.0f, allowed, number, lane);
            next = __shfl_sync(ALL_LANES, mine, drawn);
            arrive(next);
        } else {
            unsigned haste = EXPLORES ? 0 : hasty_key(weight, allowed, lane);
            unsigned top = EXPLORES ? 0 : warp_max(haste);
            next = __shfl_sync(ALL_LANES, mine, hasty_lane(top));
            bool sure = !EXPLORES && stands(haste, top);
            if (!EXPLORES) arrive(next);
            if (__builtin_expect(!sure, 0)) {
                int hasty = next;
                unsigned key = weight_key(weight, allowed);
                next = top != 0
                           ? best_city(key, warp_max(key), mine)
                           : step_outside(lists, geometry, tabu, trails, change, from, lane, due);
                if (EXPLORES || next != hasty) arrive(next);
            }
        }
        bool updates = due && mine == next;
        if (updates) *trails.listed_at(from, lane) = changed;
        if (updates && !directed) *reverse_at(from, next, rank) = changed;
        enter();
        return next;
    }

    // The closing edge.
    __device__ __forceinline__ void finish(int start, bool due) {
        if (!due) return;
        float* there = trails.find(lists, city, start, lane);
        float* back = trails.find(lists, start, city, lane);
        if (lane == 0) trails.overwrite(there, back, change(__ldcg(there)));
    }

    // Where the reverse of a candidate edge has its trail; `rank` is the candidate's `reverse`.
    __device__ __forceinline__ float* reverse_at(int from, int to, unsigned rank) const {
        return rank == NOT_LISTED ? trails.outside_at(to, from) : trails.listed_at(to, rank);
    }

    __device__ __forceinline__ void report(ColonyState*) const {}
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

    __device__ __forceinline__ void arrive(int here) {
        city = here;
        candidate = lists.at(here, lane);
        page = memory.read(here);
        memory.open(ring, here, lane);
    }

    __device__ __forceinline__ void enter() { visit(city); }

    template <bool EXPLORES>
    __device__ __forceinline__ int step(float number, bool due) {
        float trail = page.trail_to(candidate.city());
        unsigned evicted = settle();
        if (candidate.city() == evicted) trail = 1.0f;
        float weight = trail * candidate.weight();
        unsigned key = weight_key(weight, free()), top = warp_max(key);
        int next = best_city(key, top, candidate.city());
        if (__builtin_expect(top == 0, 0))
            next = step_outside();
        else if (EXPLORES)
            next = spin(weight, number);
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

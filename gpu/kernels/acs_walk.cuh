// An ant's walk from city to city, with the pheromone matrix or with the selective memory.
//
// A step is a chain of latencies: read the trails of the city just reached, choose, read the next.
// So the reads for the next city are started the moment it is known, and all else that a step has
// to do (marking, updating, writing the tour) is done while they travel. An update writes from the
// register that the chosen lane already holds; nothing is read twice.
#pragma once

#include "colony_state.cuh"
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

    // The next city among the candidates, or -1 when all have been visited.
    __device__ __forceinline__ int choose_listed(float weight, bool explores,
                                                 float number) const {
        bool free = !tabu.visited(candidate.city());
        unsigned key = weight_key(weight, free), top = warp_max(key);
        if (top == 0) return -1;
        if (!explores) return best_city(key, top, candidate.city());
        int drawn = roulette_lane(free ? weight : 0.0f, free, number, lane);
        return __shfl_sync(ALL_LANES, candidate.city(), drawn);
    }

    __device__ __forceinline__ void visit(int next) {
        if (lane == 0) tabu.mark(next);
        __syncwarp();
    }
};

// A local update of an edge, in one lane of the warp; in the others `there` is null. Without
// races the trails of an edge's two directions are equal, so one value stands for both.
struct EdgeUpdate {
    float* there;
    float* back;  // the reverse edge's trail, or null
    float trail;  // as the ant found it

    // Plain stores: what other ants wrote in between is lost, as ACS-GPU-Alt has it.
    __device__ __forceinline__ void overwrite(LocalUpdate change) const {
        if (!there) return;
        float changed = change(trail);
        *there = changed;
        if (back) *back = changed;
    }

    // Compare-and-swap: every ant's update counts. Both directions are under way at once.
    __device__ __forceinline__ void swap(LocalUpdate change) const {
        if (!there) return;
        float before_there = trail, before_back = trail;
        bool changes_there = true, changes_back = back != nullptr;
        while (changes_there || changes_back) {
            float seen_there = before_there, seen_back = before_back;
            if (changes_there) seen_there = try_swap(there, before_there, change);
            if (changes_back) seen_back = try_swap(back, before_back, change);
            changes_there = changes_there && seen_there != before_there;
            changes_back = changes_back && seen_back != before_back;
            before_there = seen_there;
            before_back = seen_back;
        }
    }

  private:
    __device__ __forceinline__ static float try_swap(float* place, float before,
                                                     LocalUpdate change) {
        return __uint_as_float(atomicCAS(reinterpret_cast<unsigned*>(place),
                                         __float_as_uint(before),
                                         __float_as_uint(change(before))));
    }
};

struct MatrixWalk : WalkBase {
    TrailMatrix trails;
    float trail = 0;  // to this lane's candidate

    __device__ __forceinline__ MatrixWalk(const CandidateLists& lists_, const Geometry& geometry_,
                                          const BitTabu& tabu_, LocalUpdate change_, void* listed,
                                          void* outside, void* beyond, int, int directed_,
                                          int lane_)
        : WalkBase(lists_, geometry_, tabu_, change_, directed_, lane_),
          trails{static_cast<float*>(listed), static_cast<float*>(outside),
                 static_cast<float*>(beyond), geometry_.n, static_cast<bool>(directed_)} {}

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

    // Chooses the next city and starts looking there; what the step updates is in `update` if
    // `due`. The trails at the next city are still to be sensed, its tabu bit to be set.
    __device__ __forceinline__ int advance(bool explores, float number, bool due,
                                           EdgeUpdate& update) {
        int from = city;
        Candidate left = candidate;
        float found = trail;
        update.there = nullptr;
        int next = choose_listed(found * left.weight(), explores, number);
        if (next >= 0) {
            look(next);
            if (due && left.city() == next) {
                float* back = left.reverse() == NOT_LISTED
                                  ? trails.outside_at(next, from)
                                  : trails.listed_at(next, left.reverse());
                update = EdgeUpdate{trails.listed_at(from, lane), directed ? nullptr : back,
                                    found};
            }
            return next;
        }
        next = trails.choose_outside(lists.backup_of(from, lane), geometry, tabu, from, lane);
        look(next);
        if (due) prepare(from, next, -1, update);
        return next;
    }

    __device__ __forceinline__ int step(bool explores, float number, bool due) {
        EdgeUpdate update;
        int next = advance(explores, number, due, update);
        sense();
        if (due) update.overwrite(change);
        visit(next);
        return next;
    }

    // The closing edge.
    __device__ __forceinline__ void close(int start, bool due, EdgeUpdate& update) {
        int last = city, rank = lists.lane_of(last, start, lane);
        look(start);
        update.there = nullptr;
        if (due) prepare(last, start, rank, update);
    }

    __device__ __forceinline__ void finish(int start, bool due) {
        EdgeUpdate update;
        close(start, due, update);
        update.overwrite(change);
    }

    __device__ __forceinline__ void report(ColonyState*) const {}

  private:
    // The update of the edge to the city where the ant now looks; `rank` is that city's on the
    // list it came from, or -1.
    __device__ __forceinline__ void prepare(int from, int to, int rank, EdgeUpdate& update) {
        int reverse = __ffs(__ballot_sync(ALL_LANES, candidate.city() == from)) - 1;
        if (lane) return;
        float* there = trails.at(from, to, rank);
        update = EdgeUpdate{there, directed ? nullptr : trails.at(to, from, reverse),
                            __ldcg(there)};
    }
};

// The update of the reverse edge waits until the ant stands at its city, where the records are
// read anyway: a step reads one ring, whatever it updates.
template <int CAPACITY>
struct SelectiveWalk : WalkBase {
    SelectiveMemory<CAPACITY> memory;
    typename SelectiveMemory<CAPACITY>::Page page;
    Ring ring;
    unsigned hits = 0, total = 0;
    int previous = -1;  // the city whose trail is to be updated at this one, or -1

    __device__ __forceinline__ SelectiveWalk(const CandidateLists& lists_,
                                             const Geometry& geometry_, const BitTabu& tabu_,
                                             LocalUpdate change_, void* records, void* tails,
                                             void*, int size, int directed_, int lane_)
        : WalkBase(lists_, geometry_, tabu_, change_, directed_, lane_),
          memory{static_cast<Record*>(records), static_cast<unsigned*>(tails), size} {}

    __device__ __forceinline__ void begin(int start) {
        previous = -1;
        arrive(start);
    }

    __device__ __forceinline__ int step(bool explores, float number, bool due) {
        int from = city;
        float trail = page.trail_to(candidate.city());
        unsigned evicted = settle();
        if (candidate.city() == evicted) trail = 1.0f;
        int next = choose_listed(trail * candidate.weight(), explores, number);
        if (next < 0)
            next = memory.choose_outside(lists.backup_of(from, lane), geometry, tabu, ring, from,
                                         lane);
        Ring left = ring;
        arrive(next);
        if (due) {
            count(left.update(next, change, lane));
            if (!directed) previous = from;
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

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
    __device__ int spin(float weight, float number) const {
        bool allowed = free();
        int drawn = roulette_lane(allowed ? weight : 0.0f, allowed, number, lane);
        return __shfl_sync(ALL_LANES, candidate.city(), drawn);
    }

    __device__ __forceinline__ void visit(int next) {
        tabu.mark(next, lane == 0);
        __syncwarp();
    }
};

// A local update of an edge, in one lane of the warp; in the others `there` is null. Without
// races the trails of an edge's two directions are equal, so one value stands for both.
struct EdgeUpdate {
    float* there;
    float* back;  // the reverse edge's trail, or null
    float trail;  // as the ant found it

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

// What can be known, before the trails may be read, of a city where no candidate is left.
struct Foresight {
    bool has_backup = false;  // whether the backup list has been read
    int certain = -1;         // the city to go to, if trails have no say in it
    Backup backup;
};

struct MatrixWalk : WalkBase {
    TrailMatrix trails;
    float trail = 0;  // to this lane's candidate
    Foresight foresight;

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

    // A choice, as each lane sees it: one lane is `mine`, and knows the trail to the city.
    struct Choice {
        int city;
        bool listed, mine;
        float trail;
    };

    // Chooses the next city. Exploring, and having no candidate left, are seldom: one branch
    // parts both from the usual step.
    __device__ __forceinline__ Choice choose(bool explores, const Draws& draws, int step) {
        float weight = trail * candidate.weight();
        unsigned key = weight_key(weight, free()), top = warp_max(key);
        Choice choice;
        choice.city = best_city(key, top, candidate.city());
        choice.listed = true;
        choice.trail = trail;
        if (__builtin_expect(explores || top == 0, 0)) {
            choice.listed = top != 0;
            if (choice.listed)
                choice.city = spin(weight, draws.roulette(step));
            else
                choose_unlisted(choice);
        }
        if (choice.listed) choice.mine = candidate.city() == choice.city;
        return choice;
    }

    // All that a choice may need and no update of this iteration can change.
    __device__ __forceinline__ void foresee() {
        foresight.certain = -1;
        foresight.has_backup = !__any_sync(ALL_LANES, free());
        if (!foresight.has_backup) return;
        foresight.backup = lists.backup_of(city, lane);
        bool any = false;
#pragma unroll
        for (int i = 0; i < BACKUP_ROWS; ++i)
            any = any || !tabu.visited(foresight.backup.at[i].city());
        if (!__any_sync(ALL_LANES, any) && __ldcg(&trails.beyond[city]) <= 1.0f)
            foresight.certain =
                nearest_unvisited(foresight.backup, tabu, geometry, city, lane);
    }

    __device__ __forceinline__ float* place_of(int from, const Choice& choice) const {
        return choice.listed ? trails.listed_at(from, lane)
                             : trails.outside_at(from, choice.city);
    }

    // The trail of the reverse edge, once the ant looks at the chosen city. `rank` is what the
    // list it left said of it. All lanes of the warp call this.
    __device__ __forceinline__ float* reverse_of(int from, const Choice& choice,
                                                 unsigned rank) const {
        if (!choice.listed) rank = own_rank(from);
        return rank == NOT_LISTED ? trails.outside_at(choice.city, from)
                                  : trails.listed_at(choice.city, rank);
    }

    // One step with plain stores: what other ants wrote in between is lost. Without races the
    // trails of an edge's two directions are equal, so one value serves both.
    __device__ __forceinline__ int step(bool explores, const Draws& draws, int number, bool due) {
        Choice choice = choose(explores, draws, number);
        // What is needed of this city is taken before the reads of the next one overwrite it.
        float changed = change(choice.trail);
        unsigned rank = candidate.reverse();
        int from = city;
        look(choice.city);
        sense();
        if (due) {
            float* back = directed ? nullptr : reverse_of(from, choice, rank);
            if (choice.mine) {
                *place_of(from, choice) = changed;
                if (back) *back = changed;
            }
        }
        visit(choice.city);
        return choice.city;
    }

    // The choice of the closing edge. All lanes of the warp call this.
    __device__ __forceinline__ Choice choose_start(int start) {
        unsigned rank = own_rank(start);
        Choice choice{start, rank != NOT_LISTED, lane == (rank == NOT_LISTED ? 0 : rank), trail};
        if (!choice.listed) choice.trail = __ldcg(trails.outside_at(city, start));
        return choice;
    }

    __device__ __forceinline__ void finish(int start, bool due) {
        if (!due) return;
        Choice choice = choose_start(start);
        unsigned rank = candidate.reverse();
        int from = city;
        look(start);
        float* back = directed ? nullptr : reverse_of(from, choice, rank);
        if (!choice.mine) return;
        *place_of(from, choice) = change(choice.trail);
        if (back) *back = change(choice.trail);
    }

    __device__ __forceinline__ void report(ColonyState*) const {}

  private:
    __device__ void choose_unlisted(Choice& choice) {
        if (foresight.certain >= 0) {
            choice.city = foresight.certain;
            choice.trail = 1.0f;
            choice.mine = lane == 0;
            return;
        }
        if (!foresight.has_backup) foresight.backup = lists.backup_of(city, lane);
        choice.city = trails.choose_outside(foresight.backup, geometry, tabu, city, lane,
                                            choice.trail, choice.mine);
    }

    // The rank of `other` on the list of the city where the ant looks, or NOT_LISTED.
    __device__ __forceinline__ unsigned own_rank(int other) const {
        unsigned found = __ballot_sync(ALL_LANES, candidate.city() == other);
        return found ? __ffs(found) - 1 : NOT_LISTED;
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

    __device__ __forceinline__ int step(bool explores, const Draws& draws, int number, bool due) {
        float trail = page.trail_to(candidate.city());
        unsigned evicted = settle();
        if (candidate.city() == evicted) trail = 1.0f;
        float weight = trail * candidate.weight();
        unsigned key = weight_key(weight, free()), top = warp_max(key);
        int next = best_city(key, top, candidate.city());
        if (__builtin_expect(explores || top == 0, 0))
            next = top != 0 ? spin(weight, draws.roulette(number))
                            : memory.choose_outside(lists.backup_of(city, lane), geometry, tabu,
                                                    ring, city, lane);
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

// A walk with the pheromone matrix, which ants update while others read it.
#pragma once

#include "trail_matrix.cuh"
#include "walk.cuh"

// The next city where no candidate is left, and the update of the edge to it.
template <LocalUpdates UPDATES>
SELDOM int step_outside(CandidateRows lists, Distances geometry, BitTabu tabu, TrailMatrix trails,
                        LocalUpdate change, int city, int lane, bool due) {
    int far_city = trails.far_of(city, lane);
    Fallback fallback;
    fallback.prepare(lists, tabu, geometry, city, lane);
    OutsideTrail chosen;
    int next = trails.choose_outside(trails.options(fallback, far_city, geometry, tabu, city, lane),
                                     geometry, tabu, AsRead{}, city, lane, chosen);
    if (!due) return next;
    float* back = trails.find(lists, next, city, lane);
    if (chosen.place) trails.renew<UPDATES>(chosen.place, back, chosen.trail, change);
    return __shfl_sync(ALL_LANES, next, 0);  // all lanes meet: one may have tried again and again
}

template <LocalUpdates UPDATES>
struct MatrixWalk : GuidedWalk {
    static constexpr int RESIDENT = UPDATES == ATOMIC ? 16 : 19;  // see build_tours
    TrailMatrix trails;
    TrailSwap forth, reverse;  // of the last update, where updates are atomic

    // Lanes that copy the parts of a city's data ahead.
    static constexpr int TRAIL_LANES = LANES * sizeof(float) / 16;
    static constexpr int LINK_LANE = TRAIL_LANES + ROW_LANES;
    static constexpr bool AHEAD = READS_AHEAD;

    INLINE MatrixWalk(const CandidateRows& lists_, const Distances& geometry_, const BitTabu& tabu_,
                      LocalUpdate change_, void* listed, void* outside, void* far, int,
                      const int4* links_, unsigned* slots, int directed_, int lane_)
        : GuidedWalk(lists_, geometry_, tabu_, change_, links_, slots, directed_, lane_),
          trails{static_cast<float*>(listed), static_cast<float*>(outside), static_cast<int*>(far),
                 geometry_.n, bool(directed_)} {
        set_up();
    }

    INLINE void set_up() {
        ahead.take(trails.listed, LANES * sizeof(float), 0, TRAIL_LANES, lane);
        ahead.take(lists.rows, LANES * sizeof(uint2), TRAIL_LANES, ROW_LANES, lane);
        ahead.take(links, sizeof(int4), LINK_LANE, 1, lane);
        ahead.hold();
    }

    INLINE void look(int here) {
        WalkBase::look(here);
        trail = __ldcg(trails.listed_at(here, lane));
    }

    // The ant goes to a city that it did not expect. Call this for the start city too.
    INLINE void arrive(int here, int turn) {
        look(here);
        look_about(turn);
    }

    // The ant goes to the city that it expected.
    INLINE void go_on(int turn) {
        city = ahead.expected;
        ahead.land();
        trail = ahead.at<float>(turn, 0)[lane];
        candidate.packed = ahead.at<uint2>(turn, TRAIL_LANES)[lane];
        link = *ahead.at<int4>(turn, LINK_LANE);
        visit(city);
    }

    // Call this once for the start city, after arrive(); steps do it themselves.
    INLINE void enter(int turn) {
        bits = tabu.word(candidate.city());
        ahead.proceed(link, turn, lane);
    }

    // A step. With plain stores, what other ants wrote in between is lost. But for such races, an
    // edge's trails in its two directions are equal, so one value serves both. `turn` is the
    // parity of the position on the tour that the next city gets.
    //
    // Only the usual step; where another may be due, it does nothing and returns false.
    INLINE bool follow(bool due, int turn) {
        if (!AHEAD) return false;
        int from = city, mine = candidate.city();
        unsigned rank = candidate.reverse();
        float before = trail, changed = UPDATES == RACING ? 0.0f : here_and_now(change(trail));
        if (!is_usual()) return false;
        settle(due);
        go_on(turn);
        update(due && mine == city, from, rank, before, changed);
        enter(turn);
        return true;
    }

    // Any step; the random word spins the wheel.
    INLINE int step(bool explores, unsigned word, bool due, int turn) {
        int from = city, mine = candidate.city(), next;
        bool allowed = !tabu.visited(mine, bits);
        if (!__any_sync(ALL_LANES, allowed)) {
            next = step_outside<UPDATES>(lists, geometry, tabu, trails, change, from, lane, due);
            set_up();
            arrive(next, turn);
            enter(turn);
            return next;
        }
        unsigned rank = candidate.reverse();
        float before = trail, weight = trail * candidate.weight(), changed = change(trail);
        unsigned key = weight_key(weight, allowed), top = warp_max(key);
        if (explores) {
            int drawn = roulette_lane(allowed ? weight : 0.0f, top, word, lane);
            next = __shfl_sync(ALL_LANES, mine, drawn);
        } else {
            next = best_city(key, top, mine);
        }
        settle(due);
        if (AHEAD && next == ahead.expected)
            go_on(turn);
        else
            arrive(next, turn);
        update(due && mine == next, from, rank, before, changed);
        enter(turn);
        return next;
    }

    // The closing edge.
    INLINE void finish(int start, bool due) {
        settle(true);
        if (!due) return;
        float* there = trails.find(lists, city, start, lane);
        float* back = trails.find(lists, start, city, lane);
        if (lane == 0) trails.renew<UPDATES>(there, back, __ldcg(there), change);
    }

    // One lane updates the edge to its candidate; `rank` is the candidate's `reverse`. An atomic
    // update may have to be tried again, which settle() does when the next one is due.
    INLINE void update(bool mine, int from, unsigned rank, float before, float changed) {
        if (!mine) return;
        float* there = trails.listed_at(from, lane);
        float* back =
            rank == NOT_LISTED ? trails.outside_at(city, from) : trails.listed_at(city, rank);
        if (UPDATES == RACING) {
            trails.race(there, back, change);
            return;
        }
        if (UPDATES == LATE) {
            trails.overwrite(there, back, changed);
            return;
        }
        forth.begin(there, before, changed);
        if (!directed) reverse.begin(back, before, changed);
    }

    // No update is under way any more, if that is `due`.
    INLINE void settle(bool due) {
        if (UPDATES != ATOMIC || !due) return;
        forth.settle(change);
        reverse.settle(change);
    }

    INLINE void report(ColonyState*) const {}
};

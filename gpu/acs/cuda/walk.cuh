// An ant's walk from city to city: what the walks with the pheromone matrix (matrix_walk.cuh) and
// with the selective memory (selective_walk.cuh) share.
//
// A step is a chain of latencies: read the trails of the city just reached, choose, read the next.
// Most of the time is for the reads, so they are made ahead; see ReadsAhead. Then a step takes as
// long as its instructions, so the usual step is short and separate from all others. An update
// writes from the register of the chosen lane; nothing is read twice.
#pragma once

#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/philox.cuh"
#include "reads_ahead.cuh"
#include "trail_matrix.cuh"

// What both walks share: the ant's city, its candidates, and the pseudo-random proportional rule
// (equations 1 and 2).
struct WalkBase {
    CandidateLists lists;
    Geometry geometry;
    BitTabu tabu;
    LocalUpdate change;
    bool directed;
    int lane;
    int city = 0;
    Candidate candidate;

    INLINE void look(int here) {
        city = here;
        candidate = lists.at(here, lane);
    }

    INLINE bool free() const { return !tabu.visited(candidate.city()); }

    // The candidate that the roulette wheel chooses. All lanes of the warp call this.
    INLINE int spin(float weight, unsigned word) const {
        bool allowed = free();
        unsigned top = warp_max(weight_key(weight, allowed));
        int drawn = roulette_lane(allowed ? weight : 0.0f, top, word, lane);
        return __shfl_sync(ALL_LANES, candidate.city(), drawn);
    }

    INLINE void visit(int next) {
        tabu.mark(next, lane == 0);
        __syncwarp();
    }
};

// A walk that reads ahead along the best tour. All lanes of the warp call its functions.
struct GuidedWalk : WalkBase {
    static constexpr int ROW_LANES = LANES * sizeof(uint2) / 16;
    const int4* links;
    int4 link;  // of this city: see ReadsAhead
    ReadsAhead ahead;
    float trail = 0;    // to this lane's candidate
    unsigned bits = 0;  // the tabu word of this lane's candidate

    INLINE GuidedWalk(const CandidateLists& lists_, const Geometry& geometry_, const BitTabu& tabu_,
                      LocalUpdate change_, const int4* links_, unsigned* slots, bool directed_,
                      int lane_)
        : WalkBase{lists_, geometry_, tabu_, change_, directed_, lane_},
          links(links_),
          ahead{reinterpret_cast<uint4*>(slots)} {}

    // Whether the next step is greedy, to the city that was expected, for certain: weights are
    // compared without their last bits. A lane may have a rival that is no candidate.
    template <bool RIVALS = false>
    INLINE bool is_usual(float rival = 0.0f) const {
        int mine = candidate.city();
        unsigned haste = hasty_key(trail * candidate.weight(), !tabu.visited(mine, bits), lane);
        unsigned top = warp_max(haste);
        bool sure = stands(haste, top, lane, !RIVALS || is_below(rival, top));
        return __shfl_sync(ALL_LANES, mine, hasty_lane(top)) == ahead.expected && sure;
    }

    // The ant did not expect this city. `turn` is the parity of its position on the tour.
    INLINE void look_about(int turn) {
        visit(city);
        link = __ldg(&links[city]);
        ahead.drop();
        ahead.begin(link, tabu.visited(link.x), turn, lane);
    }
};

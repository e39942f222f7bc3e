// An ant's walk from city to city: what the walks with the pheromone matrix (matrix_walk.cuh) and
// with the selective memory (tours.cu) share.
//
// A step is a chain of latencies: read the trails of the city just reached, choose, read the next.
// Most of the time is for the reads, so they are made ahead; see ReadsAhead. Then a step takes as
// long as its instructions, so the usual step is short and separate from all others. An atomic
// update begins with the trail in the register of the chosen lane; one that races reads it again.
#pragma once

#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/portable.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"
#include "trail_matrix.cuh"

// Reads for cities where an ant has not arrived yet.
//
// At least nine steps of ten follow the best tour so far, forwards or backwards. So the data of a
// city is copied to shared memory while the ant is still two steps away. This hides the latency of
// the L2 cache, which is longer than the rest of a step. Where the guess is wrong, the ant reads
// the data when it arrives, as it would without reading ahead.

// Two slots, SLOT_WORDS of shared memory that begins at a multiple of 16 bytes, hold the next two
// cities in turn: each lane copies 16 bytes of a city to its place in a slot.
struct ReadsAhead {
    static constexpr int SLOTS = 2;
    static_assert(SLOT_WORDS == SLOTS * 4 * LANES, "16 bytes a lane");

    uint4* slots;
    const char* source = nullptr;  // what this lane copies for city 0
    unsigned stride = 0;           // bytes from one city to the next
    int expected = -1;             // the next city, if the guess is right
    int later = -1;                // the one after it

    // What `lanes` lanes from `first` on copy: consecutive bytes of an array with `bytes` a city.
    INLINE void take(const void* array, unsigned bytes, int first, int lanes, int lane) {
        if (lane < first || lane >= first + lanes) return;
        source = static_cast<const char*>(array) + 16 * (lane - first);
        stride = bytes;
    }

    // Keeps in registers what take() has set.
    INLINE void hold() {
        source = held(source);
        stride = here_and_now(stride);
    }

    // A slot, from the place of lane `first` on.
    template <class Value>
    INLINE const Value* at(int turn, int first) const {
        return reinterpret_cast<const Value*>(slots + turn * LANES + first);
    }

    // Call this before a slot is read: it waits until all lanes have copied the older city.
    INLINE void land() const {
        copies_landed<SLOTS - 1>();
        __syncwarp();
    }

    // An ant that reads its data itself calls this: afterwards no copy is under way.
    INLINE void drop() const { copies_landed<0>(); }

    // The ant is at a city that it did not expect; `links` has the two cities beside it on the
    // best tour. `turn` is its own slot.
    INLINE void begin(int4 links, bool turned, int turn, int lane) {
        later = turned ? links.y : links.x;
        copy(later, turn ^ 1, lane);
    }

    // `links`: the cities after and before the present one on the best tour, and the next but one
    // on either side.
    INLINE void proceed(int4 links, int turn, int lane) {
        expected = later;
        later = expected == links.x ? links.z : links.w;
        copy(later, turn, lane);
    }

  private:
    // Lanes without a part copy nothing: to copy the same place again would cost as much.
    INLINE void copy(int city, int turn, int lane) const {
        auto offset = static_cast<unsigned long long>(unsigned(city)) * stride;
        if (stride) copy_ahead(slots + turn * LANES + lane, source + offset);
        copies_asked();
    }
};

// What both walks share: the ant's city, its candidates, and the pseudo-random proportional rule
// (equations 1 and 2).
struct WalkBase {
    CandidateRows lists;
    Distances geometry;
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

    INLINE GuidedWalk(const CandidateRows& lists_, const Distances& geometry_, const BitTabu& tabu_,
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

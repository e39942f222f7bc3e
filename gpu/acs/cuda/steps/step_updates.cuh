// Ants that step together (ACS-GPU): their local updates, and how they choose.
#pragma once

#include "gpu/acs/cuda/kernels.py"
#include "gpu/acs/cuda/trail_matrix.cuh"
#include "gpu/acs/cuda/walk.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"

// Local updates of ants that step together (ACS-GPU). The result does not depend on the order of
// the updates.

// A trail that ants read while others update it, in one word: the time of its last update
// (TIME_BITS; steps between two barriers have the same time), the trail before it (31 bits: it is
// positive), and how many updates it then got (13 bits). So a step needs no second barrier between
// choices and updates: a reader who finds an update of the present time takes the trail before it.
//
// The paper updates by compare-and-swap. Ants that follow the best tour together then fail, and
// retry one after the other. Here an update is an atomic maximum, on which all updates of an edge
// at one time agree, and then a count: any number of updates takes effect in one round.
namespace stamped {

constexpr int COUNT_BITS = 13, TRAIL_BITS = 31;
static_assert(TIME_BITS + TRAIL_BITS + COUNT_BITS == 64, "one word");

INLINE Word make(unsigned time, float trail) {
    return Word(time) << (COUNT_BITS + TRAIL_BITS) | Word(__float_as_uint(trail)) << COUNT_BITS;
}

INLINE unsigned time(Word word) { return unsigned(word >> (COUNT_BITS + TRAIL_BITS)); }

// The trail before the updates of its time.
INLINE float before(Word word) {
    return __uint_as_float(unsigned(word >> COUNT_BITS) & 0x7fffffffu);
}

// How many it got then.
INLINE unsigned updates(Word word) { return unsigned(word) & ((1u << COUNT_BITS) - 1); }

// The trail before any update of `now`.
INLINE float trail(Word word, unsigned now, LocalUpdate change) {
    float value = before(word);
    unsigned count = time(word) == now ? 0 : updates(word);
    for (; count > 0; --count) value = change(value);
    return value;
}

// The same of several trails, side by side.
template <int COUNT>
INLINE void trails(const Word (&words)[COUNT], unsigned now, LocalUpdate change,
                   float (&values)[COUNT]) {
    unsigned counts[COUNT], most = 0;
    UNROLL for (int i = 0; i < COUNT; ++i) {
        values[i] = before(words[i]);
        counts[i] = time(words[i]) == now ? 0 : updates(words[i]);
        most = max(most, counts[i]);
    }
#pragma unroll 1
    for (unsigned done = 0; done < most; ++done) {
        UNROLL for (int i = 0; i < COUNT; ++i) {
            float next = change(values[i]);
            values[i] = done < counts[i] ? next : values[i];
        }
    }
}

INLINE void update(Word* place, unsigned time, float trail) {
    atomicMax(place, make(time, trail));
    atomicAdd(place, 1ull);
}

}  // namespace stamped

// Updates of edges on no list, of one time and of the next in turn. The ants note them, and make
// them after the barrier. Until they are made, whoever reads such a trail looks for it here too.
//
// There are few: an update does not change a trail at the initial level, and all other trails
// belong to edges that were once on a best tour.
struct OutsideLog {
    Word* entries;     // (2, 2 ants, 2): edge, trail before the update
    unsigned* counts;  // (n + 1), by time
    int capacity;      // 2 ants
    unsigned time;     // that is read: the one before the present
    LocalUpdate change;

    INLINE Word* entry(unsigned at, unsigned i) const {
        return entries + 2ll * (static_cast<long long>(at & 1) * capacity + i);
    }

    static INLINE Word edge(int from, int to) { return Word(from) << 32 | unsigned(to); }

    // Notes an update of the present time.
    __device__ void note(int from, int to, float trail) const {
        Word* mine = entry(time + 1, atomicAdd(&counts[time + 1], 1u));
        atomicExch(mine, edge(from, to));
        atomicExch(mine + 1, __float_as_uint(trail));
    }

    // Calls visit(to, trail before) for every update of a trail from `city`. All lanes of the warp
    // call this, and all get every update.
    template <class Visit>
    INLINE void each(int city, Visit visit) const {
        unsigned lane = threadIdx.x % LANES;
        unsigned count = __ldcg(&counts[time]);
        for (unsigned first = 0;; first += LANES) {
            // The first are read before it is known how many there are; what is no entry of this
            // time is not looked at.
            unsigned i = min(first + lane, unsigned(capacity) - 1);
            Word edge = __ldcg(entry(time, i)), before = __ldcg(entry(time, i) + 1);
            unsigned found =
                __ballot_sync(ALL_LANES, first + lane < count && int(edge >> 32) == city);
            for (; found; found &= found - 1) {
                int from = __ffs(found) - 1;
                visit(int(__shfl_sync(ALL_LANES, unsigned(edge), from)),
                      __uint_as_float(__shfl_sync(ALL_LANES, unsigned(before), from)));
            }
            if (first + LANES >= count) return;
        }
    }

    // The trail after its updates; `read` if it had none. All lanes of the warp call this.
    INLINE float trail(int from, int to, float read) const {
        bool found = false;
        each(from, [&](int city, float before) {
            if (city != to) return;
            read = change(found ? read : before);
            found = true;
        });
        return read;
    }
};

// An update that was noted and is to be made, the same in all lanes of a warp.
struct NotedUpdate {
    int from = 0, to = 0;
    bool there = false, back = false;

    // All lanes of the warp call this.
    INLINE void perform(const OutsideLog& log, const TrailMatrix& trails, int lane) const {
        if (!there && !back) return;
        float trail = there ? log.trail(from, to, 1.0f) : log.trail(to, from, 1.0f);
        if (there && lane == 0) atomicExch(trails.outside_at(from, to), trail);
        if (back && lane == 1) atomicExch(trails.outside_at(to, from), trail);
    }
};

// How ants that step together choose, and find the nearest city together.

// The nearest unvisited cities for the warps that ask; all warps of a block search for them.
struct NearestOfBlock {
    static constexpr int MOST_WARPS = 32;

    int asked[MOST_WARPS];  // the warp's city, or -1
    Word found[MOST_WARPS];

    // All threads of the block call this. `tabus` are the warps' bits, one after the other.
    __device__ void work_out(unsigned* tabus, int words, const Distances& geometry, int lane) {
        constexpr int AT_ONCE = 2;
        for (unsigned warp = 0; warp < blockDim.x / LANES; ++warp) {
            int city = asked[warp];
            if (city < 0) continue;
            BitTabu tabu(tabus + warp * words, words);
            Word nearest = ~0ull;
            for (int first = threadIdx.x; first < geometry.n; first += AT_ONCE * blockDim.x) {
                int from[AT_ONCE], to[AT_ONCE], lengths[AT_ONCE];
                bool free[AT_ONCE], any = false;
                UNROLL for (int i = 0; i < AT_ONCE; ++i) {
                    to[i] = min(first + i * int(blockDim.x), geometry.n - 1);
                    from[i] = city;
                    free[i] = !tabu.visited(to[i]);
                    any = any || free[i];
                }
                if (!any) continue;
                geometry.distances(from, to, lengths);
                UNROLL for (int i = 0; i < AT_ONCE; ++i) {
                    if (free[i]) nearest = min(nearest, OutsideLog::edge(lengths[i], to[i]));
                }
            }
            nearest = warp_least(nearest);
            if (lane == 0) atomicMin(&found[warp], nearest);
        }
    }
};

// Chooses the next city. If it is no candidate, one lane gets the trail to it. `trail` is the one
// to this lane's candidate.
template <class Memory>
INLINE int choose(const WalkBase& walk, const TrailMatrix& trails, float trail, bool stuck,
                  const OutsideOptions& options, const Memory& memory, bool explores,
                  const Draws& draws, int step, OutsideTrail& chosen) {
    if (stuck)
        return trails.choose_outside(options, walk.geometry, walk.tabu, memory, walk.city,
                                     walk.lane, chosen);
    float weight = trail * walk.candidate.weight();
    if (explores) return walk.spin(weight, draws.spin(step));
    unsigned key = weight_key(weight, walk.free());
    return best_city(key, warp_max(key), walk.candidate.city());
}

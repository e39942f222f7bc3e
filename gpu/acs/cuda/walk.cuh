// An ant's walk from city to city, with the pheromone matrix or with the selective memory.
//
// A step is a chain of latencies: read the trails of the city just reached, choose, read the next.
// Most of the time is for the reads, so they are made ahead; see ReadsAhead. Then a step takes as
// long as its instructions, so the usual step is short and separate from all others. An update
// writes from the register of the chosen lane; nothing is read twice.
#pragma once

#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/philox.cuh"
#include "reads_ahead.cuh"
#include "selective_memory.cuh"
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

// The next city where no candidate is left, and the update of the edge to it.
template <LocalUpdates UPDATES>
SELDOM int step_outside(CandidateLists lists, Geometry geometry, BitTabu tabu, TrailMatrix trails,
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

template <LocalUpdates UPDATES>
struct MatrixWalk : GuidedWalk {
    static constexpr int RESIDENT = UPDATES == ATOMIC ? 16 : 19;  // see build_tours
    TrailMatrix trails;
    TrailSwap forth, reverse;  // of the last update, where updates are atomic

    // Lanes that copy the parts of a city's data ahead.
    static constexpr int TRAIL_LANES = LANES * sizeof(float) / 16;
    static constexpr int LINK_LANE = TRAIL_LANES + ROW_LANES;
    static constexpr bool AHEAD = READS_AHEAD;

    INLINE MatrixWalk(const CandidateLists& lists_, const Geometry& geometry_, const BitTabu& tabu_,
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
        float before = trail, changed = here_and_now(change(trail));
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
        store(forth, trails.listed_at(from, lane), before, changed);
        if (!directed)
            store(reverse,
                  rank == NOT_LISTED ? trails.outside_at(city, from) : trails.listed_at(city, rank),
                  before, changed);
    }

    // No update is under way any more, if that is `due`.
    INLINE void settle(bool due) {
        if (UPDATES == RACING || !due) return;
        forth.settle(change);
        reverse.settle(change);
    }

    INLINE void report(ColonyState*) const {}

  private:
    static INLINE void store(TrailSwap& swap, float* place, float before, float changed) {
        if (UPDATES == RACING)
            *place = changed;
        else
            swap.begin(place, before, changed);
    }
};

// The city to go to where a remembered city may weigh as much as the heaviest candidates, or more.
// `next` is the lowest of these, of key `top`. Of equals the ant takes one that is remembered, as
// in the author's program, and of such the newest. Each lane gives a record and its age.
SELDOM int heaviest_of_all(Geometry geometry, BitTabu tabu, Record record, unsigned age, int city,
                           int next, unsigned top) {
    unsigned key = record_key(record, geometry, tabu, city), most = warp_max(key);
    if (most < top) return next;
    unsigned newest = warp_min(key == most ? age : ~0u);
    unsigned source = __ballot_sync(ALL_LANES, key == most && age == newest);
    return __shfl_sync(ALL_LANES, record_city(record), __ffs(source) - 1);
}

// The update of the reverse edge waits until the ant is at its city, where it reads the records
// anyway: a step reads one ring, whatever it updates.
template <int CAPACITY, Greedy GREEDY>
struct SelectiveWalk : GuidedWalk {
    static constexpr int RESIDENT = CAPACITY > 8 ? 16 : 19;
    SelectiveMemory<CAPACITY> memory;
    typename SelectiveMemory<CAPACITY>::Page page;
    Ring ring;
    unsigned hits = 0, total = 0;
    int previous = -1;  // the city whose trail is to be updated at this one, or -1
    int farthest = 0;   // lane of the last candidate
    float rival = 0;    // what this lane's remembered city weighs at most, if it is no candidate

    // Lanes that copy the parts of a city's data ahead; the largest memory leaves too few.
    static constexpr int RECORD_LANES = CAPACITY * sizeof(Record) / 16;
    static constexpr int LINK_LANE = RECORD_LANES + ROW_LANES, TAIL_LANE = LINK_LANE + 1;
    static constexpr bool AHEAD = READS_AHEAD && TAIL_LANE < LANES;

    INLINE SelectiveWalk(const CandidateLists& lists_, const Geometry& geometry_,
                         const BitTabu& tabu_, LocalUpdate change_, void* records, void* tails,
                         void*, int size, const int4* links_, unsigned* slots, int directed_,
                         int lane_)
        : GuidedWalk(lists_, geometry_, tabu_, change_, links_, slots, directed_, lane_),
          memory{static_cast<Record*>(records), static_cast<unsigned*>(tails), size} {
        // Short rows are filled with the city itself.
        if (GREEDY == REMEMBERED)
            farthest = 31 - __clz(__ballot_sync(ALL_LANES, lists.at(0, lane).city() != 0));
        set_up();
    }

    INLINE void set_up() {
        ahead.take(memory.records, CAPACITY * sizeof(Record), 0, RECORD_LANES, lane);
        ahead.take(lists.rows, LANES * sizeof(uint2), RECORD_LANES, ROW_LANES, lane);
        ahead.take(links, sizeof(int4), LINK_LANE, 1, lane);
        ahead.take(memory.tails, TAIL_STRIDE * sizeof(unsigned), TAIL_LANE, 1, lane);
        ahead.hold();
    }

    // As in MatrixWalk.
    INLINE void arrive(int here, int turn) {
        city = here;
        candidate = lists.at(here, lane);
        page = memory.read(here);
        memory.open(ring, here, lane);
        if (AHEAD)
            look_about(turn);
        else
            visit(city);
    }

    INLINE void go_on(int turn) {
        city = ahead.expected;
        ahead.land();
        candidate.packed = ahead.at<uint2>(turn, RECORD_LANES)[lane];
        link = *ahead.at<int4>(turn, LINK_LANE);
        memory.open(ring, page, ahead.at<Record>(turn, 0), *ahead.at<unsigned>(turn, TAIL_LANE),
                    city, lane);
        visit(city);
    }

    INLINE void enter(int turn) {
        if (AHEAD) ahead.proceed(link, turn, lane);
        bits = tabu.word(candidate.city());
        trail = page.trail_to(candidate.city());
        if (candidate.city() == settle()) trail = 1.0f;
        // No city off the list is nearer than the last candidate; the factor is for rounding.
        if (GREEDY == REMEMBERED)
            rival = record_trail(ring.mine) *
                    (__shfl_sync(ALL_LANES, candidate.weight(), farthest) * 1.000001f);
    }

    INLINE bool follow(bool due, int turn) {
        if (!AHEAD) return false;
        if (!is_usual<GREEDY == REMEMBERED>(rival)) return false;
        move(ahead.expected, due, turn, true);
        return true;
    }

    INLINE int step(bool explores, unsigned word, bool due, int turn) {
        int mine = candidate.city();
        bool allowed = !tabu.visited(mine, bits);
        float weight = trail * candidate.weight();
        unsigned key = weight_key(weight, allowed), top = warp_max(key);
        int next = best_city(key, top, mine);
        if (__builtin_expect(top == 0, 0)) {
            next = step_outside();
        } else if (explores) {
            int drawn = roulette_lane(allowed ? weight : 0.0f, top, word, lane);
            next = __shfl_sync(ALL_LANES, mine, drawn);
        } else if (GREEDY == REMEMBERED) {
            bool may = weight_key(rival, true) >= top || (key == top && mine != next);
            if (__any_sync(ALL_LANES, may))
                next = heaviest_of_all(geometry, tabu, ring.mine, ring.age(lane), city, next, top);
        }
        move(next, due, turn, AHEAD && next == ahead.expected);
        return next;
    }

    INLINE void finish(int start, bool due) {
        settle();
        if (due) {
            count(ring.update(start, change, lane));
            if (!directed) previous = city;
        }
        __syncwarp();
        memory.open(ring, start, lane);
        settle();
    }

    INLINE void report(ColonyState* state) const {
        if (lane) return;
        atomicAdd(&state->local_hits, Word(hits));
        atomicAdd(&state->local_total, Word(total));
    }

  private:
    // Updates the edge to `next`, if that is `due`, and goes there.
    INLINE void move(int next, bool due, int turn, bool expected) {
        Ring left = ring;
        Ring::Plan plan{};
        // Planned before the reads of the next city overwrite this one's, written after.
        if (due) {
            plan = left.plan(next, change, lane);
            previous = directed ? -1 : city;
            count(plan.hit);
        }
        if (expected)
            go_on(turn);
        else
            arrive(next, turn);
        if (due) left.carry_out(plan, left.mine, left.last, lane);
        enter(turn);
    }

    __device__ int step_outside() const {
        Fallback fallback;
        fallback.prepare(lists, tabu, geometry, city, lane);
        return memory.choose_outside(fallback, geometry, tabu, ring, city, lane);
    }

    INLINE void count(bool hit) {
        hits += hit;
        total += 1;
    }

    // Updates the trail back to where the ant came from, if that is due. Returns the city whose
    // record had to make room, NOBODY if none had.
    INLINE unsigned settle() {
        if (previous < 0) return NOBODY;
        unsigned oldest = ring.last + 1 < ring.size ? ring.last + 1 : 0;
        unsigned evicted = record_city(__shfl_sync(ALL_LANES, ring.mine, oldest));
        bool hit = ring.update(previous, change, lane);
        count(hit);
        previous = -1;
        return hit ? NOBODY : evicted;
    }
};

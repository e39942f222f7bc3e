// The tour of an ant: the source cut into at most 32 segments, which come in another order, some of
// them turned. Lane i has the i-th. So no step of a search costs more for more cities.
#pragma once

#include "kernels.py"
#include "spots.cuh"

static_assert(MOST_SEGMENTS == LANES, "one a lane");
constexpr int NO_PLACE = 0x7fffffff;

// The segments where all lanes of a warp can read them.
struct alignas(16) SegmentTable {
    int firsts[LANES];  // ascending
    int lanes[LANES];   // in which these segments are
    int4 ends[LANES];   // by lane: first, last, turned
};

struct AntTour {
    int first, last;  // places in the source, first <= last
    int turned;       // 1 where the ant goes from the last to the first
    int rank;         // segments with a lower first place
    int count;        // segments of all lanes

    INLINE int entry() const { return turned ? last : first; }
    INLINE int exit() const { return turned ? first : last; }

    INLINE void publish(SegmentTable* table, int lane) const {
        __syncwarp();
        int place = lane < count ? rank : lane;  // ranks are those below `count`
        table->firsts[place] = lane < count ? first : NO_PLACE;
        table->lanes[place] = lane;
        table->ends[lane] = make_int4(first, last, turned, 0);
        __syncwarp();
    }

    // Each lane takes over the segment of another, and turns it if `flip` is 1.
    INLINE void permute(int from, int flip) {
        first = __shfl_sync(ALL_LANES, first, from);
        last = __shfl_sync(ALL_LANES, last, from);
        int both = __shfl_sync(ALL_LANES, rank << 1 | turned, from);
        turned = (both & 1) ^ flip;
        rank = both >> 1;
    }

    // The same tour, the other way round.
    INLINE void mirror(int lane) { permute(lane < count ? count - 1 - lane : lane, 1); }

    // Turns the segments from the first to lane `until`: the step of Lin and Kernighan.
    INLINE void turn_until(int until, int lane) {
        permute(lane <= until ? until - lane : lane, lane <= until);
    }

    // Cuts segment j behind a place, so that the ant leaves it there. Returns the number of
    // segments that this adds, 0 or 1.
    INLINE int cut_behind(int place, int j, int lane) {
        int low = __shfl_sync(ALL_LANES, first, j), high = __shfl_sync(ALL_LANES, last, j);
        int both = __shfl_sync(ALL_LANES, rank << 1 | turned, j), back = both & 1;
        if (place == (back ? low : high)) return 0;
        permute(lane <= j ? lane : lane - 1, 0);
        rank += rank > both >> 1 || lane == (back ? j : j + 1);
        if (lane == j) (back ? first : last) = place;
        if (lane == j + 1) (back ? last : first) = back ? place - 1 : place + 1;
        ++count;
        return 1;
    }

    // Begins behind a place: the path that is left when the edge after it is given up.
    INLINE void open_behind(int place, SegmentTable* table, int lane);

    // Decides which way one-city segments go, if a neighbour on the tour is one in the source.
    INLINE void settle(int n, int lane) {
        int next = lane + 1 < count ? lane + 1 : 0, previous = lane > 0 ? lane - 1 : count - 1;
        if (lane >= count) next = previous = lane;
        int entered = __shfl_sync(ALL_LANES, entry(), next);
        int left = __shfl_sync(ALL_LANES, exit(), previous);
        if (lane >= count || count == 1 || first != last) return;
        int up = last + 1 < n ? last + 1 : 0, down = first > 0 ? first - 1 : n - 1;
        if (left == down || entered == up)
            turned = 0;
        else if (left == up || entered == down)
            turned = 1;
    }

    // Joins segments that follow each other as in the source. Some may have been settled before.
    INLINE void join(int n, SegmentTable* table, int lane) {
        int next = (lane + 1) % LANES;
        int low = __shfl_sync(ALL_LANES, first, next), high = __shfl_sync(ALL_LANES, last, next);
        int back = __shfl_sync(ALL_LANES, turned, next);
        bool joined =
            lane + 1 < count && back == turned && (turned ? high + 1 == first : last + 1 == low);
        unsigned continues = __ballot_sync(ALL_LANES, joined) << 1;
        unsigned all = count == LANES ? ALL_LANES : (1u << count) - 1;
        unsigned begins = all & ~continues;
        int group = __popc(begins & ((2u << lane) - 1)) - 1;
        __syncwarp();
        if (begins >> lane & 1) table->lanes[group] = lane;
        __syncwarp();
        int groups = __popc(begins);
        int head = lane < groups ? table->lanes[lane] : lane;
        int tail = lane >= groups      ? lane
                   : lane + 1 < groups ? table->lanes[lane + 1] - 1
                                       : count - 1;
        int head_first = __shfl_sync(ALL_LANES, first, head);
        int head_last = __shfl_sync(ALL_LANES, last, head);
        int tail_first = __shfl_sync(ALL_LANES, first, tail);
        int tail_last = __shfl_sync(ALL_LANES, last, tail);
        turned = __shfl_sync(ALL_LANES, turned, head);
        first = turned ? tail_first : head_first;
        last = turned ? head_last : tail_last;
        count = groups;
        rank = 0;
        for (int other = 0; other < count; ++other)
            rank += __shfl_sync(ALL_LANES, first, other) < first;
        __syncwarp();
    }
};

// What lanes ask of a published tour, each about a place of its own.
struct Published {
    const SegmentTable* table;
    int count;

    // The segment that has a place.
    INLINE int locate(int place) const {
        int found = 0;
        UNROLL for (int step = LANES / 2; step > 0; step /= 2) {
            if (table->firsts[found + step] <= place) found += step;
        }
        return table->lanes[found];
    }

    // The next place on the ant's tour, from a place in segment j.
    INLINE int after(int place, int j) const {
        int4 own = table->ends[j];
        if (place != (own.z ? own.x : own.y)) return own.z ? place - 1 : place + 1;
        int4 next = table->ends[j + 1 < count ? j + 1 : 0];
        return next.z ? next.y : next.x;
    }

    // The place before.
    INLINE int before(int place, int j) const {
        int4 own = table->ends[j];
        if (place != (own.z ? own.y : own.x)) return own.z ? place + 1 : place - 1;
        int4 previous = table->ends[j > 0 ? j - 1 : count - 1];
        return previous.z ? previous.x : previous.y;
    }

    // How far into segment j the ant comes to a place.
    INLINE int offset(int place, int j) const {
        int4 own = table->ends[j];
        return own.z ? own.y - place : place - own.x;
    }
};

INLINE void AntTour::open_behind(int place, SegmentTable* table, int lane) {
    publish(table, lane);
    int j = Published{table, count}.locate(place);
    cut_behind(place, j, lane);
    int from = lane + j + 1;
    permute(lane >= count ? lane : from < count ? from : from - count, 0);
    publish(table, lane);
}

// What an ant's tour changes in the source, and which parts of the source it claims for that.
//
// Edges of the source that the ant gave up are cuts. Cuts near each other lie in one window;
// between two windows lies a long gap. Changes of different ants can be made together if no window
// cuts another, and if either the gaps of each keep their order and direction, or all windows of
// the one lie in one gap of the other.
#pragma once

#include "segments.cuh"

constexpr int NARROWEST = 25, WIDEST = 1600, TANGLED_GAP = 30;  // places of a gap that is not long

// A change with so many cuts and new edges at most.
template <int MOST>
struct ChangeOf {
    long long gain;
    int links;  // 0: there is no change
    int windows;
    int tangled;        // 1 if gaps change their order or direction
    int rank;           // of two changes that claim the same places, the higher one is made
    int2 window[MOST];  // places of the first and the last cut
    int2 link[MOST];    // new edges: place · 2 + 1 where the cut is behind it, else · 2
};

// Of an ant whose tour is one of segments.
struct SegmentChange : ChangeOf<MOST_SEGMENTS> {};

INLINE int rank_of(long long gain) { return gain > 0 ? int(min(gain, 0x7ffffffell)) + 1 : 1; }

// The best claim on some places: the rank, then the ant.
INLINE unsigned long long claim_of(int rank, int ant) {
    return static_cast<unsigned long long>(rank) << 32 | unsigned(ant);
}

INLINE int claims_of(int n) { return (n >> CLAIM_BITS) + 1; }

// Visits the blocks of places that a window claims, lane by lane.
template <class Visitor>
INLINE void each_claim(int2 window, int n, int lane, Visitor visit) {
    int first = window.x, end = window.y + 1;  // the last city beside a cut
    if (end < first) end += n;
    for (int block = (first >> CLAIM_BITS) + lane; block <= end >> CLAIM_BITS; block += LANES) {
        if (block << CLAIM_BITS >= n) continue;
        visit(block);
    }
    int over = end - n;  // past the end of the source: from its beginning
    for (int block = lane; block <= over >> CLAIM_BITS; block += LANES) visit(block);
}

// Claims the windows of an ant's change. All lanes call it, and see the change.
template <int MOST>
INLINE void claim(const ChangeOf<MOST>& change, int ant, unsigned long long* claims, int n,
                  int lane) {
    unsigned long long own = claim_of(change.rank, ant);
    for (int window = 0; window < change.windows; ++window)
        each_claim(change.window[window], n, lane,
                   [&](int block) { atomicMax(&claims[block], own); });
}

// An ant's tour with its cuts and links. All lanes of the warp call all of this together.
struct Comparison {
    const AntTour& tour;
    int n, lane;
    int after, before;  // places beside the segment in the source
    int next_first, next_last, next_turned;
    bool cut, link;        // behind the segment, in the source and on the ant's tour
    unsigned cuts, links;  // of all lanes

    __device__ Comparison(const AntTour& compared, int cities, int own_lane)
        : tour(compared), n(cities), lane(own_lane) {
        int next = lane + 1 < tour.count ? lane + 1 : 0;
        int previous = lane > 0 ? lane - 1 : tour.count - 1;
        if (lane >= tour.count) next = previous = lane;
        next_first = __shfl_sync(ALL_LANES, tour.first, next);
        next_last = __shfl_sync(ALL_LANES, tour.last, next);
        next_turned = __shfl_sync(ALL_LANES, tour.turned, next);
        int previous_first = __shfl_sync(ALL_LANES, tour.first, previous);
        int previous_turned = __shfl_sync(ALL_LANES, tour.turned, previous);
        after = tour.last + 1 < n ? tour.last + 1 : 0;
        before = tour.first > 0 ? tour.first - 1 : n - 1;
        bool kept = tour.turned ? previous_turned && previous_first == after
                                : !next_turned && next_first == after;
        bool same =
            tour.turned ? next_turned && next_last == before : !next_turned && next_first == after;
        cut = lane < tour.count && !kept;
        link = lane < tour.count && !same;
        cuts = __ballot_sync(ALL_LANES, cut);
        links = __ballot_sync(ALL_LANES, link);
    }

    // The exact gain.
    template <int METRIC>
    INLINE long long gain(const Source<METRIC>& source) const {
        int difference = 0;
        if (cut)
            difference +=
                source.exactly(source.at_place(tour.last).city, source.at_place(after).city);
        if (link) {
            int left = tour.exit(), entered = next_turned ? next_last : next_first;
            bool swapped = METRIC == DIRECTED && tour.turned;  // then all segments are
            difference -= source.exactly(source.at_place(swapped ? entered : left).city,
                                         source.at_place(swapped ? left : entered).city);
        }
        return static_cast<long long>(
            warp_sum(static_cast<unsigned long long>(static_cast<long long>(difference))));
    }

    // Writes the change. Then all lanes see it.
    INLINE void record(SegmentChange& change, long long gained, int rank,
                       SegmentTable* table) const {
        int count = __popc(cuts);
        sort_cuts(table);
        int place = lane < count ? table->firsts[lane] : 0;
        int next = __shfl_sync(ALL_LANES, place, lane + 1 < count ? lane + 1 : 0);
        int gap = lane >= count ? 0 : lane + 1 < count ? next - place : next + n - place;
        int width = untangled(place, gap, count);
        bool tangled = width == 0;
        if (tangled) width = TANGLED_GAP;
        unsigned wide = __ballot_sync(ALL_LANES, lane < count && gap > width);
        int windows = __popc(wide);
        int2 window = make_int2(0, n - 1);
        if (windows == 0) {  // the whole tour
            windows = 1;
            wide = 1;
            tangled = true;
        } else {  // from the cut behind a wide gap to the one before the next wide gap
            int begin = lane + 1 < count ? lane + 1 : 0;
            unsigned later = lane == LANES - 1 ? 0 : wide & ALL_LANES << (lane + 1);
            int end = (later ? __ffs(later) : __ffs(wide)) - 1;
            window.x = __shfl_sync(ALL_LANES, place, begin);
            window.y = __shfl_sync(ALL_LANES, place, end);
        }
        if (wide >> lane & 1) change.window[__popc(wide & ((1u << lane) - 1))] = window;
        if (link) {
            int left = tour.turned ? 2 * tour.first : 2 * tour.last + 1;
            int entered = next_turned ? 2 * next_last + 1 : 2 * next_first;
            change.link[__popc(links & ((1u << lane) - 1))] = make_int2(left, entered);
        }
        if (lane == 0) {
            change.gain = gained;
            change.rank = rank;
            change.links = __popc(links);
            change.windows = windows;
            change.tangled = tangled;
        }
        __syncwarp();
    }

  private:
    // Sorts the places of cuts into the table.
    INLINE void sort_cuts(SegmentTable* table) const {
        int rank = 0;
        for (int i = 0; i < tour.count; ++i) {
            int other = __shfl_sync(ALL_LANES, tour.last, i);
            rank += (cuts >> i & 1) && other < tour.last;
        }
        __syncwarp();
        if (cut) table->firsts[rank] = tour.last;
        __syncwarp();
    }

    // The least width such that all longer gaps keep order and direction; 0 if there is none.
    INLINE int untangled(int place, int gap, int count) const {
        int own = 0;  // cuts before this lane's segment
        for (int i = 0; i < count; ++i) own += __shfl_sync(ALL_LANES, place, i) < tour.first;
        int own_gap = __shfl_sync(ALL_LANES, gap, own > 0 ? own - 1 : count - 1);
        for (int width = NARROWEST; width <= WIDEST; width *= 4) {
            bool wide = lane < tour.count && own_gap > width;
            unsigned all = __ballot_sync(ALL_LANES, wide);
            unsigned back = __ballot_sync(ALL_LANES, wide && tour.turned);
            if (!all || (back && back != all)) continue;
            unsigned later = lane == LANES - 1 ? 0 : all & ALL_LANES << (lane + 1);
            int next = (later ? __ffs(later) : __ffs(all)) - 1;
            int first = __shfl_sync(ALL_LANES, tour.first, next);
            bool wraps = wide && (back ? first > tour.first : first < tour.first);
            int wrapped = __popc(__ballot_sync(ALL_LANES, wraps));
            if (wrapped == 1 || __popc(all) == 1) return width;
        }
        return 0;
    }
};

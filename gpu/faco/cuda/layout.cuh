// The tour that a walk makes: its runs, then along the source through all that was not visited.
#pragma once

#include "queue.cuh"
#include "slices.cuh"
#include "walk.cuh"

// Places in the source as offsets from where an ant began, in the direction of its first step.
struct Offsets {
    int n, origin, direction;

    INLINE int of(int place) const {
        return wrapped(direction > 0 ? place - origin : origin - place, n);
    }

    INLINE int place(int offset) const { return wrapped(origin + direction * offset, n); }
};

// Writes the slices of a walk's tour. Lane i has run i. All lanes of the warp call this.
INLINE int lay_out(const Run* runs, int count, const Offsets& offsets, Slice* slices, int lane) {
    bool own = lane < count;
    Run run = runs[own ? lane : 0];
    int enter = offsets.of(run.enter), leave = offsets.of(run.leave);
    int low = min(enter, leave), high = max(enter, leave), size = own ? run.length : 0;
    int start = warp_prefix(size, lane), walked = __shfl_sync(ALL_LANES, start, LANES - 1);
    int passed = 0, next = offsets.n;  // cities of runs up to this one in the source; the next run
    for (int i = 0; i < count; ++i) {
        int other = __shfl_sync(ALL_LANES, low, i), cities = __shfl_sync(ALL_LANES, size, i);
        if (other <= low) passed += cities;
        if (other > low) next = min(next, other);
    }
    bool gap = own && high + 1 < next;
    int gaps = __popc(__ballot_sync(ALL_LANES, gap)), earlier = 0;
    for (int i = 0; i < count; ++i) {
        int other = __shfl_sync(ALL_LANES, gap ? low : offsets.n, i);
        earlier += other < low;
    }
    if (own) slices[lane] = {low, high - low, enter > leave, start - size};
    if (gap) slices[count + earlier] = {high + 1, next - high - 2, 0, walked + high + 1 - passed};
    __syncwarp();
    return count + gaps;
}

// Lets the ends of new edges wait: run by run, each end and then the cities beside it in the
// source. Lane 2 i has the first end of run i, lane 2 i + 1 the other.
template <int METRIC>
INLINE void let_ends_wait(const Source<METRIC>& source, const AntTour& tour, int runs,
                          const Offsets& offsets, Queue& queue) {
    int lane = tour.lane, n = tour.n;
    const Slice& run = tour.at(min(lane / 2, runs - 1));
    int city = lane & 1 ? run.exit() : run.entry();
    bool end = lane < 2 * runs && !(lane & 1 && run.more == 0);
    int i = tour.locate(city), one = tour.after(city, i), other = tour.before(city, i);
    int before = wrapped(city - offsets.direction, n), after = wrapped(city + offsets.direction, n);
    bool lost_before = end && before != one && before != other;
    bool lost_after = end && after != one && after != other;
    bool waits = lost_before || lost_after;
    // The slices of runs come first. A gap of one city may be beside two ends: it waits once.
    if (!lost_before || tour.locate(before) < runs) before = NOWHERE;
    if (!lost_after || tour.locate(after) < runs) after = NOWHERE;
    int first_before = before, first_after = after;
    for (int j = 0; j < 2 * runs; ++j) {
        int their_before = __shfl_sync(ALL_LANES, before, j);
        int their_after = __shfl_sync(ALL_LANES, after, j);
        if (j < lane && their_after == before) first_before = NOWHERE;
        if (j < lane && their_before == after) first_after = NOWHERE;
    }
    int own = waits + (first_before != NOWHERE) + (first_after != NOWHERE);
    int place = warp_prefix(own, lane), all = __shfl_sync(ALL_LANES, place, LANES - 1);
    place -= own;
    auto put = [&](int offset) {
        int at = offsets.place(offset);
        queue.put(place++, {at, source.city_at(at)});
    };
    if (waits) put(city);
    if (first_before != NOWHERE) put(first_before);
    if (first_after != NOWHERE) put(first_after);
    queue.count += all;
    __syncwarp();
}

// How an ant leaves the source: a walk of runs. A run is a stretch of the source that the ant
// visits along it, in one direction; between two runs lies a new edge.
//
// Nearly all steps go along the source. So the warp guesses that the ant goes on along it: each
// lane draws for a city further on as if the ant were there. The first lane whose draw leads
// elsewhere ends the guess; what lanes behind it drew is forgotten. A draw depends on the step and
// on what was visited alone, so the walk is that of one step after the other.
//
// The ant has cities by their places in the source. So what was visited is a few intervals.
#pragma once

#include "gpu/cuda/kernels/philox.cuh"
#include "gpu/cuda/kernels/wheel.cuh"
#include "kernels.py"
#include "source.cuh"

// A run that is over. Its places are counted upwards from the lowest, past the end of the source
// too.
struct alignas(16) Run {
    int low, length;
    int enter, leave;  // places at which it begins and ends
};

// The lists that a walk reads.
struct WalkLists {
    int width;          // candidates
    const int2* rows;   // (width, n): by rank and place, a candidate's place and the bits of τ·η^β
    int backups;        // cities of the backup list
    const int* backup;  // (n, backups): by city
};

INLINE int ones_below(unsigned mask) { return mask == ALL_LANES ? LANES : __ffs(~mask) - 1; }

template <int METRIC>
struct Walk {
    const Source<METRIC>& source;
    const WalkLists& lists;
    Draws draws;
    Run* runs;  // shared
    int lane;
    int count = 0;                     // runs that are over
    int begin = 0, length = 1;         // of the present run
    int direction = 0;                 // of the present run, once it has two cities
    int place = 0;                     // where the ant is
    int walked = 1;                    // cities
    int origin = 0, second = NOWHERE;  // the first two places

    // Walks until so many edges are new. All lanes of the warp call this.
    INLINE void run(int missing) {
        int n = source.n;
        origin = begin = place = source.place_of(draws.start(n));
        while (missing > 0 && walked < n) {
            bool split = direction == 0;  // half of the lanes guess each direction
            int ahead = split && lane >= LANES / 2 ? lane - LANES / 2 + 1 : lane;
            int step = split ? (lane < LANES / 2 ? 1 : -1) : direction;
            int drawn = NOWHERE, expected = NOWHERE - 1;
            if (ahead < n) {
                int here = wrapped(place + step * ahead, n);
                expected = wrapped(here + step, n);
                drawn = draw(here, step, ahead);
            }
            unsigned follows = __ballot_sync(ALL_LANES, drawn == expected);
            int first = __shfl_sync(ALL_LANES, drawn, 0);
            int followed, holder, end;
            if (split && !(follows & 1) && first == wrapped(place - 1, n)) {
                direction = -1;
                followed = 1 + ones_below(follows >> LANES / 2);
                holder = LANES / 2 + followed - 1;
                end = LANES;
            } else {
                end = split ? LANES / 2 : LANES;
                followed = min(ones_below(follows), end);
                holder = followed;
                if (followed > 0) direction = split ? 1 : direction;
            }
            if (followed > 0 && walked == 1) second = wrapped(place + direction, n);
            place = wrapped(place + direction * followed, n);
            length += followed;
            walked += followed;
            if (holder >= end || walked >= n) continue;
            int next = __shfl_sync(ALL_LANES, drawn, holder);
            if (next == NOWHERE) next = next_free();
            if (walked == 1) second = next;
            ++walked;
            int up = wrapped(place + 1, n);
            if (next == up || next == wrapped(place - 1, n)) {
                if (direction == 0) direction = next == up ? 1 : -1;
                ++length;
            } else {
                end_run();
                begin = next;
                length = 1;
                direction = 0;
                --missing;
            }
            place = next;
        }
        end_run();
        __syncwarp();
    }

  private:
    INLINE void end_run() {
        if (lane == 0) runs[count] = {direction < 0 ? place : begin, length, begin, place};
        ++count;
        __syncwarp();
    }

    // Whether a place lies in the first `own` cities of the present run, which goes `step` by
    // step, or in a run that is over.
    INLINE bool visited(int at, int step, int own) const {
        if (wrapped(step > 0 ? at - begin : begin - at, source.n) < own) return true;
        for (int i = 0; i < count; ++i)
            if (wrapped(at - runs[i].low, source.n) < runs[i].length) return true;
        return false;
    }

    // The place that the ant draws where it has gone `ahead` cities further; NOWHERE if no
    // candidate is free.
    INLINE int draw(int here, int step, int ahead) const {
        int n = source.n, own = length + ahead;
        int at[MOST_CANDIDATES];
        float weight[MOST_CANDIDATES];
#pragma unroll
        for (int rank = 0; rank < MOST_CANDIDATES; ++rank) {
            at[rank] = 0;
            weight[rank] = 0.0f;
            if (rank < lists.width) {
                int2 entry = __ldg(&lists.rows[static_cast<long long>(rank) * n + here]);
                at[rank] = entry.x;
                weight[rank] = __int_as_float(entry.y);
            }
        }
        unsigned word = draws.spin(walked + ahead);
#pragma unroll
        for (int rank = 0; rank < MOST_CANDIDATES; ++rank)
            if (wrapped(step > 0 ? at[rank] - begin : begin - at[rank], n) < own)
                weight[rank] = 0.0f;
        for (int i = 0; i < count; ++i) {
            int low = runs[i].low, size = runs[i].length;
#pragma unroll
            for (int rank = 0; rank < MOST_CANDIDATES; ++rank)
                if (wrapped(at[rank] - low, n) < size) weight[rank] = 0.0f;
        }
        float largest = 0.0f;
#pragma unroll
        for (int rank = 0; rank < MOST_CANDIDATES; ++rank) largest = fmaxf(largest, weight[rank]);
        if (largest == 0.0f) return NOWHERE;
        Wheel wheel(largest);
        unsigned total = 0;
#pragma unroll
        for (int rank = 0; rank < MOST_CANDIDATES; ++rank) total += wheel.units(weight[rank]);
        unsigned stop = __umulhi(word, total), sum = 0;
        int found = NOWHERE;
#pragma unroll
        for (int rank = 0; rank < MOST_CANDIDATES; ++rank) {
            sum += wheel.units(weight[rank]);
            if (found == NOWHERE && sum > stop) found = at[rank];
        }
        return found;
    }

    // The place of the first free city of the backup list, else of the nearest free one; ties to
    // the lowest number.
    INLINE int next_free() const {
        int city = source.city_at(place), step = direction < 0 ? -1 : 1;
        for (int first = 0; first < lists.backups; first += LANES) {
            int rank = first + lane, at = NOWHERE;
            if (rank < lists.backups)
                at = source.place_of(
                    __ldg(&lists.backup[static_cast<long long>(city) * lists.backups + rank]));
            bool free = at != NOWHERE && !visited(at, step, length);
            unsigned all = __ballot_sync(ALL_LANES, free);
            if (all) return __shfl_sync(ALL_LANES, at, __ffs(all) - 1);
        }
        Site here = source.site_at(place);
        Word best = ~0ull;
        for (int other = lane; other < source.n; other += LANES) {
            if (visited(source.place_of(other), step, length)) continue;
            Word key = Word(unsigned(source.away(here, source.site_of(other)))) << 32;
            best = min(best, key | unsigned(other));
        }
        return source.place_of(int(unsigned(warp_least(best))));
    }
};

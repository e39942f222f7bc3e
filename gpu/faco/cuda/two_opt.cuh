// The local search of an ant: 2-opt that begins at the ends of new edges; the rule is that of
// gpu/faco/cpu/ants.py.
//
// Groups of lanes look at the first cities of the queue side by side. The first one that finds a
// move makes it; those before it have found none. Those behind it look again, on the new tour. So
// the moves are those of one city after the other.
#pragma once

#include "layout.cuh"

constexpr int GROUPS = 2, GROUP = LANES / GROUPS;
constexpr int FARTHEST = 0x7fffffff;  // longer than any distance

// The nearest cities of each, by their distance.
struct NearLists {
    int width;
    const int* cities;   // (n, width)
    const int* lengths;  // (n, width)
};

// The best move that a lane has found: the edges a-b and beyond_a-beyond_b are new.
struct Move {
    Word key = 0;                           // the gain, then the first of equal ones; 0: none
    int b = 0, beyond_a = 0, beyond_b = 0;  // offsets
    int city_b = 0;
};

// An entry of a list.
struct Neighbour {
    int rank, city, length;
};

// A city beside another one on the ant's tour.
struct Beyond {
    int offset;
    Site site;
    int away;
};

template <int METRIC>
struct TwoOpt {
    const Source<METRIC>& source;
    const NearLists& near;
    const Offsets& offsets;
    AntTour& tour;
    Queue& queue;
    int room;       // most slices
    bool mirrored;  // whether the tour is read from its end
    int moves = 0;
    bool crowded = false;  // no room is left, so the search ended early

    // Makes moves until nobody waits. All lanes of the warp call this.
    INLINE void run() {
        int lane = tour.lane;
        while (queue.count > 0) {
            if (tour.count + 2 > room || queue.count + 4 > MOST_WAITING) {
                crowded = true;
                return;
            }
            int looking = min(queue.count, GROUPS), number = lane / GROUP;
            Waiting own = queue.at(min(number, looking - 1));
            int a = offsets.of(own.place);
            Move move;
            if (number < looking) move = best_of(a, own.city);
            Word best = move.key;
            for (int offset = GROUP / 2; offset > 0; offset /= 2)
                best = max(best, __shfl_xor_sync(ALL_LANES, best, offset));
            unsigned holders = __ballot_sync(ALL_LANES, move.key != 0 && move.key == best);
            if (!holders) {
                queue.drop(looking);
                continue;
            }
            int holder = __ffs(holders) - 1;
            queue.drop(holder / GROUP + 1);
            make(a, own.city, move, holder);
            ++moves;
        }
    }

  private:
    INLINE Beyond beyond(int offset, int i, const Site& site, int side) const {
        Beyond found;
        found.offset = (side != 0) == mirrored ? tour.after(offset, i) : tour.before(offset, i);
        found.site = source.site_at(offsets.place(found.offset));
        found.away = source.away(site, found.site);
        return found;
    }

    INLINE Neighbour neighbour(int city, int rank) const {
        if (rank >= near.width) return {rank, 0, FARTHEST};
        long long entry = static_cast<long long>(city) * near.width + rank;
        return {rank, __ldg(&near.cities[entry]), __ldg(&near.lengths[entry])};
    }

    // The best move from a city that the lanes of a group find, each with some of its neighbours.
    INLINE Move best_of(int a, int city) const {
        Move best;
        Neighbour row = neighbour(city, tour.lane % GROUP);
        int slice = tour.locate(a);
        Site here = source.site_of(city);
        Beyond sides[2] = {beyond(a, slice, here, 0), beyond(a, slice, here, 1)};
        int farthest = max(sides[0].away, sides[1].away);
        while (row.length < farthest) {
            int rank = row.rank, length = row.length, other = row.city;
            Site there = source.site_of(other);
            int b = offsets.of(source.place_of(other)), i = tour.locate(b);
            row = neighbour(city, rank + GROUP);  // read ahead
            Beyond ends[2] = {beyond(b, i, there, 0), beyond(b, i, there, 1)};
#pragma unroll
            for (int side = 0; side < 2; ++side) {
                int gain = sides[side].away - length;
                if (gain <= 0) continue;
                gain += ends[side].away - source.away(sides[side].site, ends[side].site);
                if (gain <= 0) continue;
                Word key =
                    Word(unsigned(gain)) << 32 | unsigned((1 - side) << 16 | (0xffff - rank));
                if (key <= best.key) continue;
                best = {key, b, sides[side].offset, ends[side].offset, other};
            }
        }
        return best;
    }

    // Makes the move of a lane.
    INLINE void make(int a, int city_a, const Move& move, int holder) {
        int n = tour.n, lane = tour.lane;
        auto of = [&](int value) { return __shfl_sync(ALL_LANES, value, holder); };
        a = of(a);
        int b = of(move.b), beyond_a = of(move.beyond_a), beyond_b = of(move.beyond_b);
        int city[2] = {of(city_a), of(move.city_b)};
        bool second = !(of(int(move.key)) >> 16 & 1);  // the side before both cities
        int at_a = tour.position(a, tour.locate(a)), at_b = tour.position(b, tour.locate(b));
        bool behind = second == mirrored;  // whether the edges after both are given up
        bool joins_ab = abs(a - b) == 1, joins_beyond = abs(beyond_a - beyond_b) == 1;
        int low = min(at_a, at_b) + behind, high = max(at_a, at_b) - !behind;
        // The CPU's tour has the stretch from `begin` on turned, or if that is longer all the rest.
        // Which part is turned decides which way the tour is then read.
        int begin = second ? at_a : wrapped(at_a + (mirrored ? -1 : 1), n);
        int end = second ? wrapped(at_b + (mirrored ? 1 : -1), n) : at_b;
        int cities = wrapped(mirrored ? begin - end : end - begin, n) + 1;
        bool inner = low <= begin && begin <= high;
        tour.turn(low, high, behind ? joins_ab : joins_beyond, behind ? joins_beyond : joins_ab);
        if (inner != (2 * cities <= n)) mirrored = !mirrored;
        int offset = lane == 0 ? a : lane == 1 ? b : lane == 2 ? beyond_a : beyond_b;
        int place = offsets.place(offset);
        queue.add({place, lane < 2 ? city[lane] : source.city_at(place)}, 4);
    }
};

// How a city looks for its best move: a few lanes of a warp share the places on its list.
#pragma once

#include "geometry.cuh"
#include "tour_moves.cuh"

// Neighbour lists: city and distance, nearest first; one list a city, or one a city and side.
struct NeighbourRows {
    const uint2* rows;  // (1 or 2, n, width)
    int width;

    template <bool DIRECTED>
    __device__ __forceinline__ const uint2* of(int n, int city, int side) const {
        return rows + (static_cast<long long>(DIRECTED && side) * n + city) * width;
    }
};

// Which moves are made: 2-opt, Or-opt, and whether parts of a tour may be turned around.
template <bool EXCHANGES_, bool SEGMENTS_, bool TURNS_>
struct Moves {
    static constexpr bool EXCHANGES = EXCHANGES_, SEGMENTS = SEGMENTS_, TURNS = TURNS_;
};
typedef Moves<true, false, true> TwoOpt;
typedef Moves<true, true, true> TwoOptAndOrOpt;
typedef Moves<false, true, true> OrOpt;
typedef Moves<false, true, false> DirectedOrOpt;

template <class Moves, class City>
struct MoveSearch {
    static constexpr int LONGEST = 3;

    const Geometry& geometry;
    const NeighbourRows& lists;
    const TourArray<City>& tour;

    // The best move of city `a` among those that lane `lane` of `lanes` looks at.
    __device__ __forceinline__ Gain best(int a, int lane, int lanes) const {
        // An even and an odd lane look at different sides; one lane alone looks at both.
        int first_side = lanes > 1 ? lane & 1 : 0, last_side = lanes > 1 ? first_side : 1;
        int first_rank = lanes > 1 ? lane >> 1 : 0, stride = lanes > 1 ? lanes >> 1 : 1;
        Gain best = MoveKey::NONE;
        int here = tour.place[a];
        for (int side = first_side; side <= last_side; ++side) {
            int forward = side ? -1 : 1, p = tour.at(here + forward);
            int given_up = away(side, a, p);
            Segments segments;
            bool ready = false;
            const uint2* row = lists.of<!Moves::TURNS>(geometry.n, a, side);
            for (int rank = first_rank; rank < lists.width; rank += stride) {
                uint2 entry = __ldg(&row[rank]);
                int near = static_cast<int>(entry.y), c = static_cast<int>(entry.x);
                if (near >= given_up) break;
                if (Moves::SEGMENTS && !ready) {
                    segments = segments_of(a, p, here, side);
                    ready = true;
                }
                int there = tour.place[c];
                int after = tour.at(there + forward), before = tour.at(there - forward);
                Gain away_after = 0;
                if (Moves::EXCHANGES) {
                    int from[2] = {c, p}, to[2] = {after, after}, lengths[2];
                    geometry.distances(from, to, lengths);
                    away_after = lengths[0];
                    Gain gain = static_cast<Gain>(given_up) + lengths[0] - near - lengths[1];
                    best = max(best, MoveKey::of(gain, rank, side, 0));
                } else if (Moves::TURNS) {
                    away_after = geometry.distance(c, after);
                }
                if (!Moves::SEGMENTS) continue;
                // Cities from a to c, leaving p behind.
                int behind = tour.wrapped(forward * (here - there));
                int to_before[LONGEST + 1], to_after[LONGEST];
                reach(side, before, c, segments, to_before);
                if (Moves::TURNS) {
                    int from[LONGEST] = {after, after, after};
                    geometry.distances(from, segments.end, to_after);
                }
#pragma unroll
                for (int i = 0; i < LONGEST; ++i) {
                    int length = i + 1;
                    if (behind < length || length > geometry.n - LONGEST) break;
                    Gain spared = given_up + segments.spared[i] - near;
                    best = max(best, MoveKey::of(spared + to_before[LONGEST] - to_before[i], rank,
                                                 side, length));
                    if (Moves::TURNS && behind != length)
                        best = max(best, MoveKey::of(spared + away_after - to_after[i], rank, side,
                                                     LONGEST + length));
                }
            }
        }
        return best;
    }

    // Writes down the ends of the edges that the move of city `a` gives up.
    __device__ __forceinline__ void note(int a, MoveKey move, City* ends) const {
        int here = tour.place[a], forward = move.side() ? -1 : 1;
        int c = __ldg(&lists.of<!Moves::TURNS>(geometry.n, a, move.side())[move.rank()]).x;
        int there = tour.place[c], length = move.length();
        bool beyond = move.exchange() || move.turned();
        ends[0] = static_cast<City>(a);
        ends[1] = static_cast<City>(tour.at(here + forward));
        ends[2] = static_cast<City>(c);
        ends[3] = static_cast<City>(tour.at(beyond ? there + forward : there - forward));
        if (move.exchange()) return;
        ends[4] = static_cast<City>(tour.at(here - forward * (length - 1)));
        ends[5] = static_cast<City>(tour.at(here - forward * length));
    }

  private:
    // Segments of 1, 2 and 3 cities: their other ends, and what leaving out each spares at q.
    struct Segments {
        int end[LONGEST];
        Gain spared[LONGEST];
    };

    // Between neighbours, b being on this side of a.
    __device__ __forceinline__ int away(int side, int a, int b) const {
        return !Moves::TURNS && side ? geometry.distance(b, a) : geometry.distance(a, b);
    }

    __device__ __forceinline__ Segments segments_of(int a, int p, int here, int side) const {
        Segments segments;
        int forward = side ? -1 : 1, q[LONGEST], from[2 * LONGEST], to[2 * LONGEST];
        segments.end[0] = a;
#pragma unroll
        for (int i = 0; i < LONGEST; ++i) {
            q[i] = tour.at(here - forward * (i + 1));
            if (i + 1 < LONGEST) segments.end[i + 1] = q[i];
        }
        bool backwards = !Moves::TURNS && side;
#pragma unroll
        for (int i = 0; i < LONGEST; ++i) {
            from[i] = backwards ? segments.end[i] : q[i];
            to[i] = backwards ? q[i] : segments.end[i];
            from[LONGEST + i] = backwards ? p : q[i];
            to[LONGEST + i] = backwards ? q[i] : p;
        }
        int lengths[2 * LONGEST];
        geometry.distances(from, to, lengths);
#pragma unroll
        for (int i = 0; i < LONGEST; ++i)
            segments.spared[i] = static_cast<Gain>(lengths[i]) - lengths[LONGEST + i];
        return segments;
    }

    // From `before` to the ends of the segments, and last to c.
    __device__ __forceinline__ void reach(int side, int before, int c, const Segments& segments,
                                          int (&lengths)[LONGEST + 1]) const {
        int from[LONGEST + 1], to[LONGEST + 1];
        bool backwards = !Moves::TURNS && side;
#pragma unroll
        for (int i = 0; i <= LONGEST; ++i) {
            int city = i < LONGEST ? segments.end[i] : c;
            from[i] = backwards ? city : before;
            to[i] = backwards ? before : city;
        }
        geometry.distances(from, to, lengths);
    }
};

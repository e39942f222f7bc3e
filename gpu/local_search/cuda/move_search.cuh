// How a city looks for its best move: a few lanes of a warp share the places on its list.
#pragma once

#include "gpu/cuda/kernels/geometry.cuh"
#include "tour_moves.cuh"

// Neighbour lists: city and distance, nearest first; one list a city, or one for each side of it.
struct NeighbourRows {
    const uint2* rows;  // (1 or 2, n, width)
    int width;

    template <bool DIRECTED>
    INLINE const uint2* of(int n, int city, int side) const {
        return rows + (static_cast<long long>(DIRECTED && side) * n + city) * width;
    }
};

// Which moves are made: 2-opt, Or-opt, whether parts of a tour may be reversed, and whether of the
// moves of a round only that which gains most.
template <bool EXCHANGES_, bool SEGMENTS_, bool TURNS_, bool LARGEST_>
struct Moves {
    static constexpr bool EXCHANGES = EXCHANGES_, SEGMENTS = SEGMENTS_, TURNS = TURNS_;
    static constexpr bool LARGEST = LARGEST_;
};
typedef Moves<true, false, true, false> TwoOpt;
typedef Moves<true, false, true, true> LargestTwoOpt;
typedef Moves<true, true, true, false> TwoOptAndOrOpt;
typedef Moves<false, true, true, false> OrOpt;
typedef Moves<false, true, false, false> DirectedOrOpt;

// A value of another lane of the warp. All lanes call this.
template <class Value>
INLINE Value of_lane(const Value& value, int lane) {
    constexpr int WORDS = sizeof(Value) / sizeof(unsigned);
    static_assert(sizeof(Value) % sizeof(unsigned) == 0, "whole words");
    unsigned words[WORDS];
    memcpy(words, &value, sizeof(Value));
    UNROLL for (int i = 0; i < WORDS; ++i) words[i] = __shfl_sync(ALL_LANES, words[i], lane);
    Value result;
    memcpy(&result, words, sizeof(Value));
    return result;
}

template <class Moves, class City>
struct MoveSearch {
    static constexpr int LONGEST = 3;

    // Places of a list that the lanes of a city look at first. Few lists are needed beyond, but
    // those to their ends; then the whole warp looks at one list at a time.
    static constexpr int EARLY = 4;

    const Distances& geometry;
    const NeighbourRows& lists;
    const TourArray<City>& tour;

    // The best move of city `a` among those that lane `part` of `parts` finds. All lanes of the
    // warp call this, also those that have no city.
    INLINE Gain best(bool looks, int a, int part, int parts, int lane) const {
        // An even and an odd lane look at different sides; one lane alone looks at both.
        int passes = parts > 1 ? 1 : 2, stride = parts > 1 ? parts / 2 : 1;
        Gain best = MoveKey::NONE;
        for (int pass = 0; pass < passes; ++pass) {
            Side own{};
            bool open = looks;
            if (open) own = side_of(a, parts > 1 ? part & 1 : pass);
            Side view = own;
            Gain found = MoveKey::NONE;
            int rank = parts > 1 ? part / 2 : 0, end = min(EARLY, lists.width), step = stride;
            unsigned more = 0;
            for (int owner = -1;;) {
                for (; open && rank < end; rank += step) open = consider(view, rank, found);
                if (owner < 0) {
                    best = max(best, found);
                    own = view;
                    bool last = rank - step == EARLY - 1;  // it saw whether the list goes on
                    more = __ballot_sync(ALL_LANES, open && last);
                } else if (__any_sync(ALL_LANES, found > MoveKey::NONE)) {
                    found =
                        warp_reduced(found, [](Gain one, Gain other) { return max(one, other); });
                    if (lane == owner) best = max(best, found);
                }
                if (!more) break;
                owner = __ffs(more) - 1;
                more &= more - 1;
                view = of_lane(own, owner);
                found = MoveKey::NONE;
                open = true;
                rank = EARLY + lane;
                end = lists.width;
                step = LANES;
            }
        }
        return best;
    }

    // Stores the ends of the edges that the move of city `a` removes.
    INLINE void note(int a, MoveKey move, City* ends) const {
        int here = tour.place[a], forward = move.side() ? -1 : 1;
        int c = __ldg(&lists.of<!Moves::TURNS>(geometry.n, a, move.side())[move.rank()]).x;
        int there = tour.place[c], length = move.length();
        bool beyond = move.exchange() || move.turned();
        ends[0] = City(a);
        ends[1] = City(tour.at(here + forward));
        ends[2] = City(c);
        ends[3] = City(tour.at(beyond ? there + forward : there - forward));
        if (move.exchange()) return;
        ends[4] = City(tour.at(here - forward * (length - 1)));
        ends[5] = City(tour.at(here - forward * length));
    }

  private:
    // One side of a city: its neighbour p there, the edge to remove, and for Or-opt the other ends
    // of segments of 1, 2 and 3 cities, with what is saved at q if each is cut out.
    struct Side {
        Site p;
        Site end[Moves::SEGMENTS ? LONGEST : 1];
        int spared[Moves::SEGMENTS ? LONGEST : 1];
        int look, here, given_up;  // `look`: the city, the side, and whether segments are ready

        INLINE int a() const { return look >> 2; }
        INLINE int side() const { return look >> 1 & 1; }
        INLINE bool ready() const { return look & 1; }
    };

    // Between neighbours, b being on this side of a.
    INLINE int away(int side, const Site& a, const Site& b) const {
        return !Moves::TURNS && side ? geometry.distance(b, a) : geometry.distance(a, b);
    }

    INLINE Side side_of(int a, int side) const {
        Side view{};
        view.look = a << 2 | side << 1;
        view.here = tour.place[a];
        view.p = geometry.site(tour.at(view.here + (side ? -1 : 1)));
        view.end[0] = geometry.site(a);
        view.given_up = away(side, view.end[0], view.p);
        return view;
    }

    INLINE void prepare_segments(Side& view) const {
        Site q[LONGEST];
        UNROLL for (int i = 0; i < LONGEST; ++i) {
            q[i] = geometry.site(tour.at(view.here + (view.side() ? i + 1 : -i - 1)));
        }
        UNROLL for (int i = 0; i < LONGEST; ++i) {
            if (i > 0) view.end[i] = q[i - 1];
            view.spared[i] = away(view.side(), q[i], view.end[i]) - away(view.side(), q[i], view.p);
        }
        view.look |= 1;
    }

    // Takes a better move with the city at this place of the list; false if the list ends here.
    INLINE bool consider(Side& view, int rank, Gain& best) const {
        int side = view.side(), forward = side ? -1 : 1;
        uint2 entry = __ldg(&lists.of<!Moves::TURNS>(geometry.n, view.a(), side)[rank]);
        int near = int(entry.y);
        if (near >= view.given_up) return false;
        int there = tour.place[entry.x];
        Site c = geometry.site(entry.x), after{}, before{};
        if (Moves::TURNS) after = geometry.site(tour.at(there + forward));
        if (Moves::SEGMENTS) before = geometry.site(tour.at(there - forward));
        Gain away_after = Moves::TURNS ? geometry.distance(c, after) : 0;
        if (Moves::EXCHANGES) {
            Gain gain = view.given_up - near + away_after - geometry.distance(view.p, after);
            best = max(best, MoveKey::of(gain, rank, side, 0));
        }
        if constexpr (Moves::SEGMENTS) {
            if (!view.ready()) prepare_segments(view);
            Gain away_before = away(side, before, c);
            int behind = tour.wrapped(forward * (view.here - there));  // cities from a to c
            UNROLL for (int i = 0; i < LONGEST; ++i) {
                int length = i + 1;
                if (behind < length || length > geometry.n - LONGEST) break;
                Gain spared = static_cast<Gain>(view.spared[i]) + (view.given_up - near);
                Gain gain = spared + away_before - away(side, before, view.end[i]);
                best = max(best, MoveKey::of(gain, rank, side, length));
                if (Moves::TURNS && behind != length) {
                    gain = spared + away_after - geometry.distance(after, view.end[i]);
                    best = max(best, MoveKey::of(gain, rank, side, LONGEST + length));
                }
            }
        }
        return true;
    }
};

// Steps of a move that the lanes of an ant propose, and the best of them; see moves.cuh.
//
// Lanes look at the first two steps together, at all pairs of candidates. In the first one the edge
// behind the candidate may be given up instead, so that a cycle and a path are left, which the
// second one joins again.
#pragma once

#include "segments.cuh"

// What a step gains is ranked by 26 bits: whether it can be closed with gain, then how much.
constexpr int MOST_GAIN = (1 << 25) - 1;
constexpr int CLOSES = 1 << 25;

// A step that a lane proposes: from the path's first city to `candidate`.
struct Step {
    unsigned key = 0;  // 0: none
    int open = 0;      // gained before the tour is closed
    int candidate = 0;
    int begin = 0;  // the place at which the path then begins

    INLINE void rate(int closed, int beat) {
        key = unsigned(closed > beat ? CLOSES + min(closed, MOST_GAIN) : min(open, MOST_GAIN));
    }
};

// Two steps at once. Where the edge behind the first candidate is given up, the path falls into
// parts A, from its beginning to `cut`, B, up to the candidate, and the rest.
struct Pair : Step {
    enum Kind { TWO_TURNS, CHANGE_PLACES, TURN_BOTH };
    int kind = TWO_TURNS;  // turn up to `middle`, then up to `begin`; B A rest; A' B' rest
    int candidate5 = 0;    // of the second step
    int middle = 0;        // the place at which the path begins after one step; else the candidate
    int cut = 0;
};

// The best of what the lanes propose.
template <class Proposal>
struct Chosen {
    unsigned best;

    INLINE Chosen(const Proposal& own, int lane)
        : best(warp_max(own.key ? own.key * LANES + lane : 0)) {}

    INLINE bool none() const { return best == 0; }
    INLINE bool closes() const { return best / LANES >= CLOSES; }
    INLINE int holder() const { return int(best % LANES); }
    INLINE int of(int value) const { return __shfl_sync(ALL_LANES, value, holder()); }
};

// What lanes look at. All of them call its members together.
template <int METRIC>
struct Proposals {
    const Source<METRIC>& source;
    const SegmentTable* table;
    int lane;

    // Whether some candidate is nearer to t2 than t1 is.
    INLINE bool promising(const Spot& t1, const Spot& t2, int given_up) const {
        bool nearer = false;
        if (lane < source.width) {
            int city = source.candidate(t2.city, lane);
            nearer = city != t1.city && source.away(t2, source.at_city(city)) < given_up;
        }
        return __any_sync(ALL_LANES, nearer);
    }

    // What each lane's candidate of the path's first city would give. `barred` is where the path
    // comes from. The path is published.
    INLINE Step weigh(const AntTour& path, const Spot& first, const Spot& t1, int open, int beat,
                      int barred) const {
        Step step;
        bool listed = lane < source.width;
        int city = listed ? source.candidate(first.city, lane) : t1.city;
        Spot c = source.at_city(city);
        int left = open - source.away(first, c);
        if (listed && city != t1.city && city != barred && left > beat) {
            Published shown{table, path.count};
            int place = shown.before(c.place, shown.locate(c.place));
            if (place != first.place) {
                Spot a = source.at_place(place);
                step.open = left + source.away(c, a);
                step.candidate = city;
                step.begin = place;
                step.rate(step.open - source.away(a, t1), beat);
            }
        }
        __syncwarp();
        return step;
    }

    // What second steps would give after each of the first ones, which lanes have in `step`: a lane
    // looks at one candidate after one of eight, at a time.
    INLINE void weigh_pairs(Pair& pair, const Step& step, const AntTour& path,
                            const Spot& t1) const {
        constexpr int EACH = 4;  // candidates at a time
        int from = lane / EACH;
        unsigned key = __shfl_sync(ALL_LANES, step.key, from);
        int open = __shfl_sync(ALL_LANES, step.open, from);
        int candidate = __shfl_sync(ALL_LANES, step.candidate, from);
        int middle = __shfl_sync(ALL_LANES, step.begin, from);
        if (key) {
            Published shown{table, path.count};
            Spot t4 = source.at_place(middle);
            int j4 = shown.locate(middle), offset4 = shown.offset(middle, j4);
            for (int rank = lane % EACH; rank < min(source.width, 2 * EACH); rank += EACH) {
                int city = source.candidate(t4.city, rank);
                Spot t5 = source.at_city(city);
                int left = open - source.away(t4, t5);
                if (city == t1.city || city == candidate || left <= 0) continue;
                int j5 = shown.locate(t5.place);
                bool turned = j5 < j4 || (j5 == j4 && shown.offset(t5.place, j5) < offset4);
                int begin = turned ? shown.after(t5.place, j5) : shown.before(t5.place, j5);
                if (begin == middle) continue;
                Spot t6 = source.at_place(begin);
                Pair other;
                other.open = left + source.away(t5, t6);
                other.candidate = candidate;
                other.candidate5 = city;
                other.begin = begin;
                other.middle = middle;
                other.rate(other.open - source.away(t6, t1), 0);
                if (other.key > pair.key) pair = other;
            }
        }
        __syncwarp();
    }

    // What two steps would give, if the first leaves a cycle: for pairs of candidates t3 of t2,
    // and t5 of t4 behind t3, where t5 lies before t3 on the path.
    INLINE Pair weigh_cycles(const AntTour& path, const Spot& t1, const Spot& t2,
                             int given_up) const {
        constexpr int EACH = 5;  // candidates of each of the two cities
        Pair pair;
        int rank3 = lane / EACH, rank5 = lane % EACH;
        if (rank3 < min(EACH, source.width) && rank5 < source.width) {
            Published shown{table, path.count};
            int city3 = source.candidate(t2.city, rank3);
            Spot t3 = source.at_city(city3);
            int left = given_up - source.away(t2, t3);
            if (city3 != t1.city && left > 0) {
                int j3 = shown.locate(t3.place);
                Spot t4 = source.at_place(shown.after(t3.place, j3));
                int city5 = source.candidate(t4.city, rank5);
                Spot t5 = source.at_city(city5);
                left += source.away(t3, t4) - source.away(t4, t5);
                int j5 = shown.locate(t5.place);
                bool before = j5 < j3 ||
                              (j5 == j3 && shown.offset(t5.place, j5) < shown.offset(t3.place, j3));
                if (left > 0 && city5 != city3 && before) {
                    for (int turns = 0; turns < 2; ++turns) {
                        if (turns && t5.place == t2.place) break;
                        int begin = turns ? shown.before(t5.place, j5) : shown.after(t5.place, j5);
                        Spot t6 = source.at_place(begin);
                        Pair other;
                        other.kind = turns ? Pair::TURN_BOTH : Pair::CHANGE_PLACES;
                        other.open = left + source.away(t5, t6);
                        other.candidate = city3;
                        other.candidate5 = city5;
                        other.begin = begin;
                        other.middle = t3.place;
                        other.cut = turns ? begin : t5.place;
                        other.rate(other.open - source.away(t6, t1), 0);
                        if (other.key > pair.key) pair = other;
                    }
                }
            }
        }
        __syncwarp();
        return pair;
    }
};

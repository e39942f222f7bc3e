// The local search of an ant: moves of Lin and Kernighan (1973) from cities whose edges changed.
//
// The edge between a city t1 and its neighbour t2 is given up; what is left of the tour is a path
// from t2 to t1. In each step the path's first city, say b, gets an edge to a candidate c, and the
// edge between c and the city before it, a, is given up: the path up to a is turned, and begins at
// a. An edge from a to t1 would close the tour. The best tour on the way is taken.
//
// In the first step the edge behind c may be given up instead, so that a circle and a path are
// left, if a second exchange at once joins them again.
#pragma once

#include "segments.cuh"

constexpr int BREADTH = 5;       // first steps that are tried, beside that of two exchanges
constexpr int DEPTH = 6;         // steps of a move
constexpr int MOST_STEPS = 400;  // of an ant; then it gives up what it has
constexpr int CROWDED = 14;      // segments from which on they are joined where possible

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

// A step of two exchanges.
struct DoubleStep : Step {
    int middle = 0;      // the candidate of the first exchange: its place
    int cut = 0;         // the place before it behind which the path is cut
    int turns = 0;       // whether parts are turned where they are, or change places
    int candidate5 = 0;  // the candidate of the second exchange
};

template <int METRIC>
struct LocalSearch {
    const Source<METRIC>& source;
    SegmentTable* table;
    int lane;
    AntTour tour;
    int gain = 0;
    int waiting = -1;  // a city of the queue: each lane has room for one
    int steps = 0;
    bool crowded = false;  // too many segments, or steps: the ant gives up

    // Moves until no city of the queue finds one. All lanes of the warp call this.
    INLINE void run() {
        while (!crowded) {
            unsigned queue = __ballot_sync(ALL_LANES, waiting >= 0);
            if (!queue) return;
            int holder = __ffs(queue) - 1, city = __shfl_sync(ALL_LANES, waiting, holder);
            if (lane == holder) waiting = -1;
            Spot t1 = source.at_city(city);
            for (int side = 0; side < 2; ++side)
                if (crowded || move(t1, side)) break;
            crowded = crowded || steps > MOST_STEPS;
        }
    }

    // Puts a city into the queue, unless it is there or the queue is full.
    INLINE void wait(int city) {
        unsigned free = __ballot_sync(ALL_LANES, waiting < 0);
        bool there = __any_sync(ALL_LANES, waiting == city);
        if (!there && free && lane == __ffs(free) - 1) waiting = city;
    }

  private:
    // Makes a move that begins at t1, if there is one that gains.
    INLINE bool move(const Spot& t1, int side) {
        AntTour path = tour;
        if (path.count >= MOST_SEGMENTS - 1) {
            crowded = true;
            return false;
        }
        if (side) path.mirror(lane);
        path.open_behind(t1.place, table, lane);
        Spot t2 = source.at_place(__shfl_sync(ALL_LANES, path.entry(), 0));
        int given_up = source.away(t1, t2);
        Step step = weigh(path, t2, t1, given_up, 0, -1);
        ++steps;
        bool published = true;
        for (int attempt = 0; attempt < BREADTH; ++attempt) {
            unsigned best = warp_max(step.key ? step.key * LANES + lane : 0);
            if (!best) break;
            int holder = best % LANES;
            int open = __shfl_sync(ALL_LANES, step.open, holder);
            int candidate = __shfl_sync(ALL_LANES, step.candidate, holder);
            int begin = __shfl_sync(ALL_LANES, step.begin, holder);
            if (lane == holder) step.key = 0;
            AntTour next = path;
            if (!published) next.publish(table, lane);
            published = false;
            turn_to(next, begin);
            Spot first = source.at_place(begin);
            int touched = lane == 0 ? t2.city : lane == 1 ? candidate : first.city;
            if (go_on(next, t1, first, candidate, open, touched, 3)) return true;
        }
        return two_exchanges(path, t1, t2, given_up, published);
    }

    // Turns the path up to a place of the published tour.
    INLINE void turn_to(AntTour& path, int place) {
        int j = Published{table, path.count}.locate(place);
        path.cut_behind(place, j, lane);
        path.turn_until(j, lane);
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

    // Goes on from a path that begins at `first`, and takes the best tour on the way, if it gains.
    // `touched` are cities whose edges have changed so far, one a lane.
    INLINE bool go_on(AntTour& path, const Spot& t1, Spot first, int barred, int open, int touched,
                      int count) {
        int closed = open - source.away(first, t1), best_count = count;
        int best = max(closed, 0);
        AntTour found = path;
        for (int depth = 1; depth < DEPTH; ++depth) {
            if (path.count >= MOST_SEGMENTS - 1) break;
            path.publish(table, lane);
            Step step = weigh(path, first, t1, open, best, barred);
            ++steps;
            unsigned most = warp_max(step.key ? step.key * LANES + lane : 0);
            if (!most) break;
            int holder = most % LANES;
            open = __shfl_sync(ALL_LANES, step.open, holder);
            barred = __shfl_sync(ALL_LANES, step.candidate, holder);
            int begin = __shfl_sync(ALL_LANES, step.begin, holder);
            turn_to(path, begin);
            first = source.at_place(begin);
            if (lane == count) touched = barred;
            if (lane == count + 1) touched = first.city;
            count += 2;
            closed = open - source.away(first, t1);
            if (closed > best) {
                best = closed;
                found = path;
                best_count = count;
            }
        }
        if (best <= 0) return false;
        gain += best;
        tour = found;
        wait(t1.city);
        for (int i = 0; i < best_count; ++i) wait(__shfl_sync(ALL_LANES, touched, i));
        if (tour.count > CROWDED) tour.join(source.n, table, lane);
        return true;
    }

    // Tries the best first step of two exchanges.
    INLINE bool two_exchanges(const AntTour& path, const Spot& t1, const Spot& t2, int given_up,
                              bool published) {
        if (path.count >= MOST_SEGMENTS - 2) return false;
        if (!published) path.publish(table, lane);
        DoubleStep step = weigh_two(path, t1, t2, given_up);
        ++steps;
        unsigned most = warp_max(step.key ? step.key * LANES + lane : 0);
        if (!most) return false;
        int holder = most % LANES;
        int open = __shfl_sync(ALL_LANES, step.open, holder);
        int candidate3 = __shfl_sync(ALL_LANES, step.candidate, holder);
        int candidate5 = __shfl_sync(ALL_LANES, step.candidate5, holder);
        int middle = __shfl_sync(ALL_LANES, step.middle, holder);
        int cut = __shfl_sync(ALL_LANES, step.cut, holder);
        int turns = __shfl_sync(ALL_LANES, step.turns, holder);
        Spot first = source.at_place(__shfl_sync(ALL_LANES, step.begin, holder));
        AntTour next = path;
        Published shown{table, path.count};
        int j_middle = shown.locate(middle), j_cut = shown.locate(cut);
        int c4 = source.at_place(shown.after(middle, j_middle)).city;
        __syncwarp();
        next.cut_behind(middle, j_middle, lane);
        int until = j_middle + next.cut_behind(cut, j_cut, lane);
        // The path goes through parts A up to the cut, B up to t3, then on from t4.
        if (turns)  // both are turned where they are: A' B'
            next.permute(lane > until    ? lane
                         : lane <= j_cut ? j_cut - lane
                                         : until + j_cut + 1 - lane,
                         lane <= until);
        else {  // they change places: B A
            int width = until - j_cut;
            next.permute(lane > until ? lane : lane < width ? lane + j_cut + 1 : lane - width, 0);
        }
        int touched = lane == 0   ? t2.city
                      : lane == 1 ? candidate3
                      : lane == 2 ? c4
                      : lane == 3 ? candidate5
                                  : first.city;
        return go_on(next, t1, first, candidate5, open, touched, 5);
    }

    // What two exchanges would give, for pairs of candidates: t3 of t2, and t5 of t4 behind t3,
    // where t5 lies before t3 on the path. A lane looks at one pair, and at both neighbours of t5.
    INLINE DoubleStep weigh_two(const AntTour& path, const Spot& t1, const Spot& t2,
                                int given_up) const {
        constexpr int EACH = 5;  // candidates of each of the two cities
        DoubleStep step;
        int rank3 = lane / EACH, rank5 = lane % EACH;
        bool listed = rank3 < min(EACH, source.width) && rank5 < source.width;
        if (listed) {
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
                        int place6 = turns ? shown.before(t5.place, j5) : shown.after(t5.place, j5);
                        Spot t6 = source.at_place(place6);
                        DoubleStep other;
                        other.open = left + source.away(t5, t6);
                        other.candidate = city3;
                        other.candidate5 = city5;
                        other.begin = place6;
                        other.middle = t3.place;
                        other.cut = turns ? place6 : t5.place;
                        other.turns = turns;
                        other.rate(other.open - source.away(t6, t1), 0);
                        if (other.key > step.key) step = other;
                    }
                }
            }
        }
        __syncwarp();
        return step;
    }
};

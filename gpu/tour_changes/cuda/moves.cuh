// The local search of an ant: moves of Lin and Kernighan (1973) from cities whose edges changed.
//
// The edge between a city t1 and its neighbour t2 is given up; what is left of the tour is a path
// from t2 to t1. In each step the path's first city gets an edge to a candidate, and the edge
// between the candidate and the city before it is given up: the path up to there is turned, and
// begins with that city. An edge from there to t1 would close the tour. The best tour on the way is
// taken.
#pragma once

#include "proposals.cuh"

constexpr int BREADTH = 3;       // pairs of first steps that are gone on from
constexpr int DEPTH = 9;         // steps of a move
constexpr int MOST_STEPS = 400;  // of an ant; then it gives up what it has
constexpr int CROWDED = 14;      // segments from which on they are joined where possible

// How a path came about.
struct Way {
    Spot first;   // where it begins
    int barred;   // the city that it comes from
    int open;     // gained before the tour is closed
    int touched;  // cities whose edges have changed, one a lane
    int count;    // of these
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
#pragma unroll 1
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
        if (tour.count >= MOST_SEGMENTS - 3) {
            crowded = true;
            return false;
        }
        tour.publish(table, lane);
        Published shown{table, tour.count};
        int j = shown.locate(t1.place);
        Spot t2 = source.at_place(side ? shown.before(t1.place, j) : shown.after(t1.place, j));
        int given_up = source.away(t1, t2);
        Proposals<METRIC> look{source, table, lane};
        ++steps;
        if (!look.promising(t1, t2, given_up)) return false;
        AntTour path = tour;
        if (side) path.mirror(lane);
        path.open_behind(t1.place, table, lane);
        Step step = look.weigh(path, t2, t1, given_up, 0, -1);
        Chosen<Step> first(step, lane);
        Pair pair;
        if (first.closes()) {
            pair.key = step.key;
        } else {
            pair = look.weigh_cycles(path, t1, t2, given_up);
            if (!first.none()) look.weigh_pairs(pair, step, path, t1);
            ++steps;
        }
#pragma unroll 1
        for (int attempt = 0; attempt < BREADTH; ++attempt) {
            Chosen<Pair> best(pair, lane);
            if (best.none()) return false;
            if (attempt) path.publish(table, lane);
            AntTour next = path;
            Way way = first.closes() ? take(next, first, step, t2) : take(next, best, pair, t2);
            if (go_on(next, t1, way)) return true;
            if (lane == best.holder()) pair.key = 0;
        }
        return false;
    }

    // Turns the path up to a place of the published tour.
    INLINE void turn_to(AntTour& path, int place) {
        int j = Published{table, path.count}.locate(place);
        path.cut_behind(place, j, lane);
        path.turn_until(j, lane);
    }

    // Makes the step that was chosen. The path is published.
    INLINE Way take(AntTour& path, const Chosen<Step>& best, const Step& step, const Spot& t2) {
        int candidate = best.of(step.candidate);
        Spot t4 = source.at_place(best.of(step.begin));
        turn_to(path, t4.place);
        int touched = lane == 0 ? t2.city : lane == 1 ? candidate : t4.city;
        return {t4, candidate, best.of(step.open), touched, 3};
    }

    // Makes the two steps that were chosen. The path is published.
    INLINE Way take(AntTour& path, const Chosen<Pair>& best, const Pair& pair, const Spot& t2) {
        int kind = best.of(pair.kind), candidate3 = best.of(pair.candidate);
        int candidate5 = best.of(pair.candidate5), middle = best.of(pair.middle);
        int begin = best.of(pair.begin), cut = best.of(pair.cut);
        Spot t6 = source.at_place(begin);
        Published shown{table, path.count};
        int j_middle = shown.locate(middle), place4 = middle;
        if (kind == Pair::TWO_TURNS) {
            path.cut_behind(middle, j_middle, lane);
            path.turn_until(j_middle, lane);
            path.publish(table, lane);
            turn_to(path, begin);
        } else {
            int j_cut = shown.locate(cut);
            place4 = shown.after(middle, j_middle);
            __syncwarp();
            path.cut_behind(middle, j_middle, lane);
            int until = j_middle + path.cut_behind(cut, j_cut, lane), width = until - j_cut;
            bool rest = lane > until;
            if (kind == Pair::TURN_BOTH)
                path.permute(rest            ? lane
                             : lane <= j_cut ? j_cut - lane
                                             : until + j_cut + 1 - lane,
                             !rest);
            else
                path.permute(rest ? lane : lane < width ? lane + j_cut + 1 : lane - width, 0);
        }
        int city4 = source.at_place(place4).city;
        int touched = lane == 0   ? t2.city
                      : lane == 1 ? candidate3
                      : lane == 2 ? city4
                      : lane == 3 ? candidate5
                                  : t6.city;
        return {t6, candidate5, best.of(pair.open), touched, 5};
    }

    // Goes on from a path that begins at `way.first`, and takes the best tour, if it gains.
    INLINE bool go_on(AntTour& path, const Spot& t1, Way way) {
        Spot first = way.first;
        int barred = way.barred, open = way.open, touched = way.touched, count = way.count;
        int closed = open - source.away(first, t1), best_count = count;
        int best = max(closed, 0);
        AntTour found = path;
        Proposals<METRIC> look{source, table, lane};
        for (int depth = count / 2; depth < DEPTH; ++depth) {
            if (path.count >= MOST_SEGMENTS - 1) break;
            path.publish(table, lane);
            Step step = look.weigh(path, first, t1, open, best, barred);
            ++steps;
            Chosen<Step> chosen(step, lane);
            if (chosen.none()) break;
            open = chosen.of(step.open);
            barred = chosen.of(step.candidate);
            int begin = chosen.of(step.begin);
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
};

// The ants: each moves three neighbouring stretches of a tour and searches around them; what it
// changes is noted, and claims the places that it touches. A warp an ant.
#include "changes.cuh"
#include "gpu/cuda/kernels/colony_state.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"
#include "segments.cuh"

// Steps of a move that the lanes of an ant propose, and the best of them.
//
// Lanes look at the first two steps together, at all pairs of candidates. In the first one the edge
// behind the candidate may be given up instead, so that a cycle and a path are left, which the
// second one joins again.

// What a step gains is ranked by 26 bits: whether it can be closed with gain, then how much.
constexpr int MOST_GAIN = (1 << 25) - 1;
constexpr int CLOSES = 1 << 25;

// A step that a lane proposes: from the path's first city to `candidate`.
template <class Sum>
struct StepOf {
    unsigned key = 0;  // 0: none
    Sum open = 0;      // gained before the tour is closed
    int candidate = 0;
    int begin = 0;  // the place at which the path then begins

    INLINE void rate(Sum closed, Sum beat) {
        key = unsigned(closed > beat ? CLOSES + limited(closed) : limited(open));
    }

  private:
    INLINE int limited(Sum gain) const { return int(min(max(gain, Sum(1)), Sum(MOST_GAIN))); }
};

// Two steps at once. Where the edge behind the first candidate is given up, the path falls into
// parts A, from its beginning to `cut`, B, up to the candidate, and the rest.
template <class Sum>
struct PairOf : StepOf<Sum> {
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

    template <class Value>
    INLINE Value of(Value value) const {
        return __shfl_sync(ALL_LANES, value, holder());
    }
};

// What lanes look at. All of them call its members together.
template <int METRIC>
struct Proposals {
    using Sum = typename Source<METRIC>::Sum;
    using Step = StepOf<Sum>;
    using Pair = PairOf<Sum>;

    const Source<METRIC>& source;
    const SegmentTable* table;
    int lane;

    // Whether some candidate is nearer to t2 than t1 is.
    INLINE bool promising(const Spot& t1, const Spot& t2, Sum given_up) const {
        bool nearer = false;
        if (lane < source.width) {
            int city = source.candidate(t2.city, lane);
            nearer = city != t1.city && source.away(source.at_city(city), t2) < given_up;
        }
        return __any_sync(ALL_LANES, nearer);
    }

    // What each lane's candidate of the path's first city would give. `barred` is where the path
    // comes from. The path is published.
    INLINE Step weigh(const AntTour& path, const Spot& first, const Spot& t1, Sum open, Sum beat,
                      int barred) const {
        Step step;
        bool listed = lane < source.width;
        int city = listed ? source.candidate(first.city, lane) : t1.city;
        Spot c = source.at_city(city);
        Sum left = open - source.away(first, c);
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
        Sum open = __shfl_sync(ALL_LANES, step.open, from);
        int candidate = __shfl_sync(ALL_LANES, step.candidate, from);
        int middle = __shfl_sync(ALL_LANES, step.begin, from);
        if (key) {
            Published shown{table, path.count};
            Spot t4 = source.at_place(middle);
            int j4 = shown.locate(middle), offset4 = shown.offset(middle, j4);
            for (int rank = lane % EACH; rank < min(source.width, 2 * EACH); rank += EACH) {
                int city = source.candidate(t4.city, rank);
                Spot t5 = source.at_city(city);
                Sum left = open - source.away(t4, t5);
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
    // and t5 of t4 behind t3, where t5 lies before t3 on the path. Of directed distances, all
    // candidates t3 are looked at: there are no other moves.
    INLINE Pair weigh_cycles(const AntTour& path, const Spot& t1, const Spot& t2, Sum open,
                             Sum beat = 0, int barred = -1) const {
        constexpr int EACH = 5, AT_ONCE = LANES / EACH;  // candidates of each of the two cities
        Pair pair;
        int most = METRIC == DIRECTED ? source.width : min(EACH, source.width);
        int rank5 = lane % EACH;
        if (lane >= EACH * AT_ONCE || rank5 >= source.width) most = 0;
        for (int rank3 = lane / EACH; rank3 < most; rank3 += AT_ONCE) {
            Published shown{table, path.count};
            int city3 = source.candidate(t2.city, rank3);
            Spot t3 = source.at_city(city3);
            Sum left = open - source.away(t3, t2);
            if (city3 != t1.city && city3 != barred && left > beat) {
                int j3 = shown.locate(t3.place);
                Spot t4 = source.at_place(shown.after(t3.place, j3));
                int city5 = source.candidate(t4.city, rank5);
                Spot t5 = source.at_city(city5);
                left += source.away(t3, t4) - source.away(t5, t4);
                int j5 = shown.locate(t5.place);
                bool before = j5 < j3 ||
                              (j5 == j3 && shown.offset(t5.place, j5) < shown.offset(t3.place, j3));
                if (left > beat && city5 != city3 && before) {
                    for (int turns = 0; turns < (METRIC == DIRECTED ? 1 : 2); ++turns) {
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
                        other.rate(other.open - source.away(t1, t6), beat);
                        if (other.key > pair.key) pair = other;
                    }
                }
            }
        }
        __syncwarp();
        return pair;
    }
};

// The local search of an ant: moves of Lin and Kernighan (1973) from cities whose edges changed.
//
// The edge between a city t1 and its neighbour t2 is given up; what is left of the tour is a path
// from t2 to t1. In each step the path's first city gets an edge to a candidate, and the edge
// between the candidate and the city before it is given up: the path up to there is turned, and
// begins with that city. An edge from there to t1 would close the tour. The best tour on the way is
// taken.
//
// Where distances are directed nothing is turned: each step is a pair that leaves a cycle and joins
// it again. A path from the end of the tour to its beginning is the same one, seen backward.

constexpr int BREADTH = 3;       // pairs of first steps that are gone on from
constexpr int DEPTH = 9;         // steps of a move
constexpr int MOST_STEPS = 400;  // of an ant; then it gives up what it has
constexpr int CROWDED = 14;      // segments from which on they are joined where possible

// How a path came about.
template <class Sum>
struct WayOf {
    Spot first;   // where it begins
    int barred;   // the city that it comes from
    Sum open;     // gained before the tour is closed
    int touched;  // cities whose edges have changed, one a lane
    int count;    // of these
};

template <int METRIC>
struct LocalSearch {
    using Sum = typename Source<METRIC>::Sum;
    using Step = StepOf<Sum>;
    using Pair = PairOf<Sum>;
    using Way = WayOf<Sum>;

    Source<METRIC>& source;
    SegmentTable* table;
    int lane;
    AntTour tour;
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
        if constexpr (METRIC == DIRECTED)
            source.back = side ^ __shfl_sync(ALL_LANES, tour.turned, 0);
        Published shown{table, tour.count};
        int j = shown.locate(t1.place);
        Spot t2 = source.at_place(side ? shown.before(t1.place, j) : shown.after(t1.place, j));
        Sum given_up = source.away(t1, t2);
        Proposals<METRIC> look{source, table, lane};
        ++steps;
        if (!look.promising(t1, t2, given_up)) return false;
        AntTour path = tour;
        if (side) path.mirror(lane);
        path.open_behind(t1.place, table, lane);
        Step step;
        if constexpr (METRIC != DIRECTED) step = look.weigh(path, t2, t1, given_up, 0, -1);
        Chosen<Step> first(step, lane);
        Pair pair;
        if (first.closes()) {
            pair.key = step.key;
        } else {
            pair = look.weigh_cycles(path, t1, t2, given_up);
            if constexpr (METRIC != DIRECTED)
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
        Sum open = way.open, closed = open - source.away(t1, first), best = max(closed, Sum(0));
        int barred = way.barred, touched = way.touched, count = way.count, best_count = count;
        AntTour found = path;
        Proposals<METRIC> look{source, table, lane};
        for (int depth = count / 2; depth < DEPTH; ++depth) {
            if (path.count >= MOST_SEGMENTS - 1) break;
            path.publish(table, lane);
            ++steps;
            if constexpr (METRIC == DIRECTED) {
                Pair pair = look.weigh_cycles(path, t1, first, open, best, barred);
                Chosen<Pair> chosen(pair, lane);
                if (chosen.none()) break;
                Way next = take(path, chosen, pair, first);
                int further = __shfl_sync(ALL_LANES, next.touched, max(lane - count + 1, 0));
                if (lane >= count && lane < count + 4) touched = further;  // all but the first
                count += 4;
                ++depth;
                first = next.first, barred = next.barred, open = next.open;
            } else {
                Step step = look.weigh(path, first, t1, open, best, barred);
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
            }
            closed = open - source.away(t1, first);
            if (closed > best) {
                best = closed;
                found = path;
                best_count = count;
            }
        }
        if (best <= 0) return false;
        tour = found;
        wait(t1.city);
        for (int i = 0; i < best_count; ++i) wait(__shfl_sync(ALL_LANES, touched, i));
        if (tour.count > CROWDED) {
            if constexpr (METRIC != DIRECTED) tour.settle(source.n, lane);
            tour.join(source.n, table, lane);
        }
        return true;
    }
};

constexpr int LEAST_CITIES = 5;  // of a tour that has a double bridge
constexpr float LN2 = 0.69314718f;

// The temperature, in distances of near cities: it falls to 0 by the end of each cycle.
INLINE float heat_of(const double* cycle, unsigned long long iteration) {
    double first = cycle[0], length = cycle[1], heat = cycle[2];
    double left = (length - 1.0 - (double(iteration) - first)) / fmax(length - 1.0, 1.0);
    return float(heat * fmin(fmax(left, 0.0), 1.0));
}

// The trail of the edge behind a place.
template <int METRIC>
INLINE float trail_behind(const Source<METRIC>& source, const float* trails, int place, int lane) {
    int city = number_in(source.tour_records[place]);
    int next = number_in(source.tour_records[place + 1 < source.n ? place + 1 : 0]);
    bool listed = lane < source.width && source.listed(city, min(lane, source.width - 1)) == next;
    unsigned found = __ballot_sync(ALL_LANES, listed);
    return found ? trails[static_cast<long long>(city) * source.width + __ffs(found) - 1] : 1.0f;
}

// Begins with a double bridge: the stretches behind p1 to p4 change places, and their ends wait.
// Returns the unit of the temperature: the mean length of the edges that are given up, or 1, as
// reduced distances are often 0.
template <int METRIC>
INLINE float double_bridge(LocalSearch<METRIC>& search, int p1, int p2, int p3, int p4) {
    const Source<METRIC>& source = search.source;
    int lane = search.lane, n = source.n, corner = lane & 3;
    AntTour& tour = search.tour;
    tour.turned = 0;
    tour.count = 5;
    tour.rank = lane == 1 ? 3 : lane == 3 ? 1 : lane;
    tour.first = lane == 0   ? 0
                 : lane == 1 ? p3 + 1
                 : lane == 2 ? p2 + 1
                 : lane == 3 ? p1 + 1
                             : p4 + 1;
    tour.last = lane == 0 ? p1 : lane == 1 ? p4 : lane == 2 ? p3 : lane == 3 ? p2 : n - 1;
    int place = corner == 0 ? p1 : corner == 1 ? p2 : corner == 2 ? p3 : p4;
    Spot from = source.at_place(place), to = source.at_place(place + 1);
    int given_up = lane < 4 ? int(source.away(from, to)) : 0;
    search.waiting = lane < 4 ? from.city : lane < 8 ? to.city : -1;
    return METRIC == DIRECTED ? 1.0f : float(warp_total(unsigned(given_up))) * 0.25f;
}

template <int METRIC>
__global__ void __launch_bounds__(SEARCH_WARPS* LANES, METRIC == DIRECTED ? 5 : 8) search_around(
    const SearchAround arguments) {
    const auto [all, geometry, seed, ants, most_kick, focus, trails, cycle, changes, locks, begun,
                state] = arguments;
    __shared__ SegmentTable tables[SEARCH_WARPS];
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, n = all.n;
    SegmentTable* table = &tables[warp];
    unsigned long long iteration = state->iteration, lost = 0;
    float heat = heat_of(cycle, iteration);
    while (true) {
        // Whoever is done takes the next ant: what an ant does follows from its number alone.
        int number = lane == 0 ? atomicAdd(begun, 1) : 0;
        number = __shfl_sync(ALL_LANES, number, 0);
        if (number >= all.tours * ants) break;
        int tour = number / ants, ant = number - tour * ants;
        Source<METRIC> source{
            geometry, all.cities_of(tour), all.tour_records_of(tour, iteration), all.near, n,
            all.width};
        SegmentChange& change = changes[number];
        if (lane == 0) change.links = 0;
        __syncwarp();
        uint4 words = philox(seed, 0, number, unsigned(iteration), DOUBLE_BRIDGE);
        uint4 more = philox(seed, 1, number, unsigned(iteration), DOUBLE_BRIDGE);
        // Ants begin all along the tour. Of two places, an ant takes the one with the weaker trail.
        double stretch = double(n) / ants;
        int place = min(int((ant + share_of(words.x)) * stretch), n - 1);
        if (share_of(more.y) < focus) {
            int other = min(int((ant + share_of(more.x)) * stretch), n - 1);
            if (trail_behind(source, trails, other, lane) <
                trail_behind(source, trails, place, lane))
                place = other;
        }
        int longest = max(min(most_kick, (n - 2) / 3), 1);
        int b = below(words.y, longest) + 1, c = below(words.z, longest) + 1;
        int d = below(words.w, longest) + 1;
        place = max(0, min(place - below(more.w, b + c + d), n - 2 - b - c - d));
        LocalSearch<METRIC> search{source, table, lane, AntTour{0, n - 1, 0, lane, 1}};
        float unit = 0.0f;
        if (n >= LEAST_CITIES)
            unit = double_bridge(search, place, place + b, place + b + c, place + b + c + d);
        else
            search.waiting = lane < n ? lane : -1;
        search.run();

        if constexpr (METRIC != DIRECTED) search.tour.settle(n, lane);
        Comparison found(search.tour, n, lane);
        if (found.cuts == 0) continue;
        long long gain = found.gain(source);
        lost -= gain;
        bool kept = gain > 0;
        if (!kept && heat > 0.0f) {
            float u = (float(more.z >> 9) + 0.5f) * 1.1920928955078125e-7f;
            kept = float(-gain) < heat * fmaxf(unit, 1.0f) * LN2 * minus_log2(u);
        }
        if (!kept) continue;
        found.record(change, gain, rank_of(gain), table);
        claim(change, ant, row_of(locks, tour, claims_of(n)), n, lane);
    }
    if (lane == 0) atomicAdd(&state->running_sum, lost);
}

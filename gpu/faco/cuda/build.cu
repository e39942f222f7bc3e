// The ants of Focused ACO: each leaves the source for a few edges, and improves what that gives.
// A warp an ant. Its tour stays a list of slices of the source; the next source is made of it.
#include "gpu/cuda/kernels/choice.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"
#include "slices.cuh"

// How an ant leaves the source: a walk of runs. A run is a stretch of the source that the ant
// visits along it, in one direction; between two runs lies a new edge.
//
// Nearly all steps go along the source. So the warp guesses that the ant goes on along it: each
// lane draws for a city further on as if the ant were there. The first lane whose draw leads
// elsewhere ends the guess; what lanes behind it drew is forgotten. A draw depends on the step and
// on what was visited alone, so the walk is that of one step after the other.
//
// The ant has cities by their places in the source. So what was visited is a few intervals.

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
        UNROLL for (int rank = 0; rank < MOST_CANDIDATES; ++rank) {
            at[rank] = 0;
            weight[rank] = 0.0f;
            if (rank < lists.width) {
                int2 entry = __ldg(&lists.rows[static_cast<long long>(rank) * n + here]);
                at[rank] = entry.x;
                weight[rank] = __int_as_float(entry.y);
            }
        }
        unsigned word = draws.spin(walked + ahead);
        UNROLL for (int rank = 0; rank < MOST_CANDIDATES; ++rank) {
            if (wrapped(step > 0 ? at[rank] - begin : begin - at[rank], n) < own)
                weight[rank] = 0.0f;
        }
        for (int i = 0; i < count; ++i) {
            int low = runs[i].low, size = runs[i].length;
            UNROLL for (int rank = 0; rank < MOST_CANDIDATES; ++rank) {
                if (wrapped(at[rank] - low, n) < size) weight[rank] = 0.0f;
            }
        }
        float largest = 0.0f;
        UNROLL for (int rank = 0; rank < MOST_CANDIDATES; ++rank) {
            largest = fmaxf(largest, weight[rank]);
        }
        if (largest == 0.0f) return NOWHERE;
        Wheel wheel(largest);
        unsigned total = 0;
        UNROLL for (int rank = 0; rank < MOST_CANDIDATES; ++rank) {
            total += wheel.units(weight[rank]);
        }
        unsigned stop = __umulhi(word, total), sum = 0;
        int found = NOWHERE;
        UNROLL for (int rank = 0; rank < MOST_CANDIDATES; ++rank) {
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

// The cities that wait to look for a move.

constexpr int MOST_WAITING = 128;  // a power of two
constexpr int MOVED = 4;           // cities whose neighbours on the tour a move changes

// A city and its place in the source.
struct alignas(8) Waiting {
    int place, city;
};

struct Queue {
    Waiting* ring;  // shared, MOST_WAITING
    int lane;
    int head = 0, count = 0;

    INLINE const Waiting& at(int i) const { return ring[(head + i) & (MOST_WAITING - 1)]; }

    INLINE void put(int i, Waiting waiting) const {
        ring[(head + i) & (MOST_WAITING - 1)] = waiting;
    }

    INLINE void drop(int cities) {
        head += cities;
        count -= cities;
    }

    // Lets the cities of the first four lanes wait, unless they do. All lanes of the warp call
    // this.
    INLINE void add(Waiting waiting) {
        int cities[MOVED];
        bool there[MOVED] = {};
        UNROLL for (int i = 0; i < MOVED; ++i) {
            cities[i] = __shfl_sync(ALL_LANES, waiting.city, i);
        }
        for (int j = lane; j < count; j += LANES) {
            int city = at(j).city;
            UNROLL for (int i = 0; i < MOVED; ++i) there[i] = there[i] || city == cities[i];
        }
        unsigned fresh = 0;
        UNROLL for (int i = 0; i < MOVED; ++i) {
            fresh |= unsigned(!__any_sync(ALL_LANES, there[i])) << i;
        }
        if (fresh >> lane & 1) put(count + __popc(fresh & ((1u << lane) - 1)), waiting);
        count += __popc(fresh);
        __syncwarp();
    }
};

// The tour that a walk makes: its runs, then along the source through all that was not visited.

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

// The local search of an ant: 2-opt that begins at the ends of new edges; the rule is that of
// gpu/faco/cpu/ants.py.
//
// Groups of lanes look at the first cities of the queue side by side. The first one that finds a
// move makes it; those before it have found none. Those behind it look again, on the new tour. So
// the moves are those of one city after the other.

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
            if (tour.count + 2 > room || queue.count + MOVED > MOST_WAITING) {
                crowded = true;
                return;
            }
            int looking = min(queue.count, GROUPS), number = lane / GROUP;
            Waiting own = queue.at(min(number, looking - 1));
            int a = offsets.of(own.place);
            Move move = best_of(a, own.city, number < looking);
            unsigned finders = __ballot_sync(ALL_LANES, move.key != 0);
            if (!finders) {
                queue.drop(looking);
                continue;
            }
            int first = (__ffs(finders) - 1) / GROUP;  // the group whose move is made
            unsigned gain = number == first ? unsigned(move.key >> 32) : 0;
            unsigned most = warp_max(gain), code = gain == most ? unsigned(move.key) : 0;
            unsigned least = warp_max(code);  // of equal moves that of the least side and rank
            int holder = __ffs(__ballot_sync(ALL_LANES, gain == most && code == least)) - 1;
            queue.drop(first + 1);
            make(a, own.city, move, holder);
            ++moves;
        }
    }

  private:
    INLINE Beyond beyond(int offset, int i, int side) const {
        Beyond found;
        found.offset = tour.beside(offset, i, (side != 0) == mirrored);
        found.site = source.site_at(offsets.place(found.offset));
        return found;
    }

    INLINE Neighbour neighbour(int city, int rank) const {
        if (rank >= near.width) return {rank, 0, FARTHEST};
        long long entry = static_cast<long long>(city) * near.width + rank;
        return {rank, __ldg(&near.cities[entry]), __ldg(&near.lengths[entry])};
    }

    // The best move from a city that a lane of a group finds. Two lanes have a neighbour, each with
    // another side: the cities after or before. All lanes of the warp call this.
    INLINE Move best_of(int a, int city, bool looks) const {
        Move best;
        int side = tour.lane & 1;
        Neighbour row = neighbour(city, tour.lane % GROUP / 2);
        Site here = source.site_of(city);
        Beyond own = beyond(a, tour.locate(a, GROUP), side);
        int given_up = looks ? source.away(here, own.site) : 0;
        while (__any_sync(ALL_LANES, row.length < given_up)) {
            int rank = row.rank, other = row.city, gain = given_up - row.length;
            Site there = source.site_of(other);
            int b = offsets.of(source.place_of(other));
            row = neighbour(city, rank + GROUP / 2);  // read ahead
            Beyond end = beyond(b, tour.locate(b, 2), side);
            if (gain <= 0) continue;
            gain += source.away(there, end.site) - source.away(own.site, end.site);
            if (gain <= 0) continue;
            Word key = Word(unsigned(gain)) << 32 | unsigned((1 - side) << 16 | (0xffff - rank));
            if (key > best.key) best = {key, b, own.offset, end.offset, other};
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
        int at_a = tour.position(a, tour.locate(a, LANES));
        int at_b = tour.position(b, tour.locate(b, LANES));
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
        queue.add({place, lane < 2 ? city[lane] : source.city_at(place)});
    }
};

struct alignas(16) Desk {
    SliceTable table;
    Run runs[MOST_RUNS];
    Waiting ring[MOST_WAITING];
};

// How many new edges the ant makes beyond the fewest; see gpu/faco/cpu/bandit.py.
INLINE int arm_of(const float* shares, int arms, Seed seed, unsigned ant, unsigned iteration) {
    int arm = 0;
    if (arms > 1) {
        float left = share_of(philox(seed, 0, ant, iteration, EDGES).x);
        while (arm < arms - 1 && left >= shares[arm]) left -= shares[arm++];
    }
    return arm;
}

// Keeps a tour: in the first row slices, origin, direction, mirrored; then its slices. All lanes of
// the warp call this.
INLINE void keep(int4* row, const AntTour& tour, const Offsets& offsets, bool mirrored) {
    if (tour.lane == 0) row[0] = make_int4(tour.count, offsets.origin, offsets.direction, mirrored);
    for (int i = tour.lane; i < tour.count; i += LANES) {
        const Slice& slice = tour.at(i);
        row[1 + i] = make_int4(slice.first, slice.more, slice.turned, slice.start);
    }
}

// How much longer a tour is than the source, in every lane. All lanes of the warp call this.
template <int METRIC>
INLINE long long longer(const Source<METRIC>& source, const AntTour& tour, const Offsets& offsets) {
    auto site = [&](int offset) { return source.site_at(offsets.place(offset)); };
    long long sum = 0;
    for (int i = tour.lane; i < tour.count; i += LANES) {
        const Slice& slice = tour.at(i);
        int entered = tour.at(i + 1 < tour.count ? i + 1 : 0).entry();
        sum += source.away(site(slice.exit()), site(entered));
        sum -= source.away(site(slice.last()), site(wrapped(slice.last() + 1, tour.n)));
    }
    return static_cast<long long>(warp_sum(static_cast<Word>(sum)));
}

template <int METRIC>
__global__ void __launch_bounds__(LANES) build_tours(const BuildFacoTours arguments) {
    const BuildFacoTours& all = arguments;
    __shared__ Desk desk;
    int lane = threadIdx.x, ant = blockIdx.x, n = all.followed.n;
    Word iteration = all.state->iteration;
    Source<METRIC> source(all.followed, all.geometry, iteration);
    int arm = arm_of(all.shares, all.arms, all.seed, ant, unsigned(iteration));
    WalkLists lists{all.width, all.rows, all.backups, all.backup};
    Walk<METRIC> walk{source, lists, Draws{all.seed, unsigned(ant), unsigned(iteration)}, desk.runs,
                      lane};
    walk.run(all.fewest_edges + arm);

    bool backward = walk.second != NOWHERE && walk.second == wrapped(walk.origin - 1, n);
    Offsets offsets{n, walk.origin, backward ? -1 : 1};
    AntTour tour{&desk.table, n, lane};
    tour.count = lay_out(desk.runs, walk.count, offsets, desk.table.slices[0], lane);
    keep(row_of(all.built, ant, MOST_BUILT), tour, offsets, backward);
    Queue queue{desk.ring, lane};
    let_ends_wait(source, tour, walk.count, offsets, queue);
    NearLists near{all.near_width, all.near, all.near_lengths};
    TwoOpt<METRIC> search{source, near, offsets, tour, queue, all.room, backward};
    search.run();

    keep(row_of(all.plans, ant, MOST_KEPT), tour, offsets, search.mirrored);
    Word length = static_cast<Word>(all.source_length[0] + longer(source, tour, offsets));
    report_tours(all.state, length << ANT_BITS | unsigned(ant), length, lane);
    if (lane != 0) return;
    all.lengths[2 * ant] = static_cast<long long>(length);
    all.lengths[2 * ant + 1] = arm;
    atomicAdd(&all.counts[MOVES_NOW], static_cast<Word>(search.moves));
    if (search.crowded) atomicAdd(&all.counts[CROWDED], 1ull);
}

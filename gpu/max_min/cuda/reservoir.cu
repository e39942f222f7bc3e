// MMAS-WRS-LC and -CT (2020): weighted reservoir sampling over the unvisited cities of a list. A
// block is an ant.
//
// A lane reads the weights of all its cities at once, and while they are on their way it draws the
// cities' random numbers. Fewer rows of places are looked at as cities get fewer: for each number
// of rows there is code.
#include "gpu/construction/cuda/tours.cuh"
#include "gpu/construction/cuda/unvisited.cuh"
#include "kernels.py"
#include "numbered_rows.cuh"
#include "reservoir.cuh"

// Some unvisited cities of a lane: one in each of COUNT rows of 32 places. In the first FULL rows
// there is a city for every lane.
template <class List, class Row, int COUNT, int FULL>
struct ListedRows {
    const List& list;
    const typename Row::Stored* row;
    int first, apart, left;  // the lane's first place, the next but so many, all unvisited cities
    float weights[COUNT], chances[COUNT];

    // Returns what the best of these cities has at least, w / -ln(u), or 0 unless it is ASKED for.
    template <bool ASKED>
    INLINE float read(const OwnWords& words) {
        int cities[COUNT];
        float most = 0.0f;
        UNROLL for (int k = 0; k < COUNT; ++k) cities[k] = has(k) ? list.city(place(k)) : 0;
        UNROLL for (int k = 0; k < COUNT; ++k) weights[k] = has(k) ? Row::at(row, cities[k]) : 0;
        UNROLL for (int k = 0; k < COUNT; ++k) {
            Chance chance(odd_share(words.complement_of(cities[k])));
            chances[k] = chance.most;
            if (ASKED) most = fmaxf(most, chance.least * weights[k]);
        }
        return most;
    }

    // Which of these cities can win where the best has `least` or more.
    INLINE Admitted<COUNT> admitted(float least) const {
        Admitted<COUNT> found;
        UNROLL for (int eight = 0; eight < COUNT; eight += 8) {
            unsigned signs = 0;
            UNROLL for (int k = min(eight + 8, COUNT) - 1; k >= eight; --k) {
                float beyond = __fmaf_rn(-weights[k], chances[k], least);
                signs = __funnelshift_l(__float_as_uint(beyond), signs, 1);
            }
            found.words[eight / 32] |= signs << eight % 32;
        }
        return found;
    }

    // Offers these cities with their keys.
    INLINE void offer(Sample& best, const OwnWords& words, Admitted<COUNT> found) const {
        for (int k = found.first(); k >= 0; k = found.first()) {
            found.leave(k);
            int own = place(k), city = list.city(own);
            float key = Reservoir::minus_log2(words.of(city)) * __frcp_rn(Row::at(row, city));
            best.offer(key, city, own);
        }
        __syncwarp();
    }

    INLINE int place(int k) const { return first + k * apart; }

  private:
    INLINE bool has(int k) const { return k < FULL || place(k) < left; }
};

// An ant on its way, as each thread of its group sees it. Everything except `group.lane`, `kept`
// and parts of `grown` is the same for all threads of a warp.
//
// A thread looks at MOST rows at once: a step of an ant with more of them has several parts.
template <class List, class Row, bool ALONE, int MOST>
struct ReservoirWalk {
    typedef typename Row::Stored Stored;
    const List& list;
    const Group<ALONE>& group;
    const Draws& draws;
    const Stored* weights;
    int columns, n, step, city, kept;  // the last cities, one a lane
    int* tour;
    GrowingTour grown;

    INLINE void finish() {
        if constexpr (MOST < ALL_ROWS) {
            while (n - step > MOST * slots()) {
                run_down<MOST, true>((n - step + MOST * slots() - 1) / (MOST * slots()));
            }
        }
        run_down<MOST, false>(1);
        if (is_first()) list.leave(city, n - 1);
        __syncwarp();
    }

  private:
    // Of a row of all warps.
    INLINE int slots() const { return group.size() * LANES; }

    INLINE bool is_first() const { return group.number() == 0 && group.lane == 0; }

    // Makes steps while they have so many parts.
    template <int COUNT, bool PARTS>
    INLINE void run_down(int parts) {
        constexpr int FEWER = fewer_rows(COUNT, ALONE);
        run<COUNT, FEWER, PARTS>(PARTS ? max(FEWER * parts, MOST * (parts - 1)) : FEWER, parts);
        if constexpr (FEWER > (PARTS ? MOST / 2 : 0)) run_down<FEWER, PARTS>(parts);
    }

    // Makes steps while there are more than `fewer` rows.
    template <int COUNT, int FULL, bool PARTS>
    INLINE void run(int fewer, int parts) {
        int end = n - fewer * slots();
        while (step < end) {
            OwnWords keys(draws, (step & -LANES) + group.lane, RESERVOIR);  // of 32 steps
            int pause = min(end, (step | (LANES - 1)) + 1);
            for (; step < pause; ++step) {
                advance<COUNT, FULL, PARTS>(OwnWords(keys, step & (LANES - 1)), parts);
                if (group.lane == (step & (LANES - 1))) kept = city;
                group.meet();
            }
            if (group.number() == 0 && (step == n || step % LANES == 0)) write();
        }
    }

    // Up to 32 cities at the end of the tour.
    INLINE void write() {
        int begin = (step - 1) & -LANES;
        if (!List::KEEPS_ORDER && begin + group.lane < step) tour[begin + group.lane] = kept;
        grown.add(kept, begin, step, group.lane);
    }

    // Chooses a city and goes there.
    template <int COUNT, int FULL, bool PARTS>
    INLINE void advance(const OwnWords& words, int parts) {
        const Stored* own =
            weights + static_cast<unsigned long long>(unsigned(city)) * unsigned(columns);
        int left = n - step, moved = list.city(left - 1);
        int first = group.number() * LANES + group.lane;
        ListedRows<List, Row, COUNT, FULL> rows{list, held_pointer(own), first,
                                                PARTS ? parts * slots() : slots(), left};
        Sample best = Sample::none();
        float least = Chance::reached(rows.template read<true>(words));
        if (is_first()) list.leave(city, step - 1);  // while the weights are on their way
        Admitted<COUNT> found = rows.admitted(least);
        if constexpr (ALONE && !PARTS) {
            int k = found.first();
            unsigned place = found.several() ? ~0u : k < 0 ? 0 : unsigned(rows.place(k)) + 1;
            unsigned lanes = __ballot_sync(ALL_LANES, place != 0), top = warp_max(place);
            if ((lanes & (lanes - 1)) == 0 && top != ~0u) {  // only one of all can win
                city = list.city(int(top - 1));
                __syncwarp();
                if (k >= 0) list.move(int(top - 1), moved, step);
                return;
            }
        }
        rows.offer(best, words, found);
        if constexpr (PARTS) {
            for (int part = 1; part < parts; ++part) {
                least = fmaxf(least, best.reached());
                rows.first = first + part * slots();
                rows.template read<false>(words);
                found = rows.admitted(least);
                if (__any_sync(ALL_LANES, found.any())) rows.offer(best, words, found);
            }
        }
        city = best.template winner<true>(group);
        if (best.city == city) list.move(best.place, moved, step);
    }
};

// Blocks that a multiprocessor is to have room for, which bounds the registers of a thread.
template <bool ALONE, int MOST>
constexpr int room_for = ALONE ? (MOST == ALL_ROWS ? 12 : MOST_BLOCKS) : 2;

// A warp looks at MOST rows at once.
template <class List, class Row, bool ALONE, int MOST>
__global__ void __launch_bounds__(ALONE ? LANES : MOST_WARPS * LANES, room_for<ALONE, MOST>)
build_tours_by_reservoir(const BuildToursByRows arguments) {
    const auto [construction, weights, columns] = arguments;
    const auto [first_ant, end_ant, seed, geometry, tours, lengths, state] = construction;
    const int n = geometry.n;
    extern __shared__ uint4 shared[];
    __shared__ GroupMemory memory;
    int lane = threadIdx.x % LANES, ant = first_ant + blockIdx.x;
    int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);  // known to be the same in all lanes
    Group<ALONE> group{memory, int(blockDim.x) / LANES, warp, lane};
    Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
    int* tour = row_of(tours, ant, n);
    List list(shared, nullptr, tour, n);
    int start = draws.start(n);
    list.begin(start, 0);
    group.meet();
    ReservoirWalk<List, Row, ALONE, MOST> walk{list,
                                               group,
                                               draws,
                                               static_cast<const typename Row::Stored*>(weights),
                                               columns,
                                               n,
                                               1,
                                               start,
                                               start,
                                               tour,
                                               GrowingTour{geometry, start, start}};
    walk.finish();
    if (warp > 0) return;
    if (List::KEEPS_ORDER) list.finish(tour, lane);
    walk.grown.report(state, ant, lengths, lane);
}

// Tours of the MAX-MIN Ant System by whole rows of weights, with tabu bits in registers (2020: BT).
// A block is an ant; each of its warps looks after some tiles of cities.
//
// Unlike with a tour list, a step reads whole lines of weights, also those of visited cities. These
// are fewer requests than one for every unvisited city, and half the bytes. How a city is
// drawn is a policy.
#include "gpu/construction/cuda/roulette.cuh"
#include "gpu/construction/cuda/tours.cuh"
#include "gpu/cuda/kernels/group.cuh"
#include "kernels.py"
#include "numbered_rows.cuh"
#include "reservoir.cuh"

// RWM: the roulette wheel over all cities in the order of their numbers.
// The city where the wheel stops, or a negative number in warps where it does not.
template <class Row, int TILES>
INLINE int turn(const Group<>& group, const EightSums& eights, LaneCities<TILES>& cities,
                const typename Row::Stored* row, int from, unsigned word) {
    // The city that the ant comes from is marked while weights are read. Without such a city, or
    // with so many tiles that this takes longer, the chosen one, while all lanes wait for it.
    constexpr bool MARKS_CHOSEN = Row::NEAR || TILES > 8;
    unsigned words[TILES][Row::WORDS];
    UNROLL for (int tile = 0; tile < TILES; ++tile) Row::read(row, cities, tile, words[tile]);
    if (!MARKS_CHOSEN && cities.has(from)) cities.mark(from);
    constexpr int CHAINS = 4;  // at once, or each maximum would wait for the last
    unsigned tops[CHAINS] = {};
    UNROLL for (int tile = 0; tile < TILES; ++tile) {
        Row::mask(cities, tile, words[tile]);
        UNROLL for (int i = 0; i < Row::WORDS; ++i) {
            tops[i % CHAINS] = Row::larger(tops[i % CHAINS], words[tile][i]);
        }
    }
    unsigned top = Row::larger(Row::larger(tops[0], tops[1]), Row::larger(tops[2], tops[3]));
    Wheel wheel(group.largest(__uint_as_float(Row::largest(top))));

    unsigned sums[TILES], totals[TILES], units[LANE_CITIES];
    Word own = 0, before;
    UNROLL for (int tile = 0; tile < TILES; ++tile) {
        UNROLL for (int j = 0; j < LANE_CITIES; ++j) {
            units[j] = wheel.units_over_base(Row::weight(words[tile], j));
        }
        // In two halves; else each city would wait for the one before.
        sums[tile] = units[0] + units[1] + units[2] + units[3] +
                     here_and_now(units[4] + units[5] + units[6] + units[7]) -
                     LANE_CITIES * ROUNDER_BITS;
        totals[tile] = warp_total(sums[tile]);
        own += totals[tile];
    }
    Word all = group.sum(own, before), stop = Wheel::spin(word, all) - before;

    // Of the tile where it stops.
    unsigned rest[Row::WORDS], sum = sums[0];
    UNROLL for (int i = 0; i < Row::WORDS; ++i) rest[i] = words[0][i];
    Word tile_end = totals[0], passed_tiles = 0;
    int place = 0;
    UNROLL for (int tile = 1; tile < TILES; ++tile) {
        bool reached = stop >= tile_end;
        passed_tiles = reached ? tile_end : passed_tiles;
        place = reached ? tile : place;
        sum = reached ? sums[tile] : sum;
        UNROLL for (int i = 0; i < Row::WORDS; ++i) rest[i] = reached ? words[tile][i] : rest[i];
        tile_end += totals[tile];
    }
    // Of the lane where it stops; below 0 in lanes that come later.
    int left = int(unsigned(stop) - unsigned(passed_tiles) - eights.before(sum));
    left -= int(EightSums::within(sum, cities.lane) - sum);
    bool here = left >= 0 && left < int(sum);
    unsigned end = 0, passed[2] = {};  // how many cities of the lane, counted in two halves
    UNROLL for (int i = 0; i + 1 < LANE_CITIES; ++i) {
        end += wheel.units(Row::weight(rest, i));
        passed[i % 2] += (end + ~unsigned(left)) >> 31;  // end <= left
    }
    unsigned j = here_and_now(passed[0]) + passed[1];
    int city = int(warp_max(here ? cities.city(place, j) : 0u));
    bool stops = group.size() == 1 || stop < own;
    if (MARKS_CHOSEN) cities.take(here && stops, place, j);
    return stops ? city : -1;
}

struct WheelOfRows {
    EightSums eights;
    unsigned words;  // for 32 steps, one a lane

    INLINE WheelOfRows(const Draws& draws, int step, int lane)
        : eights(lane), words(draws.spin((step & -LANES) + lane)) {}

    template <class Row, int TILES>
    INLINE int choose(const Group<>& group, LaneCities<TILES>& cities,
                      const typename Row::Stored* row, int from, int step) const {
        unsigned word = __shfl_sync(ALL_LANES, words, step & (LANES - 1));
        int next = turn<Row, TILES>(group, eights, cities, row, from, word);
        return group.agree(next >= 0, next);
    }
};

// WRS: weighted reservoir sampling over all cities.
struct ReservoirOfRows {
    OwnWords keys;  // of 32 steps, one a lane

    INLINE ReservoirOfRows(const Draws& draws, int step, int lane)
        : keys(draws, (step & -LANES) + lane, RESERVOIR) {}

    template <class Row, int TILES>
    INLINE int choose(const Group<>& group, LaneCities<TILES>& cities,
                      const typename Row::Stored* row, int from, int step) const {
        unsigned stored[TILES][Row::WORDS];
        UNROLL for (int tile = 0; tile < TILES; ++tile) Row::read(row, cities, tile, stored[tile]);
        if (cities.has(from)) cities.mark(from);  // while the weights are on their way
        Search search(OwnWords(keys, step & (LANES - 1)), group.warps == 1);
        unsigned start = search.words.at(cities.city(0, 0));
        // Begins at the ant's city: cities with numbers near its own are often near.
        int own = cities.has(from) ? (from - cities.first) / TILE_CITIES : 0;
        for (int tried = 0; tried < TILES && search.limit.scale == 0.0f; ++tried) {
            OneTile tile{cities.of(own), cities.city(own, 0)};
            unsigned near[1][Row::WORDS];
            Row::read(row, tile, 0, near[0]);
            search.estimate(
                Tiles<Row, OneTile, 0, 1>(tile, row, near, search.words.at(tile.first)));
            own = own + 1 < TILES ? own + 1 : 0;
        }
        look<Row, 0>(search, cities, row, stored, start);
        return search.winner(group);
    }

  private:
    // A tile whose number is known only at run time, as a row's policy takes it.
    struct OneTile {
        unsigned bits;
        int first;

        INLINE bool any(int) const { return bits & 0x03030303u; }
        INLINE int city(int tile, int j) const { return first + tile * TILE_CITIES + j; }
        INLINE unsigned signs(int, int half) const { return bits << (7 - half); }
    };

    // A lane's cities of some tiles from `FIRST` on.
    template <class Row, class Cities, int FIRST, int NOW>
    struct Tiles {
        static constexpr int COUNT = NOW * LANE_CITIES;
        const Cities& cities;
        const typename Row::Stored* row;
        unsigned start;  // where the progression of words stands at the lane's first city of all
        unsigned stored[NOW][Row::WORDS];

        template <int TILES>
        INLINE Tiles(const Cities& cities_, const typename Row::Stored* row_,
                     const unsigned (&all)[TILES][Row::WORDS], unsigned start_)
            : cities(cities_), row(row_), start(start_) {
            UNROLL for (int tile = 0; tile < NOW; ++tile) {
                UNROLL for (int i = 0; i < Row::WORDS; ++i) stored[tile][i] = all[FIRST + tile][i];
                Row::mask(cities, FIRST + tile, stored[tile]);
            }
        }

        INLINE unsigned word(const OwnWords& words, int i) const {
            int tile = FIRST + i / LANE_CITIES;
            return words.from(start, tile * TILE_CITIES + i % LANE_CITIES);
        }
        INLINE float weight(int i) const {
            return Row::weight(stored[i / LANE_CITIES], i % LANE_CITIES);
        }
        INLINE float roughly(int i) const {
            return Row::at_least(stored[i / LANE_CITIES], i % LANE_CITIES);
        }
        INLINE float again(int i) const { return Row::at(row, city(i)); }
        INLINE int city(int i) const {
            return cities.city(FIRST + i / LANE_CITIES, i % LANE_CITIES);
        }
        INLINE int place(int) const { return 0; }
    };

    // Looks at all tiles from `FIRST` on.
    template <class Row, int FIRST, int TILES>
    static INLINE void look(Search& search, const LaneCities<TILES>& cities,
                            const typename Row::Stored* row,
                            const unsigned (&stored)[TILES][Row::WORDS], unsigned start) {
        constexpr int AT_ONCE = TILES > 8 ? 2 : 4;
        constexpr int NOW = TILES - FIRST < AT_ONCE ? TILES - FIRST : AT_ONCE;
        constexpr bool LAST = FIRST + NOW == TILES;
        search.look(Tiles<Row, LaneCities<TILES>, FIRST, NOW>(cities, row, stored, start), LAST);
        if constexpr (!LAST) look<Row, FIRST + NOW>(search, cities, row, stored, start);
    }
};

// One ant's tour, by all warps of its group.
template <class Selection, class Row, int TILES>
INLINE void build_tour(const Group<>& group, const Draws& draws, const Distances& geometry,
                       const typename Row::Stored* rows, int columns, int* tours, Word* lengths,
                       ColonyState* state) {
    int n = geometry.n, ant = int(draws.ant);
    int* tour = row_of(tours, ant, n);
    LaneCities<TILES> cities(n, group.warp * TILES * TILE_CITIES, group.lane);
    int city = draws.start(n), step = 1, kept = city;  // the last cities, one a lane
    if (cities.has(city)) cities.mark(city);
    GrowingTour grown{geometry, city, city};
    while (step < n) {
        Selection selection(draws, step, group.lane);
        int pause = min(n, (step | (LANES - 1)) + 1);
        for (; step < pause; ++step) {
            const typename Row::Stored* row =
                rows + static_cast<unsigned long long>(unsigned(city)) * unsigned(columns);
            city = selection.template choose<Row>(group, cities, Row::begin(row), city, step);
            if (group.lane == (step & (LANES - 1))) kept = city;
        }
        if (group.warp == 0) {
            int first = (step - 1) & -LANES, place = first + group.lane;
            if (place < step) tour[place] = kept;
            grown.add(kept, first, step, group.lane);
        }
    }
    if (group.warp == 0) grown.report(state, ant, lengths, group.lane);
}

// The bound on the threads of a block. For many tiles it is larger than any block, so that threads
// use fewer registers, and all ants of a large instance run at once.
template <int TILES>
constexpr int most_threads = TILES > 8 ? 608 : 512;

template <class Selection, class Row, int TILES>
__global__ void __launch_bounds__(most_threads<TILES>) build_tours_by_rows(
    const __grid_constant__ BuildToursByRows arguments) {
    const auto& [construction, weights, columns] = arguments;
    const auto& [first_ant, end_ant, seed, geometry, tours, lengths, state] = construction;
    __shared__ GroupMemory memory;
    int lane = held(threadIdx.x % LANES), ant = first_ant + blockIdx.x;
    int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);  // known to be the same in all lanes
    Group<> group{memory, int(blockDim.x) / LANES, warp, lane};
    Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
    build_tour<Selection, Row, TILES>(group, draws, geometry,
                                      static_cast<const typename Row::Stored*>(weights), columns,
                                      tours, lengths, state);
}

// The same with all weights in the shared memory of each block, of which there is one a
// multiprocessor; a warp an ant.
template <class Selection, int TILES>
__global__ void __launch_bounds__(most_threads<TILES>) build_tours_in_shared(
    const BuildToursByRows arguments) {
    const auto [construction, weights, columns] = arguments;
    const auto [first_ant, end_ant, seed, geometry, tours, lengths, state] = construction;
    const int n = geometry.n;
    extern __shared__ uint4 shared[];
    __shared__ GroupMemory memory;
    static_assert(sizeof(memory) <= GROUP_BYTES, "as the host counts it");
    int lane = held(threadIdx.x % LANES), warps = blockDim.x / LANES;
    int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);
    uint4* own = held_shared(shared);
    start_copy(own, weights, n * columns / 8);
    copies_asked();
    copies_landed<0>();
    __syncthreads();
    Group<> group{memory, 1, 0, lane};
    int first = first_ant + blockIdx.x * warps + warp;
    for (int ant = first; ant < end_ant; ant += gridDim.x * warps) {
        Draws draws{seed, unsigned(ant), unsigned(state->iteration)};
        build_tour<Selection, SharedHalfRow, TILES>(group, draws, geometry,
                                                    reinterpret_cast<const unsigned short*>(own),
                                                    columns, tours, lengths, state);
    }
}

// MMAS-RWM-BT (2020): the roulette wheel over all cities in the order of their numbers, with tabu
// bits in registers.
#include "philox.cuh"
#include "roulette.cuh"
#include "row_tours.cuh"

// The city where the wheel stops, or -1 in warps where it does not.
template <class Row, int TILES>
__device__ __forceinline__ int turn(const Group<>& group, LaneCities<TILES>& cities,
                                    const typename Row::Stored* row, int from, unsigned word) {
    unsigned words[TILES][Row::WORDS];
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) Row::read(row, cities, tile, words[tile]);
    if (cities.has(from)) cities.mark(from);  // while the weights are on their way
    constexpr int CHAINS = 4;                 // at once, or each maximum would wait for the last
    unsigned tops[CHAINS] = {};
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
        Row::mask(cities, tile, words[tile]);
#pragma unroll
        for (int i = 0; i < Row::WORDS; ++i)
            tops[i % CHAINS] = Row::larger(tops[i % CHAINS], words[tile][i]);
    }
    unsigned top = Row::larger(Row::larger(tops[0], tops[1]), Row::larger(tops[2], tops[3]));
    Wheel wheel(group.largest(__uint_as_float(Row::largest(top))));

    unsigned sums[TILES], totals[TILES];
    Word own = 0, before;
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
        unsigned sum = 0u - LANE_CITIES * Wheel::BASE_BITS;
#pragma unroll
        for (int j = 0; j < LANE_CITIES; ++j)
            sum += wheel.units_over_base(Row::weight(words[tile], j));
        sums[tile] = sum;
        totals[tile] = warp_total(sum);
        own += totals[tile];
    }
    Word all = group.sum(own, before), stop = Wheel::spin(word, all) - before;
    if (stop >= own) return -1;  // past the end in warps before the one

    unsigned rest[Row::WORDS], sum = sums[0];  // of the tile where it stops
#pragma unroll
    for (int i = 0; i < Row::WORDS; ++i) rest[i] = words[0][i];
    Word tile_end = totals[0], passed_tiles = 0;
    int place = 0;
#pragma unroll
    for (int tile = 1; tile < TILES; ++tile) {
        bool reached = stop >= tile_end;
        passed_tiles = reached ? tile_end : passed_tiles;
        place = reached ? tile : place;
        sum = reached ? sums[tile] : sum;
#pragma unroll
        for (int i = 0; i < Row::WORDS; ++i) rest[i] = reached ? words[tile][i] : rest[i];
        tile_end += totals[tile];
    }
    unsigned end = prefix_sums_soon(sum, cities.lane), left = static_cast<unsigned>(stop);
    unsigned ends[LANE_CITIES - 1],
        passed = 0;  // of its cities, while the shuffles are on their way
#pragma unroll
    for (int j = 0; j + 1 < LANE_CITIES; ++j) {
        passed += wheel.units(Row::weight(rest, j));
        ends[j] = passed;
    }
    left -= static_cast<unsigned>(passed_tiles);
    int winner = __popc(__ballot_sync(ALL_LANES, end <= left));  // lanes before it
    left -= end - sum;                                           // in the winner
    int j = 0;
#pragma unroll
    for (int i = 0; i + 1 < LANE_CITIES; ++i) j += ends[i] <= left;
    return __shfl_sync(ALL_LANES, cities.city(place, j), winner);
}

struct WheelOfRows {
    unsigned words;  // for 32 steps, one a lane

    __device__ __forceinline__ WheelOfRows(const Draws& draws, int step, int lane)
        : words(draws.spin((step & -LANES) + lane)) {}

    template <class Row, int TILES>
    __device__ __forceinline__ int choose(const Group<>& group, LaneCities<TILES>& cities,
                                          const typename Row::Stored* row, int from,
                                          int step) const {
        unsigned word = __shfl_sync(ALL_LANES, words, step & (LANES - 1));
        int next = turn<Row, TILES>(group, cities, row, from, word);
        return group.agree(next >= 0, next);
    }
};

// MMAS-RWM-BT (2020): the roulette wheel over all cities in the order of their numbers, with tabu
// bits in registers.
#include "gpu/construction/cuda/roulette.cuh"
#include "row_tours.cuh"

// The city where the wheel stops, or a negative number in warps where it does not.
template <class Row, int TILES>
INLINE int turn(const Group<>& group, const EightSums& eights, LaneCities<TILES>& cities,
                const typename Row::Stored* row, int from, unsigned word) {
    // The city that the ant comes from is marked while weights are read. Without such a city, or
    // with so many tiles that this takes longer, the chosen one, while all lanes wait for it.
    constexpr bool MARKS_CHOSEN = Row::NEAR || TILES > 8;
    unsigned words[TILES][Row::WORDS];
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) Row::read(row, cities, tile, words[tile]);
    if (!MARKS_CHOSEN && cities.has(from)) cities.mark(from);
    constexpr int CHAINS = 4;  // at once, or each maximum would wait for the last
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

    unsigned sums[TILES], totals[TILES], units[LANE_CITIES];
    Word own = 0, before;
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
#pragma unroll
        for (int j = 0; j < LANE_CITIES; ++j)
            units[j] = wheel.units_over_base(Row::weight(words[tile], j));
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
    // Of the lane where it stops; below 0 in lanes that come later.
    int left = int(unsigned(stop) - unsigned(passed_tiles) - eights.before(sum));
    left -= int(EightSums::within(sum, cities.lane) - sum);
    bool here = left >= 0 && left < int(sum);
    unsigned end = 0, passed[2] = {};  // how many cities of the lane, counted in two halves
#pragma unroll
    for (int i = 0; i + 1 < LANE_CITIES; ++i) {
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

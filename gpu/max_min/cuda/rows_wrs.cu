// MMAS-WRS-BT (2020): weighted reservoir sampling over all cities, with tabu bits in registers.
#include "reservoir.cuh"
#include "row_tours.cuh"

struct ReservoirOfRows {
    OwnWords keys;  // of 32 steps, one a lane

    INLINE ReservoirOfRows(const Draws& draws, int step, int lane)
        : keys(draws, (step & -LANES) + lane, RESERVOIR) {}

    template <class Row, int TILES>
    INLINE int choose(const Group<>& group, LaneCities<TILES>& cities,
                      const typename Row::Stored* row, int from, int step) const {
        unsigned stored[TILES][Row::WORDS];
#pragma unroll
        for (int tile = 0; tile < TILES; ++tile) Row::read(row, cities, tile, stored[tile]);
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
#pragma unroll
            for (int tile = 0; tile < NOW; ++tile) {
#pragma unroll
                for (int i = 0; i < Row::WORDS; ++i) stored[tile][i] = all[FIRST + tile][i];
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

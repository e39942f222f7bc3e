// Tabu policy BT for all cities of a warp (2020, Section 4.1): one bit a city, in registers.
//
// A tile is 256 cities with consecutive numbers, 8 a lane. So a row of weights is read in whole
// lines, and no place is looked up. A lane has the bits of four tiles in a word.
#pragma once

#include "gpu/cuda/kernels/choice.cuh"
#include "kernels.py"

// Bytes of a word made of the highest bits of bytes of `bits`: byte i is all ones if byte
// (selector >> 4 i & 3) of `bits` has its highest bit set, else 0.
INLINE unsigned spread_signs(unsigned bits, unsigned selector) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    unsigned result;
    asm("prmt.b32 %0, %1, %1, %2;" : "=r"(result) : "r"(bits), "r"(selector | 0x8888u));
    return result;
#else
    unsigned result = 0;
    for (int i = 0; i < 4; ++i)
        if (bits >> (8 * (selector >> 4 * i & 3) + 7) & 1) result |= 0xffu << 8 * i;
    return result;
#endif
}

// The larger of two words, in each half.
INLINE unsigned larger_halves(unsigned a, unsigned b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(FORMICARIUM_EMULATION)
    return __vmaxu2(a, b);
#else
    return max(a & 0xffff0000u, b & 0xffff0000u) | max(a & 0xffffu, b & 0xffffu);
#endif
}

// The unvisited cities of a lane. City j of its tile t is bit 8 (j % 4) + 2 (t % 4) + j / 4 of
// word t / 4: then one shift brings the bits of four cities to where signs are spread from.
template <int TILES>
struct LaneCities {
    static constexpr int WORDS = (TILES + 3) / 4;
    unsigned left[WORDS];
    int first, lane;  // the first city of the warp's first tile

    INLINE LaneCities(int n, int first_, int lane_) : left(), first(first_), lane(lane_) {
        UNROLL for (int tile = 0; tile < TILES; ++tile) {
            UNROLL for (int j = 0; j < LANE_CITIES; ++j) {
                if (city(tile, j) < n) left[tile / 4] |= 1u << bit(tile, j);
            }
        }
    }

    static INLINE unsigned bit(unsigned tile, unsigned j) {
        return 8 * (j % 4) + 2 * (tile % 4) + j / 4;
    }

    INLINE int city(int tile, int j) const {
        return first + tile * TILE_CITIES + lane * LANE_CITIES + j;
    }

    // Marks a city as visited.
    INLINE void mark(int city) {
        unsigned own = unsigned(city - first);
        unsigned tile = own / TILE_CITIES, gone = 1u << bit(tile, own % LANE_CITIES);
        if (own / LANE_CITIES % LANES != unsigned(lane)) gone = 0;
        UNROLL for (int word = 0; word < WORDS; ++word) {
            left[word] &= ~(tile / 4 == unsigned(word) ? gone : 0);
        }
    }

    // The same, if `mine`, for a city of this lane.
    INLINE void take(bool mine, int tile, unsigned j) {
        unsigned gone = mine ? 1u << bit(tile, j) : 0;
        UNROLL for (int word = 0; word < WORDS; ++word) {
            left[word] &= ~(tile / 4 == word ? gone : 0);
        }
    }

    // For a city of another warp.
    INLINE bool has(int city) const {
        return unsigned(city - first) < unsigned(TILES * TILE_CITIES);
    }

    // The bits of a tile whose number is known only at run time, shifted to the first place.
    INLINE unsigned of(int tile) const {
        unsigned bits = left[0];
        UNROLL for (int word = 1; word < WORDS; ++word) bits = tile / 4 == word ? left[word] : bits;
        return bits >> 2 * (tile % 4);
    }

    INLINE bool any(int tile) const { return left[tile / 4] & 0x03030303u << 2 * (tile % 4); }

    // The bits of cities 4 half to 4 half + 3 of a tile, as spread_signs() takes them.
    INLINE unsigned signs(int tile, int half) const {
        return left[tile / 4] << (7 - 2 * (tile % 4) - half);
    }
};

// A lane's weights of a tile, 0 for visited cities: float32, or half precision, two a word.
struct FullRow {
    static constexpr bool NEAR = false;  // whether it takes no time to read them
    static constexpr int WORDS = LANE_CITIES;
    typedef float Stored;

    static INLINE const Stored* begin(const Stored* row) { return held_pointer(row); }

    template <class Cities>
    static INLINE void read(const Stored* row, const Cities& cities, int tile,
                            unsigned (&words)[WORDS]) {
        uint4 eight[2] = {};
        if (cities.any(tile)) {
            const uint4* from = reinterpret_cast<const uint4*>(row + cities.city(tile, 0));
            eight[0] = __ldg(from);
            eight[1] = __ldg(from + 1);
        }
        memcpy(words, eight, sizeof(words));
    }

    template <class Cities>
    static INLINE void mask(const Cities& cities, int tile, unsigned (&words)[WORDS]) {
        UNROLL for (int j = 0; j < LANE_CITIES; ++j) {
            words[j] &= spread_signs(cities.signs(tile, j / 4), 0x1111u * (j % 4));
        }
    }

    static INLINE float at(const Stored* row, int city) { return __ldg(row + unsigned(city)); }

    static INLINE unsigned larger(unsigned a, unsigned b) { return max(a, b); }
    static INLINE unsigned largest(unsigned top) { return top; }

    static INLINE float weight(const unsigned (&words)[WORDS], int j) {
        return __uint_as_float(words[j]);
    }

    static INLINE float at_least(const unsigned (&words)[WORDS], int j) { return weight(words, j); }
};

// Half precision; `SHARED` says that the rows are in shared memory.
template <bool SHARED>
struct HalfRows {
    static constexpr bool NEAR = SHARED;
    static constexpr int WORDS = LANE_CITIES / 2;
    typedef unsigned short Stored;

    static INLINE const Stored* begin(const Stored* row) {
        return SHARED ? row : held_pointer(row);
    }

    template <class Cities>
    static INLINE void read(const Stored* row, const Cities& cities, int tile,
                            unsigned (&words)[WORDS]) {
        uint4 all = {};
        if (SHARED || cities.any(tile)) {
            const uint4* from = reinterpret_cast<const uint4*>(row + cities.city(tile, 0));
            all = SHARED ? *from : __ldg(from);
        }
        memcpy(words, &all, sizeof(words));
    }

    template <class Cities>
    static INLINE void mask(const Cities& cities, int tile, unsigned (&words)[WORDS]) {
        UNROLL for (int pair = 0; pair < WORDS; ++pair) {
            words[pair] &= spread_signs(cities.signs(tile, pair / 2), pair % 2 ? 0x3322u : 0x1100u);
        }
    }

    static INLINE float at(const Stored* row, int city) {
        const Stored* own = row + unsigned(city);
        unsigned half = SHARED ? *own : __ldg(own);
        return __uint_as_float(half << 16);
    }

    static INLINE unsigned larger(unsigned a, unsigned b) { return larger_halves(a, b); }
    static INLINE unsigned largest(unsigned top) { return max(top & 0xffff0000u, top << 16); }

    static INLINE float weight(const unsigned (&words)[WORDS], int j) {
        return __uint_as_float(j % 2 ? words[j / 2] & 0xffff0000u : words[j / 2] << 16);
    }

    // The weight or a little more, faster.
    static INLINE float at_least(const unsigned (&words)[WORDS], int j) {
        return __uint_as_float(j % 2 ? words[j / 2] : words[j / 2] << 16);
    }
};

typedef HalfRows<false> HalfRow;
typedef HalfRows<true> SharedHalfRow;

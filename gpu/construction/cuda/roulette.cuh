// Selection policies: how a group finds where the roulette wheel stops.
//
// A warp holds COUNT rows of 32 consecutive slots of the wheel, slot 32 k + lane in units[k].
#pragma once

#include "gpu/cuda/kernels/choice.cuh"

// Inclusive prefix sums over a warp.
INLINE unsigned prefix_sums(unsigned units, int lane) {
    UNROLL for (int offset = 1; offset < LANES; offset *= 2) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
        // The shuffle says whether there is such a lane; the compiler would test it again.
        asm volatile(
            "{ .reg .pred there; .reg .u32 before;\n"
            "shfl.sync.up.b32 before|there, %0, %1, 0, -1;\n"
            "@there add.u32 %0, %0, before; }"
            : "+r"(units)
            : "r"(offset));
#else
        unsigned before = __shfl_up_sync(ALL_LANES, units, offset);
        units += lane >= offset ? before : 0;
#endif
    }
    return units;
}

// The same with two shuffles one after the other, not five: faster where a warp has little else to
// do. Each eight lanes add up their own; reductions make the sums of eights at the same time.
struct EightSums {
    unsigned first, second, third, fourth;  // all bits set in the lanes of that eight

    INLINE explicit EightSums(int lane)
        : first(here_and_now(lane < 8 ? ~0u : 0)),
          second(here_and_now(lane / 8 == 1 ? ~0u : 0)),
          third(here_and_now(lane / 8 == 2 ? ~0u : 0)),
          fourth(here_and_now(lane >= 24 ? ~0u : 0)) {}

    // The sum of the eights before this lane.
    INLINE unsigned before(unsigned units) const {
        unsigned one = warp_total(units & first), two = warp_total(units & second),
                 three = warp_total(units & third);
        return (one & ~first) + (two & ~(first | second)) + (three & fourth);
    }

    // Inclusive prefix sums within this lane's eight.
    static INLINE unsigned within(unsigned units, int lane) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
        // The shuffles say whether there is such a lane.
        asm volatile(
            "{ .reg .pred one, two, three; .reg .u32 a, b, c;\n"
            "shfl.sync.up.b32 a|one, %0, 1, 0x1800, -1;\n"
            "shfl.sync.up.b32 b|two, %0, 2, 0x1800, -1;\n"
            "shfl.sync.up.b32 c|three, %0, 3, 0x1800, -1;\n"
            "@one add.u32 %0, %0, a;\n"
            "@two add.u32 %0, %0, b;\n"
            "@three add.u32 %0, %0, c;\n"
            "shfl.sync.up.b32 a|one, %0, 4, 0x1800, -1;\n"
            "@one add.u32 %0, %0, a; }"
            : "+r"(units));
#else
        for (int offset = 1; offset < 8; offset *= 2) {
            unsigned other = __shfl_up_sync(ALL_LANES, units, offset);
            units += lane % 8 >= offset ? other : 0;
        }
#endif
        return units;
    }

    // Whether a wheel with one slot a lane stops at this lane.
    INLINE bool stops_here(unsigned units, unsigned stop, int lane) const {
        // Below 0 where it stops in an eight before.
        int rest = int(stop - before(units));
        int end = int(within(units, lane));
        return end > rest && end - int(units) <= rest;
    }
};

// Parallel prefix sum, then parallel search: every slot learns where it ends.
template <int COUNT>
struct PrefixSearch {
    // Makes prefix sums of the units, row by row, and returns the sum of all.
    INLINE Word sum(unsigned (&units)[COUNT], int lane) {
        Word total = 0;
        UNROLL for (int k = 0; k < COUNT; ++k) {
            units[k] = prefix_sums(units[k] - ROUNDER_BITS, lane);
            total += __shfl_sync(ALL_LANES, units[k], LANES - 1);
        }
        return total;
    }

    // The slot where the wheel stops.
    INLINE int find(const unsigned (&units)[COUNT], Word stop, int lane) const {
        Word before = 0;
        int slot = -1;
        UNROLL for (int k = 0; k < COUNT; ++k) {
            unsigned beyond = __ballot_sync(ALL_LANES, before + units[k] > stop);
            if (slot < 0 && beyond) slot = k * LANES + __ffs(beyond) - 1;
            before += __shfl_sync(ALL_LANES, units[k], LANES - 1);
        }
        return slot;
    }
};

// Tiling roulette (2017, Algorithm 1): tiles are summed, and only the one where the wheel stops
// is scanned.
template <int COUNT>
struct TilingRoulette {
    static constexpr int ROWS = COUNT < 4 ? COUNT : 4;  // of a tile: its sum must fit 32 bits
    static constexpr int TILES = COUNT / ROWS;
    unsigned tiles[TILES];

    INLINE Word sum(const unsigned (&units)[COUNT], int) {
        Word total = 0;
        UNROLL for (int tile = 0; tile < TILES; ++tile) {
            unsigned own = 0u - ROWS * ROUNDER_BITS;
            UNROLL for (int row = 0; row < ROWS; ++row) own += units[tile * ROWS + row];
            tiles[tile] = warp_total(own);
            total += tiles[tile];
        }
        return total;
    }

    INLINE int find(const unsigned (&units)[COUNT], Word stop, int lane) const {
        unsigned rows[ROWS] = {};
        int slot = 0;
        Word end = 0, before = 0;
        UNROLL for (int tile = 0; tile < TILES; ++tile) {
            bool reached = stop >= end;
            before = reached ? end : before;
            slot = reached ? tile * ROWS * LANES : slot;
            UNROLL for (int row = 0; row < ROWS; ++row) {
                rows[row] = reached ? units[tile * ROWS + row] : rows[row];
            }
            end += tiles[tile];
        }
        unsigned rest = unsigned(stop - before), row_end = 0, row_before = 0, own = 0;
        int tile = slot;
        UNROLL for (int row = 0; row < ROWS; ++row) {
            bool reached = rest >= row_end;
            row_before = reached ? row_end : row_before;
            slot = reached ? tile + row * LANES : slot;
            own = reached ? rows[row] : own;
            if (row + 1 < ROWS) row_end += warp_total(rows[row] - ROUNDER_BITS);
        }
        unsigned passed =
            __ballot_sync(ALL_LANES, prefix_sums(own - ROUNDER_BITS, lane) <= rest - row_before);
        return slot + LANES - __clz(passed);
    }
};

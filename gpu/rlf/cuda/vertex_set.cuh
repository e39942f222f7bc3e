// A set of vertices in the registers of a warp, a bit a vertex.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

// The place of the r-th bit that is set, counted from 0; there are more than r.
INLINE int nth_bit(unsigned word, int r) {
    int place = 0;
#pragma unroll
    for (int half = 16; half > 0; half /= 2) {
        int below = __popc(word & ((1u << half) - 1));
        bool above = r >= below;
        r -= above ? below : 0;
        word >>= above ? half : 0;
        place += above ? half : 0;
    }
    return place;
}

// Vertex j is bit j & 31 of word j >> 5; a lane holds the words lane, lane + 32, … of ROWS rows.
// All lanes of the warp call these together.
template <int ROWS>
struct VertexSet {
    unsigned words[ROWS];

    static INLINE VertexSet of_all(int n, int lane) {
        VertexSet all;
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            int left = n - LANES * (k * LANES + lane);
            all.words[k] = left >= LANES ? ALL_LANES : left > 0 ? (1u << left) - 1 : 0;
        }
        return all;
    }

    // A row of the adjacency from the lane's first word on; it has `count` words, whole rows of 32.
    static INLINE VertexSet of_row(const unsigned* row, int count) {
        VertexSet read;
#pragma unroll
        for (int k = 0; k < ROWS; ++k)
            read.words[k] = k == 0 || k * LANES < count ? __ldg(&row[k * LANES]) : 0;
        return read;
    }

    INLINE bool empty() const {
        unsigned any = 0;
#pragma unroll
        for (int k = 0; k < ROWS; ++k) any |= words[k];
        return !__any_sync(ALL_LANES, any);
    }

    INLINE void remove(int vertex, int lane) {
#pragma unroll
        for (int k = 0; k < ROWS; ++k)
            if (vertex / LANES == k * LANES + lane) words[k] &= ~(1u << vertex % LANES);
    }

    INLINE unsigned word(int place) const {
        unsigned of_row = words[0];
#pragma unroll
        for (int k = 1; k < ROWS; ++k) of_row = place / LANES == k ? words[k] : of_row;
        return __shfl_sync(ALL_LANES, of_row, place % LANES);
    }

    INLINE bool has(int vertex) const { return word(vertex / LANES) >> vertex % LANES & 1; }

    INLINE int size() const {
        unsigned own = 0;
#pragma unroll
        for (int k = 0; k < ROWS; ++k) own += __popc(words[k]);
        return int(warp_total(own));
    }

    // The r-th vertex of the set, counted from 0; it has more than r.
    INLINE int nth(int r, int lane) const {
        int found = 0;
        for (int k = 0; k < ROWS; ++k) {
            int own = __popc(words[k]), before = warp_prefix(own, lane);
            int all = __shfl_sync(ALL_LANES, before, LANES - 1);
            if (r >= all) {
                r -= all;
                continue;
            }
            int first = __ffs(__ballot_sync(ALL_LANES, before > r)) - 1;
            int place = (k * LANES + lane) * LANES;
            if (lane == first) place += nth_bit(words[k], r - (before - own));
            found = __shfl_sync(ALL_LANES, place, first);
            break;
        }
        return found;
    }
};

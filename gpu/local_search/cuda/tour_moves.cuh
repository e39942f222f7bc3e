// A tour that a block works on, and the two ways to change it.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"
#include "kernels.py"

typedef long long Gain;

// A move as one number: the gain, then the place in the order among equals, the first ones largest.
struct MoveKey {
    static constexpr Gain LAST_CODE = (1 << CODE_BITS) - 1, NONE = LAST_CODE;

    Gain key;

    // `kind`: 0 for 2-opt, the segment's length for Or-opt, 3 more where it is turned.
    static INLINE Gain of(Gain gain, int rank, int side, int kind) {
        return gain * (1 << CODE_BITS) + (LAST_CODE - (rank << RANK_BIT | side << SIDE_BIT | kind));
    }

    INLINE bool found() const { return key > NONE; }
    INLINE Gain gain() const { return key >> CODE_BITS; }
    INLINE int code() const { return int(LAST_CODE - (key & LAST_CODE)); }
    INLINE int rank() const { return code() >> RANK_BIT; }
    INLINE int side() const { return code() >> SIDE_BIT & 1; }
    INLINE int kind() const { return code() & ((1 << SIDE_BIT) - 1); }
    INLINE bool exchange() const { return kind() == 0; }
    INLINE int length() const { return kind() > 3 ? kind() - 3 : kind(); }
    INLINE bool turned() const { return kind() > 3; }
};

// The tour and the position of each city in it. All threads of the block call `exchange` and
// `relocate` together, and between two calls there is a barrier.
template <class City>
struct TourArray {
    int n;
    City* tour;
    City* place;

    // Positions up to one tour past the end, or before the beginning.
    INLINE int wrapped(int position) const {
        if (position >= n) return position - n;
        return position < 0 ? position + n : position;
    }

    INLINE int at(int position) const { return tour[wrapped(position)]; }

    INLINE void put(int position, int city) const {
        tour[position] = City(city);
        place[city] = City(position);
    }

    // 2-opt. Returns false, without a barrier, if its edges are gone or run the other way.
    INLINE bool exchange(const City* ends) const {
        int a = place[ends[0]], p = place[ends[1]], c = place[ends[2]], d = place[ends[3]];
        int first, count, other;
        if (wrapped(p - a) == 1 && wrapped(d - c) == 1) {
            first = p, count = wrapped(c - p) + 1, other = d;
        } else if (wrapped(a - p) == 1 && wrapped(c - d) == 1) {
            first = a, count = wrapped(d - a) + 1, other = c;
        } else {
            return false;
        }
        if (2 * count > n) {
            first = other;
            count = n - count;
        }
        __syncthreads();  // all threads have read the positions
        int last = first + count - 1;
        for (int i = threadIdx.x; i < count / 2; i += blockDim.x) {
            int left = wrapped(first + i), right = wrapped(last - i);
            int from_left = tour[left], from_right = tour[right];
            put(left, from_right);
            put(right, from_left);
        }
        return true;
    }

    // Or-opt with a segment of `length` cities; as above. `DIRECTED`: the edges must run as they
    // did on this side.
    template <bool DIRECTED>
    INLINE bool relocate(const City* ends, int length, int side) const {
        int a = place[ends[0]], p = place[ends[1]], c = place[ends[2]], d = place[ends[3]];
        int e = place[ends[4]], q = place[ends[5]];
        int forward = wrapped(p - a) == 1 ? 1 : -1;
        if (forward < 0 && wrapped(a - p) != 1) return false;
        if (wrapped(forward * (a - e)) != length - 1 || wrapped(forward * (a - q)) != length)
            return false;
        bool from_a = wrapped(d - c) == 1;  // the new place is behind c
        if (!from_a && wrapped(c - d) != 1) return false;
        if (DIRECTED && ((side == 0) != (forward == 1) || (side == 0) == from_a)) return false;
        int start = forward == 1 ? e : a;
        bool turned = from_a == (forward == 1);
        int behind = wrapped((from_a ? c : d) - start) + 1 - length;
        if (2 * behind <= n - length)
            shift<1>(start, behind, length, turned);
        else
            shift<-1>(wrapped(start + length - 1), n - length - behind, length, turned);
        return true;
    }

  private:
    // The `length` cities from `origin` on and the `count` after them, in direction STEP, swap
    // their places.
    template <int STEP>
    INLINE void shift(int origin, int count, int length, bool turned) const {
        constexpr int AT_ONCE = 4;
        int mine = threadIdx.x, moved = 0;
        if (mine < length)
            moved = tour[wrapped(origin + STEP * (turned ? length - 1 - mine : mine))];
        for (int first = 0; first < count; first += AT_ONCE * blockDim.x) {
            int cities[AT_ONCE];
            UNROLL for (int i = 0; i < AT_ONCE; ++i) {
                int which = first + i * blockDim.x + mine;
                cities[i] = which < count ? tour[wrapped(origin + STEP * (which + length))] : 0;
            }
            // All threads have read, and the next turn does not read what this one writes.
            __syncthreads();
            UNROLL for (int i = 0; i < AT_ONCE; ++i) {
                int which = first + i * blockDim.x + mine;
                if (which < count) put(wrapped(origin + STEP * which), cities[i]);
            }
        }
        if (mine < length) put(wrapped(origin + STEP * (count + mine)), moved);
    }
};

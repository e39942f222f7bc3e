// The conflict optimizer in a block: the rule of gpu/gpx/rule.py, to the last bit. Sums of weights
// are kept class by class in global memory, a move changes one row of them; all else is in shared
// memory.
#pragma once

#include "search.cuh"

// The least of a warp's pairs of numbers, in every lane.
INLINE uint2 warp_least(uint2 pair) {
    unsigned least = warp_min(pair.x);
    return make_uint2(least, warp_min(pair.x == least ? pair.y : ~0u));
}

struct OptimizerRoom {
    unsigned* weights;
    unsigned* driven;  // bits of vertices that a move drives out
    Color* colors;
    Color* loose;  // vertices without color, in the order that the rule says

    __device__ OptimizerRoom(unsigned* shared, int n)
        : weights(shared),
          driven(shared + n),
          colors(reinterpret_cast<Color*>(driven + (n + LANES - 1) / LANES)),
          loose(colors + n) {}
};

struct OptimizerBlock {
    const unsigned* adjacency;
    int n, row;
    OptimizerRoom room;
    unsigned* sums;  // a row of n for each class
    SearchVote& vote;
    Seed seed;
    unsigned ant, noise, heaviest;
    unsigned colors = 0, time = 0;
    int count = 0;  // vertices without color

    INLINE unsigned near(int v, int u) const {
        return __ldg(&adjacency[static_cast<long long>(v) * row + u / LANES]) >> u % LANES & 1u;
    }
    INLINE unsigned* row_at(unsigned color) const {
        return sums + static_cast<long long>(color) * n;
    }

    // Sums up all weights. All threads call this together.
    INLINE void sum_up() {
        __syncthreads();
        for (unsigned c = 0; c < colors; ++c)
            for (int v = threadIdx.x; v < n; v += blockDim.x) row_at(c)[v] = 0;
        for (int v = 0; v < n; ++v)
            if (room.colors[v] != LOOSE)
                for (int u = threadIdx.x; u < n; u += blockDim.x)
                    row_at(room.colors[v])[u] += near(v, u) * room.weights[v];
        __syncthreads();
    }

    // Lists the vertices without color in ascending order.
    INLINE void list_loose() {
        int lane = threadIdx.x % LANES;
        __syncthreads();
        count = 0;
        for (int first = 0; first < n; first += LANES) {
            int v = first + lane;
            unsigned bits = __ballot_sync(ALL_LANES, v < n && room.colors[v] == LOOSE);
            if (threadIdx.x < LANES && bits >> lane & 1)
                room.loose[count + __popc(bits & ((1u << lane) - 1))] = Color(v);
            count += __popc(bits);
        }
        __syncthreads();
    }

    INLINE void move() {
        int thread = threadIdx.x, threads = blockDim.x, lane = thread % LANES,
            warp = thread / LANES;
        unsigned word = word_of(philox(seed, time >> 2, ant, 0, OPTIMIZE), time & 3);
        ++time;
        int place = below(word, count), v = room.loose[place];
        unsigned low = 1024 * noise / 100, span = 2 * low + 1, base = 1024 - low;
        uint2 key = make_uint2(~0u, ~0u);
        for (unsigned c = thread; c < colors; c += threads) {
            unsigned its = lot(v, c, word);
            unsigned weighed = row_at(c)[v] * (base + (its * span >> 16)) + (its & 1023u);
            if (weighed < key.x) key = make_uint2(weighed, c);
        }
        key = warp_least(key);
        if (lane == 0) vote.moves[warp] = key;
        __syncthreads();
        if (lane < threads / LANES) key = vote.moves[lane];
        unsigned color = warp_least(key).y;
        --count;
        if (thread == 0) room.loose[place] = room.loose[count], vote.gains[0].x = 0;
        for (int first = warp * LANES; first < n; first += threads) {
            int u = first + lane;
            unsigned same = __ballot_sync(ALL_LANES, u < n && room.colors[u] == color);
            if (lane == 0)
                room.driven[first / LANES] =
                    same ? same & __ldg(&adjacency[static_cast<long long>(v) * row + first / LANES])
                         : 0;
        }
        __syncthreads();
        if (warp == 0) {
            int end = count;
            for (int first = 0; first * LANES < n; ++first) {
                unsigned bits = room.driven[first];
                if (!bits) continue;
                if (bits >> lane & 1) {
                    int u = first * LANES + lane;
                    room.loose[end + __popc(bits & ((1u << lane) - 1))] = Color(u);
                    room.colors[u] = LOOSE;
                    if (++room.weights[u] >= heaviest) vote.gains[0].x = 1;
                }
                end += __popc(bits);
            }
            if (lane == 0) room.colors[v] = Color(color), vote.gains[0].y = end;
        }
        __syncthreads();
        int end = int(vote.gains[0].y);
        unsigned heavy = vote.gains[0].x;
        for (int u = thread; u < n; u += threads) {
            unsigned change = near(v, u) * room.weights[v];
            for (int i = count; i < end; ++i)
                change -= near(room.loose[i], u) * (room.weights[room.loose[i]] - 1);
            if (change) row_at(color)[u] += change;
        }
        count = end;
        __syncthreads();
        if (!heavy) return;
        for (int u = thread; u < n; u += threads) room.weights[u] = (room.weights[u] + 1) >> 1;
        sum_up();
    }
};

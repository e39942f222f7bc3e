// A partial coloring in a block, and two kinds of moves: those of a conflict optimizer and of
// partial tabu search. It is the rule of gpu/gpx/rule.py, to the last bit. Sums of weights are kept
// class by class in global memory, as is what is tabu; a move changes one row of them. All else is
// in shared memory.
#pragma once

#include "search.cuh"

// The least of a warp's pairs of numbers, in every lane.
INLINE uint2 warp_least(uint2 pair) {
    unsigned least = warp_min(pair.x);
    return make_uint2(least, warp_min(pair.x == least ? pair.y : ~0u));
}

struct PartialRoom {
    unsigned* weights;
    unsigned* driven;  // bits of vertices that a move drives out
    Color* colors;
    Color* loose;  // vertices without color, in the order that the rule says

    __device__ PartialRoom(unsigned* shared, int n)
        : weights(shared),
          driven(shared + n),
          colors(reinterpret_cast<Color*>(driven + (n + LANES - 1) / LANES)),
          loose(colors + n) {}
};

struct PartialBlock {
    const unsigned* adjacency;
    int n, row;
    PartialRoom room;
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

    // A move of the conflict optimizer.
    INLINE void optimize() {
        int thread = threadIdx.x, threads = blockDim.x;
        unsigned word = next_word();
        int place = below(word, count), v = room.loose[place];
        unsigned low = 1024 * noise / 100, span = 2 * low + 1, base = 1024 - low;
        uint2 key = make_uint2(~0u, ~0u);
        for (unsigned c = thread; c < colors; c += threads) {
            unsigned its = lot(v, c, word);
            unsigned weighed = row_at(c)[v] * (base + (its * span >> 16)) + (its & 1023u);
            if (weighed < key.x) key = make_uint2(weighed, c);
        }
        unsigned color = least_of_all(key).y;
        int before = count - 1;
        bool heavy = give_color(place, color, true);
        change_sums(v, color, before, 1);
        if (!heavy) return;
        for (int u = thread; u < n; u += threads) room.weights[u] = (room.weights[u] + 1) >> 1;
        sum_up();
    }

    // A move of partial tabu search. A class is tabu for a vertex before a move that `expiries`
    // has, row by row as the sums.
    static constexpr int AT_ONCE = 4;           // sums that a lane reads
    static constexpr unsigned NO_SUM = 0xffff;  // none is so large
    INLINE void move_by_tabu(unsigned* expiries, AntRecord& late) {
        int thread = threadIdx.x, threads = blockDim.x;
        if (time == 0) {  // numbers of moves begin anew
            for (long long i = thread; i < static_cast<long long>(colors) * n; i += threads)
                expiries[i] = 0;
            __syncthreads();
        }
        unsigned word = next_word();
        int free = late.fewest - count + 1;  // fewer than that driven out: tabu does not matter
        uint2 key = make_uint2(~0u, ~0u);    // who is driven out, and the lot; vertex and class
        int lane = thread % LANES, warps = threads / LANES;
        for (int first = 0; first < count; first += LANES) {
            int v = first + lane < count ? room.loose[first + lane] : -1;
            for (unsigned c = thread / LANES; c < colors; c += AT_ONCE * warps) {
                unsigned out[AT_ONCE];
                UNROLL for (int i = 0; i < AT_ONCE; ++i) out[i] =
                    v >= 0 && c + i * warps < colors ? row_at(c + i * warps)[v] : NO_SUM;
                UNROLL for (int i = 0; i < AT_ONCE; ++i) {
                    unsigned its = c + i * warps;
                    if (out[i] == NO_SUM || out[i] > key.x >> 16) continue;
                    if (int(out[i]) >= free &&
                        expiries[static_cast<long long>(its) * n + v] >= time)
                        continue;
                    uint2 move =
                        make_uint2(out[i] << 16 | lot(v, its, word), unsigned(v) << 16 | its);
                    if (move.x < key.x || (move.x == key.x && move.y < key.y)) key = move;
                }
            }
        }
        key = least_of_all(key);
        int v = int(key.y >> 16), place = -1;
        unsigned color = key.y & 0xffffu;
        if (key.y == ~0u) {
            place = below(word, count);
            v = room.loose[place];
            color = lot(v, 1, word) * colors >> 16;
        } else
            place = place_of(v);
        int before = count - 1;
        give_color(place, color, false);
        unsigned expiry = time + late.tenure;
        for (int i = before + thread; i < count; i += threads)
            expiries[static_cast<long long>(color) * n + room.loose[i]] = expiry;
        change_sums(v, color, before, 0);
        late.fewest = min(late.fewest, count);
        late.most_of_late = max(late.most_of_late, count);
        late.fewest_of_late = min(late.fewest_of_late, count);
        if (time % TENURE_WINDOW != 0) return;
        if (late.most_of_late - late.fewest_of_late <= UNCHANGED)
            late.tenure += LONGER_TENURE;
        else
            late.tenure -= late.tenure > 0;
        late.most_of_late = 0, late.fewest_of_late = n;
    }

    // What the coming move takes; see gpu/gpx/cuda/kernels.py.
    INLINE Word effort_of_tabu() const {
        unsigned lots = (count + LANES - 1) / LANES, at_once = AT_ONCE * (blockDim.x / LANES);
        return PARTIAL_EFFORT + PARTIAL_EFFORT * n / EFFORT_VERTICES +
               READ_EFFORT * lots * ((colors + at_once - 1) / at_once);
    }

    // With another number of colors, nothing is tabu. All threads call this together.
    INLINE void begin_tabu(unsigned* expiries, AntRecord& late) const {
        for (long long i = threadIdx.x; i < static_cast<long long>(colors) * n; i += blockDim.x)
            expiries[i] = 0;
        late.tenure = FIRST_TENURE;
        late.fewest = count;
        late.most_of_late = 0, late.fewest_of_late = n;
        __syncthreads();
    }

  private:
    // The random word of the coming move, which is counted as made.
    INLINE unsigned next_word() {
        unsigned word = word_of(philox(seed, time >> 2, ant, 0, OPTIMIZE), time & 3);
        ++time;
        return word;
    }

    INLINE uint2 least_of_all(uint2 key) const {
        int lane = threadIdx.x % LANES;
        key = warp_least(key);
        if (lane == 0) vote.moves[threadIdx.x / LANES] = key;
        __syncthreads();
        key = make_uint2(~0u, ~0u);
        if (lane < int(blockDim.x) / LANES) key = vote.moves[lane];
        return warp_least(key);
    }

    // Where a vertex without color is in their list. All lanes call this.
    INLINE int place_of(int v) const {
        int lane = threadIdx.x % LANES;
        for (int first = 0;; first += LANES) {
            unsigned found = __ballot_sync(
                ALL_LANES, first + lane < count && room.loose[first + lane] == Color(v));
            if (found) return first + __ffs(found) - 1;
        }
    }

    // Gives a color to the vertex at a place of the list. Its neighbours with that color lose
    // theirs; they are listed last. If they `gain` weight by that, returns whether one has become
    // too heavy.
    INLINE bool give_color(int place, unsigned color, bool gain) {
        int thread = threadIdx.x, threads = blockDim.x, lane = thread % LANES,
            warp = thread / LANES, v = room.loose[place];
        __syncthreads();
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
                    if (gain && ++room.weights[u] >= heaviest) vote.gains[0].x = 1;
                }
                end += __popc(bits);
            }
            if (lane == 0) room.colors[v] = Color(color), vote.gains[0].y = end;
        }
        __syncthreads();
        count = int(vote.gains[0].y);
        return vote.gains[0].x;
    }

    // After a vertex got a color: those that lost it are listed from place `first` on, and have
    // gained so much weight by that.
    INLINE void change_sums(int v, unsigned color, int first, unsigned gained) const {
        for (int u = threadIdx.x; u < n; u += blockDim.x) {
            unsigned change = near(v, u) * room.weights[v];
            for (int i = first; i < count; ++i)
                change -= near(room.loose[i], u) * (room.weights[room.loose[i]] - gained);
            if (change) row_at(color)[u] += change;
        }
        __syncthreads();
    }
};

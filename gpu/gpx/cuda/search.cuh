// Tabu search in a block: the rule of gpu/tabu_search/cpu.py, to the last bit. Each warp has
// vertices of its own, and all that is known of them; warps exchange only what they would do, at
// two barriers a move.
//
// Neighbours by color are kept color by color: a move changes two rows of that table, which all
// threads do at once, four vertices in a word. The highest bit of an entry bars the color: the
// vertex has it, or it is tabu. So the least entry of a vertex is its best move. Of each vertex a
// bound of it is known, which only decreases follow. Columns are read where the bound says that
// the best move of all may be, which must be done there anyway because of the lots.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"

typedef unsigned short Color;

constexpr unsigned NO_MOVE = ~0u;

// A random number for each move and color, which decides on ties; as gpu/tabu_search/cpu.py has it.
INLINE unsigned lot(unsigned vertex, unsigned color, unsigned salt) {
    unsigned mixed = ((vertex << 16 | color) ^ salt) * 0x9E3779B1u;
    mixed = (mixed ^ mixed >> 15) * 0x85EBCA77u;
    return mixed >> 16;
}

// Several counts in a word: numbers below NONE, and a bit above them.
template <int FIELDS>
struct Fields {
    static constexpr int BITS = 32 / FIELDS;
    static constexpr unsigned ALL = (1ull << BITS) - 1;  // of one field
    static constexpr unsigned ONES = ~0u / ALL;          // 1 in each
    static constexpr unsigned BAR = 1u << (BITS - 1);    // of one field
    static constexpr unsigned BARS = ONES * BAR;
    static constexpr unsigned NONE = BAR - 1;

    INLINE static unsigned get(unsigned word, int field) { return word >> BITS * field & ALL; }
    INLINE static unsigned with(unsigned word, int field, unsigned value) {
        return (word & ~(ALL << BITS * field)) | value << BITS * field;
    }
    INLINE static unsigned bar(int field) { return BAR << BITS * field; }
    // 1 in each field whose bit is set.
    INLINE static unsigned of_bits(unsigned bits) {
        if constexpr (FIELDS == 4) return (bits & 15u) * 0x00204081u & ONES;
        return (bits & 1u) | (bits & 2u) << 15;
    }
    // 1 in each field whose vertex has the color that both halves of `twice` are.
    INLINE static unsigned of_color(const unsigned* pairs, unsigned twice) {
        unsigned other = (pairs[0] ^ twice) + 0x7fff7fffu;
        if constexpr (FIELDS == 4)
            other = __byte_perm(other, (pairs[1] ^ twice) + 0x7fff7fffu, 0x7531);
        return ~other >> (BITS - 1) & ONES;
    }
    // The bars of fields that are 0.
    INLINE static unsigned zeros(unsigned word) {
        return ~(((word & ~BARS) + (BARS - ONES)) | word) & BARS;
    }
    // The bars of fields in which a number is below the other one; neither has a bar.
    INLINE static unsigned below(unsigned word, unsigned other) {
        return ((other | BARS) - word - ONES) & BARS;
    }
    // All bits of the fields that have a bar.
    INLINE static unsigned filled(unsigned bars) { return (bars >> (BITS - 1)) * ALL; }
    INLINE static unsigned least(unsigned word) {
        unsigned low = min(word & ALL, word >> (32 - BITS));
        if constexpr (FIELDS == 4) low = min(low, min(get(word, 1), get(word, 2)));
        return low;
    }
};

constexpr unsigned DRAWN = 4 * LANES;  // random words that are drawn at once

// What warps tell one another.
struct SearchVote {
    // Of each warp: the least that a move changes, and how many vertices are in conflict.
    uint2 gains[SEARCH_THREADS / LANES];
    // Of each warp's best move: its lot and vertex; the next color, and the one that it leaves.
    uint2 moves[SEARCH_THREADS / LANES];
    uint4 words[LANES];  // random, for four moves each
};

// When colors cease to be tabu: a ring of lists, by the number of the move.
struct SearchRing {
    unsigned* entries;  // vertex, and color above it; DEAD if it does not count any more
    Color* heads;
    Color* links;
    unsigned mask;
};

template <int OWN, int FIELDS, bool FAR>
struct TabuBlock {
    typedef Fields<FIELDS> F;
    // Whether colors are remembered that a column was read for: that costs more than it saves where
    // columns are near.
    static constexpr bool REMEMBERS = FAR;
    static constexpr int PAIRS = FIELDS / 2;

    const unsigned* adjacency;
    int n, row, words, stride,
        near;  // stride: words of a row of counts; near: rows in shared memory
    unsigned* counts;
    unsigned* far;
    unsigned* twos;  // of each vertex: the free colors that have the fewest neighbours, if known
    SearchRing ring;
    SearchVote& vote;
    Seed seed;
    unsigned ant, spread;
    int thread, threads, lane, warp, warps;
    unsigned pairs[OWN][PAIRS];  // colors, two in a word
    unsigned own[OWN];           // neighbours of the same color
    // No color that is free has fewer neighbours than this, and no color that is tabu has fewer
    // than that. Where a bound is too low, this is found out when it would decide on a move.
    unsigned least_free[OWN], least_tabu[OWN];
    unsigned known[OWN];  // bars of vertices whose bound is right, and has one or two known colors
    unsigned colors = 0, time = 0, fewest = 0, conflicts = 0;
    unsigned wrong = 0;  // vertices in conflict, before the last move
    bool saved = false;  // whether the coloring with the fewest conflicts is in memory

    INLINE int word_at(int i) const { return thread + i * threads; }
    INLINE unsigned* row_at(unsigned color) const {
        if constexpr (FAR)
            if (int(color) >= near) return far + static_cast<long long>(int(color) - near) * stride;
        return counts + int(color) * stride;
    }
    // The entry of a vertex in a row.
    INLINE static unsigned entry(const unsigned* row_of_color, unsigned v) {
        if constexpr (FIELDS == 4) return reinterpret_cast<const unsigned char*>(row_of_color)[v];
        return reinterpret_cast<const unsigned short*>(row_of_color)[v];
    }
    INLINE unsigned near_bits(int v, int word) const {
        constexpr unsigned WORDS = LANES / FIELDS;
        return __ldg(adjacency + (unsigned(v) * unsigned(row) + unsigned(word) / WORDS)) >>
               unsigned(word) % WORDS * FIELDS;
    }
    INLINE unsigned color_of(int i, int field) const {
        // Not by an index, which would move all colors to memory.
        unsigned pair = pairs[i][0];
        if constexpr (FIELDS == 4) pair = field & 2 ? pairs[i][1] : pair;
        return pair >> 16 * (field & 1) & 0xffffu;
    }
    INLINE void set_color(int i, int field, unsigned color) {
        UNROLL for (int p = 0; p < PAIRS; ++p) {
            unsigned half = p == field >> 1 ? 0xffffu << 16 * (field & 1) : 0;
            pairs[i][p] = (pairs[i][p] & ~half) | (color * 0x10001u & half);
        }
    }
    // Copies the coloring to memory, or from there.
    INLINE void write(Color* coloring) const {
        UNROLL for (int i = 0; i < OWN; ++i)
            UNROLL for (int p = 0; p < PAIRS;
                        ++p) if (word_at(i) <
                                 words) reinterpret_cast<unsigned*>(coloring)[word_at(i) * PAIRS +
                                                                              p] = pairs[i][p];
    }
    INLINE void read(const Color* coloring) {
        UNROLL for (int i = 0; i < OWN; ++i) UNROLL for (int p = 0; p < PAIRS; ++p) pairs[i][p] =
            word_at(i) < words ? reinterpret_cast<const unsigned*>(coloring)[word_at(i) * PAIRS + p]
                               : LOOSE * 0x10001u;
    }

    // Counts everything from a coloring in memory, all of whose vertices below n have a color below
    // `count`, or none; those get, in ascending order, the color that the fewest neighbours have.
    // All threads call this together.
    INLINE void build(Color* coloring, unsigned count) {
        colors = count;
        __syncthreads();
        draw();
        read(coloring);
        for (unsigned c = 0; c < colors; ++c)
            UNROLL for (int i = 0; i < OWN; ++i) if (word_at(i) < words) row_at(c)[word_at(i)] = 0;
        for (unsigned i = thread; i <= ring.mask; i += threads) ring.heads[i] = NO_ENTRY;
        UNROLL for (int i = 0; i < OWN; ++i) {
            own[i] = known[i] = 0, least_free[i] = least_tabu[i] = F::ONES * F::NONE;
        }
        for (int v = 0; v < n; ++v) {
            unsigned color = coloring[v];
            if (color != LOOSE) count_in(v, color);
        }
        for (int v = 0; v < n; ++v)
            if (coloring[v] == LOOSE) settle(v);
        __syncthreads();
        write(coloring);
        unsigned sum = 0;
        UNROLL for (int i = 0; i < OWN; ++i) {
            if (word_at(i) >= words) continue;
            for (int field = 0; field < FIELDS; ++field) {
                if (word_at(i) * FIELDS + field >= n) continue;
                unsigned* at = row_at(color_of(i, field)) + word_at(i);
                own[i] = F::with(own[i], field, F::get(*at, field));
                sum += F::get(*at, field);
                *at |= F::bar(field);
            }
            find_bounds(i);
        }
        conflicts = fewest = total(sum) / 2;
        __syncwarp();
        saved = false;
    }

    // Goes on with a search whose coloring has `count` colors, and whose counts and ring are there
    // as they were. The coloring with the fewest conflicts is in memory. All threads call this
    // together.
    INLINE void resume(const Color* coloring, unsigned count, unsigned least) {
        colors = count;
        __syncthreads();
        draw();
        read(coloring);
        unsigned sum = 0;
        UNROLL for (int i = 0; i < OWN; ++i) {
            own[i] = known[i] = 0, least_free[i] = least_tabu[i] = F::ONES * F::NONE;
            if (word_at(i) >= words) continue;
            for (int field = 0; field < FIELDS; ++field) {
                if (word_at(i) * FIELDS + field >= n) continue;
                unsigned v = word_at(i) * FIELDS + field;
                unsigned count_there = entry(row_at(color_of(i, field)), v) & F::NONE;
                own[i] = F::with(own[i], field, count_there);
                sum += count_there;
            }
            find_bounds(i);
        }
        conflicts = total(sum) / 2;
        fewest = least;
        saved = true;
        __syncwarp();
    }

    // Makes the best move, or none if all are tabu. `coloring` gets that with the fewest conflicts
    // before it is left.
    INLINE void move(Color* coloring) {
        if (time % DRAWN == 0) draw();
        unsigned now = time++, salt, tenure;
        int missing = int(conflicts - fewest), gain;
        Expiring expiring;
        uint2 best;
        do {
            unsigned change[OWN];
            uint2 mine = make_uint2(F::ALL, 0);
            UNROLL for (int i = 0; i < OWN; ++i) {
                change[i] = weigh(i, missing, mine.y);
                mine.x = i == 0 ? F::least(change[i]) : min(mine.x, F::least(change[i]));
            }
            mine.x = warp_min(mine.x), mine.y = warp_total(mine.y);
            uint2 all = mine;
            if (warps > 1) {
                if (lane == 0) vote.gains[warp] = mine;
                __syncthreads();
                all = lane < warps ? vote.gains[lane] : make_uint2(F::ALL, 0);
                all.x = warp_min(all.x), all.y = warp_total(all.y);
            } else
                __syncwarp();
            wrong = all.y;
            salt = reinterpret_cast<const unsigned*>(vote.words)[now % DRAWN];
            expiring.next = ring.heads[time & ring.mask];
            if (all.x == F::ALL) {
                meet();
                follow(expiring);
                release(expiring);
                if (thread == 0) ring.heads[now & ring.mask] = NO_ENTRY;
                return;
            }
            gain = int(all.x) - int(F::BAR);
            best = make_uint2(NO_MOVE, ~0u);
            if (mine.x == all.x) {
                best = choose(change, all.x, gain < -missing ? F::NONE : F::ALL, salt);
                unsigned least = warp_min(best.x), same = __ballot_sync(ALL_LANES, best.x == least);
                if (same & (same - 1)) {
                    unsigned code = warp_min(best.x == least ? best.y : ~0u);
                    same = __ballot_sync(ALL_LANES, best.x == least && best.y == code);
                }
                if (warps == 1) {
                    best.x = least;
                    best.y = __shfl_sync(ALL_LANES, best.y, 31 - __clz(same));
                } else if (same >> lane == 1)
                    vote.moves[warp] = best;
            } else if (lane == 0)
                vote.moves[warp] = best;
            follow(expiring);
            tenure = __umulhi(salt, spread) + 3 * wrong / 5;
            if (warps > 1) {
                __syncthreads();
                best = lane < warps ? vote.moves[lane] : make_uint2(NO_MOVE, ~0u);
                unsigned least = warp_min(best.x);
                unsigned holder = __ballot_sync(ALL_LANES, best.x == least);
                best = make_uint2(least, __shfl_sync(ALL_LANES, best.y, 31 - __clz(holder)));
            }
        } while (best.x == NO_MOVE);
        if (gain >= 0 && conflicts == fewest && !saved) keep(coloring);
        recolor(best.x & 0xffffu, best.y & 0xffffu, best.y >> 16, now, tenure, gain < -missing,
                expiring);
        conflicts += gain;
        if (conflicts < fewest) {
            fewest = conflicts;
            saved = false;
        }
    }

    // The coloring with the fewest conflicts is in memory after this.
    INLINE void keep(Color* coloring) {
        if (!saved) write(coloring);
        saved = true;
    }

  private:
    // Entries of the ring on the way: the one that is due, and the place of that which follows.
    struct Expiring {
        unsigned code = DEAD, next = NO_ENTRY;
    };

    // Draws the random words of the moves from a multiple of DRAWN on.
    INLINE void draw() {
        if (warp == 0) vote.words[lane] = philox(seed, time / DRAWN * LANES + lane, ant, 0, TABU);
    }

    INLINE void meet() const {
        if (warps > 1)
            __syncthreads();
        else
            __syncwarp();
    }

    INLINE unsigned total(unsigned mine) {
        mine = warp_total(mine);
        if (warps == 1) return mine;
        __syncthreads();
        if (lane == 0) vote.gains[warp].y = mine;
        __syncthreads();
        mine = warp_total(lane < warps ? vote.gains[lane].y : 0);
        __syncthreads();
        return mine;
    }

    INLINE void find_bounds(int i) {
        for (unsigned c = 0; c < colors; ++c) {
            unsigned there = row_at(c)[word_at(i)], count = there & ~F::BARS;
            unsigned lower = F::filled(F::below(count, least_free[i]) & ~there);
            least_free[i] ^= (least_free[i] ^ count) & lower;
            lower = F::filled(F::below(count, least_tabu[i]) & there);
            least_tabu[i] ^= (least_tabu[i] ^ count) & lower;
        }
    }

    INLINE void count_in(int v, unsigned color) {
        unsigned* row_of_color = row_at(color);
        UNROLL for (int i = 0; i < OWN; ++i) if (word_at(i) < words) row_of_color[word_at(i)] +=
            F::of_bits(near_bits(v, word_at(i)));
    }

    // Gives a vertex the color that the fewest neighbours have, of equals the lowest.
    INLINE void settle(int v) {
        int word = v / FIELDS, holder = word % threads;
        __syncthreads();
        unsigned key = ~0u;
        if (warp == holder / LANES)
            for (unsigned c = lane; c < colors; c += LANES)
                key = min(key, entry(row_at(c), v) << 16 | c);
        key = warp_min(key);
        if (warp == holder / LANES && lane == 0) vote.moves[0].x = key;
        __syncthreads();
        unsigned color = vote.moves[0].x & 0xffffu;
        count_in(v, color);
        UNROLL for (int i = 0; i < OWN; ++i) if (word_at(i) == word)
            set_color(i, v % FIELDS, color);
    }

    // The least that a move of each own vertex may change, plus BAR; ALL where there is none.
    INLINE unsigned weigh(int i, int missing, unsigned& conflicting) const {
        unsigned bad = (own[i] + (F::BARS - F::ONES)) & F::BARS, low = least_free[i];
        conflicting += __popc(bad);
        if (missing < int(F::NONE)) {
            // A tabu color may lead to fewer conflicts than ever.
            unsigned over = (own[i] | F::BARS) - least_tabu[i];
            over &= ((over & ~F::BARS) + (F::NONE - missing) * F::ONES) &
                    F::below(least_tabu[i], least_free[i]);
            low ^= (low ^ least_tabu[i]) & F::filled(over);
        }
        return ((low | F::BARS) - own[i]) | F::filled(((low + F::ONES) | ~bad) & F::BARS);
    }

    // The best of the lane's moves that change as much: the one with the lowest lot. If no lane has
    // one, no bound that promised such a move was right.
    INLINE uint2 choose(const unsigned* change, unsigned low, unsigned counted, unsigned salt) {
        uint2 best = make_uint2(NO_MOVE, ~0u);
        UNROLL for (int i = 0; i < OWN; ++i) {
            unsigned equal = F::zeros(change[i] ^ low * F::ONES);
            for (unsigned asking; (asking = __ballot_sync(ALL_LANES, equal != 0)) != 0;) {
                // What other lanes must know of the lane's vertex.
                unsigned bit = 31 - __clz(equal | 1), field = bit / F::BITS;
                equal &= ~(1u << bit);
                unsigned v = word_at(i) * FIELDS + field;
                unsigned its = color_of(i, field) << 16 | (low + F::get(own[i], field) - F::BAR);
                unsigned wrong_bounds = 0;
                if (REMEMBERS && counted == F::ALL) {
                    bool ready = (asking & 1u << lane) != 0 && (known[i] >> bit & 1) != 0;
                    if (ready) {
                        unsigned two = twos[v];
                        consider(v, two & 0xffffu, its >> 16, salt, best);
                        consider(v, two >> 16, its >> 16, salt, best);
                    }
                    asking &= ~__ballot_sync(ALL_LANES, ready);
                }
                while (asking) {  // two at a time, so that less time is spent waiting
                    int one = 31 - __clz(asking);
                    asking ^= 1u << one;
                    int other = asking ? 31 - __clz(asking) : one;
                    asking &= ~(1u << other);
                    Column first{__shfl_sync(ALL_LANES, v, one), __shfl_sync(ALL_LANES, its, one)};
                    Column second{__shfl_sync(ALL_LANES, v, other),
                                  __shfl_sync(ALL_LANES, its, other)};
                    look(first, second, counted, salt, best);
                    if constexpr (REMEMBERS) {
                        unsigned colors_of_one = two_of(first.found);
                        unsigned colors_of_other = two_of(second.found);
                        if (!colors_of_one) wrong_bounds |= 1u << one;
                        if (!colors_of_other) wrong_bounds |= 1u << other;
                        unsigned two = lane == one ? colors_of_one : colors_of_other;
                        if ((lane == one || lane == other) && counted == F::ALL && two &&
                            two < MANY) {
                            twos[v] = two - 0x10001u;
                            known[i] |= 1u << bit;
                        }
                    } else {
                        if (!__any_sync(ALL_LANES, first.found != 0)) wrong_bounds |= 1u << one;
                        if (!__any_sync(ALL_LANES, second.found != 0)) wrong_bounds |= 1u << other;
                    }
                }
                if (wrong_bounds >> lane & 1) raise(i, field, its & F::ALL, counted);
            }
        }
        return best;
    }

    // What a warp looks for in the column of a vertex.
    struct Column {
        unsigned v, card;  // the vertex; its color, and below that the number that is wanted
        // Whether this lane has found any; if they are remembered, the color plus 1, or MANY >> 16.
        unsigned found = 0;
    };
    static constexpr unsigned MANY = 0x7fff0000u;  // instead of colors, if there are too many

    // The one color, or both, that a warp has found, each plus 1; or MANY; 0 if there is none.
    INLINE unsigned two_of(unsigned found) const {
        unsigned whose = __ballot_sync(ALL_LANES, found != 0);
        if (!whose) return 0;
        int low = __ffs(whose) - 1, high = 31 - __clz(whose);
        unsigned two = __shfl_sync(ALL_LANES, found, low) | __shfl_sync(ALL_LANES, found, high)
                                                                << 16;
        return __popc(whose) <= 2 && two < MANY && (two & 0xffffu) != MANY >> 16 ? two : MANY;
    }

    INLINE static void consider(unsigned v, unsigned to, unsigned from, unsigned salt,
                                uint2& best) {
        uint2 move = make_uint2(lot(v, to, salt) << 16 | v, to << 16 | from);
        if (move.x < best.x || (move.x == best.x && move.y < best.y)) best = move;
    }

    // Looks through the columns of two vertices for the moves that are wanted.
    static constexpr unsigned READ = FAR ? 4 : 3;  // entries of a column that a lane reads at once
    INLINE void look(Column& first, Column& second, unsigned counted, unsigned salt,
                     uint2& best) const {
        unsigned end = FAR ? min(colors, unsigned(near)) : colors;
        look_in(counts, 0, end, first, second, counted, salt, best);
        if constexpr (FAR) look_in(far, end, colors, first, second, counted, salt, best);
    }
    INLINE void look_in(const unsigned* rows, unsigned begin, unsigned end, Column& first,
                        Column& second, unsigned counted, unsigned salt, uint2& best) const {
#pragma unroll 1
        for (unsigned from = begin; from < end; from += READ * LANES) {
            unsigned there[READ], other[READ], hits = 0;
            UNROLL for (unsigned r = 0; r < READ; ++r) {
                const unsigned* at =
                    rows + (min(from + r * LANES + lane, end - 1) - begin) * stride;
                there[r] = entry(at, first.v), other[r] = entry(at, second.v);
            }
            UNROLL for (unsigned r = 0; r < READ; ++r) {
                if (((there[r] ^ first.card) & counted) == 0) hits |= 1u << 2 * r;
                if (((other[r] ^ second.card) & counted) == 0) hits |= 2u << 2 * r;
            }
            if constexpr (!REMEMBERS) {
                first.found |= hits & 0x55555555u;
                second.found |= hits & 0xaaaaaaaau;
            }
            while (hits) {
                unsigned bit = 31 - __clz(hits);
                hits ^= 1u << bit;
                unsigned c = min(from + bit / 2 * LANES + lane, end - 1);
                bool is_first = (bit & 1) == 0;
                consider(is_first ? first.v : second.v, c,
                         (is_first ? first.card : second.card) >> 16, salt, best);
                if constexpr (REMEMBERS) {
                    if (is_first)
                        first.found = first.found ? MANY >> 16 : c + 1;
                    else
                        second.found = second.found ? MANY >> 16 : c + 1;
                }
            }
        }
    }

    // Raises the bounds of a vertex that promised a move which there is not.
    INLINE void raise(int i, unsigned field, unsigned wanted, unsigned counted) {
        unsigned more = 1u << field * F::BITS;
        if (F::get(least_free[i], field) == wanted) least_free[i] += more;
        if (counted == F::NONE && F::get(least_tabu[i], field) == wanted) least_tabu[i] += more;
    }

    // Reads the next entry of a list of the ring.
    INLINE void follow(Expiring& expiring) const {
        unsigned at = expiring.next;
        expiring.code = at != NO_ENTRY ? ring.entries[at] : DEAD;
        if (at != NO_ENTRY) expiring.next = ring.links[at];
    }

    // Colors that cease to be tabu before the next move.
    INLINE void release(Expiring expiring) {
        for (;; follow(expiring)) {
            unsigned code = expiring.code, v = code & 0xffff;
            UNROLL for (int i = 0; i < OWN; ++i) {
                if (word_at(i) != int(v / FIELDS)) continue;
                unsigned* there = row_at(code >> 16) + word_at(i);
                unsigned free = *there & ~F::bar(v % FIELDS), count = F::get(free, v % FIELDS);
                *there = free;
                if (count > F::get(least_free[i], v % FIELDS)) continue;
                least_free[i] = F::with(least_free[i], v % FIELDS, count);
                known[i] &= ~F::bar(v % FIELDS);
            }
            if (expiring.next == NO_ENTRY) break;
        }
    }

    INLINE void recolor(unsigned v, unsigned from, unsigned to, unsigned now, unsigned tenure,
                        bool aspired, const Expiring& expiring) {
        unsigned bits[OWN];
        UNROLL for (int i = 0; i < OWN; ++i) bits[i] =
            word_at(i) < words ? near_bits(v, word_at(i)) : 0;
        release(expiring);
        if (thread == 0) ring.heads[now & ring.mask] = NO_ENTRY;
        bool revived = false;
        unsigned* row_from = row_at(from);
        unsigned* row_to = row_at(to);
        UNROLL for (int i = 0; i < OWN; ++i) {
            int word = word_at(i);
            if (word >= words) continue;
            unsigned with = F::of_bits(bits[i]), near_bars = with << (F::BITS - 1);
            unsigned before = row_from[word], there = row_to[word], left = before - with;
            unsigned less = left & ~F::BARS, was = own[i], next = there + with;
            if constexpr (REMEMBERS) {
                unsigned bound = least_free[i] | F::BARS;  // where it is not below what is there
                known[i] &= ~(((bound - less) & ~before & near_bars) |
                              ((bound - (there & ~F::BARS)) & ~there & near_bars));
            }
            least_free[i] -= (F::below(less, least_free[i]) & ~before & near_bars) >> (F::BITS - 1);
            least_tabu[i] -= (F::below(less, least_tabu[i]) & before & near_bars) >> (F::BITS - 1);
            own[i] += (with & F::of_color(pairs[i], to * 0x10001u)) -
                      (with & F::of_color(pairs[i], from * 0x10001u));
            if (word == int(v / FIELDS)) {
                // The vertex itself has no neighbour there, nor has what it leaves.
                unsigned field = v % FIELDS, whole = F::ALL << F::BITS * field;
                unsigned bar = F::bar(field);
                revived = (there & bar) != 0;
                own[i] = (own[i] & ~whole) | (there & whole & ~bar);
                set_color(i, field, to);
                known[i] &= ~bar;
                next |= bar;
                unsigned count = was & whole;
                if (tenure == 0) {
                    left &= ~bar;
                    if (count < (least_free[i] & whole))
                        least_free[i] = (least_free[i] & ~whole) | count;
                } else if (count < (least_tabu[i] & whole))
                    least_tabu[i] = (least_tabu[i] & ~whole) | count;
            }
            row_from[word] = left;
            row_to[word] = next;
        }
        if (thread == threads - 1 && tenure > 0) {
            unsigned place = now & ring.mask, end = (now + 1 + tenure) & ring.mask;
            ring.entries[place] = v | from << 16;
            ring.links[place] = ring.heads[end];
            ring.heads[end] = Color(place);
        }
        // What was tabu and is its own now: the end of that does not count any more.
        if (aspired && __any_sync(ALL_LANES, revived))
            for (unsigned i = lane; i <= ring.mask; i += LANES)
                if (i != (now & ring.mask) && ring.entries[i] == (v | to << 16))
                    ring.entries[i] = DEAD;
        __syncwarp();
    }
};

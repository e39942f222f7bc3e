// Tabu search in a block: the rule of gpu/tabu_search/cpu.py, to the last bit. Each warp has
// vertices of its own, and all that is known of them; warps exchange only what they would do, at
// two barriers a move.
//
// Neighbours by color are kept color by color: a move changes two rows of that table, which all
// threads do at once, four vertices in a word. The highest bit of an entry bars the color: the
// vertex has it, or it is tabu. So the least entry of a vertex is its best move; it is known of
// each vertex, and looked for again where a move has spoilt it.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"
#include "gpu/cuda/kernels/random.cuh"
#include "kernels.py"

typedef unsigned short Color;

constexpr Color LOOSE = 0x7fff;  // the color of a vertex that has none
constexpr unsigned long long NO_MOVE = ~0ull;
constexpr unsigned NO_ENTRY = 0xffff, DEAD = ~0u;

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
    INLINE static unsigned least(unsigned word) {
        unsigned low = min(word & ALL, word >> (32 - BITS));
        if constexpr (FIELDS == 4) low = min(low, min(get(word, 1), get(word, 2)));
        return low;
    }
};

// What warps tell one another.
struct SearchVote {
    unsigned long long keys[LANES];  // of each warp's best move: lot, vertex, color
    unsigned from[LANES];            // the color that its vertex leaves
    unsigned gains[LANES], conflicting[LANES];
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
    static constexpr int PAIRS = FIELDS / 2;

    const unsigned* adjacency;
    int n, row, words, stride,
        near;  // stride: words of a row of counts; near: rows in shared memory
    unsigned* counts;
    unsigned* far;
    SearchRing ring;
    SearchVote& vote;
    Seed seed;
    unsigned ant, spread;
    int thread, threads, lane, warp, warps;
    unsigned pairs[OWN][PAIRS];  // colors, two in a word
    unsigned own[OWN], best[OWN], least_tabu[OWN], stale[OWN];
    unsigned colors = 0, time = 0, fewest = 0, conflicts = 0;
    unsigned wrong = 0;  // vertices in conflict, before the last move
    bool saved = false;  // whether the coloring with the fewest conflicts is in memory
    uint4 drawn;         // random words of four moves a lane
    unsigned drawn_from = 1;

    INLINE int word_at(int i) const { return thread + i * threads; }
    INLINE unsigned* row_at(unsigned color) const {
        if constexpr (FAR)
            if (int(color) >= near) return far + static_cast<long long>(int(color) - near) * stride;
        return counts + int(color) * stride;
    }
    INLINE unsigned entry(unsigned color, int word, int field) const {
        const unsigned* at = row_at(color) + word;
        if constexpr (FIELDS == 4) return reinterpret_cast<const unsigned char*>(at)[field];
        return reinterpret_cast<const unsigned short*>(at)[field];
    }
    INLINE unsigned near_bits(int v, int word) const {
        constexpr int WORDS = LANES / FIELDS;
        return __ldg(&adjacency[static_cast<long long>(v) * row + word / WORDS]) >>
               word % WORDS * FIELDS;
    }
    INLINE unsigned color_of(int i, int field) const {
        // Not by an index, which would move all colors to memory.
        unsigned pair = pairs[i][0];
        if constexpr (FIELDS == 4) pair ^= (pair ^ pairs[i][1]) & (0u - unsigned(field >> 1));
        return field & 1 ? pair >> 16 : pair & 0xffffu;
    }
    INLINE void set_color(int i, int field, unsigned color) {
        UNROLL for (int p = 0; p < PAIRS; ++p) {
            unsigned half = p == field >> 1 ? 0xffffu << 16 * (field & 1) : 0;
            pairs[i][p] = (pairs[i][p] & ~half) | (color * 0x10001u & half);
        }
    }
    INLINE void meet() const {
        if (warps > 1)
            __syncthreads();
        else
            __syncwarp();
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
        read(coloring);
        for (unsigned c = 0; c < colors; ++c)
            UNROLL for (int i = 0; i < OWN; ++i) if (word_at(i) < words) row_at(c)[word_at(i)] = 0;
        for (unsigned i = thread; i <= ring.mask; i += threads) ring.heads[i] = NO_ENTRY;
        UNROLL for (int i = 0; i < OWN; ++i) {
            own[i] = 0, best[i] = 0, least_tabu[i] = F::ONES * F::NONE, stale[i] = F::BARS;
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
        read(coloring);
        unsigned sum = 0;
        UNROLL for (int i = 0; i < OWN; ++i) {
            own[i] = 0, best[i] = 0, least_tabu[i] = 0, stale[i] = F::BARS;
            if (word_at(i) >= words) continue;
            for (int field = 0; field < FIELDS; ++field) {
                if (word_at(i) * FIELDS + field >= n) continue;
                unsigned count_there = entry(color_of(i, field), word_at(i), field) & F::NONE;
                own[i] = F::with(own[i], field, count_there);
                sum += count_there;
            }
        }
        conflicts = total(sum) / 2;
        fewest = least;
        saved = true;
        __syncwarp();
    }

    // Makes the best move, or none if all are tabu. `coloring` gets that with the fewest conflicts
    // before it is left.
    INLINE void move(Color* coloring) {
        unsigned salt = next_word();
        int missing = int(conflicts - fewest);
        unsigned change[OWN];
        unsigned low = F::ALL, conflicting = 0;
        UNROLL for (int i = 0; i < OWN; ++i) {
            change[i] = weigh(i, missing, conflicting);
            low = min(low, F::least(change[i]));
        }
        unsigned mine = warp_min(low);
        conflicting = warp_total(conflicting);
        low = mine;
        if (warps > 1) {
            if (lane == 0) vote.gains[warp] = mine, vote.conflicting[warp] = conflicting;
            __syncthreads();
            low = warp_min(lane < warps ? vote.gains[lane] : F::ALL);
            conflicting = warp_total(lane < warps ? vote.conflicting[lane] : 0);
        }
        wrong = conflicting;
        unsigned now = time++;
        if (low == F::ALL) {
            meet();
            end_tabu();
            if (thread == 0) ring.heads[now & ring.mask] = NO_ENTRY;
            return;
        }
        int gain = int(low) - int(F::BAR);
        unsigned from = 0;
        unsigned long long key = NO_MOVE;
        if (mine == low) key = choose(change, low, gain < -missing ? F::NONE : F::ALL, salt, from);
        if (warps > 1) {
            if (lane == 0) vote.keys[warp] = key, vote.from[warp] = from;
            __syncthreads();
            unsigned long long theirs = lane < warps ? vote.keys[lane] : NO_MOVE;
            unsigned left = lane < warps ? vote.from[lane] : 0;
            key = warp_least(theirs);
            from = __shfl_sync(ALL_LANES, left, __ffs(__ballot_sync(ALL_LANES, theirs == key)) - 1);
        } else
            __syncwarp();
        if (gain >= 0 && conflicts == fewest && !saved) keep(coloring);
        recolor(unsigned(key) >> 16, from, unsigned(key) & 0xffffu, now,
                __umulhi(salt, spread) + 3 * conflicting / 5);
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
    // A random word for each move; every lane draws those of four.
    INLINE unsigned next_word() {
        unsigned block = time >> 2;
        if (drawn_from != block / LANES * LANES) {
            drawn_from = block / LANES * LANES;
            drawn = philox(seed, drawn_from + lane, ant, 0, TABU);
        }
        return __shfl_sync(ALL_LANES, word_of(drawn, time & 3), block % LANES);
    }

    INLINE unsigned total(unsigned mine) {
        mine = warp_total(mine);
        if (warps == 1) return mine;
        __syncthreads();
        if (lane == 0) vote.conflicting[warp] = mine;
        __syncthreads();
        mine = warp_total(lane < warps ? vote.conflicting[lane] : 0);
        __syncthreads();
        return mine;
    }

    INLINE void count_in(int v, unsigned color) {
        unsigned* row_of_color = row_at(color);
        UNROLL for (int i = 0; i < OWN; ++i) if (word_at(i) < words) row_of_color[word_at(i)] +=
            F::of_bits(near_bits(v, word_at(i)));
    }

    // Gives a vertex the color that the fewest neighbours have, of equals the lowest.
    INLINE void settle(int v) {
        int word = v / FIELDS, field = v % FIELDS, holder = word % threads;
        __syncthreads();
        unsigned key = ~0u;
        if (warp == holder / LANES)
            for (unsigned c = lane; c < colors; c += LANES)
                key = min(key, entry(c, word, field) << 16 | c);
        key = warp_min(key);
        if (warp == holder / LANES && lane == 0) vote.from[0] = key;
        __syncthreads();
        unsigned color = vote.from[0] & 0xffffu;
        count_in(v, color);
        UNROLL for (int i = 0; i < OWN; ++i) if (word_at(i) == word) set_color(i, field, color);
    }

    // Shows the entries of a vertex to `look`: colors and entries, each lane others. All lanes call
    // this together.
    static constexpr int READ = 4;  // entries that a lane reads at once
    template <class Look>
    INLINE void each_entry(int word, int field, Look look) const {
        int end = int(colors);
        if constexpr (FAR) {
            end = min(end, near);
            entries_of(far, end, int(colors), word, field, look);
        }
        entries_of(counts, 0, end, word, field, look);
    }
    template <class Look>
    INLINE void entries_of(const unsigned* rows, int first, int end, int word, int field,
                           Look look) const {
        const unsigned* at = rows + lane * stride + word;
        int step = LANES * stride;
        for (int from = first; from < end; from += READ * LANES) {
            unsigned there[READ];
            UNROLL for (int s = 0; s < READ; ++s, at += step) {
                there[s] = F::ALL;
                if (from + lane + s * LANES >= end) continue;
                if constexpr (FIELDS == 4)
                    there[s] = reinterpret_cast<const unsigned char*>(at)[field];
                else
                    there[s] = reinterpret_cast<const unsigned short*>(at)[field];
            }
            UNROLL for (int s = 0; s < READ; ++s) look(unsigned(from + lane + s * LANES), there[s]);
        }
    }

    // The least entry of a vertex: of colors that are free, or of those that are tabu. All lanes
    // call this. Beyond the last color, entries are ALL, which changes neither.
    INLINE unsigned least_free(int word, int field) const {
        unsigned low = F::NONE;
        each_entry(word, field, [&](unsigned, unsigned there) { low = min(low, there); });
        return warp_min(low);
    }
    INLINE unsigned least_barred(int word, int field, unsigned but) const {
        unsigned low = F::NONE;
        each_entry(word, field, [&](unsigned c, unsigned there) {
            if (there >= F::BAR && c != but) low = min(low, there - F::BAR);
        });
        return warp_min(low);
    }

    // What the best move of each own vertex would change, plus BAR; ALL where there is none.
    INLINE unsigned weigh(int i, int missing, unsigned& conflicting) {
        unsigned bad = (own[i] + (F::BARS - F::ONES)) & F::BARS;
        conflicting += __popc(bad);
        unsigned wanted = bad & stale[i];
        for (unsigned asking = __ballot_sync(ALL_LANES, wanted != 0); asking;) {
            int place = __ffs(asking) - 1, field;
            unsigned bits = take(wanted, place, field);
            unsigned low = least_free(word_at(i) - lane + place, field);
            if (lane == place) best[i] = F::with(best[i], field, low);
            if (!bits) asking &= asking - 1;
        }
        stale[i] &= ~bad;
        unsigned none = ((best[i] + F::ONES) | ~bad) & F::BARS;
        unsigned change = ((best[i] | F::BARS) - own[i]) | (none >> (F::BITS - 1)) * F::ALL;
        if (missing >= int(F::NONE)) return change;
        // Tabu colors that may lead to fewer conflicts than ever: the least that they may have is
        // known.
        unsigned over = (own[i] | F::BARS) - least_tabu[i];
        wanted = bad & over & ((over & ~F::BARS) + (F::NONE - missing) * F::ONES) &
                 ((best[i] | F::BARS) - least_tabu[i] - F::ONES);
        for (unsigned asking = __ballot_sync(ALL_LANES, wanted != 0); asking;) {
            int place = __ffs(asking) - 1, field;
            unsigned bits = take(wanted, place, field);
            unsigned but = __shfl_sync(ALL_LANES, color_of(i, field), place);
            unsigned low = least_barred(word_at(i) - lane + place, field, but);
            if (lane == place) {
                least_tabu[i] = F::with(least_tabu[i], field, low);
                int changed = int(low) - int(F::get(own[i], field));
                if (changed < -missing && low < F::get(best[i], field))
                    change = F::with(change, field, unsigned(int(F::BAR) + changed));
            }
            if (!bits) asking &= asking - 1;
        }
        return change;
    }

    // Takes the lowest bar from the word of a lane, and says of which field it is. Returns what is
    // left there.
    INLINE unsigned take(unsigned& bars, int place, int& field) const {
        unsigned bits = __shfl_sync(ALL_LANES, bars, place);
        field = (__ffs(bits) - 1) / F::BITS;
        bits &= bits - 1;
        if (lane == place) bars = bits;
        return bits;
    }

    // The best of the warp's moves that change as much: the one with the lowest lot.
    INLINE unsigned long long choose(const unsigned* change, unsigned low, unsigned counted,
                                     unsigned salt, unsigned& from) const {
        unsigned long long key = NO_MOVE;
        UNROLL for (int i = 0; i < OWN; ++i) {
            unsigned equal = F::zeros(change[i] ^ low * F::ONES);
            for (unsigned asking = __ballot_sync(ALL_LANES, equal != 0); asking;) {
                int place = __ffs(asking) - 1, field;
                unsigned bits = take(equal, place, field);
                int word = word_at(i) - lane + place;
                unsigned v = word * FIELDS + field,
                         but = __shfl_sync(ALL_LANES, color_of(i, field), place);
                unsigned wanted =
                    low + __shfl_sync(ALL_LANES, F::get(own[i], field), place) - F::BAR;
                each_entry(word, field, [&](unsigned c, unsigned there) {
                    if ((there & counted) != wanted || c == but || c >= colors) return;
                    unsigned long long other =
                        static_cast<unsigned long long>(lot(v, c, salt)) << 32 | v << 16 | c;
                    if (other < key) key = other, from = but;
                });
                if (!bits) asking &= asking - 1;
            }
        }
        unsigned long long least = warp_least(key);
        from = __shfl_sync(ALL_LANES, from, __ffs(__ballot_sync(ALL_LANES, key == least)) - 1);
        return least;
    }

    // Colors that cease to be tabu before the next move.
    INLINE void end_tabu() {
        for (unsigned at = ring.heads[time & ring.mask]; at != NO_ENTRY; at = ring.links[at]) {
            unsigned code = ring.entries[at];
            if (code == DEAD) continue;
            int v = code & 0xffff, word = v / FIELDS, field = v % FIELDS;
            UNROLL for (int i = 0; i < OWN; ++i) {
                if (word_at(i) != word) continue;
                unsigned* there = row_at(code >> 16) + word;
                *there &= ~F::bar(field);
                if (F::get(*there, field) < F::get(best[i], field))
                    best[i] = F::with(best[i], field, F::get(*there, field));
            }
        }
    }

    INLINE void recolor(int v, unsigned from, unsigned to, unsigned now, unsigned tenure) {
        unsigned bits[OWN];
        UNROLL for (int i = 0; i < OWN; ++i) bits[i] =
            word_at(i) < words ? near_bits(v, word_at(i)) : 0;
        end_tabu();
        if (thread == 0) ring.heads[now & ring.mask] = NO_ENTRY;
        bool revived = false;
        unsigned* row_from = row_at(from);
        unsigned* row_to = row_at(to);
        UNROLL for (int i = 0; i < OWN; ++i) {
            int word = word_at(i);
            if (word >= words) continue;
            unsigned with = F::of_bits(bits[i]), near_bars = with << (F::BITS - 1);
            unsigned before = row_from[word], there = row_to[word], left = before - with;
            unsigned less = left & ~F::BARS;
            unsigned lower = ((best[i] | F::BARS) - less - F::ONES) & ~before & near_bars;
            best[i] -= lower >> (F::BITS - 1);
            lower = ((least_tabu[i] | F::BARS) - less - F::ONES) & before & near_bars;
            least_tabu[i] -= lower >> (F::BITS - 1);
            stale[i] |= ((best[i] | F::BARS) - (there & ~F::BARS)) & ~there & near_bars;
            unsigned was = own[i];
            own[i] += (with & F::of_color(pairs[i], to * 0x10001u)) -
                      (with & F::of_color(pairs[i], from * 0x10001u));
            row_from[word] = left;
            row_to[word] = there + with;
            if (word != v / FIELDS) continue;
            int field = v % FIELDS;
            unsigned count = F::get(was, field);  // of the color that it leaves
            revived = F::get(there, field) >= F::BAR;
            row_to[word] |= F::bar(field);
            own[i] = F::with(own[i], field, F::get(there, field) & F::NONE);
            set_color(i, field, to);
            stale[i] |= F::bar(field);
            if (count < F::get(least_tabu[i], field))
                least_tabu[i] = F::with(least_tabu[i], field, count);
            if (tenure == 0) {
                row_from[word] &= ~F::bar(field);
            } else {
                unsigned place = now & ring.mask, end = (now + 1 + tenure) & ring.mask;
                ring.entries[place] = unsigned(v) | from << 16;
                ring.links[place] = ring.heads[end];
                ring.heads[end] = Color(place);
            }
        }
        // What was tabu and is its own now: the end of that does not count any more.
        if (__any_sync(ALL_LANES, revived))
            for (unsigned i = lane; i <= ring.mask; i += LANES)
                if (i != (now & ring.mask) && ring.entries[i] == (unsigned(v) | to << 16))
                    ring.entries[i] = DEAD;
        __syncwarp();
    }
};

// Weighted reservoir sampling (2020, Section 4.2.2): every city draws a u of its own in (0, 1), and
// the one with the smallest -log2(u) / w wins, with a probability in proportion to its weight w.
//
// The logarithm is a fixed sequence of float32 operations, so that the CPU draws the same cities.
// Few cities need it: bounds on the keys show that most cities cannot win.
#pragma once

#include "gpu/cuda/kernels/group.cuh"
#include "gpu/cuda/kernels/random.cuh"

struct Reservoir {
    // For the u in (0, 1) that a word stands for.
    static INLINE float minus_log2(unsigned word) { return ::minus_log2(odd_share(word)); }

    // An upper bound of w / -ln(u), fast: it is at least u w / (1 - u). The quotient is looked up
    // in the bits of a float, which makes it up to 9/8 too large.
    static INLINE float floor(unsigned word, float weight) {
        float u = odd_share(word);
        float inverse = __uint_as_float(0x7f000000u - __float_as_uint(1.0f - u));
        return weight * u * inverse;  // times 8/9, which comes last
    }
};

// Says, without a logarithm, which cities cannot have a key below a known one: -log2(u) is at
// least (1 - u) / ln 2.
struct KeyLimit {
    float scale;  // a little less than 1 / (key ln 2), or 0 where no key is known

    static INLINE KeyLimit of_key(float key) { return {__fdividef(1.4426f, key)}; }

    // Of the largest Reservoir::floor().
    static INLINE KeyLimit of_floor(float floor) { return {floor * 0.8886f}; }

    // Negative, if anything, where admits() is true. A little less than 1 - u is compared:
    // rounding, and the 2^-24 that odd_share() adds, are less than what is left out.
    INLINE float beyond(unsigned word, float weight) const {
        return __fmaf_rn(-one_and_share(word), scale, scale * (2.0f - 0x1p-22f)) - weight;
    }

    // Never for a weight of 0.
    INLINE bool admits(unsigned word, float weight) const {
        return (1.0f - odd_share(word)) * scale < weight;
    }
};

// Bounds of 1 / -ln(u) that need no logarithm, for v = 1 - u: it is 1/v - 1/2 - v/12 - v^2/24 -
// ..., and what comes behind 1/2 adds up to 0 at v = 0 and to 1/2 at v = 1, less than v/2 between.
//
// A city of weight w has w / -ln(u); the one that has most wins.
struct Chance {
    float most, least;

    INLINE explicit Chance(float v)
        : most(quick_inverse(v) - 0.5f), least(__fmaf_rn(v, -0.5f, most)) {}

    // What the best city of the warp has at least, where `least` times the weight is `mine` for
    // the best of the lane: not quite so much, for products are rounded.
    static INLINE float reached(float mine) {
        return __uint_as_float(warp_max(__float_as_uint(mine))) * (1.0f - 0x1p-12f);
    }
};

// Which of COUNT cities of a lane can win.
template <int COUNT>
struct Admitted {
    unsigned words[(COUNT + 31) / 32] = {};

    INLINE bool any() const {
        bool found = words[0] != 0;
        if constexpr (COUNT > 32) found = (words[0] | words[1]) != 0;
        return found;
    }

    INLINE bool several() const {
        bool found = (words[0] & (words[0] - 1)) != 0;
        if constexpr (COUNT > 32)
            found = found || (words[1] & (words[1] - 1)) != 0 || (words[0] && words[1]);
        return found;
    }

    // Or -1.
    INLINE int first() const {
        if constexpr (COUNT > 32)
            if (words[0] == 0 && words[1]) return 31 + __ffs(words[1]);
        return __ffs(words[0]) - 1;
    }

    INLINE void leave(int k) {
        UNROLL for (int word = 0; word < (COUNT + 31) / 32; ++word) {
            if (k / 32 == word) words[word] &= ~(1u << k % 32);
        }
    }
};

// The best city that a thread has looked at.
struct Sample {
    float key;
    int city, place;

    static INLINE Sample none() { return {__uint_as_float(0x7f800000u), 0x7fffffff, 0}; }

    // Ties go to the lowest city.
    INLINE void offer(float other, int its_city, int its_place) {
        bool better = other < key || (other == key && its_city < city);
        key = better ? other : key;
        city = better ? its_city : city;
        place = better ? its_place : place;
    }

    // What the best city of the warp has at least; see Chance.
    INLINE float reached() const {
        return KeyLimit::of_key(__uint_as_float(warp_min(__float_as_uint(key)))).scale;
    }

    // The city of the best sample of the group; see Group::first_of_largest.
    template <bool MEETS = false, bool ALONE>
    INLINE int winner(const Group<ALONE>& group) const {
        float largest = __uint_as_float(0x7f800000u - __float_as_uint(key));
        return group.template first_of_largest<MEETS>(largest, city);
    }
};

// How a warp looks for the best of many cities, some of each lane at a time. Usually only one of
// them can win, and no logarithm is needed.
//
// `Cities` are those of a lane, COUNT of them: word(i) and weight(i) of the i-th, 0 if it is
// visited, roughly(i), which may be a little more, and again(i), as loaded anew where i is known
// only then; city(i) and place(i). All lanes of the warp call these.
struct Search {
    static constexpr int EIGHT = 8;
    OwnWords words;
    KeyLimit limit;  // of all that the warp has seen
    Sample best;     // of this lane
    bool keyed;      // or there is one city at most that can win, and it has no key

    // `single`: no other warp works for the ant.
    INLINE Search(const OwnWords& words_, bool single)
        : words(words_), limit{0.0f}, best(Sample::none()), keyed(!single) {}

    // Finds the keys of some cities, before the warp looks at the others.
    template <class Cities>
    INLINE void estimate(const Cities& cities) {
        float most = 0.0f;
        UNROLL for (int i = 0; i < Cities::COUNT; ++i) {
            most = fmaxf(most, Reservoir::floor(cities.word(words, i), cities.weight(i)));
        }
        limit = KeyLimit::of_floor(__uint_as_float(warp_max(__float_as_uint(most))));
    }

    // Looks at cities; `last` says that the warp has no others to look at.
    template <class Cities>
    INLINE void look(const Cities& cities, bool last) {
        constexpr int COUNT = Cities::COUNT, EIGHTS = (COUNT + EIGHT - 1) / EIGHT;
        unsigned signs[EIGHTS] = {}, any = 0;
        UNROLL for (int i = 0; i < COUNT; ++i) {
            signs[i / EIGHT] |=
                __float_as_uint(limit.beyond(cities.word(words, i), cities.roughly(i)));
        }
        UNROLL for (int eight = 0; eight < EIGHTS; ++eight) any |= signs[eight];
        if (!__any_sync(ALL_LANES, int(any) < 0)) return;
        if (COUNT > EIGHT) words.key.y = held(words.key.y);  // load again: too many to keep
        unsigned admitted = 0;
        UNROLL for (int eight = 0; eight < EIGHTS; ++eight) {
            if (EIGHTS > 1 && !__any_sync(ALL_LANES, int(signs[eight]) < 0)) continue;
            UNROLL for (int i = EIGHT * eight; i < COUNT && i < EIGHT * eight + EIGHT; ++i) {
                admitted |= limit.admits(cities.word(words, i), cities.weight(i)) ? 1u << i : 0;
            }
        }
        if (last && !keyed && only_one(admitted)) {
            if (admitted) {
                int i = __ffs(admitted) - 1;
                best.city = cities.city(i);
                best.place = cities.place(i);
            }
            return;
        }
        keyed = true;
        for (; admitted; admitted &= admitted - 1) {
            int i = __ffs(admitted) - 1, city = cities.city(i);
            float key = Reservoir::minus_log2(words.of(city)) * __frcp_rn(cities.again(i));
            best.offer(key, city, cities.place(i));
        }
        __syncwarp();
        if (last) return;
        KeyLimit now = KeyLimit::of_key(__uint_as_float(warp_min(__float_as_uint(best.key))));
        limit.scale = fmaxf(limit.scale, now.scale);
    }

    // The city that has won in the whole group.
    INLINE int winner(const Group<>& group) const {
        return keyed ? best.winner(group) : int(warp_min(unsigned(best.city)));
    }

  private:
    // Whether one bit is set in all lanes together.
    static INLINE bool only_one(unsigned bits) {
        unsigned lanes = __ballot_sync(ALL_LANES, bits != 0);
        unsigned crowded = __ballot_sync(ALL_LANES, (bits & (bits - 1)) != 0);
        return (lanes & (lanes - 1)) == 0 && crowded == 0;
    }
};

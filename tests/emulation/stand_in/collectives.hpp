// Where threads meet: barriers, votes, shuffles, reductions.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "memory.hpp"
#include "runtime.hpp"

// ---- barriers ----

#define EMULATION_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(EMULATION_SITE) {
    emulation::block_barrier({"__syncthreads", file, line}, 0);
}
inline int __syncthreads_count(int predicate, EMULATION_SITE) {
    return static_cast<int>(
        emulation::block_barrier({"__syncthreads_count", file, line}, predicate != 0));
}
inline int __syncthreads_or(int predicate, EMULATION_SITE) {
    return emulation::block_barrier({"__syncthreads_or", file, line}, predicate != 0) != 0;
}
inline int __syncthreads_and(int predicate, EMULATION_SITE) {
    return emulation::block_barrier({"__syncthreads_and", file, line}, predicate == 0) == 0;
}
inline void emulation_grid_barrier(EMULATION_SITE) {
    emulation::grid_barrier({"the grid barrier", file, line});
}
inline void emulation_retire() { emulation::retire(); }
inline void emulation_yield() { emulation::yield(); }

// ---- warp collectives ----

namespace emulation {

template <class T>
inline std::uint64_t to_word(T value) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "CUDA shuffles scalars only");
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
}

template <class T>
inline T from_word(std::uint64_t word) {
    T value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

template <class Visit>
inline void for_lanes(unsigned mask, Visit visit) {
    for (; mask; mask &= mask - 1) visit(static_cast<unsigned>(__builtin_ctz(mask)));
}

inline void combine_nothing(Thread* const*, unsigned) {}

inline void combine_ballot(Thread* const* lanes, unsigned mask) {
    std::uint64_t votes = 0;
    for_lanes(mask, [&](unsigned lane) { votes |= lanes[lane]->value << lane; });
    for_lanes(mask, [&](unsigned lane) { lanes[lane]->result = votes; });
}

inline void combine_match(Thread* const* lanes, unsigned mask) {
    for_lanes(mask, [&](unsigned lane) {
        std::uint64_t equal = 0;
        for_lanes(mask, [&](unsigned other) {
            equal |= std::uint64_t{lanes[other]->value == lanes[lane]->value} << other;
        });
        lanes[lane]->result = equal;
    });
}

// `extra` holds the lane to read from.
template <class T>
inline void combine_shuffle(Thread* const* lanes, unsigned mask) {
    for_lanes(mask, [&](unsigned lane) {
        const auto source = static_cast<unsigned>(lanes[lane]->extra);
        if (!(mask >> source & 1))
            fail("lane %u shuffles from lane %u, which mask 0x%08x does not name", lane, source,
                 mask);
        lanes[lane]->result = lanes[source]->value;
    });
}

struct Max {
    template <class T>
    static T of(T a, T b) {
        return a > b ? a : b;
    }
};
struct Min {
    template <class T>
    static T of(T a, T b) {
        return a < b ? a : b;
    }
};
struct Add {
    template <class T>
    static T of(T a, T b) {
        return wrapping_sum(a, b);
    }
};
struct And {
    template <class T>
    static T of(T a, T b) {
        return a & b;
    }
};
struct Or {
    template <class T>
    static T of(T a, T b) {
        return a | b;
    }
};
struct Xor {
    template <class T>
    static T of(T a, T b) {
        return a ^ b;
    }
};

template <class T, class Operation>
inline void combine_reduce(Thread* const* lanes, unsigned mask) {
    bool first = true;
    T total{};
    for_lanes(mask, [&](unsigned lane) {
        const T value = from_word<T>(lanes[lane]->value);
        total = first ? value : Operation::of(total, value);
        first = false;
    });
    for_lanes(mask, [&](unsigned lane) { lanes[lane]->result = to_word(total); });
}

template <class T>
inline T shuffle(Site site, unsigned mask, T value, unsigned source) {
    return from_word<T>(warp_collective(site, combine_shuffle<T>, mask, to_word(value), source));
}

inline unsigned segment(Site site, int width) {
    if (width < 1 || width > 32 || (width & (width - 1)))
        fail("%s with width %d, which is no power of two up to 32", site.name, width);
    return lane_of(current) & ~static_cast<unsigned>(width - 1);
}

}  // namespace emulation

inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATION_SITE) {
    emulation::warp_collective({"__syncwarp", file, line}, emulation::combine_nothing, mask, 0, 0);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, EMULATION_SITE) {
    return static_cast<unsigned>(emulation::warp_collective(
        {"__ballot_sync", file, line}, emulation::combine_ballot, mask, predicate != 0, 0));
}
// The votes are kinds of their own, so that one does not meet another.
namespace emulation {
inline void combine_any(Thread* const* lanes, unsigned mask) { combine_ballot(lanes, mask); }
inline void combine_all(Thread* const* lanes, unsigned mask) { combine_ballot(lanes, mask); }
inline void combine_uni(Thread* const* lanes, unsigned mask) { combine_ballot(lanes, mask); }
inline void combine_match_all(Thread* const* lanes, unsigned mask) { combine_match(lanes, mask); }
}  // namespace emulation
inline int __any_sync(unsigned mask, int predicate, EMULATION_SITE) {
    return emulation::warp_collective({"__any_sync", file, line}, emulation::combine_any, mask,
                                      predicate != 0, 0) != 0;
}
inline int __all_sync(unsigned mask, int predicate, EMULATION_SITE) {
    return emulation::warp_collective({"__all_sync", file, line}, emulation::combine_all, mask,
                                      predicate != 0, 0) == mask;
}
inline int __uni_sync(unsigned mask, int predicate, EMULATION_SITE) {
    const auto votes = emulation::warp_collective({"__uni_sync", file, line},
                                                  emulation::combine_uni, mask, predicate != 0, 0);
    return votes == 0 || votes == mask;
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, EMULATION_SITE) {
    return static_cast<unsigned>(emulation::warp_collective({"__match_any_sync", file, line},
                                                            emulation::combine_match, mask,
                                                            emulation::to_word(value), 0));
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* equal, EMULATION_SITE) {
    const auto same =
        emulation::warp_collective({"__match_all_sync", file, line}, emulation::combine_match_all,
                                   mask, emulation::to_word(value), 0);
    *equal = same == mask;
    return *equal ? mask : 0;
}

template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, EMULATION_SITE) {
    const emulation::Site site{"__shfl_sync", file, line};
    const unsigned base = emulation::segment(site, width);
    const unsigned from = base + (static_cast<unsigned>(source) & static_cast<unsigned>(width - 1));
    return emulation::shuffle(site, mask, value, from);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATION_SITE) {
    const emulation::Site site{"__shfl_up_sync", file, line};
    const unsigned lane = emulation::lane_of(emulation::current);
    const unsigned base = emulation::segment(site, width);
    return emulation::shuffle(site, mask, value, lane - base >= delta ? lane - delta : lane);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATION_SITE) {
    const emulation::Site site{"__shfl_down_sync", file, line};
    const unsigned lane = emulation::lane_of(emulation::current);
    const unsigned end = emulation::segment(site, width) + static_cast<unsigned>(width);
    return emulation::shuffle(site, mask, value, delta < end - lane ? lane + delta : lane);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, EMULATION_SITE) {
    const emulation::Site site{"__shfl_xor_sync", file, line};
    const unsigned lane = emulation::lane_of(emulation::current);
    const unsigned end = emulation::segment(site, width) + static_cast<unsigned>(width);
    const unsigned from = lane ^ static_cast<unsigned>(bits);
    return emulation::shuffle(site, mask, value, from < end ? from : lane);
}

#define EMULATION_REDUCE(NAME, T, OPERATION)                                               \
    inline T NAME(unsigned mask, T value, EMULATION_SITE) {                                \
        return emulation::from_word<T>(emulation::warp_collective(                         \
            {#NAME, file, line}, emulation::combine_reduce<T, emulation::OPERATION>, mask, \
            emulation::to_word(value), 0));                                                \
    }
#if __CUDA_ARCH__ >= 800  // as on the device
EMULATION_REDUCE(__reduce_max_sync, unsigned, Max)
EMULATION_REDUCE(__reduce_max_sync, int, Max)
EMULATION_REDUCE(__reduce_min_sync, unsigned, Min)
EMULATION_REDUCE(__reduce_min_sync, int, Min)
EMULATION_REDUCE(__reduce_add_sync, unsigned, Add)
EMULATION_REDUCE(__reduce_add_sync, int, Add)
EMULATION_REDUCE(__reduce_and_sync, unsigned, And)
EMULATION_REDUCE(__reduce_or_sync, unsigned, Or)
EMULATION_REDUCE(__reduce_xor_sync, unsigned, Xor)
#endif
#undef EMULATION_REDUCE

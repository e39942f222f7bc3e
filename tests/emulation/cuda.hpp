// A stand-in for CUDA: lets g++ compile the kernels, and the collectives meet in runtime.cpp.
//
// Only what CUDA has is here, under CUDA's names; semantics that CUDA leaves undefined (a lane that
// a mask names but that exited, a shuffle from a lane outside the mask) end the program with a
// message. __activemask() is refused: it says nothing about which lanes a collective must name.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <type_traits>
#include <utility>

#include "runtime.hpp"

#define FORMICARIUM_EMULATION 1
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)
// What the build makes of `__shared__ TYPE NAME[...];`, with the declaration in a structure, and of
// `extern __shared__ TYPE NAME[];` (inside functions only).
#define EMULATION_SHARED(NAME, STRUCTURE) \
    auto& NAME = ::emulation::static_shared<STRUCTURE>().NAME
#define EMULATION_DYNAMIC_SHARED(NAME, ...) \
    static_cast<void>(0);                   \
    auto* const NAME = reinterpret_cast<__VA_ARGS__*>(::emulation::current->dynamic_shared)

#define threadIdx (::emulation::current->thread_index)
#define blockIdx (::emulation::current->block_index)
#define blockDim (::emulation::grid.block_dim)
#define gridDim (::emulation::grid.grid_dim)
constexpr int warpSize = 32;

// ---- vector types ----

#define EMULATION_VECTORS(T, NAME, A1, A2, A3, A4)                                           \
    struct alignas(A1) NAME##1 { T x; };                                                     \
    struct alignas(A2) NAME##2 { T x, y; };                                                  \
    struct alignas(A3) NAME##3 { T x, y, z; };                                               \
    struct alignas(A4) NAME##4 { T x, y, z, w; };                                            \
    constexpr NAME##1 make_##NAME##1(T x) { return {x}; }                                    \
    constexpr NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                            \
    constexpr NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }                    \
    constexpr NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

EMULATION_VECTORS(signed char, char, 1, 2, 1, 4)
EMULATION_VECTORS(unsigned char, uchar, 1, 2, 1, 4)
EMULATION_VECTORS(short, short, 2, 4, 2, 8)
EMULATION_VECTORS(unsigned short, ushort, 2, 4, 2, 8)
EMULATION_VECTORS(int, int, 4, 8, 4, 16)
EMULATION_VECTORS(unsigned, uint, 4, 8, 4, 16)
EMULATION_VECTORS(float, float, 4, 8, 4, 16)
EMULATION_VECTORS(long long, longlong, 8, 16, 8, 16)
EMULATION_VECTORS(unsigned long long, ulonglong, 8, 16, 8, 16)
EMULATION_VECTORS(double, double, 8, 16, 8, 16)
#undef EMULATION_VECTORS

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

// ---- bits of one type as another ----

namespace emulation {

template <class To, class From>
inline To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}

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

template <class T>
inline T& static_shared() {
    static const std::size_t slot = new_shared_slot();
    return *static_cast<T*>(shared_slot(slot, sizeof(T), alignof(T)));
}

template <class T>
struct Same {
    using type = T;
};
template <class T>
using same = typename Same<T>::type;  // keeps an argument out of deduction

}  // namespace emulation

inline unsigned __float_as_uint(float x) { return emulation::bits_as<unsigned>(x); }
inline int __float_as_int(float x) { return emulation::bits_as<int>(x); }
inline float __uint_as_float(unsigned x) { return emulation::bits_as<float>(x); }
inline float __int_as_float(int x) { return emulation::bits_as<float>(x); }
inline long long __double_as_longlong(double x) { return emulation::bits_as<long long>(x); }
inline double __longlong_as_double(long long x) { return emulation::bits_as<double>(x); }
inline int __double2hiint(double x) {
    return static_cast<int>(emulation::bits_as<std::uint64_t>(x) >> 32);
}
inline int __double2loint(double x) {
    return static_cast<int>(emulation::bits_as<std::uint64_t>(x));
}
inline double __hiloint2double(int high, int low) {
    return emulation::bits_as<double>(
        std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low)
    );
}

// ---- integer intrinsics ----

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) {
    return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
inline unsigned long long __brevll(unsigned long long x) {
    unsigned long long result = 0;
    for (int i = 0; i < 64; ++i) result |= (x >> i & 1) << (63 - i);
    return result;
}
inline unsigned __brev(unsigned x) { return static_cast<unsigned>(__brevll(x) >> 32); }
// The position of the n-th set bit from `base` on (n > 0 upwards), or 0xffffffff.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    if (offset == 0) return mask >> base & 1 ? base : 0xffffffffu;
    const int step = offset > 0 ? 1 : -1;
    for (int i = static_cast<int>(base), left = offset * step; i >= 0 && i < 32; i += step)
        if ((mask >> i & 1) && --left == 0) return static_cast<unsigned>(i);
    return 0xffffffffu;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
inline int __mulhi(int a, int b) { return static_cast<int>(std::int64_t{a} * b >> 32); }
__extension__ using emulation_wide = unsigned __int128;
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<emulation_wide>(a) * b >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((std::uint64_t{high} << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i)
        result |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return result;
}

// ---- float intrinsics; the approximate ones are exact here ----

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __frsqrt_rn(float a) { return static_cast<float>(1.0 / std::sqrt(double{a})); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float a) { return std::exp(a); }
inline float __exp10f(float a) { return std::pow(10.0f, a); }
inline float __logf(float a) { return std::log(a); }
inline float __log2f(float a) { return std::log2(a); }
inline float __log10f(float a) { return std::log10(a); }
inline float __powf(float a, float b) { return std::pow(a, b); }
inline float __sinf(float a) { return std::sin(a); }
inline float __cosf(float a) { return std::cos(a); }
inline float __saturatef(float a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }
inline float rsqrtf(float a) { return static_cast<float>(1.0 / std::sqrt(double{a})); }
inline double rsqrt(double a) { return 1.0 / std::sqrt(a); }
using std::abs;

// Conversions saturate, as the hardware's do, where C++ leaves the result undefined; NaN gives 0.
namespace emulation {
template <class To>
inline To saturate(double value) {
    if (std::isnan(value)) return 0;
    const double low = static_cast<double>(std::numeric_limits<To>::min());
    const double high = static_cast<double>(std::numeric_limits<To>::max());
    if (value <= low) return std::numeric_limits<To>::min();
    if (value >= high) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
}
}  // namespace emulation

#define EMULATION_ROUNDINGS(FROM, SHORT)                                                            \
    inline int __##SHORT##2int_rn(FROM x) { return emulation::saturate<int>(std::nearbyint(x)); }    \
    inline int __##SHORT##2int_rz(FROM x) { return emulation::saturate<int>(std::trunc(x)); }        \
    inline int __##SHORT##2int_rd(FROM x) { return emulation::saturate<int>(std::floor(x)); }        \
    inline int __##SHORT##2int_ru(FROM x) { return emulation::saturate<int>(std::ceil(x)); }         \
    inline unsigned __##SHORT##2uint_rn(FROM x) {                                                    \
        return emulation::saturate<unsigned>(std::nearbyint(x));                                     \
    }                                                                                                \
    inline unsigned __##SHORT##2uint_rz(FROM x) {                                                    \
        return emulation::saturate<unsigned>(std::trunc(x));                                         \
    }                                                                                                \
    inline unsigned __##SHORT##2uint_rd(FROM x) {                                                    \
        return emulation::saturate<unsigned>(std::floor(x));                                         \
    }                                                                                                \
    inline unsigned __##SHORT##2uint_ru(FROM x) {                                                    \
        return emulation::saturate<unsigned>(std::ceil(x));                                          \
    }                                                                                                \
    inline long long __##SHORT##2ll_rn(FROM x) {                                                     \
        return emulation::saturate<long long>(std::nearbyint(x));                                    \
    }                                                                                                \
    inline long long __##SHORT##2ll_rz(FROM x) {                                                     \
        return emulation::saturate<long long>(std::trunc(x));                                        \
    }                                                                                                \
    inline long long __##SHORT##2ll_rd(FROM x) {                                                     \
        return emulation::saturate<long long>(std::floor(x));                                        \
    }                                                                                                \
    inline long long __##SHORT##2ll_ru(FROM x) {                                                     \
        return emulation::saturate<long long>(std::ceil(x));                                         \
    }
EMULATION_ROUNDINGS(float, float)
EMULATION_ROUNDINGS(double, double)
#undef EMULATION_ROUNDINGS
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }

template <class A, class B>
constexpr auto min(A a, B b) -> std::enable_if_t<
    std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, std::common_type_t<A, B>> {
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<T>) return std::fmin(static_cast<T>(a), static_cast<T>(b));
    else return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
constexpr auto max(A a, B b) -> std::enable_if_t<
    std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, std::common_type_t<A, B>> {
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<T>) return std::fmax(static_cast<T>(a), static_cast<T>(b));
    else return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

// ---- loads and stores with cache hints ----

#define EMULATION_LOAD(NAME) \
    template <class T>       \
    inline T NAME(const T* address) { return *address; }
EMULATION_LOAD(__ldg)
EMULATION_LOAD(__ldca)
EMULATION_LOAD(__ldcg)
EMULATION_LOAD(__ldcs)
EMULATION_LOAD(__ldlu)
EMULATION_LOAD(__ldcv)
#undef EMULATION_LOAD
#define EMULATION_STORE(NAME) \
    template <class T>        \
    inline void NAME(T* address, emulation::same<T> value) { *address = value; }
EMULATION_STORE(__stwb)
EMULATION_STORE(__stcg)
EMULATION_STORE(__stcs)
EMULATION_STORE(__stwt)
#undef EMULATION_STORE

// ---- atomics: plain, for one OS thread runs all; other threads may run just before ----

namespace emulation {
template <class T, class Change>
inline T atomically(T* address, Change change) {
    static_assert(
        std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, float> ||
        std::is_same_v<T, double> || std::is_same_v<T, unsigned long long> ||
        std::is_same_v<T, long long> || std::is_same_v<T, unsigned short>
    );
    maybe_yield();
    const T old = *address;
    *address = change(old);
    return old;
}
template <class T>
inline T wrapping_sum(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else {
        return a + b;
    }
}
}  // namespace emulation

#define EMULATION_ATOMIC(NAME, RESULT)                                       \
    template <class T>                                                       \
    inline T NAME(T* address, emulation::same<T> value) {                    \
        return emulation::atomically(address, [&](T old) -> T { return RESULT; }); \
    }                                                                        \
    template <class T>                                                       \
    inline T NAME##_block(T* address, emulation::same<T> value) { return NAME(address, value); } \
    template <class T>                                                       \
    inline T NAME##_system(T* address, emulation::same<T> value) { return NAME(address, value); }
EMULATION_ATOMIC(atomicAdd, emulation::wrapping_sum<T>(old, value))
EMULATION_ATOMIC(atomicSub, emulation::wrapping_sum<T>(old, static_cast<T>(-value)))
EMULATION_ATOMIC(atomicMin, value < old ? value : old)
EMULATION_ATOMIC(atomicMax, value > old ? value : old)
EMULATION_ATOMIC(atomicExch, (static_cast<void>(old), value))
EMULATION_ATOMIC(atomicAnd, old & value)
EMULATION_ATOMIC(atomicOr, old | value)
EMULATION_ATOMIC(atomicXor, old ^ value)
EMULATION_ATOMIC(atomicInc, old >= value ? T{0} : old + 1)
EMULATION_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef EMULATION_ATOMIC
template <class T>
inline T atomicCAS(T* address, emulation::same<T> expected, emulation::same<T> desired) {
    static_assert(std::is_integral_v<T>, "CUDA compares and swaps integers");
    return emulation::atomically(address, [&](T old) { return old == expected ? desired : old; });
}

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) { emulation::yield(); }
inline long long clock64() { return static_cast<long long>(std::clock()); }
[[noreturn]] inline void __trap() { emulation::fail("__trap() reached"); }
unsigned __activemask() __attribute__((error("__activemask() does not say which lanes converge")));
#define __builtin_assume(condition) assert(condition)

// ---- barriers ----

#define EMULATION_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(EMULATION_SITE) {
    emulation::block_barrier({"__syncthreads", file, line}, 0);
}
inline int __syncthreads_count(int predicate, EMULATION_SITE) {
    return static_cast<int>(
        emulation::block_barrier({"__syncthreads_count", file, line}, predicate != 0)
    );
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
inline void emulation_yield() { emulation::yield(); }

// ---- warp collectives ----

namespace emulation {

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
            fail("lane %u shuffles from lane %u, which mask 0x%08x does not name", lane, source, mask);
        lanes[lane]->result = lanes[source]->value;
    });
}

struct Max {
    template <class T>
    static T of(T a, T b) { return a > b ? a : b; }
};
struct Min {
    template <class T>
    static T of(T a, T b) { return a < b ? a : b; }
};
struct Add {
    template <class T>
    static T of(T a, T b) { return wrapping_sum(a, b); }
};
struct And {
    template <class T>
    static T of(T a, T b) { return a & b; }
};
struct Or {
    template <class T>
    static T of(T a, T b) { return a | b; }
};
struct Xor {
    template <class T>
    static T of(T a, T b) { return a ^ b; }
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
    return from_word<T>(
        warp_collective(site, combine_shuffle<T>, mask, to_word(value), source)
    );
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
        {"__ballot_sync", file, line}, emulation::combine_ballot, mask, predicate != 0, 0
    ));
}
// The votes are kinds of their own, so that one does not meet another.
namespace emulation {
inline void combine_any(Thread* const* lanes, unsigned mask) { combine_ballot(lanes, mask); }
inline void combine_all(Thread* const* lanes, unsigned mask) { combine_ballot(lanes, mask); }
inline void combine_uni(Thread* const* lanes, unsigned mask) { combine_ballot(lanes, mask); }
inline void combine_match_all(Thread* const* lanes, unsigned mask) { combine_match(lanes, mask); }
}  // namespace emulation
inline int __any_sync(unsigned mask, int predicate, EMULATION_SITE) {
    return emulation::warp_collective(
               {"__any_sync", file, line}, emulation::combine_any, mask, predicate != 0, 0
           ) != 0;
}
inline int __all_sync(unsigned mask, int predicate, EMULATION_SITE) {
    return emulation::warp_collective(
               {"__all_sync", file, line}, emulation::combine_all, mask, predicate != 0, 0
           ) == mask;
}
inline int __uni_sync(unsigned mask, int predicate, EMULATION_SITE) {
    const auto votes = emulation::warp_collective(
        {"__uni_sync", file, line}, emulation::combine_uni, mask, predicate != 0, 0
    );
    return votes == 0 || votes == mask;
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, EMULATION_SITE) {
    return static_cast<unsigned>(emulation::warp_collective(
        {"__match_any_sync", file, line}, emulation::combine_match, mask,
        emulation::to_word(value), 0
    ));
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* equal, EMULATION_SITE) {
    const auto same = emulation::warp_collective(
        {"__match_all_sync", file, line}, emulation::combine_match_all, mask,
        emulation::to_word(value), 0
    );
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

#define EMULATION_REDUCE(NAME, T, OPERATION)                                                   \
    inline T NAME(unsigned mask, T value, EMULATION_SITE) {                                    \
        return emulation::from_word<T>(emulation::warp_collective(                             \
            {#NAME, file, line}, emulation::combine_reduce<T, emulation::OPERATION>, mask,     \
            emulation::to_word(value), 0                                                       \
        ));                                                                                    \
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

// ---- kernels by name ----

namespace emulation {

// One word a parameter: p (pointer) or s (scalar), c (points to const) or m, kind, size in bytes.
template <class T>
inline void describe(char*& out) {
    using Element = std::remove_cv_t<std::remove_pointer_t<T>>;
    constexpr char kind = std::is_same_v<Element, bool>        ? 'b'
                          : std::is_floating_point_v<Element>  ? 'f'
                          : std::is_unsigned_v<Element>        ? 'u'
                          : std::is_integral_v<Element>        ? 'i'
                          : std::is_enum_v<Element>            ? 'i'
                                                               : 'v';
    constexpr bool constant = std::is_const_v<std::remove_pointer_t<T>>;
    std::size_t size = 1;  // what void points to
    if constexpr (!std::is_void_v<Element>) size = sizeof(Element);
    out += std::sprintf(
        out, "%c%c%c%zu ", std::is_pointer_v<T> ? 'p' : 's', constant ? 'c' : 'm', kind, size
    );
}

template <class>
struct Signature;

template <class... Parameters>
struct Signature<void (*)(Parameters...)> {
    static const char* words() {
        static char text[sizeof...(Parameters) * 16 + 1];
        [[maybe_unused]] char* out = text;
        (describe<Parameters>(out), ...);
        return text;
    }
    template <auto function, std::size_t... i>
    static void call_with(void** arguments, std::index_sequence<i...>) {
        static_cast<void>(arguments);
        function(*static_cast<std::remove_cv_t<Parameters>*>(arguments[i])...);
    }
    template <auto function>
    static void call(void** arguments) {
        call_with<function>(arguments, std::index_sequence_for<Parameters...>{});
    }
};

template <auto function>
inline bool add_kernel(const char* name) {
    using Called = Signature<decltype(function)>;
    add_kernel(Kernel{name, Called::words(), &Called::template call<function>});
    return true;
}

}  // namespace emulation

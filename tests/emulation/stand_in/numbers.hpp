// Arithmetic: bits, integers, floats, conversions.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

// ---- bits of one type as another ----

namespace emulation {

template <class To, class From>
inline To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}

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
    return emulation::bits_as<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 |
                                      static_cast<unsigned>(low));
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
// Rounded up. The product is exact as a double; the remainder of the sum says whether to go up.
inline float __fmaf_ru(float a, float b, float c) {
    const double product = double{a} * b, sum = product + c;
    const double part = sum - product, rest = (product - (sum - part)) + (c - part);
    const float near = static_cast<float>(sum);
    const bool below = near < sum || (near == sum && rest > 0);
    return below ? std::nextafter(near, INFINITY) : near;
}
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

#define EMULATION_ROUNDINGS(FROM, SHORT)                                                          \
    inline int __##SHORT##2int_rn(FROM x) { return emulation::saturate<int>(std::nearbyint(x)); } \
    inline int __##SHORT##2int_rz(FROM x) { return emulation::saturate<int>(std::trunc(x)); }     \
    inline int __##SHORT##2int_rd(FROM x) { return emulation::saturate<int>(std::floor(x)); }     \
    inline int __##SHORT##2int_ru(FROM x) { return emulation::saturate<int>(std::ceil(x)); }      \
    inline unsigned __##SHORT##2uint_rn(FROM x) {                                                 \
        return emulation::saturate<unsigned>(std::nearbyint(x));                                  \
    }                                                                                             \
    inline unsigned __##SHORT##2uint_rz(FROM x) {                                                 \
        return emulation::saturate<unsigned>(std::trunc(x));                                      \
    }                                                                                             \
    inline unsigned __##SHORT##2uint_rd(FROM x) {                                                 \
        return emulation::saturate<unsigned>(std::floor(x));                                      \
    }                                                                                             \
    inline unsigned __##SHORT##2uint_ru(FROM x) {                                                 \
        return emulation::saturate<unsigned>(std::ceil(x));                                       \
    }                                                                                             \
    inline long long __##SHORT##2ll_rn(FROM x) {                                                  \
        return emulation::saturate<long long>(std::nearbyint(x));                                 \
    }                                                                                             \
    inline long long __##SHORT##2ll_rz(FROM x) {                                                  \
        return emulation::saturate<long long>(std::trunc(x));                                     \
    }                                                                                             \
    inline long long __##SHORT##2ll_rd(FROM x) {                                                  \
        return emulation::saturate<long long>(std::floor(x));                                     \
    }                                                                                             \
    inline long long __##SHORT##2ll_ru(FROM x) {                                                  \
        return emulation::saturate<long long>(std::ceil(x));                                      \
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
constexpr auto min(A a, B b) -> std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>,
                                                 std::common_type_t<A, B>> {
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<T>)
        return std::fmin(static_cast<T>(a), static_cast<T>(b));
    else
        return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
constexpr auto max(A a, B b) -> std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>,
                                                 std::common_type_t<A, B>> {
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<T>)
        return std::fmax(static_cast<T>(a), static_cast<T>(b));
    else
        return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

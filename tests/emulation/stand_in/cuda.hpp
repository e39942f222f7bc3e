// A stand-in for CUDA: lets g++ compile the kernels, and the collectives meet in runtime.cpp.
//
// Only what CUDA has is here, under CUDA's names; semantics that CUDA leaves undefined (a lane that
// a mask names but that exited, a shuffle from a lane outside the mask) end the program with a
// message. __activemask() is refused: it says nothing about which lanes a collective must name.
#pragma once

#define FORMICARIUM_EMULATION 1
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif

#include <cassert>
#include <cstdio>
#include <ctime>

#include "collectives.hpp"
#include "kernels.hpp"
#include "memory.hpp"
#include "numbers.hpp"
#include "runtime.hpp"

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
#define EMULATION_SHARED(NAME, STRUCTURE) auto& NAME = ::emulation::static_shared<STRUCTURE>().NAME
#define EMULATION_DYNAMIC_SHARED(NAME, ...) \
    static_cast<void>(0);                   \
    auto* const NAME = reinterpret_cast<__VA_ARGS__*>(::emulation::current->dynamic_shared)

#define threadIdx (::emulation::current->thread_index)
#define blockIdx (::emulation::current->block_index)
#define blockDim (::emulation::grid.block_dim)
#define gridDim (::emulation::grid.grid_dim)
constexpr int warpSize = 32;

// ---- vector types ----

#define EMULATION_VECTORS(T, NAME, A1, A2, A3, A4)                        \
    struct alignas(A1) NAME##1 { T x; };                                  \
    struct alignas(A2) NAME##2 { T x, y; };                               \
    struct alignas(A3) NAME##3 { T x, y, z; };                            \
    struct alignas(A4) NAME##4 { T x, y, z, w; };                         \
    constexpr NAME##1 make_##NAME##1(T x) { return {x}; }                 \
    constexpr NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }         \
    constexpr NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; } \
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

// ---- the rest ----

inline void __nanosleep(unsigned) { emulation::yield(); }
inline long long clock64() { return static_cast<long long>(std::clock()); }
[[noreturn]] inline void __trap() { emulation::fail("__trap() reached"); }
unsigned __activemask() __attribute__((error("__activemask() does not say which lanes converge")));
#define __builtin_assume(condition) assert(condition)

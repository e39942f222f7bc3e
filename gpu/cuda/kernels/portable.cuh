// What the kernels need that differs between CUDA and its emulation on a CPU.
#pragma once

#include "constants.py"

[[maybe_unused]] constexpr unsigned ALL_LANES = 0xffffffffu;

// Blocks that a multiprocessor of every such architecture holds at most.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ != 860
[[maybe_unused]] constexpr int MOST_BLOCKS = 24;
#else
[[maybe_unused]] constexpr int MOST_BLOCKS = 16;
#endif

#define INLINE __device__ __forceinline__

// Before a loop whose turns are known in number, and are all written out.
#if defined(FORMICARIUM_EMULATION)
#define UNROLL
#else
#define UNROLL _Pragma("unroll")
#endif

// A function that seldom runs: it is kept out of line, so that the path of a usual step is short
// and stays in the instruction cache.
//
// Lanes that leave its loops at different times must meet in it before it ends, for instance in a
// warp reduction. One function whose lanes did not, and whose caller then added up what they
// returned, gave wrong sums on sm_90. The cause is not known: by the language the collectives of
// the caller wait for all lanes, and a __syncwarp() before or behind the call made no difference.
#if defined(FORMICARIUM_EMULATION)
#define SELDOM [[maybe_unused]] static __attribute__((noinline)) inline
#else
#define SELDOM [[maybe_unused]] static __device__ __noinline__
#endif

// A row of a matrix that has `width` numbers in each.
template <class Value>
INLINE Value* row_of(Value* rows, int row, int width) {
    return rows + static_cast<long long>(row) * width;
}

// The number of this thread, and how many there are, in the whole grid.
INLINE long long grid_thread() {
    return blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
}
INLINE long long grid_threads() { return static_cast<long long>(gridDim.x) * blockDim.x; }

// A value, or an address in shared memory, that should stay in a register: the compiler cannot see
// where it comes from, and so does not compute it again in every step.
template <class Value>
INLINE Value held(Value value) {
#if defined(FORMICARIUM_EMULATION)
    return value;
#elif defined(__CUDA_ARCH__)
    unsigned long long bits = (unsigned long long)(value);
    return (Value)(__shfl_sync(ALL_LANES, bits, threadIdx.x));
#endif
}

// The same number, computed here and not where it is used.
INLINE float here_and_now(float value) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    asm volatile("mov.b32 %0, %0;" : "+f"(value));
#endif
    return value;
}

INLINE unsigned here_and_now(unsigned value) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    asm volatile("mov.b32 %0, %0;" : "+r"(value));
#endif
    return value;
}

template <class Value>
INLINE Value* held_shared(Value* address) {
#if defined(FORMICARIUM_EMULATION)
    return address;
#else
    return static_cast<Value*>(__cvta_shared_to_generic(
        __shfl_sync(ALL_LANES, unsigned(__cvta_generic_to_shared(address)), 0)));
#endif
}

// The same where each lane has an address of its own.
template <class Value>
INLINE Value* held_own_shared(Value* address) {
#if defined(FORMICARIUM_EMULATION)
    return address;
#else
    return static_cast<Value*>(
        __cvta_shared_to_generic(here_and_now(unsigned(__cvta_generic_to_shared(address)))));
#endif
}

// An address that the compiler should keep, and not compute again for each read.
template <class Value>
INLINE Value* held_pointer(Value* address) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    asm volatile("" : "+l"(address));
#endif
    return address;
}

// The same address; the compiler is told that it is in global memory.
template <class Value>
INLINE Value* global_address(Value* address) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    __builtin_assume(__isGlobal(address));
#endif
    return address;
}

// Whether reads can start long before they are needed without holding registers for them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
[[maybe_unused]] constexpr bool READS_AHEAD = true;
#else
[[maybe_unused]] constexpr bool READS_AHEAD = false;
#endif

// Starts to copy 16 bytes to shared memory, past the L1 cache.
INLINE void copy_ahead(uint4* shared, const void* global) {
#if defined(FORMICARIUM_EMULATION)
    *shared = __ldcg(static_cast<const uint4*>(global));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     unsigned(__cvta_generic_to_shared(shared))),
                 "l"(global)
                 : "memory");
#endif
}

// Ends a group of copies, as copies_landed() counts them.
INLINE void copies_asked() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(FORMICARIUM_EMULATION)
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all groups of this thread's copies are there, except the last few.
template <int LAST>
INLINE void copies_landed() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(FORMICARIUM_EMULATION)
    asm volatile("cp.async.wait_group %0;" ::"n"(LAST) : "memory");
#endif
}

// All threads of the block start to copy so many times 16 bytes to shared memory. Returns the end
// of the copy. Every thread must wait for its own copies, and then for the other threads.
INLINE uint4* start_copy(uint4* shared, const void* global, int size) {
    const uint4* from = static_cast<const uint4*>(global);
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        if constexpr (READS_AHEAD)
            copy_ahead(shared + i, from + i);
        else
            shared[i] = __ldg(from + i);
    }
    return shared + size;
}

// A square root that is off by one unit in the last place at most.
INLINE float quick_root(float square) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
    return root;
#else
    return sqrtf(square);
#endif
}

// One over a number, off by one unit in the last place at most.
INLINE float quick_inverse(float value) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(value));
    return inverse;
#else
    return 1.0f / value;
#endif
}

// What an operation makes of the values of a warp, in every lane.
template <class Value, class Operation>
INLINE Value warp_reduced(Value value, Operation operation) {
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        value = operation(value, __shfl_xor_sync(ALL_LANES, value, offset));
    return value;
}

// The sum over a warp, in every lane.
INLINE unsigned long long warp_sum(unsigned long long value) {
    return warp_reduced(value, [](auto one, auto other) { return one + other; });
}

// The largest and the smallest value of a warp, and their sum if it fits 32 bits, in every lane.
#if __CUDA_ARCH__ >= 800
INLINE unsigned warp_max(unsigned value) { return __reduce_max_sync(ALL_LANES, value); }
INLINE unsigned warp_min(unsigned value) { return __reduce_min_sync(ALL_LANES, value); }
INLINE unsigned warp_total(unsigned value) { return __reduce_add_sync(ALL_LANES, value); }
#else
INLINE unsigned warp_max(unsigned value) {
    return warp_reduced(value, [](unsigned one, unsigned other) { return max(one, other); });
}
INLINE unsigned warp_min(unsigned value) {
    return warp_reduced(value, [](unsigned one, unsigned other) { return min(one, other); });
}
INLINE unsigned warp_total(unsigned value) {
    return warp_reduced(value, [](unsigned one, unsigned other) { return one + other; });
}
#endif

// The smallest value of a warp, in every lane.
INLINE unsigned long long warp_least(unsigned long long value) {
    unsigned high = unsigned(value >> 32), least = warp_min(high);
    unsigned low = warp_min(high == least ? unsigned(value) : ~0u);
    return static_cast<unsigned long long>(least) << 32 | low;
}

// Inclusive prefix sums over a warp.
template <class Value>
INLINE Value warp_prefix(Value sum, int lane) {
    UNROLL for (int offset = 1; offset < LANES; offset *= 2) {
        Value before = __shfl_up_sync(ALL_LANES, sum, offset);
        sum += lane >= offset ? before : 0;
    }
    return sum;
}

// A word as it is in the L2 cache now.
INLINE unsigned latest(const unsigned* word) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
#else
    return *word;
#endif
}

// Writes a word to the L2 cache now.
INLINE void store_now(unsigned* word, unsigned value) {
#if defined(FORMICARIUM_EMULATION)
    *word = value;
#else
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
#endif
}

// All threads of a warp call this before they end: the rest of the block waits for them no more.
INLINE void retire() {
#if defined(FORMICARIUM_EMULATION)
    emulation_retire();
#endif
}

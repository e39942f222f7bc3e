// What the kernels need that differs between CUDA and its emulation on a CPU.
#pragma once

[[maybe_unused]] constexpr unsigned ALL_LANES = 0xffffffffu;
[[maybe_unused]] constexpr int LANES = 32;

// Blocks that a multiprocessor of every such architecture holds at most.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ != 860
[[maybe_unused]] constexpr int MOST_BLOCKS = 24;
#else
[[maybe_unused]] constexpr int MOST_BLOCKS = 16;
#endif

// For code that seldom runs: it is kept out of line, so that the path of a usual step is short and
// stays in the instruction cache.
#if defined(FORMICARIUM_EMULATION)
#define SELDOM __attribute__((noinline)) inline
#else
#define SELDOM __noinline__
#endif

// A value, or an address in shared memory, that should stay in a register: the compiler cannot see
// where it comes from, and so does not compute it again in every step.
template <class Value>
__device__ __forceinline__ Value held(Value value) {
#if defined(FORMICARIUM_EMULATION)
    return value;
#elif defined(__CUDA_ARCH__)
    unsigned long long bits = (unsigned long long)(value);
    return (Value)(__shfl_sync(ALL_LANES, bits, threadIdx.x));
#endif
}

// The same number, computed here and not where it is used.
__device__ __forceinline__ float here_and_now(float value) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    asm volatile("mov.b32 %0, %0;" : "+f"(value));
#endif
    return value;
}

__device__ __forceinline__ unsigned here_and_now(unsigned value) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    asm volatile("mov.b32 %0, %0;" : "+r"(value));
#endif
    return value;
}

template <class Value>
__device__ __forceinline__ Value* held_shared(Value* address) {
#if defined(FORMICARIUM_EMULATION)
    return address;
#else
    return static_cast<Value*>(__cvta_shared_to_generic(
        __shfl_sync(ALL_LANES, static_cast<unsigned>(__cvta_generic_to_shared(address)), 0)));
#endif
}

// The same where each lane has an address of its own.
template <class Value>
__device__ __forceinline__ Value* held_own_shared(Value* address) {
#if defined(FORMICARIUM_EMULATION)
    return address;
#else
    return static_cast<Value*>(__cvta_shared_to_generic(
        here_and_now(static_cast<unsigned>(__cvta_generic_to_shared(address)))));
#endif
}

// An address that the compiler should keep, and not compute again for each read.
template <class Value>
__device__ __forceinline__ Value* held_pointer(Value* address) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    asm volatile("" : "+l"(address));
#endif
    return address;
}

// The same address; the compiler is told that it is in global memory.
template <class Value>
__device__ __forceinline__ Value* global_address(Value* address) {
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
__device__ __forceinline__ void copy_ahead(uint4* shared, const void* global) {
#if defined(FORMICARIUM_EMULATION)
    *shared = __ldcg(static_cast<const uint4*>(global));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(shared))),
                 "l"(global)
                 : "memory");
#endif
}

// Ends a group of copies, as copies_landed() counts them.
__device__ __forceinline__ void copies_asked() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(FORMICARIUM_EMULATION)
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all groups of this thread's copies are there, except the last few.
template <int LAST>
__device__ __forceinline__ void copies_landed() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(FORMICARIUM_EMULATION)
    asm volatile("cp.async.wait_group %0;" ::"n"(LAST) : "memory");
#endif
}

// All threads of the block start to copy so many times 16 bytes to shared memory. Returns the end
// of the copy. Every thread must wait for its own copies, and then for the other threads.
__device__ __forceinline__ uint4* start_copy(uint4* shared, const void* global, int size) {
    const uint4* from = static_cast<const uint4*>(global);
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        if constexpr (READS_AHEAD)
            copy_ahead(shared + i, from + i);
        else
            shared[i] = __ldg(from + i);
    }
    return shared + size;
}

// The largest value of a warp, in every lane.
__device__ __forceinline__ unsigned warp_max(unsigned value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(ALL_LANES, value);
#else
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        value = max(value, __shfl_xor_sync(ALL_LANES, value, offset));
    return value;
#endif
}

// The smallest value of a warp, in every lane.
__device__ __forceinline__ unsigned warp_min(unsigned value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(ALL_LANES, value);
#else
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        value = min(value, __shfl_xor_sync(ALL_LANES, value, offset));
    return value;
#endif
}

// The sum over a warp, in every lane; it must fit 32 bits.
__device__ __forceinline__ unsigned warp_total(unsigned value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, value);
#else
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, offset);
    return value;
#endif
}

// The sum over a warp, in every lane.
__device__ __forceinline__ unsigned long long warp_sum(unsigned long long value) {
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, offset);
    return value;
}

// Waits until the reads and atomic operations are done of which `value` is made. The compiler must
// see a use of `value`, or it would drop what they return; a fence for one value does no
// harm.
__device__ __forceinline__ void performed(unsigned value) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    if (value == 0x9e3779b9u) __threadfence();
#else
    (void)value;
#endif
}

// A word as it is in the L2 cache now.
__device__ __forceinline__ unsigned latest(const unsigned* word) {
#if defined(__CUDA_ARCH__) && !defined(FORMICARIUM_EMULATION)
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
#else
    return *word;
#endif
}

// All threads of a warp call this before they end: the rest of the block waits for them no more.
__device__ __forceinline__ void retire() {
#if defined(FORMICARIUM_EMULATION)
    emulation_retire();
#endif
}

// A barrier over all blocks of a cooperative launch. `arrivals` must be 0 when the launch begins.
//
// It orders atomics, and reads past the L1 cache, of all threads: each has been performed in the
// L2 cache when its value is used, so no fence is needed, which would cost more than the barrier.
// Plain stores of one block are not made visible to another.
struct GridBarrier {
    unsigned* arrivals;
    unsigned target = 0;

    __device__ explicit GridBarrier(unsigned* arrivals_) : arrivals(arrivals_) {}

    __device__ __forceinline__ void arrive() {
        target += gridDim.x;
#if !defined(FORMICARIUM_EMULATION)
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
#endif
    }

    __device__ __forceinline__ void wait() {
#if defined(FORMICARIUM_EMULATION)
        emulation_grid_barrier();
#else
        if (threadIdx.x == 0) {
            while (static_cast<int>(latest(arrivals) - target) < 0) {
            }
        }
        __syncthreads();
#endif
    }
};

// How the blocks of a launch tell one another what they have done, in the words of the PTX memory
// model: a release makes visible what its thread did before it, and what others did before that
// thread met them at a barrier; who acquires what was released sees it all, and so do those whom it
// then meets at a barrier. The emulation has one thread run at a time, so all is seen at once.
#pragma once

#include "portable.cuh"

// Adds 1 to a word, and releases. Returns what the word was.
INLINE unsigned count_released(unsigned* word) {
#if defined(FORMICARIUM_EMULATION)
    return atomicAdd(word, 1u);
#else
    unsigned before;
    asm volatile("atom.release.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(before)
                 : "l"(word)
                 : "memory");
    return before;
#endif
}

INLINE void store_released(unsigned* word, unsigned value) {
#if defined(FORMICARIUM_EMULATION)
    *word = value;
#else
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
#endif
}

// Acquires all that was released with words that this thread has read.
INLINE void acquire() {
#if !defined(FORMICARIUM_EMULATION)
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}

// How a grid barrier orders what the threads do before and after it. By the model:
struct Ordered {
    static INLINE void published() {}
    static INLINE void performed(unsigned) {}

#if !defined(FORMICARIUM_EMULATION)
    static INLINE void arrive(unsigned* arrivals) {
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
    }

    static INLINE unsigned arrived(const unsigned* arrivals) {
        unsigned value;
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(value)
                     : "l"(arrivals)
                     : "memory");
        return value;
    }
#endif
};

// The other way needs no fence at the barrier, and rests on what GPUs do: an atomic operation, or a
// read past the L1 cache, has been performed in the L2 cache when its value is used. So values that
// nothing else uses are passed to performed(), and plain stores must be published().
#if defined(FORMICARIUM_EMULATION)
typedef Ordered Performed;
#else
struct Performed {
    static INLINE void published() { __threadfence(); }

    // The compiler must see a use of `value`; a fence for one value does no harm.
    static INLINE void performed(unsigned value) {
        if (value == 0x9e3779b9u) __threadfence();
    }

    static INLINE void arrive(unsigned* arrivals) {
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
    }

    static INLINE unsigned arrived(const unsigned* arrivals) { return latest(arrivals); }
};
#endif

// A barrier over all blocks of a cooperative launch. `arrivals` must be 0 when the launch begins.
template <class Order>
struct GridBarrier {
    unsigned* arrivals;
    unsigned target = 0;

    INLINE void arrive() {
        target += gridDim.x;
#if !defined(FORMICARIUM_EMULATION)
        __syncthreads();
        if (threadIdx.x == 0) Order::arrive(arrivals);
#endif
    }

    INLINE void wait() {
#if defined(FORMICARIUM_EMULATION)
        emulation_grid_barrier();
#else
        if (threadIdx.x == 0) {
            while (int(Order::arrived(arrivals) - target) < 0) {
            }
        }
        __syncthreads();
#endif
    }
};

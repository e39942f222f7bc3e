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

// A barrier over all blocks of a cooperative launch. `arrivals` must equal `target` when the launch
// begins: both are 0, or what the launch before has left.
struct GridBarrier {
    unsigned* arrivals;
    unsigned target = 0;

    INLINE void arrive() {
        target += gridDim.x;
#if !defined(FORMICARIUM_EMULATION)
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
#endif
    }

    INLINE void wait() {
#if defined(FORMICARIUM_EMULATION)
        emulation_grid_barrier();
#else
        if (threadIdx.x == 0) {
            while (int(arrived() - target) < 0) {
            }
        }
        __syncthreads();
#endif
    }

#if !defined(FORMICARIUM_EMULATION)
  private:
    INLINE unsigned arrived() const {
        unsigned value;
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(value)
                     : "l"(arrivals)
                     : "memory");
        return value;
    }
#endif
};

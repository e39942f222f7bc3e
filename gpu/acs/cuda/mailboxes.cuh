// Mailboxes in global memory: every ant sends a word about each step to all blocks. Waiting for all
// words is also the barrier between two steps.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

// The upper bits of a word are its time; a reader waits until they are right. Words of even and of
// odd times have separate places. So no sender overwrites a word that somebody may still have to
// read: a thread reaches a time only after it has read all words of the time before.
struct Mailboxes {
    static constexpr int BITS = 28;  // of a word that carry the message

    unsigned* words;  // (2, ants), 0 before the first time, which is 1
    int ants;

    INLINE unsigned* place(int ant, unsigned time) const {
        return &words[(time & 1 ? ants : 0) + ant];
    }

    INLINE void send(int ant, unsigned time, unsigned word) const {
        word |= time << BITS;
#if defined(FORMICARIUM_EMULATION)
        *place(ant, time) = word;
#else
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(place(ant, time)), "r"(word)
                     : "memory");
#endif
    }

    // All threads call this before any of them waits.
    static INLINE void meet() {
#if defined(FORMICARIUM_EMULATION)
        emulation_grid_barrier();
#endif
    }

    // Waits for an ant's word.
    INLINE unsigned await(int ant, unsigned time) const {
        unsigned word;
        do word = latest(place(ant, time));
        while ((word ^ time << BITS) >> BITS);
        return word & ((1u << BITS) - 1);
    }
};

// Words from every ant to every block, by way of the L2 cache: what ants that step together tell of
// a step, and at the same time the barrier between two steps.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

// A word's last bits say of which time it is: who waits for it reads it until they are right. Words
// of even times and of odd ones have places of their own, so that nobody writes over what others
// may not have read: whoever is at a time has had all words of the time before.
struct Mailboxes {
    static constexpr int BITS = 28;  // of a word that are the sender's

    unsigned* words;  // (2, ants), 0 before the first time, which is 1
    int ants;

    __device__ __forceinline__ unsigned* place(int ant, unsigned time) const {
        return &words[(time & 1 ? ants : 0) + ant];
    }

    __device__ __forceinline__ void send(int ant, unsigned time, unsigned word) const {
        word |= time << BITS;
#if defined(FORMICARIUM_EMULATION)
        *place(ant, time) = word;
#else
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(place(ant, time)), "r"(word)
                     : "memory");
#endif
    }

    // To be called by all threads before any waits.
    static __device__ __forceinline__ void meet() {
#if defined(FORMICARIUM_EMULATION)
        emulation_grid_barrier();
#endif
    }

    // Waits for an ant's word.
    __device__ __forceinline__ unsigned await(int ant, unsigned time) const {
        unsigned word;
        do word = latest(place(ant, time));
        while ((word ^ time << BITS) >> BITS);
        return word & ((1u << BITS) - 1);
    }
};

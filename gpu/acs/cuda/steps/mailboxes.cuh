// Mailboxes in global memory: every ant sends a word about each step to all blocks. Waiting for all
// words is also the barrier between two steps.
#pragma once

#include "gpu/cuda/kernels/order.cuh"

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

    // The word of an ant whose warp may have updated global memory before: who reads the word and
    // acquires sees that. All lanes of the warp call this.
    INLINE void send(int ant, unsigned time, unsigned word, bool updates, int lane) const {
        word |= time << BITS;
        if (updates) __syncwarp();  // all lanes' updates come before the word
        if (lane != 0) return;
        if (updates)
            store_released(place(ant, time), word);
        else
            store_now(place(ant, time), word);
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

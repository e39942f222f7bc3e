// A thread-block cluster: blocks that run at the same time, close enough to write into each other's
// shared memory. From compute capability 9.0 on.
#pragma once

#include "portable.cuh"

#if defined(FORMICARIUM_EMULATION)
// There all blocks of a cooperative launch are one cluster.
#define ONE_CLUSTER
#define CLUSTER_BLOCKS gridDim.x
[[maybe_unused]] constexpr bool HAS_CLUSTERS = true;
#else
#define CLUSTER_BLOCKS 16u  // as in gpu/cuda/clusters.py
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define ONE_CLUSTER __cluster_dims__(CLUSTER_BLOCKS, 1, 1)
[[maybe_unused]] constexpr bool HAS_CLUSTERS = true;
#else
#define ONE_CLUSTER
[[maybe_unused]] constexpr bool HAS_CLUSTERS = false;
#endif
#endif

// Meets all threads of the cluster: what each has written, all see.
__device__ __forceinline__ void meet_cluster() {
#if defined(FORMICARIUM_EMULATION)
    emulation_grid_barrier();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n"
        "barrier.cluster.wait.acquire.aligned;" ::
            : "memory");
#endif
}

// Where a block waits for what the blocks of its cluster send it, so and so many bytes a time. In
// shared memory, at the same place in every block.
struct Inbox {
    unsigned long long gate;

    // Called by one thread; meet_cluster() must follow before anything is sent.
    __device__ __forceinline__ void open() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(FORMICARIUM_EMULATION)
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;\n"
            "fence.mbarrier_init.release.cluster;" ::"r"(place())
            : "memory");
#endif
    }

    // Called by one thread: how many bytes to wait for next. They may have begun to come.
    __device__ __forceinline__ void expect([[maybe_unused]] unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(FORMICARIUM_EMULATION)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place()),
                     "r"(bytes)
                     : "memory");
#endif
    }

    // Waits until all has come. `turn` is how often this inbox was waited for before.
    __device__ __forceinline__ void wait([[maybe_unused]] unsigned turn) {
#if defined(FORMICARIUM_EMULATION)
        emulation_grid_barrier();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile(
            "{ .reg .pred there;\n"
            "again:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n"
            "@!there bra again; }" ::"r"(place()),
            "r"(turn & 1)
            : "memory");
#endif
    }

    __device__ __forceinline__ unsigned place() const {
#if defined(FORMICARIUM_EMULATION)
        return 0;
#else
        return static_cast<unsigned>(__cvta_generic_to_shared(&gate));
#endif
    }
};

// Where a word lies in another block's shared memory, and the inbox that waits for it there.
struct Address {
#if defined(FORMICARIUM_EMULATION)
    unsigned* word;
#else
    unsigned word, inbox;
#endif

    // `mine` and `own` are these places in the own block.
    __device__ __forceinline__ Address(unsigned* mine, [[maybe_unused]] const Inbox& own,
                                       [[maybe_unused]] unsigned block) {
#if defined(FORMICARIUM_EMULATION)
        word = static_cast<unsigned*>(emulation_shared_of(block, mine));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm("mapa.shared::cluster.u32 %0, %1, %2;"
            : "=r"(word)
            : "r"(static_cast<unsigned>(__cvta_generic_to_shared(mine))), "r"(block));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(inbox) : "r"(own.place()), "r"(block));
#endif
    }

    // Sends `value`, or its like so many words and inboxes further on.
    __device__ __forceinline__ void send(unsigned value, [[maybe_unused]] unsigned words,
                                         [[maybe_unused]] unsigned inboxes) const {
#if defined(FORMICARIUM_EMULATION)
        word[words] = value;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                word + words * static_cast<unsigned>(sizeof(unsigned))),
            "r"(value), "r"(inbox + inboxes * static_cast<unsigned>(sizeof(Inbox)))
            : "memory");
#endif
    }
};

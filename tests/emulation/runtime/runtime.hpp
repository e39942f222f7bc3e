// What the stand-in for CUDA and its scheduler (runtime.cpp) share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulation {

struct Index {
    unsigned x, y, z;
};

// One thread of a block: what kernels see of it through threadIdx, blockIdx and the collectives.
struct Thread {
    Index thread_index;
    Index block_index;
    unsigned char* dynamic_shared;
    // What a warp collective reads of each lane and leaves to it.
    std::uint64_t value;
    std::uint64_t extra;
    std::uint64_t result;
};

struct Grid {
    Index block_dim;
    Index grid_dim;
};

extern Thread* current;
extern Grid grid;

// Lanes of one warp at a collective. `combine` fills `result` of each lane in the mask once all of
// them have arrived; it also tells one kind of collective from another.
using Combine = void (*)(Thread* const* lanes, unsigned mask);

struct Site {
    const char* name;
    const char* file;
    int line;
};

std::uint64_t warp_collective(Site site, Combine combine, unsigned mask, std::uint64_t value,
                              std::uint64_t extra);

// All threads of the block; the result is the sum of the values (__syncthreads_count and its kin).
std::uint64_t block_barrier(Site site, std::uint64_t value);

// This thread will end without another block barrier, which then waits for the others only.
void retire();

// All threads of the grid, which must be one cooperative launch or a single block.
void grid_barrier(Site site);

// Lets other threads run; `maybe_yield` does so now and then (before atomics).
void yield();
void maybe_yield();

unsigned lane_of(const Thread* thread);

// A static __shared__ variable: its place in the tables of all blocks, and this block's copy.
std::size_t new_shared_slot();
void* shared_slot(std::size_t slot, std::size_t bytes, std::size_t alignment);

[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

// One instantiation of a kernel, as the generated source registers it.
struct Kernel {
    const char* name;
    const char* signature;  // one word a parameter, see kernel_signature in cuda.hpp
    void (*call)(void** arguments);
};

void add_kernel(const Kernel& kernel);

}  // namespace emulation

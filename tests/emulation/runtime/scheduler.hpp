// The threads that are alive, and who runs next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "runtime.hpp"
#include "stacks.hpp"

namespace emulation {

enum class State { ready, in_warp, in_block, in_grid, exited };

struct Block;
struct Warp;

struct Fiber : Thread {
    Stack stack;
    Block* block;
    Warp* warp;
    unsigned lane;
    State state;
    Site site;
    unsigned mask;
    bool retired;
};

struct Gathering {
    Combine combine;
    unsigned mask;
    unsigned arrived;
    const char* name;
};

struct Warp {
    Thread* lanes[32] = {};
    unsigned existing = 0;
    unsigned exited = 0;
    std::vector<Gathering> gatherings;
};

struct Block {
    Index index{};
    std::vector<Warp> warps;
    std::vector<Fiber*> fibers;
    std::vector<Fiber*> ready;
    std::size_t exited = 0;   // and had not retired before
    std::size_t retired = 0;  // barriers of the block wait for them no more
    std::size_t arrived = 0;  // at the block barrier
    std::uint64_t sum = 0;
    Site barrier{};
    std::unique_ptr<unsigned char[]> dynamic_shared;
    std::vector<void*> static_shared;  // by slot; null until the block comes to the declaration

    Block() = default;
    Block(const Block&) = delete;
    ~Block() {
        for (void* variable : static_shared) std::free(variable);
    }
};

struct Launch {
    const Kernel* kernel = nullptr;
    void** arguments = nullptr;
    bool cooperative = false;
    std::vector<Block*> blocks;  // those alive
    Block* active = nullptr;     // goes on until it waits, or another is picked
    std::size_t arrived = 0;     // at the grid barrier
    std::size_t exited = 0;
    std::size_t threads = 0;
};

extern Launch launch;
extern std::uint64_t random_state;

std::uint64_t random_word();
std::size_t random_below(std::size_t bound);
void fill_with_noise(void* memory, std::size_t count);

inline Fiber* me() { return static_cast<Fiber*>(current); }

// The next to run, taken from those that can; null where none can.
Fiber* next_fiber();
void make_ready(Fiber* fiber);

// Goes on with whatever can run; comes back when this thread is picked again.
void run_others();

// Ends this thread.
void leave();

// Runs all blocks of `grid` with the kernel and arguments of `launch`.
void run_grid(std::size_t shared_bytes);

std::string lanes_of(unsigned mask);  // as a message says it

}  // namespace emulation

// Runs the blocks of a launch, and gives them shared memory.
//
// Blocks of a plain launch run one after the other, in random order; blocks of a cooperative launch
// are all alive at once.

#include <algorithm>

#include "scheduler.hpp"

namespace emulation {

std::size_t new_shared_slot() {
    static std::size_t slots = 0;
    return slots++;
}

void* shared_slot(std::size_t slot, std::size_t bytes, std::size_t alignment) {
    if (!current) fail("a __shared__ variable outside a function");
    std::vector<void*>& variables = me()->block->static_shared;
    if (slot >= variables.size()) variables.resize(slot + 1);
    if (!variables[slot]) {
        if (posix_memalign(&variables[slot], std::max(alignment, sizeof(void*)), bytes) != 0)
            fail("no memory for a __shared__ variable");
        fill_with_noise(variables[slot], bytes);
    }
    return variables[slot];
}

namespace {

constexpr std::size_t most_threads = 16384;
constexpr std::size_t largest_shared = 232448;  // 227 KiB, what a block has on sm_90

std::vector<Fiber*> idle_fibers;

Fiber* new_fiber() {
    if (idle_fibers.empty()) {
        auto* fiber = new Fiber();
        fiber->stack = new_stack();
        return fiber;
    }
    Fiber* fiber = idle_fibers.back();
    idle_fibers.pop_back();
    return fiber;
}

// Where a new fiber starts; it never returns.
void run_kernel() {
    arrive_on_new_stack();
    launch.kernel->call(launch.arguments);
    leave();
    std::abort();
}

std::unique_ptr<Block> new_block(Index index, std::size_t shared_bytes) {
    auto block = std::make_unique<Block>();
    block->index = index;
    block->dynamic_shared = std::make_unique<unsigned char[]>(shared_bytes);
    fill_with_noise(block->dynamic_shared.get(), shared_bytes);
    const Index dim = grid.block_dim;
    const unsigned count = dim.x * dim.y * dim.z;
    block->warps.resize((count + 31) / 32);
    for (unsigned i = 0; i < count; ++i) {
        Fiber* fiber = new_fiber();
        prepare(fiber->stack, run_kernel);
        fiber->state = State::ready;
        fiber->retired = false;
        fiber->site = {"", "", 0};
        fiber->block = block.get();
        fiber->warp = &block->warps[i / 32];
        fiber->lane = i % 32;
        fiber->thread_index = {i % dim.x, i / dim.x % dim.y, i / dim.x / dim.y};
        fiber->block_index = index;
        fiber->dynamic_shared = block->dynamic_shared.get();
        fiber->warp->lanes[fiber->lane] = fiber;
        fiber->warp->existing |= 1u << fiber->lane;
        block->fibers.push_back(fiber);
        block->ready.push_back(fiber);
    }
    return block;
}

void run_blocks(std::vector<std::unique_ptr<Block>> blocks) {
    launch.blocks.clear();
    launch.threads = 0;
    launch.exited = 0;
    launch.arrived = 0;
    for (const auto& block : blocks) {
        launch.blocks.push_back(block.get());
        launch.threads += block->fibers.size();
    }
    launch.active = nullptr;
    Fiber* first = next_fiber();
    launch.active = first->block;
    current = first;
    switch_from_main(first->stack);
    current = nullptr;
    for (const auto& block : blocks)
        idle_fibers.insert(idle_fibers.end(), block->fibers.begin(), block->fibers.end());
    launch.blocks.clear();
}

}  // namespace

void run_grid(std::size_t shared_bytes) {
    const Index dim = grid.grid_dim;
    std::vector<Index> indices;
    for (unsigned z = 0; z < dim.z; ++z)
        for (unsigned y = 0; y < dim.y; ++y)
            for (unsigned x = 0; x < dim.x; ++x) indices.push_back({x, y, z});
    for (std::size_t i = indices.size(); i > 1; --i)
        std::swap(indices[i - 1], indices[random_below(i)]);
    const std::size_t block_threads =
        std::size_t{grid.block_dim.x} * grid.block_dim.y * grid.block_dim.z;
    if (block_threads < 1 || block_threads > 1024)
        fail("a block of %zu threads; CUDA allows 1 to 1024", block_threads);
    if (shared_bytes > largest_shared)
        fail("%zu bytes of dynamic shared memory; a block has at most %zu", shared_bytes,
             largest_shared);
    if (!launch.cooperative) {
        for (Index index : indices) {
            std::vector<std::unique_ptr<Block>> one;
            one.push_back(new_block(index, shared_bytes));
            run_blocks(std::move(one));
        }
        return;
    }
    if (indices.size() * block_threads > most_threads)
        fail("a cooperative launch of %zu threads; the emulation has room for %zu",
             indices.size() * block_threads, most_threads);
    std::vector<std::unique_ptr<Block>> all;
    for (Index index : indices) all.push_back(new_block(index, shared_bytes));
    run_blocks(std::move(all));
}

}  // namespace emulation

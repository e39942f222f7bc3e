#include "scheduler.hpp"

namespace emulation {

Thread* current = nullptr;
Grid grid;
Launch launch;
std::uint64_t random_state;

std::uint64_t random_word() {  // splitmix64
    std::uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

std::size_t random_below(std::size_t bound) {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(random_word() >> 32) * bound) >>
                                    32);
}

void fill_with_noise(void* memory, std::size_t count) {
    auto* bytes = static_cast<unsigned char*>(memory);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<unsigned char>(random_word() >> 56);
}

Fiber* next_fiber() {
    Block* block = launch.active;
    const bool wander = launch.blocks.size() > 1 && (random_word() & 15) == 0;
    if (!block || block->ready.empty() || wander) {
        const std::size_t count = launch.blocks.size();
        const std::size_t first = random_below(count);
        block = nullptr;
        for (std::size_t i = 0; i < count && !block; ++i) {
            Block* other = launch.blocks[(first + i) % count];
            if (!other->ready.empty()) block = other;
        }
        if (!block) return nullptr;
    }
    const std::size_t at = random_below(block->ready.size());
    Fiber* fiber = block->ready[at];
    block->ready[at] = block->ready.back();
    block->ready.pop_back();
    return fiber;
}

void make_ready(Fiber* fiber) {
    fiber->state = State::ready;
    fiber->block->ready.push_back(fiber);
}

void run_others() {
    Fiber* from = me();
    Fiber* to = next_fiber();
    if (!to) {
        if (launch.exited == launch.threads) {
            switch_to_main(from->stack);
            return;
        }
        current = nullptr;
        fail("deadlock: no thread can run");
    }
    if (to == from) return;
    launch.active = to->block;
    current = to;
    switch_stacks(from->stack, to->stack);
}

void leave() {
    Fiber* self = me();
    self->state = State::exited;
    Warp& warp = *self->warp;
    warp.exited |= 1u << self->lane;
    if (!self->retired) ++self->block->exited;
    ++launch.exited;
    for (const Gathering& gathering : warp.gatherings)
        if (gathering.mask >> self->lane & 1)
            fail("lane %u exits while %s of its warp wait for it at %s with mask 0x%08x",
                 self->lane, lanes_of(gathering.arrived).c_str(), gathering.name, gathering.mask);
    if (!self->retired && self->block->arrived > 0)
        fail("a thread exits while %zu of its block wait for it at %s", self->block->arrived,
             self->block->barrier.name);
    if (launch.arrived > 0)
        fail("a thread exits while %zu of the grid wait for it at the grid barrier",
             launch.arrived);
    run_others();
}

void yield() {
    Fiber* self = me();
    self->block->ready.push_back(self);
    run_others();
}

void maybe_yield() {
    if ((random_word() & 7) == 0) yield();
}

}  // namespace emulation

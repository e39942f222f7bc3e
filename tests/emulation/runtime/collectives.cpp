// Where threads meet: collectives of a warp, barriers of a block and of the grid.

#include <cstring>

#include "scheduler.hpp"

namespace emulation {

namespace {

bool same_name(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }

}  // namespace

unsigned lane_of(const Thread* thread) { return static_cast<const Fiber*>(thread)->lane; }

std::uint64_t warp_collective(Site site, Combine combine, unsigned mask, std::uint64_t value,
                              std::uint64_t extra) {
    Fiber* self = me();
    Warp& warp = *self->warp;
    const unsigned bit = 1u << self->lane;
    self->site = site;
    self->mask = mask;
    if (!(mask & bit))
        fail("lane %u calls %s with mask 0x%08x, which does not name it", self->lane, site.name,
             mask);
    if (mask & ~warp.existing)
        fail("%s with mask 0x%08x names %s, which the block does not have", site.name, mask,
             lanes_of(mask & ~warp.existing).c_str());
    if (mask & warp.exited)
        fail("%s with mask 0x%08x names %s, which exited", site.name, mask,
             lanes_of(mask & warp.exited).c_str());
    std::size_t at = warp.gatherings.size();
    for (std::size_t i = 0; i < warp.gatherings.size(); ++i) {
        const Gathering& other = warp.gatherings[i];
        if (other.mask == mask) {
            if (other.combine != combine || !same_name(other.name, site.name))
                fail("lane %u arrives at %s while %s of the same mask 0x%08x wait at %s",
                     self->lane, site.name, lanes_of(other.arrived).c_str(), mask, other.name);
            at = i;
        } else if ((other.mask & bit) && (other.arrived & mask)) {
            fail("lane %u calls %s with mask 0x%08x while %s wait for it at %s with mask 0x%08x",
                 self->lane, site.name, mask, lanes_of(other.arrived).c_str(), other.name,
                 other.mask);
        }
    }
    if (at == warp.gatherings.size()) warp.gatherings.push_back({combine, mask, 0, site.name});
    self->value = value;
    self->extra = extra;
    self->state = State::in_warp;
    warp.gatherings[at].arrived |= bit;
    if (warp.gatherings[at].arrived == mask) {
        warp.gatherings[at] = warp.gatherings.back();
        warp.gatherings.pop_back();
        combine(warp.lanes, mask);
        for (unsigned lanes = mask; lanes; lanes &= lanes - 1)
            make_ready(static_cast<Fiber*>(warp.lanes[__builtin_ctz(lanes)]));
    }
    run_others();
    return self->result;
}

static void open_if_all_arrived(Block& block) {
    if (block.arrived == 0 || block.arrived < block.fibers.size() - block.retired) return;
    for (Fiber* fiber : block.fibers) {
        if (fiber->state != State::in_block) continue;
        fiber->result = block.sum;
        make_ready(fiber);
    }
    block.arrived = 0;
    block.sum = 0;
}

std::uint64_t block_barrier(Site site, std::uint64_t value) {
    Fiber* self = me();
    Block& block = *self->block;
    self->site = site;
    if (block.exited > 0)
        fail("%s after %zu threads of the block have exited", site.name, block.exited);
    if (block.arrived > 0 && !same_name(block.barrier.name, site.name))
        fail("a thread arrives at %s while others wait at %s", site.name, block.barrier.name);
    if (self->retired) fail("%s by a thread that has retired", site.name);
    block.barrier = site;
    block.sum += value;
    self->state = State::in_block;
    ++block.arrived;
    open_if_all_arrived(block);
    run_others();
    return self->result;
}

void retire() {
    Fiber* self = me();
    self->retired = true;
    ++self->block->retired;
    open_if_all_arrived(*self->block);
}

void grid_barrier(Site site) {
    Fiber* self = me();
    self->site = site;
    if (!launch.cooperative && grid.grid_dim.x * grid.grid_dim.y * grid.grid_dim.z > 1)
        fail(
            "a grid barrier needs a cooperative launch, or blocks wait for others that never "
            "start");
    if (launch.exited > 0) fail("grid barrier after %zu threads have exited", launch.exited);
    self->state = State::in_grid;
    if (++launch.arrived == launch.threads) {
        for (Block* block : launch.blocks)
            for (Fiber* fiber : block->fibers) make_ready(fiber);
        launch.arrived = 0;
    }
    run_others();
}

}  // namespace emulation

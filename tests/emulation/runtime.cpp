// Runs kernels: every CUDA thread is a fiber of one OS thread, switched at collectives only.
//
// Threads that can run are picked at random (seeded), so that nothing may depend on lanes going in
// order or in lockstep. Blocks of a plain launch run one after the other, in random order; blocks
// of a cooperative launch are all alive at once. Arrays come in and go out through pipes, and live
// in heap blocks of their exact size, so that AddressSanitizer sees every access out of bounds.

#include "runtime.hpp"

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

extern "C" {
void emulation_switch(void** save, void* to);
void emulation_enter();
}

// Saves the registers that a call must keep on the stack, and goes on with another stack.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl emulation_switch
    .type emulation_switch, @function
emulation_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulation_switch, . - emulation_switch
)");
constexpr int saved_words = 8;  // six registers, the address to return to, alignment
constexpr int return_word = 6;
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl emulation_switch
    .type emulation_switch, %function
emulation_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size emulation_switch, . - emulation_switch
)");
constexpr int saved_words = 20;
constexpr int return_word = 11;
#else
#error "the emulation switches fibers on x86-64 and aarch64 only"
#endif

namespace emulation {

Thread* current = nullptr;
Grid grid;

namespace {

constexpr std::size_t stack_bytes = 256 * 1024;
constexpr std::size_t stagger_bytes = 640;  // or the stacks' tops would share few cache lines
constexpr std::size_t page_bytes = 65536;  // at least a page wherever this runs
constexpr std::size_t most_threads = 16384;
constexpr std::size_t largest_shared = 232448;  // 227 KiB, what a block has on sm_90

enum class State { ready, in_warp, in_block, in_grid, exited };

struct Block;
struct Warp;

struct Fiber : Thread {
    void* stack_pointer;
    unsigned char* stack;
    unsigned char* stack_top;
    void* fake_stack;
    Block* block;
    Warp* warp;
    unsigned lane;
    State state;
    Site site;
    unsigned mask;
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
    std::size_t exited = 0;
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

std::vector<Kernel>& kernels() {
    static std::vector<Kernel> all;
    return all;
}

Launch launch;
std::uint64_t random_state;
void* main_stack_pointer;
void* main_fake_stack;
const void* main_stack_bottom;
std::size_t main_stack_size;

std::uint64_t random_word() {  // splitmix64
    std::uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

std::size_t random_below(std::size_t bound) {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(random_word() >> 32) * bound) >> 32);
}

Fiber* me() { return static_cast<Fiber*>(current); }

void fill_with_noise(void* memory, std::size_t count) {
    auto* bytes = static_cast<unsigned char*>(memory);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<unsigned char>(random_word() >> 56);
}

// ---- messages ----

bool same_name(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }

const char* base_name(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
}

std::string ranges(std::vector<unsigned> numbers) {
    std::sort(numbers.begin(), numbers.end());
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t j = i;
        while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1) ++j;
        if (!text.empty()) text += ",";
        text += std::to_string(numbers[i]);
        if (j > i) text += "-" + std::to_string(numbers[j]);
        i = j + 1;
    }
    return text;
}

std::string lanes_of(unsigned mask) {
    std::vector<unsigned> lanes;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) lanes.push_back(lane);
    return (lanes.size() == 1 ? "lane " : "lanes ") + ranges(lanes);
}

void tell_where_threads_are() {
    for (const Block* block : launch.blocks) {
        std::map<std::string, std::vector<unsigned>> places;
        for (std::size_t i = 0; i < block->fibers.size(); ++i) {
            const Fiber* fiber = block->fibers[i];
            char place[400];
            if (fiber->state == State::ready)
                std::snprintf(place, sizeof place, fiber == current ? "running" : "can run");
            else if (fiber->state == State::exited)
                std::snprintf(place, sizeof place, "exited");
            else {
                char mask[32] = "";
                if (fiber->state == State::in_warp)
                    std::snprintf(mask, sizeof mask, " mask 0x%08x", fiber->mask);
                std::snprintf(
                    place, sizeof place, "waits at %s%s (%s:%d)", fiber->site.name, mask,
                    base_name(fiber->site.file), fiber->site.line
                );
            }
            places[place].push_back(static_cast<unsigned>(i));
        }
        for (const auto& [place, threads] : places)
            std::fprintf(
                stderr, "  block (%u,%u,%u) threads %s: %s\n", block->index.x, block->index.y,
                block->index.z, ranges(threads).c_str(), place.c_str()
            );
    }
}

// ---- scheduling ----

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

void switch_to_main(Fiber* from) {
    __sanitizer_start_switch_fiber(nullptr, main_stack_bottom, main_stack_size);
    emulation_switch(&from->stack_pointer, main_stack_pointer);
}

// Goes on with whatever can run; comes back when this thread is picked again.
void run_others() {
    Fiber* from = me();
    Fiber* to = next_fiber();
    if (!to) {
        if (launch.exited == launch.threads) {
            switch_to_main(from);
            return;
        }
        current = nullptr;
        fail("deadlock: no thread can run");
    }
    if (to == from) return;
    launch.active = to->block;
    current = to;
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, stack_bytes);
    emulation_switch(&from->stack_pointer, to->stack_pointer);
    __sanitizer_finish_switch_fiber(from->fake_stack, nullptr, nullptr);
}

void leave() {
    Fiber* self = me();
    self->state = State::exited;
    Warp& warp = *self->warp;
    warp.exited |= 1u << self->lane;
    ++self->block->exited;
    ++launch.exited;
    for (const Gathering& gathering : warp.gatherings)
        if (gathering.mask >> self->lane & 1)
            fail(
                "lane %u exits while %s of its warp wait for it at %s with mask 0x%08x", self->lane,
                lanes_of(gathering.arrived).c_str(), gathering.name, gathering.mask
            );
    if (self->block->arrived > 0)
        fail(
            "a thread exits while %zu of its block wait for it at %s", self->block->arrived,
            self->block->barrier.name
        );
    if (launch.arrived > 0)
        fail("a thread exits while %zu of the grid wait for it at the grid barrier", launch.arrived);
    run_others();
}

}  // namespace

unsigned lane_of(const Thread* thread) { return static_cast<const Fiber*>(thread)->lane; }

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

void fail(const char* format, ...) {
    std::fflush(stdout);
    std::fprintf(stderr, "EMULATION: ");
    if (launch.kernel) std::fprintf(stderr, "%s: ", launch.kernel->name);
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (current)
        std::fprintf(
            stderr, " [block (%u,%u,%u) thread (%u,%u,%u)]", current->block_index.x,
            current->block_index.y, current->block_index.z, current->thread_index.x,
            current->thread_index.y, current->thread_index.z
        );
    std::fprintf(stderr, "\n");
    tell_where_threads_are();
    if (current) __sanitizer_print_stack_trace();
    std::fflush(stderr);
    std::_Exit(3);
}

void yield() {
    Fiber* self = me();
    self->block->ready.push_back(self);
    run_others();
}

void maybe_yield() {
    if ((random_word() & 7) == 0) yield();
}

std::uint64_t warp_collective(
    Site site, Combine combine, unsigned mask, std::uint64_t value, std::uint64_t extra
) {
    Fiber* self = me();
    Warp& warp = *self->warp;
    const unsigned bit = 1u << self->lane;
    self->site = site;
    self->mask = mask;
    if (!(mask & bit))
        fail("lane %u calls %s with mask 0x%08x, which does not name it", self->lane, site.name, mask);
    if (mask & ~warp.existing)
        fail(
            "%s with mask 0x%08x names %s, which the block does not have", site.name, mask,
            lanes_of(mask & ~warp.existing).c_str()
        );
    if (mask & warp.exited)
        fail(
            "%s with mask 0x%08x names %s, which exited", site.name, mask,
            lanes_of(mask & warp.exited).c_str()
        );
    std::size_t at = warp.gatherings.size();
    for (std::size_t i = 0; i < warp.gatherings.size(); ++i) {
        const Gathering& other = warp.gatherings[i];
        if (other.mask == mask) {
            if (other.combine != combine || !same_name(other.name, site.name))
                fail(
                    "lane %u arrives at %s while %s of the same mask 0x%08x wait at %s", self->lane,
                    site.name, lanes_of(other.arrived).c_str(), mask, other.name
                );
            at = i;
        } else if ((other.mask & bit) && (other.arrived & mask)) {
            fail(
                "lane %u calls %s with mask 0x%08x while %s wait for it at %s with mask 0x%08x",
                self->lane, site.name, mask, lanes_of(other.arrived).c_str(), other.name, other.mask
            );
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

std::uint64_t block_barrier(Site site, std::uint64_t value) {
    Fiber* self = me();
    Block& block = *self->block;
    self->site = site;
    if (block.exited > 0)
        fail("%s after %zu threads of the block have exited", site.name, block.exited);
    if (block.arrived > 0 && !same_name(block.barrier.name, site.name))
        fail("a thread arrives at %s while others wait at %s", site.name, block.barrier.name);
    block.barrier = site;
    block.sum += value;
    self->state = State::in_block;
    if (++block.arrived == block.fibers.size()) {
        for (Fiber* fiber : block.fibers) {
            fiber->result = block.sum;
            make_ready(fiber);
        }
        block.arrived = 0;
        block.sum = 0;
    }
    run_others();
    return self->result;
}

void grid_barrier(Site site) {
    Fiber* self = me();
    self->site = site;
    if (!launch.cooperative && grid.grid_dim.x * grid.grid_dim.y * grid.grid_dim.z > 1)
        fail("a grid barrier needs a cooperative launch, or blocks wait for others that never start");
    if (launch.exited > 0) fail("grid barrier after %zu threads have exited", launch.exited);
    self->state = State::in_grid;
    if (++launch.arrived == launch.threads) {
        for (Block* block : launch.blocks)
            for (Fiber* fiber : block->fibers) make_ready(fiber);
        launch.arrived = 0;
    }
    run_others();
}

void add_kernel(const Kernel& kernel) { kernels().push_back(kernel); }

namespace {

// ---- launching ----

std::vector<Fiber*> idle_fibers;

Fiber* new_fiber() {
    if (!idle_fibers.empty()) {
        Fiber* fiber = idle_fibers.back();
        idle_fibers.pop_back();
        return fiber;
    }
    void* memory = mmap(
        nullptr, stack_bytes + page_bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0
    );
    if (memory == MAP_FAILED) fail("no memory for the stack of a thread");
    mprotect(memory, page_bytes, PROT_NONE);
    auto* fiber = new Fiber();
    fiber->stack = static_cast<unsigned char*>(memory) + page_bytes;
    static std::size_t made = 0;
    fiber->stack_top = fiber->stack + stack_bytes - made++ % 32 * stagger_bytes;
    return fiber;
}

void prepare(Fiber* fiber) {
    auto* top = reinterpret_cast<std::uintptr_t*>(fiber->stack_top);
#if defined(__x86_64__)
    // As after a call: the stack is 8 off a multiple of 16 once the entry address is popped.
    std::uintptr_t* frame = top - saved_words - 2;
    std::fill(frame, top, 0);
    frame[return_word] = reinterpret_cast<std::uintptr_t>(&emulation_enter);
#else
    std::uintptr_t* frame = top - saved_words;
    std::fill(frame, top, 0);
    frame[return_word] = reinterpret_cast<std::uintptr_t>(&emulation_enter);
#endif
    fiber->stack_pointer = frame;
    fiber->fake_stack = nullptr;
    fiber->state = State::ready;
    fiber->site = {"", "", 0};
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
        prepare(fiber);
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
    launch.active = nullptr;
    for (const auto& block : blocks) {
        launch.blocks.push_back(block.get());
        launch.threads += block->fibers.size();
    }
    Fiber* first = next_fiber();
    launch.active = first->block;
    current = first;
    __sanitizer_start_switch_fiber(&main_fake_stack, first->stack, stack_bytes);
    emulation_switch(&main_stack_pointer, first->stack_pointer);
    __sanitizer_finish_switch_fiber(main_fake_stack, nullptr, nullptr);
    current = nullptr;
    for (const auto& block : blocks)
        idle_fibers.insert(idle_fibers.end(), block->fibers.begin(), block->fibers.end());
    launch.blocks.clear();
}

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
        fail("%zu bytes of dynamic shared memory; a block has at most %zu", shared_bytes, largest_shared);
    if (!launch.cooperative) {
        for (Index index : indices) {
            std::vector<std::unique_ptr<Block>> one;
            one.push_back(new_block(index, shared_bytes));
            run_blocks(std::move(one));
        }
        return;
    }
    if (indices.size() * block_threads > most_threads)
        fail(
            "a cooperative launch of %zu threads; the emulation has room for %zu",
            indices.size() * block_threads, most_threads
        );
    std::vector<std::unique_ptr<Block>> all;
    for (Index index : indices) all.push_back(new_block(index, shared_bytes));
    run_blocks(std::move(all));
}

// CuPy always compiles with -ftz=true: float32 subnormals are zero, in and out.
void flush_subnormals() {
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
    std::uint64_t control;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    asm volatile("msr fpcr, %0" : : "r"(control | (std::uint64_t{1} << 24)));
#endif
}

// ---- talking to Python ----

int answers;  // the pipe that was standard output; printf in kernels goes to standard error

bool read_exactly(void* to, std::size_t count) {
    auto* bytes = static_cast<unsigned char*>(to);
    while (count > 0) {
        const ssize_t got = read(0, bytes, count);
        if (got <= 0) return false;
        bytes += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

void write_exactly(const void* from, std::size_t count) {
    const auto* bytes = static_cast<const unsigned char*>(from);
    while (count > 0) {
        const ssize_t put = write(answers, bytes, count);
        if (put <= 0) std::_Exit(4);
        bytes += put;
        count -= static_cast<std::size_t>(put);
    }
}

struct Request {
    std::uint32_t kernel;
    std::uint32_t cooperative;
    Index grid_dim;
    Index block_dim;
    std::uint64_t seed;
    std::uint64_t shared_bytes;
    std::uint32_t buffers;
    std::uint32_t arguments;
};

struct BufferHeader {
    std::uint64_t bytes;
    std::uint64_t written;  // whether Python wants it back
};

struct ArgumentHeader {
    std::int32_t buffer;  // -1: bytes follow; -2: a null pointer
    std::uint32_t bytes;
};

bool serve_one() {
    Request request;
    if (!read_exactly(&request, sizeof request)) return false;
    std::vector<unsigned char*> buffers(request.buffers);
    std::vector<BufferHeader> headers(request.buffers);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!read_exactly(&headers[i], sizeof headers[i])) return false;
        void* memory = nullptr;
        if (posix_memalign(&memory, 256, headers[i].bytes) != 0) fail("no memory for an array");
        buffers[i] = static_cast<unsigned char*>(memory);
        if (!read_exactly(buffers[i], headers[i].bytes)) return false;
    }
    struct alignas(16) Packed {
        unsigned char bytes[4096];
    };
    std::vector<std::unique_ptr<Packed>> packed;
    std::vector<void*> arguments;
    for (std::uint32_t i = 0; i < request.arguments; ++i) {
        packed.push_back(std::make_unique<Packed>());
        arguments.push_back(packed.back()->bytes);
        ArgumentHeader header;
        if (!read_exactly(&header, sizeof header)) return false;
        if (header.buffer == -1) {
            if (header.bytes > sizeof(Packed)) fail("an argument of %u bytes", header.bytes);
            if (!read_exactly(packed.back()->bytes, header.bytes)) return false;
        } else {
            void* pointer = header.buffer < 0 ? nullptr : buffers[header.buffer];
            std::memcpy(packed.back()->bytes, &pointer, sizeof pointer);
        }
    }
    launch.kernel = &kernels()[request.kernel];
    launch.arguments = arguments.data();
    launch.cooperative = request.cooperative != 0;
    grid = {request.block_dim, request.grid_dim};
    random_state = request.seed;
    run_grid(request.shared_bytes);
    launch.kernel = nullptr;
    const std::uint32_t done = 0x600dd09e;
    write_exactly(&done, sizeof done);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (headers[i].written) write_exactly(buffers[i], headers[i].bytes);
        std::free(buffers[i]);
    }
    return true;
}

}  // namespace

void enter() {
    __sanitizer_finish_switch_fiber(
        nullptr, main_stack_bottom ? nullptr : &main_stack_bottom,
        main_stack_size ? nullptr : &main_stack_size
    );
    launch.kernel->call(launch.arguments);
    leave();
}

}  // namespace emulation

// Where a new fiber starts; it never returns.
extern "C" void emulation_enter() {
    emulation::enter();
    std::_Exit(5);
}

int main() {
    using namespace emulation;
    answers = dup(1);
    dup2(2, 1);
    std::string table;
    for (const Kernel& kernel : kernels())
        table += std::string(kernel.name) + "\t" + kernel.signature + "\n";
    const std::uint64_t bytes = table.size();
    write_exactly(&bytes, sizeof bytes);
    write_exactly(table.data(), table.size());
    flush_subnormals();
    while (serve_one()) {
    }
    return 0;
}

#include "stacks.hpp"

#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime.hpp"

extern "C" void emulation_switch(void** save, void* to);

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

namespace {

constexpr std::size_t stack_bytes = 256 * 1024;
constexpr std::size_t stagger_bytes = 640;  // or the stacks' tops would share few cache lines
constexpr std::size_t guard_bytes = 65536;  // at least a page wherever this runs

void* main_stack_pointer;
void* main_fake_stack;
const void* main_stack_bottom;
std::size_t main_stack_size;

}  // namespace

Stack new_stack() {
    void* memory = mmap(nullptr, stack_bytes + guard_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fail("no memory for the stack of a thread");
    mprotect(memory, guard_bytes, PROT_NONE);
    auto* bottom = static_cast<unsigned char*>(memory) + guard_bytes;
    static std::size_t made = 0;
    unsigned char* top = bottom + stack_bytes - made++ % 32 * stagger_bytes;
    return {nullptr, bottom, top, nullptr};
}

void prepare(Stack& stack, void (*enter)()) {
    auto* top = reinterpret_cast<std::uintptr_t*>(stack.top);
#if defined(__x86_64__)
    // As after a call: the stack is 8 off a multiple of 16 once the entry address is popped.
    std::uintptr_t* frame = top - saved_words - 2;
#else
    std::uintptr_t* frame = top - saved_words;
#endif
    std::fill(frame, top, 0);
    frame[return_word] = reinterpret_cast<std::uintptr_t>(enter);
    stack.pointer = frame;
    stack.fake = nullptr;
}

void switch_stacks(Stack& from, const Stack& to) {
    __sanitizer_start_switch_fiber(&from.fake, to.bottom, stack_bytes);
    emulation_switch(&from.pointer, to.pointer);
    __sanitizer_finish_switch_fiber(from.fake, nullptr, nullptr);
}

void switch_from_main(const Stack& to) {
    __sanitizer_start_switch_fiber(&main_fake_stack, to.bottom, stack_bytes);
    emulation_switch(&main_stack_pointer, to.pointer);
    __sanitizer_finish_switch_fiber(main_fake_stack, nullptr, nullptr);
}

void switch_to_main(Stack& from) {
    __sanitizer_start_switch_fiber(nullptr, main_stack_bottom, main_stack_size);
    emulation_switch(&from.pointer, main_stack_pointer);
}

void arrive_on_new_stack() {
    const bool first = main_stack_size == 0;  // it comes from the program's own stack
    __sanitizer_finish_switch_fiber(nullptr, first ? &main_stack_bottom : nullptr,
                                    first ? &main_stack_size : nullptr);
}

}  // namespace emulation

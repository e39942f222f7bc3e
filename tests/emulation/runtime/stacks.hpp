// Stacks for fibers, and switching between them.
#pragma once

namespace emulation {

struct Stack {
    void* pointer;  // of what it was switched away from
    unsigned char* bottom;
    unsigned char* top;
    void* fake;  // AddressSanitizer's
};

// A stack whose bytes below the bottom cannot be touched. Lives as long as the program.
Stack new_stack();

// Makes a stack run `enter`, which must not return, when it is first switched to.
void prepare(Stack& stack, void (*enter)());

// Between fibers, from the program's own stack to a fiber, and back for good from one that ends.
void switch_stacks(Stack& from, const Stack& to);
void switch_from_main(const Stack& to);
void switch_to_main(Stack& from);

// The first thing that a fiber calls.
void arrive_on_new_stack();

}  // namespace emulation

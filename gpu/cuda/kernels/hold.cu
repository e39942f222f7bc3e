struct Hold {
    unsigned nanoseconds;
};

// Keeps the stream busy for so long. What is timed next is then in the stream before it begins,
// and the time that the host takes to launch it is not taken for the kernel's.
__global__ void hold(const Hold arguments) {
    const unsigned nanoseconds = arguments.nanoseconds;
#if defined(FORMICARIUM_EMULATION)
    (void)nanoseconds;
#else
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
#endif
}

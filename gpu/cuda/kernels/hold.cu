#include "__init__.py"

// Keeps the stream busy for so long. So the next launches are in the stream before they begin, and
// a measurement of them does not include the time that the host takes to launch them.
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

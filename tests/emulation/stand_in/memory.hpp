// Memory: shared variables, loads and stores with cache hints, atomics, fences.
#pragma once

#include <type_traits>

#include "runtime.hpp"

namespace emulation {

template <class T>
inline T& static_shared() {
    static const std::size_t slot = new_shared_slot();
    return *static_cast<T*>(shared_slot(slot, sizeof(T), alignof(T)));
}

template <class T>
struct Same {
    using type = T;
};
template <class T>
using same = typename Same<T>::type;  // keeps an argument out of deduction

}  // namespace emulation

#define EMULATION_LOAD(NAME)          \
    template <class T>                \
    inline T NAME(const T* address) { \
        return *address;              \
    }
EMULATION_LOAD(__ldg)
EMULATION_LOAD(__ldca)
EMULATION_LOAD(__ldcg)
EMULATION_LOAD(__ldcs)
EMULATION_LOAD(__ldlu)
EMULATION_LOAD(__ldcv)
#undef EMULATION_LOAD
#define EMULATION_STORE(NAME)                                \
    template <class T>                                       \
    inline void NAME(T* address, emulation::same<T> value) { \
        *address = value;                                    \
    }
EMULATION_STORE(__stwb)
EMULATION_STORE(__stcg)
EMULATION_STORE(__stcs)
EMULATION_STORE(__stwt)
#undef EMULATION_STORE

// ---- atomics: plain, for one OS thread runs all; other threads may run just before ----

namespace emulation {
template <class T, class Change>
inline T atomically(T* address, Change change) {
    static_assert(std::is_same_v<T, int> || std::is_same_v<T, unsigned> ||
                  std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  std::is_same_v<T, unsigned long long> || std::is_same_v<T, long long> ||
                  std::is_same_v<T, unsigned short>);
    maybe_yield();
    const T old = *address;
    *address = change(old);
    return old;
}
template <class T>
inline T wrapping_sum(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else {
        return a + b;
    }
}
}  // namespace emulation

#define EMULATION_ATOMIC(NAME, RESULT)                                             \
    template <class T>                                                             \
    inline T NAME(T* address, emulation::same<T> value) {                          \
        return emulation::atomically(address, [&](T old) -> T { return RESULT; }); \
    }                                                                              \
    template <class T>                                                             \
    inline T NAME##_block(T* address, emulation::same<T> value) {                  \
        return NAME(address, value);                                               \
    }                                                                              \
    template <class T>                                                             \
    inline T NAME##_system(T* address, emulation::same<T> value) {                 \
        return NAME(address, value);                                               \
    }
EMULATION_ATOMIC(atomicAdd, emulation::wrapping_sum<T>(old, value))
EMULATION_ATOMIC(atomicSub, emulation::wrapping_sum<T>(old, static_cast<T>(-value)))
EMULATION_ATOMIC(atomicMin, value < old ? value : old)
EMULATION_ATOMIC(atomicMax, value > old ? value : old)
EMULATION_ATOMIC(atomicExch, (static_cast<void>(old), value))
EMULATION_ATOMIC(atomicAnd, old& value)
EMULATION_ATOMIC(atomicOr, old | value)
EMULATION_ATOMIC(atomicXor, old ^ value)
EMULATION_ATOMIC(atomicInc, old >= value ? T{0} : old + 1)
EMULATION_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef EMULATION_ATOMIC
template <class T>
inline T atomicCAS(T* address, emulation::same<T> expected, emulation::same<T> desired) {
    static_assert(std::is_integral_v<T>, "CUDA compares and swaps integers");
    return emulation::atomically(address, [&](T old) { return old == expected ? desired : old; });
}

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

// Kernels by name, with their parameters as Python is told of them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <type_traits>
#include <utility>

#include "runtime.hpp"

namespace emulation {

// One word a parameter: p (pointer) or s (scalar), c (points to const) or m, kind, size in bytes.
template <class T>
inline void describe(char*& out) {
    using Element = std::remove_cv_t<std::remove_pointer_t<T>>;
    constexpr char kind = std::is_same_v<Element, bool>       ? 'b'
                          : std::is_floating_point_v<Element> ? 'f'
                          : std::is_unsigned_v<Element>       ? 'u'
                          : std::is_integral_v<Element>       ? 'i'
                          : std::is_enum_v<Element>           ? 'i'
                                                              : 'v';
    constexpr bool constant = std::is_const_v<std::remove_pointer_t<T>>;
    std::size_t size = 1;  // what void points to
    if constexpr (!std::is_void_v<Element>) size = sizeof(Element);
    out += std::sprintf(out, "%c%c%c%zu ", std::is_pointer_v<T> ? 'p' : 's', constant ? 'c' : 'm',
                        kind, size);
}

template <class>
struct Signature;

template <class... Parameters>
struct Signature<void (*)(Parameters...)> {
    static const char* words() {
        static char text[sizeof...(Parameters) * 16 + 1];
        [[maybe_unused]] char* out = text;
        (describe<Parameters>(out), ...);
        return text;
    }
    template <auto function, std::size_t... i>
    static void call_with(void** arguments, std::index_sequence<i...>) {
        static_cast<void>(arguments);
        function(*static_cast<std::remove_cv_t<Parameters>*>(arguments[i])...);
    }
    template <auto function>
    static void call(void** arguments) {
        call_with<function>(arguments, std::index_sequence_for<Parameters...>{});
    }
};

template <auto function>
inline bool add_kernel(const char* name) {
    using Called = Signature<decltype(function)>;
    add_kernel(Kernel{name, Called::words(), &Called::template call<function>});
    return true;
}

}  // namespace emulation

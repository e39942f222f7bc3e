// Takes launches from Python through a pipe, and answers with the arrays that were written.
//
// Arrays live in heap blocks of their exact size, so that AddressSanitizer sees every access out of
// bounds.

#include <unistd.h>

#include <cstring>

#include "scheduler.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace emulation {

namespace {

std::vector<Kernel>& kernels() {
    static std::vector<Kernel> all;
    return all;
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
    std::int32_t buffer;  // -1: bytes follow, then the pointers among them; -2: a null pointer
    std::uint32_t bytes;
};

// A pointer in a structure: its place, and the buffer that it points to.
struct Pointer {
    std::uint32_t offset;
    std::uint32_t buffer;
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
            std::uint32_t pointers;
            if (!read_exactly(&pointers, sizeof pointers)) return false;
            for (; pointers > 0; --pointers) {
                Pointer pointer;
                if (!read_exactly(&pointer, sizeof pointer)) return false;
                std::memcpy(packed.back()->bytes + pointer.offset, &buffers[pointer.buffer],
                            sizeof(void*));
            }
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

void add_kernel(const Kernel& kernel) { kernels().push_back(kernel); }

}  // namespace emulation

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

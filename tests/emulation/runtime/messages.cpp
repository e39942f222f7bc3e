// Ends the program with a message that says which threads are where.

#include <sanitizer/common_interface_defs.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>

#include "scheduler.hpp"

namespace emulation {

namespace {

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
                std::snprintf(place, sizeof place, "waits at %s%s (%s:%d)", fiber->site.name, mask,
                              base_name(fiber->site.file), fiber->site.line);
            }
            places[place].push_back(static_cast<unsigned>(i));
        }
        for (const auto& [place, threads] : places)
            std::fprintf(stderr, "  block (%u,%u,%u) threads %s: %s\n", block->index.x,
                         block->index.y, block->index.z, ranges(threads).c_str(), place.c_str());
    }
}

}  // namespace

std::string lanes_of(unsigned mask) {
    std::vector<unsigned> lanes;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) lanes.push_back(lane);
    return (lanes.size() == 1 ? "lane " : "lanes ") + ranges(lanes);
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
        std::fprintf(stderr, " [block (%u,%u,%u) thread (%u,%u,%u)]", current->block_index.x,
                     current->block_index.y, current->block_index.z, current->thread_index.x,
                     current->thread_index.y, current->thread_index.z);
    std::fprintf(stderr, "\n");
    tell_where_threads_are();
    if (current) __sanitizer_print_stack_trace();
    std::fflush(stderr);
    std::_Exit(3);
}

}  // namespace emulation

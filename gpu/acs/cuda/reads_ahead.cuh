// Reads for cities where an ant has not arrived yet.
//
// At least nine steps of ten follow the best tour so far, forwards or backwards. So the data of a
// city is copied to shared memory while the ant is still two steps away. This hides the latency of
// the L2 cache, which is longer than the rest of a step. Where the guess is wrong, the ant reads
// the data when it arrives, as it would without reading ahead.
#pragma once

#include "constants.py"
#include "gpu/cuda/kernels/portable.cuh"

// Two slots, SLOT_WORDS of shared memory that begins at a multiple of 16 bytes, hold the next two
// cities in turn: each lane copies 16 bytes of a city to its place in a slot.
struct ReadsAhead {
    static constexpr int SLOTS = 2;
    static_assert(SLOT_WORDS == SLOTS * 4 * LANES, "16 bytes a lane");

    uint4* slots;
    const char* source = nullptr;  // what this lane copies for city 0
    unsigned stride = 0;           // bytes from one city to the next
    int expected = -1;             // the next city, if the guess is right
    int later = -1;                // the one after it

    // What `lanes` lanes from `first` on copy: consecutive bytes of an array with `bytes` a city.
    INLINE void take(const void* array, unsigned bytes, int first, int lanes, int lane) {
        if (lane < first || lane >= first + lanes) return;
        source = static_cast<const char*>(array) + 16 * (lane - first);
        stride = bytes;
    }

    // Keeps in registers what take() has set.
    INLINE void hold() {
        source = held(source);
        stride = here_and_now(stride);
    }

    // A slot, from the place of lane `first` on.
    template <class Value>
    INLINE const Value* at(int turn, int first) const {
        return reinterpret_cast<const Value*>(slots + turn * LANES + first);
    }

    // Call this before a slot is read: it waits until all lanes have copied the older city.
    INLINE void land() const {
        copies_landed<SLOTS - 1>();
        __syncwarp();
    }

    // An ant that reads its data itself calls this: afterwards no copy is under way.
    INLINE void drop() const { copies_landed<0>(); }

    // The ant is at a city that it did not expect; `links` has the two cities beside it on the
    // best tour. `turn` is its own slot.
    INLINE void begin(int4 links, bool turned, int turn, int lane) {
        later = turned ? links.y : links.x;
        copy(later, turn ^ 1, lane);
    }

    // `links`: the cities after and before the present one on the best tour, and the next but one
    // on either side.
    INLINE void proceed(int4 links, int turn, int lane) {
        expected = later;
        later = expected == links.x ? links.z : links.w;
        copy(later, turn, lane);
    }

  private:
    // Lanes without a part copy nothing: to copy the same place again would cost as much.
    INLINE void copy(int city, int turn, int lane) const {
        auto offset = static_cast<unsigned long long>(unsigned(city)) * stride;
        if (stride) copy_ahead(slots + turn * LANES + lane, source + offset);
        copies_asked();
    }
};

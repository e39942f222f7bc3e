// Reads for cities where an ant has not arrived yet.
//
// Nine steps of ten or more follow the best tour so far, forwards or backwards. So what an ant
// will need of a city is copied to shared memory while it is still two steps away, and the latency
// of the L2 cache, longer than all else in a step, passes unnoticed. Where the guess is wrong, the
// ant reads what it needs when it arrives, as it would without all this.
#pragma once

#include "gpu/cuda/kernels/portable.cuh"

// Two slots of shared memory for the next two cities, by turns: each lane copies 16 bytes of a
// city into its place in a slot.
struct ReadsAhead {
    static constexpr int SLOTS = 2, WORDS = SLOTS * 4 * LANES;  // of shared memory, 16-byte aligned

    uint4* slots;
    const char* source = nullptr;  // what this lane copies of city 0
    unsigned stride = 0;           // bytes from there to the same of the next city
    int expected = -1;             // the next city, if the guess is right
    int later = -1;                // the one after it

    // What `lanes` lanes from `first` on copy: consecutive bytes of an array with `bytes` a city.
    __device__ __forceinline__ void take(const void* array, unsigned bytes, int first, int lanes,
                                         int lane) {
        if (lane < first || lane >= first + lanes) return;
        source = static_cast<const char*>(array) + 16 * (lane - first);
        stride = bytes;
    }

    // Keeps in registers what take() has said.
    __device__ __forceinline__ void hold() {
        source = held(source);
        stride = here_and_now(stride);
    }

    // A slot, from the place of lane `first` on.
    template <class Value>
    __device__ __forceinline__ const Value* at(int turn, int first) const {
        return reinterpret_cast<const Value*>(slots + turn * LANES + first);
    }

    // To be called before a slot is read: the older copy is there, in all lanes' places.
    __device__ __forceinline__ void land() const {
        copies_landed<SLOTS - 1>();
        __syncwarp();
    }

    // To be called by an ant that reads what it needs: nothing is under way after it.
    __device__ __forceinline__ void drop() const { copies_landed<0>(); }

    // The ant is at a city that it did not expect; `links` has the two cities beside it on the
    // best tour. `turn` is its own slot.
    __device__ __forceinline__ void begin(int4 links, bool turned, int turn, int lane) {
        later = turned ? links.y : links.x;
        copy(later, turn ^ 1, lane);
    }

    // `links`: the cities after and before the present one on the best tour, and the next but one
    // on either side.
    __device__ __forceinline__ void proceed(int4 links, int turn, int lane) {
        expected = later;
        later = expected == links.x ? links.z : links.w;
        copy(later, turn, lane);
    }

  private:
    // Lanes that take nothing copy nothing: even of one place again, it costs as much.
    __device__ __forceinline__ void copy(int city, int turn, int lane) const {
        auto offset = static_cast<unsigned long long>(static_cast<unsigned>(city)) * stride;
        if (stride) copy_ahead(slots + turn * LANES + lane, source + offset);
        copies_asked();
    }
};

// Candidate lists as a warp reads them: one row of 32 a city, one candidate a lane.
#pragma once

#include "portable.cuh"

constexpr unsigned NOT_LISTED = 255;

// x: the candidate in the low 24 bits, in the high 8 this city's rank on the candidate's own list
// (NOT_LISTED if it is not there); y: the bits of the weight eta^beta. Rows shorter than 32 are
// filled with the city itself, which an ant standing there has always visited.
struct Candidate {
    uint2 packed;

    __device__ __forceinline__ explicit Candidate(uint2 packed_) : packed(packed_) {}
    __device__ __forceinline__ int city() const { return packed.x & 0xffffffu; }
    __device__ __forceinline__ unsigned reverse() const { return packed.x >> 24; }
    __device__ __forceinline__ float weight() const { return __uint_as_float(packed.y); }
};

struct CandidateLists {
    const uint2* rows;    // (n, 32)
    const uint2* backup;  // (n, width): the next neighbours, nearest first, filled up likewise
    int width;            // a multiple of 32, perhaps 0

    __device__ __forceinline__ Candidate at(int city, int lane) const {
        return Candidate(__ldg(&rows[static_cast<long long>(city) * LANES + lane]));
    }

    __device__ __forceinline__ Candidate backup_at(int city, int rank) const {
        return Candidate(__ldg(&backup[static_cast<long long>(city) * width + rank]));
    }

    // The lane that holds `wanted` in the row of `city`, or -1. All lanes of the warp call this.
    __device__ __forceinline__ int lane_of(int city, int wanted, int lane) const {
        unsigned found = __ballot_sync(ALL_LANES, at(city, lane).city() == wanted);
        return __ffs(found) - 1;
    }

    // Whether `wanted` is on the backup list of `city`. All lanes of the warp call this.
    __device__ __forceinline__ bool backs_up(int city, int wanted, int lane) const {
        bool found = false;
        for (int rank = lane; rank < width; rank += LANES)
            found = found || backup_at(city, rank).city() == wanted;
        return __any_sync(ALL_LANES, found);
    }
};

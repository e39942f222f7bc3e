// Candidate lists as a warp reads them: one row of 32 a city, one candidate a lane.
#pragma once

#include "portable.cuh"

// x: the candidate in the low 24 bits, in the high 8 this city's rank on the candidate's own list
// (NOT_LISTED if it is not there); y: the bits of the weight eta^beta. Rows shorter than 32 are
// filled with the city itself, which an ant that is there has always visited.
struct Candidate {
    uint2 packed;

    INLINE int city() const { return packed.x & ((1u << CITY_BITS) - 1); }
    INLINE unsigned reverse() const { return packed.x >> CITY_BITS; }
    INLINE float weight() const { return __uint_as_float(packed.y); }
};

// The next neighbours after the candidates, nearest first, four to a lane: rank r is in lane
// r % 32, place r / 32. Filled up like the rows.
struct Backup {
    Candidate at[BACKUP_ROWS];
};

struct CandidateRows {
    const uint2* rows;    // (n, 32)
    const uint2* backup;  // (n, 128)

    INLINE Candidate at(int city, int lane) const {
        return Candidate{__ldg(&rows[static_cast<long long>(city) * LANES + lane])};
    }

    INLINE Backup backup_of(int city, int lane) const {
        Backup list;
        UNROLL for (int i = 0; i < BACKUP_ROWS; ++i) {
            list.at[i].packed =
                __ldg(&backup[(static_cast<long long>(city) * BACKUP_ROWS + i) * LANES + lane]);
        }
        return list;
    }

    // The lane that holds `wanted` in the row of `city`, or -1. All lanes of the warp call this.
    INLINE int lane_of(int city, int wanted, int lane) const {
        unsigned found = __ballot_sync(ALL_LANES, at(city, lane).city() == wanted);
        return __ffs(found) - 1;
    }

    // Whether `wanted` is on the backup list of `city`. All lanes of the warp call this.
    INLINE bool backs_up(int city, int wanted, int lane) const {
        Backup list = backup_of(city, lane);
        bool found = false;
        UNROLL for (int i = 0; i < BACKUP_ROWS; ++i) found = found || list.at[i].city() == wanted;
        return __any_sync(ALL_LANES, found);
    }
};

// What every tour construction of an Ant Colony System is given.
#pragma once

#include "gpu/cuda/kernels/philox.cuh"
#include "trail_matrix.cuh"

struct AcsAnts {
    int ants;
    unsigned threshold;  // an ant explores if 24 random bits are at least this
    int period;          // steps from one local update to the next
    LocalUpdate change;
    Seed seed;
    CandidateLists lists;
    Geometry geometry;
    int directed;
};

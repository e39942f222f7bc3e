// What a colony of Focused ACO counts besides its state, and how it keeps tours.
#pragma once

#include "slices.cuh"
#include "walk.cuh"

// Rows of a tour that is kept: int4 (slices, origin, direction, mirrored), then its slices.
